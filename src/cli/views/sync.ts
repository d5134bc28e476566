import type { Context } from '../../context.ts';
import { fromCells } from '../../domain/codec.ts';
import { type KindName, kindNames, kindOf, nounOf } from '../../domain/kinds.ts';
import { localMinute } from '../../domain/words/day.ts';
import { commandToFinish } from '../../store/maintenance/erasing.ts';
import type { NotedDispute } from '../../store/reconcile/disputes.ts';
import type { Dispute, RecordKey } from '../../store/reconcile/received.ts';
import { type ByKind, isSettled, type SyncResult, total } from '../../sync/result.ts';
import { capital } from '../terminal/help.ts';
import { commandLine, counted, escapeControls } from '../terminal/io.ts';
import { countedKind } from './holding.ts';
import { valueIn } from './records.ts';

/** Renders the result of a sync as lines of text. */

/** What an erasure counts, singular and plural: records of other users that once belonged to an erased one go with it. */
export const EITHER = ['user or record', 'users or records'] as const;
/** Maximum number of records listed. */
const MOST_SHOWN = 20;
const DAY_MS = 86_400_000;

/** What a sync has received, sent and erased. @param isDry whether it was a dry run */
export function resultLines(name: string, result: SyncResult, isDry = false): string[] {
  const { pulled, pushed, erased, setBack, waiting } = result;
  const who = escapeControls(name);
  const lines = [
    setBack === 'here' &&
      !isDry &&
      'This database was set back to an earlier state, or is a copy. What it had lost came back; what it makes from now on has names of its own.',
    setBack === 'there' &&
      !isDry &&
      `${who} was set back to an earlier state, or is a copy: everything was exchanged anew.`,
    total(pulled) > 0 && `${isDry ? 'To be taken over' : 'Taken over'}: ${described(pulled)}.`,
    total(pushed) > 0 &&
      waiting !== undefined &&
      `${isDry ? 'To be put' : 'Put'} into the folder: ${lookedAt(pushed)}.`,
    total(pushed) > 0 &&
      !waiting &&
      (isDry ? `To be looked at there: ${lookedAt(pushed)}.` : `Sent: ${described(pushed)}.`),
    ...erasedHereLines(erased),
  ].filter((line) => line !== false);
  if (lines.length > 0) return lines;
  const isSame = isSettled(result) && !waiting?.length && result.beside.length === 0;
  return [isSame ? `Nothing to do: ${who} holds the same.` : `Nothing else differs from ${who}.`];
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

const lookedAt = (counts: ByKind): string =>
  kindNames
    .flatMap((noun) => (counts[noun].changed > 0 ? [countedKind(counts[noun].changed, noun)] : []))
    .join(', ');

/** What is left for the user to decide, and other notices. */
export function leftLines(context: Context, name: string, result: SyncResult): string[] {
  const {
    disputes,
    held,
    waitingThere,
    refused,
    stillThere,
    unsent,
    isReadOnly,
    erasedThere,
    sameEmails,
    ahead,
  } = result;
  const who = escapeControls(name);
  return [
    ...disputeLines(context, disputes),
    ...heldLines(context, held),
    waitingThere.held > 0 &&
      `${who} holds ${counted(waitingThere.held, 'deletion')} back until somebody there agrees (sciatica remotes).`,
    waitingThere.erased > 0 &&
      `${who} still has ${counted(waitingThere.erased, ...EITHER)} erased elsewhere, for good: sciatica remotes, run there, says how to erase there too.`,
    refused > 0 &&
      `${counted(refused, 'record')} not taken: the token is for other users' records, or may not do this.`,
    ...stillThereLines(name, stillThere),
    ...unsent.map((one) => unsentLine(context, name, one, `, who was merged into user ${one.id} here`)),
    isReadOnly && 'The token is read-only: nothing was sent.',
    ...eachOf(erasedThere, (it) => `${it} was erased over there, for good. --accept-erase erases here too.`),
    ...sameEmails.map(
      ({ id, other }) =>
        `Users ${id} and ${other} have the same e-mail address. If they are one person: ${commandLine(context, `user merge ${other} --into ${id}`)}`,
    ),
    ...besideLines(context, name, result.beside),
    ...(result.waiting ?? []).map(({ database, why }) => `Machine ${database.slice(0, 8)}: ${why}.`),
    ahead > 0 &&
      `What came from there was recorded by a clock that is ${aheadBy(ahead)} ahead of this one: set both right.`,
  ].filter((line) => line !== false);
}

/** Users deleted here that a service still has. @param ids their ids here */
export const stillThereLines = (name: string, ids: readonly number[]): string[] =>
  ids.map(
    (id) =>
      `${escapeControls(name)} still has user ${id}, who was deleted here: a patient's token deletes no user there.`,
  );

/** A user whose records are not sent to a service. @param why appended to the user of the token, as a relative clause */
export const unsentLine = (
  context: Context,
  name: string,
  { view, id }: SyncResult['unsent'][number],
  why = '',
): string =>
  `What is recorded for user ${id} does not go to ${escapeControls(name)}: the token is for user ${view}${why}. The other way round it does: ${commandLine(context, `user merge ${id} --into ${view}`)}`;

/** Names the users added since the users of a folder were chosen: their records are not written to it. */
export function besideLines(context: Context, name: string, ids: readonly number[]): string[] {
  if (ids.length === 0) return [];
  const [who, was, is] =
    ids.length === 1 ? [`User ${ids}`, 'was', 'is'] : [`Users ${ids.join(', ')}`, 'were', 'are'];
  const way = commandLine(context, `remote add ${name} --user ${ids}`);
  return [
    `${who} ${was} added since ${name} was named, and ${is} not in it. To have those records there too: ${way}`,
  ];
}

const aheadBy = (milliseconds: number): string =>
  milliseconds < 2 * DAY_MS
    ? counted(Math.round(milliseconds / 60_000), 'minute')
    : counted(Math.round(milliseconds / DAY_MS), 'day');

/** The disputes of a sync: what both sides changed concurrently. */
export function disputeLines(context: Context, disputes: readonly Dispute[]): string[] {
  const more = disputes.length - MOST_SHOWN;
  return [
    ...disputes.slice(0, MOST_SHOWN).map((dispute) => disputeLine(context, dispute)),
    ...(more > 0 ? [`and ${counted(more, 'more record')} that both sides changed`] : []),
  ];
}

/** The disputes of the last 30 days that were not undone. */
export function notedLines(context: Context, disputes: readonly NotedDispute[]): string[] {
  if (disputes.length === 0) return [];
  return [
    'Changed on two machines in the last 30 days:',
    ...disputes.map(({ record, id, fields, counts, change, isOfTwo }) => {
      const what = isOfTwo ? 'each side had one' : fields.join(', ');
      return `${nounOf(record)} ${id}: ${what}; the value ${counts} counts.${wayOut(context, change)}`;
    }),
  ];
}

/** Records here that were erased elsewhere, with the command that erases them here too. */
export const erasedLines = (context: Context, erased: readonly RecordKey[]): string[] =>
  eachOf(erased, (it, { record, id }) => {
    const way = commandLine(context, commandToFinish(record === 'user' ? [id] : []));
    return `${it} was erased elsewhere, for good. To erase here too: ${way}`;
  });

export const erasedHereLines = (erased: readonly RecordKey[]): string[] =>
  eachOf(erased, (it) => `${it} was erased here, as over there.`);

/** A line for each of the first records. @param lineOf receives the name of the record to begin a sentence: `Log 5` */
function eachOf(records: readonly RecordKey[], lineOf: (it: string, key: RecordKey) => string): string[] {
  const more = records.length - MOST_SHOWN;
  return [
    ...records.slice(0, MOST_SHOWN).map((key) => lineOf(`${capital(nounOf(key.record))} ${key.id}`, key)),
    ...(more > 0 ? [`and so ${counted(more, 'more record')}`] : []),
  ];
}

/** The deletions that are held back, with the commands that accept and reject them. */
export function heldLines(context: Context, held: readonly RecordKey[]): string[] {
  if (held.length === 0) return [];
  const shownIds = held.slice(0, MOST_SHOWN).map(({ record, id }) => `${nounOf(record)} ${id}`);
  const names = held.length > MOST_SHOWN ? `${shownIds.join(', ')} …` : shownIds.join(', ');
  return [
    `Held back: ${counted(held.length, 'deletion')} from elsewhere (${names}).`,
    `To delete them here too: ${commandLine(context, 'remotes --accept-deletions')}. To keep them, here and elsewhere: ${commandLine(context, 'remotes --restore-deletions')}.`,
  ];
}

/** `log 5: changed on two machines: painAfter 3 here, 4 there. Here …, there …: the value there counts, because …` */
function disputeLine(context: Context, { record, id, fields, counts, at, change, isOfTwo }: Dispute): string {
  const differing = fields.map(
    ({ field, here, there }) =>
      `${field} ${cellText(record, field, here)} here, ${cellText(record, field, there)} there`,
  );
  const [first, second] = [localMinute(new Date(at.here)), localMinute(new Date(at.there))];
  const which = counts === 'here' ? 'the value here counts' : 'the value there counts';
  if (isOfTwo)
    return `${nounOf(record)} ${id}: each side has one, and there can be only one: ${differing.join('; ')}. Here ${first}, there ${second}: ${which}.`;
  const line = `${nounOf(record)} ${id}: changed on two machines: ${differing.join('; ')}. Here ${first}, there ${second}: ${which}, because it is later.`;
  return line + wayOut(context, change);
}

const wayOut = (context: Context, change: number | undefined): string =>
  change === undefined ? '' : ` To choose the other: ${commandLine(context, `undo ${change}`)}`;

function cellText(record: KindName, name: string, cell: string | number | null): string {
  const { [name]: value = cell } = fromCells(kindOf(record).fields, (field) =>
    field === name ? cell : null,
  );
  return valueIn(record, name, value);
}

/** A result as `--json` prints it: without the history seq, which is internal. */
export const asJson = ({ seq: _, ...result }: SyncResult): object => result;
