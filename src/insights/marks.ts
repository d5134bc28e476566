import { CopiedNumbers } from './copied-numbers.ts';
import { averageOf } from './numbers.ts';
import { AVERAGES, WEIGHTS } from './recent-pain.ts';
import type { Direction } from './shapes.ts';
import { SharedNumbers } from './shared-numbers.ts';
import { inflation, inflationWithin, UP_TO_SESSIONS } from './stats/autoregression.ts';
import { Covariance } from './stats/covariance.ts';
import {
  confidenceSequence,
  type Estimate,
  evidenceAbove,
  evidenceBelow,
  Moments,
} from './stats/estimate.ts';
import { FEWEST_TO_SAY } from './verdict.ts';

/** A session with the covariates of its day. */
export interface DiarySession {
  /** The number of its exercise, from 0, in the order in which exercises were first done. */
  readonly exercise: number;
  /** Its day, as a day number (days since 1970-01-01). */
  readonly day: number;
  /** How many sessions came before it on its day. */
  readonly place: number;
  /** The pain before the first session of its day. */
  readonly first: number;
  /** Moving averages of the pain of the days up to its own, which is included. */
  readonly averages: readonly number[];
  /** Whether its day is a Saturday or a Sunday. */
  readonly weekend: boolean;
  /** Whether medication was taken before it on its day. */
  readonly medicated: boolean;
  /** Whether it is the first session after medication was taken. */
  readonly justTaken: boolean;
  readonly painBefore: number;
  readonly painAfter: number;
}

/** A day without exercise on which pain was recorded twice. */
type RestDay = Omit<DiarySession, 'exercise' | 'place'>;

/** Stands for days without exercise, which are treated as one more exercise. */
const REST = -1;
/** Least number of control observations for a claim: sessions of other exercises, or days without exercise. */
export const FEWEST_OTHERS = 8;
/** Most places in the day with an indicator variable of their own; later places share the last one. */
const MOST_PLACES = 8;
/** Days between the knots of the linear spline of time, doubled until there are no more knots than `MOST_BENDS`. */
const [BETWEEN_BENDS, MOST_BENDS] = [90, 24];
/**
 * Positions of the covariates: pain before, its square about the mid-scale, first pain of the day, moving averages, weekend,
 * medication, first session after it (it acts at once, or hours later), an indicator of each place in the day but the first,
 * for those places the first pain of the day again (an interaction: sessions of a day are correlated), and time as a linear
 * spline.
 */
const WEEKEND = 3 + AVERAGES;
const [MEDICATED, PLACES] = [WEEKEND + 1, WEEKEND + 3];
/** E-value of the contrast that a claim needs, times the number of exercises seen: all claims about a person share one error. */
export const CONTRAST_EVIDENCE = 10;
/** E-values that a claim also needs: of the raw change of first sessions of a day, and of the change at the usual pain. */
export const [FIRST_EVIDENCE, USUAL_EVIDENCE] = [30, 15];
/** Latest observations of each group, and groups last seen, from which the autocorrelation of residuals is estimated. */
const [MOST_LATEST, MOST_TOLD_BY] = [120, 50];
/** E-value below which an existing claim is withdrawn. */
const KEPT = 1;
/** Smallest noticeable change, in points. */
export const NOTICEABLE = 1;
/** Mean rise, in points, up to which pain counts as unchanged. */
const RISE = NOTICEABLE / 4;
/** Days count as chosen by pain if this share begins at the lowest (highest) pain, and this many times that at the other end. */
const [SHARP, MORE_SHARP] = [0.35, 1.2];
/** Error of “no noticeable difference”: the share of people for whom it is ever said of an exercise that makes one. */
const NOTHING_ERROR = 0.04;

/** An observation in the regression: a session, or a control day without exercise. */
interface Observation {
  /** Its index among all observations, from 1. */
  readonly index: number;
  readonly covariates: Float64Array;
  readonly change: number;
}

/** A claim, and the number of exercises seen when it was made. */
interface Claim {
  readonly direction: Direction;
  readonly seen: number;
}

