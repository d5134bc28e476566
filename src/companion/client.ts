import type { components } from './sciatica-api.d.ts';

export type Schemas = components['schemas'];

/** What the service keeps of one session of one exercise. */
export type ExerciseLog = Schemas['UserExerciseLog'];

/** What happened to one record. */
export type Change = Schemas['HistoryEntry'];

/** What the service says when it refuses: problem details, RFC 9457. */
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

  /** Why the service does not know the caller any more. The answer to HEAD does not say so, nor does that of a proxy. */
  get ended(): string | undefined {
    return this.problem.status === 401 && this.kind !== 'about:blank' ? this.kind : undefined;
  }

  /** Whether the same request may be answered another way later. */
  get isPassing(): boolean {
    return [408, 429, 500, 502, 503, 504, 507].includes(this.problem.status);
  }
}

/** A request that takes longer has met a network that drops what it gets. A stream brings a signal of its own. */
const TIMEOUT_MS = 60_000;

/** Requests under way end when the browser says that the network is gone: their answers may never come. */
let network = new AbortController();
(globalThis as Partial<EventTarget>).addEventListener?.('offline', () => {
  network.abort(new TypeError('The network is gone.'));
  network = new AbortController();
});

/** One request after the other, and the answer to each. */
export class Service {
  readonly #base: string;
  readonly #token: string | undefined;

  /** @param token where the service runs with --auth */
  constructor(base = 'http://localhost:3000', token?: string) {
    this.#base = base;
    this.#token = token;
  }

  /** Since when to ask for changes by who reads everything now. */
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
    // Nothing but the token says who calls; no browser is to add cookies, or to answer from what it keeps.
    const further = { credentials: 'omit', cache: 'no-store' } as const;
    const end = init.signal ?? AbortSignal.timeout(TIMEOUT_MS);
    // Browsers of before 2024 have no `any`.
    const signal = AbortSignal.any?.([end, network.signal]) ?? end;
    const response = await fetch(new URL(path, this.#base), { ...further, ...init, headers, signal });
    if (response.ok) return response;
    const { status, statusText } = response;
    const bare = { type: 'about:blank', title: statusText, status, detail: statusText };
    throw new Refused((await response.json().catch(() => bare)) as Problem, response.headers);
  }
}

/** What an app of exercise logs needs. */
export class Sciatica extends Service {
  /**
   * Creates a log once, however often the network drops. Where that takes longer than this runs, keep the key with the
   * log and call again with both.
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

  /** Changes a log as it was when `change` saw it: what somebody else changes meanwhile is not overwritten. */
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

  /** What changed since, in order. Refused with 410: read everything again. */
  async *changes(since: number): AsyncGenerator<Change> {
    let next: string | undefined = `/changes?since=${since}&limit=500`;
    while (next !== undefined) {
      const page: Response = await this.send(next);
      yield* (await page.json()) as Change[];
      next = nextOf(page);
    }
  }
}

/** Takes a change over into the logs that an app keeps. */
export function takeOver(logs: Map<number, ExerciseLog>, change: Change): void {
  if (change.action === 'erase') {
    // The service has forgotten the person, and says nothing more of what belonged to the person.
    for (const [id, log] of logs) if (log.userId === change.id) logs.delete(id);
  }
  if (change.record !== 'log') return;
  if (change.after) logs.set(change.id, change.after);
  else logs.delete(change.id);
}

/** The next page, if there is one. */
export function nextOf(page: Response): string | undefined {
  return /<([^>]+)>; rel="next"/.exec(page.headers.get('Link') ?? '')?.[1];
}
