import { readFileSync, statfsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { DEADLINE_MS } from './deadline.mts';

const IN_MEMORY = '/dev/shm';

/** Linux: databases in memory, where fsync takes no time. Not in a container that gives it little room or lets nothing run there. */
function temporaryFolder(): { TMPDIR?: string } {
  if (process.env['TMPDIR'] !== undefined || process.platform !== 'linux') return {};
  try {
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .map((line) => line.split(' '))
      .find(([, path]) => path === IN_MEMORY);
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    const isFit = mount?.[3] && !/\b(ro|noexec)\b/.test(mount[3]) && bavail * bsize > 2 ** 31;
    return isFit ? { TMPDIR: IN_MEMORY } : {};
  } catch {
    return {};
  }
}

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 3 * DEADLINE_MS,
    hookTimeout: 3 * DEADLINE_MS,
    expect: { poll: { timeout: DEADLINE_MS, interval: 10 } },
    maxWorkers: 2,
    env: temporaryFolder(),
  },
});
