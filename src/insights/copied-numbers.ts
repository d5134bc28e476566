/** A session, by the number of its exercise. */
interface Session {
  readonly exercise: number;
  readonly painBefore: number;
  readonly painAfter: number;
}

/** Standard errors by which the same numbers, and the same pain after one pain before, must follow each other more often than by chance. */
const [SAME_NUMBERS, SAME_AFTER] = [2, 1];

/**
 * Whether a person enters the numbers of an exercise's last session again, in haste or to fill a gap. The same numbers follow each other
 * then more often than they would in any order. So they do where pain lasts for days, but that does not bring the same pain after.
 */
export class CopiedNumbers {
  readonly #numbers = new Repeats();
  readonly #after = new Repeats();

  /**
   * Adds a session; those of an exercise come in order.
   * @returns whether it repeats the last one of its exercise, and the person is known by now to do that
   */
  add({ exercise, painBefore, painAfter }: Session): boolean {
    this.#after.add(10 * exercise + painBefore - 1, painAfter);
    return this.#numbers.add(exercise, 10 * painBefore + painAfter) && this.isHabit;
  }

  /** Whether the person does that, as far as is known by now. */
  get isHabit(): boolean {
    return this.#numbers.exceed(SAME_NUMBERS) && this.#after.exceed(SAME_AFTER);
  }
}

/**
 * How many times the variance of a mean is that of independent sessions, where each change is of so many sessions with the same
 * numbers (Kish 1965, Survey Sampling, 11.7).
 */
export function inflationOfCopies(sessions: readonly number[]): number {
  const sum = (power: number) => sessions.reduce((total, each) => total + each ** power, 0);
  return sessions.length > 0 ? sum(2) / sum(1) : 1;
}

/** How often each value occurs in a row of them, and how often it comes right after itself. */
interface Row {
  readonly counts: Map<number, number>;
  n: number;
  /** The sums of the squares and of the cubes of the counts. */
  squares: number;
  cubes: number;
  repeats: number;
  last: number | undefined;
}

/**
 * How often values come right after themselves in several rows, against what is to be expected of the same values in any order
 * (multiple category runs test, Wallis & Roberts 1956, Statistics, 12.3).
 */
class Repeats {
  readonly #rows = new Map<number, Row>();
  #excess = 0;
  #variance = 0;

  /** @returns whether the value is that of the last one of its row */
  add(key: number, value: number): boolean {
    const row = this.#rows.get(key) ?? {
      counts: new Map(),
      n: 0,
      squares: 0,
      cubes: 0,
      repeats: 0,
      last: undefined,
    };
    this.#rows.set(key, row);
    this.#excess -= excessOf(row);
    this.#variance -= varianceOf(row);
    const [count, isRepeat] = [row.counts.get(value) ?? 0, row.last === value];
    row.counts.set(value, count + 1);
    row.n += 1;
    row.squares += (count + 1) ** 2 - count ** 2;
    row.cubes += (count + 1) ** 3 - count ** 3;
    row.repeats += Number(isRepeat);
    row.last = value;
    this.#excess += excessOf(row);
    this.#variance += varianceOf(row);
    return isRepeat;
  }

  /** @param bound in standard errors */
  exceed(bound: number): boolean {
    return this.#excess > bound * Math.sqrt(this.#variance);
  }
}

const excessOf = ({ n, squares, repeats }: Row): number => (n > 1 ? repeats - (squares - n) / n : 0);

const varianceOf = ({ n, squares, cubes }: Row): number =>
  n > 1 ? (squares * (squares + n * (n + 1)) - 2 * n * cubes - n ** 3) / (n ** 2 * (n - 1)) : 0;
