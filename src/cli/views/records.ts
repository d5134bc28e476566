import type { Context } from '../../context.ts';
import { shown, toText } from '../../domain/codec.ts';
import type { Field, Fields } from '../../domain/fields.ts';
import type { GoalInput } from '../../domain/goal.ts';
import { changedFields } from '../../domain/history.ts';
import { type KindName, kindOf, nounOf, ownerOf, type RecordOfKind } from '../../domain/kinds.ts';
import { type Log, logRecord } from '../../domain/log.ts';
import type { PainEntry } from '../../domain/pain-entry.ts';
import type { RoutineInput } from '../../domain/routine.ts';
import { armText, type Trial, type TrialDay } from '../../domain/trial.ts';
import type { User } from '../../domain/user.ts';
import { weekdayOf } from '../../domain/words/day.ts';
import type { Palette } from '../terminal/canvas.ts';
import type { Column } from '../terminal/columns.ts';
import { capital } from '../terminal/help.ts';
import { escapeControls, say } from '../terminal/io.ts';
import { clip } from '../terminal/width.ts';

/** Renders records as tables, details and one-line summaries, from the definitions of the fields. */

export const nameOf = ({ firstName, lastName }: User): string => escapeControls(`${firstName} ${lastName}`);

/** Maximum width of the name of an exercise, in columns. */
export const LONGEST_NAME = 30;
/** Columns of a line of running text that a name must leave free. */
const BESIDE = 14;

/** The name of an exercise for running text `width` columns wide: cut, since a long word would not be wrapped. */
export function nameIn({ width }: { width: number }, { exerciseName }: { exerciseName: string }): string {
  return clip(escapeControls(exerciseName), Math.min(LONGEST_NAME, width - BESIDE));
}

/** A user in the heading of a summary or comparison, which others may read: if anonymous, only the id. */
export const shownAs = (user: User, anonymous: boolean): string =>
  anonymous ? `User ${user.id}` : summaryOfUser(user);

export const summaryOfUser = (user: User): string => `${nameOf(user)} (user ${user.id})`;

/**
 * Warns of other users with the same e-mail address, who may be the same person.
 * @param apart ids of users known to be other people, because they come from the same file
 */
export function saySameEmail(context: Context, { id, email }: User, apart: readonly number[] = []): void {
  const others = context.store.users
    .list({ where: [{ field: 'email', operator: 'eq', values: [email] }], limit: 2 })
    .filter((other) => other.id !== id && !apart.includes(other.id));
  for (const other of others)
    say(context, `Note: ${summaryOfUser(other)} has the same e-mail address as user ${id}.`);
}

export const summaryOfLog = (log: Log): string =>
  `${escapeControls(log.exerciseName)} on ${log.date}, pain ${changeOf(log)}, ${log.effective ? 'effective' : 'not effective'}`;

/** A log in the confirmation for the user who has recorded it: `Bird Dog today, 6 → 4 (↓2), helped`. */
export function answerOf(log: Log, today: string): string {
  const { exerciseName, date, effective } = log;
  const day = date === today ? 'today' : `on ${weekdayOf(date)} ${date}`;
  return `${escapeControls(exerciseName)} ${day}, ${changeOf(log)}, ${effective ? 'helped' : 'did not help'}`;
}

/** `6 → 4 (↓2)` */
function changeOf({ painBefore, painAfter }: Log): string {
  const change = sign(painBefore, painAfter);
  return `${painBefore} → ${painAfter}${change && ` (${change})`}`;
}

export const summaryOfRoutine = ({ name, exercises }: RoutineInput): string =>
  escapeControls(`${name} (${exercises.map(({ exerciseName }) => exerciseName).join(', ')})`);

const summaryOfPain = ({ date, timeOfDay, pain, medication }: PainEntry): string =>
  [`pain ${pain} on ${date}`, timeOfDay, medication && `with ${escapeControls(medication)}`]
    .filter(Boolean)
    .join(', ');

const summaryOfTrial = ({ start, days, state, ...trial }: Trial): string =>
  `${escapeControls(trial.exerciseName)} against ${escapeControls(armText(trial, 'b'))}, ${days} days from ${start}, ${state}`;

const summaryOfTrialDay = ({ date, first, second, done }: TrialDay): string =>
  `${date}, pain ${first}${second === undefined ? '' : ` → ${second}`}${done ? '' : ', not as drawn'}`;

