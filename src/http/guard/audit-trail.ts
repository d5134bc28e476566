import type { Deed } from '../../domain/audit.ts';
import type { Store } from '../../store/store.ts';
import type { Desk } from '../handlers/records.ts';
import type { Route } from '../routes.ts';
import type { HttpRequest, HttpResponse } from '../wire/message.ts';

/** Entries are written together, after so long or when there are so many: a reader waits for none of them. */
const FLUSH_MS = 500;
const FLUSH_AT = 5_000;

/** Entries that wait while they cannot be written: beyond that, nobody gets in. */
const MOST_WAITING = 10_000;

type Body = NonNullable<HttpResponse['body']>;

const ZERO = '0'.charCodeAt(0);

const NONE = { first: null, last: null, count: 0 };

/** What stands before the id of a record, and of a changed one. Inside a text a quotation mark is escaped. */
const RECORD = '{"id":';
const CHANGED = { user: '"record":"user","id":', log: '"record":"log","id":' };
const OWNER = ',"userId":';

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
  /** How many are being written. */
  #writing = 0;
  #flushed: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #desk: Desk | undefined;

  constructor(
    private readonly now: () => number,
    private readonly onError: (error: unknown) => void = () => {},
  ) {}

  /** Whether entries have not been written for so long that nothing more may happen. */
  get isFull(): boolean {
    return this.#waiting.length + this.#writing >= MOST_WAITING;
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
      first: visit.id || null,
      last: visit.id || null,
      count: visit.id > 0 ? 1 : 0,
      status,
      address: request.address(),
    };
    if (body === undefined || status >= 300) this.#add(deed);
    else if (visit.id > 0) this.#add(owned(deed, body));
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

  /** Writes what is waiting, after what is being written. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#flushed = this.#flushed.then(() => this.#write());
    return this.#flushed;
  }

  async #write(): Promise<void> {
    const [deeds, desk] = [this.#waiting, this.#desk];
    if (!desk || deeds.length === 0) return;
    const store: Store = desk.store;
    this.#waiting = [];
    this.#writing = deeds.length;
    try {
      await store.submitUpkeep(() => store.audit.add(deeds));
    } catch (error) {
      this.onError(error);
      this.#waiting = [...deeds, ...this.#waiting];
      this.#schedule();
    } finally {
      this.#writing = 0;
    }
  }

  #add(deed: Deed): void {
    this.#waiting.push(deed);
    if (this.#waiting.length === FLUSH_AT) void this.flush();
    else this.#schedule();
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref();
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

/** Notes whose log it was about, where the body is that log: it need not be looked up then. */
function owned(deed: Deed, body: Body): Deed {
  if (deed.record === 'log' && typeof body === 'string' && body.startsWith(RECORD))
    deed.userId = numberAt(body, body.indexOf(OWNER) + OWNER.length);
  return deed;
}

/** Notes which records a text tells of: their ids stand behind a mark. */
function tally(deed: Deed, json: string, mark: string): Deed {
  for (let at = json.indexOf(mark); at >= 0; at = json.indexOf(mark, at)) {
    at += mark.length;
    const id = numberAt(json, at);
    deed.first = Math.min(deed.first ?? id, id);
    deed.last = Math.max(deed.last ?? id, id);
    deed.count++;
  }
  return deed;
}

/** As parseInt, which would need a copy of the digits. */
function numberAt(text: string, at: number): number {
  let number = 0;
  for (let i = at; ; i++) {
    const digit = text.charCodeAt(i) - ZERO;
    if (!(digit >= 0 && digit <= 9)) return number;
    number = 10 * number + digit;
  }
}
