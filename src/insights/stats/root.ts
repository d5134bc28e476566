/**
 * A root of a function that changes sign between `low` and `high`, to within `tolerance`: the ITP method
 * (Oliveira & Takahashi 2020), which never needs more steps than bisection and usually far fewer.
 */
export function findRoot(f: (x: number) => number, low: number, high: number, tolerance = 1e-6): number {
  let [a, b] = [low, high];
  let [fa, fb] = [f(a), f(b)];
  if (fa === 0) return a;
  if (fb === 0) return b;
  const rising = fa < 0 ? 1 : -1;
  const steps = Math.max(0, Math.ceil(Math.log2((b - a) / (2 * tolerance)))) + 1;
  for (let j = 0; b - a > 2 * tolerance && j <= steps; j += 1) {
    const middle = (a + b) / 2;
    const slack = Math.max(0, tolerance * 2 ** (steps - j) - (b - a) / 2);
    const secant = (fb * a - fa * b) / (fb - fa);
    const towards = Math.sign(middle - secant);
    const truncation = Math.min((0.2 / (high - low)) * (b - a) ** 2, Math.abs(middle - secant));
    const truncated = secant + towards * truncation;
    const x = Math.abs(truncated - middle) <= slack ? truncated : middle - towards * slack;
    const fx = f(x);
    if (fx === 0) return x;
    if (fx * rising > 0) [b, fb] = [x, fx];
    else [a, fa] = [x, fx];
  }
  return (a + b) / 2;
}