/**
 * Decides, day by day, which exercises are claimed to help (✔) or to make things worse (✖). A claim needs three e-values, each
 * valid for daily looks: of the contrast with other exercises, or with days without exercise, adjusted for pain before and its
 * square, first pain of the day, moving averages, place in the day, time (spontaneous change varies over months), weekends and
 * medication; of the raw change of first sessions of a day; of the change at the usual pain before. The contrast alone calls
 * harmless exercises harmful beside a good one, the raw change alone mistakes bad days that pass for relief.
 *
 * A claim stays until there is evidence against it, measured against the exercises that had been seen when it was made, so that
 * a better new exercise takes nothing away. Exercises with a claim are no control for others.
 */
export class Marks {
  readonly #covariance: Covariance;
  readonly #covariates: Float64Array;
  /** The change of each covariate per point of pain before. */
  readonly #reading: Float64Array;
  readonly #places: number;
  /** The knots of the time spline, as day numbers: the first day, and every 90 days (or a multiple) after it. */
  readonly #bends: number[];
  /** The first covariate of the time spline. */
  readonly #course: number;
  readonly #firsts: Moments[] = [];
  readonly #all: Moments[] = [];
  /** Finds exercises that share a pair of numbers with others. */
  readonly sharedNumbers = new SharedNumbers();
  /** Finds out whether the person copies numbers of earlier sessions. */
  readonly copiedNumbers = new CopiedNumbers();
  readonly #claims: (Claim | null)[] = [];
  readonly #today = new Set<number>();
  readonly #days = new Moments();
  /** How many days began with each pain, from 1 to 10. */
  readonly #starts = new Array<number>(10).fill(0);
  /** Moments of the days' moving averages. */
  readonly #averages = Array.from({ length: AVERAGES }, () => new Moments());
  readonly #times = new Moments();
  /** Latest observations by group; groups in the order in which they were last seen. */
  readonly #latest = new Map<number, Observation[]>();
  #observations = 0;
  /** The group of each exercise in the analysis of covariance, in the order of their first observation. */
  readonly #groups = new Map<number, number>();

  /**
   * @param places most sessions of one day
   * @param from the number of the first day
   * @param days how many there are up to the last
   */
  constructor(places: number, from: number, days: number) {
    this.#places = Math.min(places, MOST_PLACES);
    let between = BETWEEN_BENDS;
    while (days > MOST_BENDS * between) between *= 2;
    this.#bends = Array.from({ length: Math.ceil(days / between) }, (_, i) => from + i * between);
    this.#course = this.#places > 1 ? PLACES + this.#places : PLACES;
    const size = this.#course + this.#bends.length;
    this.#covariance = new Covariance(size);
    this.#covariates = new Float64Array(size);
    this.#reading = new Float64Array(size);
    this.#reading.set([1, 0, 1, ...WEIGHTS]);
  }

  /** Adds a session; days come in order, and so do the sessions of a day. */
  add({ exercise, place, ...session }: DiarySession): void {
    const { day, painBefore, painAfter } = session;
    this.sharedNumbers.add({ exercise, painBefore, painAfter });
    if (this.copiedNumbers.add({ exercise, painBefore, painAfter })) return;
    this.#setCovariates(session);
    if (place > 0) {
      this.#covariates[PLACES - 1 + Math.min(place, this.#places - 1)] = 1;
      this.#covariates[this.#course - 1] = session.first;
    }
    const change = painAfter - painBefore;
    this.#observe(exercise, change);
    this.#all[exercise] ??= new Moments();
    this.#firsts[exercise] ??= new Moments();
    this.#all[exercise].add(change);
    if (place === 0) {
      this.#firsts[exercise].add(change);
      this.#days.add(painBefore);
      this.#starts[painBefore - 1] = (this.#starts[painBefore - 1] as number) + 1;
      for (const [i, average] of session.averages.entries()) this.#averages[i]?.add(average);
      this.#times.add(day);
    }
    this.#today.add(exercise);
  }

  /** Adds a day without exercise: a control for change that happens by itself. */
  addRest(day: RestDay): void {
    this.#setCovariates(day);
    this.#observe(REST, day.painAfter - day.painBefore);
  }

