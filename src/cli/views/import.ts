import { shown } from '../../domain/codec.ts';
import type { SciaticaError } from '../../domain/errors.ts';
import { type Fields, grouped } from '../../domain/fields.ts';
import { changedFields } from '../../domain/history.ts';
import { type AnyRecord, type KindName, kinds, nounOf } from '../../domain/kinds.ts';
import { OWNERSHIP_REMEDY } from '../../domain/ownership.ts';
import type { Conflict } from '../../store/maintenance/import/conflicts.ts';
import type { ImportResult } from '../../store/maintenance/import/import.ts';
import type { GoneRecord } from '../../store/maintenance/import/merge.ts';
import type { Moved, Named, Recipient } from '../../store/maintenance/import/owners.ts';
import type { Counts } from '../../store/maintenance/import/staging.ts';
import { counted, escapeControls } from '../terminal/io.ts';
import { countedKind } from './holding.ts';

const WORDS: Record<keyof Counts, string> = {
  new: 'new',
  equal: 'already there',
  updated: 'changed there',
  kept: 'changed here',
  repeated: 'repeated in the file',
  conflicting: 'in conflict',
  skipped: 'skipped',
  overwritten: 'overwritten',
  renumbered: 'new under another id',
  missing: 'deleted there',
  deleted: 'deleted here too',
};

/** Those that are not in the file. */
const ABSENT: readonly (keyof Counts)[] = ['missing', 'deleted'];

export const totalOf = (counts: Counts): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

/** `400 logs: 398 new, 2 already there` */
export function describeCounts(counts: Counts, kind: KindName): string {
  const names = (Object.keys(WORDS) as (keyof Counts)[]).filter((name) => counts[name] > 0);
  const described = (chosen: (keyof Counts)[]) =>
    chosen.map((name) => `${grouped(counts[name])} ${WORDS[name]}`).join(', ');
  const absent = names.filter((name) => ABSENT.includes(name));
  const present = described(names.filter((name) => !ABSENT.includes(name)));
  const inFile = absent.reduce((sum, name) => sum - counts[name], totalOf(counts));
  return [
    `${countedKind(inFile, kind)}${present ? `: ${present}` : ''}`,
    ...(absent.length > 0 ? [described(absent)] : []),
  ].join('; ');
}

/** `log 3, log 7 and 5 more` */
export function describeGone(gone: readonly GoneRecord[], count: number, limit: number): string {
  const names = gone.slice(0, limit).map(({ record, id }) => `${nounOf(record)} ${id}`);
  const more = count - names.length;
  return more > 0 ? `${names.join(', ')} and ${grouped(more)} more` : names.join(', ');
}

/** `New: Nora Lind (user 7)` */
export function describeRecipients(recipients: readonly Recipient[]): string {
  return `${recipients[0]?.isNew ? 'New' : 'For'}: ${namesOf(recipients)}`;
}

/** `Nora Lind (user 7), Ben Roth (user 8)` */
export const namesOf = (users: readonly Named[]): string =>
  users.map(({ id, firstName, lastName }) => `${firstName} ${lastName} (user ${id})`).join(', ');

/** `Moved: log 5 from Nora Lind to Ben Roth` */
export const describeMoved = (moved: readonly Moved[]): string[] =>
  moved.map(({ record, id, from, to }) => `Moved: ${record} ${id} from ${from} to ${to}`);

export const OLDER_FILE = 'The file is older than one from there that was imported before.';

