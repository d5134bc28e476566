import type { AuditEntry, AuditFilter, Deed } from '../domain/audit.ts';
import type { Database } from './database.ts';
import { type Condition, joined } from './table.ts';

/** Whose a log is, or was: it may be gone by the time that this is asked. */
const OWNER = `coalesce((SELECT userId FROM logs WHERE id = ?),
  (SELECT userId FROM history WHERE record = 'log' AND recordId = ? ORDER BY seq DESC LIMIT 1))`;

/** Who did what over the network. It only grows. */
export class Audit {
  constructor(private readonly db: Database) {}

  /** Adds what was done, in one transaction. */
  add(deeds: readonly Deed[]): void {
    this.db.write(() => {
      for (const deed of deeds) {
        const { at, token, method, route, record, first, last, count, status, address } = deed;
        this.db.run(
          `INSERT INTO audit (at, token, method, route, record, userId, first, last, count, status, address)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
          ...[at, token, method, route, record, this.#userOf(deed), first, last, count, status, address],
        );
      }
    });
  }

  /** The entries that match, the latest first. */
  list({ user, since, limit }: AuditFilter): AuditEntry[] {
    const where: Condition[] = [];
    // A list of many users' records may have held this one's.
    if (user !== undefined)
      where.push({
        sql: `(userId = ? OR userId IS NULL AND count > 0 AND (record = 'log' OR ? BETWEEN first AND last))`,
        values: [user, user],
      });
    if (since !== undefined) where.push({ sql: 'at >= ?', values: [since] });
    const { sql, values } = joined(where);
    return this.db
      .all<Omit<AuditEntry, 'at'> & { at: number }>(
        `SELECT audit.id, at, tokens.name AS who, token, method, route, record, userId, first, last, count, status, address
         FROM (SELECT * FROM audit${sql} ORDER BY id DESC LIMIT ${limit}) AS audit
         LEFT JOIN tokens ON tokens.id = token ORDER BY audit.id DESC`,
        ...values,
      )
      .map((row) => ({ ...row, at: new Date(row.at).toISOString() }));
  }

  #userOf({ userId, record, first, last }: Deed): number | null {
    if (userId !== null || record !== 'log' || first === null || first !== last) return userId;
    return this.db.value<number>(`SELECT ${OWNER}`, first, first) ?? null;
  }
}
