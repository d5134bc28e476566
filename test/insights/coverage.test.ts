import { describe, expect, test } from 'vitest';
import { measuredCoverage } from '../../src/insights/method.ts';
import { changeInterval, PainTable } from '../../src/insights/pain-table.ts';
import { type Interval, meanOf, type Point } from '../../src/insights/stats/interval.ts';
import { generator } from './helpers.ts';

/** A change that a session can have, and how likely it is. */
type Law = readonly (readonly [change: number, chance: number])[];

const laws: Record<string, Law> = {
  'bell around −2': [
    [-4, 0.1],
    [-3, 0.25],
    [-2, 0.3],
    [-1, 0.25],
    [0, 0.1],
  ],
  'none, or rarely −6': [
    [0, 0.9],
    [-6, 0.1],
  ],
  'none, or very rarely −6': [
    [0, 0.95],
    [-6, 0.05],
  ],
  'none, or sometimes −9': [
    [0, 0.8],
    [-9, 0.2],
  ],
  'mostly −1, or a flare of +4': [
    [-1, 0.75],
    [4, 0.25],
  ],
  'at the ceiling': [
    [0, 0.7],
    [1, 0.15],
    [2, 0.1],
    [3, 0.05],
  ],
  halving: [
    [0, 0.5],
    [-1, 0.25],
    [-2, 0.125],
    [-3, 0.0625],
    [-4, 0.0625],
  ],
  'nearly constant': [
    [-2, 0.98],
    [3, 0.02],
  ],
  constant: [[-2, 1]],
  'everything alike': Array.from({ length: 19 }, (_, i) => [i - 9, 1 / 19] as const),
  'one end or the other': [
    [-9, 0.5],
    [9, 0.5],
  ],
  'a coin': [
    [-1, 0.5],
    [0, 0.5],
  ],
  'none, or very rarely +9': [
    [0, 0.97],
    [9, 0.03],
  ],
};

/** Where a session with a change starts from, within the scale. The interval is to hold whatever ties the two. */
const starts: Record<string, (change: number, random: () => number) => number> = {
  'anywhere possible': (change, random) => {
    const least = Math.max(1, 1 - change);
    return least + Math.floor(random() * (Math.min(10, 10 - change) - least + 1));
  },
  'as low as possible': (change) => Math.max(1, 1 - change),
  'in the middle': (change) => Math.min(10, Math.max(1, Math.round(5 - change / 2))),
};

const SEEDS = 300;
function draw(law: Law, random: () => number): number {
  let rest = random();
  for (const [change, chance] of law) {
    rest -= chance;
    if (rest < 0) return change;
  }
  return law[0]?.[0] ?? 0;
}

type Session = readonly [change: number, painBefore: number];

/** The interval that a summary gives for these sessions. */
function intervalOf(sessions: readonly Session[]): Interval {
  const table = new PainTable();
  for (const [change, painBefore] of sessions)
    table.add({ painBefore, painAfter: painBefore + change, effective: false });
  const changes = table.changes();
  return changeInterval(changes, table.before(), meanOf(changes));
}

/** How often the interval of n sessions holds the true mean. Samples alike are computed once. */
function coverage(law: Law, start: (change: number, random: () => number) => number, n: number): number {
  const truth = meanOf(law as readonly Point[]);
  const known = new Map<string, boolean>();
  let held = 0;
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const random = generator(seed * 1009 + n);
    const sessions = Array.from({ length: n }, (): Session => {
      const change = draw(law, random);
      return [change, start(change, random)];
    });
    const key = JSON.stringify([
      sessions.map(([change]) => change).sort(),
      Math.min(...sessions.map(([, before]) => before)),
      Math.max(...sessions.map(([, before]) => before)),
    ]);
    let holds = known.get(key);
    if (holds === undefined) {
      const [low, high] = intervalOf(sessions);
      holds = low <= truth + 1e-6 && truth - 1e-6 <= high;
      known.set(key, holds);
    }
    if (holds) held += 1;
  }
  return held / SEEDS;
}

describe('the 95 % interval holds the true mean change', () => {
  for (const n of [4, 8, 20, 60] as const) {
    test(`with ${n} sessions, in every distribution and wherever the sessions start`, () => {
      const figures = Object.entries(laws).flatMap(([law, chances]) =>
        Object.entries(starts).map(([start, before]) => ({
          law: `${law}, from ${start}`,
          held: coverage(chances, before, n),
        })),
      );
      const least = Math.min(...figures.map(({ held }) => held));
      const short = figures.filter(({ held }) => n >= 8 && held < 0.93);
      expect(short).toEqual([]);
      expect(Math.floor(least * 100 + 1e-9), 'the figure in the method note').toBe(measuredCoverage[n]);
    });
  }
});

/** Every number of bad days among n has a known chance: coverage without drawing anything. */
test.each([8, 20, 60])('at the worst rate of the rarer change, computed exactly, with %i sessions', (n) => {
  const chances = binomials(n);
  for (const [usual, rare] of [
    [0, -6],
    [0, -9],
    [-2, 3],
    [-1, 4],
    [-2, -9],
    [0, 5],
    [-3, 6],
  ] as const)
    for (const start of [starts['as low as possible'], starts['in the middle']]) {
      const from = (change: number) => start?.(change, () => 0) ?? 5;
      const intervals = Array.from({ length: n + 1 }, (_, k) => {
        const sessions = Array.from({ length: n }, (_, i) => (i < k ? rare : usual));
        return intervalOf(sessions.map((change) => [change, from(change)]));
      });
      for (let rate = 0.01; rate < 1; rate += 0.01) {
        const truth = usual + (rare - usual) * rate;
        const held = intervals.reduce(
          (sum, [low, high], k) => sum + (low <= truth && truth <= high ? chances(k, rate) : 0),
          0,
        );
        expect(held, `${usual} or ${rare} at ${rate.toFixed(2)}`).toBeGreaterThanOrEqual(0.93);
      }
    }
});

function binomials(n: number) {
  const ways = [1];
  for (let k = 0; k < n; k += 1) ways.push(((ways[k] ?? 0) * (n - k)) / (k + 1));
  return (k: number, rate: number) => (ways[k] ?? 0) * rate ** k * (1 - rate) ** (n - k);
}
