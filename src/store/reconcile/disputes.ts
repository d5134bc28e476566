import { INTO, kindOf } from '../../domain/kinds.ts';
import { Settings } from '../records/settings.ts';
import type { Database } from '../sqlite/database.ts';
import { storedJson } from '../sqlite/errors.ts';
import { isLeft } from './erasures.ts';
import type { Dispute } from './received.ts';

/** A dispute as the setting `disputes` keeps it: names of fields only, since the values are in the history. */
export interface NotedDispute extends Pick<Dispute, 'record' | 'id' | 'counts' | 'change' | 'isOfTwo'> {
  fields: string[];
  /** When it was noticed, in milliseconds since 1970. */
  noticed: number;
}

const MOST_NOTED = 20;
const KEPT_MS = 30 * 86_400_000;

/** Adds disputes to those that are kept; a new one replaces older ones of its record. @param now in milliseconds since 1970 */
export function noteDisputes(db: Database, disputes: readonly Dispute[], now: number): void {
  if (disputes.length === 0) return;
  const news = disputes.map(({ fields, at: _, ...said }): NotedDispute => {
    return { ...said, fields: fields.map(({ field }) => field), noticed: now };
  });
  const isNew = (known: NotedDispute) =>
    !news.some(({ record, id }) => record === known.record && id === known.id);
  const all = [...news, ...notedDisputes(db, now).filter(isNew)].slice(0, MOST_NOTED);
  db.write(() => new Settings(db).set('disputes', JSON.stringify(all)));
}

/** The disputes of the last 30 days that nobody has undone since, the latest first. @param now as of `noteDisputes` */
export function notedDisputes(db: Database, now: number): NotedDispute[] {
  // A merged user has no row: a dispute about the merge is kept while its history is left.
  const isThere = ({ record, id, fields }: NotedDispute) =>
    fields.includes(INTO)
      ? isLeft(db, record, id)
      : db.value(`SELECT 1 FROM ${kindOf(record).table} WHERE id = ?`, id) === 1;
  const isUndone = (change: number) => db.value('SELECT 1 FROM history WHERE undoes = ?', change) === 1;
  return storedJson<NotedDispute[]>(new Settings(db).get('disputes') ?? '[]').filter(
    (dispute) =>
      now - dispute.noticed < KEPT_MS &&
      isThere(dispute) &&
      !(dispute.change !== undefined && isUndone(dispute.change)),
  );
}
