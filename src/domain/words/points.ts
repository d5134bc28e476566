/** Formatting of figures on the scale of pain for people. */

/** A figure with its sign, plus or a true minus: `−1.3`. */
export function signed(value: number, decimals = 1): string {
  const text = Math.abs(value).toFixed(decimals);
  if (Number(text) === 0) return text;
  return `${value < 0 ? '−' : '+'}${text}`;
}

/** `−1.3 to +0.4` */
export const interval = (ends: readonly number[], decimals = 1): string =>
  ends.map((value) => end(value, decimals)).join(' to ');

/** Most decimals: as many as a published figure has. */
const MOST_DECIMALS = 4;

/** An end of an interval. If it is not 0, it gets enough decimals not to read 0.0, because the side of 0 is what matters. */
function end(value: number, decimals: number): string {
  const text = signed(value, decimals);
  return value !== 0 && /^[0.]+$/.test(text) && decimals < MOST_DECIMALS ? end(value, decimals + 1) : text;
}
