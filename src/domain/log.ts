import { invalid } from './errors.ts';
import { exerciseTypes } from './exercise-types.ts';
import { boolean, choice, date, integer, MAX_ID, type RecordOf, text } from './fields.ts';
import { type FiltersOf, fieldsOfFilters, type Matching } from './filter.ts';
import { defineKind } from './kind.ts';
import type { Paging } from './sort.ts';
import { id, pain } from './user.ts';

export type ExerciseType = (typeof exerciseTypes)[number];

/** One session of one exercise; the service adds the id. */
export const logFields = {
  userId: integer({
    label: 'User',
    flag: 'user',
    help: 'Id of the user who did the exercise',
    min: 1,
    max: MAX_ID,
    example: 1,
  }),
  exerciseType: choice({
    label: 'Type',
    flag: 'type',
    help: 'Kind of exercise',
    choices: exerciseTypes,
    example: 'stretch',
    statement: 'exercise',
  }),
  exerciseName: text({
    label: 'Exercise',
    flag: 'name',
    help: 'Name of the exercise',
    max: 100,
    blank: false,
    example: 'Piriformis Stretch',
    statement: 'exercise',
  }),
  date: date({
    label: 'Date',
    flag: 'date',
    help: 'Day of the exercise',
    example: '2026-03-02',
    past: true,
    ofRecord: true,
  }),
  painBefore: { ...pain('Before', 'before', 'Pain before the exercise', 6), statement: 'pain' },
  painAfter: { ...pain('After', 'after', 'Pain after the exercise', 4), statement: 'pain' },
  effective: boolean({
    label: 'Effective',
    flag: 'effective',
    help: 'Whether it helped',
    example: true,
    statement: 'pain',
  }),
  notes: text({
    label: 'Notes',
    flag: 'notes',
    help: 'Notes about the session',
    max: 10_000,
    blank: true,
    example: '3 sets of 10',
  }),
  medication: text({
    label: 'Medication',
    flag: 'medication',
    help: 'Medication taken before',
    max: 200,
    blank: false,
    optional: true,
    example: 'ibuprofen 400',
  }),
};

export const logRecord = { id, ...logFields };

/**
 * CSV column that an export adds after the fields: the place of a session among its user's sessions of the day, in the order in
 * which they were recorded, from 1. It follows from the records, so an import ignores it.
 */
export const POSITION = 'position';

const since = date({
  label: 'Since',
  flag: 'since',
  help: 'First day',
  edge: 'first',
  example: '2026-03-01',
});
const until = date({
  label: 'Until',
  flag: 'until',
  help: 'Last day',
  edge: 'last',
  example: '2026-03-31',
});
/** The filters of a list by date; both days are included. */
export const dayFilters = {
  since: { column: 'date', operator: 'gte', field: since },
  until: { column: 'date', operator: 'lte', field: until },
} as const;

/**
 * Checks that a period is not reversed.
 * @returns the period
 * @throws SciaticaError `invalid` if its first day is after the last
 */
export function inOrder<P extends { since?: string | undefined; until?: string | undefined }>(period: P): P {
  const { since, until } = period;
  if (since !== undefined && until !== undefined && since > until)
    throw invalid([
      { field: 'since', message: `begins an empty period: from ${since} to ${until}, which is earlier` },
    ]);
  return period;
}

// Any id is a valid filter value: an unknown one gives an empty list.
const anyUserId = { ...logFields.userId, max: Number.MAX_SAFE_INTEGER };

/** The named filters of a list of logs. */
const logFilters = {
  userId: { column: 'userId', operator: 'eq', field: anyUserId },
  exerciseType: { column: 'exerciseType', operator: 'eq', field: logFields.exerciseType },
  exerciseName: { column: 'exerciseName', operator: 'eq', field: logFields.exerciseName },
  effective: { column: 'effective', operator: 'eq', field: logFields.effective },
  ...dayFilters,
} as const satisfies FiltersOf<typeof logRecord>;

export const logKind = defineKind({
  fields: logRecord,
  table: 'logs',
  path: '/userExerciseLogs',
  place: 'collection',
  verbs: ['list', 'create', 'read', 'replace', 'patch', 'delete', 'restore', 'history'],
  tag: 'User exercise logs',
  schema: 'UserExerciseLog',
  described: {
    one: 'an exercise log',
    many: 'exercise logs',
    about: 'Sessions: pain before and after, and whether it helped.',
  },
  filters: logFilters,
  examples: { sort: '-date,id', fields: 'id,date,painAfter', patch: { painAfter: 3 }, deleted: 18 },
  words: { one: 'log', many: 'logs' },
  sign: ['userId', 'exerciseName'],
});

/** The input that creates or replaces a log. */
export type LogInput = RecordOf<typeof logFields>;
export type Log = RecordOf<typeof logRecord>;

const { notes: _, ...withoutNotes } = logRecord;
/** A log without its notes: the input of the statistics. */
export const sessionFields = withoutNotes;
export type Session = RecordOf<typeof sessionFields>;

export const logFilterFields = fieldsOfFilters(logFilters);

/** Which logs, in what order, how many. */
export type LogFilter = Partial<RecordOf<typeof logFilterFields>> & Matching & Paging;
