import { isWeekend } from './days.ts';
import { NOTICEABLE } from './marks.ts';
import { round } from './numbers.ts';
import { AVERAGES } from './recent-pain.ts';
import type { DayAfter } from './shapes.ts';
import { Covariance } from './stats/covariance.ts';
import { type Estimate, evidenceAbove } from './stats/estimate.ts';
import { within } from './stats/points.ts';
import { CHANGES, intervalOf } from './verdict.ts';

/** E-value that a claim needs, times the number of exercises seen: all claims about a person share one error. */
export const NEXT_DAY_EVIDENCE = 5;
/** E-value below which an existing claim is withdrawn. */
const KEPT = 1;
/** What a claim needs when adjusted for the number of surrounding days with the exercise: an e-value, and points of pain. */
const EVIDENCE_AROUND = 2;
const LEAST_AROUND = 0.5;
/** E-value that it needs, besides as many points, when adjusted for what was done on the day before the exercise. */
export const EVIDENCE_EARLIER = 5;
/**
 * Share of the information that the adjustment for surrounding days leaves if an exercise is done at random: its day is one of
 * the four. If pain or spells decide when it is done, less is left, and the e-value asked for grows by this power of the ratio,
 * up to a maximum; power and maximum were chosen by simulation.
 */
const BY_CHANCE = 0.75;
const POWER = 8;
const MOST_AROUND = 100;
/** Least number of days with the exercise, and of days without it. */
const FEWEST = 5;
/** Most exercises for a joint regression, in which each is adjusted for the others. */
const MOST_JOINT = 24;
/** A comparison with more covariates is used if it keeps this share of the information. */
const LEAST_SHARE = 0.5;
/**
 * Position of the first covariate on exercises: those of the day, or of one alone whether it was done again on the next day.
 * Before it: the pain of the day, its later value and whether there is one, the moving averages up to the day, the pain of the
 * day after next, and whether each of these three days is at a weekend.
 */
const DONE = 7 + AVERAGES;

const laterOf = ({ pain, later }: KnownDay): number[] => [later ?? pain, Number(later !== undefined)];

/** The two groups of each regression: days with the exercise, and days without it. */
const [WITH, WITHOUT] = [1, 0];

/** Regressions that compare two groups: days with an exercise, and days without it. */
interface Sides {
  readonly covariance: Covariance;
  /** The same with one more covariate: whether the exercise was done again on the next day. */
  readonly again: Covariance;
  /** With one more covariate: on how many of the three days of the comparison and the day before them the exercise was done. */
  readonly around: Covariance;
  /** With the exercises of the day before as covariates; null with more than `MOST_JOINT` exercises. */
  readonly earlier: Covariance | null;
  days: number;
}

/** A day with a recorded pain, its first value. */
interface KnownDay {
  readonly day: number;
  readonly pain: number;
  /** A second value before any exercise: that before the first session, or the second entry of a day without sessions. */
  readonly later?: number | undefined;
  /** Moving averages of the pain up to this day. */
  readonly averages: readonly number[];
  /** The exercises of the day, by numbers from 0 in the order in which they were first done. */
  readonly done: ReadonlySet<number>;
}

/**
 * The first pain of a day against what was done on the day before, adjusted for the pain on that day (also for a later value,
 * if known: an exercise done in a bad afternoon is not blamed for it), for the pain on the day after it, and for the moving
 * averages of the days and weeks before. A flare shows on both sides of a day; what an exercise does to the next day shows
 * between them. Weekends are adjusted for, so that Mondays are not blamed on what is done on Sundays. Only days between days
 * with known pain count: whoever records bad days only leaves out the better ones.
 */
export class NextDay {
  readonly #joint: Covariance | null;
  readonly #covariates: Float64Array;
  readonly #sides: readonly Sides[];
  readonly #isWorse: boolean[] = [];
  /** The last three days, `#last` the latest of them. */
  #prior: KnownDay | null = null;
  #before: KnownDay | null = null;
  #last: KnownDay | null = null;
  #pairs = 0;
  #seen = 0;

  /** @param exercises number of exercises */
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
      // If it is done mostly in flares, doing it again shows that the flare goes on.
      this.#covariates[DONE] = Number(day.done.has(exercise));
      sides.again.add(side, this.#covariates, day.pain);
      // In flares it is done as often on the surrounding days: only an effect of its own singles out this
      // one.
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

  /** Whether the pain of the next day is claimed to be higher after the exercise; valid under daily looks. */
  isWorse(exercise: number): boolean {
    return this.#isWorse[exercise] ?? false;
  }

  /**
   * The difference of the next day's pain; null if there are too few days. The interval also covers the differences adjusted
   * for the surrounding days and for the day before: an exercise done in flares, or after one that takes two days to act, is
   * not taken for the cause.
   */
  found(exercise: number): DayAfter | null {
    const estimate = this.#estimate(exercise);
    if (estimate === null) return null;
    const stricter = [this.#around(exercise), this.#earlier(exercise)].filter((one) => one !== null);
    const ends = [estimate, ...stricter].flatMap(intervalOf);
    return {
      days: this.#sidesOf(exercise).days,
      difference: round(within(estimate.value, CHANGES)),
      interval: [Math.min(...ends), Math.max(...ends)],
      worse: this.isWorse(exercise),
    };
  }

  /** Adjusted for the other exercises, or for repetition on the next day, if enough information is left; otherwise plain. */
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

  /** Whether the claim holds adjusted for the day before; true if that is not estimable. */
  #isWorseThanEarlier(exercise: number): boolean {
    const earlier = this.#earlier(exercise);
    if (earlier === null) return true;
    return earlier.value >= LEAST_AROUND && evidenceAbove(earlier) >= EVIDENCE_EARLIER;
  }

  /** Adjusted for the exercises of the day before: soreness that takes two days is not blamed on the exercise that comes next. */
  #earlier(exercise: number): Estimate | null {
    const { earlier } = this.#sidesOf(exercise);
    return earlier && difference(earlier);
  }

  /** Adjusted for the number of surrounding days with the exercise. */
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

/** The contrast of the days with the exercise and those without it. */
const difference = (covariance: Covariance): Estimate | null => covariance.contrast(WITH, [WITHOUT]);
