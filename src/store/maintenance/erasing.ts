import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { isRunning } from '../../lib/files.ts';
import { Erasures, isLeft } from '../reconcile/erasures.ts';
import { Names } from '../reconcile/names.ts';
import { idsOf, type RecordKey } from '../reconcile/received.ts';
import type { Changes } from '../records/changes.ts';
import { Settings } from '../records/settings.ts';
import type { Tokens } from '../records/tokens.ts';
import type { Database } from '../sqlite/database.ts';
import { storedJson } from '../sqlite/errors.ts';
import { erase, overwrite } from './erase.ts';
import { type CopiesAfterErasing, type CopyLeft, eraseFromBackups, reasonOf } from './erase-backups.ts';

/** The setting `erasing`: the unfinished rewriting of files after erasures. */
interface Unfinished {
  /** Ids of the erased users; empty if only single records of others were erased. */
  users: number[];
  /** The process that began the last attempt, and when, in milliseconds since 1970. */
  pid: number;
  at: number;
  /** The files that the last attempt could not rewrite, perhaps the database too; undefined while an attempt is unfinished. */
  left?: string[];
}

/** The setting `copiesLeft`: copies that may hold erased persons, and that only the user can remove. */
interface CopiesLeft {
  /** Ids of the erased users. */
  users: readonly number[];
  paths: readonly string[];
}

/** The dependencies of `finishErasingIfDue`. */
interface Means {
  warn(line: string): unknown;
  /** Runs a command line in a process of its own, without waiting for it. */
  start(words: readonly string[]): void;
  /** Whether the process is a service, which must not block. */
  isService: boolean;
}

/** Interval before another attempt after a failure, or while another process seems to be working on it, in milliseconds. */
const RETRY_MS = 60 * 60 * 1000;

/** The unfinished erasure of a database, without users whom a restored backup brought back; undefined if there is none. */
export function unfinishedErasing(db: Database): Unfinished | undefined {
  const unfinished = storedJson<Unfinished | null>(new Settings(db).get('erasing') ?? 'null');
  const users = unfinished?.users.filter((id) => !isLeft(db, 'user', id)) ?? [];
  return users.length > 0 || unfinished?.users.length === 0
    ? { ...(unfinished as Unfinished), users }
    : undefined;
}

const note = (db: Database, unfinished: Unfinished) =>
  new Settings(db).set('erasing', JSON.stringify(unfinished));

/** The erased users as the subject of a sentence. @param users their ids; empty if only single records of others were erased */
export const subjectOf = (users: readonly number[]): string =>
  users.length > 0 ? `User ${users.join(', ')}` : 'A record';

/** The arguments of `sciatica` that finish an erasure. @param users as for `subjectOf` */
export const commandToFinish = ([user]: readonly number[]): string =>
  user === undefined ? 'remotes --accept-erase' : `user erase ${user}`;

/** Erases users, and single records of others, from the database, its log, its free pages and its automatic backups. */
export function eraseFrom(
  db: Database,
  changes: Changes,
  tokens: Tokens,
  what: readonly RecordKey[],
): CopiesAfterErasing {
  db.requireWritable();
  const work = () => {
    erase(db, tokens, what);
    // In the same transaction: after a crash, the file and the backups are still known to need rewriting.
    const users = [...new Set([...(unfinishedErasing(db)?.users ?? []), ...idsOf(what, 'user')])];
    note(db, { users, pid: process.pid, at: Date.now() });
  };
  if (what.length > 0) changes.run(work, { source: 'erase' });
  return finishErasing(db);
}

/**
 * Rewrites the database and its backups so that no bytes of erased persons remain. What fails, the database
 * included, is in `left`, and is stored for another attempt.
 */
function finishErasing(db: Database): CopiesAfterErasing {
  const users = unfinishedErasing(db)?.users ?? [];
  const failed: CopyLeft[] = [];
  const attempt = (work: () => void) => {
    try {
      work();
    } catch (error) {
      failed.push({ path: db.path, why: reasonOf(error, db.path) });
    }
  };
  attempt(() => overwrite(db));
  const { left, ...done } = eraseFromBackups(db);
  const unreached = [...failed, ...left].filter(({ why }) => why !== undefined).map(({ path }) => path);
  const paths = left.filter(({ why }) => why === undefined).map(({ path }) => path);
  attempt(() =>
    db.write(() => {
      noteOutcome(db, users, unreached);
      noteCopies(db, { users, paths });
      if (unreached.length === 0) new Erasures(db, new Names(db)).noteBackups();
    }),
  );
  return { ...done, left: [...failed, ...left] };
}

/** Stores the outcome of an attempt. Users who were erased since it began stay unfinished. */
function noteOutcome(db: Database, finished: readonly number[], left: string[]): void {
  const unfinished = unfinishedErasing(db);
  if (!unfinished) return;
  const users = unfinished.users.filter((id) => left.length > 0 || !finished.includes(id));
  if (users.length + left.length === 0) new Settings(db).remove('erasing');
  else note(db, { ...unfinished, users, at: Date.now(), ...(left.length > 0 && { left }) });
}

function noteCopies(db: Database, { users, paths }: CopiesLeft): void {
  const settings = new Settings(db);
  const all = [...new Set([...copiesLeft(db).users, ...users])];
  if (paths.length === 0) settings.remove('copiesLeft');
  else settings.set('copiesLeft', JSON.stringify({ users: all, paths }));
}

/** The copies that erasures have left and that still exist. */
export function copiesLeft(db: Database): CopiesLeft {
  const noted = new Settings(db).get('copiesLeft') ?? '{"users":[],"paths":[]}';
  const { users, paths } = storedJson<CopiesLeft>(noted);
  return { users, paths: paths.filter((path) => existsSync(path)) };
}

/**
 * Finishes an erasure that was interrupted or has failed; called before the first change of a process. A
 * failure is a warning, never an error.
 */
export function finishErasingIfDue(db: Database, { warn, start, isService }: Means): void {
  const unfinished = unfinishedErasing(db);
  if (!unfinished || db.obstacle || !isDue(unfinished)) return;
  const { users } = unfinished;
  if (isService) {
    // Any command for single records would accept other erasures too: the next CLI change resumes this.
    if (users.length > 0) start(['user', 'erase', String(users[0]), '--yes', '--quiet', '--db', db.path]);
    return;
  }
  note(db, { users, pid: process.pid, at: Date.now() });
  const { left } = finishErasing(db);
  for (const { path, why } of left)
    warn(`${subjectOf(users)} was erased, but this copy may still hold them: ${path}${inBrackets(why)}`);
}

/** A reason in brackets, to follow the path of a copy. */
export const inBrackets = (why: string | undefined): string => (why === undefined ? '' : ` (${why})`);

function isDue({ pid, at, left }: Unfinished): boolean {
  // A time far in the future was noted by a wrong clock, and delays nothing.
  const hasWaited = Math.abs(Date.now() - at) >= RETRY_MS;
  if (!left) return hasWaited || !isRunning(pid);
  // Not while all their folders are missing: a disk may never come back.
  return hasWaited && left.some((path) => existsSync(dirname(path)));
}
