import type { Chunk, HttpResponse } from '../wire/message.ts';
import { Problem } from '../wire/problem.ts';
import type { FromWorker, Question, ToWorker } from './messages.ts';

/** What happens to a query, for the pool. */
interface Hooks {
  /** Receives an unforeseen error of the handler. */
  onError(error: unknown): void;
  /** Nothing more is to come of it. */
  onEnd?(): void;
}

type Settle = { resolve: (response: HttpResponse) => void; reject: (error: unknown) => void };

/** A chunk of the body, or why there is none. */
type Arrived = { chunk: Chunk } | { ended: true } | { failed: unknown };

/** A request that a worker answers, on the side of the main thread. */
export class Query {
  readonly response: Promise<HttpResponse>;
  #settle!: Settle;
  /** Of the thread that answers it; undefined before one has begun. */
  #send: ((message: ToWorker) => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #cancelled = new Int32Array(new SharedArrayBuffer(4));
  /** What was asked for ahead. */
  #arrived: Arrived | undefined;
  #wake: (() => void) | undefined;
  /** Whether nothing more is to come of it. */
  isOver = false;
  /** Of a write: how many bytes its change stores. */
  stored = 0;
  /** Until its first result: from then on it takes its thread for the time of a chunk only. */
  isStarting = true;

  /**
   * @param timeout most milliseconds without a result, and then between what is asked for and what arrives
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

  /** Has a thread begin to answer it. */
  begin(send: (message: ToWorker) => void): void {
    this.#send = send;
    send({ id: this.id, ask: { ...this.question, cancelled: this.#cancelled } });
  }

  /** Takes what the thread sent: nothing comes any more once it is over. */
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
      // A generator that is never read is never begun: the end of the request cancels such a query.
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

  /** Ends it, because nobody waits for the response any more. */
  cancel(): void {
    // Unheard; but who awaits the response must not wait for ever.
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
   * The chunks of the body. One is asked for while the reader takes the one before: what is in memory is bounded by two
   * chunks, however slow the reader.
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