const summaryOfGoal = ({ userId, sessionsPerWeek }: GoalInput): string =>
  `${sessionsPerWeek} a week for user ${userId}`;

/** One-line descriptions of kinds that are not described by the values of their fields. */
const descriptions: { readonly [K in KindName]?: (record: RecordOfKind<K>) => string } = {
  user: nameOf,
  log: summaryOfLog,
  routine: summaryOfRoutine,
  goal: summaryOfGoal,
  painEntry: summaryOfPain,
  trial: summaryOfTrial,
  trialDay: summaryOfTrialDay,
};

/** Maximum width of a field in a line, in columns. */
const FIELD_WIDTH = 40;

/** A record in one line, without its id. */
export function describe(kind: KindName, record: object): string {
  const own = descriptions[kind] as ((record: object) => string) | undefined;
  return own?.(record) ?? fieldsInLine(kindOf(kind).fields, record);
}

/** A record in a line: `log 3: Bird Dog on 2026-03-02, pain 6 → 4 (↓2), effective`; of a user `Nora Lind (user 7)`. */
export function summaryOf(kind: KindName, record: { readonly id: number }): string {
  return kind === 'user'
    ? summaryOfUser(record as User)
    : `${nounOf(kind)} ${record.id}: ${describe(kind, record)}`;
}

/** ` of Nora Lind`, to end a noun, if the database has several users; otherwise empty. @param ids ids of users */
export function whose({ store: { users } }: Context, ids: readonly number[], link = 'of'): string {
  if (users.count() < 2) return '';
  // Another process may delete the user before the confirmation is written.
  const names = [...new Set(ids)].map((id) => {
    const user = users.find(id);
    return user ? nameOf(user) : `user ${id}`;
  });
  return ` ${link} ${names.join(' and ')}`;
}

/**
 * As `summaryOf`, for questions and confirmations: of several users, with the one to whom the record belongs.
 * @param text what follows the colon @param mark what follows the id
 */
export function titleOf(
  context: Context,
  kind: KindName,
  record: { readonly id: number },
  text = describe(kind, record),
  { link = 'of', mark = '' } = {},
): string {
  if (kind === 'user') return summaryOfUser(record as User);
  return `${nounOf(kind)} ${record.id}${mark}${whose(context, [ownerOf(kind, record)], link)}: ${text}`;
}

/** As `titleOf`, for a record that was just added: `log 3 for Nora Lind: Bird Dog …` */
export const addedOf = (context: Context, kind: KindName, record: { readonly id: number }, text?: string) =>
  titleOf(context, kind, record, text, { link: 'for' });

/** As `titleOf`, for a record that was just changed, with the labels of the fields that changed: `log 3 (notes): Bird Dog …` */
export function changedOf(
  context: Context,
  kind: KindName,
  record: { readonly id: number },
  text?: string,
): string {
  const names = changedFields(context.store.history.lastOf(kind, record.id) ?? { before: null, after: null });
  const labels = names.map((name) => (kindOf(kind).fields[name]?.label ?? name).toLowerCase());
  if (kind === 'user') return `${summaryOfUser(record as User)}: ${labels.join(', ')}`;
  const now = names.includes('userId') ? ', now' : '';
  return titleOf(context, kind, record, text, { mark: ` (${labels.join(', ')})${now}` });
}

/** The values of the fields, except ids and texts that may be blank, such as notes. */
function fieldsInLine(fields: Fields, record: object): string {
  const values = Object.entries(fields).flatMap(([name, field]) =>
    name === 'id' || name === 'userId' || (field.kind === 'text' && field.blank)
      ? []
      : clip(escapeControls(shown(field, (record as Cells)[name])), FIELD_WIDTH),
  );
  return values.filter(Boolean).join(', ');
}

/** A value of a record, for `before → after`. */
export function valueIn(kind: KindName, name: string, value: unknown): string {
  const field = kindOf(kind).fields[name];
  const text = escapeControls(field ? shown(field, value) : toText(value));
  return clip(text || '(empty)', FIELD_WIDTH);
}

/** Direction and size of the change, readable without colour: ↓2 is less pain, ↑1 more. */
function sign(before: number, after: number): string {
  if (after === before) return '';
  return after < before ? `↓${before - after}` : `↑${after - before}`;
}

type Cells = Readonly<Record<string, unknown>>;

