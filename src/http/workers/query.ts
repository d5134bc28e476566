import type { Chunk, HttpResponse } from '../wire/message.ts';
import { Problem } from '../wire/problem.ts';
import type { FromWorker, Question, ToWorker } from './messages.ts';

/** Callbacks of a query for the pool. */
interface Hooks {
  /** Receives an unforeseen error of the handler. */
  onError(error: unknown): void;
  /** Called when the query is over. */
  onEnd?(): void;
}

type Settle = { resolve: (response: HttpResponse) => void; reject: (error: unknown) => void };

/** A chunk of the body, or the reason why there is none. */
type Arrived = { chunk: Chunk } | { ended: true } | { failed: unknown };

/** A request that a worker answers, as the main thread sees it. */
export class Query {
  readonly response: Promise<HttpResponse>;
  #settle!: Settle;
  /** Sends a message to the thread that answers it; undefined before one has begun. */
  #send: ((message: ToWorker) => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #cancelled = new Int32Array(new SharedArrayBuffer(4));
  /** The prefetched chunk. */
  #arrived: Arrived | undefined;
  #wake: (() => void) | undefined;
  /** Whether it has ended: no further reply counts. */
  isOver = false;
  /** For a write: how many bytes its change stored. */
  stored = 0;
  /** True until its first chunk or its end: later it occupies its thread for the time of a chunk only. */
  isStarting = true;

  /**
   * @param timeout most milliseconds until the first result, and later from the request for a chunk to its arrival
   */
  constructor(
    readonly id: number,
    private readonly question: Omit<Question, 'cancelled'>,
    private readonly timeout: number,
    private readonly hooks: Hooks,
  ) {
    this.response = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    this.#expect();
  }

  /** Has a thread begin to answer it. @param send sends a message to the thread */
  begin(send: (message: ToWorker) => void): void {
    this.#send = send;
    send({ id: this.id, ask: { ...this.question, cancelled: this.#cancelled } });
  }

  /** Handles a reply of the thread. There is none after the query is over. */
  receive(message: FromWorker): void {
    clearTimeout(this.#timer);
    if ('error' in message) {
      const { response, stack } = message.error;
      if (stack !== undefined) this.hooks.onError(new Error(`in a worker: ${stack}`));
      this.#settle.resolve(response);
      this.#end({ failed: new Problem(response.status, 'The list could not be read to its end.') });
    } else if ('isStreamed' in message) {
      const { response, isStreamed, stored = 0 } = message;
      this.stored = stored;
      // A generator that is never read runs no `finally`: the end of the request cancels such a query.
      this.#settle.resolve(isStreamed ? { ...response, body: this.#chunks() } : response);
      if (!isStreamed) this.#end({ ended: true });
    } else if ('chunk' in message) {
      this.isStarting = false;
      this.#arrive(message);
    } else this.#end(message);
  }

  fail(error: unknown): void {
    if (this.isOver) return;
    this.#settle.reject(error);
    Atomics.store(this.#cancelled, 0, 1);
    this.#send?.({ id: this.id, cancel: true });
    this.#end({ failed: error });
  }

  /** Ends it because nobody waits for the response any more. */
  cancel(): void {
    // Nobody reads this error, but the promise has to settle.
    this.fail(new Problem(503, 'The request was cancelled.'));
  }

  #end(outcome: Arrived): void {
    this.isOver = true;
    clearTimeout(this.#timer);
    this.isStarting = false;
    this.#arrive(outcome);
    this.hooks.onEnd?.();
  }

  #arrive(what: Arrived): void {
    this.#arrived = what;
    this.#wake?.();
  }

  /**
   * The chunks of the body. The next one is prefetched while the reader takes one: at most two are in memory, however slow the
   * reader is.
   */
  async *#chunks(): AsyncGenerator<Chunk> {
    try {
      this.#ask();
      for (;;) {
        const arrived = await this.#next();
        if ('failed' in arrived) throw arrived.failed;
        if ('ended' in arrived) return;
        this.#ask();
        yield arrived.chunk;
      }
    } finally {
      this.cancel();
    }
  }

  async #next(): Promise<Arrived> {
    while (!this.#arrived)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    const arrived = this.#arrived;
    this.#arrived = undefined;
    return arrived;
  }

  #ask(): void {
    if (this.isOver) return;
    this.#send?.({ id: this.id, next: true });
    this.#expect();
  }

  #expect(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.fail(tookTooLong(this.timeout)), this.timeout).unref();
  }
}

const tookTooLong = (timeout: number) =>
  new Problem(
    503,
    `This had no result after ${timeout / 1000} seconds: ask for less, such as the logs of one user.`,
    { 'retry-after': '30' },
    'query-timeout',
  );
