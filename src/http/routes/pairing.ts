import { randomUUID } from 'node:crypto';
import { roles } from '../../domain/access.ts';
import { invalid } from '../../domain/errors.ts';
import { pairFields } from '../../domain/pairing.ts';
import { check, objectOf } from '../../domain/schema.ts';
import { isTokenName, TOKEN_NAME, type Token } from '../../domain/token.ts';
import { secretOf } from '../guard/gate.ts';
import { exampleOf, IDEMPOTENCY_KEY, type Json, object, ok, schemaJson, taken } from '../openapi/parts.ts';
import { BODY } from '../openapi/problems.ts';
import { readJson, readNothing } from '../protocol/body.ts';
import { keyOf } from '../protocol/idempotency.ts';
import { parseQuery } from '../protocol/query.ts';
import type { RequestContext, Route } from '../protocol/route.ts';
import { json } from '../wire/message.ts';
import { Problem } from '../wire/problem.ts';

/** Largest body, in bytes: it may come without a token. */
const MOST_BYTES = 1024;

/** Length of the shortest accepted key, in characters: 128 random bits as base64url cannot be guessed. */
const KEY_LENGTH = 22;

const closed = () => new Problem(404, 'There is nothing at this path.');

const TOKEN: Json = {
  token: { type: 'string', description: 'For `Authorization: Bearer`' },
  name: { type: 'string', description: 'Name of the token, which the history shows', examples: ['phone'] },
  role: { type: 'string', enum: roles },
  users: { type: ['array', 'null'], description: 'Ids; null for all', items: { type: 'integer' } },
  expiresAt: { type: ['string', 'null'], format: 'date-time', description: 'null: never' },
};

const PATIENT: Json = {
  role: { type: 'string', const: 'patient' },
  users: { type: 'array', description: 'The id of the user', maxItems: 1, items: { type: 'integer' } },
};

/** The Idempotency-Key of a pairing or a renewal: a retry with it gets the same token. */
const SECRET_KEY: Json = {
  ...IDEMPOTENCY_KEY,
  description:
    'Where the answer may be lost: the same key gets the same token again. Random, and kept secret until the answer has come',
  schema: { ...(IDEMPOTENCY_KEY['schema'] as Json), minLength: KEY_LENGTH },
};

/** POST that exchanges a one-time code for a token. The path exists only while a code is open, or may be retried. */
export const pairRoute: Route = {
  method: 'POST',
  path: '/pair',
  right: 'pair',
  errors: ['NotFound'],
  tag: 'Service',
  id: 'pair',
  summary: 'Exchange a one-time code for a token',
  description:
    'For a phone that was shown the code by `sciatica pair`. 404 unless the service runs with `--pairing` and a code is open: for ten minutes, for one use, until five wrong codes have come.',
  // Empty but present: the handler checks the query itself, after it knows that the path exists.
  query: {},
  headers: [SECRET_KEY],
  body: taken(schemaJson(objectOf(pairFields)), exampleOf(pairFields)),
  success: {
    '201': ok('The token; it cannot be had again', object({ ...TOKEN, ...PATIENT })),
  },
  handle: async ({ request, search, store, isPairing }) => {
    const { pairing } = store.tokens;
    if (!isPairing || !pairing.isAnswered) throw closed();
    parseQuery(search, {});
    const { value } = await readJson(request, MOST_BYTES);
    const { code, name } = check(objectOf(pairFields), value);
    if (name !== undefined && !isTokenName(name))
      throw invalid([{ field: 'name', message: `must be ${TOKEN_NAME}` }]);
    const key = keyOf(request, KEY_LENGTH);
    const given = await store.submitUpkeep(() => pairing.exchange(code, name, key));
    if (given === 'closed') throw closed();
    if (given === 'wrong')
      throw new Problem(403, 'The code is wrong. After five wrong ones it is closed.', {}, 'wrong-code');
    const { user, token: made } = given;
    const { id } = made;
    const disclosed = [
      { record: 'user', first: user, last: user, count: 1, userId: user, token: id },
    ] as const;
    return json(201, bodyOf(made), {}, disclosed);
  },
};

function bodyOf({ token, name, role, users, expiresAt }: Token & { token: string }): string {
  const expires = expiresAt === null ? null : new Date(expiresAt).toISOString();
  return JSON.stringify({ token, name, role, users, expiresAt: expires });
}

/**
 * Runs `work` with the secret and the name of the caller's token, unless the token was revoked since the request was admitted.
 * @throws Problem 409 without authentication, 401 for a token that is not valid any more
 */
function withOwnToken<T>(
  { request, store, caller, recheck }: RequestContext,
  work: (secret: string, name: string) => T,
): Promise<T> {
  const secret = secretOf(request.headers.authorization);
  if (!caller || secret === undefined)
    throw new Problem(409, 'The service runs without --auth: nobody has a token.');
  return store.submitUpkeep(() => {
    recheck?.();
    return work(secret, caller.name);
  });
}

/** POST that replaces the secret of the caller's token. */
export const renewRoute: Route = {
  method: 'POST',
  path: '/me/token',
  right: 'read self',
  errors: [...BODY, 'Conflict'],
  tag: 'Service',
  id: 'renewToken',
  summary: 'Renew the token',
  description:
    'The same token with another secret, for as long again. The one before goes on until the new one is used for the first time. 409 without authentication, or while a new one was never used.',
  headers: [SECRET_KEY],
  success: { '201': ok('The token with its new secret', object(TOKEN)) },
  handle: async (context) => {
    const { request, store } = context;
    await readNothing(request);
    const made = await withOwnToken(context, (secret) =>
      store.tokens.renew(secret, keyOf(request, KEY_LENGTH) ?? randomUUID()),
    );
    return json(201, bodyOf(made));
  },
};

/** DELETE of the caller's token, which is revoked. */
export const unpairRoute: Route = {
  method: 'DELETE',
  path: '/me/token',
  right: 'read self',
  errors: ['Conflict'],
  tag: 'Service',
  id: 'revokeToken',
  summary: 'Give the token back',
  description:
    'For an app that its person unpairs: the token is refused from then on. 409 without authentication.',
  success: { '200': ok('It is revoked', { type: 'object', maxProperties: 0 }) },
  handle: async (context) => {
    await withOwnToken(context, (_, name) => context.store.tokens.revoke(name));
    return json(200, '{}');
  },
};