function columnOf<R extends object>(name: string, field: Field, turn?: number): Column<R> {
  const column: Column<R> = {
    title: field.label,
    cell: (row) => escapeControls(shown(field, (row as Cells)[name])),
  };
  const least = leastOf(field);
  if (typeof field.example === 'number') column.right = true;
  if (field.optional) column.optional = true;
  if (least !== undefined) column.least = least;
  if (turn !== undefined) column.turn = turn;
  return column;
}

/** Least width of a column at which its values can be told apart. */
function leastOf({ kind }: Field): number | undefined {
  if (kind === 'text' || kind === 'email') return 10;
  if (kind === 'list') return 20;
  return kind === 'choice' ? 6 : undefined;
}

/** The fields dropped first in a narrow terminal, in this order; then all others, the last first, but those in `STAYS`. */
const FIRST_TO_GIVE_WAY = ['notes', 'exerciseType', 'email', 'diagnosisDate', 'seed', 'difference'];
const STAYS = [
  'id',
  'userId',
  'date',
  'exerciseName',
  'painAfter',
  'firstName',
  'lastName',
  'painLevel',
  'start',
  'state',
];

function turnOf(name: string, fields: Fields): number | undefined {
  if (STAYS.includes(name)) return undefined;
  const first = FIRST_TO_GIVE_WAY.indexOf(name);
  if (first >= 0) return first;
  const names = Object.keys(fields);
  return FIRST_TO_GIVE_WAY.length + names.length - names.indexOf(name);
}

/** A column for each field. */
export function columnsOf<R extends object>(fields: Fields): Column<R>[] {
  return Object.entries(fields).map(([name, field]) => columnOf(name, field, turnOf(name, fields)));
}

/**
 * The columns of a table of logs; the day comes before the exercise.
 * @param userName returns the name of a user; undefined if all logs belong to one user, who then has no column
 */
export function logColumns(palette: Palette, userName?: (id: number) => string): Column<Log>[] {
  const { id, userId, date, painBefore: _, ...others } = logRecord satisfies Fields;
  const user: Column<Log> = {
    title: userId.label,
    least: 10,
    cell: (log) => `${log.userId} ${userName?.(log.userId) ?? ''}`.trim(),
  };
  // Before and after share a column, so that 80 columns have room for the full titles of the others.
  const pain: Column<Log> = {
    title: 'Pain',
    right: true,
    cell: ({ painBefore: before, painAfter: after }) =>
      `${before} → ${after} ${sign(before, after).padEnd(2)}`,
    paint: painter(palette),
  };
  const columns = Object.entries(others).map(([name, field]) => {
    if (name === 'painAfter') return pain;
    const column = columnOf<Log>(name, field, turnOf(name, logRecord));
    const shorter = SHORTER[name];
    return shorter ? shorter(column) : column;
  });
  return [columnOf('id', id), ...(userName ? [user] : []), columnOf('date', date), ...columns];
}

/** Columns with a shorter form, in the order in which they are shortened. */
const SHORTER: Readonly<Record<string, (column: Column<Log>) => Column<Log>>> = {
  exerciseType: (column) => ({
    ...column,
    step: 0,
    brief: {
      title: column.title,
      turn: column.turn ?? 0,
      cell: ({ exerciseType }) => exerciseType.replace(/^(.{8}).{2,}$/s, '$1.'),
    },
  }),
  notes: (column) => ({ ...column, step: 1 }),
  effective: (column) => ({
    ...column,
    step: 2,
    brief: { title: 'Helped', turn: column.turn ?? 0, cell: ({ effective }) => (effective ? '✓' : '✗') },
  }),
};

function painter({ relief, aggravation }: Palette): (text: string, log: Log) => string {
  return (text, { painBefore, painAfter }) => {
    if (painAfter === painBefore) return text;
    return painAfter < painBefore ? relief(text) : aggravation(text);
  };
}

/** Says of which user the profile or a one-per-user record stays after a merge: `The goal stays that of user 1` */
export function staysWith(kinds: readonly KindName[], id: number): string {
  const names = [...new Set(kinds)].map((kind) => `the ${kind === 'user' ? 'profile' : nounOf(kind)}`);
  const verb = names.length === 1 ? 'stays that' : 'stay those';
  return capital(`${names.join(' and ')} ${verb} of user ${id}`);
}
