import type { AuditRecord } from '../src/domain/audit.ts';
import type { Fields, RecordOf } from '../src/domain/fields.ts';
import { logFields } from '../src/domain/log.ts';
import { userFields } from '../src/domain/user.ts';

/** A record of the examples of its fields, without those that are optional. */
export function exampleOf<Fs extends Fields>(fields: Fs): RecordOf<Fs> {
  const needed = Object.entries(fields).filter(([, { optional }]) => !optional);
  return Object.fromEntries(needed.map(([name, { example }]) => [name, example])) as RecordOf<Fs>;
}

/** Nora Lind, with e-mail address, age, pain and diagnosis. */
export const user = exampleOf(userFields);

/** A stretch of user 1 on 2026-03-02, pain 6 before and 4 after, effective, with notes. */
export const log = exampleOf(logFields);

/** Someone without a token has read the profile of user 1. */
export const auditRecord: AuditRecord = {
  at: 0,
  token: null,
  method: 'GET',
  route: '/users/{id}',
  record: 'user',
  userId: 1,
  first: 1,
  last: 1,
  count: 1,
  status: 200,
  address: '::1',
};
