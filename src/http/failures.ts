import type { ProblemName } from './openapi/problems.ts';

/** How kinds of route can fail. */

export const OPEN: readonly ProblemName[] = [
  'BadRequest',
  'Forbidden',
  'TooManyRequests',
  'ServiceUnavailable',
];
export const PAIR: readonly ProblemName[] = [...OPEN, 'NotFound', 'InsufficientStorage'];
export const READ: readonly ProblemName[] = [...OPEN, 'Unauthorized'];
export const LIST: readonly ProblemName[] = [...READ, 'NotAcceptable'];
export const READ_ONE: readonly ProblemName[] = [...READ, 'NotFound'];
export const BODY: readonly ProblemName[] = ['PayloadTooLarge', 'UnsupportedMediaType'];
export const WRITE: readonly ProblemName[] = [...READ, 'InsufficientStorage'];
export const WRITE_ONE: readonly ProblemName[] = [...WRITE, 'NotFound', 'PreconditionFailed'];
