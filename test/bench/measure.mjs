// Ratios taken in turn, and the lines that the bench prints.

const ROUNDS = 9;
/** Not measured: V8 compiles what runs often while it runs, and the more code a server has, the longer that takes. */
const WARM_UP_ROUNDS = 4;

export const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/**
 * Two measurements taken in turn, round by round: the median, least and greatest of their ratios, by the clock. Of servers also
 * by their processor time, which holds where the machine is busy.
 */
export async function ratio(a, b, rounds = ROUNDS) {
  const pairs = [];
  for (let round = 0; round < WARM_UP_ROUNDS + rounds; round += 1) pairs.push([await a(), await b()]);
  pairs.splice(0, WARM_UP_ROUNDS);
  const wall = ratiosOf(pairs.map(([one, other]) => (one.wall ?? one) / (other.wall ?? other)));
  if (pairs[0][0].processor === undefined) return wall;
  return { ...wall, processor: ratiosOf(pairs.map(([one, other]) => one.processor / other.processor)) };
}

const ratiosOf = (ratios) => ({
  value: median(ratios),
  least: Math.min(...ratios),
  most: Math.max(...ratios),
});

export function report(what, value, bound, isGood) {
  console.log(`${isGood ? 'ok  ' : 'MISS'}  ${what.padEnd(64)} ${value.padStart(9)}   (${bound})`);
  if (!isGood) process.exitCode = 1;
}

const times = ({ value }) => `${value.toFixed(2)} ×`;
const spread = ({ least, most, processor }) =>
  `seen ${least.toFixed(2)} to ${most.toFixed(2)}${processor ? `; processor time ${times(processor)}` : ''}`;

export const atLeast = (what, measured, bound) =>
  report(what, times(measured), `at least ${bound} ×; ${spread(measured)}`, measured.value >= bound);
/** As `atLeast`, by processor time. */
export const processorAtLeast = (what, measured, bound) =>
  report(
    `${what}, processor time`,
    times(measured.processor),
    `at least ${bound} ×; ${spread(measured.processor)}; by the clock ${times(measured)}`,
    measured.processor.value >= bound,
  );
export const atMost = (what, measured, bound) =>
  report(what, times(measured), `at most ${bound} ×; ${spread(measured)}`, measured.value <= bound);
export const milliseconds = (what, value, bound) =>
  report(what, `${value.toFixed(1)} ms`, `at most ${bound} ms`, value <= bound);
export const seconds = (what, value, bound) =>
  report(what, `${value.toFixed(0)} s`, `at most ${bound} s`, value <= bound);
export const mebibytes = (what, value, bound) =>
  report(what, `${value.toFixed(0)} MiB`, `at most ${bound} MiB`, value <= bound);

/** A figure of the machine or to compare with, which nothing is wanted of. */
export const seen = (what, value, more = '') =>
  console.log(`      ${what.padEnd(64)} ${value.padStart(9)}   ${more}`.trimEnd());
export const compared = (what, measured) => seen(what, times(measured), `(${spread(measured)})`);

export const skipped = (what, why) => console.log(`skip  ${what}: ${why}`);
