import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Store } from '../../store/store.ts';
import type { Workers as OtherThreads } from '../protocol/route.ts';
import type { Chunk, HttpResponse } from '../wire/message.ts';
import { Problem, RETRY_AFTER_SECONDS } from '../wire/problem.ts';
import type { FromWorker, Question, ToWorker, WorkerData } from './messages.ts';

/** Two at least, so that one long read never holds up all others. */
const MOST_THREADS = Math.min(4, Math.max(2, availableParallelism() - 1));
/** Of one caller: queries that no thread has begun yet, and all of them: a slow reader of a list keeps one open. */
const MOST_WAITING = 32;
const MOST_QUERIES = 128;
/** The same of all callers. */
const MOST_WAITING_OF_ALL = 16 * MOST_WAITING;
const MOST_QUERIES_OF_ALL = 2 * MOST_QUERIES;

interface WorkersOptions {
  /** The bundle of worker.ts. */
  file: string;
  /** Most milliseconds that a query may take to its first result, and then to each further one. */
  timeout: number;
  /** How long a thread that has nothing to do is kept, in milliseconds. */
  idle?: number;
  /** Receives every unforeseen error. */
  onError(error: unknown): void;
}

/** The queries of one caller. */
class Place {
  readonly queries = new Set<Query>();
  /** Those that no thread has begun. */
  readonly waiting = new Set<Query>();

  get isFull(): boolean {
    return this.waiting.size >= MOST_WAITING || this.queries.size >= MOST_QUERIES;
  }

  /** How many threads are busy with its queries. */
  get busy(): number {
    return [...this.queries].filter((query) => query.isStarting && !this.waiting.has(query)).length;
  }
}

/**
 * Worker threads that answer what may take long: lists that no index answers, long lists, statistics. Each begins one
 * query at a time, and between the chunks of a long list goes on with others. They are started when there is something
 * to do, and ended when there is not. Callers with tokens take turns, and none of them has all threads.
 */
export class Workers implements OtherThreads {
  readonly #threads = new Set<Thread>();
  /** By the id of the token, the caller whose turn it is first; undefined for the person at this machine. */
  readonly #places = new Map<number | undefined, Place>();
  #latest = 0;
  #isStopped = false;
  #releaseFolder: (() => void) | undefined;

  constructor(
    private readonly store: Store,
    private readonly options: WorkersOptions,
  ) {}

  answer({
    request,
    base,
    caller,
  }: Parameters<OtherThreads['answer']>[0]): Promise<HttpResponse> | undefined {
    if (!this.store.isShareable) return undefined;
    const place = this.#places.get(caller?.id) ?? new Place();
    if (this.#isStopped || place.isFull || this.#isFull)
      throw new Problem(503, 'Too many long reads are under way.', { 'retry-after': RETRY_AFTER_SECONDS });
    this.#places.set(caller?.id, place);
    const { method, target } = request;
    const { accept, 'if-none-match': condition } = request.headers;
    const headers = { accept, 'if-none-match': condition };
    const question = { request: { method, target, headers }, base: base(), caller };
    const query: Query = new Query(++this.#latest, question, this.options.timeout, {
      onError: this.options.onError,
      onEnd: () => {
        place.queries.delete(query);
        place.waiting.delete(query);
        if (place.queries.size === 0) this.#places.delete(caller?.id);
      },
    });
    place.queries.add(query);
    place.waiting.add(query);
    request.onClose(() => query.cancel(), false);
    this.#assign();
    return query.response;
  }

  /** Ends all threads and what they read. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const { queries } of [...this.#places.values()]) for (const query of queries) query.cancel();
    await Promise.all([...this.#threads].map((thread) => thread.end()));
  }

  /** Whether all callers together have as many queries as there may be. */
  get #isFull(): boolean {
    const places = [...this.#places.values()];
    return (
      places.reduce((sum, { waiting }) => sum + waiting.size, 0) >= MOST_WAITING_OF_ALL ||
      places.reduce((sum, { queries }) => sum + queries.size, 0) >= MOST_QUERIES_OF_ALL
    );
  }

