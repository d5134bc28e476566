import { armsOf, randomFrom } from '../../../src/domain/trial.ts';
import { type Outcome, powerOf, type TrialResult, trialResult } from '../../../src/insights/trial.ts';
import type { Row } from './means.ts';

/** Trials of a person who is made up. */
export interface TrialWorld {
  /** The mean difference that the exercise makes, in points. */
  truth: number;
  days?: number;
  /** Of the outcome within an arm, given the pain before. */
  deviation?: number;
  /** Share of days without a record. */
  missing?: number;
  /** Share of days on which the other arm was done than was drawn. */
  swapped?: number;
  /** How much the time of the day adds to the outcome: that of the exercise is another on half of the days. */
  timeOfDay?: number;
  /** From day to day. */
  autocorrelation?: number;
  question?: 'either' | 'less';
}

const rounded = (value: number) => Math.min(10, Math.max(1, Math.round(value)));

/** Outcomes on the scale of 1 to 10, and what a trial that is looked at daily makes of them. */
export function simulateTrial(world: TrialWorld, seed: number, random: () => number): TrialResult {
  const { truth, days = 28, deviation = 1, missing = 0, timeOfDay = 0, autocorrelation = 0 } = world;
  const { question = 'either', swapped = 0 } = world;
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const outcomes: Outcome[] = [];
  let error = normal();
  for (const [index, arm] of armsOf(seed, days).entries()) {
    const first = rounded(6 + 1.5 * normal());
    error = autocorrelation * error + Math.sqrt(1 - autocorrelation ** 2) * normal();
    const time = random() < 0.5 ? timeOfDay : 0;
    const isDone = (arm === 'a') !== (swapped > 0 && random() < swapped);
    const second = rounded(first - 0.5 + (isDone ? truth : 0) + time + deviation * error);
    if (random() >= missing) outcomes.push({ index, first, second });
  }
  // A look at the end finds whichever look would have ended it before: earlier outcomes do not change.
  return trialResult({ seed, days, question }, outcomes, days) as TrialResult;
}

/** Trials of a world, in percent: called less, called either way, and the interval holds the truth. */
export function called(world: TrialWorld, draws: number): { less: number; either: number; covered: number } {
  const counts = { less: 0, more: 0, open: 0 };
  let covered = 0;
  for (let i = 0; i < draws; i += 1) {
    const random = randomFrom(0x9e3779b9 ^ Math.imul(i + 1, 0x85ebca6b));
    const { verdict, interval } = simulateTrial(world, Math.floor(random() * 2 ** 31), random);
    counts[verdict] += 1;
    if (interval && interval[0] <= world.truth && world.truth <= interval[1]) covered += 1;
  }
  const percent = (count: number) => (100 * count) / draws;
  return {
    less: percent(counts.less),
    either: percent(counts.less + counts.more),
    covered: percent(covered),
  };
}

/** What the plan says before a trial: how often −1 and −1.5 are found, by days, spread and question. */
export function trialPower(): Row[] {
  return ([14, 28, 56, 84] as const).flatMap((days) =>
    (['either', 'less'] as const).map(
      (question): Row => [
        `${days} days, ${question === 'either' ? 'either way' : 'less pain only'}`,
        ...[1, 1.5, 2].flatMap((deviation) =>
          [1, 1.5].map((points) => 100 * powerOf({ days, question }, points, deviation)),
        ),
      ],
    ),
  );
}

/** Trials of 28 days that do not go as planned: a truth of 0 called either way, and −1 found. */
export function deviatingTrials(draws: number): Row[] {
  const worlds: [name: string, world: Omit<TrialWorld, 'truth'>][] = [
    ['every day recorded', {}],
    ['a fifth of days missing', { missing: 0.2 }],
    ['the other arm done on a tenth of days', { swapped: 0.1 }],
    ['the other arm done on a fifth of days', { swapped: 0.2 }],
    ['another hour on half of the days, which adds 1', { timeOfDay: 1 }],
    ['days that resemble the last one, autocorrelation 0.6', { autocorrelation: 0.6 }],
    ['less pain only', { question: 'less' }],
  ];
  return [
    ...worlds.map(
      ([name, world]): Row => [
        name,
        called({ ...world, truth: 0 }, draws).either,
        called({ ...world, truth: -1 }, draws).less,
      ],
    ),
    [
      'expectation of −0.5 on days with it',
      called({ truth: -0.5 }, draws).either,
      called({ truth: -1.5 }, draws).less,
    ],
  ];
}
