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

/** A session as the statistics see it, with what they need to know of its day. */
export interface DiarySession {
  /** The number of its exercise, from 0, in the order in which exercises were first done. */
  readonly exercise: number;
  /** The number of its day. */
  readonly day: number;
  /** How many sessions came before it on its day. */
  readonly place: number;
  /** The pain before the first session of its day. */
  readonly first: number;
  /** Of the pain of the days up to its own. */
  readonly averages: readonly number[];
  /** Whether its day is a Saturday or a Sunday. */
  readonly weekend: boolean;
  /** Whether medication was taken before it on its day. */
  readonly medicated: boolean;
  /** Whether it is the first session after some was taken. */
  readonly justTaken: boolean;
  readonly painBefore: number;
  readonly painAfter: number;
}

/** A day without exercise on which pain was recorded twice. */
type RestDay = Omit<DiarySession, 'exercise' | 'place'>;

/** Days without exercise, as if they were one. */
const REST = -1;
/** Sessions of other exercises, or days without exercise, that a claim needs. */
export const FEWEST_OTHERS = 8;
/** Places in the day that are told apart; the last is that and all later ones. */
const MOST_PLACES = 8;
/** Days from one bend of the course of time to the next; twice as many, and again, where there would be more bends than this. */
const [BETWEEN_BENDS, MOST_BENDS] = [90, 24];
/**
 * The covariates: pain before and its square, the first pain of the day, the averages, the weekend, medication, whether it is
 * the first session after it (it acts at once, or hours later), the places but the first, the first pain of the day again in all
 * of these (sessions of a day resemble each other, so that it tells something else there), and the course of time: a line that bends.
 */
const WEEKEND = 3 + AVERAGES;
const [MEDICATED, PLACES] = [WEEKEND + 1, WEEKEND + 3];
/** Evidence of the contrast with other exercises, times the exercises seen: all claims about a person share one error. */
export const CONTRAST_EVIDENCE = 10;
/** Evidence of the raw change of first sessions, and of the change at the usual pain, that a claim needs beside it. */
export const [FIRST_EVIDENCE, USUAL_EVIDENCE] = [30, 15];
/** The latest sessions of each of the exercises done last, by which it is told how much they resemble each other. */
const [MOST_LATEST, MOST_TOLD_BY] = [120, 50];
/** Evidence below which a claim that was made goes. */
const KEPT = 1;
/** A change of less is not noticeable, in points. */
export const NOTICEABLE = 1;
/** A mean rise of less, in points, is taken for none. */
const RISE = NOTICEABLE / 4;
/** The share of days that begin with the lowest (highest) pain, and how many times that at the other end: from here on chosen by pain. */
const [SHARP, MORE_SHARP] = [0.35, 1.2];
/** The share of people for whom an exercise that makes a noticeable difference is ever said to make none. */
const NOTHING_ERROR = 0.04;

/** A session, or a day without, as it counts in the contrasts. */
interface Observation {
  /** Its place among all. */
  readonly index: number;
  readonly covariates: Float64Array;
  readonly change: number;
}

/** A claim that was made, and how many exercises had been seen by then. */
interface Claim {
  readonly direction: Direction;
  readonly seen: number;
}

/**
 * What may be claimed of exercises, day by day: that one helps (✔) or makes things worse (✖). A claim asks three things at
 * once, each for somebody who looks every day: the contrast with the other exercises, or with days without exercise, at the
 * same pain before and its square, the same first pain of the day and averages of the days up to it, the same place in the day,
 * at the same time (what falls by itself grows or fades over the months), and alike at weekends and with medication; the raw
 * change of first sessions of a day; and the change at the usual pain before. The contrast alone calls harmless exercises harmful
 * beside a good one, the raw change alone takes bad days that pass for relief.
 *
 * A claim stays until there is evidence against it, measured against the exercises that had been seen when it was made: a new
 * one that is better takes nothing away. Exercises of which something is claimed are no control for others.
 */
