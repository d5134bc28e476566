import type { Comparison, Matching } from '../../domain/lists/filter.ts';
import type { Paging } from '../../domain/lists/sort.ts';
import { isAmong, type Value } from '../sqlite/condition.ts';
import type { Database } from '../sqlite/database.ts';

/** Most rows that a read may visit while other requests wait for it: a scan of so many takes about 2 ms. */
const MOST_ROWS = 10_000;
/** The same for rows that cost more: those of some users lie scattered, and texts are searched by JavaScript. */
const MOST_COSTLY_ROWS = 1_000;

/** Most sessions of which statistics are made while others wait: a few milliseconds. */
const MOST_SESSIONS = 100;

/** What a list is read from. */
interface Listed {
  db: Database;
  table: 'users' | 'logs';
  /** The ids of the users whose records are visible; all without it. */
  users: readonly number[] | undefined;
}

type Asked = Matching & Paging & { userId?: number };

/**
 * Whether a list may visit so many rows that others should not wait for it. An estimate, itself of bounded cost: what it
 * calls short is short, or a whole list of one user's logs in id order, whose first part is read from an index.
 */
export function isLong({ db, table, users }: Listed, asked: Asked): boolean {
  const { where = [], userId } = asked;
  if (where.some((comparison) => isEqual(comparison, 'id'))) return false;
  const owner = where.find((comparison) => isEqual(comparison, 'userId'));
  const owners = userId === undefined ? ((owner?.values as readonly number[]) ?? users) : [userId];
  const isSearch = asked.search !== undefined || where.some(({ operator }) => operator === 'like');
  const most = isSearch ? MOST_COSTLY_ROWS : MOST_ROWS;
  if (!owners) return (db.value<number>(`SELECT max(id) FROM ${table}`) ?? 0) > most;
  if (table === 'users') return owners.length > most;
  if (owners.length === 1 && isWholeById(asked) && where.every((comparison) => comparison === owner))
    return false;
  return rowsUpTo(MOST_COSTLY_ROWS + 1, db, owners) > MOST_COSTLY_ROWS;
}

/** Whether a user has so many logs that others should not wait for statistics of them. */
export const hasManyLogs = (db: Database, user: number): boolean =>
  rowsUpTo(MOST_SESSIONS + 1, db, [user]) > MOST_SESSIONS;

/** How many logs some users have, counted up to `most`. */
function rowsUpTo(most: number, db: Database, users: readonly number[]): number {
  const { sql, values } = isAmong('userId', users);
  const rows = `SELECT 1 FROM logs WHERE ${sql} LIMIT ${most}`;
  return db.value<number>(`SELECT count(*) FROM (${rows})`, ...(values as Value[])) ?? 0;
}

const isEqual = ({ field, operator }: Comparison, name: string) => field === name && operator === 'eq';

const isWholeById = ({ sort = 'id', limit, offset, cursor, search }: Asked) =>
  sort === 'id' && (limit ?? offset ?? cursor ?? search) === undefined;
