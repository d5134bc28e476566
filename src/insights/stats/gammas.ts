/** One term of a sum of independent gamma variables: `scale` × Gamma(`shape`, 1). A negative scale subtracts. */
export interface GammaTerm {
  readonly scale: number;
  readonly shape: number;
}

/** Tails of e^-16 ≈ 1e-7 are left out, and terms once the characteristic function is below 1e-6. */
const TAIL = 16;
const NEGLIGIBLE = 1e-6;
const MAX_STEPS = 50_000;

/**
 * P(Σ scaleᵢ Gᵢ ≤ 0) for independent Gᵢ ~ Gamma(shapeᵢ, 1), to about 2e-7: the characteristic function
 * inverted numerically (Gil-Pelaez 1951) by the rule of Davies (1973), whose step is chosen so that the
 * sum's tails beyond it are negligible.
 * @returns a probability; 1 when every term is zero or negative, 0 when every one is positive
 */
export function probabilityNotPositive(terms: readonly GammaTerm[]): number {
  const moving = terms.filter(({ scale, shape }) => scale !== 0 && shape > 0);
  if (moving.every(({ scale }) => scale < 0)) return 1;
  if (moving.every(({ scale }) => scale > 0)) return 0;
  const step = (2 * Math.PI) / reach(moving);
  let sum = 0;
  for (let k = 0; k < MAX_STEPS; k += 1) {
    const { modulus, angle } = characteristic(moving, (k + 0.5) * step);
    sum += (modulus * Math.sin(angle)) / (k + 0.5);
    if (modulus < NEGLIGIBLE) break;
  }
  return Math.min(1, Math.max(0, 0.5 - sum / Math.PI));
}

/** The distance from 0 that the sum exceeds with probability below e^-TAIL (Chernoff, sub-gamma). */
function reach(terms: readonly GammaTerm[]): number {
  let mean = 0;
  let variance = 0;
  let largest = 0;
  for (const { scale, shape } of terms) {
    mean += shape * scale;
    variance += shape * scale * scale;
    largest = Math.max(largest, Math.abs(scale));
  }
  return Math.abs(mean) + Math.sqrt(2 * variance * TAIL) + largest * TAIL;
}

/** E exp(iuQ) = Π (1 − iu·scale)^−shape, in polar form. */
function characteristic(terms: readonly GammaTerm[], u: number): { modulus: number; angle: number } {
  let logModulus = 0;
  let angle = 0;
  for (const { scale, shape } of terms) {
    const x = u * scale;
    logModulus -= 0.5 * shape * Math.log1p(x * x);
    angle += shape * Math.atan(x);
  }
  return { modulus: Math.exp(logModulus), angle };
}
