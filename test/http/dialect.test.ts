import { describe, expect, test } from 'vitest';
import type { Log } from '../../src/domain/log.ts';
import { freshApp, nora, stretch } from './helpers.ts';

const logs = '/userExerciseLogs';

/** 25 logs whose painAfter goes 1, 2 … 10, 1 … in id order. */
function some() {
  const { store, call } = freshApp();
  store.logs.delete(1);
  store.change(() => {
    for (let i = 0; i < 25; i++)
      store.logs.create({ ...stretch, painAfter: (i % 10) + 1, notes: `note ${i}`, effective: i % 2 === 0 });
  });
  const all = store.logs.list();
  const get = async (search: string) => {
    const { status, body, headers } = await call('GET', `${logs}?${search}`);
    const places = status === 200 ? (body as Log[]).map(({ id }) => id - 2) : [];
    return { status, body, places, total: headers['x-total-count'], link: headers['link'] };
  };
  return { store, call, get, all };
}

/** The places from one up to another, not included. */
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

describe('parts of a list, as json-server 0.17 gives them', () => {
  test.each<[search: string, places: number[], total: string | undefined]>([
    ['_page=1', range(0, 10), '25'],
    ['_page=3', range(20, 25), '25'],
    ['_page=4', [], '25'],
    ['_page=2&_limit=7', range(7, 14), '25'],
    ['_limit=3', range(0, 3), '25'],
    ['_limit=0', [], '25'],
    ['_limit=1000000', range(0, 25), '25'],
    ['_start=20&_end=24', range(20, 24), '25'],
    ['_end=4', range(0, 4), '25'],
    ['_start=4&_limit=2', [4, 5], '25'],
    ['_start=9&_end=9', [], '25'],
    ['_start=9&_end=3', [], '25'],
    ['_page=9007199254740991&_limit=9007199254740991', [], '25'],
    ['_sort=id&_order=desc', range(0, 25).reverse(), undefined],
    ['_sort=id&_order=DESC&_limit=2', [24, 23], '25'],
    ['_sort=painAfter,id&_order=desc,desc&_end=3', [19, 9, 18], '25'],
    ['_sort=painAfter,id&_order=desc&_end=3', [9, 19, 8], '25'],
    ['_sort=painAfter&_end=4', [0, 10, 20, 1], '25'],
    ['painAfter_gte=9&_page=1&_limit=3', [8, 9, 18], '4'],
  ])('%s', async (search, places, total) => {
    expect(await some().get(search)).toMatchObject({ status: 200, places, total });
  });

  test.each<[search: string, link: string | undefined]>([
    ['_page=1', 'first 1, next 2, last 3'],
    ['_page=2', 'first 1, prev 1, next 3, last 3'],
    ['_page=3', 'first 1, prev 2, last 3'],
    ['_page=4', undefined],
    ['_page=1&_limit=25', undefined],
    ['_page=1&_limit=24', 'first 1, next 2, last 2'],
    ['_limit=2', undefined],
    ['_start=0&_end=2', undefined],
  ])('%s links to %s', async (search, links) => {
    const { link } = await some().get(search);
    const pages = [
      ...(link ?? '').matchAll(/<http:\/\/localhost:3000\/userExerciseLogs\?([^>]*)>; rel="(\w+)"/g),
    ];
    const shown = pages.map(([, query, rel]) => `${rel} ${new URLSearchParams(query).get('_page')}`);
    expect(shown.join(', ')).toBe(links ?? '');
    expect(pages.map(([whole]) => whole).join(', ')).toBe(link ?? '');
  });

  test('a link keeps what else was asked for', async () => {
    const { link } = await some().get('notes_like=NOTE+1&_page=1&_limit=5&_sort=id');
    expect(link).toContain('?notes_like=NOTE+1&_page=2&_limit=5&_sort=id>; rel="next"');
  });

  test('a long part is whole', async () => {
    const { store, call } = freshApp();
    store.change(() => {
      for (let i = 0; i < 699; i++) store.logs.create({ ...stretch, painAfter: (i % 10) + 1 });
    });
    for (const [search, sort] of [
      ['', 'id'],
      ['&_sort=painAfter&_order=desc', '-painAfter'],
    ] as const) {
      const { body, headers } = await call('GET', `${logs}?_start=20&_end=690${search}`);
      expect(body).toEqual(store.logs.list({ sort }).slice(20, 690));
      expect(headers['x-total-count']).toBe('700');
    }
  });
});

