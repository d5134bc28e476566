import { isWeekend } from './days.ts';
import { NOTICEABLE } from './marks.ts';
import { round } from './numbers.ts';
import { AVERAGES } from './recent-pain.ts';
import type { DayAfter } from './shapes.ts';
import { Covariance } from './stats/covariance.ts';
import { type Estimate, evidenceAbove } from './stats/estimate.ts';
import { intervalOf } from './verdict.ts';

/** Evidence that a claim needs, times the exercises seen: all claims about a person share one error. */
export const NEXT_DAY_EVIDENCE = 5;
/** Evidence below which a claim that was made goes. */
const KEPT = 1;
/** What a claim needs at an equal count of the days around on which the exercise was done: evidence, and points of pain. */
const EVIDENCE_AROUND = 2;
const LEAST_AROUND = 0.5;
/** What it needs, beside as many points, whatever was done on the day before the exercise: evidence. */
export const EVIDENCE_EARLIER = 5;
/**
 * The share of the information that this count leaves where an exercise is done by chance: it is one of the four days. Where less is
 * left, pain or spells say when it is done, and the more so, the more evidence is asked: by this power, up to so much, as simulations
 * have it.
 */
const BY_CHANCE = 0.75;
const POWER = 8;
const MOST_AROUND = 100;
/** Days with the exercise, and other days, that a claim needs. */
const FEWEST = 5;
/** Up to so many exercises each is also compared with the others as they are. */
const MOST_JOINT = 24;
/** A comparison with more covariates is used where it keeps this share of the information. */
const LEAST_SHARE = 0.5;
/**
 * The covariates: the pain of the day, that of later on and whether it is known, the averages up to it, the pain of the day after
 * next, and which of these three days are at a weekend; from here on what was done: the exercises of the day, or of one alone
 * whether it was done again on the next.
 */
const DONE = 7 + AVERAGES;

const laterOf = ({ pain, later }: KnownDay): number[] => [later ?? pain, Number(later !== undefined)];

/** The two groups of each covariance. */
const [WITH, WITHOUT] = [1, 0];

/** Days with an exercise and days without it. */
interface Sides {
  readonly covariance: Covariance;
  /** The same with one covariate more: whether the exercise was done again on the next day. */
  readonly again: Covariance;
  /** The same with on how many days around the exercise was done: the three of the comparison, and the one before them. */
  readonly around: Covariance;
  /** The same with what was done on the day before the exercise; up to so many exercises. */
  readonly earlier: Covariance | null;
  days: number;
}

/** A day with a recorded pain, its first value. */
interface KnownDay {
  readonly day: number;
  readonly pain: number;
  /** A value of later on, before what was done: pain before the first session, or recorded again on a day without. */
  readonly later?: number | undefined;
  /** Of the pain up to it. */
  readonly averages: readonly number[];
  /** The exercises of the day, by numbers from 0 in the order in which they were first done. */
  readonly done: ReadonlySet<number>;
}

/**
 * The pain of a day, its first value, against what was done on the day before, at the same pain on that day (also later on it, where
 * that is known: what is done in a bad afternoon is not blamed for it) and on the day after it, and the same averages of the days
 * and weeks before: a flare shows on both sides of a day, what one exercise does to the next
 * day between them. Weekends are told apart: what is done on Sundays is not blamed for Mondays. Only days between days whose pain
 * is known count: whoever records bad days only leaves out days that were better.
 */
export class NextDay {
  readonly #joint: Covariance | null;
  readonly #covariates: Float64Array;
  readonly #sides: readonly Sides[];
  readonly #isWorse: boolean[] = [];
  /** The last three. */
  #prior: KnownDay | null = null;
  #before: KnownDay | null = null;
  #last: KnownDay | null = null;
  #pairs = 0;
  #seen = 0;

