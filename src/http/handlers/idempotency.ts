import { createHash } from 'node:crypto';
import type { Caller } from '../../domain/access.ts';
import type { Log } from '../../domain/log.ts';
import type { User } from '../../domain/user.ts';
import type { RepeatableRequest } from '../../store/records/requests.ts';
import type { Store } from '../../store/store.ts';
import { Problem } from '../problem.ts';
import type { HttpRequest } from '../wire/message.ts';

const KEY = /^[\x20-\x7e]{1,255}$/;

/**
 * A POST that its caller may send again (https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/).
 * Keys are known by whose records the caller sees, not by the token: a new one must not make a second record.
 * @param body what it says
 * @returns nothing without an `Idempotency-Key`
 * @throws Problem 400 for a key that is none
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
 * The records that the request created when it came for the first time, as they were then.
 * @throws Problem 422 when that one said something else
 */
export function firstAnswer(store: Store, { key, body }: RepeatableRequest): (User | Log)[] | undefined {
  const first = store.requests.find(key);
  // Of what was erased since there is no trace, nor of what it was part of.
  if (first?.body && !Buffer.from(body).equals(first.body))
    throw new Problem(422, 'This Idempotency-Key came with another body before: use a new key.');
  return first?.created;
}

const sha256 = (text: string) => createHash('sha256').update(text).digest();
