import type { Disclosure } from '../../domain/audit.ts';
import type { HistoryEntry } from '../../domain/history.ts';
import { type KindName, kindNames } from '../../domain/kinds.ts';
import type { ChangePart } from '../../store/history/history.ts';
import { type IdRange, idsOf } from '../../store/records/lists/rows.ts';
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
export function disclosedChanges(entries: readonly HistoryEntry[]): readonly Disclosure[] {
  return kindNames.flatMap((kind) => {
    const own = entries.filter((entry) => entry.record === kind);
    return own.length > 0 ? [{ record: kind, ...idsOf(own) }] : [];
  });
}

/** The records that parts of a change are about: each kind apart. */
export function disclosedParts(parts: readonly ChangePart[]): readonly Disclosure[] {
  return kindNames.flatMap((record) => {
    const own = parts.filter((part) => part.record === record);
    if (own.length === 0) return [];
    const first = Math.min(...own.map((part) => part.first));
    const last = Math.max(...own.map((part) => part.last));
    return [{ record, first, last, count: own.reduce((sum, { count }) => sum + count, 0) }];
  });
}
