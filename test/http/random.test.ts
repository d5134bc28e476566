import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checksOf } from '../../src/domain/schema.ts';
import { routes } from '../../src/http/routes/index.ts';
import { conformance } from './conformance.ts';
import { freshApp, nora, stretch } from './helpers.ts';

const anyString = fc.string({ unit: 'binary', maxLength: 20 });
const anyValue = fc.oneof(fc.jsonValue({ depthSize: 'small' }), anyString, fc.integer(), fc.double());

/** Bodies that are nearly right, so that some pass every check. */
const nearly = (record: object) => {
  const fields = Object.entries(record).map(([name, value]) => [
    name,
    fc.oneof({ weight: 12, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: anyValue }),
  ]);
  const extra = fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, fc.dictionary(anyString, anyValue));
  return fc
    .tuple(fc.record(Object.fromEntries(fields)), extra)
    .map(([body, more]) => JSON.stringify({ ...body, ...more }));
};

const anyBody = fc.oneof(
  { weight: 4, arbitrary: nearly(nora) },
  { weight: 4, arbitrary: nearly(stretch) },
  fc.json(),
  anyString,
);

const anyQuery = fc
  .array(
    fc.tuple(
      fc.constantFrom('userId', 'exerciseType', 'since', 'limit', 'cursor', 'sort', 'effective', '_x', 'x'),
      anyString,
    ),
    {
      maxLength: 3,
    },
  )
  .map((pairs) =>
    pairs.map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`).join('&'),
  );

const anyId = fc.oneof(
  fc.constantFrom('1', '2', '0', '-1', '1e3', '9007199254740993'),
  anyString.map((text) => encodeURIComponent(text.toWellFormed())),
);

test('no request gives a 5xx, an answer that the document does not describe, or leaves a row that the schema would refuse', async () => {
  const { call, errors, store } = freshApp();
  const faultsOf = conformance(JSON.parse((await call('GET', '/openapi.json')).text));
  let created = 0;
  const property = fc.asyncProperty(
    fc.constantFrom(...routes),
    anyId,
    fc.oneof(fc.constant(''), anyQuery),
    anyBody,
    async ({ method, path }, id, query, body) => {
      if (!store.users.has(1)) store.users.restore({ id: 1, ...nora });
      if (!store.logs.has(1)) store.logs.restore({ id: 1, ...stretch });
      const target = `${path.replace('{id}', id)}${query && `?${query}`}`;
      const answer = await call(method, target, { body });
      const { status, headers, text } = answer;
      expect(status).toBeLessThan(500);
      expect(errors).toEqual([]);
      // Without an id it is the path of the list.
      if (id !== '') expect(faultsOf(method, path, answer)).toEqual([]);
      if (status === 201) created += 1;
      if (headers['content-type']?.includes('json')) expect(() => JSON.parse(text)).not.toThrow();
      for (const user of store.users.list({ sort: '-id', limit: 3 })) checksOf('user').record(user);
      for (const log of store.logs.list({ sort: '-id', limit: 3 })) checksOf('log').record(log);
    },
  );
  await fc.assert(property, { numRuns: 2_000 });
  // Random requests seldom create a user; some must have.
  expect(created).toBeGreaterThan(0);
});
