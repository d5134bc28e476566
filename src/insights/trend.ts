import { addDays, dayNumber, mondayOf } from '../domain/words/day.ts';
import { isWithin, type Period } from './days.ts';
import { differ, type Mean } from './difference.ts';
import { averageOf, groupBy, round, roundInterval } from './numbers.ts';
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

/** The source of a pain value: null for pain before the first session, otherwise the rank of the entry in its day. */
type Kind = number | null;

/** The pain of a day: its value, and the number of sessions. */
export interface DayPain {
  readonly pain: number;
  readonly kind: Kind;
  readonly sessions: number;
}

/** The pain of days, in order. */
export type DayPains = ReadonlyMap<string, DayPain>;

/**
 * The trend of daily pain, before any exercise. Mornings, evenings, and days with and without exercise differ, and a person who
 * begins to record one of them changes the mix, not the pain: each value is centred on the mean of its kind.
 * @param asOf the day that the last 4 weeks end with
 * @param since the first day that was asked for; the 4 weeks before the last are compared only if they are complete
 */
export function summarizeTrend(days: DayPains, asOf: string, since = ''): Trend {
  const slope = slopePerWeek(days);
  const last = painLevel(days, { since: addDays(asOf, 1 - FOUR_WEEKS), until: asOf });
  const before = { since: addDays(asOf, 1 - 2 * FOUR_WEEKS), until: addDays(asOf, -FOUR_WEEKS) };
  const previous = painLevel(since > before.since ? new Map() : days, before);
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
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  if (days.size < FEWEST_DAYS || last - first + 1 < SHORTEST) return null;
  const all = [...days.values()];
  const x = lessThoseAlike(all, (_, i) => ((times[i] ?? 0) - first) / WEEK);
  const y = lessThoseAlike(all, ({ pain }) => pain);
  return autoregression({ times, x, y, length: days.size });
}

/** The values of days, each centred on the mean of its kind. */
function lessThoseAlike(days: readonly DayPain[], figureOf: (day: DayPain, i: number) => number): number[] {
  const values = days.map(figureOf);
  const alike = groupBy(values.keys(), (i) => days[i]?.kind);
  const means = new Map(
    [...alike].map(([kind, those]) => [kind, averageOf(those.map((i) => values[i] ?? 0))]),
  );
  return values.map((value, i) => value - (means.get(days[i]?.kind) ?? 0));
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

/**
 * The difference of mean daily pain between two spans, with autocorrelation allowed for. The interval also covers the
 * difference standardized to equal shares of each kind of value, and a shift is reported only if both agree on it.
 */
export function differenceOfLevels(
  days: DayPains,
  first: PainLevel | null,
  second: PainLevel | null,
): Difference {
  const furthest = SCALE[1] - SCALE[0];
  const times = first && second ? inflationOf(days, first, second) : 1;
  const options = { furthest, times };
  const [one, other] = [first && meanOfLevel(first), second && meanOfLevel(second)];
  const found = differ(one, other, options);
  if (!first || !second || !found.interval) return found;
  const [low, high] = found.interval;
  const alike = differ(...atEqualShares(days, first, second), options);
  const [lowAlike, highAlike] = alike.interval ?? [-furthest, furthest];
  return {
    ...found,
    interval: [Math.min(low, lowAlike), Math.max(high, highAlike)],
    shift: found.shift === alike.shift || found.shift === 'too-few' ? found.shift : 'unclear',
  };
}

/** Means of two spans, standardized to equal weights of the kinds of values that both have; null if they have none in common. */
function atEqualShares(days: DayPains, first: PainLevel, second: PainLevel): [Mean | null, Mean | null] {
  const painsIn = (those: readonly [string, DayPain][], period: Period) =>
    those.filter(([day]) => isWithin(day, period)).map(([, { pain }]) => pain);
  const kinds = [...groupBy(days, ([, { kind }]) => kind).values()]
    .map((those) => ({ one: painsIn(those, first), other: painsIn(those, second) }))
    .filter(({ one, other }) => one.length > 0 && other.length > 0)
    .map((kind) => ({ ...kind, weight: 1 / (1 / kind.one.length + 1 / kind.other.length) }));
  if (kinds.length === 0) return [null, null];
  const total = kinds.reduce((sum, { weight }) => sum + weight, 0);
  const meanOver = (of: 'one' | 'other', { standardDeviation }: PainLevel): Mean => {
    const mean = kinds.reduce((sum, kind) => sum + (kind.weight / total) * averageOf(kind[of]), 0);
    const variance = kinds.reduce((sum, kind) => sum + (kind.weight / total) ** 2 / kind[of].length, 0);
    return { mean, standardDeviation: standardDeviation ?? 0, sessions: 1 / variance };
  };
  return [meanOver('one', first), meanOver('other', second)];
}

/** The mean of the days of a span; null where there are none. */
function meanOfLevel({ mean, standardDeviation, days }: PainLevel): Mean | null {
  return mean === null || standardDeviation === null ? null : { mean, standardDeviation, sessions: days };
}

/** Variance inflation, by autocorrelation, of the difference between two spans. */
function inflationOf(days: DayPains, first: Period, second: Period): number {
  const those = [...days].filter(([day]) => isWithin(day, first) || isWithin(day, second));
  return inflation({
    times: those.map(([day]) => dayNumber(day)),
    x: those.map(([day]) => Number(isWithin(day, second))),
    y: those.map(([, { pain }]) => pain),
    length: those.length,
  });
}
