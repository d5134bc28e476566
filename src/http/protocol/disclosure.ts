import type { Disclosure } from '../../domain/audit.ts';
import type { KindName } from '../../domain/kinds.ts';
import type { ChangePart } from '../../store/history/history.ts';
import type { IdRange } from '../../store/records/lists/rows.ts';
import type { StoredRecord } from './collection.ts';

/** What a response discloses, for the audit: from the store's figures and records, never from the text of a body. */

/** Records of a list; undefined for an empty one. */
export function disclosedRange(kind: KindName, ids: IdRange | undefined): readonly Disclosure[] | undefined {
  return ids && [{ record: kind, ...ids }];
}

/** One record, with its owner. */
export function disclosedRecord(kind: KindName, { id, userId }: StoredRecord): readonly Disclosure[] {
  return [{ record: kind, first: id, last: id, count: 1, userId }];
}

/** The records that entries of the history are about: each kind apart. */
export const disclosedChanges = (entries: readonly { record: KindName; id: number }[]): Disclosure[] =>
  together(entries.map(({ record, id }) => ({ record, first: id, last: id, count: 1 })));

/** The records that parts of a change are about: each kind apart. */
export const disclosedParts = (parts: readonly ChangePart[]): Disclosure[] =>
  together(parts.map(({ record, first, last, count }) => ({ record, first, last, count })));

/** What is disclosed in several parts, by kind of record and owner. */
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