describe('what cannot be meant is refused, and says so', () => {
  test.each<[search: string, field: string, message: string | RegExp]>([
    ['_page=0', '_page', 'must be a whole number, 1 or more'],
    ['_page=x', '_page', 'must be a whole number, 1 or more'],
    ['_limit=-1', '_limit', 'must be a whole number, 0 or more'],
    ['_page=1&_limit=0', '_limit', 'must be 1 or more with _page'],
    ['sort[]=id', 'sort[]', /did you mean sort/],
    ['painAfter_gte[]=1&painAfter_gte=2', 'painAfter_gte', 'is given twice: give it once'],
    ['id[][]=1', 'id[][]', /^is not a parameter here/],
    ['id[a]=1', 'id[a]', /^is not a parameter here/],
    ['_start=1.5&_end=2', '_start', 'must be a whole number, 0 or more'],
    ['_start=5', '_start', 'needs _end or _limit'],
    ['_order=desc', '_order', 'needs _sort'],
    ['_sort=id&_order=down', '_order', /asc or desc/],
    ['_sort=id&_order=asc,desc', '_order', /asc or desc/],
    ['_sort=mood', '_sort', /^mood is not a field here/],
    ['_sort=pain_after', '_sort', /did you mean painAfter/],
    ['_sort=-date', '_sort', /_order=desc/],
    ['_sort=id,id', '_sort', 'names id twice'],
    ['_page=1&limit=2', 'limit', /does not go together with _page/],
    ['_sort=id&sort=id', 'sort', /does not go together with _sort/],
    ['_limit=2&cursor=x', 'cursor', /does not go together/],
    ['_page=1&_start=2', '_start', /does not go together with _page/],
    ['_end=1&_limit=2', '_limit', /does not go together with _end/],
    ['_page=1&_page=2', '_page', 'is given twice: give it once'],
    ['_embed=users', '_embed', /userId=1&userId=2/],
    ['_expand=user', '_expand', /users\?id=1&id=2/],
    ['_per_page=3', '_per_page', /_limit/],
    ['_where={}', '_where', /filters/],
    ['q=a&q=b', 'q', 'is given twice: give it once'],
    ['q=', 'q', /^must be text/],
    ['limit=1&limit=2', 'limit', 'is given twice: give it once'],
    ['since=2026-01-01&since=2026-01-02', 'since', 'is given twice: give it once'],
    ['painAfter_gte=1&painAfter_gte=2', 'painAfter_gte', 'is given twice: give it once'],
    ['painAfter_gte=11', 'painAfter_gte', 'must be a whole number from 1 to 10'],
    ['painAfter=x', 'painAfter', 'must be a whole number from 1 to 10'],
    ['id=0', 'id', 'must be a whole number, 1 or more'],
    ['date_lt=2026-02-30', 'date_lt', 'must be a calendar day as YYYY-MM-DD'],
    ['effective=yes', 'effective', 'must be true or false'],
    ['effective_gte=true', 'effective_gte', /^is not a parameter here/],
    ['painAfter_like=1', 'painAfter_like', /^is not a parameter here \(did you mean painAfter_lt/],
    ['painAfter:gte=7', 'painAfter:gte', /did you mean painAfter_gte/],
    ['userid=1', 'userid', /did you mean userId\?\); there are id, userId, .*_like.* q, .*sort/],
    ['notes_like=', 'notes_like', /^must be text/],
    ['fields=mood', 'fields', /^must name fields/],
    ['fields=id,id', 'fields', 'names id twice'],
    ['fields=', 'fields', /^must be text/],
  ])('%s', async (search, field, message) => {
    const { status, body } = await some().get(search);
    const { errors } = body as { errors: { field: string; message: string }[] };
    expect([status, errors.map((error) => error.field)]).toEqual([400, [field]]);
    if (message instanceof RegExp) expect(errors[0]?.message).toMatch(message);
    else expect(errors[0]?.message).toBe(message);
  });

  test('a part of a day that no record is of', async () => {
    const { status, body } = await some().call('GET', '/users?diagnosisDate_like=2026');
    expect([status, body]).toEqual([
      400,
      expect.objectContaining({ errors: [expect.objectContaining({ field: 'diagnosisDate_like' })] }),
    ]);
  });

  test.each(['/users/1', '/userExerciseLogs/1', '/users/1/summary', '/health', '/changes'])(
    '%s',
    async (path) => {
      for (const name of ['_page=1', '_embed=x', '_sort=id'])
        expect((await freshApp().call('GET', `${path}?${name}`)).status).toBe(400);
      expect((await freshApp().call('GET', `${path}?_t=1`)).status).toBe(200);
    },
  );

  test.each([
    ['fields=mood', 'unknown'],
    ['fields=id,id', 'repeated'],
    ['sort=mood', 'unknown'],
    ['_sort=mood', 'unknown'],
    ['_sort=id,id', 'repeated'],
    ['_sort=id&_order=down', 'not-a-choice'],
    ['_page=1&limit=2', 'in-conflict'],
    ['mood=1', 'unknown'],
    ['_userId=1', 'unknown'],
    ['q=a&q=b', 'repeated'],
  ])('%s, with the code %s', async (search, code) => {
    expect((await some().get(search)).body).toMatchObject({ errors: [{ code }] });
  });

  test('a parameter that is called as what every object has', async () => {
    expect((await some().get('toString=1')).body).toMatchObject({
      errors: [
        { field: 'toString', code: 'unknown', message: expect.stringContaining('is not a parameter') },
      ],
    });
  });

  test('all faults at once', async () => {
    const { body } = await some().get('mood=1&painAfter_gte=x&_page=0&userId=a&sort=b');
    const { errors } = body as { errors: { field: string }[] };
    expect(errors.map(({ field }) => field)).toEqual(['mood', '_page', 'painAfter_gte', 'userId', 'sort']);
  });

  test('more than 500 values', async () => {
    const { get } = some();
    const values = (count: number) => range(1, count + 1).map((id) => `id=${id}`);
    expect(await get(values(500).join('&'))).toMatchObject({ status: 200, places: range(0, 25) });
    expect((await get(values(501).join('&'))).status).toBe(400);
  });
});