export class Marks {
  readonly #covariance: Covariance;
  readonly #covariates: Float64Array;
  /** What one point more of pain before adds to each covariate. */
  readonly #reading: Float64Array;
  readonly #places: number;
  /** The days at which the course of time bends: the first of the diary, and each three months after it. */
  readonly #bends: number[];
  /** The first covariate of the course of time. */
  readonly #course: number;
  readonly #firsts: Moments[] = [];
  readonly #all: Moments[] = [];
  /** Which exercises share one pair of numbers with others. */
  readonly sharedNumbers = new SharedNumbers();
  /** Whether numbers are entered again. */
  readonly copiedNumbers = new CopiedNumbers();
  readonly #claims: (Claim | null)[] = [];
  readonly #today = new Set<number>();
  readonly #days = new Moments();
  /** How many days began with each pain, from 1 to 10. */
  readonly #starts = new Array<number>(10).fill(0);
  /** Of the days' averages. */
  readonly #averages = Array.from({ length: AVERAGES }, () => new Moments());
  readonly #times = new Moments();
  /** By group, in the order in which they were last done. */
  readonly #latest = new Map<number, Observation[]>();
  #observations = 0;
  /** The groups of the covariance, in the order in which they were first seen. */
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

  /** Adds a day without exercise: a control, of what passes by itself. */
  addRest(day: RestDay): void {
    this.#setCovariates(day);
    this.#observe(REST, day.painAfter - day.painBefore);
  }

