import type { Caller } from '../../domain/access.ts';
import type { Store } from '../../store/store.ts';
import type { DescribedRoute } from '../openapi/operation.ts';
import type { HttpRequest, HttpResponse } from '../wire/message.ts';
import { readJson } from './body.ts';
import type { Feed } from './feed.ts';

/** An admitted caller and the records of that caller. */
export interface Session {
  /** The records that the caller may see, as if there were no others; changes bear the caller's name. */
  readonly store: Store;
  /** The authenticated caller; undefined without authentication. */
  readonly caller?: Caller | undefined;
  /** @throws Problem 401 once the token is revoked or expired */
  readonly recheck?: (() => void) | undefined;
}

/** Threads that answer what may take long. */
export interface Workers {
  /**
   * The response of the same route in another thread; undefined where no other thread can open the database.
   * @throws Problem 503 when too many wait already, or it took too long
   */
  answer(asked: Asked): Promise<HttpResponse> | undefined;
  /**
   * As `answer`, for a write: one after the other, in a thread of its own. Other writes wait for it without a deadline.
   * @param body what was sent
   * @throws Problem 503 when too many of the caller wait already
   */
  write(asked: AskedWrite, body?: string): Promise<HttpResponse> | undefined;
}

/** What another thread needs to know of a request. */
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
  /** The address of the service as the caller wrote it: `http://localhost:3000`. */
  base(): string;
  readonly feed: Feed;
  /** Threads for what may take long; absent in such a thread. */
  readonly workers?: Workers | undefined;
  /** Whether phones can be paired with this service. */
  readonly isPairing: boolean;
}

/** What a request target leads to: the routes of its path by method, the id in it, the query string. */
export interface Match {
  readonly methods: ReadonlyMap<string, Route>;
  /** 0 for a path without an id. */
  readonly id: number;
  /** Without its question mark. */
  readonly search: string;
}

/** @throws Problem, SciaticaError: `problemResponse` makes a response of either */
export type Handler = (context: RequestContext) => HttpResponse | Promise<HttpResponse>;

/** What a write is asked for, alone or in a batch. */
interface WriteRequest {
  readonly store: Store;
  readonly id: number;
  readonly search: string;
  readonly headers: HttpRequest['headers'];
}

/**
 * A write of one record, in three steps, each of which throws Problem or SciaticaError: it checks the path and the query,
 * then the body, then does it, inside a transaction.
 */
export interface Write {
  /** Loads what it needs: a transaction waits for nothing. */
  ready?(store: Store): Promise<void>;
  /** Whether others should not wait for it; only of a write without a body. */
  isLong?(store: Store, id: number): boolean;
  begin(asked: WriteRequest): (body: unknown) => () => HttpResponse;
}

/** A write as a request of its own, and as a part of a batch. */
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

/** One method of one path: all there is to say about it. */
export interface Route extends DescribedRoute {
  handle: Handler;
  /** The same as a part of a batch, where it may be one. */
  write?: Write;
  /** The id in the path is the owner of the records, not one of them. */
  isOwner?: true;
}

/** The methods that a path takes, for `Allow`. */
export function allowed(methods: Match['methods']): string {
  const names = [...methods.keys()];
  return [...names, ...(methods.has('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
}
