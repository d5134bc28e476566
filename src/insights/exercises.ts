import type { ExerciseType, Log } from '../domain/log.ts';
import { latelyOf, versusOthers } from './comparisons.ts';
import { inflationOfCopies } from './copied-numbers.ts';
import type { DiaryFindings, Medicated } from './diary.ts';
import { round } from './numbers.ts';
import { PainTable } from './pain-table.ts';
import type { ExerciseSummary, Response, ResponseRule } from './shapes.ts';
import { inflationOfMean } from './stats/autoregression.ts';
import { type Estimate, meanEstimate } from './stats/estimate.ts';
import { meanOf, medianOf, within } from './stats/points.ts';
import { CHANGES, FEWEST_TO_SAY, findingOf, intervalOf, ranked } from './verdict.ts';

/** The fields of a log that a summary reads. */
export type SessionFields = Pick<
  Log,
  'exerciseName' | 'exerciseType' | 'date' | 'painBefore' | 'painAfter' | 'effective' | 'medication'
>;

/** The aggregated sessions of one exercise. */
interface ExerciseTally {
  /** As it was written in the first session: on the first day, the one that was added first. */
  exerciseName: string;
  readonly exerciseType: ExerciseType;
  readonly table: PainTable;
  /** From 0, in the order in which exercises were first added. */
  readonly number: number;
  firstDate: string;
  lastDate: string;
}

/** Aggregates sessions by exercise, in any order. */
export class ExerciseTallies {
  readonly #tallies = new Map<string, ExerciseTally>();

