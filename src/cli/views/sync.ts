import { shown, toText } from '../../domain/codec.ts';
import type { Fields } from '../../domain/fields.ts';
import { type KindName, kindNames, kinds, nounOf } from '../../domain/kinds.ts';
import {
  type ByKind,
  type Conflict,
  type ConflictKind,
  isSettled,
  MOST_LISTED,
  type SyncResult,
  total,
} from '../../sync/result.ts';
import { counted, escapeControls } from '../terminal/io.ts';
import { clip } from '../terminal/width.ts';
import { countedKind } from './holding.ts';

/** What a sync did and left, as lines for a person. */

/** Most conflicts, and most refused records, that a person is shown. */
const MOST_SHOWN = 20;
/** Most terminal columns of a value. */
const VALUE_WIDTH = 40;

/** @param isDry whether it was found out only */
export function resultLines(name: string, result: SyncResult, isDry = false): string[] {
  const { pulled, pushed, erased, readAnew } = result;
  const lines = [
    total(pulled) > 0 && `${isDry ? 'To be taken over' : 'Taken over'}: ${described(pulled)}.`,
    total(pushed) > 0 && `${isDry ? 'To be sent' : 'Sent'}: ${described(pushed)}.`,
    ...erased.map((id) => `User ${id} was erased here, as over there.`),
    readAnew &&
      'All was read anew, for the history over there has a gap, somebody was erased here, or the token covers other users.',
  ].filter((line) => line !== false);
  if (lines.length > 0) return lines;
  const who = escapeControls(name);
  return [isSettled(result) ? `Nothing to do: ${who} holds the same.` : `Nothing else differs from ${who}.`];
}

/** `2 logs new, 1 changed; 1 goal changed` */
function described(counts: ByKind): string {
  return kindNames
    .flatMap((noun) => {
      const { created, changed, deleted } = counts[noun];
      const parts = [
        [created, 'new'],
        [changed, 'changed'],
        [deleted, 'deleted'],
      ].filter(([count]) => Number(count) > 0);
      const [first, ...others] = parts.map(([count, word], i) =>
        i === 0 ? `${countedKind(Number(count), noun)} ${word}` : `${count} ${word}`,
      );
      return first === undefined ? [] : [[first, ...others].join(', ')];
    })
    .join('; ');
}

const REASONS: Readonly<Record<ConflictKind, string>> = {
  changed: 'changed on both sides',
  'deleted there': 'changed here and deleted there',
  'deleted here': 'deleted here and changed there',
  'missing there': 'not there any more, though nobody is known to have deleted it',
  'user deleted here': 'recorded there, of a user who was deleted here',
  'records left here': 'deleted there, with records here that are not there',
  'name taken': 'there is another one like it here: give one of them another name',
};

/** What waits for a person, and what is worth knowing. */
export function leftLines(result: SyncResult): string[] {
  const { conflicts, conflictCount, refused, refusedCount, erasedThere, erasedHere } = result;
  const more = (count: number) =>
    count > MOST_SHOWN ? [`and ${counted(count - MOST_SHOWN, 'more record')}`] : [];
  return [
    ...conflicts.slice(0, MOST_SHOWN).map(conflictLine),
    ...more(conflictCount),
    ...refused
      .slice(0, MOST_SHOWN)
      .map(
        ({ record, id, reason }) =>
          `${nounOf(record)} ${id}: not taken by the service: ${escapeControls(reason)}`,
      ),
    ...more(refusedCount),
    ...erasedThere.map((id) => `User ${id} was erased over there, for good.`),
    ...erasedHere.map(
      (id) =>
        `User ${id} of the service was erased here and does not come back; over there only an admin erases: sciatica user erase ${id}`,
    ),
  ];
}

/** `log 5 (12 there): changed on both sides: painAfter 3 here, 4 there` */
function conflictLine({ kind, record, id, theirId, fields }: Conflict): string {
  const name =
    id === null ? `${nounOf(record)} ${theirId} there` : `${nounOf(record)} ${id} (${theirId} there)`;
  const differing = fields.map(
    ({ field, here, there }) =>
      `${field} ${valueText(record, field, here)} here, ${valueText(record, field, there)} there`,
  );
  return [`${name}: ${REASONS[kind]}`, differing.join('; ')].filter(Boolean).join(': ');
}

function valueText(record: KindName, name: string, value: unknown): string {
  const field = (kinds[record].fields as Fields)[name];
  const text = escapeControls(field ? shown(field, value) : toText(value));
  return clip(text || '(empty)', VALUE_WIDTH);
}

/** A result as `--json` prints it. */
export const asJson = ({ seq: _, ...result }: SyncResult): object => ({
  ...result,
  change: result.change ?? null,
  mostListed: MOST_LISTED,
});
