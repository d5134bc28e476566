import type { Disclosure } from '../../domain/audit.ts';
import type { KindName } from '../../domain/kinds.ts';
import type { ChangePart } from '../../store/history/history.ts';
import type { IdRange } from '../../store/records/lists/rows.ts';
import type { StoredRecord } from './collection.ts';

/** Which records a response discloses, for the audit: taken from what the store returned, never parsed from a body. */

/** The disclosure of a list with these ids; undefined for an empty list. */
export function disclosedRange(kind: KindName, ids: IdRange | undefined): readonly Disclosure[] | undefined {
  return ids && [{ record: kind, ...ids }];
}

/** The disclosure of one record, with its owner. */
export function disclosedRecord(kind: KindName, { id, userId }: StoredRecord): readonly Disclosure[] {
  return [{ record: kind, first: id, last: id, count: 1, userId }];
}

/** The records that history entries are about, one disclosure for each kind. */
export const disclosedChanges = (entries: readonly { record: KindName; id: number }[]): Disclosure[] =>
  together(entries.map(({ record, id }) => ({ record, first: id, last: id, count: 1 })));

/** The records that parts of a change are about, one disclosure for each kind. */
export const disclosedParts = (parts: readonly ChangePart[]): Disclosure[] =>
  together(parts.map(({ record, first, last, count }) => ({ record, first, last, count })));

/** Merges the disclosures of the same kind of record and owner: one range of ids, and the sum of the counts. */
export function together(parts: readonly Disclosure[]): Disclosure[] {
  const all = new Map<string, Disclosure>();
  for (const one of parts) {
    const key = `${one.record} ${one.userId}`;
    const other = all.get(key);
    all.set(key, {
      ...one,
      first: Math.min(one.first, other?.first ?? one.first),
      last: Math.max(one.last, other?.last ?? one.last),
      count: one.count + (other?.count ?? 0),
    });
  }
  return [...all.values()];
}
