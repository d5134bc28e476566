import type { Store } from '../../store/store.ts';
import { Problem } from '../wire/problem.ts';

/** Polling interval for changes, shared by all subscriptions, in milliseconds. */
const POLL_MS = 250;

const MOST_PER_CALLER = 32;
const MOST_SUBSCRIPTIONS = 256;

/** Wakes subscriptions when the database changes, by this process or another. */
export class Feed {
  readonly #subscriptions = new Set<Subscription>();
  #timer: NodeJS.Timeout | undefined;
  #revision = '';
  #isStopped = false;

  /**
   * @param heartbeat how long a subscription may be idle before it is woken, in milliseconds
   */
  constructor(
    private readonly store: Store,
    private readonly heartbeat = 15_000,
  ) {}

  /**
   * @param caller by which subscriptions are counted: the id of the token or, without tokens, the address
   * @throws Problem 429 for a caller with too many subscriptions, 503 when there are too many in all
   */
  subscribe(caller: string | number): Subscription {
    const ofCaller = [...this.#subscriptions].filter((other) => other.caller === caller).length;
    const retry = { 'retry-after': String(Math.ceil(this.heartbeat / 1000)) };
    if (ofCaller >= MOST_PER_CALLER) throw new Problem(429, 'You have too many streams open.', retry);
    if (this.#isStopped || this.#subscriptions.size >= MOST_SUBSCRIPTIONS)
      throw new Problem(503, 'No further stream can be opened now.', retry);
    const subscription = new Subscription(caller, this.heartbeat, () => this.#remove(subscription));
    this.#subscriptions.add(subscription);
    this.#timer ??= setInterval(() => this.#poll(), POLL_MS).unref();
    return subscription;
  }

  /** Closes every subscription and refuses further ones. */
  stop(): void {
    this.#isStopped = true;
    for (const subscription of this.#subscriptions) subscription.close();
  }

  #remove(subscription: Subscription): void {
    this.#subscriptions.delete(subscription);
    if (this.#subscriptions.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #poll(): void {
    const revision = this.#currentRevision();
    if (revision === this.#revision) return;
    this.#revision = revision;
    for (const subscription of this.#subscriptions) subscription.wake('changed');
  }

  /** Errors surface in each subscriber's own read. */
  #currentRevision(): string {
    try {
      return this.store.revision();
    } catch (error) {
      return String(error);
    }
  }
}

type Wake = 'changed' | 'idle';

/** One open stream that waits for changes. */
export class Subscription {
  isOpen = true;
  #heartbeatAt = 0;
  #resolve: ((why: Wake) => void) | undefined;

  constructor(
    readonly caller: string | number,
    private readonly heartbeat: number,
    private readonly remove: () => void,
  ) {
    this.sent();
  }

  /** Resolves when something may have changed, when a heartbeat is due, or when this is closed. */
  next(): Promise<Wake> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.sent();
        this.wake('idle');
      }, this.#heartbeatAt - performance.now());
      this.#resolve = (why) => {
        clearTimeout(timer);
        resolve(why);
      };
      if (!this.isOpen) this.wake('idle');
    });
  }

  /** Restarts the heartbeat interval, after something was sent. Changes outside of the caller's view do not restart it. */
  sent(): void {
    this.#heartbeatAt = performance.now() + this.heartbeat;
  }

  wake(why: Wake): void {
    this.#resolve?.(why);
    this.#resolve = undefined;
  }

  close(): void {
    this.isOpen = false;
    this.remove();
    this.wake('idle');
  }
}
