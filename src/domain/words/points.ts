/** Figures on the scale of pain, as a person reads them. */

/** A figure with a true minus sign: `−1.3`. */
export function signed(value: number, decimals = 1): string {
  const text = Math.abs(value).toFixed(decimals);
  if (Number(text) === 0) return text;
  return `${value < 0 ? '−' : '+'}${text}`;
}

/** `−1.3 to +0.4` */
export const interval = (ends: readonly number[], decimals = 1): string =>
  ends.map((value) => end(value, decimals)).join(' to ');

/** Decimals of a published figure. */
const MOST_DECIMALS = 4;

/** An end of an interval. One that is not 0 never reads 0.0: on which side of it the end lies is what it says. */
function end(value: number, decimals: number): string {
  const text = signed(value, decimals);
  return value !== 0 && /^[0.]+$/.test(text) && decimals < MOST_DECIMALS ? end(value, decimals + 1) : text;
}
