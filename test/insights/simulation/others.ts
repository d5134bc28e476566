import { dayAfter, dayPairs } from '../../../src/insights/day-after.ts';
import { dayOf } from '../../../src/insights/days.ts';
import { confidenceSequence, moderated, pooled, welch } from '../../../src/insights/stats/estimate.ts';
import { adjustedDifference, noSums, plus, type Sums } from '../../../src/insights/stats/least-squares.ts';
import type { Point } from '../../../src/insights/stats/points.ts';
import { sideOf } from '../../../src/insights/verdict.ts';
import { versusOthers } from '../../../src/insights/versus-others.ts';
import { generator } from '../helpers.ts';
import { clamp, normal } from './laws.ts';
import type { Row } from './means.ts';

/** What the comparison with the other exercises is worth, and that of the day after. */

/** How somebody exercises: pain falls back halfway to 5.5 whatever is done, then come the effects. */
interface Habit {
  readonly name: string;
  /** Whether the exercise in question is done, from the pain before. */
  readonly chooses: (painBefore: number, random: () => number) => boolean;
  readonly effect: number;
  readonly deviations: readonly [own: number, others: number];
}

const anyDay: Habit['chooses'] = (_, random) => random() < 0.15;
const badDays: Habit['chooses'] = (painBefore, random) => painBefore >= 7 && random() < 0.4;

const habits: Habit[] = [
  { name: 'no effect, done on any day', chooses: anyDay, effect: 0, deviations: [1.2, 1.2] },
  { name: 'no effect, done on bad days only', chooses: badDays, effect: 0, deviations: [1.2, 1.2] },
  { name: 'no effect, deviation 2.5 among 1', chooses: anyDay, effect: 0, deviations: [2.5, 1] },
  { name: 'effect of −1 beyond the others', chooses: anyDay, effect: -1, deviations: [1.2, 1.2] },
  { name: 'effect of −2 beyond the others', chooses: anyDay, effect: -2, deviations: [1.2, 1.2] },
];

/** Sessions of the exercise at which the claims so far are counted. */
export const CHECKED = [8, 20, 60];

type Comparison = (own: Sums, others: Sums, prior: number) => 'more' | 'less' | null;

const centred = ({ n, x, y, xx, xy, yy }: Sums) => ({
  xx: xx - x * (x / n),
  xy: xy - x * (y / n),
  yy: yy - y * (y / n),
});

const comparisons: Record<string, Comparison> = {
  adjusted: (own, others, prior) => {
    const { verdict } = versusOthers(own, others, prior);
    return verdict === 'more' || verdict === 'less' ? verdict : null;
  },
  /** The same with one deviation for both groups. */
  pooled: (own, others, prior) => {
    const estimate = adjustedDifference(own, others, prior);
    if (estimate === null) return null;
    const [a, b] = [centred(own), centred(others)];
    const xx = a.xx + b.xx;
    const squares = a.yy + b.yy - (xx === 0 ? 0 : (a.xy + b.xy) ** 2 / xx);
    return reliefOf({ ...estimate, ...moderated(squares, own.n + others.n - 3, prior) });
  },
  /** The means as they are. */
  unadjusted: (own, others, prior) => {
    const [a, b] = [own, others].map((sums) => ({
      value: sums.y / sums.n,
      size: sums.n,
      ...moderated(centred(sums).yy, sums.n - 1, prior),
    }));
    if (!a || !b) return null;
    const difference = welch(b, a);
    const size = 1 / (1 / a.size + 1 / b.size);
    return reliefOf({ ...difference, deviation: difference.deviation * Math.sqrt(size), size });
  },
};

function reliefOf(estimate: Parameters<typeof confidenceSequence>[0]): 'more' | 'less' | null {
  const side = sideOf(confidenceSequence(estimate));
  return side && (side === 'less' ? 'more' : 'less');
}

/** How often each comparison has ever claimed more, and less, relief, when it is made after every session. */
export function versus(times: number): Row[] {
  return habits.flatMap((habit) => {
    const claims = Object.keys(comparisons).map(() => CHECKED.map(() => ({ more: 0, less: 0 })));
    const random = generator(11);
    for (let i = 0; i < times; i += 1) countClaims(habit, random, claims);
    return Object.keys(comparisons).map(
      (name, which): Row => [
        `${habit.name}: ${name}`,
        ...(claims[which] ?? []).flatMap(({ more, less }) => [(100 * more) / times, (100 * less) / times]),
      ],
    );
  });
}

function countClaims(
  { chooses, effect, deviations }: Habit,
  random: () => number,
  claims: { more: number; less: number }[][],
): void {
  let [own, others] = [noSums, noSums];
  const ever = Object.values(comparisons).map(() => ({ more: false, less: false }));
  for (const [at, most] of CHECKED.entries()) {
    while (own.n < most) {
      const painBefore = clamp(5.5 + 1.5 * normal(random));
      const chosen = chooses(painBefore, random);
      const after = 5.5 + 0.5 * (painBefore - 5.5) + (chosen ? effect : 0);
      const change = clamp(after + (chosen ? deviations[0] : deviations[1]) * normal(random)) - painBefore;
      if (chosen) own = plus(own, painBefore, change);
      else others = plus(others, painBefore, change);
      if (!chosen || own.n < 3 || others.n < 8) continue;
      const prior = pooled(centred(own).yy + centred(others).yy, own.n + others.n - 2);
      for (const [which, compare] of Object.values(comparisons).entries()) {
        const claim = compare(own, others, prior);
        const claimed = ever[which];
        if (claim && claimed) claimed[claim] = true;
      }
    }
    for (const [which, claimed] of ever.entries()) {
      const counts = claims[which]?.[at];
      if (counts && claimed.more) counts.more += 1;
      if (counts && claimed.less) counts.less += 1;
    }
  }
}

/**
 * How often the interval of the day after holds 0, for exercises that change nothing on the next day: pain that
 * resembles that of the day before, noted with an error, and an exercise that is done on bad days.
 */
export function dayAfterCoverage(times: number): Row[] {
  return [60, 200].map((length): Row => {
    const random = generator(length);
    let [held, told] = [0, 0];
    for (let i = 0; i < times; i += 1) {
      const days = new Map<string, readonly Point[]>();
      const done: string[] = [];
      let pain = normal(random);
      for (let day = 0; day < length; day += 1) {
        pain = 0.6 * pain + 0.8 * normal(random);
        if (random() < 0.15) continue;
        const noted = clamp(5.5 + 1.5 * pain);
        days.set(dayOf(20_000 + day), [[noted, 1]]);
        if (random() < (noted >= 7 ? 0.6 : 0.2)) done.push(dayOf(20_000 + day));
      }
      const found = dayAfter(dayPairs(days), done, 1.5);
      if (found === null) continue;
      told += 1;
      if (found.interval[0] <= 0 && 0 <= found.interval[1]) held += 1;
    }
    return [`${length} days`, (100 * told) / times, (100 * held) / told];
  });
}
