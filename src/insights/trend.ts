import { addDays, dayNumber, mondayOf } from '../domain/words/day.ts';
import { isWithin, type Period } from './days.ts';
import { differ, type Mean } from './difference.ts';
import { groupBy, round, roundInterval } from './numbers.ts';
import type { Difference, PainLevel, Trend, TrendDirection } from './shapes.ts';
import { autoregression, inflation } from './stats/autoregression.ts';
import { type Estimate, meanEstimate, tInterval } from './stats/estimate.ts';
import { cut, type Interval, meanOf, medianOf, type Point, pointsOf } from './stats/points.ts';
import { sideOf } from './verdict.ts';

/** Below this many days with a known pain, or this many days from the first to the last, no slope is given. */
export const [FEWEST_DAYS, SHORTEST] = [8, 42];
const WEEK = 7;
const FOUR_WEEKS = 28;
const SCALE = [1, 10] as const;

/** What is known of the pain of a day: its first value, and how many sessions there were. */
export interface DayPain {
  readonly pain: number;
  readonly sessions: number;
}

/** The pain of days, in order. */
export type DayPains = ReadonlyMap<string, DayPain>;

/**
 * The trend of the pain of a day, its first value: what comes later on a day depends on what was done.
 * @param asOf the day that the last 4 weeks end with
 */
export function summarizeTrend(days: DayPains, asOf: string): Trend {
  const slope = slopePerWeek(days);
  const last = painLevel(days, { since: addDays(asOf, 1 - FOUR_WEEKS), until: asOf });
  const previous = painLevel(days, {
    since: addDays(asOf, 1 - 2 * FOUR_WEEKS),
    until: addDays(asOf, -FOUR_WEEKS),
  });
  const { difference, interval } = differenceOfLevels(days, previous, last);
  return {
    days: days.size,
    daysWithoutExercise: [...days.values()].filter(({ sessions }) => sessions === 0).length,
    slopePerWeek: slope && round(slope.value),
    interval: slope && roundInterval(tInterval(slope)),
    direction: slope ? directionOf(tInterval(slope)) : 'too-few',
    weeks: grouped(days, mondayOf).map(([week, those]) => ({
      week,
      sessions: sessionsOf(those),
      median: round(medianOf(painsOf(those))),
    })),
    months: grouped(days, (day) => day.slice(0, 7)).map(([month, those]) => ({
      month,
      sessions: sessionsOf(those),
      days: those.length,
      mean: round(meanOf(painsOf(those))),
    })),
    last4Weeks: last,
    previous4Weeks: previous,
    change: difference,
    changeInterval: interval,
  };
}

function slopePerWeek(days: DayPains): Estimate | null {
  const times = Float64Array.from(days.keys(), dayNumber);
  const span = (times.at(-1) ?? 0) - (times[0] ?? 0) + 1;
  if (days.size < FEWEST_DAYS || span < SHORTEST) return null;
  const y = Float64Array.from(days.values(), ({ pain }) => pain);
  return autoregression({
    times,
    x: times.map((time) => (time - (times[0] ?? 0)) / WEEK),
    y,
    length: days.size,
  });
}

function directionOf(interval: Interval): TrendDirection {
  const side = sideOf(interval);
  return side ? ({ less: 'falling', more: 'rising' } as const)[side] : 'unclear';
}

/** Groups of days by a key. */
function grouped(days: DayPains, keyOf: (day: string) => string): [string, DayPain[]][] {
  const groups = groupBy(days, ([day]) => keyOf(day));
  return [...groups].map(([key, those]) => [key, those.map(([, pain]) => pain)]);
}

const sessionsOf = (days: readonly DayPain[]): number =>
  days.reduce((sum, { sessions }) => sum + sessions, 0);

/** The pains of days with their counts, ascending. */
const painsOf = (days: readonly DayPain[]): Point[] => pointsOf(days.map(({ pain }) => pain));

/** The pain of the days in a span. */
export function painLevel(all: DayPains, period: Period): PainLevel {
  const those = [...all].filter(([day]) => isWithin(day, period)).map(([, day]) => day);
  const { since, until } = period;
  const known = { since, until, sessions: sessionsOf(those), days: those.length };
  if (those.length === 0)
    return { ...known, median: null, mean: null, standardDeviation: null, interval: null };
  const points = painsOf(those);
  const estimate = meanEstimate(points);
  return {
    ...known,
    median: round(medianOf(points)),
    mean: round(estimate.value),
    standardDeviation: round(estimate.deviation),
    interval: roundInterval(cut(tInterval(estimate), SCALE)),
  };
}

/** How the mean pain of the days, which resemble each other, differs between two spans. */
export function differenceOfLevels(
  days: DayPains,
  first: PainLevel | null,
  second: PainLevel | null,
): Difference {
  const furthest = SCALE[1] - SCALE[0];
  const times = first && second ? inflationOf(days, first, second) : 1;
  return differ(first && meanOfLevel(first), second && meanOfLevel(second), { furthest, times });
}

/** The mean of the days of a span; null where there are none. */
function meanOfLevel({ mean, standardDeviation, days }: PainLevel): Mean | null {
  return mean === null || standardDeviation === null ? null : { mean, standardDeviation, sessions: days };
}

/** How many times the variance of the difference of two spans is what it would be if days did not resemble each other. */
function inflationOf(days: DayPains, first: Period, second: Period): number {
  const those = [...days].filter(([day]) => isWithin(day, first) || isWithin(day, second));
  return inflation({
    times: those.map(([day]) => dayNumber(day)),
    x: those.map(([day]) => Number(isWithin(day, second))),
    y: those.map(([, { pain }]) => pain),
    length: those.length,
  });
}