/** Why the records of a file are in conflict with what is stored, and what helps. */
export function describeRefusal(
  error: SciaticaError,
  {
    count,
    result,
    file,
    onConflict,
    isOwn,
  }: {
    count: number;
    result: ImportResult | undefined;
    file: string;
    onConflict: string | undefined;
    /** Whether the file says that it is from this database. */
    isOwn: boolean;
  },
): string {
  if (!result) return `${error.message} Nothing was imported.`;
  const { conflicts, erased, isOlder, ownership, replaced } = result;
  if (ownership) return `${file}: nothing was imported. ${OWNERSHIP_REMEDY[ownership]}`;
  const whose = replaced.length > 0 ? ` of ${escapeControls(namesOf(replaced))}` : '';
  if (conflicts.length > 0) {
    const older = isOlder ? ` ${OLDER_FILE}` : '';
    const records = `${counted(count, 'record')}${whose} ${count === 1 ? 'is' : 'are'} in conflict: nothing was imported.${older}`;
    if (onConflict === undefined || onConflict === 'renumber')
      return `${records} See --on-conflict theirs, ours and newest.`;
    return onConflict === 'newest'
      ? `${records} The file does not say when they were changed there. See --on-conflict theirs and ours.`
      : `${records} See --on-conflict ours.`;
  }
  if (erased > 0 && erased === count)
    return `${counted(erased, 'user')} of the file ${erased === 1 ? 'was' : 'were'} erased here: nothing was imported. To bring them back: --on-conflict theirs. To leave them out: --on-conflict ours.`;
  if (count === 0)
    return `${file}: ${error.message} Nothing was imported.${isOlder ? ' See --on-conflict.' : ''}`;
  if (error.issues.some(({ field }) => field !== 'id'))
    return `${counted(count, 'record')} cannot be beside what is stored: nothing was imported. See --on-conflict skip and overwrite.`;
  const ids = count === 1 ? 'The id of one record is' : `The ids of ${counted(count, 'record')} are`;
  const own = isOwn
    ? ' The file is from this database itself, or from a copy of it, which needs an identity of its own: sciatica identity new.'
    : '';
  return `${ids} taken by different ones${whose}: nothing was imported.${own} See --on-conflict skip, overwrite and renumber.`;
}

/**
 * A conflict: a line on the record, and one for each field that differs.
 * @param isOlder whether the file is older than one that was imported before
 */
export function describeConflict(conflict: Conflict, isOlder: boolean): string[] {
  const { record, id, theirId, agreed, here, there } = conflict;
  const name = `${record}${id === null ? '' : ` ${id}`}${theirId === null ? '' : ` (${theirId} there)`}`;
  return [`${name}: ${kindOf(conflict, isOlder)}`, ...fieldsOf(conflict).map(describeField)];

  function describeField(field: string): string {
    const textIn = (state: AnyRecord | null) => valueIn(state, kinds[record].fields, field);
    const is = [here && `${textIn(here)} here`, there && `${textIn(there)} there`].filter(Boolean);
    const isSame = isOlder && here && agreed && textIn(agreed) === textIn(here);
    const was = agreed && !isSame ? `was ${textIn(agreed)}, ` : '';
    return `  ${field}: ${was}is ${is.join(' and ')}`;
  }
}

function kindOf({ record, agreed, here, there }: Conflict, isOlder: boolean): string {
  if (!there)
    return agreed && here
      ? 'deleted there, and here it was changed or has records that stay'
      : 'deleted there';
  if (!here)
    return agreed
      ? 'deleted here, and changed there'
      : `cannot be beside what is stored: its user was deleted here, or has another ${record} in its place`;
  if (!agreed) return 'not the same here and there';
  if (changedFields({ before: agreed, after: here }).length > 0) return 'changed here and there';
  return isOlder
    ? 'not the same here and in this older file'
    : record === 'log'
      ? 'another log there, for it was never changed there: of a second copy of that database? --on-conflict renumber keeps both'
      : record === 'user'
        ? 'another user there, for it was never changed there: of a second copy of that database?'
        : `changed there, and cannot be beside another ${record} of the user here`;
}

function fieldsOf({ agreed, here, there, fields }: Conflict): string[] {
  if (here && there) return fields;
  return agreed ? changedFields({ before: agreed, after: here ?? there }) : [];
}

/** Longer values are cut. */
const MAX_VALUE = 60;

function valueIn(state: AnyRecord | null, fields: Fields, name: string): string {
  const field = fields[name];
  const text = field ? shown(field, (state as Record<string, unknown> | null)?.[name]) : '';
  const cut = text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
  return cut === '' ? 'empty' : field?.kind === 'text' ? `"${escapeControls(cut)}"` : escapeControls(cut);
}
