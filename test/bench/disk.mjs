// Durable POSTs on a disk whose sync always takes the same: what a real one takes changes from minute to minute.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { atLeast, ratio, skipped } from './measure.mjs';
import { database, plainDatabase } from './records.mjs';
import { bare, folder, serve, serveWithAuth } from './servers.mjs';
import { writes } from './service.mjs';

/** As of a solid-state disk without a battery. */
const SYNC_MICROSECONDS = 200;
const MEMORY = '/dev/shm';

export async function benchDisk() {
  const what = `durable POST, a sync takes ${SYNC_MICROSECONDS / 1000} ms`;
  const library = join(folder, 'sync.so');
  const source = new URL('sync.c', import.meta.url).pathname;
  if (!existsSync(MEMORY) || spawnSync('cc', ['-shared', '-fPIC', '-o', library, source]).status !== 0) {
    skipped(what, `there is no ${MEMORY} or no cc`);
    return;
  }
  const env = { ...process.env, LD_PRELOAD: library, SYNC_MICROSECONDS: String(SYNC_MICROSECONDS) };
  const memory = mkdtempSync(join(MEMORY, 'sciatica-bench-'));
  try {
    const inMemory = (path) => {
      const copy = join(memory, basename(path));
      copyFileSync(path, copy);
      return copy;
    };
    const theirs = await bare(inMemory(plainDatabase('disk-plain.db', 1_000)), env);
    const ours = await serve(inMemory(await database('disk.db', 1_000)), [], env);
    for (const [connections, bound] of [
      [1, 0.6],
      [16, 2.8],
      [64, 3.5],
    ])
      atLeast(
        `${what}, connections: ${connections}`,
        await ratio(writes(ours, connections), writes(theirs, connections)),
        bound,
      );
    const guarded = await serveWithAuth(inMemory(await database('disk-guarded.db', 1_000)), env);
    atLeast(
      `${what}, connections: 16, with --auth`,
      await ratio(writes(guarded, 16), writes(theirs, 16)),
      2.8,
    );
  } finally {
    rmSync(memory, { recursive: true });
  }
}
