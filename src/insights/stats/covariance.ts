import { type Estimate, moderated, pooled, satterthwaite } from './estimate.ts';

/** Below this a covariate says nothing that those before it do not say already. */
const DEPENDENT = 1e-7;
/** What rounding leaves of a covariate that others say already. */
const REMAINDER = 1e-6;
/** Below this size covariates tell two sides apart so well that nothing is left to compare. */
const LEAST_SIZE = 1;
/** The share of the variance of a reading that is error, of what no other covariate says. */
const ERROR = 1 / 3;

/** Sums of one group about its own means. */
interface Group {
  readonly key: number;
  n: number;
  mean: number;
  squares: number;
  readonly means: Float64Array;
  readonly products: Float64Array;
  /** The lower half of a symmetric matrix. */
  readonly matrix: Float64Array;
  /** Of 1, the covariates and the response: their sums over the last day, and over all days of those of one session times another. */
  days: number;
  readonly day: Float64Array;
  pairs: Float64Array | undefined;
}

/**
 * Analysis of covariance (Fisher 1932) of several groups with common slopes: each group's mean response at the same
 * covariates. Observations are added one by one, and the sums kept about the means (Welford 1962).
 *
 * Each group has a deviation of its own, moderated towards that of all residuals, and variances are put together as Welch
 * does (White 1980, Econometrica 48:817–838): one exercise may vary more than the others.
 */
export class Covariance {
  /** In the order of their first observations. */
  readonly #groups: Group[] = [];
  readonly #byKey = new Map<number, Group>();
  readonly #size: number;
  readonly #step: Float64Array;
  /** The slopes, and what solving them leaves for others: made again after each observation that is asked about. */
  readonly #factor: Float64Array;
  readonly #slopes: Float64Array;
  readonly #direction: Float64Array;
  readonly #apart: Float64Array;
  #deviations: { deviation: number; freedom: number }[] = [];
  #isFresh = false;

  /** @param size number of covariates */
  constructor(size: number) {
    this.#size = size;
    this.#step = new Float64Array(size);
    this.#factor = new Float64Array(size * size);
    this.#slopes = new Float64Array(size);
    this.#direction = new Float64Array(size);
    this.#apart = new Float64Array(size);
  }

  count(group: number): number {
    return this.#byKey.get(group)?.n ?? 0;
  }

  /**
   * @param group any number by which the group is known
   * @param isSameDay whether its day is that of the group's last observation
   */
  add(group: number, covariates: Float64Array, response: number, isSameDay = false): void {
    const k = this.#size;
    const own = this.#groupAt(group);
    addToDay(own, covariates.subarray(0, k), response, isSameDay);
    own.n += 1;
    const weight = (own.n - 1) / own.n;
    const step = this.#step;
    const apart = response - own.mean;
    own.mean += apart / own.n;
    own.squares += weight * apart * apart;
    for (let i = 0; i < k; i += 1) step[i] = at(covariates, i) - at(own.means, i);
    for (let i = 0; i < k; i += 1) {
      const difference = at(step, i);
      if (difference === 0) continue;
      own.means[i] = at(own.means, i) + difference / own.n;
      own.products[i] = at(own.products, i) + weight * difference * apart;
      for (let j = 0; j <= i; j += 1)
        own.matrix[i * k + j] = at(own.matrix, i * k + j) + weight * difference * at(step, j);
    }
    this.#isFresh = false;
  }

  mean(group: number, covariate: number): number {
    return this.#byKey.get(group)?.means[covariate] ?? 0;
  }

