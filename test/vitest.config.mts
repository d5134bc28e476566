import { readdirSync, readFileSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
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

const root = fileURLToPath(new URL('..', import.meta.url));

/** What a test does that others in its process would notice: it replaces modules, or adds a kind of record. */
const IS_NOTICED = /vi\.mock\(|appointments\.ts/;

const tests = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => join('test', name));
const apart = tests.filter((name) => IS_NOTICED.test(readFileSync(join(root, name), 'utf8')));

/** The simulation first: it takes longest, and at the end one processor would wait for it. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLongest = ({ moduleId }: TestSpecification) => Number(moduleId.includes('/insights/simulation/'));
    return (await super.sort(files)).sort((a, b) => isLongest(b) - isLongest(a));
  }
}

export default defineConfig({
  root,
  test: {
    // A process that runs several files loads the program once: that is a third of the processor time of all tests.
    projects: [
      {
        extends: true,
        test: { name: 'shared', isolate: false, include: ['test/**/*.test.ts'], exclude: apart },
      },
      { extends: true, test: { name: 'apart', include: apart } },
    ],
    testTimeout: 3 * DEADLINE_MS,
    hookTimeout: 3 * DEADLINE_MS,
    expect: { poll: { timeout: DEADLINE_MS, interval: 10 } },
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    env: temporaryFolder(),
  },
});
