import { Problem } from '../wire/problem.ts';

/** A rate limit: calls at once, and calls per second after those. */
export interface Rate {
  burst: number;
  perSecond: number;
}

/** High enough for an app that loads all records of a patient, or of a clinic. */
export const DEFAULT_RATE: Rate = { burst: 500, perSecond: 50 };

/** The rate limit of failed authentication: ten failures, then one every ten seconds. */
export const FAILURE_RATE: Rate = { burst: 10, perSecond: 0.1 };

/** The rate limit of an address that sends codes to be paired: what it is refused with is in the audit. */
export const PAIRING_RATE: Rate = { burst: 10, perSecond: 0.1 };

/** Most callers with a bucket; the bucket that was created first is dropped first. */
const MOST_CALLERS = 10_000;

/** A token bucket for each caller. */
export class Buckets {
  readonly #levels = new Map<string | number, { left: number; at: number }>();

  constructor(
    private readonly rate: Rate,
    private readonly now: () => number,
  ) {}

  /** Number of callers with a bucket. */
  get size(): number {
    return this.#levels.size;
  }

  /**
   * Takes one token out of a caller's bucket.
   * @throws Problem 429 with Retry-After when it is empty
   */
  take(caller: string | number): void {
    const { burst, perSecond } = this.rate;
    const now = this.now();
    const level = this.#levels.get(caller) ?? this.#full(caller, now);
    level.left = Math.min(burst, level.left + (Math.max(0, now - level.at) / 1000) * perSecond);
    level.at = now;
    if (level.left < 1) {
      const seconds = Math.ceil((1 - level.left) / perSecond);
      throw new Problem(429, 'Too many requests. Try again after the seconds that Retry-After says.', {
        'retry-after': String(seconds),
      });
    }
    level.left -= 1;
  }

  #full(caller: string | number, now: number): { left: number; at: number } {
    const [oldest] = this.#levels.keys();
    if (oldest !== undefined && this.#levels.size >= MOST_CALLERS) this.#levels.delete(oldest);
    const level = { left: this.rate.burst, at: now };
    this.#levels.set(caller, level);
    return level;
  }
}

/** The key that an address is limited by: an IPv4 address, or the /64 network of an IPv6 address, which is one customer's. */
export function rateLimitKey(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address;
  const [head = '', tail] = address.split('::').map((part) => (part === '' ? [] : part.split(':')));
  const zeros = Array<string>(Math.max(0, 8 - head.length - (tail?.length ?? 0))).fill('0');
  return [...head, ...zeros, ...(tail ?? [])].slice(0, 4).join(':');
}

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
