import type { components } from './sciatica-api.d.ts';

type Schemas = components['schemas'];

/** What the service keeps of one session of one exercise. */
export type ExerciseLog = Schemas['UserExerciseLog'];

/** What the service says when it refuses: problem details, RFC 9457. */
export type Problem = Schemas['Problem'];

export class Refused extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

export class Sciatica {
  readonly #base: string;

  constructor(base = 'http://localhost:3000') {
    this.#base = base;
  }

  add(log: Schemas['UserExerciseLogInput']): Promise<ExerciseLog> {
    return this.#json('/userExerciseLogs', { method: 'POST', body: JSON.stringify(log) });
  }

  /** Changes a log as it was when `change` saw it: what somebody else changes meanwhile is not overwritten. */
  async change(
    id: number,
    change: (log: ExerciseLog) => Schemas['UserExerciseLogPatch'],
  ): Promise<ExerciseLog> {
    for (;;) {
      const response = await this.#send(`/userExerciseLogs/${id}`);
      const patch = change((await response.json()) as ExerciseLog);
      try {
        return await this.#json(`/userExerciseLogs/${id}`, {
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
      const page: Response = await this.#send(next);
      yield* (await page.json()) as ExerciseLog[];
      next = /<([^>]+)>; rel="next"/.exec(page.headers.get('Link') ?? '')?.[1];
    }
  }

  async #json<T>(path: string, init: RequestInit): Promise<T> {
    return (await (await this.#send(path, init)).json()) as T;
  }

  async #send(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { 'Content-Type': 'application/json', ...init.headers };
    const response = await fetch(new URL(path, this.#base), { ...init, headers });
    if (!response.ok) throw new Refused((await response.json()) as Problem);
    return response;
  }
}
