import { invalid } from '../../domain/errors.ts';
import { pairFields } from '../../domain/pairing.ts';
import { check, objectOf } from '../../domain/schema.ts';
import { isTokenName, TOKEN_NAME } from '../../domain/token.ts';
import { exampleOf, ok, schemaJson, taken } from '../openapi/parts.ts';
import { BODY, PAIR } from '../openapi/problems.ts';
import { readJson } from '../protocol/body.ts';
import { parseQuery } from '../protocol/query.ts';
import type { Route } from '../protocol/route.ts';
import { json } from '../wire/message.ts';
import { Problem } from '../wire/problem.ts';

/** Largest body, in bytes: anybody may send one. */
const MOST_BYTES = 1024;

const closed = () => new Problem(404, 'There is nothing at this path.');

/** POST of a one-time code, for a token. The path is there only while a code is open. */
export const pairRoute: Route = {
  method: 'POST',
  path: '/pair',
  right: 'pair',
  errors: [...PAIR, ...BODY],
  operation: {
    tag: 'Service',
    id: 'pair',
    summary: 'Exchange a one-time code for a token',
    description:
      'For a phone that was shown the code by `sciatica pair`. 404 unless the service runs with `--pairing` and a code is open: for ten minutes, for one use, until five wrong codes have come.',
    body: taken(schemaJson(objectOf(pairFields)), exampleOf(pairFields)),
    success: {
      '201': ok('The token; it cannot be had again', {
        type: 'object',
        required: ['token', 'name', 'role', 'users', 'expiresAt'],
        properties: {
          token: { type: 'string', description: 'For `Authorization: Bearer`' },
          name: {
            type: 'string',
            description: 'Name of the token, which the history shows',
            examples: ['phone'],
          },
          role: { type: 'string', const: 'patient' },
          users: {
            type: 'array',
            description: 'The id of the user',
            maxItems: 1,
            items: { type: 'integer' },
          },
          expiresAt: { type: ['string', 'null'], format: 'date-time', description: 'null: never' },
        },
      }),
    },
  },
  handle: async ({ request, search, store, isPairing }) => {
    const { pairing } = store.tokens;
    if (!isPairing || !pairing.isOpen) throw closed();
    parseQuery(search, {});
    const { code, name } = check(objectOf(pairFields), await readJson(request, MOST_BYTES));
    if (name !== undefined && !isTokenName(name))
      throw invalid([{ field: 'name', message: `must be ${TOKEN_NAME}` }]);
    const given = await store.submitUpkeep(() => pairing.exchange(code, name));
    if (given === 'closed') throw closed();
    if (given === 'wrong')
      throw new Problem(403, 'The code is wrong. After five wrong ones it is closed.', {}, 'wrong-code');
    const { user, token: made } = given;
    const { id, token, role, users, expiresAt } = made;
    const expires = expiresAt === null ? null : new Date(expiresAt).toISOString();
    const body = JSON.stringify({ token, name: made.name, role, users, expiresAt: expires });
    const disclosed = [
      { record: 'user', first: user, last: user, count: 1, userId: user, token: id },
    ] as const;
    return { ...json(201, body), disclosed };
  },
};
