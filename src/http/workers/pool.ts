import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Store } from '../../store/store.ts';
import type { Asked, AskedWrite, Workers as OtherThreads } from '../protocol/route.ts';
import type { HttpResponse } from '../wire/message.ts';
import { unavailable } from '../wire/problem.ts';
import type { FromWorker, ToWorker, WorkerData } from './messages.ts';
import { Query } from './query.ts';

/** Most threads: at least two, so that one long read never blocks all others. */
const MOST_THREADS = Math.min(4, Math.max(2, availableParallelism() - 1));
/** Limits of one caller: queries that no thread has begun, or long writes; and open queries, as a slow client keeps one open. */
const MOST_WAITING = 32;
const MOST_QUERIES = 128;
/** The same limits for all callers together. */
const MOST_WAITING_OF_ALL = 16 * MOST_WAITING;
const MOST_QUERIES_OF_ALL = 2 * MOST_QUERIES;

interface WorkersOptions {
  /** The bundle of worker.ts. */
  file: string;
  /** Most milliseconds until the first result of a query, and then until each further one. */
  timeout: number;
  /** How long an idle thread is kept, in milliseconds. */
  idle?: number;
  /** Receives every unforeseen error. */
  onError(error: unknown): void;
}

/** The queries of one caller. */
class Place {
  readonly queries = new Set<Query>();
  /** The queries that no thread has begun. */
  readonly waiting = new Set<Query>();

  get isFull(): boolean {
    return this.waiting.size >= MOST_WAITING || this.queries.size >= MOST_QUERIES;
  }

  /** How many threads work on the first result of one of its queries. */
  get busy(): number {
    return [...this.queries].filter((query) => query.isStarting && !this.waiting.has(query)).length;
  }
}

/**
 * Worker threads for requests that may take long: lists without an index, long lists, statistics, long writes. A thread begins
 * one query at a time, and serves its other queries between the chunks of a long list. Threads are started on demand, and ended
 * when they are idle. Callers with tokens take turns, and none of them gets all threads.
 */
export class Workers implements OtherThreads {
  readonly #threads = new Set<Thread>();
  /** The queries by the id of the token, the caller whose turn is next first; undefined is the local user, without tokens. */
  readonly #places = new Map<number | undefined, Place>();
  #latest = 0;
  /** The number of long writes that run or wait, by the id of the token. */
  readonly #writes = new Map<number | undefined, number>();
  /** Settles when the last long write is done: they run one after the other. */
  #written: Promise<unknown> = Promise.resolve();
  #isStopped = false;
  #releaseFolder: (() => void) | undefined;

  constructor(
    private readonly store: Store,
    private readonly options: WorkersOptions,
  ) {}

