import { INTO } from '../../domain/kinds.ts';
import { crypto } from '../../lib/crypto.ts';
import type { Database } from '../sqlite/database.ts';
import type { Names } from './names.ts';
import { type Name, type Stamp, type State, withStatement } from './state.ts';

/** Statements that are made here without an entry of the history: above all the pointer that `user merge` sets. */

/** The highest clock, as in `Stamp`, that was used here or received; 0 for none. */
export const lastClock = (db: Database): number =>
  db.value<number>(
    `SELECT max(coalesce((SELECT clock FROM history WHERE clock IS NOT NULL ORDER BY seq DESC LIMIT 1), 0),
       coalesce((SELECT CAST(value AS INTEGER) FROM settings WHERE name = 'clock'), 0))`,
  ) ?? 0;

/**
 * A new stamp of this database, above every clock that is known here. Nothing reserves it: a second call gives the same clock,
 * with another uid, until a state that carries it was taken over.
 * @param now the time, in milliseconds since 1970
 */
export function stampNow(db: Database, names: Names, now = 0): Stamp {
  const clock = Math.max(now * 1000, lastClock(db) + 1);
  return [clock, crypto().randomInt(2 ** 48 - 1), names.makerOf(Number.MAX_SAFE_INTEGER)];
}

/** The state of a user with a pointer to another user, as `user merge` sets it. @param former as of `withStatement` */
export const pointingTo = (target: Name, state: State, stamp: Stamp, former?: State): State =>
  withStatement(state, INTO, { [INTO]: target }, stamp, former);