  /** @param exercises how many there are */
  constructor(exercises: number) {
    const size = exercises <= MOST_JOINT ? DONE + exercises : DONE;
    this.#covariates = new Float64Array(Math.max(size, DONE + 1));
    this.#joint = size > DONE ? new Covariance(size) : null;
    this.#sides = Array.from({ length: exercises }, () => ({
      covariance: new Covariance(DONE),
      again: new Covariance(DONE + 1),
      around: new Covariance(DONE + 1),
      earlier: size > DONE ? new Covariance(size) : null,
      days: 0,
    }));
  }

  /** Adds a day; days come in order. */
  add(next: KnownDay): void {
    const [prior, before, day] = [this.#prior, this.#before, this.#last];
    [this.#prior, this.#before, this.#last] = [before, day, next];
    for (const exercise of next.done) this.#seen = Math.max(this.#seen, exercise + 1);
    if (!before || !day || next.day - before.day !== 2) return;
    this.#pairs += 1;
    const around = [prior?.day === before.day - 1 ? prior : null, before, day, next];
    const weekends = [before, day, next].map((each) => Number(isWeekend(each.day)));
    this.#covariates
      .fill(0)
      .set([before.pain, ...laterOf(before), ...before.averages, next.pain, ...weekends]);
    for (const [exercise, sides] of this.#sides.entries()) {
      const side = before.done.has(exercise) ? WITH : WITHOUT;
      sides.covariance.add(side, this.#covariates, day.pain);
      // Done mostly in flares, it says of a day whether the flare goes on.
      this.#covariates[DONE] = Number(day.done.has(exercise));
      sides.again.add(side, this.#covariates, day.pain);
      // What is done in flares is done as often on the other days around: only what it does itself singles out the day before.
      this.#covariates[DONE] = around.filter((each) => each?.done.has(exercise)).length;
      sides.around.add(side, this.#covariates, day.pain);
      this.#covariates[DONE] = 0;
      if (sides.earlier && around[0]) {
        for (const other of around[0].done) this.#covariates[other + DONE] = 1;
        sides.earlier.add(side, this.#covariates, day.pain);
        this.#covariates.fill(0, DONE);
      }
      if (side === WITH) sides.days += 1;
    }
    if (this.#joint) {
      for (const exercise of before.done) this.#covariates[exercise + DONE] = 1;
      this.#joint.add(0, this.#covariates, day.pain);
    }
    for (const exercise of before.done) this.#look(exercise);
  }

  /** Whether the pain of the next day is higher after the exercise; holds for somebody who looks every day. */
  isWorse(exercise: number): boolean {
    return this.#isWorse[exercise] ?? false;
  }

  /**
   * By how much it is higher; null where too few days tell. The interval holds that among days around which the exercise was done as
   * often too, and that whatever was done on the day before: what is done in flares, or after what takes two days, is not taken for the
   * cause.
   */
  found(exercise: number): DayAfter | null {
    const estimate = this.#estimate(exercise);
    if (estimate === null) return null;
    const stricter = [this.#around(exercise), this.#earlier(exercise)].filter((one) => one !== null);
    const ends = [estimate, ...stricter].flatMap(intervalOf);
    return {
      days: this.#sidesOf(exercise).days,
      difference: round(estimate.value),
      interval: [Math.min(...ends), Math.max(...ends)],
      worse: this.isWorse(exercise),
    };
  }

  /** With the other exercises as they are, else with whether it was done again, where that says enough. */
  #estimate(exercise: number): Estimate | null {
    const sides = this.#sidesOf(exercise);
    if (Math.min(sides.days, this.#pairs - sides.days) < FEWEST) return null;
    const alone = difference(sides.covariance);
    if (alone === null) return null;
    const finer = [this.#joint?.slope(exercise + DONE), difference(sides.again)];
    return finer.find((one) => one && one.size >= LEAST_SHARE * alone.size) ?? alone;
  }

  #look(exercise: number): void {
    const estimate = this.#estimate(exercise);
    if (estimate === null) return;
    const evidence = evidenceAbove(estimate);
    this.#isWorse[exercise] = this.isWorse(exercise)
      ? evidence >= KEPT
      : estimate.value >= NOTICEABLE &&
        evidence >= NEXT_DAY_EVIDENCE * this.#seen &&
        this.#isWorseThanAround(exercise) &&
        this.#isWorseThanEarlier(exercise);
  }

  /** Where nothing tells what was done on the day before apart, this asks for nothing. */
  #isWorseThanEarlier(exercise: number): boolean {
    const earlier = this.#earlier(exercise);
    if (earlier === null) return true;
    return earlier.value >= LEAST_AROUND && evidenceAbove(earlier) >= EVIDENCE_EARLIER;
  }

  /** Whatever was done on the day before it: soreness that takes two days is not blamed on the exercise that comes next. */
  #earlier(exercise: number): Estimate | null {
    const { earlier } = this.#sidesOf(exercise);
    return earlier && difference(earlier);
  }

  /** Among days around which it was done as often. */
  #around(exercise: number): Estimate | null {
    return difference(this.#sidesOf(exercise).around);
  }

  #sidesOf(exercise: number): Sides {
    return this.#sides[exercise] as Sides;
  }

  #isWorseThanAround(exercise: number): boolean {
    const around = this.#around(exercise);
    if (around === null || around.value < LEAST_AROUND) return false;
    const { days } = this.#sidesOf(exercise);
    const byChance = BY_CHANCE * days * (1 - days / this.#pairs) * (1 - (DONE + 1) / this.#pairs);
    const asked = EVIDENCE_AROUND * Math.max(1, byChance / around.size) ** POWER;
    return evidenceAbove(around) >= Math.min(MOST_AROUND, asked);
  }
}

/** Days with the exercise against those without it. */
const difference = (covariance: Covariance): Estimate | null => covariance.contrast(WITH, [WITHOUT]);
