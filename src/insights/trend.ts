import { dayNumber, dayOf, isWithin, mondayOf, type Period } from './days.ts';
import { round, roundInterval } from './numbers.ts';
import {
  differenceInterval,
  type Interval,
  meanInterval,
  meanOf,
  medianOf,
  type Point,
} from './stats/interval.ts';
import { type Observation, theilSen } from './stats/theil-sen.ts';

/** Below this many days with sessions no slope is given. */
export const FEWEST_DAYS = 6;
/** The slope is of the medians of single days, or of weeks, 4 weeks, … : the shortest spans that are no more than this. */
const MOST_SPANS = 730;
const FOUR_WEEKS = 28;
const SCALE = [1, 10] as const;

export type Direction = 'falling' | 'rising' | 'unclear' | 'too-few';

/** The pain before exercise of one span of days. */
export interface PainLevel extends Period {
  readonly sessions: number;
  /** Points on the 1 to 10 scale; null without sessions. */
  readonly median: number | null;
  readonly mean: number | null;
  /** A 95 % interval for the true mean. */
  readonly interval: Interval | null;
}

/** How the pain before exercise went. */
export interface Trend {
  /** Days with sessions. */
  readonly days: number;
  /** Theil–Sen slope of the median pain of each span, points per week; null below 6 days with sessions. */
  readonly slopePerWeek: number | null;
  /** Its 95 % interval (Sen 1968). Days are taken as independent, which makes it narrower than it should be. */
  readonly interval: Interval | null;
  /** Days in a span: 1, with very many days 7, 28, … */
  readonly spanDays: number;
  readonly direction: Direction;
  /** Weeks with sessions, Monday first, with the median of their pain before. */
  readonly weeks: readonly { readonly week: string; readonly sessions: number; readonly median: number }[];
  /** The 28 days up to `asOf`, and the 28 before them. */
  readonly last4Weeks: PainLevel;
  readonly previous4Weeks: PainLevel;
  /** Mean of the last 4 weeks − mean of the 4 before; null when either has no session. */
  readonly change: number | null;
  readonly changeInterval: Interval | null;
}

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
      sessions: points.reduce((sum, [, count]) => sum + count, 0),
      median: round(medianOf(points)),
    })),
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

function directionOf([low, high]: Interval): Direction {
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
  const sum = new Float64Array(SCALE[1]);
  for (const [day, counts] of days)
    if (isWithin(day, period))
      for (const [level, count] of counts.entries()) sum[level] = (sum[level] ?? 0) + count;
  const points = pointsOf(sum);
  const sessions = points.reduce((total, [, count]) => total + count, 0);
  const { since, until } = period;
  if (sessions === 0) return { since, until, sessions, median: null, mean: null, interval: null };
  return {
    since,
    until,
    sessions,
    median: round(medianOf(points)),
    mean: round(meanOf(points)),
    interval: roundInterval(meanInterval(points, SCALE)),
  };
}

/** How the mean pain before differs between two spans, second − first. */
export function levelChange(first: PainLevel, second: PainLevel): Pick<Trend, 'change' | 'changeInterval'> {
  if (first.mean === null || second.mean === null || !first.interval || !second.interval)
    return { change: null, changeInterval: null };
  return {
    change: round(second.mean - first.mean),
    changeInterval: roundInterval(
      differenceInterval(
        { mean: first.mean, interval: first.interval },
        { mean: second.mean, interval: second.interval },
      ),
    ),
  };
}

function pointsOf(counts: Float64Array = new Float64Array()): Point[] {
  return [...counts.entries()].flatMap(([level, count]): Point[] => (count > 0 ? [[level + 1, count]] : []));
}
