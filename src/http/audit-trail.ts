import type { Deed } from '../domain/audit.ts';
import type { Store } from '../store/store.ts';
import type { Desk } from './handlers.ts';
import type { HttpRequest, HttpResponse } from './message.ts';
import type { Route } from './routes.ts';

/** Entries are written together: a reader waits for none of them. */
const FLUSH_MS = 500;

/** Entries that wait while they cannot be written: beyond that, nobody gets in. */
const MOST_WAITING = 10_000;

type Body = NonNullable<HttpResponse['body']>;

const NONE = { first: null, last: null, count: 0 };

/** Where a record begins, and a change of one. Inside a text a quotation mark is escaped. */
const RECORD = /\{"id":(\d+)/g;
const CHANGED = { user: /"record":"user","id":(\d+)/g, log: /"record":"log","id":(\d+)/g };

/** What is known of a request when it has been answered. */
export interface Visit {
  route?: Route;
  /** The id in the path. */
  id: number;
  search: string;
  /** The id of the token, once it is known to be valid. */
  token: number | null;
  /** The one user whose records the caller sees, if it is one. */
  onlyUser: number | null;
}

/** Keeps account of requests for records, and of those refused. */
export class AuditTrail {
  #waiting: Deed[] = [];
  #desk: Desk | undefined;

  constructor(
    private readonly now: () => number,
    private readonly onError: (error: unknown) => void = () => {},
  ) {}

  /** Whether entries have not been written for so long that nothing more may happen. */
  get isFull(): boolean {
    return this.#waiting.length >= MOST_WAITING;
  }

  /** Notes an answer; of a long list when the whole of it has left, of changes piece by piece. */
  note(visit: Visit, request: HttpRequest, response: HttpResponse, desk: Desk): void {
    const { route } = visit;
    const record = route?.resource?.noun ?? (route?.kind === 'changes' ? 'log' : undefined);
    const { body, status } = response;
    // Who is turned away for coming too often must not fill the disk, or the memory when that is full.
    if (!route || !record || status === 429 || (status === 503 && this.isFull)) return;
    this.#desk = desk;
    const deed: Deed = {
      at: this.now(),
      token: visit.token,
      method: request.method,
      route: route.path,
      record,
      userId: userOf(visit, record),
      ...(visit.id > 0 ? { first: visit.id, last: visit.id, count: 1 } : NONE),
      status,
      address: request.address(),
    };
    if (body === undefined || status >= 300 || visit.id > 0) this.#add(deed);
    else if (route.kind === 'changes') this.#noteChanges(deed, response, body);
    else if (typeof body === 'string') this.#add(tally(deed, body, RECORD));
    else response.body = this.#tallied(deed, body);
  }

  /** A stream of changes may stay open for days: each piece of it is noted when it leaves. */
  #noteChanges(deed: Deed, response: HttpResponse, body: Body): void {
    const noteAll = (text: string) => {
      for (const record of ['user', 'log'] as const) {
        const told = tally({ ...deed, ...NONE, at: this.now(), record }, text, CHANGED[record]);
        if (told.count > 0) this.#add(told);
      }
    };
    if (typeof body === 'string') noteAll(body);
    else response.body = passing(body, noteAll);
  }

  /** Writes what is waiting. */
  async flush(): Promise<void> {
    const [deeds, desk] = [this.#waiting, this.#desk];
    this.#waiting = [];
    if (!desk || deeds.length === 0) return;
    const store: Store = desk.store;
    await desk.writer
      .write(() => store.audit.add(deeds))
      .catch((error: unknown) => {
        this.onError(error);
        for (const deed of deeds) this.#add(deed);
      });
  }

  #add(deed: Deed): void {
    if (this.#waiting.length === 0) setTimeout(() => void this.flush(), FLUSH_MS).unref();
    this.#waiting.push(deed);
  }

  async *#tallied(deed: Deed, body: Exclude<Body, string>): AsyncGenerator<string> {
    try {
      yield* passing(body, (chunk) => tally(deed, chunk, RECORD));
    } finally {
      this.#add(deed);
    }
  }
}

async function* passing(
  chunks: Exclude<Body, string>,
  look: (chunk: string) => void,
): AsyncGenerator<string> {
  for await (const chunk of chunks) {
    look(chunk);
    yield chunk;
  }
}

function userOf({ id, search, onlyUser }: Visit, noun: 'user' | 'log'): number | null {
  // Whose a log is, the store looks up.
  if (id > 0) return noun === 'user' ? id : null;
  return onlyUser ?? (Number(/(?:^|&)userId=(\d{1,15})(?:&|$)/.exec(search)?.[1] ?? 0) || null);
}

/** Notes which records a text tells of. */
function tally(deed: Deed, json: string, pattern: RegExp): Deed {
  for (const [, digits] of json.matchAll(pattern)) {
    const id = Number(digits);
    deed.first = Math.min(deed.first ?? id, id);
    deed.last = Math.max(deed.last ?? id, id);
    deed.count++;
  }
  return deed;
}
