import type { Store } from '../../store/store.ts';
import { Problem } from '../problem.ts';

/** How often somebody looks whether anything has changed, in milliseconds: for all streams together. */
const LOOK_MS = 250;

const MOST_OF_A_CALLER = 32;
const MOST = 256;

/** Those who wait for changes, whoever makes them: this process or another. */
export class Feed {
  readonly #subscriptions = new Set<Subscription>();
  #timer: NodeJS.Timeout | undefined;
  #revision = '';
  #isStopped = false;

  /**
   * @param heartbeat how long nothing happens before a subscriber is woken all the same, in milliseconds
   */
  constructor(
    private readonly store: Store,
    private readonly heartbeat = 15_000,
  ) {}

  /**
   * @param caller who is limited in how many subscriptions there may be
   * @throws Problem 429 for a caller who has too many already, 503 when there are too many in all
   */
  subscribe(caller: string | number): Subscription {
    const ofCaller = [...this.#subscriptions].filter((other) => other.caller === caller).length;
    const retry = { 'retry-after': String(Math.ceil(this.heartbeat / 1000)) };
    if (ofCaller >= MOST_OF_A_CALLER) throw new Problem(429, 'You have too many streams open.', retry);
    if (this.#isStopped || this.#subscriptions.size >= MOST)
      throw new Problem(503, 'No further stream can be opened now.', retry);
    const subscription = new Subscription(caller, this.heartbeat, () => this.#leave(subscription));
    this.#subscriptions.add(subscription);
    this.#timer ??= setInterval(() => this.#look(), LOOK_MS).unref();
    return subscription;
  }

  /** Ends every subscription; there will be no further one. */
  stop(): void {
    this.#isStopped = true;
    for (const subscription of this.#subscriptions) subscription.close();
  }

  #leave(subscription: Subscription): void {
    this.#subscriptions.delete(subscription);
    if (this.#subscriptions.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    const revision = this.#currentRevision();
    if (revision === this.#revision) return;
    this.#revision = revision;
    for (const subscription of this.#subscriptions) subscription.wake('changed');
  }

  /** What is wrong with the database, each meets by itself when it reads. */
  #currentRevision(): string {
    try {
      return this.store.revision();
    } catch (error) {
      return String(error);
    }
  }
}

/** One that waits. */
export class Subscription {
  isOpen = true;
  #due = 0;
  #resolve: ((why: 'changed' | 'quiet') => void) | undefined;

  constructor(
    readonly caller: string | number,
    private readonly heartbeat: number,
    private readonly leave: () => void,
  ) {
    this.beat();
  }

  /** Waits until something may have changed, or nothing was sent for long, or this is closed. */
  next(): Promise<'changed' | 'quiet'> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.beat();
        this.wake('quiet');
      }, this.#due - performance.now());
      this.#resolve = (why) => {
        clearTimeout(timer);
        resolve(why);
      };
      if (!this.isOpen) this.wake('quiet');
    });
  }

  /** Something is sent: others' changes, which are not for this one, do not put the heartbeat off. */
  beat(): void {
    this.#due = performance.now() + this.heartbeat;
  }

  wake(why: 'changed' | 'quiet'): void {
    this.#resolve?.(why);
    this.#resolve = undefined;
  }

  close(): void {
    this.isOpen = false;
    this.leave();
    this.wake('quiet');
  }
}
