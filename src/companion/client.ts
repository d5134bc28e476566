import type { components } from './sciatica-api.d.ts';

export type Schemas = components['schemas'];

/** The record of one session of one exercise. */
export type ExerciseLog = Schemas['UserExerciseLog'];

/** An entry of the history: what happened to one record. */
export type Change = Schemas['HistoryEntry'];

/** Why the service refuses a request: problem details, RFC 9457. */
export type Problem = Schemas['Problem'];

export class Refused extends Error {
  readonly problem: Problem;
  readonly headers: Headers;

  constructor(problem: Problem, headers = new Headers()) {
    super(problem.detail);
    this.problem = problem;
    this.headers = headers;
  }

  /** The kind of problem, such as `token-revoked`. */
  get kind(): string {
    return this.problem.type.replace('/docs#problem-', '');
  }

  /** Why the token is not valid, such as `token-revoked`. Undefined for HEAD and for proxies, whose answers do not say so. */
  get ended(): string | undefined {
    return this.problem.status === 401 && this.kind !== 'about:blank' ? this.kind : undefined;
  }

  /** Whether the failure is temporary: the same request may succeed later. */
  get isPassing(): boolean {
    return [408, 429, 500, 502, 503, 504, 507].includes(this.problem.status);
  }
}

/** Timeout of a request: a network may drop it without an error. A stream has a signal of its own instead. */
const TIMEOUT_MS = 60_000;

/** Aborts requests when the browser says that the network is gone: their answers may never come. */
let network = new AbortController();
(globalThis as Partial<EventTarget>).addEventListener?.('offline', () => {
  network.abort(new TypeError('The network is gone.'));
  network = new AbortController();
});

/** Sends requests to the service. */
export class Service {
  readonly #base: string;
  readonly #token: string | undefined;

  /** @param base URL of the service @param token the token, if the service runs with --auth */
  constructor(base = 'http://localhost:3000', token?: string) {
    this.#base = base;
    this.#token = token;
  }

  /** The seq of the latest change: `since` for a client that reads everything now. */
  async now(): Promise<number> {
    return Number((await this.send('/changes', { method: 'HEAD' })).headers.get('X-Last-Seq'));
  }

  async json<T>(path: string, init: RequestInit = {}): Promise<T> {
    return (await (await this.send(path, init)).json()) as T;
  }

  /** @throws Refused when the service refuses; TypeError or TimeoutError when it cannot be reached */
  async send(path: string, init: RequestInit = {}): Promise<Response> {
    const authorization = this.#token === undefined ? {} : { Authorization: `Bearer ${this.#token}` };
    const headers = { 'Content-Type': 'application/json', ...authorization, ...init.headers };
    // Only the token says who calls, and only the service answers: no cookies, no cache of the browser.
    const further = { credentials: 'omit', cache: 'no-store' } as const;
    const end = init.signal ?? AbortSignal.timeout(TIMEOUT_MS);
    // Browsers from before 2024 have no `any`.
    const signal = AbortSignal.any?.([end, network.signal]) ?? end;
    const response = await fetch(new URL(path, this.#base), { ...further, ...init, headers, signal });
    if (response.ok) return response;
    const { status, statusText } = response;
    const bare = { type: 'about:blank', title: statusText, status, detail: statusText };
    throw new Refused((await response.json().catch(() => bare)) as Problem, response.headers);
  }
}

/** The operations that an app for exercise logs needs. */
export class Sciatica extends Service {
  /**
   * Creates a log exactly once, with retries. If the app may end before that is done, it stores `key` with the log, and calls
   * again with both.
   */
  async add(
    log: Schemas['UserExerciseLogInput'],
    key: string = crypto.randomUUID(),
    tries = 5,
  ): Promise<ExerciseLog> {
    const headers = { 'Idempotency-Key': key };
    const body = JSON.stringify(log);
    for (let pause = 200; ; pause *= 2) {
      try {
        return await this.json('/userExerciseLogs', { method: 'POST', headers, body });
      } catch (error) {
        const isFinal = error instanceof Refused && !error.isPassing;
        if (isFinal || --tries === 0) throw error;
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }
  }

  /** Changes a log, and calls `change` again if somebody else has changed it meanwhile: nothing is overwritten. */
  async change(
    id: number,
    change: (log: ExerciseLog) => Schemas['UserExerciseLogPatch'],
  ): Promise<ExerciseLog> {
    for (;;) {
      const response = await this.send(`/userExerciseLogs/${id}`);
      const patch = change((await response.json()) as ExerciseLog);
      try {
        return await this.json(`/userExerciseLogs/${id}`, {
          method: 'PATCH',
          headers: { 'If-Match': response.headers.get('ETag') ?? '*' },
          body: JSON.stringify(patch),
        });
      } catch (error) {
        if (!(error instanceof Refused) || error.problem.status !== 412) throw error;
      }
    }
  }

  /** A user's logs, the latest first, page by page. */
  async *logs(userId: number, limit = 50): AsyncGenerator<ExerciseLog> {
    let next: string | undefined = `/userExerciseLogs?userId=${userId}&sort=-date,-id&limit=${limit}`;
    while (next !== undefined) {
      const page: Response = await this.send(next);
      yield* (await page.json()) as ExerciseLog[];
      next = nextOf(page);
    }
  }

  /** The changes after `since`, in order. @throws Refused with status 410 if they are incomplete: read everything again */
  async *changes(since: number): AsyncGenerator<Change> {
    let next: string | undefined = `/changes?since=${since}&limit=500`;
    while (next !== undefined) {
      const page: Response = await this.send(next);
      yield* (await page.json()) as Change[];
      next = nextOf(page);
    }
  }
}

/** Applies a change to the copy of the logs that an app keeps. */
export function takeOver(logs: Map<number, ExerciseLog>, change: Change): void {
  if (change.action === 'erase') {
    // The history has no further changes of the records of an erased person.
    for (const [id, log] of logs) if (log.userId === change.id) logs.delete(id);
  }
  if (change.record !== 'log') return;
  if (change.after) logs.set(change.id, change.after);
  else logs.delete(change.id);
}

/** The address of the next page; undefined if there is none. */
export function nextOf(page: Response): string | undefined {
  return /<([^>]+)>; rel="next"/.exec(page.headers.get('Link') ?? '')?.[1];
}
