import { type Estimate, moderated } from './estimate.ts';

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
 * @param prior the deviation that the residuals are moderated by
 * @returns null where x and the group are collinear: less information than one observation has
 */
export function adjustedDifference(first: Sums, second: Sums, prior: number): Estimate | null {
  const [a, b] = [centred(first), centred(second)];
  const [xx, xy, yy] = [a.xx + b.xx, a.xy + b.xy, a.yy + b.yy];
  const apart = first.x / first.n - second.x / second.n;
  if (xx === 0 && apart !== 0) return null;
  const slope = xx === 0 ? 0 : xy / xx;
  const size = 1 / (1 / first.n + 1 / second.n + (xx === 0 ? 0 : apart ** 2 / xx));
  if (!(size >= LEAST_SIZE)) return null;
  const residual = Math.max(0, yy - slope * xy);
  return {
    value: first.y / first.n - second.y / second.n - slope * apart,
    size,
    ...moderated(residual, first.n + second.n - 3, prior),
  };
}

/** Sums of squares and products about the means. */
function centred({ n, x, y, xx, xy, yy }: Sums): Pick<Sums, 'xx' | 'xy' | 'yy'> {
  return { xx: xx - (x * x) / n, xy: xy - (x * y) / n, yy: yy - (y * y) / n };
}
