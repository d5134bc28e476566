import type { Caller } from '../../domain/access.ts';
import type { Store } from '../../store/store.ts';
import type { DescribedRoute } from '../openapi/operation.ts';
import type { HttpRequest, HttpResponse } from '../wire/message.ts';
import { readJson } from './body.ts';
import type { Feed } from './feed.ts';

/** An admitted caller, and the caller's view of the store. */
export interface Session {
  /** Contains only the records that the caller may see; the history attributes its changes to the caller. */
  readonly store: Store;
  /** The authenticated caller; undefined without authentication. */
  readonly caller?: Caller | undefined;
  /** @throws Problem 401 once the token is revoked or expired */
  readonly recheck?: (() => void) | undefined;
}

/** Worker threads, for requests that may take long. */
export interface Workers {
  /**
   * Has another thread answer the request, by the same route; undefined if no other thread can open the database.
   * @throws Problem 503 if too many queries wait or, as a rejection, if it takes too long
   */
  answer(asked: Asked): Promise<HttpResponse> | undefined;
  /**
   * As `answer`, for a long write. These run one after the other, each in a new thread; other writes wait without a deadline.
   * @param body the text of the body
   * @throws Problem 503 if too many long writes of the caller wait
   */
  write(asked: AskedWrite, body?: string): Promise<HttpResponse> | undefined;
}

/** The parts of a request context that another thread needs. */
export type Asked = Pick<RequestContext, 'request' | 'base' | 'caller'>;
export type AskedWrite = Asked & Pick<RequestContext, 'store'>;

/** A request that matched a route, and the session it runs in. */
export interface RequestContext extends Session {
  readonly request: HttpRequest;
  readonly route: Route;
  /** The id in the path; 0 for a path without one. */
  readonly id: number;
  /** The query string, without its question mark. */
  readonly search: string;
  /** The base URL of the service, as the caller addressed it: `http://localhost:3000`. */
  base(): string;
  readonly feed: Feed;
  /** Worker threads; undefined inside such a thread. */
  readonly workers?: Workers | undefined;
  /** Whether phones can be paired with this service. */
  readonly isPairing: boolean;
}

/** The result of matching a request target: the routes of its path by method, its id and its query string. */
export interface Match {
  readonly methods: ReadonlyMap<string, Route>;
  /** 0 for a path without an id. */
  readonly id: number;
  /** Without its question mark. */
  readonly search: string;
}

/** Answers a request. @throws Problem, SciaticaError: `problemResponse` turns either into a response */
export type Handler = (context: RequestContext) => HttpResponse | Promise<HttpResponse>;

/** What a write is given of its request, or of its part of a batch. */
interface WriteRequest {
  readonly store: Store;
  readonly id: number;
  readonly search: string;
  readonly headers: HttpRequest['headers'];
}

/**
 * A write of one record, in three steps, each may throw Problem or SciaticaError: `begin` checks path and query,
 * the function that it returns checks the body, and the function that this returns writes, inside a transaction.
 */
export interface Write {
  /** Loads what the write needs, since a transaction is synchronous. */
  ready?(store: Store): Promise<void>;
  /** Whether it would block other requests for too long: it then runs in a worker. Only for a write without a body. */
  isLong?(store: Store, id: number): boolean;
  begin(asked: WriteRequest): (body: unknown) => () => HttpResponse;
}

/** The members of a route whose write can be a request of its own, or a part of a batch. */
export const batchable = (write: Write): { write: Write; handle: Handler } => ({
  write,
  handle: async (context) => {
    const { request, route, store, id, search, workers } = context;
    const offloaded = write.isLong?.(store, id) && workers?.write(context);
    if (offloaded) return offloaded;
    const check = write.begin({ store, id, search, headers: request.headers });
    const work = check(route.body && (await readJson(request)).value);
    if (write.ready) await write.ready(store);
    return store.submit(work);
  },
});

/** One method of one path: its description and its handler. */
export interface Route extends DescribedRoute {
  handle: Handler;
  /** The same operation as a part of a batch; undefined if it cannot be in one. */
  write?: Write;
  /** The id in the path is the owner of the records, not one of them. */
  isOwner?: true;
}

/** The methods that a path takes, for `Allow`. */
export function allowed(methods: Match['methods']): string {
  const names = [...methods.keys()];
  return [...names, ...(methods.has('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
}
