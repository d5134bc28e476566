import { rankOf, UNTIMED } from '../domain/day-pain.ts';
import type { Log } from '../domain/log.ts';
import { dayNumber } from '../domain/words/day.ts';
import { CopiedNumbers } from './copied-numbers.ts';
import { isWeekend } from './days.ts';
import { type DiarySession, Marks } from './marks.ts';
import { NextDay } from './next-day.ts';
import type { Entry } from './pain-days.ts';
import { RecentPain } from './recent-pain.ts';
import type { DayPain } from './trend.ts';

/** A pain entry with its rank within the day (`rankOf`). */
interface KnownPain {
  readonly rank: number;
  readonly pain: number;
  readonly medicated: boolean;
}

type Pains = Pick<Log, 'painBefore' | 'painAfter' | 'medication'>;

type Control = Pick<DiarySession, 'painBefore' | 'painAfter' | 'medicated' | 'justTaken'>;

/** Least share of controls among the days without exercise, counted from the first control on. */
const LEAST_CONTROLS = 0.8;

/** A session packed into one number, to save memory: the number of its exercise, pain before, pain after. */
const CODES = 100;
const code = (exercise: number, { painBefore, painAfter }: Pains): number =>
  exercise * CODES + (painBefore - 1) * 10 + painAfter - 1;

/** The sessions and pain entries of a person by day, and within a day in the order in which they were recorded. */
export class Diary {
  readonly #days = new Map<string, number[]>();
  readonly #entries = new Map<string, KnownPain[]>();
  /** Medication by day: each name with the index of the first session that came after it was taken. */
  readonly #taken = new Map<string, { name: string; from: number }[]>();

  /** Adds a pain entry; those of a day come in the order in which they were recorded, and before its sessions. */
  addEntry({ date, pain, medication, ...entry }: Omit<Entry, 'id'>): void {
    const one = { rank: rankOf(entry), pain, medicated: medication !== undefined };
    this.#entries.set(
      date,
      [...(this.#entries.get(date) ?? []), one].sort((a, b) => a.rank - b.rank),
    );
    if (!this.#days.has(date)) this.#days.set(date, []);
    if (one.rank <= UNTIMED) this.#take(date, medication, 0);
  }

  /** Adds a session. @param exercise a number for each exercise, from 0, in any order */
  add(date: string, exercise: number, pains: Pains): void {
    const own = this.#days.get(date) ?? [];
    this.#days.set(date, own);
    this.#take(date, pains.medication, own.length);
    own.push(code(exercise, pains));
  }

  #take(date: string, name: string | undefined, from: number): void {
    const taken = this.#taken.get(date) ?? [];
    if (name === undefined || taken.some((one) => one.name === name)) return;
    this.#taken.set(date, [...taken, { name, from }]);
  }

  get dates(): string[] {
    return [...this.#days.keys()].sort();
  }

  sessionsOn(date: string): number {
    return this.#days.get(date)?.length ?? 0;
  }

  /** The pain of each day, in order: before its first session, or without one that of its first entry. */
  pains(): Map<string, DayPain> {
    return new Map(
      this.dates.map((date) => {
        const [code] = this.#days.get(date) ?? [];
        const [entry] = this.#entries.get(date) ?? [];
        const [pain, kind] =
          code === undefined && entry ? [entry.pain, entry.rank] : [beforeOf(code ?? 0), null];
        return [date, { pain, kind, sessions: this.sessionsOn(date) }];
      }),
    );
  }

  #firstOn(date: string): number {
    const [code] = this.#days.get(date) ?? [];
    const [entry] = this.#entries.get(date) ?? [];
    return entry && (code === undefined || entry.rank <= UNTIMED) ? entry.pain : beforeOf(code ?? 0);
  }

  /**
   * A second value of the day, before any exercise: before the first session if an entry came first, or the second entry of a
   * day without sessions. Undefined if there is none.
   */
  #laterOn(date: string): number | undefined {
    const [code] = this.#days.get(date) ?? [];
    const [entry, again] = this.#entries.get(date) ?? [];
    if (code === undefined) return again?.pain;
    return entry && entry.rank <= UNTIMED ? beforeOf(code) : undefined;
  }

