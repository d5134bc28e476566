import { describe, expect, test } from 'vitest';
import { armsOf, BLOCK, dayIndex, randomFrom } from '../../src/domain/trial.ts';
import {
  daysAtEachPain,
  deviationOf,
  insteadOf,
  type Outcome,
  powerOf,
  resultSentence,
  trialResult,
} from '../../src/insights/trial.ts';
import { called, simulateTrial, type TrialWorld } from './simulation/trials.ts';

describe('the plan', () => {
  test('has its days and no other', () => {
    const days = ['2026-03-01', '2026-03-02', '2026-03-15', '2026-03-16'];
    const trial = { start: '2026-03-02', days: 14 };
    expect(days.map((day) => dayIndex(trial, day))).toEqual([undefined, 0, 13, undefined]);
  });

  test('is the same for a seed on every machine', () => {
    expect(armsOf(20_260_302, 16).join('')).toBe('bbaabaabbaabaabb');
    expect(armsOf(0, 28).join('').slice(0, 16)).toBe(armsOf(0, 16).join(''));
  });

  test('has two of each arm in every whole block, and differs by two at most', () => {
    for (let seed = 0; seed < 300; seed++) {
      const arms = armsOf(seed * 7_654_321, 14 + (seed % 71));
      for (let start = 0; start + BLOCK <= arms.length; start += BLOCK)
        expect(arms.slice(start, start + BLOCK).filter((arm) => arm === 'a')).toHaveLength(2);
      const difference = arms.filter((arm) => arm === 'a').length * 2 - arms.length;
      expect(Math.abs(difference)).toBeLessThanOrEqual(2);
    }
  });

  test('has all six arrangements, about as often as each other', () => {
    const counts = new Map<string, number>();
    for (let seed = 1; seed <= 6000; seed++) {
      const block = armsOf(seed, BLOCK).join('');
      counts.set(block, (counts.get(block) ?? 0) + 1);
    }
    // Binomial, n = 6000, p = 1/6: five standard deviations are 145.
    expect([...counts.values()].every((count) => Math.abs(count - 1000) < 145)).toBe(true);
    expect(counts.size).toBe(6);
  });
});

const plan = { seed: 5, days: 28, question: 'either' as const };
/** Outcomes of every day: what each arm comes to, with some noise that is the same in both. */
const outcomes = (a: number, b: number): Outcome[] =>
  armsOf(plan.seed, plan.days).map((arm, index) => ({
    index,
    first: 6,
    second: (arm === 'a' ? a : b) + ((index * 7) % 3) - 1,
  }));

describe('a trial', () => {
  const names = { exerciseName: 'Bird Dog', otherExercise: 'Cobra' };
  test.each([
    ['exercise', '<Cobra>'],
    ['rest', 'rest'],
    ['usual', 'the usual without <Bird Dog>'],
  ] as const)('against %s is against %s', (against, words) =>
    expect(insteadOf({ ...names, against }, (name) => `<${name}>`)).toBe(words),
  );

  test('is drawn as its days at each of ten levels', () =>
    expect(daysAtEachPain({ a: [1, 10, 10], b: [2] })).toEqual([
      ['with it', [1, 0, 0, 0, 0, 0, 0, 0, 0, 2]],
      ['without', [0, 1, 0, 0, 0, 0, 0, 0, 0, 0]],
    ]));
});

