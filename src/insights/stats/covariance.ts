import { type Estimate, moderated, pooled, satterthwaite } from './estimate.ts';

/** Relative pivot below which a covariate counts as linearly dependent on those before it. */
const DEPENDENT = 1e-7;
/** Largest remainder, by rounding, of the equation of a dependent covariate that still counts as 0. */
const REMAINDER = 1e-6;
/** Effective sample size below which a figure is not estimable: the covariates separate the groups almost completely. */
const LEAST_SIZE = 1;
/** Share of measurement error in that variance of a reading which no other covariate explains. */
const ERROR = 1 / 3;

/** Sums of squares and products of one group about its own means. */
interface Group {
  readonly key: number;
  n: number;
  mean: number;
  squares: number;
  readonly means: Float64Array;
  readonly products: Float64Array;
  /** The lower half of a symmetric matrix. */
  readonly matrix: Float64Array;
  /**
   * Clusters by day, of the vector (1, covariates, response): their number, the sum over the last day, and the sum over all
   * days of cross products between different observations of a day.
   */
  days: number;
  readonly day: Float64Array;
  pairs: Float64Array | undefined;
}

/**
 * Analysis of covariance (Fisher 1932) of several groups with common slopes: the mean response of each group at the same
 * covariates. Observations are added one by one, and the sums kept about the means (Welford 1962).
 *
 * Each group has a residual standard deviation of its own, moderated towards the pooled one, and variances are combined without
 * assuming them equal, as Welch does (White 1980, Econometrica 48:817–838): one exercise may vary more than the others.
 */
export class Covariance {
  /** In the order of their first observations. */
  readonly #groups: Group[] = [];
  readonly #byKey = new Map<number, Group>();
  readonly #size: number;
  readonly #step: Float64Array;
  /** Cholesky factor, slopes, and work vectors; computed again by the first query after an observation was added. */
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
   * Adds an observation.
   * @param group any number by which the group is known
   * @param isSameDay whether it is on the day of the group's last observation, and so in the same cluster
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

  /** The means of a group's covariates, the first ones replaced by `first`. */
  moved(group: number, first: readonly number[]): Float64Array {
    const means = Float64Array.from(this.#groupAt(group).means);
    means.set(first);
    return means;
  }

  /**
   * The adjusted mean response of a group at these covariates.
   * @returns null if it is not estimable: the group was never seen there, and no slope leads there
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
   * The adjusted mean response of a group minus that of other groups together, weighted by their numbers of observations.
   * @param others the other groups, without the group itself
   * @param reading the change of each covariate per unit of a variable that is measured with error, from which the response
   *   is a difference. The contrast is then the one nearer to 0, with slopes by least squares or corrected for the error; 0 if
   *   their signs differ.
   * @returns null if it is not estimable: less information than one observation has
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
   * The bias of the last contrast by attenuation: measurement error flattens slopes (Fuller 1987, Measurement Error Models,
   * 2.2). What error adds to the sums, a multiple of reading·readingᵀ, is removed in closed form (Sherman & Morrison 1950).
   */
  #attenuation(reading: Float64Array): number {
    const solved = this.#apart;
    solve(this.#factor, this.#size, reading, solved);
    const information = product(reading, solved);
    if (information === 0) return 0;
    const slope = Math.max(0, 1 + product(reading, this.#slopes));
    return ((ERROR / (1 - ERROR)) * slope * product(reading, this.#direction)) / information;
  }

  /** The residual of a response from the group's mean and the common slopes. */
  residual(group: number, covariates: Float64Array, response: number): number {
    this.#solve();
    const own = this.#groupAt(group);
    let left = response - own.mean;
    for (let i = 0; i < this.#size; i += 1)
      left -= at(this.#slopes, i) * (at(covariates, i) - at(own.means, i));
    return left;
  }

  /**
   * The partial slope on one covariate, adjusted for the others.
   * @returns null if it is collinear with them, or nearly so
   */
  slope(covariate: number): Estimate | null {
    this.#solve();
    this.#apart.fill(0)[covariate] = -1;
    return this.#estimate(0, []);
  }

  /** The weighted sum of group means `value`, adjusted along the slopes for the difference of covariates `#apart`. */
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
    // Each group bears its share of the degrees of freedom that the slopes use up (MacKinnon & White 1985, J
    // Econometrics 29:305–325).
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
 * Sum of the squared residuals of a group about its own mean, with common slopes, clustered by day: residuals of one day are
 * added up before they are squared, because they may be correlated, or one session entered twice (Liang & Zeger 1986,
 * Biometrika 73:13–22).
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

/** The quadratic form of a vector and a symmetric matrix, of which the lower half is read. */
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
 * Solves L·Lᵀ·x = right for x, with 0 for dependent columns.
 * @returns false if there is no solution: `right` has a part along which no group varies
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
