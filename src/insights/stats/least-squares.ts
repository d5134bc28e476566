import { type Estimate, moderated, satterthwaite } from './estimate.ts';

/** Sums over observations of a regressor x and a response y. */
export interface Sums {
  readonly n: number;
  readonly x: number;
  readonly y: number;
  readonly xx: number;
  readonly xy: number;
  readonly yy: number;
}

export const noSums: Sums = { n: 0, x: 0, y: 0, xx: 0, xy: 0, yy: 0 };

/** The sums with an observation more, `times` over; with negative `times`, fewer. */
export function plus(sums: Sums, x: number, y: number, times = 1): Sums {
  return add(sums, { n: 1, x, y, xx: x * x, xy: x * y, yy: y * y }, times);
}

/** The sums of `all` without those of `some`. */
export const without = (all: Sums, some: Sums): Sums => add(all, some, -1);

function add(a: Sums, b: Sums, times: number): Sums {
  return {
    n: a.n + times * b.n,
    x: a.x + times * b.x,
    y: a.y + times * b.y,
    xx: a.xx + times * b.xx,
    xy: a.xy + times * b.xy,
    yy: a.yy + times * b.yy,
  };
}

/** Below this size x tells the two groups apart so well that nothing is left to compare. */
const LEAST_SIZE = 1;

/**
 * By how much y is higher in the first group than in the second at the same x: the coefficient of the
 * indicator in the least squares of y on x and the indicator (analysis of covariance, Fisher 1932).
 *
 * Each group has a deviation of its own, moderated towards that of all residuals, and the variances are put
 * together as Welch does (White 1980, Econometrica 48:817–838, for two groups): one exercise may vary more
 * than the others. With one deviation for both, a variable one without effect claims a difference in 20 % each way.
 * @param prior the deviation that all residuals are moderated by
 * @returns null where x and the group are collinear: less information than one observation has
 */
export function adjustedDifference(first: Sums, second: Sums, prior: number): Estimate | null {
  const [a, b] = [centred(first), centred(second)];
  const [xx, xy, yy] = [a.xx + b.xx, a.xy + b.xy, a.yy + b.yy];
  const apart = first.x / first.n - second.x / second.n;
  if (xx === 0 && apart !== 0) return null;
  const slope = xx === 0 ? 0 : xy / xx;
  const leverage = xx === 0 ? 0 : apart / xx;
  const size = 1 / (1 / first.n + 1 / second.n + apart * leverage);
  if (!(size >= LEAST_SIZE)) return null;
  const pooled = moderated(residual({ xx, xy, yy }, slope), first.n + second.n - 3, prior).deviation;
  const variance = (group: Centred) => {
    const { deviation, freedom } = moderated(residual(group, slope), group.n - 1, pooled);
    return { variance: deviation ** 2 * (1 / group.n + leverage ** 2 * group.xx), freedom };
  };
  const [own, others] = [variance(a), variance(b)];
  return {
    value: first.y / first.n - second.y / second.n - slope * apart,
    size,
    deviation: Math.sqrt((own.variance + others.variance) * size),
    freedom: satterthwaite(own, others),
  };
}

/** Sums of squares and products about the means. */
type Centred = Pick<Sums, 'n' | 'xx' | 'xy' | 'yy'>;

function centred({ n, x, y, xx, xy, yy }: Sums): Centred {
  return { n, xx: xx - (x * x) / n, xy: xy - (x * y) / n, yy: yy - (y * y) / n };
}

/** Sum of the squared residuals of a group about its own mean, with a common slope. */
function residual({ xx, xy, yy }: Pick<Sums, 'xx' | 'xy' | 'yy'>, slope: number): number {
  return Math.max(0, yy - 2 * slope * xy + slope ** 2 * xx);
}
