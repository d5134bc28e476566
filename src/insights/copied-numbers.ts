/** A session; exercises are known by numbers. */
interface Session {
  readonly exercise: number;
  readonly painBefore: number;
  readonly painAfter: number;
}

/** Critical values, in standard errors, for the excess of repeated pairs of numbers, and of pains after at one pain before. */
const [SAME_NUMBERS, SAME_AFTER] = [2, 1];

/**
 * Detects a person who copies the numbers of an exercise's last session, in haste or to fill a gap: a pair of numbers then
 * follows itself more often than in a random order. So it does where pain lasts for days, but then the pain after is not
 * repeated at an equal pain before, so both are tested.
 */
export class CopiedNumbers {
  readonly #numbers = new Repeats();
  readonly #after = new Repeats();

  /**
   * Adds a session; those of an exercise come in order.
   * @returns whether it repeats the numbers of the exercise's last session, and copying is established by now (`isHabit`)
   */
  add({ exercise, painBefore, painAfter }: Session): boolean {
    this.#after.add(10 * exercise + painBefore - 1, painAfter);
    return this.#numbers.add(exercise, 10 * painBefore + painAfter) && this.isHabit;
  }

  /** Whether the sessions so far show that the person copies numbers. */
  get isHabit(): boolean {
    return this.#numbers.exceed(SAME_NUMBERS) && this.#after.exceed(SAME_AFTER);
  }
}

/**
 * Variance inflation of a mean of changes that each stand for several copied sessions, against as many independent sessions
 * (effective sample size by unequal weights; Kish 1965, Survey Sampling, 11.7).
 * @param sessions the number of sessions for which each change stands
 */
export function inflationOfCopies(sessions: readonly number[]): number {
  const sum = (power: number) => sessions.reduce((total, each) => total + each ** power, 0);
  return sessions.length > 0 ? sum(2) / sum(1) : 1;
}

/** The counts of the values of one sequence, and how often a value follows itself. */
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
 * The number of immediate repetitions in several sequences, minus its expectation over all orders of the same values (multiple
 * category runs test, Wallis & Roberts 1956, Statistics, 12.3).
 */
class Repeats {
  readonly #rows = new Map<number, Row>();
  #excess = 0;
  #variance = 0;

  /** @param key of the sequence @returns whether the value repeats the last one of its sequence */
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

  /** Whether repetitions exceed their expectation. @param bound in standard errors */
  exceed(bound: number): boolean {
    return this.#excess > bound * Math.sqrt(this.#variance);
  }
}

const excessOf = ({ n, squares, repeats }: Row): number => (n > 1 ? repeats - (squares - n) / n : 0);

const varianceOf = ({ n, squares, cubes }: Row): number =>
  n > 1 ? (squares * (squares + n * (n + 1)) - 2 * n * cubes - n ** 3) / (n ** 2 * (n - 1)) : 0;
