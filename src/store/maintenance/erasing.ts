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

/** What is still to be done for persons who are erased: the setting `erasing`. */
interface Unfinished {
  /** The ids of the persons; none where only records of others were erased. */
  users: number[];
  /** The process that began it last, and when, in milliseconds since 1970. */
  pid: number;
  at: number;
  /** The files that could not be written anew, the database perhaps among them; before the first attempt ends, all. */
  left?: string[];
}

/** Copies that may hold persons who are erased, and that only somebody can remove: the setting `copiesLeft`. */
interface CopiesLeft {
  /** The ids of the persons. */
  users: readonly number[];
  paths: readonly string[];
}

/** Who finishes it, and where faults are said. */
interface Means {
  warn(line: string): unknown;
  /** Runs a command line in a process of its own, without waiting for it. */
  start(words: readonly string[]): void;
  /** Nothing may take time here. */
  isService: boolean;
}

/** In milliseconds: after a failure, and while another process seems to be at it, the next attempt waits so long. */
const RETRY_MS = 60 * 60 * 1000;

/** What is unfinished in a database; undefined where nothing is. Who was brought back since is not to be erased again. */
export function unfinishedErasing(db: Database): Unfinished | undefined {
  const unfinished = storedJson<Unfinished | null>(new Settings(db).get('erasing') ?? 'null');
  const users = unfinished?.users.filter((id) => !isLeft(db, 'user', id)) ?? [];
  return users.length > 0 || unfinished?.users.length === 0
    ? { ...(unfinished as Unfinished), users }
    : undefined;
}

const note = (db: Database, unfinished: Unfinished) =>
  new Settings(db).set('erasing', JSON.stringify(unfinished));

/** As they begin a sentence. @param users by their ids; none where only records of others were erased */
export const subjectOf = (users: readonly number[]): string =>
  users.length > 0 ? `User ${users.join(', ')}` : 'A record';

/** The command that finishes an erasing, as it follows `sciatica`. @param users as of `subjectOf` */
export const commandToFinish = ([user]: readonly number[]): string =>
  user === undefined ? 'remotes --accept-erase' : `user erase ${user}`;

/** Erases users, and records of others, from the database, its log, its free pages and its automatic backups. */
export function eraseFrom(
  db: Database,
  changes: Changes,
  tokens: Tokens,
  what: readonly RecordKey[],
): CopiesAfterErasing {
  db.requireWritable();
  const work = () => {
    erase(db, tokens, what);
    // In the same transaction: the file and the backups are still to be written anew.
    const users = [...new Set([...(unfinishedErasing(db)?.users ?? []), ...idsOf(what, 'user')])];
    note(db, { users, pid: process.pid, at: Date.now() });
  };
  if (what.length > 0) changes.run(work, { source: 'erase' });
  return finishErasing(db);
}

/**
 * Writes the database and its backups anew, so that they hold no byte of those who are erased. What fails is among the
 * copies that are left, the database itself included, and noted for another attempt.
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

/** Others may have been erased meanwhile: their erasing goes on. */
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

/** The copies that are still there of those that an erasing left. */
export function copiesLeft(db: Database): CopiesLeft {
  const noted = new Settings(db).get('copiesLeft') ?? '{"users":[],"paths":[]}';
  const { users, paths } = storedJson<CopiesLeft>(noted);
  return { users, paths: paths.filter((path) => existsSync(path)) };
}

/**
 * Finishes an erasing that was interrupted or failed; called before the first change of a process. Whatever goes wrong is a
 * warning, never an error.
 */
export function finishErasingIfDue(db: Database, { warn, start, isService }: Means): void {
  const unfinished = unfinishedErasing(db);
  if (!unfinished || db.obstacle || !isDue(unfinished)) return;
  const { users } = unfinished;
  if (isService) {
    // No command erases a record alone, without what else waits for a yes: the next one that records something goes on.
    if (users.length > 0) start(['user', 'erase', String(users[0]), '--yes', '--quiet', '--db', db.path]);
    return;
  }
  note(db, { users, pid: process.pid, at: Date.now() });
  const { left } = finishErasing(db);
  for (const { path, why } of left)
    warn(`${subjectOf(users)} was erased, but this copy may still hold them: ${path}${inBrackets(why)}`);
}

/** A reason as it follows the name of a copy. */
export const inBrackets = (why: string | undefined): string => (why === undefined ? '' : ` (${why})`);

function isDue({ pid, at, left }: Unfinished): boolean {
  // One that lies ahead is of a clock that was wrong.
  const hasWaited = Math.abs(Date.now() - at) >= RETRY_MS;
  if (!left) return hasWaited || !isRunning(pid);
  // A disk that is away may never come back.
  return hasWaited && left.some((path) => existsSync(dirname(path)));
}