  /** The means of a group's covariates, with others for the first ones. */
  moved(group: number, first: readonly number[]): Float64Array {
    const means = Float64Array.from(this.#groupAt(group).means);
    means.set(first);
    return means;
  }

  /**
   * The mean response of a group at these covariates.
   * @returns null where the group says nothing about them: it was never seen there, and no other group leads there
   */
  level(group: number, covariates: Float64Array): Estimate | null {
    this.#solve();
    const own = this.#byKey.get(group);
    if (!own) return null;
    const apart = this.#apart;
    for (let i = 0; i < this.#size; i += 1) apart[i] = at(own.means, i) - at(covariates, i);
    return this.#estimate(own.mean, [[group, 1]]);
  }

  /**
   * By how much the mean response of a group is higher than that of other groups together, each as often as it was seen,
   * at the same covariates.
   * @param others not the group itself
   * @param reading what one unit more of a value that is read with an error adds to each covariate; the response is a difference
   *   to it. The contrast is then the one nearer to 0, with the slopes that least squares gives or those that allow for the error.
   * @returns null where they cannot be told apart: less information than one observation has
   */
  contrast(group: number, others: readonly number[], reading?: Float64Array): Estimate | null {
    this.#solve();
    const own = this.#byKey.get(group);
    const total = others.reduce((sum, other) => sum + this.count(other), 0);
    if (!own || total === 0) return null;
    const apart = this.#apart;
    apart.set(own.means);
    let value = own.mean;
    const weights: [number, number][] = [[group, 1]];
    for (const other of others) {
      const { n, mean, means } = this.#byKey.get(other) as Group;
      const share = n / total;
      value -= share * mean;
      for (let i = 0; i < this.#size; i += 1) apart[i] = at(apart, i) - share * at(means, i);
      weights.push([other, share]);
    }
    const estimate = this.#estimate(value, weights);
    if (estimate === null || reading === undefined) return estimate;
    const corrected = estimate.value - this.#attenuation(reading);
    const [low, high] = estimate.value < 0 ? [estimate.value, 0] : [0, estimate.value];
    return { ...estimate, value: Math.min(high, Math.max(low, corrected)) };
  }

  /**
   * What the contrast estimated last owes to slopes that an error of reading makes too flat (Fuller 1987, Measurement Error Models,
   * 2.2). What error adds to the sums, a multiple of reading·readingᵀ, is taken off in closed form (Sherman & Morrison 1950).
   */
  #attenuation(reading: Float64Array): number {
    const solved = this.#apart;
    solve(this.#factor, this.#size, reading, solved);
    const information = product(reading, solved);
    if (information === 0) return 0;
    const slope = Math.max(0, 1 + product(reading, this.#slopes));
    return ((ERROR / (1 - ERROR)) * slope * product(reading, this.#direction)) / information;
  }

  /** What the group's mean and the common slopes leave of a response. */
  residual(group: number, covariates: Float64Array, response: number): number {
    this.#solve();
    const own = this.#groupAt(group);
    let left = response - own.mean;
    for (let i = 0; i < this.#size; i += 1)
      left -= at(this.#slopes, i) * (at(covariates, i) - at(own.means, i));
    return left;
  }

  /**
   * The slope on one covariate, with the others as they are.
   * @returns null where the others say the same, or nearly
   */
  slope(covariate: number): Estimate | null {
    this.#solve();
    this.#apart.fill(0)[covariate] = -1;
    return this.#estimate(0, []);
  }

  /** What the weighted means are, moved along the slopes by what they are apart. */
  #estimate(value: number, weights: readonly (readonly [group: number, weight: number])[]): Estimate | null {
    const k = this.#size;
    const [apart, direction] = [this.#apart, this.#direction];
    if (!solve(this.#factor, k, apart, direction)) return null;
    let information = product(apart, direction);
    for (const [group, weight] of weights) information += weight ** 2 / this.count(group);
    const size = 1 / information;
    if (!(size >= LEAST_SIZE)) return null;
    const share = new Map(weights);
    const parts = this.#groups.map((group, i) => {
      const { deviation, freedom } = this.#deviations[i] as { deviation: number; freedom: number };
      const leverage = quadratic(group.matrix, direction, k) + (share.get(group.key) ?? 0) ** 2 / group.n;
      return { variance: deviation ** 2 * leverage, freedom };
    });
    const variance = parts.reduce((sum, part) => sum + part.variance, 0);
    return {
      value: value - product(this.#slopes, apart),
      size,
      deviation: Math.sqrt(variance * size),
      freedom: satterthwaite(...parts),
    };
  }

  #solve(): void {
    if (this.#isFresh) return;
    const k = this.#size;
    const matrix = this.#factor.fill(0);
    const products = this.#apart.fill(0);
    let days = 0;
    for (const group of this.#groups) {
      days += group.days;
      for (let i = 0; i < k * k; i += 1) matrix[i] = at(matrix, i) + at(group.matrix, i);
      for (let i = 0; i < k; i += 1) products[i] = at(products, i) + at(group.products, i);
    }
    const rank = factor(matrix, k);
    solve(matrix, k, products, this.#slopes);
    const residuals = this.#groups.map((group) => residual(group, this.#slopes, k));
    const squares = residuals.reduce((sum, each) => sum + each, 0);
    const freedom = Math.max(0, days - this.#groups.length - rank);
    const common = moderated(squares, freedom, pooled(squares, freedom)).deviation;
    // What the slopes take from the degrees of freedom, each group gives its share of (MacKinnon & White 1985, J Econometrics 29:305–325).
    const share = freedom / Math.max(1, days - this.#groups.length);
    this.#deviations = this.#groups.map((group, i) =>
      moderated(residuals[i] ?? 0, (group.days - 1) * share, common),
    );
    this.#isFresh = true;
  }

  #groupAt(key: number): Group {
    const known = this.#byKey.get(key);
    if (known) return known;
    const k = this.#size;
    const group: Group = {
      key,
      n: 0,
      mean: 0,
      squares: 0,
      means: new Float64Array(k),
      products: new Float64Array(k),
      matrix: new Float64Array(k * k),
      days: 0,
      day: new Float64Array(k + 2),
      pairs: undefined,
    };
    this.#groups.push(group);
    this.#byKey.set(key, group);
    return group;
  }
}

const at = (values: Float64Array, i: number): number => values[i] as number;

function addToDay(group: Group, covariates: Float64Array, response: number, isSameDay: boolean): void {
  const { day } = group;
  if (!isSameDay) {
    group.days += 1;
    day[0] = 1;
    day.set(covariates, 1);
    day[day.length - 1] = response;
    return;
  }
  const one = Float64Array.of(1, ...covariates, response);
  group.pairs ??= new Float64Array(one.length ** 2);
  const { pairs } = group;
  for (let i = 0; i < one.length; i += 1)
    for (let j = 0; j <= i; j += 1)
      pairs[i * one.length + j] =
        at(pairs, i * one.length + j) + at(one, i) * at(day, j) + at(day, i) * at(one, j);
  for (let i = 0; i < one.length; i += 1) day[i] = at(day, i) + at(one, i);
}

/**
 * Sum of the squared residuals of a group about its own mean, with common slopes. Those of one day are added up before they are
 * squared, so that they may resemble each other, or be one session entered twice (Liang & Zeger 1986, Biometrika 73:13–22).
 */
function residual(group: Group, slopes: Float64Array, k: number): number {
  const { n, days, mean, means, squares, products, matrix, pairs } = group;
  let sum = squares + quadratic(matrix, slopes, k);
  for (let i = 0; i < k; i += 1) sum -= 2 * at(slopes, i) * at(products, i);
  if (pairs) {
    const level = mean - product(slopes, means);
    sum += quadratic(pairs, Float64Array.of(-level, ...slopes.map((slope) => -slope), 1), k + 2);
  }
  return (Math.max(0, sum) * days) / n;
}

/** Of a symmetric matrix, by its lower half. */
function quadratic(matrix: Float64Array, vector: Float64Array, k: number): number {
  let sum = 0;
  for (let i = 0; i < k; i += 1) {
    const x = at(vector, i);
    if (x === 0) continue;
    let row = x * at(matrix, i * k + i);
    for (let j = 0; j < i; j += 1) row += 2 * at(matrix, i * k + j) * at(vector, j);
    sum += x * row;
  }
  return sum;
}

/**
 * Factors a symmetric, positive semidefinite matrix in place as L·Lᵀ (Cholesky). A column that depends on those before it
 * gets a diagonal of 0.
 * @returns the rank
 */
function factor(matrix: Float64Array, k: number): number {
  let rank = 0;
  for (let j = 0; j < k; j += 1) {
    const own = at(matrix, j * k + j);
    let pivot = own;
    for (let i = 0; i < j; i += 1) pivot -= at(matrix, j * k + i) ** 2;
    if (pivot <= DEPENDENT * Math.max(own, 1)) {
      matrix[j * k + j] = 0;
      for (let i = j + 1; i < k; i += 1) matrix[i * k + j] = 0;
      continue;
    }
    rank += 1;
    const diagonal = Math.sqrt(pivot);
    matrix[j * k + j] = diagonal;
    for (let i = j + 1; i < k; i += 1)
      matrix[i * k + j] = (at(matrix, i * k + j) - dot(matrix, k, i, j)) / diagonal;
  }
  return rank;
}

/**
 * Solves for x in L·Lᵀ·x = right, with 0 for what depends on others.
 * @returns false where there is no solution: `right` leads where no group was seen
 */
function solve(matrix: Float64Array, k: number, right: Float64Array, x: Float64Array): boolean {
  let isSolved = true;
  for (let j = 0; j < k; j += 1) {
    let rest = at(right, j);
    for (let c = 0; c < j; c += 1) rest -= at(matrix, j * k + c) * at(x, c);
    const diagonal = at(matrix, j * k + j);
    if (diagonal === 0 && Math.abs(rest) > REMAINDER) isSolved = false;
    x[j] = diagonal === 0 ? 0 : rest / diagonal;
  }
  for (let j = k - 1; j >= 0; j -= 1) {
    const diagonal = at(matrix, j * k + j);
    if (diagonal === 0) continue;
    let rest = at(x, j);
    for (let r = j + 1; r < k; r += 1) rest -= at(matrix, r * k + j) * at(x, r);
    x[j] = rest / diagonal;
  }
  return isSolved;
}

function product(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += at(a, i) * at(b, i);
  return sum;
}

function dot(matrix: Float64Array, k: number, i: number, j: number): number {
  let sum = 0;
  for (let c = 0; c < j; c += 1) sum += at(matrix, i * k + c) * at(matrix, j * k + c);
  return sum;
}
