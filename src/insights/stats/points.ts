/** A value and how many times it was seen. */
export type Point = readonly [value: number, count: number];
export type Interval = [low: number, high: number];

/** Values with their counts, ascending. */
export function pointsOf(values: Iterable<number>): Point[] {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => a - b);
}

/** How many values there are. */
export function countOf(points: readonly Point[]): number {
  return points.reduce((sum, [, count]) => sum + count, 0);
}

/** The mean of values with counts. NaN when there are none. */
export function meanOf(points: readonly Point[]): number {
  return points.reduce((sum, [value, count]) => sum + value * count, 0) / countOf(points);
}

/** The sum of the squared distances from the mean. */
export function squaresOf(points: readonly Point[]): number {
  const mean = meanOf(points);
  return points.reduce((sum, [value, count]) => sum + count * (value - mean) ** 2, 0);
}

/** The median of values with counts, given in ascending order. NaN when there are none. */
export function medianOf(points: readonly Point[]): number {
  const count = countOf(points);
  return (nth(points, Math.floor((count - 1) / 2)) + nth(points, Math.floor(count / 2))) / 2;
}

function nth(points: readonly Point[], index: number): number {
  let seen = 0;
  for (const [value, count] of points) {
    seen += count;
    if (index < seen) return value;
  }
  return Number.NaN;
}

/** A value limited to a range. */
export const within = (value: number, [lowest, highest]: Readonly<Interval>): number =>
  Math.max(lowest, Math.min(value, highest));

/** An interval limited to a range. */
export const cut = ([low, high]: Readonly<Interval>, range: Readonly<Interval>): Interval => [
  within(low, range),
  within(high, range),
];