  /** Adds a session. @returns the tally of its exercise */
  add(log: SessionFields): ExerciseTally {
    const key = exerciseKey(log);
    let tally = this.#tallies.get(key);
    if (!tally) {
      const { exerciseName, exerciseType, date } = log;
      const [table, number] = [new PainTable(), this.#tallies.size];
      tally = { exerciseName, exerciseType, table, number, firstDate: date, lastDate: date };
      this.#tallies.set(key, tally);
    }
    tally.table.add(log);
    if (log.date < tally.firstDate) [tally.firstDate, tally.exerciseName] = [log.date, log.exerciseName];
    if (log.date > tally.lastDate) tally.lastDate = log.date;
    return tally;
  }

  /** The keys of the exercises, in the order of their numbers. */
  get keys(): string[] {
    return [...this.#tallies.keys()];
  }

  [Symbol.iterator](): Iterator<ExerciseTally> {
    return this.#tallies.values();
  }
}

/** The identity of an exercise: its type and its name as it looks, however many spaces or composed characters it is written with. */
export const exerciseKey = (exercise: { exerciseName: string; exerciseType: string }): string =>
  `${exercise.exerciseType}:${exercise.exerciseName.normalize('NFC').replace(/\s+/g, ' ').trim()}`;

/**
 * The figures of each exercise, in ranked order; those with too few sessions last.
 * @param prior the person's prior standard deviation (`priorDeviation`), in points
 */
export function summarizeExercises(
  tallies: Iterable<ExerciseTally>,
  diary: DiaryFindings,
  prior: number,
  rule: ResponseRule,
): ExerciseSummary[] {
  const all = [...tallies];
  const sessions: number[] = [];
  for (const { number, table } of all) sessions[diary.numberOf(number)] = table.sessions;
  const adjusted = adjustedChanges(all, diary);
  const summaries = all.map(({ table, number, ...tally }) => {
    const own = diary.numberOf(number);
    const { marks, nextDay } = diary;
    const { points = [], sessions: counts = [] } = diary.changes[number] ?? {};
    return {
      ...tally,
      ...summarizeResponse(table, prior, rule),
      ...findingOf(sizedBy(counts, meanEstimate(table.changes(), prior)), inflationOfMean(points)),
      claim: claims[marks.claim(own) ?? 'none'],
      adjusted: adjusted.get(number) ?? null,
      noDifference: marks.isNothing(own),
      lately: latelyOf(points),
      alwaysAfter: alwaysAfter(all, diary, number),
      sharesNumbers: marks.sharedNumbers.has(own),
      versusOthers: versusOthers(marks, sessions, own),
      dayAfter: nextDay.found(own),
      medication: medicationOf(diary.medicated[number], table),
    };
  });
  return ranked(
    summaries,
    ({ sessions }) => sessions,
    ({ adjusted, meanChange }) => adjusted?.change ?? meanChange,
  );
}

/** An estimate with the effective sample size that copied sessions leave (`inflationOfCopies`), but 3 at the least. */
function sizedBy(counts: readonly number[], estimate: Estimate): Estimate {
  const size = Math.max(estimate.size / inflationOfCopies(counts), Math.min(estimate.size, FEWEST_TO_SAY));
  return { ...estimate, size, freedom: estimate.freedom - (estimate.size - size) };
}

/** The mean change of the sessions with medication, and of those without; null if there are none with it. */
function medicationOf(medicated: Medicated | undefined, table: PainTable): ExerciseSummary['medication'] {
  if (!medicated || medicated.changes.length === 0) return null;
  const { changes, names } = medicated;
  const sessions = changes.length;
  const change = changes.reduce((sum, each) => sum + each, 0);
  const others = table.sessions - sessions;
  const all = meanOf(table.changes()) * table.sessions;
  const [name = null] = names.size === 1 ? names : [];
  return {
    name,
    sessions,
    meanChange: round(change / sessions),
    without: others > 0 ? round((all - change) / others) : null,
  };
}

const claims = { less: 'helps', more: 'harms', none: null } as const;

/**
 * The adjusted changes by exercise: at the person's usual pain before, as the first session of a day. If some exercise was
 * never the first, each at its own mean place in the day, so that all of them stay comparable.
 */
function adjustedChanges(
  tallies: readonly ExerciseTally[],
  { marks, numberOf }: DiaryFindings,
): Map<number, NonNullable<ExerciseSummary['adjusted']>> {
  const enough = tallies.filter(({ table }) => table.sessions >= FEWEST_TO_SAY);
  const firsts = enough.map(({ number }) => marks.usual(numberOf(number)));
  const estimates = firsts.includes(null)
    ? enough.map(({ number }) => marks.inItsPlace(numberOf(number)))
    : firsts;
  return new Map(
    enough.flatMap(({ number }, i) => {
      const estimate = estimates[i];
      if (!estimate) return [];
      return [[number, { change: round(within(estimate.value, CHANGES)), interval: intervalOf(estimate) }]];
    }),
  );
}

/** The exercise that came right before this one in all of its sessions, or all but a tenth of them and two at most. */
function alwaysAfter(
  tallies: readonly ExerciseTally[],
  { before }: DiaryFindings,
  number: number,
): string | null {
  const sessions = tallies[number]?.table.sessions ?? 0;
  if (sessions < FEWEST_TO_SAY) return null;
  const [which, times] = [...(before[number] ?? [])].reduce((a, b) => (b[1] > a[1] ? b : a), [number, 0]);
  const isAlways = which !== number && sessions - times <= Math.min(2, sessions / 10);
  return isAlways ? (tallies[which]?.exerciseName ?? null) : null;
}

/**
 * The figures of a group of at least one session.
 * @param prior the person's prior standard deviation (`priorDeviation`), in points
 */
export function summarizeResponse(table: PainTable, prior: number, rule: ResponseRule): Response {
  const changes = table.changes();
  const estimate = meanEstimate(changes, prior);
  return {
    sessions: table.sessions,
    meanChange: round(estimate.value),
    medianChange: round(medianOf(changes)),
    standardDeviation: round(estimate.deviation),
    interval: intervalOf(estimate),
    responded: round(table.responded(rule) / table.sessions),
    effective: round(table.effective / table.sessions),
  };
}
