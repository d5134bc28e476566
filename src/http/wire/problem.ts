import { STATUS_CODES } from 'node:http';
import { type ErrorCode, type Issue, Outdated, SciaticaError } from '../../domain/errors.ts';
import type { HttpHeaders, HttpResponse } from './message.ts';

/** The kinds of problem, by the last part of their type URI: their status and meaning. Clients rely on them: never rename. */
export const problemTypes = {
  'invalid-input': { status: 400, means: 'A field or a parameter breaks a rule; errors names each' },
  'malformed-request': { status: 400, means: 'Not JSON, not UTF-8, or a header that is wrong' },
  'token-unknown': {
    status: 401,
    means: 'No token is called so: it was mistyped, or is of another database',
  },
  'token-revoked': { status: 401, means: 'The token was taken back; what was not sent yet may be kept' },
  'token-expired': { status: 401, means: 'The token has expired; what was not sent yet may be kept' },
  'person-erased': {
    status: 401,
    means: 'The person was erased: forget everything that is kept of the person',
  },
  'no-token': { status: 401, means: 'Authentication is on, and the request has no token' },
  'foreign-caller': {
    status: 403,
    means:
      'A Host, Origin or site that the service does not answer to; --allow-host and --allow-origin add some',
  },
  'wrong-code': { status: 403, means: 'The code is not the one that sciatica pair shows' },
  'role-lacks-right': { status: 403, means: 'The role of the token may not do this, whatever the record' },
  'not-found': { status: 404, means: 'No such path, or no such record that the caller may see' },
  'method-not-allowed': {
    status: 405,
    means: 'The path does not take this method; Allow names those it takes',
  },
  'not-acceptable': { status: 406, means: 'Accept names no media type that this can be had as' },
  'request-timeout': { status: 408, means: 'The request took too long to arrive' },
  'in-conflict': { status: 409, means: 'It would lose data, or contradicts what is stored' },
  'record-gone': {
    status: 410,
    means: 'The request was done when it first came; what it created is gone, or of several a part erased',
  },
  'history-gap': {
    status: 410,
    means:
      'What is to be gone on from is not in the history any more; reason says why: restored, erased or unknown',
  },
  'record-changed': { status: 412, means: 'The record is not the one that If-Match or If-None-Match names' },
  'body-too-large': { status: 413, means: 'The body is larger than this path takes' },
  'unsupported-body': { status: 415, means: 'The body is not plain application/json in UTF-8' },
  'unknown-expectation': { status: 417, means: 'The only Expect is 100-continue' },
  'key-reused': { status: 422, means: 'The Idempotency-Key came with another body before' },
  'quota-used-up': {
    status: 429,
    means: 'The token has stored as much as it may in an hour; Retry-After says when it may go on',
  },
  'too-many-requests': { status: 429, means: 'A rate limit; Retry-After says when to try again' },
  'headers-too-large': { status: 431, means: 'The headers are too large' },
  'internal-error': { status: 500, means: 'Something went wrong in the service' },
  'query-timeout': { status: 503, means: 'A read had no result after 30 seconds: ask for less' },
  unavailable: { status: 503, means: 'Try again after the seconds that Retry-After says' },
  'storage-full': { status: 507, means: 'The disk is full; nothing was saved' },
} as const satisfies Record<string, { status: number; means: string }>;

export type ProblemType = keyof typeof problemTypes;

/** The default type of each status: the last one with it in the list. */
const usual = new Map<number, ProblemType>(
  Object.entries(problemTypes).map(([type, { status }]) => [status, type as ProblemType]),
);

export const usualType = (status: number): ProblemType => usual.get(status) ?? 'internal-error';

/** The URI reference of a type: the section of /docs that explains it. */
export const typeUri = (type: ProblemType): string => `/docs#problem-${type}`;

/** An error in terms of HTTP; faults of records are SciaticaErrors. */
export class Problem extends Error {
  /** Whether the audit records the response, although it does not record others with the same status. */
  isAudited = false;

  constructor(
    readonly status: number,
    readonly detail: string,
    readonly headers: HttpHeaders = {},
    readonly type: ProblemType = usualType(status),
    /** Further members (RFC 9457, 3.2). */
    readonly members: Readonly<Record<string, unknown>> = {},
  ) {
    super(detail);
  }
}

const statuses: Record<ErrorCode, number> = {
  invalid: 400,
  'not-found': 404,
  conflict: 409,
  stale: 412,
  outdated: 410,
  busy: 503,
  full: 507,
  unusable: 500,
  damaged: 500,
  gone: 503,
  uncertain: 500,
};

/** Retry-After of a busy database: another process rarely holds the write lock for longer. */
const RETRY_AFTER_SECONDS = '1';

/** The 503 for a request that may be retried soon. */
export const unavailable = (detail: string): Problem =>
  new Problem(503, detail, { 'retry-after': RETRY_AFTER_SECONDS });

/**
 * An error as problem details (RFC 9457). An unforeseen error gives a generic 500: no stack, path, SQL or part of
 * the request leaves the process.
 */
export function problemResponse(error: unknown): HttpResponse {
  if (error instanceof Problem)
    return error.isAudited ? { ...problem(error), isAudited: true } : problem(error);
  if (!(error instanceof SciaticaError) || error.code === 'unusable')
    return problem(new Problem(500, 'Something went wrong here. The request may be tried again.'));
  // The message of the error names the file, which callers must not see.
  if (error.code === 'damaged')
    return problem(
      new Problem(500, 'The database is damaged. On the machine that it is on, run: sciatica doctor'),
    );
  const { code, message, issues } = error;
  const detail = issues.length > 0 ? 'The request has faults; errors names each.' : message;
  const headers: HttpHeaders = code === 'busy' ? { 'retry-after': RETRY_AFTER_SECONDS } : {};
  const type = issues.length > 0 ? 'invalid-input' : usualType(statuses[code]);
  const members = error instanceof Outdated ? { reason: error.reason } : {};
  return problem(new Problem(statuses[code], detail, headers, type, members), issues);
}

function problem(
  { status, detail, type, headers, members }: Problem,
  issues: readonly Issue[] = [],
): HttpResponse {
  const body = {
    type: typeUri(type),
    title: STATUS_CODES[status],
    status,
    detail,
    ...members,
    ...(issues.length > 0 && { errors: issues.map(errorOf) }),
  };
  return {
    status,
    headers: { 'content-type': 'application/problem+json', ...headers },
    body: JSON.stringify(body),
  };
}

/** An issue as a member of `errors`: code and bounds for programs, and a message for people. */
const errorOf = ({ field, message, fault = { code: 'invalid' } }: Issue) => ({ field, ...fault, message });
