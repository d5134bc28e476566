import { STATUS_CODES } from 'node:http';
import { type ErrorCode, type Issue, SciaticaError } from '../domain/errors.ts';
import { type ProblemType, typeUri, usualType } from './problem-types.ts';
import type { HttpHeaders, HttpResponse } from './wire/message.ts';

/** A fault of a request in terms of HTTP; a fault of a record is a SciaticaError. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly detail: string,
    readonly headers: HttpHeaders = {},
    readonly type: ProblemType = usualType(status),
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
  if (error instanceof Problem) return problem(error);
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
  return problem(new Problem(statuses[code], detail, headers, type), issues);
}

function problem({ status, detail, type, headers }: Problem, issues: readonly Issue[] = []): HttpResponse {
  const body = {
    type: typeUri(type),
    title: STATUS_CODES[status],
    status,
    detail,
    ...(issues.length > 0 && { errors: issues.map(errorOf) }),
  };
  return {
    status,
    headers: { 'content-type': 'application/problem+json', ...headers },
    body: JSON.stringify(body),
  };
}

/** A fault as programs read it: its code with the bounds, and words for a person. */
const errorOf = ({ field, message, fault = { code: 'invalid' } }: Issue) => ({ field, ...fault, message });
