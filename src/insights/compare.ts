import { invalid } from '../domain/errors.ts';
import { inOrder } from '../domain/log.ts';
import { addDays, dayNumber } from '../domain/words/day.ts';
import { inflationOfCopies } from './copied-numbers.ts';
import type { Period } from './days.ts';
import type { Change } from './diary.ts';
import { differ, type Mean } from './difference.ts';
import { exerciseKey } from './exercises.ts';
import { compareText } from './numbers.ts';
import type { Comparison, ExerciseComparison, ExerciseSummary, Response } from './shapes.ts';
import { inflation, UP_TO_SESSIONS } from './stats/autoregression.ts';
import type { SummaryOptions, Tally } from './summary.ts';
import { differenceOfLevels } from './trend.ts';

/** Compares two periods, the earlier one first. @param options the options of the summary of each */
export function compareTallies(
  tallies: readonly [Tally, Tally],
  options: readonly [SummaryOptions, SummaryOptions],
): Comparison {
  const [first, second] = [tallies[0].summary(options[0]), tallies[1].summary(options[1])];
  const earlier = new Map(first.exercises.map((exercise) => [exerciseKey(exercise), exercise]));
  const later = new Map(second.exercises.map((exercise) => [exerciseKey(exercise), exercise]));
  const stopped = first.exercises
    .filter((exercise) => !later.has(exerciseKey(exercise)))
    .toSorted(
      (a, b) => compareText(a.exerciseName, b.exerciseName) || compareText(a.exerciseType, b.exerciseType),
    );
  const changes = tallies
    .flatMap((tally, period) => tally.changes.map((one) => ({ ...one, period })))
    .map((one, place) => ({ ...one, place }));
  const pains = new Map(tallies.flatMap((tally) => [...tally.pains]));
  return {
    first,
    second,
    leftOut: first.leftOut + second.leftOut,
    painBefore: differenceOfLevels(pains, first.level, second.level),
    meanChange: differ(changeOf(first.overall), changeOf(second.overall), {
      furthest: 18,
      times: inflationOfChanges(changes),
    }),
    exercises: [...second.exercises, ...stopped].map((exercise, _, { length }) => {
      const key = exerciseKey(exercise);
      const times = inflationOfChanges(changes.filter((one) => one.key === key));
      return compareExercise(earlier.get(key), later.get(key), exercise, { among: length, times });
    }),
  };
}

/** Most sessions of each period, those next to the other one, from which the autocorrelation is estimated. */
const MOST_TOLD_BY = 500;

/** The change of a session with its period, 0 or 1, and its index among the sessions of both. */
interface PlacedChange extends Change {
  readonly period: number;
  readonly place: number;
}

/** Variance inflation of the difference between the mean changes of the periods: by autocorrelation, and by copied sessions. */
function inflationOfChanges(changes: readonly PlacedChange[]): number {
  const of = (period: number) => changes.filter((one) => one.period === period);
  const near = [...of(0).slice(-MOST_TOLD_BY), ...of(1).slice(0, MOST_TOLD_BY)];
  const series = {
    times: near.map(({ place }) => place),
    x: near.map(({ period }) => period),
    y: near.map(({ change }) => change),
    length: near.length,
  };
  return inflation(series, UP_TO_SESSIONS) * inflationOfCopies(near.map(({ sessions }) => sessions));
}

/** @param options.among number of exercises compared, which share one error (Bonferroni; Dunn 1961, J Am Stat Assoc 56:52–64) */
function compareExercise(
  first: ExerciseSummary | undefined,
  second: ExerciseSummary | undefined,
  { exerciseName, exerciseType }: ExerciseSummary,
  options: { among: number; times: number },
): ExerciseComparison {
  const difference = differ(changeOf(first), changeOf(second), { furthest: 18, ...options });
  const shift = !first ? 'new' : !second ? 'stopped' : difference.shift;
  return {
    exerciseName,
    exerciseType,
    first: first ? responseOf(first) : null,
    second: second ? responseOf(second) : null,
    meanChange: { ...difference, shift },
  };
}

function changeOf(response: Response | null | undefined): Mean | null {
  return response ? { ...response, mean: response.meanChange } : null;
}

function responseOf(exercise: Response): Response {
  const { sessions, meanChange, medianChange, standardDeviation, interval, responded, effective } = exercise;
  return { sessions, meanChange, medianChange, standardDeviation, interval, responded, effective };
}

const FOUR_WEEKS = 28;

/** What can be asked about the two periods of a comparison. */
interface AskedPeriods {
  since?: string | undefined;
  until?: string | undefined;
  /** Compares all days before this day with this day and all days after it. */
  before?: string | undefined;
}

/**
 * The two periods of a comparison, the earlier one first: the days from `since` to `until` and as many just before; with
 * `before`, all days before it and all from it on. `since` defaults to 4 weeks up to `until`, and `until` to the day of the
 * latest record, so that the answer does not depend on the clock.
 * @param ends the days of the first and the latest record, a session or a pain entry; undefined if there is none
 * @param today no period ends later; stands for the latest record if there is none
 * @throws SciaticaError `invalid` for an empty period, or `before` after today or together with the others
 */
export function comparedPeriods(
  asked: AskedPeriods,
  ends: { first: string | undefined; last: string | undefined },
  today: string,
): [Period, Period] {
  const { before } = asked;
  const [until = today] = [asked.until ?? ends.last ?? today, today].toSorted();
  if (before !== undefined) {
    if ((asked.since ?? asked.until) !== undefined)
      throw invalid([{ field: 'before', message: 'takes all there is: leave out since and until' }]);
    if (before > today) throw invalid([{ field: 'before', message: 'is still to come: nothing came since' }]);
    const day = addDays(before, -1);
    const [since = day] = [ends.first ?? day, day].toSorted();
    const [, last = before] = [before, until].toSorted();
    return [
      { since, until: day },
      { since: before, until: last },
    ];
  }
  const since = asked.since ?? addDays(until, 1 - FOUR_WEEKS);
  // The general message would name an `until` that the caller did not give.
  if (asked.until === undefined && since > until && until === ends.last)
    throw invalid([{ field: 'since', message: `begins after the latest record, which was on ${until}` }]);
  inOrder({ since, until });
  const days = dayNumber(until) - dayNumber(since) + 1;
  return [
    { since: addDays(since, -days), until: addDays(since, -1) },
    { since, until },
  ];
}
