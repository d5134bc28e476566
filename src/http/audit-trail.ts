import type { Deed } from '../domain/audit.ts';
import type { Store } from '../store/store.ts';
import type { Desk } from './handlers.ts';
import type { HttpRequest, HttpResponse } from './message.ts';
import type { Route } from './routes.ts';

/** Entries are written together: a reader waits for none of them. */
const FLUSH_MS = 500;

/** Entries that wait while the database is held by somebody else. */
const MOST_WAITING = 10_000;

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

  /** Notes an answer; of a long list when the whole of it has left. */
  note(visit: Visit, request: HttpRequest, response: HttpResponse, desk: Desk): void {
    const { resource, path } = visit.route ?? {};
    // Who is turned away for coming too often must not fill the disk.
    if (!resource || !path || response.status === 429) return;
    const { headers, body, status } = response;
    const deed: Deed = {
      at: this.now(),
      token: visit.token,
      method: request.method,
      route: path,
      record: resource.noun,
      userId: userOf(visit, resource.noun),
      ...idsOf(visit.id || Number(/\/(\d+)$/.exec(headers['location'] ?? '')?.[1] ?? 0)),
      status,
      address: request.address(),
    };
    this.#desk = desk;
    const isList = visit.route?.kind === 'list' && status === 200;
    if (isList && typeof body === 'string') this.#add(tally(deed, body));
    else if (isList && typeof body === 'object') response.body = this.#tallied(deed, body);
    else this.#add(deed);
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
    if (this.#waiting.length >= MOST_WAITING) return;
    if (this.#waiting.length === 0) setTimeout(() => void this.flush(), FLUSH_MS).unref();
    this.#waiting.push(deed);
  }

  *#tallied(deed: Deed, body: Generator<string>): Generator<string> {
    try {
      for (const chunk of body) {
        tally(deed, chunk);
        yield chunk;
      }
    } finally {
      this.#add(deed);
    }
  }
}

function userOf({ id, search, onlyUser }: Visit, noun: 'user' | 'log'): number | null {
  // Whose a log is, the store looks up.
  if (id > 0) return noun === 'user' ? id : null;
  return onlyUser ?? (Number(/(?:^|&)userId=(\d{1,15})(?:&|$)/.exec(search)?.[1] ?? 0) || null);
}

const idsOf = (id: number) =>
  id > 0 ? { first: id, last: id, count: 1 } : { first: null, last: null, count: 0 };

/** Adds the records in a piece of a list. Inside a text a quotation mark is escaped: only a record begins so. */
function tally(deed: Deed, json: string): Deed {
  for (const [, digits] of json.matchAll(/\{"id":(\d+)/g)) {
    const id = Number(digits);
    deed.first = Math.min(deed.first ?? id, id);
    deed.last = Math.max(deed.last ?? id, id);
    deed.count++;
  }
  return deed;
}