describe('a result', () => {
  test.each<[string, number, number, [number, number]]>([
    ['all outcomes are alike', 5, 5, [-0.2276, 0.2276]],
    ['those of each arm are alike', 3, 5, [-2.6441, -1.3559]],
  ])('is no more exact than whole points where %s', (_, a, b, interval) => {
    const alike = outcomes(a, b).map((each) => ({
      ...each,
      second: armsOf(plan.seed, plan.days)[each.index] === 'a' ? a : b,
    }));
    expect(trialResult(plan, alike, 28)).toMatchObject({ difference: a - b, interval });
  });

  test('of a large difference comes early, with its direction', () => {
    expect(trialResult(plan, outcomes(2, 6), 15)).toBeUndefined();
    const result = trialResult(plan, outcomes(2, 6), 28);
    expect(result).toMatchObject({ verdict: 'less' });
    expect(result?.afterDays).toBeLessThan(28);
    expect(trialResult(plan, outcomes(6, 2), 28)).toMatchObject({ verdict: 'more' });
  });

  test('does not change with what comes after an early end, nor with who looks how often', () => {
    const all = outcomes(2, 6);
    const ended = trialResult(plan, all, 28);
    for (let passed = ended?.afterDays ?? 28; passed <= 28; passed++)
      expect(trialResult(plan, all.slice(0, passed), passed)).toEqual(ended);
  });

  test.each([
    [0, 'either'],
    [-1.5, 'less'],
    [-2, 'either'],
  ] as const)(
    'of a truth of %d has an interval that says what the verdict says, question %s',
    (truth, question) => {
      for (let seed = 0; seed < 40; seed++) {
        const random = randomFrom(seed);
        const { verdict, interval } = simulateTrial(
          { truth, question, deviation: 1.5, missing: seed % 2 ? 0.5 : 0 },
          seed,
          random,
        );
        if (interval) expect(interval[0] <= 0 && interval[1] >= 0, `seed ${seed}`).toBe(verdict === 'open');
      }
    },
  );

  test('of a few days lies on the scale', () => {
    for (let seed = 0; seed < 40; seed++) {
      const { interval } = simulateTrial({ truth: 0, missing: 0.7, deviation: 0.5 }, seed, randomFrom(seed));
      if (interval) expect(Math.max(...interval.map(Math.abs)), `seed ${seed}`).toBeLessThanOrEqual(9);
    }
  });

  test('without any outcome is open and says nothing', () => {
    expect(trialResult(plan, [], 28)).toMatchObject({ verdict: 'open', difference: null, interval: null });
    expect(trialResult(plan, outcomes(4, 4).slice(0, 1), 28)).toMatchObject({ verdict: 'open' });
  });

  test('reads as a sentence', () => {
    const nothing = {
      verdict: 'open',
      difference: null,
      interval: null,
      withIt: 2,
      without: 1,
      afterDays: 28,
    } as const;
    expect(resultSentence({ outcome: 'hour', difference: 1 }, nothing)).toBe(
      'After 28 days there are too few with both pains to say anything (2 with it, 1 without).',
    );
    const shown = { withIt: 14, without: 14, afterDays: 28 };
    const said = (verdict: 'less' | 'more' | 'open', difference: number, interval: [number, number]) =>
      resultSentence({ outcome: 'hour', difference: 1 }, { verdict, difference, interval, ...shown });
    expect(said('less', -1.6, [-2.5, -0.7])).toBe(
      'On 14 days with it pain an hour later was 1.6 lower (0.7 to 2.5) than on 14 days without, at the same pain before.',
    );
    expect(said('more', 1.2, [0.5, 1.9])).toContain('1.2 higher (0.5 to 1.9)');
    expect(said('open', 0, [-0.3, 0.3])).toContain(' was the same (0.3 lower to 0.3 higher) as on ');
    expect(said('open', -0.3, [-0.9, 0.3])).toMatch(
      /0\.3 lower \(0\.9 lower to 0\.3 higher\).* one of 1 or more is unlikely/,
    );
    expect(said('open', -0.3, [-1.9, 1.3])).toContain('one of 1 is possible');
    expect(said('open', -0.3, [-1.9, 0.3])).toContain('one of 1 is possible');
    expect(said('open', 0.3, [-0.3, 1.9])).toContain('one of 1 is possible');
    expect(said('open', 0, [-1, 0.9])).toContain('one of 1 is possible');
  });
});

test('the spread is that of the pain after, given the pain before', () => {
  expect(deviationOf([])).toEqual({ deviation: 1.5, isOwn: false });
  const sessions = Array.from({ length: 40 }, (_, i) => ({
    painBefore: 3 + (i % 6),
    painAfter: 1 + (i % 6) + (i % 2 ? 2 : 0),
  }));
  expect(deviationOf(sessions).deviation).toBeCloseTo(1, 0);
  const halves = [2, 6].flatMap((painAfter) => Array(5).fill({ painBefore: 5, painAfter }));
  expect(deviationOf(halves)).toEqual({ deviation: Math.sqrt(40 / 8), isOwn: true });
  expect(deviationOf(halves.slice(1)).isOwn).toBe(false);
  expect(deviationOf(Array(10).fill({ painBefore: 5, painAfter: 2 })).deviation).toBe(0.8);
});

/** Days of a trial: pain after the exercise differs by so much, some days are missing. */
function diaryOf(seed: number, days: number, truth: number, missing: number): Outcome[] {
  const random = randomFrom(seed + 1);
  return armsOf(seed, days).flatMap((arm, index) => {
    const first = 4 + Math.floor(4 * random());
    const second = first - 1 + (arm === 'a' ? truth : 0) + Math.floor(3 * random());
    return random() < missing ? [] : [{ index, first, second }];
  });
}

/** The coefficient of the arm in least squares on blocks, pain before and arm, by elimination: the definition. */
function differenceOf(outcomes: readonly Outcome[], arms: readonly string[]): number {
  const blocks = [...new Set(outcomes.map(({ index }) => Math.floor(index / BLOCK)))];
  const rows = outcomes.map(({ index, first, second }) => [
    ...blocks.map((block) => Number(Math.floor(index / BLOCK) === block)),
    ...[first, Number(arms[index] === 'a'), second],
  ]);
  const size = blocks.length + 2;
  const matrix = Array.from({ length: size }, (_, i) =>
    Array.from({ length: size + 1 }, (_, j) =>
      rows.reduce((sum, row) => sum + (row[i] ?? 0) * (row[j] ?? 0), 0),
    ),
  );
  for (const [k, pivot] of matrix.entries())
    for (const [i, row] of matrix.entries()) {
      const factor = (row[k] ?? 0) / (pivot[k] ?? 0);
      if (i !== k) for (let j = 0; j <= size; j += 1) row[j] = (row[j] ?? 0) - factor * (pivot[j] ?? 0);
    }
  const last = matrix.at(-1) ?? [];
  return (last[size] ?? 0) / (last[size - 1] ?? 0);
}

