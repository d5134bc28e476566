import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Store } from '../../store/store.ts';
import type { Asked, AskedWrite, Workers as OtherThreads } from '../protocol/route.ts';
import type { HttpResponse } from '../wire/message.ts';
import { unavailable } from '../wire/problem.ts';
import type { FromWorker, ToWorker, WorkerData } from './messages.ts';
import { Query } from './query.ts';

/** Two at least, so that one long read never holds up all others. */
const MOST_THREADS = Math.min(4, Math.max(2, availableParallelism() - 1));
/** Of one caller: queries that no thread has begun yet, or long writes, and all queries: a slow reader of a list keeps one open. */
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
  /** By the id of the token, how many writes are under way or wait. */
  readonly #writes = new Map<number | undefined, number>();
  /** The last of the writes, which go one after the other. */
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
      // What is stored by now is not refused, even if others have taken the room meanwhile.
      meter?.raise(response.status === 429 ? Number.POSITIVE_INFINITY : Math.min(query.stored, meter.room));
      return response;
    } finally {
      isOver();
      await thread.end();
    }
  }

  /** Ends all threads and what they read; a write that has begun is finished. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#written;
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

/** A write that takes longer is given up, and leaves nothing. */
const MOST_WRITE_MS = 600_000;

/** A fault of one query must not take the memory of the service. */
const LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 };

interface ThreadOptions {
  /** How long it is kept with nothing to do, in milliseconds. */
  idle?: number | undefined;
  /** How long it may take to reply to the end of a query, in milliseconds. */
  patience: number;
  onError(error: unknown): void;
  /** It has replied to a message. */
  onReply?(): void;
  /** It has ended, and its queries with it. */
  onEnd?(): void;
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

  get load(): number {
    return this.#queries.size;
  }

  begin(query: Query): void {
    clearTimeout(this.#timer);
    this.#queries.set(query.id, query);
    query.begin((message) => this.#send(message));
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
    this.options.onReply?.();
    if (this.load === 0) this.#rest();
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
    const lost = unavailable('The read broke off. It may be tried again.');
    for (const query of [...this.#queries.values()]) query.fail(lost);
    this.#queries.clear();
    this.#unanswered.clear();
    this.options.onEnd?.();
  }
}