  /**
   * Control days: days without exercise on which pain was recorded twice in one part of the day, because a change over hours
   * does not compare with a change in a session. None if fewer than four of five days without exercise since the first one have
   * a second value: it was then recorded because pain had changed.
   */
  #controls(dates: readonly string[]): Map<string, Control> {
    const controls = new Map<string, Control>();
    let days = 0;
    for (const date of dates) {
      if (this.sessionsOn(date) > 0) continue;
      const entries = this.#entries.get(date) ?? [];
      const at = entries.findIndex(({ rank }, i) => rank !== UNTIMED && rank === entries[i + 1]?.rank);
      const [one, again] = [entries[at], entries[at + 1]];
      const medicated = entries.slice(0, at + 2).some((entry) => entry.medicated);
      if (one && again)
        controls.set(date, { painBefore: one.pain, painAfter: again.pain, medicated, justTaken: medicated });
      if (controls.size > 0) days += 1;
    }
    return controls.size < LEAST_CONTROLS * days ? new Map() : controls;
  }

  get #codes(): number[] {
    return this.dates.flatMap((date) => this.#days.get(date) ?? []);
  }

  #isCopied(): boolean {
    const copied = new CopiedNumbers();
    for (const one of this.#codes)
      copied.add({ exercise: exerciseOf(one), painBefore: beforeOf(one), painAfter: afterOf(one) });
    return copied.isHabit;
  }

  /** The changes of all sessions, in order. Copied sessions are merged into the session that they repeat. */
  *changes(isCopied = this.#isCopied()): Generator<Change> {
    const codes = this.#codes;
    /** For each session, for how many it stands; 0 if it is merged into an earlier one. */
    const sessions = new Uint32Array(codes.length).fill(1);
    const firsts = new Map<number, number>();
    for (const [place, one] of isCopied ? codes.entries() : []) {
      const first = firsts.get(exerciseOf(one)) ?? place;
      const isAgain = first < place && codes[first] === one;
      if (isAgain) [sessions[place], sessions[first]] = [0, (sessions[first] ?? 0) + 1];
      else firsts.set(exerciseOf(one), place);
    }
    for (const [place, one] of codes.entries())
      if (sessions[place])
        yield { exercise: exerciseOf(one), change: afterOf(one) - beforeOf(one), sessions: sessions[place] };
  }

  /** Computes the findings on all exercises in one pass over the days. @param exercises how many there are */
  read(exercises: number): DiaryFindings {
    let most = 1;
    for (const { length } of this.#days.values()) most = Math.max(most, length);
    const dates = this.dates;
    const [from, to] = [dayNumber(dates[0] ?? ''), dayNumber(dates.at(-1) ?? '')];
    const marks = new Marks(most, from, to - from + 1);
    const [nextDay, recent] = [new NextDay(exercises), new RecentPain()];
    const changes = Array.from({ length: exercises }, () => ({ points: [], sessions: [] }) as Changes);
    const before = Array.from({ length: exercises }, () => new Map<number, number>());
    const medicated = Array.from(
      { length: exercises },
      () => ({ changes: [], names: new Set() }) as Medicated,
    );
    /** New numbers of the exercises, in the order in which they were first done. */
    const numbers = new Map<number, number>();
    const controls = this.#controls(dates);
    for (const date of dates) {
      const codes = this.#days.get(date) ?? [];
      const first = beforeOf(codes[0] ?? 0);
      const pain = this.#firstOn(date);
      const averages = recent.add(pain);
      const day = dayNumber(date);
      const weekend = isWeekend(day);
      const done = new Set<number>();
      const control = controls.get(date);
      if (control) marks.addRest({ day, first: pain, averages, weekend, ...control });
      const taken = this.#taken.get(date) ?? [];
      let previous: number | undefined;
      for (const [place, one] of codes.entries()) {
        const exercise = exerciseOf(one);
        if (!numbers.has(exercise)) numbers.set(exercise, numbers.size);
        const number = numbers.get(exercise) ?? 0;
        const [painBefore, painAfter] = [beforeOf(one), afterOf(one)];
        // Medication keeps acting: that of the morning or an earlier session counts for this session, too.
        const names = taken.filter(({ from }) => from <= place).map(({ name }) => name);
        marks.add({
          ...{ exercise: number, day, place, first, averages, weekend, painBefore, painAfter },
          medicated: names.length > 0,
          justTaken: taken.some(({ from }) => from === place),
        });
        done.add(number);
        if (names.length > 0) medicated[exercise]?.changes.push(painAfter - painBefore);
        for (const name of names) medicated[exercise]?.names.add(name);
        const counts = before[exercise];
        if (counts && previous !== undefined) counts.set(previous, (counts.get(previous) ?? 0) + 1);
        previous = exercise;
      }
      marks.endDay();
      nextDay.add({ day, pain, later: this.#laterOn(date), averages, done });
    }
    marks.end();
    for (const { exercise, change, sessions } of this.changes(marks.copiedNumbers.isHabit)) {
      changes[exercise]?.points.push(change);
      changes[exercise]?.sessions.push(sessions);
    }
    return {
      marks,
      nextDay,
      changes,
      before,
      medicated,
      controlDays: controls.size,
      numberOf: (exercise) => numbers.get(exercise) ?? 0,
    };
  }
}

const exerciseOf = (one: number): number => Math.floor(one / CODES);
const beforeOf = (one: number): number => Math.floor((one % CODES) / 10) + 1;
const afterOf = (one: number): number => (one % 10) + 1;

/** The change of a session, in points. */
export interface Change {
  readonly exercise: number;
  readonly change: number;
  /** Number of sessions for which it stands: itself, and the copied ones that follow it in its exercise. */
  readonly sessions: number;
}

/** The changes of one exercise, in order, as arrays of numbers to save memory with a million of them. */
interface Changes {
  readonly points: number[];
  readonly sessions: number[];
}

/** The sessions of an exercise before which medication was taken on the same day. */
export interface Medicated {
  readonly changes: number[];
  /** Names of the medication. */
  readonly names: Set<string>;
}

export interface DiaryFindings {
  readonly marks: Marks;
  readonly nextDay: NextDay;
  /** By exercise. */
  readonly changes: readonly Changes[];
  /** By exercise: how often each other exercise came right before it on the same day. */
  readonly before: readonly ReadonlyMap<number, number>[];
  /** By exercise. */
  readonly medicated: readonly Medicated[];
  /** Number of days without exercise that serve as a control. */
  readonly controlDays: number;
  /** The number of an exercise in `marks` and `nextDay`. */
  numberOf(exercise: number): number;
}