describe('filters on any field', () => {
  test.each<[search: string, places: number[]]>([
    ['id=2&id=4&id=999', [0, 2]],
    ['id[]=2&id[]=4&id=5', [0, 2, 3]],
    ['id%5B%5D=2', [0]],
    ['id[0]=2&id%5B1%5D=4&id[12]=5', [0, 2, 3]],
    ['painAfter_gte=9', [8, 9, 18, 19]],
    ['painAfter_gt=9', [9, 19]],
    ['painAfter_lte=1', [0, 10, 20]],
    ['painAfter_lt=2', [0, 10, 20]],
    ['painAfter_gte=9&painAfter_lte=9', [8, 18]],
    ['effective_ne=true&id_lt=7', [1, 3]],
    ['id_ne=2&id_ne=4&id_lte=6', [1, 3, 4]],
    ['id_gt=0&id_lt=4', [0, 1]],
    ['notes_like=NOTE+2', [2, 20, 21, 22, 23, 24]],
    ['notes_like=e+3&notes_like=e+4', [3, 4]],
    ['notes=note+3', [3]],
    ['q=OTE+3', [3]],
    ['q=%25', []],
    ['date_like=2026-03&id_lt=4', [0, 1]],
    ['userId=1&userId=9&id=5', [3]],
    ['userId=9', []],
  ])('%s', async (search, places) => expect(await some().get(search)).toMatchObject({ status: 200, places }));

  test('of users', async () => {
    const { call, store } = freshApp();
    store.users.create({ ...nora, firstName: 'Åse', age: 80 });
    for (const search of ['firstName_like=åS', 'age_gte=80', 'id=2', 'q=ÅSE', 'firstName=Åse', 'id_ne=1'])
      expect([search, (await call('GET', `/users?${search}`)).body]).toMatchObject([search, [{ id: 2 }]]);
  });
});
