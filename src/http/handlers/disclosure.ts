import type { Disclosure } from '../../domain/audit.ts';
import type { HistoryEntry } from '../../domain/history.ts';
import { kindNames } from '../../domain/kinds.ts';
import { type IdRange, idsOf } from '../../store/records/lists/rows.ts';
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
  return kindNames.flatMap((record) => {
    const own = entries.filter((entry) => entry.record === record);
    return own.length > 0 ? [{ record, ...idsOf(own) }] : [];
  });
}
