import { Worker } from 'node:worker_threads';
import { Problem, RETRY_AFTER_SECONDS } from '../wire/problem.ts';
import type { FromWorker, ToWorker, WorkerData } from './messages.ts';
import type { Query } from './query.ts';

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
export class Thread {
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
