import { shown } from '../../domain/codec.ts';
import { type Fields, grouped } from '../../domain/fields.ts';
import { changedFields } from '../../domain/history.ts';
import { type AnyRecord, recordFields } from '../../domain/records.ts';
import type { Conflict } from '../../store/maintenance/import/merge/conflicts.ts';
import type { GoneRecord } from '../../store/maintenance/import/merge/merge.ts';
import type { Counts } from '../../store/maintenance/import/staging.ts';
import { counted, escapeControls } from '../output/io.ts';

const WORDS: Record<keyof Counts, string> = {
  new: 'new',
  equal: 'already there',
  updated: 'changed there',
  kept: 'changed here',
  repeated: 'repeated in the file',
  conflicting: 'in conflict',
  skipped: 'skipped',
  overwritten: 'overwritten',
  renumbered: 'renumbered',
  missing: 'deleted there',
  deleted: 'deleted here too',
};

/** Those that are not in the file. */
const ABSENT: readonly (keyof Counts)[] = ['missing', 'deleted'];

export const totalOf = (counts: Counts): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

/** `400 logs: 398 new, 2 already there` */
export function describeCounts(counts: Counts, noun: string): string {
  const names = (Object.keys(WORDS) as (keyof Counts)[]).filter((name) => counts[name] > 0);
  const described = (chosen: (keyof Counts)[]) =>
    chosen.map((name) => `${grouped(counts[name])} ${WORDS[name]}`).join(', ');
  const absent = names.filter((name) => ABSENT.includes(name));
  const present = described(names.filter((name) => !ABSENT.includes(name)));
  const inFile = absent.reduce((sum, name) => sum - counts[name], totalOf(counts));
  return [
    `${counted(inFile, noun)}${present ? `: ${present}` : ''}`,
    ...(absent.length > 0 ? [described(absent)] : []),
  ].join('; ');
}

/** `log 3, log 7 and 5 more` */
export function describeGone(gone: readonly GoneRecord[], count: number, limit: number): string {
  const names = gone.slice(0, limit).map(({ record, id }) => `${record} ${id}`);
  const more = count - names.length;
  return more > 0 ? `${names.join(', ')} and ${grouped(more)} more` : names.join(', ');
}

/** A conflict: a line on the record, and one for each field that differs. */
export function describeConflict(conflict: Conflict): string[] {
  const { record, id, theirId, agreed, here, there } = conflict;
  const name = `${record}${id === null ? '' : ` ${id}`}${theirId === null ? '' : ` (${theirId} there)`}`;
  return [`${name}: ${kindOf(conflict)}`, ...fieldsOf(conflict).map(describeField)];

  function describeField(field: string): string {
    const textIn = (state: AnyRecord | null) => valueIn(state, recordFields[record], field);
    const is = [here && `${textIn(here)} here`, there && `${textIn(there)} there`].filter(Boolean);
    return `  ${field}: ${agreed ? `was ${textIn(agreed)}, ` : ''}is ${is.join(' and ')}`;
  }
}

function kindOf({ record, agreed, here, there }: Conflict): string {
  if (!there)
    return agreed && here
      ? 'deleted there, and here it was changed or has records that stay'
      : 'deleted there';
  if (!here)
    return agreed
      ? 'deleted here, and changed there'
      : `cannot be beside what is stored: its user was deleted here, or has another ${record} in its place`;
  return agreed ? 'changed here and there' : 'not the same here and there';
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
