import { dayNumber } from './days.ts';
import { Marks } from './marks.ts';
import { NextDay } from './next-day.ts';

/** What a session is in a diary: the number of its exercise, pain before and after, in one number. */
const CODES = 100;
const code = (exercise: number, painBefore: number, painAfter: number): number =>
  exercise * CODES + (painBefore - 1) * 10 + painAfter - 1;

/** The sessions of a person in the order of days, and on each day in the order in which they were recorded. */
export class Diary {
  readonly #days = new Map<string, number[]>();

  /** @param exercise a number for each exercise, from 0, in any order */
  add(date: string, exercise: number, painBefore: number, painAfter: number, times = 1): void {
    const own = this.#days.get(date) ?? [];
    this.#days.set(date, own);
    for (let i = 0; i < times; i += 1) own.push(code(exercise, painBefore, painAfter));
  }

  get dates(): string[] {
    return [...this.#days.keys()].sort();
  }

  sessionsOn(date: string): number {
    return this.#days.get(date)?.length ?? 0;
  }

  /** The pain of each day, by its first value; days in order. */
  pains(): Map<string, { pain: number; sessions: number }> {
    return new Map(
      this.dates.map((date) => {
        const codes = this.#days.get(date) ?? [];
        return [date, { pain: beforeOf(codes[0] ?? 0), sessions: codes.length }];
      }),
    );
  }

  /** Goes through the days once, and gathers what may be said of each exercise by its number. */
  read(exercises: number): DiaryFindings {
    let most = 1;
    for (const { length } of this.#days.values()) most = Math.max(most, length);
    const [marks, nextDay] = [new Marks(most), new NextDay(exercises)];
    const changes = Array.from({ length: exercises }, (): number[] => []);
    const before = Array.from({ length: exercises }, () => new Map<number, number>());
    /** Exercises are numbered anew, in the order in which they were first done. */
    const numbers = new Map<number, number>();
    for (const date of this.dates) {
      const codes = this.#days.get(date) ?? [];
      const first = beforeOf(codes[0] ?? 0);
      const done = new Set<number>();
      let previous: number | undefined;
      for (const [place, one] of codes.entries()) {
        const exercise = Math.floor(one / CODES);
        if (!numbers.has(exercise)) numbers.set(exercise, numbers.size);
        const number = numbers.get(exercise) ?? 0;
        const [painBefore, painAfter] = [beforeOf(one), (one % 10) + 1];
        marks.add({ exercise: number, place, first, painBefore, painAfter });
        done.add(number);
        changes[exercise]?.push(painAfter - painBefore);
        const counts = before[exercise];
        if (counts && previous !== undefined) counts.set(previous, (counts.get(previous) ?? 0) + 1);
        previous = exercise;
      }
      marks.endDay();
      nextDay.add(dayNumber(date), first, done);
    }
    marks.end();
    return { marks, nextDay, changes, before, numberOf: (exercise) => numbers.get(exercise) ?? 0 };
  }
}

const beforeOf = (one: number): number => Math.floor((one % CODES) / 10) + 1;

export interface DiaryFindings {
  readonly marks: Marks;
  readonly nextDay: NextDay;
  /** By exercise, in order. */
  readonly changes: readonly (readonly number[])[];
  /** By exercise: how often which one came right before it on its day. */
  readonly before: readonly ReadonlyMap<number, number>[];
  /** The number that marks and the next day know an exercise by. */
  numberOf(exercise: number): number;
}