test.each<[seed: number, days: number, truth: number, missing: number, either: object, less: object]>([
  [
    1,
    16,
    0,
    0,
    { verdict: 'open', interval: [-0.5939, 1.7909] },
    { verdict: 'open', interval: [-0.82, 2.017] },
  ],
  [
    ...([13, 16, 0, 0] as const),
    { verdict: 'open', interval: [-1.3839, 0.8926] },
    { verdict: 'open', interval: [-1.3341, 0.8429] },
  ],
  [
    ...([3, 28, -1, 0] as const),
    { verdict: 'less', interval: [-1.8279, -0.0054], afterDays: 24 },
    { verdict: 'less', interval: [-1.7733, -0.06], afterDays: 24 },
  ],
  [
    ...([4, 30, 1, 0.1] as const),
    { verdict: 'more', interval: [0.1375, 2.0393], afterDays: 28 },
    { verdict: 'more', interval: [0.0636, 2.1132], afterDays: 28 },
  ],
  [
    ...([6, 40, 2, 0] as const),
    { verdict: 'more', interval: [0.3811, 3.1398], afterDays: 24 },
    { verdict: 'more', interval: [0.3421, 3.5517], afterDays: 28 },
  ],
  [
    ...([8, 84, 1, 0.2] as const),
    { verdict: 'more', interval: [0.0562, 1.2366], withIt: 27, without: 26, afterDays: 68 },
    { verdict: 'more', interval: [0.0651, 1.4714], withIt: 29, without: 27, afterDays: 72 },
  ],
  [
    ...([9, 14, -2, 0] as const),
    { verdict: 'less', interval: [-2.8314, -0.8512], afterDays: 14 },
    { verdict: 'less', interval: [-2.6764, -1.0062], afterDays: 14 },
  ],
  [
    ...([10, 28, -2, 0.5] as const),
    { verdict: 'less', interval: [-3.9605, -0.958], withIt: 6, without: 7, afterDays: 24 },
    { verdict: 'less', interval: [-3.9605, -0.958], withIt: 6, without: 6, afterDays: 20 },
  ],
])(
  'the result of seed %i over %i days is the same on every machine',
  (seed, days, truth, missing, either, less) => {
    const outcomes = diaryOf(seed, days, truth, missing);
    for (const [question, expected] of Object.entries({ either, less })) {
      const result = trialResult({ seed, days, question: question as 'either' | 'less' }, outcomes, days);
      expect(result).toMatchObject(expected);
      const seen = outcomes.filter(({ index }) => index < (result?.afterDays ?? 0));
      expect(result?.difference).toBeCloseTo(differenceOf(seen, armsOf(seed, days)), 3);
    }
  },
);

test.each([
  [28, 'either', 1, 1.5, 0.3692],
  [28, 'less', 1, 1.5, 0.4559],
  [14, 'either', 2, 1, 0.8928],
] as const)(
  'the power of %i days, asked %s, for %d at a spread of %d is %d',
  (days, question, difference, deviation, power) =>
    expect(powerOf({ days, question }, difference, deviation)).toBeCloseTo(power, 3),
);

const DRAWS = 60;
/** Four standard errors of a share. */
const slack = (share: number) => 4 * Math.sqrt((share * (1 - share)) / DRAWS);

describe(`in ${DRAWS} trials looked at daily`, () => {
  test.each<[string, TrialWorld]>([
    ['', {}],
    [', a fifth of the days missing', { missing: 0.2 }],
    [', days that depend on each other', { autocorrelation: 0.6 }],
    [', at two times of the day', { timeOfDay: 2 }],
    [', a one-sided question', { question: 'less' }],
  ] as [string, Partial<TrialWorld>][] as [string, TrialWorld][])(
    'a truth of 0 is called in 5 %% at most%s',
    (_, world) => {
      expect(called({ ...world, truth: 0 }, DRAWS).either / 100).toBeLessThan(0.05 + slack(0.05));
    },
  );

  test.each<[TrialWorld, number]>([
    [{ truth: -1 }, 0.64],
    [{ truth: -1.5 }, 0.93],
    [{ truth: -1, question: 'less' }, 0.68],
    [{ truth: -1, missing: 0.2, timeOfDay: 1 }, 0.49],
  ])('%j is found in %d', (world, share) => {
    const { less, covered } = called(world, DRAWS);
    expect(less / 100).toBeGreaterThan(share - slack(share));
    expect(covered / 100).toBeGreaterThan(0.95 - slack(0.95));
  });
});

test.each([
  [28, 1, 1],
  [28, 1.5, 1],
  [28, 1, 1.5],
  [56, 1, 1.5],
])(
  'of %d days, the power for %d at a spread of %d is that of the simulation',
  (days, difference, deviation) => {
    const told = powerOf({ days, question: 'either' }, difference, deviation);
    // The simulation rounds to whole points, which adds a twelfth to the variance of both pains.
    const { less } = called({ truth: -difference, days, deviation }, DRAWS);
    expect(Math.abs(told - less / 100)).toBeLessThan(0.06 + slack(told));
  },
);
