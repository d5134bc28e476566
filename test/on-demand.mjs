import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../bin/sciatica.js', import.meta.url));

/**
 * Installs packages into a temporary folder and runs what needs them, while the service serves a fresh demo.
 * @param packages each with its version
 * @param run takes the folder and the service's OpenAPI document, and gives an exit code
 * @returns the exit code; 0 with a message if npm cannot install the packages
 */
export async function withPackages(packages, run) {
  const folder = mkdtempSync(join(tmpdir(), 'sciatica-on-demand-'));
  try {
    const { status } = spawnSync(
      'npm',
      ['install', '--prefix', folder, '--no-save', '--ignore-scripts', '--no-audit', ...packages],
      { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] },
    );
    if (status !== 0) {
      console.error(`Skipped: npm cannot install ${packages.join(', ')}. Is the network there?`);
      return 0;
    }
    const db = join(folder, 'demo.db');
    spawnSync(process.execPath, [program, '--db', db, 'demo']);
    const server = spawn(process.execPath, [program, '--db', db, 'serve', '--port', '0']);
    try {
      const [line] = await once(server.stdout, 'data');
      const base = /http:\/\/[^\s/]+/.exec(String(line))[0];
      return await run(folder, await (await fetch(`${base}/openapi.json`)).text());
    } finally {
      server.kill();
      await once(server, 'exit');
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
