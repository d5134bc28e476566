import { armsOf } from '../../../src/domain/trial.ts';
import { type Outcome, type TrialResult, trialResult } from '../../../src/insights/trial.ts';

/** Trials of a person who is made up. */
export interface TrialWorld {
  /** The mean difference that the exercise makes, in points. */
  truth: number;
  days?: number;
  /** Of the outcome within an arm, given the pain before. */
  deviation?: number;
  /** Share of days without a record. */
  missing?: number;
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
  const { question = 'either' } = world;
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const outcomes: Outcome[] = [];
  let error = normal();
  for (const [index, arm] of armsOf(seed, days).entries()) {
    const first = rounded(6 + 1.5 * normal());
    error = autocorrelation * error + Math.sqrt(1 - autocorrelation ** 2) * normal();
    const time = random() < 0.5 ? timeOfDay : 0;
    const second = rounded(first - 0.5 + (arm === 'a' ? truth : 0) + time + deviation * error);
    if (random() >= missing) outcomes.push({ index, first, second });
  }
  // A look at the end finds whichever look would have ended it before: earlier outcomes do not change.
  return trialResult({ seed, days, question }, outcomes, days) as TrialResult;
}
