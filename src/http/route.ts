import type { Caller, Right } from '../domain/access.ts';
import type { Store } from '../store/store.ts';
import type { Feed } from './handlers/feed.ts';
import type { Operation } from './openapi/operation.ts';
import type { ProblemName } from './openapi/problems.ts';
import type { HttpRequest, HttpResponse } from './wire/message.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** An admitted caller and the records of that caller. */
export interface Session {
  /** The records that the caller may see, as if there were no others; changes bear the caller's name. */
  readonly store: Store;
  /** The authenticated caller; undefined without authentication. */
  readonly caller?: Caller | undefined;
  /** @throws Problem 401 once the token is revoked or expired */
  readonly recheck?: (() => void) | undefined;
}

/** A request that matched a route, and the session it runs in. */
export interface RequestContext extends Session {
  readonly request: HttpRequest;
  /** The id in the path; 0 for a path without one. */
  readonly id: number;
  /** The query string, without its question mark. */
  readonly search: string;
  readonly feed: Feed;
}

/** @throws Problem, SciaticaError: `problemResponse` makes a response of either */
export type Handler = (context: RequestContext) => HttpResponse | Promise<HttpResponse>;

/** One method of one path: all there is to say about it. */
export interface Route {
  method: Method;
  /** Path pattern; `{id}` stands for the id of a record. */
  path: string;
  /** The right that a caller needs, which also says what the audit records; null for an open route, never audited. */
  right: Right | null;
  /** How it can fail, besides what can happen to any request. */
  errors: readonly ProblemName[];
  operation: Operation;
  handle: Handler;
}
