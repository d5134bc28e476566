import type { AuditEntry, AuditFilter, AuditRecord } from '../../domain/audit.ts';
import { SciaticaError } from '../../domain/errors.ts';
import { kindOf, type OwnedKindName } from '../../domain/kinds.ts';
import { type Condition, joined } from '../sqlite/condition.ts';
import type { Database } from '../sqlite/database.ts';

/** SQL: the owner of a record, looked up in the history if the record was deleted. */
const ownerOf = (
  kind: OwnedKindName,
) => `SELECT coalesce((SELECT userId FROM ${kindOf(kind).table} WHERE id = ?),
  (SELECT userId FROM history WHERE record = '${kind}' AND recordId = ? ORDER BY seq DESC LIMIT 1))`;

/** The fields of an entry, in the order of the JSON array that stores it. */
const COLUMNS = [
  'at',
  'token',
  'method',
  'route',
  'record',
  'userId',
  'first',
  'last',
  'count',
  'status',
  'address',
] as const satisfies (keyof AuditRecord)[];

const ENTRIES = `SELECT audit.id, key, ${COLUMNS.map((column, i) => `value ->> ${i} AS "${column}"`)}
  FROM audit, json_each(entries)`;

/** The trigger that keeps entries from being removed. */
const REMOVAL_GUARD = 'audit_is_not_removed';

/** Stands in `method` of an entry that records a pruning. */
const PRUNE = 'PRUNE';

/** SQL condition: the rows before the first one at or after a time, except those that record a pruning. */
const OLDEST = `audit.id < coalesce((SELECT min(id) FROM audit WHERE at >= ?), 9e18)
  AND entries ->> '$[0][2]' <> '${PRUNE}'`;

/** The append-only audit log of network requests. */
export class Audit {
  constructor(private readonly db: Database) {}

  /** Appends records as one row: a row for each read would cost as much as the read. */
  add(records: readonly AuditRecord[]): void {
    this.db.write(() => {
      const owners = new Map<string, number | null>();
      const entries = records.map((entry) =>
        COLUMNS.map((column) => (column === 'userId' ? this.#userOf(entry, owners) : entry[column])),
      );
      const at = records.at(-1)?.at ?? 0;
      this.db.run('INSERT INTO audit (at, entries) VALUES (?, ?)', at, JSON.stringify(entries));
    });
  }

  /** The entries that match, the latest first. */
  list({ user, since, limit }: AuditFilter): AuditEntry[] {
    const where: Condition[] = [];
    // Entries of lists over several users have no userId, and may have included this user.
    if (user !== undefined)
      where.push({
        sql: `(userId = ? OR userId IS NULL AND count > 0 AND (record <> 'user' OR ? BETWEEN first AND last))`,
        values: [user, user],
      });
    if (since !== undefined) where.push({ sql: 'at >= ?', values: [since] });
    const { sql, values } = joined(where);
    return this.db
      .all<Omit<AuditEntry, 'at'> & { at: number }>(
        `SELECT at, token, tokens.name AS who, ${COLUMNS.slice(2).map((column) => `"${column}"`)}
         FROM (SELECT * FROM (${ENTRIES})${sql} ORDER BY id DESC, key DESC LIMIT ${limit}) AS entry
         LEFT JOIN tokens ON tokens.id = token ORDER BY entry.id DESC, key DESC`,
        ...values,
      )
      .map((row) => ({ ...row, at: new Date(row.at).toISOString() }));
  }

  /**
   * Removes whole rows from the start of the log, as long as all their entries are older than a time, and
   * adds an entry with their number and period. Such entries are never removed.
   * @param before milliseconds since 1970
   * @param now milliseconds since 1970
   * @returns the number and period of the removed entries; undefined when there was nothing to remove
   */
  prune(before: number, now: number): { count: number; first: number; last: number } | undefined {
    return this.db.write(() => {
      const [count, first, last] = this.db.row<[number, number | null, number | null]>(
        `SELECT count(*), min(value ->> 0), max(value ->> 0) FROM audit, json_each(entries) WHERE ${OLDEST}`,
        before,
      );
      if (count === 0 || first === null || last === null) return undefined;
      const guard = this.db.value<string>(`SELECT sql FROM sqlite_schema WHERE name = '${REMOVAL_GUARD}'`);
      if (guard === undefined) throw new SciaticaError('damaged', 'The audit has lost its protection.');
      // Inside the transaction, so that no other connection sees the table without its guard.
      this.db.exec(`DROP TRIGGER ${REMOVAL_GUARD}`);
      this.db.run(`DELETE FROM audit WHERE ${OLDEST}`, before);
      this.db.exec(guard);
      const route = [first, last].map((at) => new Date(at).toISOString()).join('/');
      const none = { token: null, userId: null, first: null, last: null, address: '' };
      this.add([{ at: now, method: PRUNE, route, record: 'audit', count, status: 200, ...none }]);
      return { count, first, last };
    });
  }

  /** @param owners cache by kind and id, because the same record is often read many times in a row */
  #userOf({ userId, record, first, last }: AuditRecord, owners: Map<string, number | null>): number | null {
    if (userId !== null || record === 'user' || record === 'audit') return userId;
    if (first === null || first !== last) return null;
    const name = `${record} ${first}`;
    const known = owners.get(name);
    if (known !== undefined) return known;
    const owner = this.db.value<number>(ownerOf(record), first, first) ?? null;
    owners.set(name, owner);
    return owner;
  }
}
