import { hash } from 'node:crypto';
import type { Caller } from '../../domain/access.ts';
import type { AnyRecord } from '../../domain/kinds.ts';
import type { RepeatableRequest } from '../../store/records/requests.ts';
import type { Store } from '../../store/store.ts';
import type { HttpRequest, HttpResponse } from '../wire/message.ts';
import { Problem } from '../wire/problem.ts';

const KEY = /^[\x20-\x7e]{1,255}$/;

/**
 * A POST that its caller may repeat (https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/).
 * Keys are scoped to the users that the caller sees, not to the token, so that a repetition with a new token
 * creates no second record.
 * @param body the text of the request body
 * @returns undefined without an `Idempotency-Key`
 * @throws Problem 400 for a malformed key
 */
export function repeatable(
  { headers }: HttpRequest,
  path: string,
  caller: Caller | undefined,
  body: string,
): RepeatableRequest | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !KEY.test(key))
    throw new Problem(400, 'Idempotency-Key must be 1 to 255 ASCII characters, such as a UUID.');
  return { key: sha256(JSON.stringify([caller?.users ?? null, path, key])), body: sha256(body) };
}

/**
 * The records that the first request with this key created, as they were then; undefined if there was none.
 * @throws Problem 422 when that request had another body
 */
export function firstAnswer(store: Store, repeat: RepeatableRequest): AnyRecord[] | undefined {
  return firstRequest(store, repeat)?.created;
}

/** As `firstAnswer`: all that is known of the first request. */
export function firstRequest(store: Store, { key, body }: RepeatableRequest) {
  const first = store.requests.find(key);
  // Erasing a record removes the hash of the body that created it, and with it this check.
  if (first?.body && !Buffer.from(body).equals(first.body))
    throw new Problem(422, 'This Idempotency-Key came with another body before: use a new key.');
  return first;
}

/** Marks the response to a repetition. */
export function replayed(response: HttpResponse): HttpResponse {
  response.headers['idempotency-replayed'] = 'true';
  return response;
}

const sha256 = (text: string) => hash('sha256', text, 'buffer');
