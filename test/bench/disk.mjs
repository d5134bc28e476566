// Durable POSTs on a disk whose sync always takes the same: what a real one takes changes from minute to minute.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { atLeast, ratio, skipped } from './measure.mjs';
import { database, plainDatabase } from './records.mjs';
import { bare, folder, serve, serveWithAuth } from './servers.mjs';
import { writes } from './service.mjs';

/** In microseconds, as of a solid-state disk without a battery, and of one with. */
const SYNCS = [
  { sync: 200, bounds: [0.75, 4, 5], guarded: 2.8 },
  { sync: 20, bounds: [0.45, 1.1, 1.2] },
];
const CONNECTIONS = [1, 16, 64];
const MEMORY = '/dev/shm';

export async function benchDisk() {
  const library = join(folder, 'sync.so');
  const source = new URL('sync.c', import.meta.url).pathname;
  if (!existsSync(MEMORY) || spawnSync('cc', ['-shared', '-fPIC', '-o', library, source]).status !== 0) {
    skipped('durable POST where a sync always takes the same', `there is no ${MEMORY} or no cc`);
    return;
  }
  for (const disk of SYNCS) await benchSync(library, disk);
}

async function benchSync(library, { sync, bounds, guarded }) {
  const what = `durable POST, a sync takes ${sync / 1000} ms`;
  const env = { ...process.env, LD_PRELOAD: library, SYNC_MICROSECONDS: String(sync) };
  const memory = mkdtempSync(join(MEMORY, 'sciatica-bench-'));
  try {
    const inMemory = (path) => {
      const copy = join(memory, basename(path));
      copyFileSync(path, copy);
      return copy;
    };
    const theirs = await bare(inMemory(plainDatabase(`disk-plain-${sync}.db`, 1_000)), env);
    const ours = await serve(inMemory(await database(`disk-${sync}.db`, 1_000)), [], env);
    for (const [i, connections] of CONNECTIONS.entries())
      atLeast(
        `${what}, connections: ${connections}`,
        await ratio(writes(ours, connections), writes(theirs, connections)),
        bounds[i],
      );
    if (guarded === undefined) return;
    const closed = await serveWithAuth(inMemory(await database(`disk-guarded-${sync}.db`, 1_000)), env);
    atLeast(
      `${what}, connections: 16, with --auth`,
      await ratio(writes(closed, 16), writes(theirs, 16)),
      guarded,
    );
  } finally {
    rmSync(memory, { recursive: true });
  }
}