  /** Gives what waits to threads that are free. */
  #assign(): void {
    for (;;) {
      const [turn] = [...this.#places].filter(
        ([caller, { waiting, busy }]) =>
          waiting.size > 0 && (caller === undefined || busy < MOST_THREADS - 1),
      );
      if (!turn) return;
      const thread = this.#free();
      if (!thread) return;
      const [caller, place] = turn;
      const [query] = place.waiting;
      if (!query) return;
      place.waiting.delete(query);
      // Whoever had a turn is the last to have the next.
      this.#places.delete(caller);
      this.#places.set(caller, place);
      thread.begin(query);
    }
  }

  /** The thread with the least to do that is not about to begin something; a further one if all have something. */
  #free(): Thread | undefined {
    const free = [...this.#threads].filter(({ isFree }) => isFree);
    const [least] = free.toSorted((a, b) => a.load - b.load);
    if (least?.load === 0 || this.#threads.size >= MOST_THREADS || this.#isStopped) return least;
    return this.#start();
  }

  #start(): Thread {
    const { file, idle, timeout, onError } = this.options;
    // Set before the first thread begins, and left until the last has ended: a setting of the whole process.
    this.#releaseFolder ??= this.store.holdTemporaryFolder();
    const data: WorkerData = {
      path: this.store.path,
      hasTemporaryFolder: this.#releaseFolder !== undefined,
    };
    const thread: Thread = new Thread(file, data, {
      idle,
      patience: timeout,
      onError,
      onReply: () => this.#assign(),
      onEnd: () => this.#ended(thread),
    });
    this.#threads.add(thread);
    return thread;
  }

  #ended(thread: Thread): void {
    this.#threads.delete(thread);
    if (this.#threads.size === 0) {
      this.#releaseFolder?.();
      this.#releaseFolder = undefined;
    }
    this.#assign();
  }
}

const IDLE_MS = 30_000;

/** A fault of one query must not take the memory of the service. */
const LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 };

interface ThreadOptions {
  /** How long it is kept with nothing to do, in milliseconds. */
  idle?: number | undefined;
  /** How long it may take to reply to the end of a query, in milliseconds. */
  patience: number;
  onError(error: unknown): void;
  /** It has replied to a message. */
  onReply(): void;
  /** It has ended, and its queries with it. */
  onEnd(): void;
}

/** One worker thread and the queries that it answers. */
class Thread {
  readonly #worker: Worker;
  readonly #queries = new Map<number, Query>();
  /** Messages that it has not replied to, by query: a query that was cancelled may be running yet. */
  readonly #unanswered = new Map<number, number>();
  #timer: NodeJS.Timeout | undefined;
  #isEnding = false;

  constructor(
    file: string,
    workerData: WorkerData,
    private readonly options: ThreadOptions,
  ) {
    this.#worker = new Worker(file, { workerData, resourceLimits: LIMITS });
    this.#worker.unref();
    this.#worker.on('message', (message: FromWorker) => this.#receive(message));
    this.#worker.on('error', options.onError);
    this.#worker.on('exit', () => this.#ended());
  }

