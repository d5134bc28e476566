// An import of 10,000,000 logs: how long it takes, and how much memory. It takes 12 GB of disk for some minutes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { mebibytes, seconds } from './measure.mjs';
import { ndjson } from './records.mjs';
import { folder, kibibytes, sciatica } from './servers.mjs';

const LOGS = 10_000_000;

export async function benchImport() {
  const file = await ndjson('10m.ndjson', LOGS);
  const path = join(folder, 'imported.db');
  const begun = performance.now();
  const importer = spawn(process.execPath, [sciatica, 'import', file, '--db', path], { stdio: 'ignore' });
  let peak = 0;
  const watch = setInterval(() => {
    peak = mostMemory(importer.pid) ?? peak;
  }, 100);
  const [code] = await once(importer, 'exit');
  clearInterval(watch);
  if (code !== 0) throw new Error(`the import ended with ${code}`);
  seconds('import of 10,000,000 NDJSON logs', (performance.now() - begun) / 1000, 150);
  mebibytes('the same, memory', peak / 1024, 256);
  for (const written of [file, path]) rmSync(written);
}

/** The most memory that a process ever had, in KiB; undefined where it is ending. */
function mostMemory(pid) {
  try {
    return kibibytes(pid, 'VmHWM');
  } catch {
    return undefined;
  }
}
