import type { Disclosure } from '../../domain/audit.ts';
import type { HistoryEntry } from '../../domain/history.ts';
import { nouns } from '../../domain/records.ts';
import type { IdRange } from '../../store/records/lists/rows.ts';
import type { Collection, StoredRecord } from './resource.ts';

/** What a response discloses, for the audit: from the store's figures and records, never from the text of a body. */

/** Records of a list; undefined for an empty one. */
export function disclosedRange(
  { noun }: Pick<Collection, 'noun'>,
  ids: IdRange | undefined,
): readonly Disclosure[] | undefined {
  return ids && [{ record: noun, ...ids }];
}

/** One record, with the owner of a log. */
export function disclosedRecord(
  { noun }: Pick<Collection, 'noun'>,
  { id, userId }: StoredRecord,
): readonly Disclosure[] {
  return [{ record: noun, first: id, last: id, count: 1, userId }];
}

/** The records that entries of the history are about: each kind apart. */
export function disclosedChanges(entries: readonly HistoryEntry[]): readonly Disclosure[] {
  return nouns.flatMap((record) => {
    const ids = entries.filter((entry) => entry.record === record).map(({ id }) => id);
    if (ids.length === 0) return [];
    // An import has more ids than a function takes arguments.
    const first = ids.reduce((one, other) => Math.min(one, other));
    const last = ids.reduce((one, other) => Math.max(one, other));
    return [{ record, first, last, count: ids.length }];
  });
}