  /** Whether it can begin a query: all of its own have given a result, and none that was cancelled is running yet. */
  get isFree(): boolean {
    if (this.#isEnding) return false;
    for (const id of this.#unanswered.keys()) if (this.#queries.get(id)?.isStarting ?? true) return false;
    return true;
  }

  /** How many queries it has. */
  get load(): number {
    return this.#queries.size;
  }

  begin(query: Query): void {
    clearTimeout(this.#timer);
    this.#queries.set(query.id, query);
    query.begin({ send: (message) => this.#send(message) });
  }

  /** Ends it, in the middle of what it does. */
  async end(): Promise<void> {
    this.#isEnding = true;
    await this.#worker.terminate();
  }

  #send(message: ToWorker): void {
    const { id } = message;
    if ('cancel' in message) {
      this.#queries.delete(id);
      this.#watch(id);
    }
    this.#unanswered.set(id, (this.#unanswered.get(id) ?? 0) + 1);
    this.#worker.postMessage(message);
  }

  #receive(message: FromWorker): void {
    const { id } = message;
    const left = (this.#unanswered.get(id) ?? 1) - 1;
    if (left > 0) this.#unanswered.set(id, left);
    else this.#unanswered.delete(id);
    const query = this.#queries.get(id);
    query?.receive(message);
    if (query?.isOver) this.#queries.delete(id);
    this.options.onReply();
    if (this.load === 0 && this.#unanswered.size === 0) this.#rest();
  }

  /** Ends the thread when it does not come to the end of a query that was cancelled. */
  #watch(id: number): void {
    const check = () => {
      if (this.#unanswered.has(id)) void this.end();
    };
    setTimeout(check, this.options.patience).unref();
  }

  #rest(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.end(), this.options.idle ?? IDLE_MS).unref();
  }

  #ended(): void {
    clearTimeout(this.#timer);
    const lost = new Problem(503, 'The read broke off. It may be tried again.', {
      'retry-after': RETRY_AFTER_SECONDS,
    });
    for (const query of [...this.#queries.values()]) query.fail(lost);
    this.#queries.clear();
    this.#unanswered.clear();
    this.options.onEnd();
  }
}

/** What a query needs of the thread that answers it. */
interface Answering {
  send(message: ToWorker): void;
}

/** What happens to a query, for the pool. */
interface Hooks {
  /** Receives an unforeseen error of the handler. */
  onError(error: unknown): void;
  /** Nothing more is to come of it. */
  onEnd(): void;
}

type Settle = { resolve: (response: HttpResponse) => void; reject: (error: unknown) => void };

/** A request that a worker answers, on the side of the main thread. */
export class Query {
  readonly response: Promise<HttpResponse>;
  #settle!: Settle;
  #thread: Answering | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #cancelled = new Int32Array(new SharedArrayBuffer(4));
  /** The chunk that was asked for ahead, or why there is none. */
  #arrived: { chunk: Chunk } | { ended: true } | { failed: unknown } | undefined;
  #wake: (() => void) | undefined;
  #isOver = false;
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

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Has a thread begin to answer it. */
  begin(thread: Answering): void {
    this.#thread = thread;
    thread.send({ id: this.id, ask: { ...this.question, cancelled: this.#cancelled } });
  }

  /** Takes what the thread sent. */
  receive(message: FromWorker): void {
    if (this.#isOver) return;
    clearTimeout(this.#timer);
    if ('error' in message) {
      const { response, stack } = message.error;
      if (stack !== undefined) this.hooks.onError(new Error(`in a worker: ${stack}`));
      this.#settle.resolve(response);
      this.#end({ failed: new Problem(response.status, 'The list could not be read to its end.') });
    } else if ('isStreamed' in message) {
      const { response, isStreamed } = message;
      // A generator that is never read is never begun: the end of the request cancels such a query.
      this.#settle.resolve(isStreamed ? { ...response, body: this.#chunks() } : response);
      if (!isStreamed) this.#end({ ended: true });
    } else if ('chunk' in message) {
      this.isStarting = false;
      this.#arrive(message);
    } else this.#end(message);
  }

  /** Ends it with an error. */
  fail(error: unknown): void {
    if (this.#isOver) return;
    this.#settle.reject(error);
    this.#cancel({ failed: error });
  }

  /** Ends it, because nobody waits for the response any more. */
  cancel(): void {
    if (this.#isOver) return;
    // Unheard; but who awaits the response must not wait for ever.
    this.#settle.reject(new Problem(503, 'The request was cancelled.'));
    this.#cancel({ ended: true });
  }

  #cancel(outcome: { ended: true } | { failed: unknown }): void {
    Atomics.store(this.#cancelled, 0, 1);
    this.#thread?.send({ id: this.id, cancel: true });
    this.#end(outcome);
  }

  #end(outcome: { ended: true } | { failed: unknown }): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.isStarting = false;
    this.#arrive(outcome);
    this.hooks.onEnd();
  }

  #arrive(what: { chunk: Chunk } | { ended: true } | { failed: unknown }): void {
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
        if (!this.#arrived)
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        const arrived = this.#arrived;
        this.#arrived = undefined;
        if (!arrived) continue;
        if ('failed' in arrived) throw arrived.failed;
        if ('ended' in arrived) return;
        this.#ask();
        yield arrived.chunk;
      }
    } finally {
      this.cancel();
    }
  }

  #ask(): void {
    if (this.#isOver) return;
    this.#thread?.send({ id: this.id, next: true });
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
