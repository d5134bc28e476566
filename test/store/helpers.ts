import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type BetterSqlite from 'better-sqlite3';
import { build } from 'rolldown';
import { onTestFinished } from 'vitest';
import { SciaticaError } from '../../src/domain/errors.ts';
import type { LogInput } from '../../src/domain/log.ts';
import type { UserInput } from '../../src/domain/user.ts';
import type { Database } from '../../src/store/sqlite/database.ts';
import { openSqlite } from '../../src/store/sqlite/driver.ts';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import { type Store, storeOn } from '../../src/store/store.ts';
import { newDatabase } from '../new-database.ts';

export const root = fileURLToPath(new URL('../..', import.meta.url));

export const user = (fields: Partial<UserInput> = {}): UserInput => ({
  firstName: 'Nora',
  lastName: 'Lind',
  email: 'nora@example.org',
  age: 44,
  painLocation: 'glute-left',
  painLevel: 6,
  diagnosisDate: '2026-01-15',
  ...fields,
});

export const log = (fields: Partial<LogInput> = {}): LogInput => ({
  userId: 1,
  exerciseType: 'stretch',
  exerciseName: 'Piriformis Stretch',
  date: '2026-03-02',
  painBefore: 6,
  painAfter: 4,
  effective: true,
  notes: '',
  ...fields,
});

/** A new empty folder, removed after the test. */
export function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sciatica-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export const freshPath = (): string => join(freshFolder(), 'test.db');

/** The connection that was opened last, by its path. */
const databases = new Map<string, Database>();

/** As `openStore`, with a connection that `dbOf` knows. */
export function openStore(path: string, now?: () => number): Store {
  const database = openDatabase(path);
  const store = storeOn(database, now);
  databases.set(path, database);
  return store;
}

/** An open store, closed after the test. */
export function freshStore(path = newDatabase(), now?: () => number): Store {
  const store = openStore(path, now);
  onTestFinished(() => store.close());
  return store;
}

/** The connection of a store that was opened here. */
export function dbOf(store: Store): Database {
  const database = databases.get(store.path);
  if (!database) throw new Error('This store was not opened here.');
  return database;
}

/** A store with `logs` logs of two users, their fields spread so that every sort has ties. */
export function filledStore(logs: number, path = newDatabase()): Store {
  const store = freshStore(path);
  store.change(() => {
    store.users.create(user());
    store.users.create(user({ firstName: 'Ole' }));
    for (let i = 0; i < logs; i++)
      store.logs.create(
        log({
          userId: 1 + (i % 2),
          exerciseType: i % 3 ? 'stretch' : 'strengthening',
          exerciseName: ['Cat-Cow', 'bridge', 'Brücke', '\u{1F9D8} \uffee', '\uffee'][i % 5] ?? '',
          date: `2026-0${1 + (i % 4)}-${10 + ((i * 7) % 11)}`,
          painBefore: 1 + (i % 10),
          painAfter: 1 + ((i * 3) % 7),
          effective: i % 4 > 1,
          notes: i % 6 ? '' : `note ${i}`,
        }),
      );
  });
  return store;
}

/** A connection without any of our own code, closed after the test. */
export function raw(path: string): BetterSqlite.Database {
  const sqlite = openSqlite(path, { timeout: 0 });
  onTestFinished(() => {
    sqlite.close();
  });
  return sqlite;
}

/** What `work` throws, which must be an error meant for a person. */
export function failure(work: () => unknown): SciaticaError {
  try {
    work();
  } catch (error) {
    if (error instanceof SciaticaError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

/** Every file of a folder: its bytes and its permissions. */
export function contents(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder).map((name) => {
      const path = join(folder, name);
      const { mode, mtimeMs } = statSync(path);
      return [
        name,
        `${mode.toString(8)} ${mtimeMs} ${statSync(path).isFile() ? readFileSync(path, 'hex') : ''}`,
      ];
    }),
  );
}

/** Bundles a script that imports from `./src/…`, so that plain Node can run it. */
export async function bundle(script: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'sciatica-script-'));
  chmodSync(folder, 0o755);
  const entry = join(root, 'script.ts');
  await build({
    input: { script: entry },
    platform: 'node',
    external: [/^better-sqlite3/],
    // There is no such file: its imports are those of a file there.
    plugins: [
      {
        name: 'script',
        load: (id) => (id === entry ? script : undefined),
        resolveId: (id) => (id === entry ? id : undefined),
      },
    ],
    logLevel: 'silent',
    // What is imported on demand in files of its own, as in dist: a command takes half as long to start.
    output: { dir: folder, format: 'cjs', entryFileNames: 'script.cjs' },
  });
  return join(folder, 'script.cjs');
}

/** Starts a bundled script; it is killed after the test at the latest. */
export function start(script: string, args: string[], uid?: number): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, [script, ...args], {
    env: { PATH: process.env['PATH'], NODE_PATH: join(root, 'node_modules') },
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  child.stdin.on('error', () => {});
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return child;
}

/** Waits for a child to end. */
export async function ended(child: ChildProcessWithoutNullStreams) {
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (data) => (stdout += data));
  child.stderr.on('data', (data) => (stderr += data));
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, stdout, stderr };
}

/**
 * Runs a bundled script again and again, which waits for a line on stdin once it has said that it is ready: the first time
 * to its end, then killed at moments spread over the time that this took, and at last before it begins.
 * @param prepare makes the arguments of a round
 * @param check looks at what a round has left, and at what the script said
 */
export async function killedAtMoments(
  script: string,
  rounds: number,
  prepare: () => string[],
  check: (said: string) => void | Promise<void>,
): Promise<void> {
  let took = 0;
  for (let round = rounds; round >= 0; round--) {
    const child = start(script, prepare());
    const end = ended(child);
    await new Promise((resolve) => child.stdout.once('data', resolve));
    const begun = performance.now();
    child.stdin.write('go\n');
    const kill = () => child.kill('SIGKILL');
    const timer = round < rounds ? setTimeout(kill, (took * round) / rounds) : undefined;
    if (round === 0) kill();
    const { stdout } = await end;
    clearTimeout(timer);
    if (round === rounds) took = performance.now() - begun;
    await check(stdout);
  }
}
