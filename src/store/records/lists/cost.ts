import type { Comparison } from '../../../domain/filter.ts';
import type { ListFilter } from '../../../domain/sort.ts';
import { isAmong, type Value } from '../../sqlite/condition.ts';
import type { Database } from '../../sqlite/database.ts';

/** Most rows that a read may visit while other requests wait for it: a scan of so many takes about 2 ms. */
const MOST_ROWS = 10_000;
/** The same for rows that cost more: those of some users lie scattered, and texts are searched by JavaScript. */
const MOST_COSTLY_ROWS = 1_000;

/** Most sessions or pain entries of which statistics are made while others wait: a few milliseconds. */
const MOST_ENTRIES = 100;

/** What a list is read from. */
interface Listed {
  db: Database;
  table: string;
  /** The ids of the users whose records are visible; all without it. */
  users: readonly number[] | undefined;
}

/**
 * Whether a list may visit so many rows that others should not wait for it. An estimate, itself of bounded cost.
 * @param isContinued whether the first part of a whole list was read already, and more follows
 */
export function isLong({ db, table, users }: Listed, asked: ListFilter, isContinued: boolean): boolean {
  const { where = [], userId } = asked;
  if (where.some((comparison) => isEqual(comparison, 'id'))) return false;
  const owner = where.find((comparison) => isEqual(comparison, 'userId'));
  const wanted = userId === undefined ? ((owner?.values as readonly number[]) ?? users) : [userId];
  const owners = users ? wanted?.filter((id) => users.includes(id)) : wanted;
  // The first part of one user's logs is read from an index.
  const isOfOne = owners?.length === 1 && where.every((comparison) => comparison === owner);
  if (isOfOne && isWholeById(asked) && !isContinued) return false;
  if (isOfOne && isShortPage(asked)) return rowsUpTo(MOST_ROWS + 1, { db, table }, owners) > MOST_ROWS;
  const isSearch = asked.search !== undefined || where.some(({ operator }) => operator === 'like');
  const most = isSearch ? MOST_COSTLY_ROWS : MOST_ROWS;
  if ((db.value<number>(`SELECT max(id) FROM ${table}`) ?? 0) <= most) return false;
  if (!owners) return true;
  return rowsUpTo(MOST_COSTLY_ROWS + 1, { db, table }, owners) > MOST_COSTLY_ROWS;
}

/** Whether a user has so many logs or pain entries that others should not wait for statistics of them. */
export const hasManyEntries = (db: Database, user: number): boolean =>
  ['logs', 'painEntries'].some((table) => rowsUpTo(MOST_ENTRIES + 1, { db, table }, [user]) > MOST_ENTRIES);

/** How many rows some users have, counted up to `most`. */
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

/** Whether a page of few records of a user is asked for, in an order that an index has: of the others it takes the count only. */
function isShortPage(asked: ListFilter): boolean {
  const { limit = Number.POSITIVE_INFINITY, offset = 0, sort = 'id' } = asked;
  const isPage = hasOnly(asked, ['userId', 'where', 'fields', 'sort', 'limit', 'offset', 'cursor']);
  return isPage && limit + offset <= MOST_COSTLY_ROWS && /^-?(id|date)$/.test(sort);
}

/** Whether nothing but a user and fields is asked for: any other parameter may leave records out, or move them. */
const isWholeById = (asked: ListFilter): boolean =>
  hasOnly(asked, ['userId', 'where', 'fields', 'sort']) && (asked.sort ?? 'id') === 'id';

const hasOnly = (asked: ListFilter, names: readonly string[]): boolean =>
  Object.keys(asked).every((name) => names.includes(name));
