import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openStore } from '../../src/store/store.ts';
import { freshFolder, nora, session } from '../helpers.ts';
import { root } from '../store/helpers.ts';

/** So many records do not fit into SQLite's caches. */
const LOGS = 10_000;

const script = join(root, 'bin/sciatica.js');

const hasStrace = spawnSync('strace', ['-V']).status === 0;

/** Runs a command under strace. @returns the files that it opened to write to, or changed the name of */
function written(args: string[], trace: string): string[] {
  const calls = 'trace=open,openat,creat,rename,renameat,renameat2,link,linkat';
  execFileSync(
    'strace',
    [
      '-f',
      '--seccomp-bpf',
      '-qq',
      '-y',
      '-s',
      '400',
      '-e',
      calls,
      '-o',
      trace,
      process.execPath,
      script,
      ...args,
    ],
    {
      env: { PATH: process.env['PATH'], SCIATICA_USER: '1' },
      stdio: 'ignore',
    },
  );
  return readFileSync(trace, 'utf8')
    .split('\n')
    .filter(
      (line) => !/ = -1 /.test(line) && (/rename|link/.test(line) || /O_CREAT|O_WRONLY|O_RDWR/.test(line)),
    )
    .flatMap((line) => [...line.matchAll(/"(\/[^"]+)"/g)].map(([, path]) => path ?? ''))
    .filter((path) => !/^\/(dev(?!\/shm)|proc)\//.test(path));
}

describe.skipIf(!hasStrace)(
  'no record is written outside of the folder of the database (needs strace)',
  () => {
    let home = '';
    let db = '';
    const prepare = () => {
      home = freshFolder();
      mkdirSync(join(home, 'data'));
      db = join(home, 'data', 'test.db');
    };

    /** Lines of NDJSON. */
    function records(): string {
      const file = join(home, 'data', 'records.ndjson');
      const lines = [
        { ...nora, id: 1 },
        { ...nora, id: 2 },
        ...Array.from({ length: LOGS }, (_, i) => ({
          ...session,
          userId: 1 + (i % 2),
          painAfter: 1 + (i % 10),
          notes: `${i} `.repeat(150),
        })),
      ];
      writeFileSync(file, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
      return file;
    }

    test('by import, sorted lists, erase, backup and restore', () => {
      prepare();
      const trace = join(home, 'trace');
      const file = records();
      const seen: string[] = [];
      const run = (...args: string[]) => {
        const files = written([...args, '--db', db], trace);
        expect({ args, outside: files.filter((path) => !path.startsWith(join(home, 'data'))) }).toEqual({
          args,
          outside: [],
        });
        seen.push(...files.map((path) => `${args[0]} ${path.replace(/^.*(etilqs|\.sciatica).*$/, '$1')}`));
      };
      run('import', file);
      run('logs', '--sort', 'notes', '--json');
      run('export', '--sort', '-painAfter', '-o', join(home, 'data', 'out.csv'), 'logs');
      run('backup', join(home, 'data', 'copy.db'));
      run('import', file, '--on-conflict', 'renumber');
      run('user', 'erase', '2', '--yes');
      run('restore', join(home, 'data', 'copy.db'), '--yes');
      // What is too long for memory went beside the database.
      // The newer SQLite gives such files no name (O_TMPFILE): only their folder is seen.
      for (const verb of ['import', 'logs'])
        expect(seen.filter((name) => name === `${verb} etilqs` || name === `${verb} .sciatica`)).not.toEqual(
          [],
        );
      expect(readdirSync(join(home, 'data')).filter((name) => name.startsWith('.'))).toEqual([]);
    });
  },
);

test('a folder that a killed process left is removed at the next start, one of a living process is not', () => {
  const folder = freshFolder();
  const [dead, alive] = [`.sciatica-999999999-1-0.tmp`, `.sciatica-${process.ppid}-1-0.tmp`].map((name) =>
    join(folder, name),
  ) as [string, string];
  for (const path of [dead, alive]) {
    mkdirSync(path);
    writeFileSync(join(path, 'etilqs_1'), 'notes');
  }
  openStore(join(folder, 'test.db')).close();
  expect([existsSync(dead), existsSync(alive)]).toEqual([false, true]);
});