  /** Sets all covariates except those of the place in the day. */
  #setCovariates({ day, painBefore, first, averages, weekend, medicated, justTaken }: RestDay): void {
    const known = [weekend, medicated, justTaken].map(Number);
    this.#covariates.fill(0).set([painBefore, square(painBefore), first, ...averages, ...known]);
    this.#covariates.set(this.#courseOn(day), this.#course);
  }

  /** The basis of the time spline on a day: the time since each knot, in units of 90 days, 0 before it. */
  #courseOn(day: number): number[] {
    return this.#bends.map((from) => Math.max(0, day - from) / BETWEEN_BENDS);
  }

  #observe(exercise: number, change: number): void {
    const group = this.#groupAt(exercise);
    const isSameDay = this.#today.has(exercise);
    this.#covariance.add(group, this.#covariates, change, isSameDay);
    this.#observations += 1;
    // One for each day: the clustered standard error already allows for the correlation within a day.
    if (isSameDay) return;
    const latest = this.#latest.get(group) ?? [];
    latest.push({ index: this.#observations, covariates: this.#covariates.slice(), change });
    if (latest.length > MOST_LATEST) latest.shift();
    this.#latest.delete(group);
    this.#latest.set(group, latest);
    const [oldest] = this.#latest.keys();
    if (oldest !== undefined && this.#latest.size > MOST_TOLD_BY) this.#latest.delete(oldest);
  }

  #groupAt(exercise: number): number {
    const group = this.#groups.get(exercise) ?? this.#groups.size;
    this.#groups.set(exercise, group);
    return group;
  }

  /** Ends a day: makes and withdraws claims about the exercises that were done. */
  endDay(): void {
    for (const exercise of this.#today) this.#look(exercise);
    this.#today.clear();
    this.sharedNumbers.endDay();
  }

  /** Reviews all exercises, including those that were given up before others began. */
  end(): void {
    for (const exercise of this.#firsts.keys()) this.#look(exercise);
  }

  /** The claim about an exercise: less pain through it, more, or none. */
  claim(exercise: number): Direction | null {
    return this.#claims[exercise]?.direction ?? null;
  }

  /** Adjusted change at the usual pain before and the mean time, as the first session of a day; null if it never was first. */
  usual(exercise: number): Estimate | null {
    const covariates = this.#inTheMiddle(this.#atUsualPain(exercise));
    return this.#covariance.level(this.#groupOf(exercise), covariates.fill(0, PLACES, this.#course));
  }

  /** The others that can be a control; those done only at weekends, or only with medication, only if this one is done so, too. */
  comparable(exercise: number, others: readonly number[]): number[] {
    const isOnly = (one: number, covariate: number) =>
      this.#covariance.mean(this.#groupOf(one), covariate) === 1;
    return others.filter(
      (other) =>
        other !== exercise &&
        [WEEKEND, MEDICATED].every((each) => !isOnly(other, each) || isOnly(exercise, each)),
    );
  }

  /** The adjusted difference from other exercises together; null if place, weekend or pain separate them (not estimable). */
  contrast(exercise: number, others: readonly number[]): Estimate | null {
    return this.#covariance.contrast(
      this.#groupOf(exercise),
      others.map((other) => this.#groupOf(other)),
    );
  }

  /**
   * The contrast, made robust. The value is corrected towards 0 for measurement error in the pain before: a rating, whose error
   * a person who chooses exercises by what is felt does not share. The standard error is inflated for autocorrelation:
   * exercises done in spells of some weeks give only as many comparisons as there are changes between them.
   */
  robustContrast(exercise: number, others: readonly number[]): Estimate | null {
    const groups = [exercise, ...others].map((one) => this.#groupOf(one));
    const [own, ...rest] = groups as [number, ...number[]];
    const estimate = this.#covariance.contrast(own, rest, this.#reading);
    if (estimate === null) return null;
    const residuals = groups.map((group) =>
      (this.#latest.get(group) ?? []).map(({ index, covariates, change }) => ({
        index,
        y: this.#covariance.residual(group, covariates, change),
      })),
    );
    const latest = residuals
      .flatMap((own, i) => own.map((one) => ({ ...one, x: Number(i === 0) })))
      .sort((a, b) => a.index - b.index);
    const times = latest.map(({ index }) => index);
    const [x, y] = [latest.map((one) => one.x), latest.map((one) => one.y)];
    const total = this.#sessionsOf(others);
    const shares = groups.map((group, i) => (i === 0 ? 1 : this.#covariance.count(group) / total));
    const wider = Math.max(
      inflation({ times, x, y, length: latest.length }, UP_TO_SESSIONS),
      inflationWithin(
        residuals.map((own) => own.map((one) => one.y)),
        shares,
      ),
    );
    return { ...estimate, deviation: estimate.deviation * Math.sqrt(wider) };
  }

  /** As `usual`, at the mean place in the day at which the exercise was done. */
  inItsPlace(exercise: number): Estimate | null {
    return this.#covariance.level(this.#groupOf(exercise), this.#inTheMiddle(this.#atUsualPain(exercise)));
  }

  /**
   * Whether an exercise makes no noticeable difference: the confidence sequences of raw and adjusted change (at its own mean
   * time) lie inside ±1, and so does the estimated difference from exercises without a claim. The last is for one that prevents
   * a rise: pain then stays the same.
   */
  isNothing(exercise: number): boolean {
    const all = this.#all[exercise];
    if (!all || all.n < FEWEST_TO_SAY) return false;
    const covariates = this.#atUsualPain(exercise).fill(0, PLACES, this.#course);
    const usual = this.#covariance.level(this.#groupOf(exercise), covariates);
    const isLittle = [all.estimate(), usual].every((estimate) => {
      if (estimate === null) return false;
      const [low, high] = confidenceSequence(estimate, NOTHING_ERROR);
      return low > -NOTICEABLE && high < NOTICEABLE;
    });
    if (!isLittle) return false;
    const plain = this.#unclaimed(this.#others(exercise, this.#firsts.length));
    const contrast = this.#sessionsOf(plain) >= FEWEST_OTHERS ? this.contrast(exercise, plain) : null;
    return contrast === null || Math.abs(contrast.value) < NOTICEABLE;
  }

  #atUsualPain(exercise: number): Float64Array {
    const usual = this.#days.mean;
    return this.#covariance.moved(this.#groupOf(exercise), [
      usual,
      square(usual),
      usual,
      ...this.#averages.map(({ mean }) => mean),
    ]);
  }

  /** Sets the covariates of time to the mean time, so that early and late exercises are comparable. */
  #inTheMiddle(covariates: Float64Array): Float64Array {
    covariates.set(this.#courseOn(this.#times.mean), this.#course);
    return covariates;
  }

  #look(exercise: number): void {
    const claim = this.#claims[exercise];
    if (claim) {
      // With the raw change below `KEPT` the other two are returned as 0.
      const [, contrast, usual] = this.#evidence(exercise, claim, { isMade: true });
      if (contrast < KEPT || usual < KEPT) this.#claims[exercise] = null;
      return;
    }
    const own = this.#firsts[exercise] as Moments;
    const seen = this.#firsts.length;
    if (own.n < FEWEST_TO_SAY) return;
    const made: Claim = { direction: own.mean < 0 ? 'less' : 'more', seen };
    const isEnough = (isRobust: boolean) => {
      const [first, contrast, usual] = this.#evidence(exercise, made, { isRobust });
      return first >= FIRST_EVIDENCE && contrast >= CONTRAST_EVIDENCE * seen && usual >= USUAL_EVIDENCE;
    };
    // The robust contrast is slower.
    if (isEnough(false) && isEnough(true)) this.#claims[exercise] = made;
  }

  /** The three e-values of a claim. @returns 0 for the last two, which are slower, unless the first is enough */
  #evidence(
    exercise: number,
    { direction, seen }: Claim,
    { isMade = false, isRobust = false },
  ): [first: number, contrast: number, usual: number] {
    const weigh = (estimate: Estimate | null) => {
      if (estimate === null) return 0;
      return direction === 'less' ? evidenceBelow(estimate) : evidenceAbove(estimate);
    };
    const first = weigh((this.#firsts[exercise] as Moments).estimate());
    if (first < (isMade ? KEPT : FIRST_EVIDENCE)) return [first, 0, 0];
    // A mean of e-values is an e-value. The exercise may differ from others, from days without, or from both.
    const control = this.#control(exercise, seen);
    const others = direction === 'more' ? this.#withoutBest(exercise, control) : control;
    const contrasts = [isMade || this.#tellWhatComesAnyway(others, direction) ? others : [], [REST]]
      .filter((control) => this.#sessionsOf(control) >= FEWEST_OTHERS)
      .map((control) =>
        weigh(isRobust ? this.robustContrast(exercise, control) : this.contrast(exercise, control)),
      );
    if (contrasts.length === 0) return [first, 0, 0];
    return [first, averageOf(contrasts), weigh(this.usual(exercise))];
  }

  /** The control exercises: those without a claim, if they have enough sessions, otherwise all. */
  #control(exercise: number, seen: number): number[] {
    const others = this.#others(exercise, seen);
    const plain = this.#unclaimed(others);
    return this.#sessionsOf(plain) >= FEWEST_OTHERS ? plain : others;
  }

  #unclaimed(exercises: readonly number[]): number[] {
    return exercises.filter((exercise) => !this.#claims[exercise]);
  }

  /** The comparable exercises among the first `seen`. */
  #others(exercise: number, seen: number): number[] {
    return this.comparable(
      exercise,
      Array.from({ length: seen }, (_, i) => i),
    );
  }

  /**
   * The controls without the best of them, if pain rises after the rest on average. Pain rises after anything if somebody
   * exercises on good days only; every exercise would then look harmful beside one that helps.
   */
  #withoutBest(exercise: number, others: readonly number[]): readonly number[] {
    const less = others.map((other) => this.contrast(exercise, [other])?.value ?? Number.NEGATIVE_INFINITY);
    const best = less.indexOf(Math.max(...less));
    const rest = others.filter((_, i) => i !== best);
    return this.#meanOfFirsts(rest) > RISE ? rest : others;
  }

  /**
   * Whether others show the change that happens by itself. Pain falls after anything if days are chosen for high pain, and
   * rises if chosen for low pain (regression to the mean): others that go the other way then have an effect, and what is
   * compared with them may have none.
   */
  #tellWhatComesAnyway(others: readonly number[], direction: Direction): boolean {
    const [lowest, highest] = [this.#shareAtEdge(this.#starts), this.#shareAtEdge(this.#starts.toReversed())];
    const [edge, opposite] = direction === 'less' ? [lowest, highest] : [highest, lowest];
    if (edge < SHARP || edge < MORE_SHARP * opposite) return true;
    const change = this.#meanOfFirsts(others);
    return direction === 'less' ? change < 0 : change > 0;
  }

  /** The mean raw change of these exercises' first sessions of a day; 0 without any. */
  #meanOfFirsts(exercises: readonly number[]): number {
    let [n, sum] = [0, 0];
    for (const exercise of exercises) {
      const firsts = this.#firsts[exercise] as Moments;
      n += firsts.n;
      sum += firsts.n * firsts.mean;
    }
    return n > 0 ? sum / n : 0;
  }

  /** The share of days that began with the lowest pain (10 % quantile of first pains); 0 if that is the end of the scale. */
  #shareAtEdge(starts: readonly number[]): number {
    let before = 0;
    const edge = starts.findIndex((days) => {
      before += days;
      return before > this.#days.n / 10;
    });
    return edge > 0 ? (starts[edge] ?? 0) / this.#days.n : 0;
  }

  #sessionsOf(exercises: readonly number[]): number {
    return exercises.reduce((sum, exercise) => sum + this.#covariance.count(this.#groupOf(exercise)), 0);
  }

  #groupOf(exercise: number): number {
    return this.#groups.get(exercise) ?? Number.NaN;
  }
}

/** The square about the mid-scale: high pain falls by itself by more than a straight line predicts, low pain by less. */
const square = (pain: number): number => (pain - 5.5) ** 2;
