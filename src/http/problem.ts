import { STATUS_CODES } from 'node:http';
import { type ErrorCode, type Issue, SciaticaError } from '../domain/errors.ts';
import type { HttpHeaders, HttpResponse } from './wire/message.ts';

/** A fault of a request in terms of HTTP; a fault of a record is a SciaticaError. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly detail: string,
    readonly headers: HttpHeaders = {},
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

/** Another process rarely holds the write lock for longer. */
export const RETRY_AFTER_SECONDS = '1';

/**
 * An error as problem details (RFC 9457). An unforeseen error gives a generic 500: no stack, path, SQL or part of
 * the request leaves the process.
 */
export function problemResponse(error: unknown): HttpResponse {
  if (error instanceof Problem) return problem(error.status, error.detail, [], error.headers);
  if (!(error instanceof SciaticaError) || error.code === 'unusable')
    return problem(500, 'Something went wrong here. The request may be tried again.');
  // The message of the error names the file, which callers must not see.
  if (error.code === 'damaged')
    return problem(500, 'The database is damaged. On the machine that it is on, run: sciatica doctor');
  const status = statuses[error.code];
  const detail = error.issues.length > 0 ? 'The request has faults; errors names each.' : error.message;
  return problem(
    status,
    detail,
    error.issues,
    error.code === 'busy' ? { 'retry-after': RETRY_AFTER_SECONDS } : {},
  );
}

function problem(
  status: number,
  detail: string,
  issues: readonly Issue[] = [],
  headers: HttpHeaders = {},
): HttpResponse {
  const body = {
    type: 'about:blank',
    title: STATUS_CODES[status],
    status,
    detail,
    ...(issues.length > 0 && { errors: issues.map(({ field, message }) => ({ field, message })) }),
  };
  return {
    status,
    headers: { 'content-type': 'application/problem+json', ...headers },
    body: JSON.stringify(body),
  };
}
