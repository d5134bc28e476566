import { Problem } from '../wire/problem.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** What a token may write in a day, in bytes. */
export const DEFAULT_QUOTA = 64 * 1024 * 1024;

/** What was written with a token since its day began, with its first write. */
interface Day {
  begun: number;
  bytes: number;
}

/**
 * Bounds what each token writes in a day, so that nobody fills the disk. A write counts with the bytes of its body, or of
 * the record as it is answered where that is more: the history keeps whole records, whatever part was changed.
 */
export class Quota {
  readonly #days = new Map<number, Day>();

  /**
   * @param most bytes a day
   * @param now the clock, in milliseconds since 1970
   */
  constructor(
    private readonly most: number,
    private readonly now: () => number,
  ) {}

  /**
   * Takes the bytes of a body before it is stored: all of them or none.
   * @returns `settle`, which is told how many bytes were stored in the end, 0 for a refused write
   * @throws Problem 429 with Retry-After when they are more than is left of the day
   */
  take(token: number, bytes: number): (stored: number) => void {
    const now = this.now();
    let day = this.#days.get(token);
    if (!day || now - day.begun >= DAY_MS || now < day.begun) {
      day = { begun: now, bytes: 0 };
      this.#days.set(token, day);
    }
    const current = day;
    if (current.bytes + bytes > this.most)
      throw new Problem(
        429,
        'This token has written as much as it may in a day. Nothing of this was stored.',
        {
          'retry-after': String(Math.max(1, Math.ceil((current.begun + DAY_MS - now) / 1000))),
        },
      );
    current.bytes += bytes;
    return (stored) => {
      current.bytes += (stored === 0 ? 0 : Math.max(stored, bytes)) - bytes;
    };
  }
}
