import { FEWEST_TO_SAY } from './verdict.ts';

/** A session; exercises are known by numbers. */
interface Session {
  readonly exercise: number;
  readonly painBefore: number;
  readonly painAfter: number;
}

/** Number of sessions of an exercise in which pain changed, and of those with the two numbers of another exercise. */
interface Tally {
  n: number;
  shared: number;
}

/**
 * Detects exercises that were done one after the other and recorded with one pair of numbers: the effect of one would be
 * attributed to all. Sessions without a change do not count, because they often have equal numbers by chance.
 */
export class SharedNumbers {
  readonly #tallies: Tally[] = [];
  /** The session before on the same day. */
  #last: (Session & { isShared: boolean }) | undefined;

  /** Adds a session; those of a day come in order. */
  add(session: Session): void {
    const { exercise, painBefore, painAfter } = session;
    if (painBefore === painAfter) return;
    this.#tallies[exercise] ??= { n: 0, shared: 0 };
    const [own, last] = [this.#tallies[exercise], this.#last];
    own.n += 1;
    const isShared =
      last !== undefined &&
      last.exercise !== exercise &&
      last.painBefore === painBefore &&
      last.painAfter === painAfter;
    if (isShared) own.shared += 1;
    const before = isShared && !last.isShared && this.#tallies[last.exercise];
    if (before) before.shared += 1;
    this.#last = { ...session, isShared };
  }

  endDay(): void {
    this.#last = undefined;
  }

  /** Whether an exercise shares its numbers in at least half of its sessions with a change in pain, and in 3 at least. */
  has(exercise: number): boolean {
    const { n, shared } = this.#tallies[exercise] ?? { n: 0, shared: 0 };
    return shared >= FEWEST_TO_SAY && 2 * shared >= n;
  }
}