  answer({ request, base, caller }: Asked): Promise<HttpResponse> | undefined {
    if (!this.store.isShareable) return undefined;
    const place = this.#places.get(caller?.id) ?? new Place();
    if (this.#isStopped || place.isFull || this.#isFull)
      throw unavailable('Too many long reads are under way.');
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

  write(asked: AskedWrite, body = ''): Promise<HttpResponse> | undefined {
    if (!this.store.isShareable) return undefined;
    const id = asked.caller?.id;
    const count = () => this.#writes.get(id) ?? 0;
    if (count() >= MOST_WAITING) throw unavailable('Too many long writes are under way.');
    this.#writes.set(id, count() + 1);
    const written = this.#written
      .then(() => this.#write(asked, body))
      .finally(() => this.#writes.set(id, count() - 1));
    this.#written = written.catch(() => {});
    return written;
  }

  async #write({ request, base, caller, store: { meter } }: AskedWrite, body: string): Promise<HttpResponse> {
    if (this.#isStopped) throw unavailable('The service stops.');
    const { method, target, headers } = request;
    const question = {
      request: { method, target, headers },
      write: { body, room: meter?.room ?? Number.POSITIVE_INFINITY },
      base: base(),
      caller,
    };
    const { file, onError } = this.options;
    const query = new Query(++this.#latest, question, MOST_WRITE_MS, { onError });
    const data = { path: this.store.path, hasTemporaryFolder: false };
    const thread = new Thread(file, data, { patience: MOST_WRITE_MS, onError });
    const isOver = this.store.expectLongWrite();
    try {
      thread.begin(query);
      const response = await query.response;
      // The change is stored by now: charges at most what is left, as others may have used up the quota.
      meter?.raise(response.status === 429 ? Number.POSITIVE_INFINITY : Math.min(query.stored, meter.room));
      return response;
    } finally {
      isOver();
      await thread.end();
    }
  }

  /** Ends all threads and their queries; a long write that has begun is finished. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#written;
    for (const { queries } of [...this.#places.values()]) for (const query of queries) query.cancel();
    await Promise.all([...this.#threads].map((thread) => thread.end()));
  }

  /** Whether all callers together have reached a limit. */
  get #isFull(): boolean {
    const places = [...this.#places.values()];
    return (
      places.reduce((sum, { waiting }) => sum + waiting.size, 0) >= MOST_WAITING_OF_ALL ||
      places.reduce((sum, { queries }) => sum + queries.size, 0) >= MOST_QUERIES_OF_ALL
    );
  }

  /** Hands waiting queries to free threads. */
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
      // Moves the caller to the end of the line.
      this.#places.delete(caller);
      this.#places.set(caller, place);
      thread.begin(query);
    }
  }

  /** The free thread with the fewest queries; a new one if every free one has some and there may be more threads. */
  #free(): Thread | undefined {
    const free = [...this.#threads].filter(({ isFree }) => isFree);
    const [least] = free.toSorted((a, b) => a.load - b.load);
    if (least?.load === 0 || this.#threads.size >= MOST_THREADS || this.#isStopped) return least;
    return this.#start();
  }

  #start(): Thread {
    const { file, idle, timeout, onError } = this.options;
    // A setting of the whole process: set before the first thread begins, and kept until the last has ended.
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

/** Timeout of a long write, in milliseconds: it is then rolled back. */
const MOST_WRITE_MS = 600_000;

/** Memory limits of a thread: a defect in one query must not take the memory of the service. */
const LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 };

interface ThreadOptions {
  /** How long it is kept when it is idle, in milliseconds. */
  idle?: number | undefined;
  /** How long it may take to reply to a cancellation before it is terminated, in milliseconds. */
  patience: number;
  onError(error: unknown): void;
  /** Called after each reply of the thread. */
  onReply?(): void;
  /** Called when the thread has ended, and its queries have failed. */
  onEnd?(): void;
}

/** One worker thread and the queries that it answers. */
class Thread {
  readonly #worker: Worker;
  readonly #queries = new Map<number, Query>();
  /** The number of messages without a reply, by query: a cancelled query may still be running. */
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

  /** Whether it can begin a query: each of its own has had a result, and no cancelled one is still running. */
  get isFree(): boolean {
    if (this.#isEnding) return false;
    for (const id of this.#unanswered.keys()) if (this.#queries.get(id)?.isStarting ?? true) return false;
    return true;
  }

  get load(): number {
    return this.#queries.size;
  }

  begin(query: Query): void {
    clearTimeout(this.#timer);
    this.#queries.set(query.id, query);
    query.begin((message) => this.#send(message));
  }

  /** Terminates the thread, even in the middle of a query. */
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
    this.options.onReply?.();
    if (this.load === 0) this.#rest();
  }

  /** Terminates the thread if it does not come to the end of a cancelled query in time. */
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
    const lost = unavailable('The read broke off. It may be tried again.');
    for (const query of [...this.#queries.values()]) query.fail(lost);
    this.#queries.clear();
    this.#unanswered.clear();
    this.options.onEnd?.();
  }
}
