import type { Point } from './interval.ts';

/** Up to this many changes other than 0 the signed-rank test is exact; above, the normal approximation. */
export const EXACT_LIMIT = 200;

/**
 * Two-sided exact sign test (Arbuthnott 1710; Conover 1999, §3.4): are falls and rises equally likely?
 * Zeros say nothing either way and are left out.
 * @returns the probability, if they were, of a split at least as uneven as this; 1 when all are zeros
 */
export function signTest(changes: readonly Point[]): number {
  const fell = countOf(changes, (value) => value < 0);
  const rose = countOf(changes, (value) => value > 0);
  const n = fell + rose;
  const fewer = Math.min(fell, rose);
  if (2 * fewer >= n) return 1;
  let logTerm = -n * Math.LN2;
  let tail = 0;
  for (let k = 0; k <= fewer; k += 1) {
    tail += Math.exp(logTerm);
    logTerm += Math.log((n - k) / (k + 1));
  }
  return Math.min(1, 2 * tail);
}

/**
 * Two-sided Wilcoxon signed-rank test (Wilcoxon 1945), exact with ties and zeros: the changes other than 0
 * keep the mean rank of those as large, zeros are ranked first and then left out (Pratt 1959), and the
 * distribution is that of the ranks as they are, each with either sign (by convolution, one group of ties
 * after the other). Above EXACT_LIMIT changes a normal approximation with the exact mean and variance.
 * @returns the p-value; 1 when all are zeros
 */
export function signedRankTest(changes: readonly Point[]): number {
  const groups = rankGroups(changes);
  const n = groups.reduce((sum, { size }) => sum + size, 0);
  if (n === 0) return 1;
  const total = groups.reduce((sum, { size, rank2 }) => sum + size * rank2, 0);
  const rose = groups.reduce((sum, { rose, rank2 }) => sum + rose * rank2, 0);
  const smaller = Math.min(rose, total - rose);
  if (n > EXACT_LIMIT) {
    const variance = groups.reduce((sum, { size, rank2 }) => sum + (size * rank2 * rank2) / 4, 0);
    return Math.min(1, 2 * normalTail((total / 2 - smaller) / Math.sqrt(variance)));
  }
  const distribution = groups.reduce(addGroup, [1]);
  let tail = 0;
  for (let sum = 0; sum <= smaller; sum += 1) tail += distribution[sum] ?? 0;
  return Math.min(1, 2 * tail);
}

/** Changes of one size: how many there are, how many rose, and twice their mean rank (a whole number). */
interface RankGroup {
  readonly size: number;
  readonly rose: number;
  readonly rank2: number;
}

function rankGroups(changes: readonly Point[]): RankGroup[] {
  const sizes = [...new Set(changes.map(([value]) => Math.abs(value)))].sort((a, b) => a - b);
  let ranked = 0;
  const groups = sizes.map((size) => {
    const count = countOf(changes, (value) => Math.abs(value) === size);
    const group = {
      size: count,
      rose: countOf(changes, (value) => value === size),
      rank2: 2 * ranked + count + 1,
    };
    ranked += count;
    return { value: size, group };
  });
  return groups.filter(({ value, group }) => value > 0 && group.size > 0).map(({ group }) => group);
}

/** The distribution of the (doubled) rank sum after one more group of ties, each member with either sign. */
function addGroup(distribution: readonly number[], { size, rank2 }: RankGroup): number[] {
  const sum = new Array<number>(distribution.length + size * rank2).fill(0);
  const chance = binomialHalf(size);
  for (const [at, p] of distribution.entries()) {
    if (p === 0) continue;
    for (const [rose, q] of chance.entries()) sum[at + rose * rank2] = (sum[at + rose * rank2] ?? 0) + p * q;
  }
  return sum;
}

function binomialHalf(n: number): number[] {
  const chances: number[] = [];
  let logChance = -n * Math.LN2;
  for (let k = 0; k <= n; k += 1) {
    chances.push(Math.exp(logChance));
    logChance += Math.log((n - k) / (k + 1));
  }
  return chances;
}

function countOf(points: readonly Point[], wanted: (value: number) => boolean): number {
  return points.reduce((sum, [value, count]) => (wanted(value) ? sum + count : sum), 0);
}

/** P(Z > z) for z ≥ 0, relative error below 1.2e-7 (Press et al. 1992, §6.2, erfcc). */
function normalTail(z: number): number {
  const x = z / Math.SQRT2;
  const t = 1 / (1 + x / 2);
  const poly = [
    -1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587,
    -0.82215223, 0.17087277,
  ].reduceRight((sum, coefficient) => sum * t + coefficient, 0);
  return (t * Math.exp(-x * x + poly)) / 2;
}
