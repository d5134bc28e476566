import { dayNumber, dayOf, isWithin, mondayOf, type Period } from './days.ts';
import { round, roundInterval } from './numbers.ts';
import type { MonthLevel, PainLevel, Trend, TrendDirection } from './shapes.ts';
import { type Estimate, meanEstimate, moderatedFreedom, tInterval, welch } from './stats/estimate.ts';
import { countOf, cut, type Interval, meanOf, medianOf, type Point } from './stats/points.ts';
import { type Observation, theilSen } from './stats/theil-sen.ts';

/** Below this many days with sessions no slope is given. */
export const FEWEST_DAYS = 6;
/** The slope is of the medians of single days, or of weeks, 4 weeks, … : the shortest spans that are no more than this. */
const MOST_SPANS = 730;
const FOUR_WEEKS = 28;
const SCALE = [1, 10] as const;

/** The pains before of each day: how many sessions began at 1, 2, … 10. */
export type DayPains = ReadonlyMap<string, Float64Array>;

/**
 * The trend of the pain before exercise.
 * @param asOf the day that the last 4 weeks end with
 */
export function summarizeTrend(days: DayPains, asOf: string): Trend {
  const daily: Moment[] = [...days.keys()]
    .sort()
    .map((day) => ({ time: dayNumber(day), points: pointsOf(days.get(day)) }));
  const weekly = bySpan(daily, 7);
  let spans: readonly Moment[] = daily;
  let spanDays = 1;
  while (spans.length > MOST_SPANS) {
    spanDays *= spanDays === 1 ? 7 : 4;
    spans = bySpan(daily, spanDays);
  }
  const slope = daily.length < FEWEST_DAYS ? null : slopePerWeek(spans);
  const end = dayNumber(asOf);
  const last = painLevel(days, { since: dayOf(end - FOUR_WEEKS + 1), until: asOf });
  const previous = painLevel(days, {
    since: dayOf(end - 2 * FOUR_WEEKS + 1),
    until: dayOf(end - FOUR_WEEKS),
  });
  return {
    days: daily.length,
    slopePerWeek: slope && round(slope.slope),
    interval: slope && roundInterval(slope.interval),
    spanDays,
    direction: slope ? directionOf(slope.interval) : 'too-few',
    weeks: weekly.map(({ time, points }) => ({
      week: dayOf(time),
      sessions: countOf(points),
      median: round(medianOf(points)),
    })),
    months: byMonth(days),
    last4Weeks: last,
    previous4Weeks: previous,
    ...levelChange(previous, last),
  };
}

interface Moment {
  readonly time: number;
  readonly points: readonly Point[];
}

function slopePerWeek(moments: readonly Moment[]): { slope: number; interval: Interval } {
  const observations: Observation[] = moments.map(({ time, points }) => ({
    time: time / 7,
    value: medianOf(points),
  }));
  if (observations.length < 2)
    return { slope: 0, interval: [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY] };
  return theilSen(observations);
}

function directionOf([low, high]: Interval): TrendDirection {
  if (high < 0) return 'falling';
  return low > 0 ? 'rising' : 'unclear';
}

/** Days put together in spans of whole weeks, each from a Monday. */
function bySpan(daily: readonly Moment[], spanDays: number): Moment[] {
  const spans = new Map<number, Float64Array>();
  for (const { time, points } of daily) {
    const monday = mondayOf(time);
    const start = monday - ((((monday + 3) % spanDays) + spanDays) % spanDays);
    const counts = spans.get(start) ?? new Float64Array(SCALE[1]);
    for (const [value, count] of points) counts[value - 1] = (counts[value - 1] ?? 0) + count;
    spans.set(start, counts);
  }
  return [...spans].map(([time, counts]) => ({ time, points: pointsOf(counts) }));
}

/** The pain before of the sessions in a span of days. */
export function painLevel(days: DayPains, period: Period): PainLevel {
  const points = sumOf([...days].filter(([day]) => isWithin(day, period)).map(([, pains]) => pains));
  const sessions = countOf(points);
  const { since, until } = period;
  if (sessions === 0)
    return { since, until, sessions, median: null, mean: null, standardDeviation: null, interval: null };
  const estimate = meanEstimate(points);
  return {
    since,
    until,
    sessions,
    median: round(medianOf(points)),
    mean: round(estimate.value),
    standardDeviation: round(estimate.deviation),
    interval: roundInterval(cut(tInterval(estimate), SCALE)),
  };
}

/** How the mean pain before differs between two spans, second − first. */
function levelChange(first: PainLevel, second: PainLevel): Pick<Trend, 'change' | 'changeInterval'> {
  const [then, now] = [first, second].map(({ mean, standardDeviation, sessions }) =>
    mean === null || standardDeviation === null ? null : { mean, standardDeviation, sessions },
  );
  if (!then || !now) return { change: null, changeInterval: null };
  return {
    change: round(now.mean - then.mean),
    changeInterval: differenceOfMeans(then, now, SCALE[1] - SCALE[0]),
  };
}

/** A mean of sessions as a summary gives it. */
interface Mean {
  readonly mean: number;
  readonly standardDeviation: number;
  readonly sessions: number;
}

/**
 * The 95 % interval of the difference of two means, second − first.
 * @param furthest the largest difference that the scale allows
 */
export function differenceOfMeans(first: Mean, second: Mean, furthest: number): Interval {
  const estimate = welch(estimateOf(first), estimateOf(second));
  return roundInterval(cut(tInterval(estimate), [-furthest, furthest]));
}

function estimateOf({ mean: value, standardDeviation: deviation, sessions: size }: Mean): Estimate {
  return { value, deviation, size, freedom: moderatedFreedom(size) };
}

function byMonth(days: DayPains): MonthLevel[] {
  const months = new Map<string, Float64Array[]>();
  for (const [day, pains] of days) {
    const month = day.slice(0, 7);
    months.set(month, [...(months.get(month) ?? []), pains]);
  }
  return [...months.keys()].sort().map((month) => {
    const points = sumOf(months.get(month) ?? []);
    return { month, sessions: countOf(points), mean: round(meanOf(points)) };
  });
}

/** Counts of pain levels put together. */
function sumOf(counts: readonly Float64Array[]): Point[] {
  const sum = new Float64Array(SCALE[1]);
  for (const each of counts)
    for (const [level, count] of each.entries()) sum[level] = (sum[level] ?? 0) + count;
  return pointsOf(sum);
}

/** Counts of the pain levels 1, 2, … 10 as points. */
export function pointsOf(counts: Float64Array = new Float64Array()): Point[] {
  return [...counts.entries()].flatMap(([level, count]): Point[] => (count > 0 ? [[level + 1, count]] : []));
}
