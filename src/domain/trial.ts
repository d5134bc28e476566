import { type Issue, issue } from './errors.ts';
import { boolean, choice, date, integer, type RecordOf } from './fields.ts';
import { defineKind } from './kind.ts';
import { dayFilters, logFields } from './log.ts';
import { painEntryFields } from './pain-entry.ts';
import { id, pain } from './user.ts';
import { addDays, dayNumber } from './words/day.ts';

/** An n-of-1 trial (CENT 2015), an experiment on oneself: an exercise against something else, in random order. */

/** `usual`: the usual routine without the exercise. */
export const comparators = ['exercise', 'rest', 'usual'] as const;
/** When the outcome is asked for. */
export const outcomes = ['hour', 'bedtime', 'morning'] as const;
/** `either`: two-sided, less or more pain. `less`: one-sided, less pain; more pain counts only as harm. */
export const questions = ['either', 'less'] as const;
const trialStates = ['running', 'finished', 'given-up'] as const;

/** The largest seed: 31 bits. */
const MAX_SEED = 2 ** 31 - 1;

/** Group of the fields that define a trial. Replicas merge them as one value, so that no trial arises that nobody planned. */
const ASKED = 'question';

export const trialFields = {
  userId: { ...logFields.userId, help: 'Id of the user whose trial it is' },
  exerciseName: {
    ...logFields.exerciseName,
    flag: 'exercise',
    help: 'The exercise to be tried',
    statement: ASKED,
  },
  against: choice({
    statement: ASKED,
    label: 'Against',
    flag: 'against',
    help: 'What it is compared with: another exercise, rest, or the usual routine without it',
    choices: comparators,
    example: 'rest',
  }),
  otherExercise: {
    ...logFields.exerciseName,
    statement: ASKED,
    label: 'Other',
    flag: 'other',
    help: 'The other exercise, if it is compared with one',
    optional: true as const,
    example: 'Bird Dog',
  },
  outcome: choice({
    statement: ASKED,
    label: 'Outcome',
    flag: 'outcome',
    help: 'When the pain is asked for again: one hour after, at bedtime, or the next morning',
    choices: outcomes,
    example: 'hour',
  }),
  question: choice({
    statement: ASKED,
    label: 'Question',
    flag: 'question',
    help: 'Whether pain differs either way, or is less, which finds more; more pain then counts only as harm',
    choices: questions,
    example: 'either',
  }),
  start: date({ statement: ASKED, label: 'Start', flag: 'start', help: 'First day', example: '2026-03-02' }),
  days: integer({
    statement: ASKED,
    label: 'Days',
    flag: 'days',
    help: 'How many days',
    min: 14,
    max: 84,
    example: 28,
  }),
  difference: integer({
    statement: ASKED,
    label: 'Difference',
    flag: 'difference',
    help: 'The smallest difference that would matter, in points',
    min: 1,
    max: 5,
    example: 1,
  }),
  seed: integer({
    statement: ASKED,
    label: 'Seed',
    flag: 'seed',
    help: 'What the order of the days is drawn from',
    min: 0,
    max: MAX_SEED,
    example: 20_260_302,
  }),
  state: choice({
    label: 'State',
    flag: 'state',
    help: 'Whether it runs, is finished, or was given up',
    choices: trialStates,
    example: 'running',
  }),
};

export const trialRecord = { id, ...trialFields };

type Asked = Partial<RecordOf<typeof trialRecord>>;

const isUnnamed = ({ against, otherExercise }: Asked): boolean =>
  against === 'exercise' && otherExercise == null;

/**
 * Keeps the design of a trial fixed: whoever could change its question or order on the way could choose the result. An exercise
 * may be renamed. Also requires `otherExercise` where `against` is `exercise`.
 */
function trialFaults(trial: Asked, before?: Asked): Issue[] {
  const { userId: _, exerciseName: __, otherExercise: ___, state: ____, ...fixed } = trialFields;
  const changed = (Object.keys(fixed) as (keyof typeof fixed)[]).filter(
    (name) => before && trial[name] !== before[name],
  );
  return [
    ...(isUnnamed(trial) && !(before && isUnnamed(before))
      ? [issue('otherExercise', 'is missing: against is exercise', 'missing')]
      : []),
    ...changed.map((field) => issue(field, 'is fixed: give this trial up and start another', 'in-conflict')),
  ];
}

export const trialKind = defineKind({
  fields: trialRecord,
  table: 'trials',
  path: '/trials',
  place: 'collection',
  verbs: ['list', 'create', 'read', 'replace', 'patch', 'delete', 'restore', 'history'],
  tag: 'Trials',
  schema: 'Trial',
  described: {
    one: 'a trial',
    many: 'trials',
    about:
      'An exercise against something else, in an order drawn by lot. Question, start and seed are fixed.',
  },
  examples: { sort: '-start,id', fields: 'id,start,state', patch: { state: 'given-up' }, deleted: 1 },
  words: { one: 'trial', many: 'trials' },
  commands: { one: 'trial', many: 'trials', add: 'start' },
  sign: ['seed'],
  faults: trialFaults,
  key: {
    field: 'state',
    of: ({ state, start, seed }) => (state === 'running' ? 'running' : `${start} ${seed}`),
    rule: 'A user has one running trial.',
    taken: 'is running for another trial of the user',
    second: { value: 'given-up', by: 'start' },
  },
});

