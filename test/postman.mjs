// Imports the service's OpenAPI document as Postman does, and runs the collection with newman against a fresh demo.
//   npm run build && node test/postman.mjs
// Both bring 300 packages, so they are installed for this only; test/http/examples.test.ts holds the same in each run.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKAGES = ['newman@6.2.2', 'openapi-to-postmanv2@6.3.3'];

/** As in the dialog of the import: examples for values, and only what is required. */
const OPTIONS = {
  folderStrategy: 'Tags',
  parametersResolution: 'Example',
  enableOptionalParameters: false,
};

const program = fileURLToPath(new URL('../bin/sciatica.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'sciatica-postman-'));
try {
  process.exitCode = await main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function main() {
  const { status } = spawnSync('npm', ['install', '--no-save', '--ignore-scripts', ...PACKAGES], {
    cwd: folder,
  });
  if (status !== 0) {
    console.error('Skipped: npm cannot install newman. Is the network there?');
    return 0;
  }
  const db = join(folder, 'demo.db');
  spawnSync(process.execPath, [program, '--db', db, 'demo']);
  const server = spawn(process.execPath, [program, '--db', db, 'serve', '--port', '0']);
  try {
    const [line] = await once(server.stdout, 'data');
    const base = /http:\/\/[^\s/]+/.exec(String(line))[0];
    return await run(await (await fetch(`${base}/openapi.json`)).text());
  } finally {
    server.kill();
    await once(server, 'exit');
  }
}

/** @returns an exit code: 1 if a request fails, or an answer is none of success */
async function run(document) {
  const { paths, ...rest } = JSON.parse(document);
  // It is there while a code is open.
  const { '/pair': _, '/me/token': __, ...callable } = paths;
  const require = createRequire(join(folder, 'x.js'));
  const converter = require('openapi-to-postmanv2');
  const collection = await new Promise((resolve, reject) =>
    converter.convertV2(
      { type: 'string', data: JSON.stringify({ ...rest, paths: callable }) },
      OPTIONS,
      (error, { result, reason, output } = {}) =>
        result ? resolve(output[0].data) : reject(error ?? new Error(reason)),
    ),
  );
  const exec = ["pm.test('is a success', () => pm.expect(pm.response.code).to.be.below(400));"];
  collection.event = [{ listen: 'test', script: { type: 'text/javascript', exec } }];
  const file = join(folder, 'collection.json');
  writeFileSync(file, JSON.stringify(collection));
  const report = join(folder, 'report.json');
  const argv = ['run', file, '--reporters', 'cli,json', '--reporter-json-export', report];
  spawnSync(join(folder, 'node_modules', '.bin', 'newman'), argv, { stdio: 'inherit' });
  const { stats, failures } = JSON.parse(readFileSync(report, 'utf8')).run;
  return stats.requests.total > 0 && failures.length === 0 ? 0 : 1;
}
