import type { Finding } from '../../../src/insights/shapes.ts';
import { inflationOfMean } from '../../../src/insights/stats/autoregression.ts';
import {
  confidenceSequence,
  meanEstimate,
  moderated,
  pooled,
  priorDeviation,
  tInterval,
  welch,
} from '../../../src/insights/stats/estimate.ts';
import { countOf, type Point, squaresOf } from '../../../src/insights/stats/points.ts';
import { FEWEST_TO_SAY, findingOf, sideOf } from '../../../src/insights/verdict.ts';
import { generator } from '../helpers.ts';
import { clamp, type Law, laws, normal, plain, type Session, withoutEffect } from './laws.ts';

/** What the verdicts of one exercise are worth, by drawing its sessions over and over. */

/** How many times more is drawn than the tests need. */
export const TIMES = Number(process.env['SIMULATE'] ?? 1);

/** Percent of so many repetitions. */
export type Row = readonly [name: string, ...figures: readonly (number | string)[]];

const sessionsOf = (law: Law, n: number, random: () => number): Session[] =>
  Array.from({ length: n }, () => law.draw(random));

/** The changes of sessions with their counts, ascending, as a summary counts them. */
function changesOf(sessions: readonly Session[]): Point[] {
  const counts = new Array<number>(19).fill(0);
  for (const { painBefore, painAfter } of sessions) {
    const cell = painAfter - painBefore + 9;
    counts[cell] = (counts[cell] ?? 0) + 1;
  }
  return counts.flatMap((count, cell): Point[] => (count > 0 ? [[cell - 9, count]] : []));
}

/** What a summary finds in the sessions of one exercise; `others` are those of the person's other exercises. */
function finding(sessions: readonly Session[], others: readonly (readonly Session[])[] = []): Finding {
  const changes = changesOf(sessions);
  const inOrder = sessions.map(({ painBefore, painAfter }) => painAfter - painBefore);
  const estimate = meanEstimate(changes, priorDeviation([changes, ...others.map(changesOf)]));
  return findingOf(estimate, inflationOfMean(inOrder));
}

function share(times: number, seed: number, holds: (random: () => number) => boolean): number {
  const random = generator(seed);
  let held = 0;
  for (let i = 0; i < times; i += 1) if (holds(random)) held += 1;
  return (100 * held) / times;
}

const holds = ([low, high]: readonly [number, number], truth: number) =>
  low <= truth + 1e-4 && truth - 1e-4 <= high;

export const SIZES = [3, 5, 8, 12, 20, 60];

/** How often the 95 % interval holds the true mean change, of −1 or so. */
export function coverage(times: number): Row[] {
  const alone = laws.map((law): Row => {
    const drawn = law(-1);
    return [
      drawn.name,
      ...SIZES.map((n) =>
        share(times, n, (random) => holds(finding(sessionsOf(drawn, n, random)).interval, drawn.truth)),
      ),
    ];
  });
  const [own, others] = [plain(2.5, -1), plain(1, -1)];
  return [
    ...alone,
    [
      'standard deviation 2.5 among seven with 1',
      ...SIZES.map((n) =>
        share(times / 4, n, (random) => {
          const rest = Array.from({ length: 7 }, () => sessionsOf(others, n, random));
          return holds(finding(sessionsOf(own, n, random), rest).interval, own.truth);
        }),
      ),
    ],
  ];
}

/** How often Welch's interval holds the true difference of two periods of n sessions each. */
export function periodCoverage(times: number): Row[] {
  return [laws[0], laws[2], laws[3]].map((law): Row => {
    const [first, second] = [law?.(0), law?.(-1)] as [Law, Law];
    return [
      first.name,
      ...SIZES.map((n) =>
        share(times, n, (random) => {
          const [a, b] = [first, second].map((each) => {
            const changes = changesOf(sessionsOf(each, n, random));
            return meanEstimate(changes, priorDeviation([changes]));
          });
          return a && b ? holds(tInterval(welch(a, b)), second.truth - first.truth) : false;
        }),
      ),
    ];
  });
}

export const POWER_SIZES = [3, 5, 8, 12, 20];

/** How often n sessions are clear, and likely or better, in the true direction. */
export function power(times: number): Row[] {
  const rows: Row[] = [];
  for (const deviation of [1, 1.5, 2])
    for (const effect of [-1, -2, -3]) {
      const law = plain(deviation, effect);
      const cells = POWER_SIZES.map((n) => {
        const [clear, likely] = ([['clear'], ['clear', 'likely']] as const).map((wanted: readonly string[]) =>
          share(times, n, (random) => {
            const { verdict, direction } = finding(sessionsOf(law, n, random));
            return wanted.includes(verdict) && direction === 'less';
          }),
        );
        return [clear, likely] as const;
      });
      rows.push([`${effect}, ${law.name}`, ...cells.flatMap(([clear = 0, likely = 0]) => [clear, likely])]);
    }
  return rows;
}