export type TrialInput = RecordOf<typeof trialFields>;
export type Trial = RecordOf<typeof trialRecord>;

/** A day of a trial: the pain at the time of the exercise and at the time of the outcome; the service adds the id. */
export const trialDayFields = {
  userId: { ...logFields.userId, help: 'Id of the user whose trial it is' },
  date: { ...logFields.date, help: 'Day of the trial' },
  first: pain('First', 'first', 'Pain at the time of the exercise, on days without it too', 6),
  second: { ...pain('Second', 'second', 'Pain at the time of the outcome', 4), optional: true as const },
  done: boolean({ label: 'As drawn', flag: 'done', help: 'Whether you did what was drawn', example: true }),
  notes: { ...painEntryFields.notes, help: 'Notes about the day', example: 'did Bird Dog as well' },
  // Refers to the trial by its seed: the id of a trial differs between machines, the seed does not.
  trialSeed: integer({
    label: 'Trial seed',
    flag: 'trial-seed',
    help: 'Seed of its trial; filled in if absent',
    min: 0,
    max: MAX_SEED,
    example: trialFields.seed.example,
    optional: true,
  }),
};

export const trialDayRecord = { id, ...trialDayFields };

export const trialDayKind = defineKind({
  fields: trialDayRecord,
  table: 'trialDays',
  path: '/trialDays',
  place: 'collection',
  verbs: ['list', 'create', 'read', 'replace', 'patch', 'delete', 'restore', 'history'],
  tag: 'Trial days',
  schema: 'TrialDay',
  described: { one: 'a trial day', many: 'trial days', about: 'What was felt on the days of a trial.' },
  filters: dayFilters,
  examples: { sort: '-date,id', fields: 'id,date,second', patch: { second: 3 }, deleted: 1 },
  words: { one: 'trial day', many: 'trial days' },
  commands: { one: 'trial-day', many: 'trial-days' },
  sign: ['first'],
  key: {
    field: 'date',
    of: ({ date = '', trialSeed = '' }) => `${date} ${trialSeed}`.trim(),
    rule: 'A trial has one day of a date.',
    taken: 'has a trial day already',
  },
});

export type TrialDay = RecordOf<typeof trialDayRecord>;

/** `a`: the exercise. `b`: what it is compared with. */
export type Arm = 'a' | 'b';

/** Days in a block of the randomization. */
export const BLOCK = 4;

/** The possible orders of a block (permuted blocks): two days of each arm. */
const ARRANGEMENTS = ['aabb', 'abab', 'abba', 'baab', 'baba', 'bbaa'].map((arms) => [...arms] as Arm[]);

/**
 * Pseudo-random numbers, at least 0 and below 1, the same for a seed on every machine: mulberry32 (Tommy Ettinger, public
 * domain), which takes only 32-bit arithmetic.
 */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The arm of each day of a trial, from its seed. */
export const armsOf = (seed: number, days: number): Arm[] => drawnArms(randomFrom(seed), days);

/** Draws the arms of a number of days by permuted blocks of four days, two of each arm in every whole block. */
export function drawnArms(random: () => number, days: number): Arm[] {
  const arms: Arm[] = [];
  while (arms.length < days) arms.push(...(ARRANGEMENTS[Math.floor(random() * ARRANGEMENTS.length)] ?? []));
  return arms.slice(0, days);
}

/** The last day of a trial. */
export const lastDayOf = ({ start, days }: Pick<Trial, 'start' | 'days'>): string => addDays(start, days - 1);

/**
 * The trial to which a trial day belongs: the one with its seed. Without a seed: of the user's trials that include the date,
 * the one that started last, preferably one that was not given up.
 */
export function trialOn(
  trials: readonly Trial[],
  { userId, date, trialSeed }: Pick<TrialDay, 'userId' | 'date' | 'trialSeed'>,
): Trial | undefined {
  const having = trials.filter(
    (trial) =>
      trial.userId === userId &&
      dayIndex(trial, date) !== undefined &&
      (trialSeed ?? trial.seed) === trial.seed,
  );
  const isGivenUp = ({ state }: Trial) => Number(state === 'given-up');
  return having.sort(
    (a, b) => isGivenUp(a) - isGivenUp(b) || b.start.localeCompare(a.start) || b.id - a.id,
  )[0];
}

/** Stands for the other exercise where an app or a file did not name it. */
export const UNNAMED = 'another exercise';

/** What the person does under an arm, in the words of the trial. */
export const armText = (
  { exerciseName, against, otherExercise }: Pick<Trial, 'exerciseName' | 'against' | 'otherExercise'>,
  arm: Arm,
): string => (arm === 'a' ? exerciseName : against === 'exercise' ? (otherExercise ?? UNNAMED) : against);

/** The number of a day of a trial, from 0; undefined for any other day. */
export function dayIndex({ start, days }: Pick<Trial, 'start' | 'days'>, day: string): number | undefined {
  const index = dayNumber(day) - dayNumber(start);
  return index >= 0 && index < days ? index : undefined;
}
