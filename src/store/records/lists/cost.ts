import type { Comparison } from '../../../domain/filter.ts';
import type { ListFilter } from '../../../domain/sort.ts';
import { isAmong, type Value } from '../../sqlite/condition.ts';
import type { Database } from '../../sqlite/database.ts';

/** Most rows that a read may scan on the main thread, where other requests wait for it: about 2 ms. */
const MOST_ROWS = 10_000;
/** The same for costlier rows: those of some users are scattered over pages, and a text search calls JavaScript. */
const MOST_COSTLY_ROWS = 1_000;

/** Most sessions or pain entries over which statistics are computed on the main thread: a few milliseconds. */
const MOST_ENTRIES = 100;

/** The table and the scope that a list reads. */
interface Listed {
  db: Database;
  table: string;
  /** Ids of the users whose records are visible; undefined for all users. */
  users: readonly number[] | undefined;
}

/**
 * Whether a list may scan so many rows that it would block other requests for too long. An estimate, itself of bounded cost.
 * @param isContinued whether the first part of an unpaged list was read already, and more follows
 */
export function isLong({ db, table, users }: Listed, asked: ListFilter, isContinued: boolean): boolean {
  const { where = [], userId } = asked;
  if (where.some((comparison) => isEqual(comparison, 'id'))) return false;
  const owner = where.find((comparison) => isEqual(comparison, 'userId'));
  const wanted = userId === undefined ? ((owner?.values as readonly number[]) ?? users) : [userId];
  const owners = users ? wanted?.filter((id) => users.includes(id)) : wanted;
  // The first part of one user's list is read from an index.
  const isOfOne = owners?.length === 1 && where.every((comparison) => comparison === owner);
  if (isOfOne && isWholeById(asked) && !isContinued) return false;
  if (isOfOne && isShortPage(asked)) return rowsUpTo(MOST_ROWS + 1, { db, table }, owners) > MOST_ROWS;
  const isSearch = asked.search !== undefined || where.some(({ operator }) => operator === 'like');
  const most = isSearch ? MOST_COSTLY_ROWS : MOST_ROWS;
  if ((db.value<number>(`SELECT max(id) FROM ${table}`) ?? 0) <= most) return false;
  if (!owners) return true;
  return rowsUpTo(MOST_COSTLY_ROWS + 1, { db, table }, owners) > MOST_COSTLY_ROWS;
}

/** Whether statistics over a user's logs and pain entries would block other requests for too long. */
export const hasManyEntries = (db: Database, user: number): boolean =>
  ['logs', 'painEntries'].some((table) => rowsUpTo(MOST_ENTRIES + 1, { db, table }, [user]) > MOST_ENTRIES);

/** The number of rows of some users, counted up to `most`. */
function rowsUpTo(
  most: number,
  { db, table }: Pick<Listed, 'db' | 'table'>,
  users: readonly number[],
): number {
  if (table === 'users') return users.length;
  const { sql, values } = isAmong('userId', users);
  const rows = `SELECT 1 FROM ${table} WHERE ${sql} LIMIT ${most}`;
  return db.value<number>(`SELECT count(*) FROM (${rows})`, ...(values as Value[])) ?? 0;
}

const isEqual = ({ field, operator }: Comparison, name: string) => field === name && operator === 'eq';

/** Whether a short page is asked for in an order that an index provides: of the other rows only the count is read. */
function isShortPage(asked: ListFilter): boolean {
  const { limit = Number.POSITIVE_INFINITY, offset = 0, sort = 'id' } = asked;
  const isPage = hasOnly(asked, ['userId', 'where', 'fields', 'sort', 'limit', 'offset', 'cursor']);
  return isPage && limit + offset <= MOST_COSTLY_ROWS && /^-?(id|date)$/.test(sort);
}

/** Whether a list in id order is asked for without parameters that leave out or move records. */
const isWholeById = (asked: ListFilter): boolean =>
  hasOnly(asked, ['userId', 'where', 'fields', 'sort']) && (asked.sort ?? 'id') === 'id';

const hasOnly = (asked: ListFilter, names: readonly string[]): boolean =>
  Object.keys(asked).every((name) => names.includes(name));
