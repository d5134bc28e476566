import { expect, test } from 'vitest';
import { freshApp, stretch } from './helpers.ts';

const PATH = '/userExerciseLogs/1';
const taken = { id: 1, ...stretch, medication: 'ibuprofen 400' };

/** A service whose log 1 says what was taken. */
async function withMedication() {
  const { call, store } = freshApp();
  store.logs.update(1, { medication: 'ibuprofen 400' });
  return { call, store };
}

test.each<[string, string, object, object]>([
  ['the eight fields of the interface, put back', 'PUT', stretch, taken],
  ['what a client got, put back', 'PUT', taken, taken],
  ['other values of the eight fields', 'PUT', { ...stretch, painAfter: 2 }, { ...taken, painAfter: 2 }],
  ['a patch of another field', 'PATCH', { painAfter: 2 }, { ...taken, painAfter: 2 }],
  [
    'another medication',
    'PUT',
    { ...stretch, medication: 'none left' },
    { ...taken, medication: 'none left' },
  ],
  ['null, put', 'PUT', { ...stretch, medication: null }, { id: 1, ...stretch }],
  ['null, patched', 'PATCH', { medication: null }, { id: 1, ...stretch }],
])('%s', async (_, method, body, expected) => {
  const { call } = await withMedication();
  expect((await call(method, PATH, { body })).body).toEqual(expected);
  expect((await call('GET', PATH)).body).toEqual(expected);
});

test('in a batch, a PUT keeps it too', async () => {
  const { call } = await withMedication();
  await call('POST', '/batch', { body: [{ method: 'PUT', url: PATH, body: stretch }] });
  expect((await call('GET', PATH)).body).toEqual(taken);
});

test('a PUT that names it keeps no other check away', async () => {
  const { call } = await withMedication();
  const { painAfter: _, ...less } = stretch;
  expect(await call('PUT', PATH, { body: { ...less, medication: '' } })).toMatchObject({
    status: 400,
    body: { errors: [{ field: 'painAfter' }, { field: 'medication' }] },
  });
});

test('a record without it comes first in an order, and is not what a filter excludes', async () => {
  const { call, store } = freshApp();
  for (const medication of ['paracetamol', 'ibuprofen']) store.logs.create({ ...stretch, medication });
  const ids = async (search: string) =>
    ((await call('GET', `/userExerciseLogs?${search}`)).body as { id: number }[]).map(({ id }) => id);
  for (const ascending of ['sort=medication,id', '_sort=medication,id'])
    expect(await ids(ascending)).toEqual([1, 3, 2]);
  for (const descending of ['sort=-medication,id', '_sort=medication,id&_order=desc'])
    expect(await ids(descending)).toEqual([2, 3, 1]);
  expect(await ids('medication_ne=ibuprofen')).toEqual([1, 2]);
});
