import { availableParallelism } from 'node:os';
import type { Store } from '../../store/store.ts';
import type { Workers as OtherThreads } from '../protocol/route.ts';
import type { HttpResponse } from '../wire/message.ts';
import { Problem, RETRY_AFTER_SECONDS } from '../wire/problem.ts';
import type { WorkerData } from './messages.ts';
import { Query } from './query.ts';
import { Thread } from './thread.ts';

/** Two at least, so that one long read never holds up all others. */
const MOST_THREADS = Math.min(4, Math.max(2, availableParallelism() - 1));
/** Queries that no thread has begun yet, and all of them: a slow reader of a list keeps one open. */
const MOST_WAITING = 32;
const MOST_QUERIES = 128;

export interface WorkersOptions {
  /** The bundle of worker.ts. */
  file: string;
  /** Most milliseconds that a query may take to its first result, and then to each further one. */
  timeout: number;
  /** How long a thread that has nothing to do is kept, in milliseconds. */
  idle?: number;
  /** Receives every unforeseen error. */
  onError(error: unknown): void;
}

/**
 * Worker threads that answer what may take long: lists that no index answers, long lists, statistics. Each begins one
 * query at a time, and between the chunks of a long list goes on with others. They are started when there is something
 * to do, and ended when there is not.
 */
export class Workers implements OtherThreads {
  readonly #threads = new Set<Thread>();
  readonly #waiting = new Set<Query>();
  readonly #queries = new Set<Query>();
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
    if (this.#isStopped || this.#waiting.size >= MOST_WAITING || this.#queries.size >= MOST_QUERIES)
      throw new Problem(503, 'Too many long reads are under way.', { 'retry-after': RETRY_AFTER_SECONDS });
    const { method, target } = request;
    const { accept, 'if-none-match': condition } = request.headers;
    const headers = { accept, 'if-none-match': condition };
    const question = { request: { method, target, headers }, base: base(), caller };
    const query: Query = new Query(++this.#latest, question, this.options.timeout, {
      onError: this.options.onError,
      onEnd: () => {
        this.#queries.delete(query);
        this.#waiting.delete(query);
      },
    });
    this.#queries.add(query);
    this.#waiting.add(query);
    request.onClose(() => query.cancel(), false);
    this.#assign();
    return query.response;
  }

  /** Ends all threads and what they read. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const query of this.#queries) query.cancel();
    await Promise.all([...this.#threads].map((thread) => thread.end()));
  }

  /** Gives what waits to threads that are free. */
  #assign(): void {
    for (const query of this.#waiting) {
      const thread = this.#free();
      if (!thread) return;
      this.#waiting.delete(query);
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
