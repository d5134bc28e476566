import { Covariance } from './stats/covariance.ts';
import { type Estimate, evidenceAbove, LEAST_DEVIATION } from './stats/estimate.ts';
import { adjustedDifference, noSums, plus, type Sums, without } from './stats/least-squares.ts';

/** Evidence that a claim needs, times the exercises seen. */
const EVIDENCE = 7;
/** Evidence below which a claim that was made goes. */
const KEPT = 1;
/** Days with the exercise, and other days, that a claim needs. */
const FEWEST = 5;
/** Up to so many exercises each is also compared with the others as they are. */
const MOST_JOINT = 24;
/** That comparison is used where it keeps this share of the information. */
const LEAST_SHARE = 0.5;

/**
 * The pain of a day, its first value, against what was done on the day before, at the same pain on that day. Only days that
 * follow a day whose pain is known count: whoever records bad days only leaves out days that were better.
 */
export class NextDay {
  readonly #joint: Covariance | null;
  readonly #covariates: Float64Array;
  readonly #isWorse: boolean[] = [];
  #all: Sums = noSums;
  readonly #with: Sums[] = [];
  #last: { day: number; pain: number; done: ReadonlySet<number> } | null = null;
  #seen = 0;

  /** @param exercises how many there are */
  constructor(exercises: number) {
    const size = exercises <= MOST_JOINT ? exercises + 1 : 0;
    this.#covariates = new Float64Array(size);
    this.#joint = size > 0 ? new Covariance(size) : null;
  }

  /**
   * A day with a recorded pain; days come in order.
   * @param pain its first value
   * @param done the exercises of the day, by numbers from 0 in the order in which they were first done
   */
  add(day: number, pain: number, done: ReadonlySet<number>): void {
    const last = this.#last;
    this.#last = { day, pain, done };
    for (const exercise of done) this.#seen = Math.max(this.#seen, exercise + 1);
    if (last === null || day - last.day !== 1) return;
    this.#all = plus(this.#all, last.pain, pain);
    for (const exercise of last.done)
      this.#with[exercise] = plus(this.#with[exercise] ?? noSums, last.pain, pain);
    if (this.#joint) {
      this.#covariates.fill(0)[0] = last.pain;
      for (const exercise of last.done) this.#covariates[exercise + 1] = 1;
      this.#joint.add(0, this.#covariates, pain);
    }
    for (const exercise of last.done) this.#look(exercise);
  }

  /** Days with an exercise that were followed by a day whose pain is known. */
  daysWith(exercise: number): number {
    return this.#with[exercise]?.n ?? 0;
  }

  /** Whether the pain of the next day is higher after the exercise; holds for somebody who looks every day. */
  isWorse(exercise: number): boolean {
    return this.#isWorse[exercise] ?? false;
  }

  /** By how much it is higher; null where too few days tell. */
  estimate(exercise: number): Estimate | null {
    const alone = this.#alone(exercise);
    return alone && this.#joined(exercise, alone);
  }

  #alone(exercise: number): Estimate | null {
    const own = this.#with[exercise] ?? noSums;
    const others = without(this.#all, own);
    if (own.n < FEWEST || others.n < FEWEST) return null;
    return adjustedDifference(own, others, LEAST_DEVIATION);
  }

  /** The same with the other exercises as they are, where that says enough. */
  #joined(exercise: number, alone: Estimate): Estimate {
    const joint = this.#joint?.slope(exercise + 1) ?? null;
    return joint && joint.size >= LEAST_SHARE * alone.size ? joint : alone;
  }

  #look(exercise: number): void {
    const alone = this.#alone(exercise);
    if (alone === null || (!this.isWorse(exercise) && evidenceAbove(alone) < KEPT)) return;
    const evidence = evidenceAbove(this.#joined(exercise, alone));
    this.#isWorse[exercise] = evidence >= (this.isWorse(exercise) ? KEPT : EVIDENCE * this.#seen);
  }
}
