import type { Interval } from './points.ts';

/** An observation at a time; times are distinct. */
export interface Observation {
  readonly time: number;
  readonly value: number;
}

/** A slope per unit of time, with a 95 % interval. */
export interface Slope {
  readonly slope: number;
  readonly interval: Interval;
}

const Z_975 = 1.959963984540054;
/** Up to this many observations Kendall's distribution is counted out; above, the normal approximation. */
const EXACT_LIMIT = 20;

/**
 * Theil–Sen slope: the median of the slopes of all pairs (Theil 1950, Sen 1968), which a few odd days
 * cannot bend. The interval is Sen's: the pair slopes whose ranks Kendall's S would reach by chance. With
 * at most 20 observations the distribution of S without ties is used, exactly (ties make it cautious);
 * above, a normal approximation with Kendall's variance for ties (Kendall 1955).
 *
 * Takes memory and time of the order of the square of the observations: give it 1,000 at most.
 * @param observations at least 2, at distinct times
 */
export function theilSen(observations: readonly Observation[]): Slope {
  const slopes = pairSlopes(observations);
  const n = slopes.length;
  const width = kendallWidth(observations.map(({ value }) => value));
  const low = Math.max(0, Math.floor((n - width) / 2) - 1);
  const at = (index: number) => slopes[index] ?? Number.NaN;
  return {
    slope: (at(Math.floor((n - 1) / 2)) + at(Math.floor(n / 2))) / 2,
    interval: [at(low), at(n - 1 - low)],
  };
}

function pairSlopes(observations: readonly Observation[]): Float64Array {
  const times = Float64Array.from(observations, ({ time }) => time);
  const values = Float64Array.from(observations, ({ value }) => value);
  const slopes = new Float64Array((times.length * (times.length - 1)) / 2);
  let next = 0;
  for (let i = 1; i < times.length; i += 1)
    for (let j = 0; j < i; j += 1) {
      slopes[next] =
        ((values[i] as number) - (values[j] as number)) / ((times[i] as number) - (times[j] as number));
      next += 1;
    }
  return slopes.sort();
}

/** The value C that |S| exceeds with a chance of at most 5 % when there is no trend. */
function kendallWidth(values: readonly number[]): number {
  return values.length <= EXACT_LIMIT
    ? exactWidth(values.length)
    : Z_975 * Math.sqrt(kendallVariance(values));
}

function kendallVariance(values: readonly number[]): number {
  const ties = new Map<number, number>();
  for (const value of values) ties.set(value, (ties.get(value) ?? 0) + 1);
  const term = (count: number) => count * (count - 1) * (2 * count + 5);
  return [...ties.values()].reduce((rest, count) => rest - term(count), term(values.length)) / 18;
}

/** From the number of permutations with each number of inversions (Kendall 1938): S = pairs − 2 × inversions. */
function exactWidth(n: number): number {
  let chances = [1];
  for (let size = 2; size <= n; size += 1) {
    const wider = new Array<number>(chances.length + size - 1).fill(0);
    for (const [inversions, chance] of chances.entries())
      for (let more = 0; more < size; more += 1)
        wider[inversions + more] = (wider[inversions + more] ?? 0) + chance / size;
    chances = wider;
  }
  let tail = 0;
  let inversions = 0;
  for (; tail + (chances[inversions] ?? 1) <= 0.025; inversions += 1) tail += chances[inversions] ?? 1;
  return chances.length - 1 - 2 * inversions;
}
