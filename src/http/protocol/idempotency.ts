import { hash } from 'node:crypto';
import { kindOf } from '../../domain/kinds.ts';
import type { DoneRequest, RepeatableRequest } from '../../store/records/requests.ts';
import type { Store } from '../../store/store.ts';
import type { HttpHeaders, HttpRequest, HttpResponse } from '../wire/message.ts';
import { Problem } from '../wire/problem.ts';
import type { Body } from './body.ts';
import type { RequestContext } from './route.ts';

const KEY = /^[\x20-\x7e]{1,255}$/;

/** The parts of a request context that the scope of a key is made of. */
type Asked = Pick<RequestContext, 'request' | 'route' | 'id' | 'caller'>;

/** A request with a key. `text`: hash of the raw body, which earlier releases stored instead of that of the canonical form. */
export interface Repeat extends RepeatableRequest {
  text: Uint8Array;
}

/**
 * The key of a request; undefined without one.
 * @param least length of the shortest accepted key, in characters
 * @throws Problem 400 for a malformed key
 */
export function keyOf({ headers }: Pick<HttpRequest, 'headers'>, least = 1): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !KEY.test(key) || key.length < least)
    throw new Problem(400, `Idempotency-Key must be ${least} to 255 ASCII characters, such as a UUID.`);
  return key;
}

/**
 * A POST that its caller may repeat (https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/).
 * Keys are scoped to the users that the caller sees, not to the token, so that a repetition with a new token
 * creates no second record.
 * @param sent the body; the same value in another form is the same request
 * @returns undefined without an `Idempotency-Key`
 * @throws Problem 400 for a malformed key
 */
export function repeatable(asked: Asked, { text, value }: Body): Repeat | undefined {
  const key = keyOf(asked.request);
  if (key === undefined) return undefined;
  return { key: scoped(key, asked), body: sha256(canonical(value) ?? text), text: sha256(text) };
}

/** Whether a request with this key was done before, so that a repetition stores nothing. */
export function isRepeated(store: Store, asked: Asked): boolean {
  const key = asked.request.headers['idempotency-key'];
  return typeof key === 'string' && store.requests.changeOf(scoped(key, asked)) !== undefined;
}

/** The SHA-256 of a key within its scope: one path, and the callers who see the same users. */
const scoped = (key: string, { route, id, caller }: Asked): Uint8Array =>
  sha256(JSON.stringify([caller?.users ?? null, route.path.replace('{id}', String(id)), key]));

/** As `canonicalJson`; undefined for a value that is nested too deeply to be rendered, as no record is. */
function canonical(value: unknown): string | undefined {
  try {
    return canonicalJson(value);
  } catch {
    return undefined;
  }
}

/** A JSON value in its canonical form (RFC 8785): the same text for the same value. */
function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson)}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`)}}`;
}

/**
 * The first request with this key; undefined if there was none.
 * @throws Problem 422 when that request had another body, 410 when a part of what it did was erased since
 */
export function firstRequest(store: Store, { key, body, text }: Repeat) {
  const first = store.requests.find(key);
  if (!first) return undefined;
  const known = first.body;
  // An erasure removes the hash of the body, so the two requests cannot be compared any more.
  if (!known) throw goneSince();
  if (![body, text].some((hash) => Buffer.from(hash).equals(known)))
    throw new Problem(422, 'This Idempotency-Key came with another body before: use a new key.', made(first));
  return first;
}

/** The error for a repeated request whose records were deleted or, in part, erased since. */
export const goneSince = (): Problem =>
  new Problem(
    410,
    'Done before; what it created is gone, or of several a part erased.',
    { 'idempotency-replayed': 'true' },
    'record-gone',
  );

/** The Location of the record that a request created; empty unless it created exactly one. */
function made({ entries }: DoneRequest): HttpHeaders {
  const [entry, another] = entries;
  if (!entry?.after || another || entry.action !== 'create') return {};
  return { location: `${kindOf(entry.record).path}/${entry.id}` };
}

/** Marks the response to a repetition. */
export function replayed(response: HttpResponse): HttpResponse {
  response.headers['idempotency-replayed'] = 'true';
  return response;
}

const sha256 = (text: string) => hash('sha256', text, 'buffer');