const LOOKS = 200;
/** Changes drawn one after the other. */
type Changes = (random: () => number) => () => number;

const independent =
  (law: Law): Changes =>
  (random) =>
  () => {
    const { painBefore, painAfter } = law.draw(random);
    return painAfter - painBefore;
  };

/** Each change resembles the last one: a first-order autoregression with this deviation, rounded. */
const resembling =
  (autocorrelation: number, deviation: number): Changes =>
  (random) => {
    let last = normal(random);
    return () => {
      last = autocorrelation * last + Math.sqrt(1 - autocorrelation ** 2) * normal(random);
      const painBefore = clamp(5.5 + 1.2 * normal(random));
      return clamp(painBefore + deviation * last) - painBefore;
    };
  };

/** Each change comes twice. */
const doubled =
  (changes: Changes): Changes =>
  (random) => {
    const next = changes(random);
    let again: number | undefined;
    return () => {
      const change = again ?? next();
      again = again === undefined ? change : undefined;
      return change;
    };
  };

/**
 * An exercise without effect, looked at after every session up to 200: how often an interval ever lies below 0,
 * above 0, and either.
 * @param others sum of squares and degrees of freedom of the person's other exercises
 */
function everClaimed(
  changes: Changes,
  times: number,
  { interval = confidenceSequence, inflated = inflationOfMean, others = { squares: 0, freedom: 0 } } = {},
): { less: number; more: number; either: number } {
  const claims = { less: 0, more: 0, either: 0 };
  const random = generator(1);
  for (let i = 0; i < times; i += 1) {
    const next = changes(random);
    const claimed = { less: false, more: false };
    const inOrder: number[] = [];
    let [sum, squares] = [0, 0];
    for (let n = 1; n <= LOOKS; n += 1) {
      const change = next();
      sum += change;
      squares += change ** 2;
      inOrder.push(change);
      if (n < FEWEST_TO_SAY) continue;
      const value = sum / n;
      const own = squares - sum * value;
      const prior = pooled(own + others.squares, n - 1 + others.freedom);
      const estimate = { value, ...moderated(own, n - 1, prior) };
      // Sessions that resemble each other make it wider only.
      const side = sideOf(interval({ ...estimate, size: n }));
      if (side === null || claimed[side]) continue;
      if (sideOf(interval({ ...estimate, size: n / inflated(inOrder) })) === side) claimed[side] = true;
    }
    if (claimed.less) claims.less += 100 / times;
    if (claimed.more) claims.more += 100 / times;
    if (claimed.less || claimed.more) claims.either += 100 / times;
  }
  return claims;
}

/** How often an exercise without effect is ever called clear. */
export function falseClear(times: number): Row[] {
  const cells = (changes: Changes, others?: { squares: number; freedom: number }) => {
    const { less, more } = everClaimed(changes, times, { ...(others && { others }) });
    return [less, more];
  };
  const seven = sessionsOf(plain(1, 0), 7 * 20, generator(2)).map(
    ({ painBefore, painAfter }) => [painAfter - painBefore, 1] as const,
  );
  const others = { squares: squaresOf(seven), freedom: countOf(seven) - 7 };
  return [
    ...[...laws.slice(0, 3), (effect: number) => plain(3, effect), ...laws.slice(3)].map((law): Row => {
      const drawn = withoutEffect(law);
      return [drawn.name, ...cells(independent(drawn))];
    }),
    [
      'standard deviation 2.5 among seven with 1',
      ...cells(independent(withoutEffect((effect) => plain(2.5, effect))), others),
    ],
    [
      'standard deviation 1.5, every session entered twice',
      ...cells(doubled(independent(withoutEffect((effect) => plain(1.5, effect))))),
    ],
    ['standard deviation 1.5, autocorrelation 0.3', ...cells(resembling(0.3, 1.5))],
    ['standard deviation 1.5, autocorrelation 0.6', ...cells(resembling(0.6, 1.5))],
  ];
}

/** How often an exercise without effect and with a standard deviation of 1.5 is ever called likely, or more. */
export function falseLikely(times: number): number {
  const law = withoutEffect((effect) => plain(1.5, effect));
  return everClaimed(independent(law), times, { interval: tInterval, inflated: () => 1 }).either;
}
