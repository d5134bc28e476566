import { INTO } from '../../domain/kinds.ts';
import { crypto } from '../../lib/crypto.ts';
import type { Database } from '../sqlite/database.ts';
import type { Names } from './names.ts';
import { type Name, type Stamp, type State, withStatement } from './state.ts';

/** What is said here without an entry of the history: above all under whom a user shows. */

/** The latest clock that was said here or received. */
export const lastClock = (db: Database): number =>
  db.value<number>(
    `SELECT max(coalesce((SELECT clock FROM history WHERE clock IS NOT NULL ORDER BY seq DESC LIMIT 1), 0),
       coalesce((SELECT CAST(value AS INTEGER) FROM settings WHERE name = 'clock'), 0))`,
  ) ?? 0;

/**
 * A stamp of this database that is later than all that is known here. Its clock holds as soon as a state that has it is taken over.
 * @param now the clock, in milliseconds since 1970
 */
export function stampNow(db: Database, names: Names, now = 0): Stamp {
  const clock = Math.max(now * 1000, lastClock(db) + 1);
  return [clock, crypto().randomInt(2 ** 48 - 1), names.makerOf(Number.MAX_SAFE_INTEGER)];
}

/** The state of a user who shows under another from now on, as `user merge` says it. @param former as of `saying` */
export const pointingTo = (target: Name, state: State, stamp: Stamp, former?: State): State =>
  withStatement(state, INTO, { [INTO]: target }, stamp, former);
