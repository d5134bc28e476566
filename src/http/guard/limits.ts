import type { Meter } from '../../store/store.ts';
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

/** The rate limit of an address that tries pairing codes: it also bounds the refusals in the audit. */
export const PAIRING_RATE: Rate = { burst: 10, perSecond: 0.1 };

/** Most callers with a bucket; beyond that, the bucket that was created first is dropped. */
const MOST_CALLERS = 10_000;

/** A token bucket for each caller. */
export class Buckets {
  readonly #levels = new Map<string | number, { left: number; at: number }>();

  constructor(
    private readonly rate: Rate,
    private readonly now: () => number,
  ) {}

  get size(): number {
    return this.#levels.size;
  }

  /**
   * Takes one call out of a caller's bucket.
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

const HOUR_MS = 60 * 60 * 1000;

/** What a token may store in an hour, in bytes. */
export const DEFAULT_QUOTA = 64 * 1024 * 1024;

/** The bytes that were stored with a token in its current hour, which began with its first write. */
interface Hour {
  begun: number;
  bytes: number;
  isUsedUp?: true;
}

/** The charge of one request. `raise` throws Problem 429 with Retry-After if it exceeds the rest of the quota. */
interface Charge extends Meter {
  /** Refunds the whole charge, at the end of a request that stored nothing. */
  release(): void;
}

/**
 * Bounds what each token stores in an hour, so that nobody fills the disk. A request is charged with its body or with
 * what the history keeps of its change, whichever is more: an undo of a few bytes can store megabytes.
 */
export class Quota {
  readonly #hours = new Map<number, Hour>();

  /**
   * @param most bytes an hour
   * @param now the clock, in milliseconds since 1970
   */
  constructor(
    private readonly most: number,
    private readonly now: () => number,
  ) {}

  /** Opens the charge of one request of a token. */
  charge(token: number): Charge {
    const hour = this.#hourOf(token);
    let charged = 0;
    const { most } = this;
    return {
      get room() {
        return most - hour.bytes + charged;
      },
      raise: (bytes) => {
        const more = Math.max(0, bytes - charged);
        if (hour.bytes + more > this.most) throw this.#usedUp(hour);
        hour.bytes += more;
        charged += more;
      },
      release: () => {
        hour.bytes -= charged;
      },
    };
  }

  #hourOf(token: number): Hour {
    const now = this.now();
    const hour = this.#hours.get(token);
    if (hour && now - hour.begun < HOUR_MS && now >= hour.begun) return hour;
    const next = { begun: now, bytes: 0 };
    this.#hours.set(token, next);
    return next;
  }

  /** Only the first refusal of an hour is audited, for an admin to see: more could fill the disk. */
  #usedUp(hour: Hour): Problem {
    const end = hour.begun + HOUR_MS;
    const problem = new Problem(
      429,
      `This token has stored as much as it may in an hour, and nothing of this was stored. It may go on at ${new Date(end).toISOString()}.`,
      { 'retry-after': String(Math.max(1, Math.ceil((end - this.now()) / 1000))) },
      'quota-used-up',
    );
    problem.isAudited = hour.isUsedUp === undefined;
    hour.isUsedUp = true;
    return problem;
  }
}
