import { invalid } from '../../../domain/errors.ts';
import { pairFields } from '../../../domain/pairing.ts';
import { check, objectOf } from '../../../domain/schema.ts';
import { isTokenName, TOKEN_NAME } from '../../../domain/token.ts';
import { Problem } from '../../problem.ts';
import type { Handler } from '../../route.ts';
import { json } from '../../wire/message.ts';
import { readJson } from '../body.ts';
import { parseQuery } from '../query.ts';

/** Largest body, in bytes: anybody may send one. */
const MOST_BYTES = 1024;

/** POST of a one-time code, for a token. The path is there only while a code is open. */
export const pair: Handler = async ({ request, search, store, isPairing }) => {
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
  const disclosed = [{ record: 'user', first: user, last: user, count: 1, userId: user, token: id }] as const;
  return { ...json(201, body), disclosed };
};

const closed = () => new Problem(404, 'There is nothing at this path.');