  /** All but the place. */
  #setCovariates({ day, painBefore, first, averages, weekend, medicated, justTaken }: RestDay): void {
    const known = [weekend, medicated, justTaken].map(Number);
    this.#covariates.fill(0).set([painBefore, square(painBefore), first, ...averages, ...known]);
    this.#covariates.set(this.#courseOn(day), this.#course);
  }

  /** How far time has gone by this day, from the first and from each bend. */
  #courseOn(day: number): number[] {
    return this.#bends.map((from) => Math.max(0, day - from) / BETWEEN_BENDS);
  }

  #observe(exercise: number, change: number): void {
    const group = this.#groupAt(exercise);
    const isSameDay = this.#today.has(exercise);
    this.#covariance.add(group, this.#covariates, change, isSameDay);
    this.#observations += 1;
    // One a day: what several of a day have in common, their deviation tells.
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

  /** Ends a day: claims are made and withdrawn of the exercises that were done. */
  endDay(): void {
    for (const exercise of this.#today) this.#look(exercise);
    this.#today.clear();
    this.sharedNumbers.endDay();
  }

  /** Looks at all exercises, those too that were given up before others began. */
  end(): void {
    for (const exercise of this.#firsts.keys()) this.#look(exercise);
  }

  /** What is claimed of an exercise: less pain by it, more, or neither. */
  claim(exercise: number): Direction | null {
    return this.#claims[exercise]?.direction ?? null;
  }

  /** The change of an exercise at the person's usual pain before and in the middle of the time, as the first of a day; null where it never was. */
  usual(exercise: number): Estimate | null {
    const covariates = this.#inTheMiddle(this.#atUsualPain(exercise));
    return this.#covariance.level(this.#groupOf(exercise), covariates.fill(0, PLACES, this.#course));
  }

  /** The others that an exercise can be held against: those done at weekends, or with medication, only say nothing of the rest. */
  comparable(exercise: number, others: readonly number[]): number[] {
    const isOnly = (one: number, covariate: number) =>
      this.#covariance.mean(this.#groupOf(one), covariate) === 1;
    return others.filter(
      (other) =>
        other !== exercise &&
        [WEEKEND, MEDICATED].every((each) => !isOnly(other, each) || isOnly(exercise, each)),
    );
  }

  /** The contrast with other exercises together; null where places, weekends or pain leave nothing to compare. */
  contrast(exercise: number, others: readonly number[]): Estimate | null {
    return this.#covariance.contrast(
      this.#groupOf(exercise),
      others.map((other) => this.#groupOf(other)),
    );
  }

  /**
   * The same, nearer to 0 where exercises differ in the pain before: it is a rating, and the person who chooses by what is felt
   * does not make its error. And with the deviation that it has where sessions resemble each other: one exercise after the
   * other, each for some weeks, is as few comparisons as there are changes from one to the other.
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

  /** The same at the places of the day at which the exercise was done. */
  inItsPlace(exercise: number): Estimate | null {
    return this.#covariance.level(this.#groupOf(exercise), this.#inTheMiddle(this.#atUsualPain(exercise)));
  }

  /**
   * Whether an exercise makes no noticeable difference: raw change and change at the usual pain, at its own time, lie inside ±1, and so
   * does the difference from the others of which nothing is claimed. After an exercise that keeps off a rise, pain stays.
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

  /** What was done early and what was done late, at one time. */
  #inTheMiddle(covariates: Float64Array): Float64Array {
    covariates.set(this.#courseOn(this.#times.mean), this.#course);
    return covariates;
  }

  #look(exercise: number): void {
    const claim = this.#claims[exercise];
    if (claim) {
      // Without evidence of the raw change there is none of the rest.
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
    // The second costs more.
    if (isEnough(false) && isEnough(true)) this.#claims[exercise] = made;
  }

  /** @returns the evidence of the raw change; the rest, which costs more, is weighed only if that is enough */
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
    // The mean of e-values is one: an exercise may differ from the others, from days without exercise, or a little from both.
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

  /** The exercises that one is held against: those of which nothing is claimed, if they have sessions enough. */
  #control(exercise: number, seen: number): number[] {
    const others = this.#others(exercise, seen);
    const plain = this.#unclaimed(others);
    return this.#sessionsOf(plain) >= FEWEST_OTHERS ? plain : others;
  }

  #unclaimed(exercises: readonly number[]): number[] {
    return exercises.filter((exercise) => !this.#claims[exercise]);
  }

  /** Of those seen first, so many. */
  #others(exercise: number, seen: number): number[] {
    return this.comparable(
      exercise,
      Array.from({ length: seen }, (_, i) => i),
    );
  }

  /**
   * Where pain rises after whatever is done, without the one that does best: who exercises on good days only would find harmful
   * whatever stands beside the one that helps.
   */
  #withoutBest(exercise: number, others: readonly number[]): readonly number[] {
    const less = others.map((other) => this.contrast(exercise, [other])?.value ?? Number.NEGATIVE_INFINITY);
    const best = less.indexOf(Math.max(...less));
    const rest = others.filter((_, i) => i !== best);
    return this.#meanOfFirsts(rest) > RISE ? rest : others;
  }

  /**
   * Whether others tell what would have come anyway. Who exercises on bad days only sees pain fall after whatever is done, and rise
   * who does on good days only: others that go the other way there do harm, or help, and what stands beside them may do nothing.
   */
  #tellWhatComesAnyway(others: readonly number[], direction: Direction): boolean {
    const [lowest, highest] = [this.#shareAtEdge(this.#starts), this.#shareAtEdge(this.#starts.toReversed())];
    const [edge, opposite] = direction === 'less' ? [lowest, highest] : [highest, lowest];
    if (edge < SHARP || edge < MORE_SHARP * opposite) return true;
    const change = this.#meanOfFirsts(others);
    return direction === 'less' ? change < 0 : change > 0;
  }

  /** The mean raw change of the first sessions of days; 0 without any. */
  #meanOfFirsts(exercises: readonly number[]): number {
    let [n, sum] = [0, 0];
    for (const exercise of exercises) {
      const firsts = this.#firsts[exercise] as Moments;
      n += firsts.n;
      sum += firsts.n * firsts.mean;
    }
    return n > 0 ? sum / n : 0;
  }

  /** The share of days that began with the lowest pain but for one day in ten; 0 at the end of the scale. */
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

/** The square about the middle of the scale: high pain falls by itself by more than a straight line says, low pain by less. */
const square = (pain: number): number => (pain - 5.5) ** 2;
