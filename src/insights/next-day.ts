import { Covariance } from './stats/covariance.ts';
import { type Estimate, evidenceAbove } from './stats/estimate.ts';

/** Evidence that a claim needs, times the exercises seen: all claims about a person share one error of 10 %. */
const EVIDENCE = 10;
/** Evidence below which a claim that was made goes. */
const KEPT = 1;
/** Days with the exercise, and other days, that a claim needs. */
const FEWEST = 5;
/** Up to so many exercises each is also compared with the others as they are. */
const MOST_JOINT = 24;
/** That comparison is used where it keeps this share of the information. */
const LEAST_SHARE = 0.5;
/** What a day weighs in the averages of the pain up to it: of the last days, and of the last weeks. */
const WEIGHTS = [0.3, 0.1] as const;
/** The covariates: the pain of the day and the averages up to it; from here on what was done. */
const DONE = 1 + WEIGHTS.length;

/** Days with an exercise and days without it. */
interface Sides {
  readonly covariance: Covariance;
  /** Which of the two each group of the covariance is. */
  readonly order: boolean[];
  days: number;
}

/**
 * The pain of a day, its first value, against what was done on the day before, at the same pain on that day and the same average
 * (exponentially weighted) of the days and weeks up to it: one value alone cannot tell a flare from a bad day, and what is done in
 * flares would be blamed for them. Only days that follow a day whose pain is known count: whoever records bad days only leaves
 * out days that were better.
 */
export class NextDay {
  readonly #joint: Covariance | null;
  readonly #covariates: Float64Array;
  readonly #sides: readonly Sides[];
  readonly #isWorse: boolean[] = [];
  #last: { day: number; levels: readonly number[]; done: ReadonlySet<number> } | null = null;
  #days = 0;
  #pairs = 0;
  #seen = 0;

  /** @param exercises how many there are */
  constructor(exercises: number) {
    const size = exercises <= MOST_JOINT ? DONE + exercises : DONE;
    this.#covariates = new Float64Array(size);
    this.#joint = size > DONE ? new Covariance(size) : null;
    this.#sides = Array.from({ length: exercises }, () => ({
      covariance: new Covariance(DONE),
      order: [],
      days: 0,
    }));
  }

  /**
   * A day with a recorded pain; days come in order.
   * @param pain its first value
   * @param done the exercises of the day, by numbers from 0 in the order in which they were first done
   */
  add(day: number, pain: number, done: ReadonlySet<number>): void {
    const last = this.#last;
    this.#days += 1;
    const levels = WEIGHTS.map((weight, i) => {
      const before = last?.levels[i + 1] ?? pain;
      return before + Math.max(weight, 1 / this.#days) * (pain - before);
    });
    this.#last = { day, levels: [pain, ...levels], done };
    for (const exercise of done) this.#seen = Math.max(this.#seen, exercise + 1);
    if (last === null || day - last.day !== 1) return;
    this.#pairs += 1;
    this.#covariates.fill(0).set(last.levels);
    for (const [exercise, sides] of this.#sides.entries()) {
      const isDone = last.done.has(exercise);
      if (!sides.order.includes(isDone)) sides.order.push(isDone);
      sides.covariance.add(sides.order.indexOf(isDone), this.#covariates, pain);
      sides.days += Number(isDone);
    }
    if (this.#joint) {
      for (const exercise of last.done) this.#covariates[exercise + DONE] = 1;
      this.#joint.add(0, this.#covariates, pain);
    }
    for (const exercise of last.done) this.#look(exercise);
  }

  /** Days with an exercise that were followed by a day whose pain is known. */
  daysWith(exercise: number): number {
    return this.#sides[exercise]?.days ?? 0;
  }

  /** Whether the pain of the next day is higher after the exercise; holds for somebody who looks every day. */
  isWorse(exercise: number): boolean {
    return this.#isWorse[exercise] ?? false;
  }

  /** By how much it is higher, with the other exercises as they are where that says enough; null where too few days tell. */
  estimate(exercise: number): Estimate | null {
    const { covariance, order, days } = this.#sides[exercise] as Sides;
    if (Math.min(days, this.#pairs - days) < FEWEST) return null;
    const alone = covariance.contrast(order.indexOf(true), [order.indexOf(false)]);
    const joint = this.#joint?.slope(exercise + DONE) ?? null;
    return alone && joint && joint.size >= LEAST_SHARE * alone.size ? joint : alone;
  }

  #look(exercise: number): void {
    const estimate = this.estimate(exercise);
    if (estimate === null) return;
    const least = this.isWorse(exercise) ? KEPT : EVIDENCE * this.#seen;
    this.#isWorse[exercise] = evidenceAbove(estimate) >= least;
  }
}
