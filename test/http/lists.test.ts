import { describe, expect, test } from 'vitest';
import type { Log } from '../../src/domain/log.ts';
import { keepList, keptList } from '../../src/http/protocol/kept-lists.ts';
import { type Call, freshApp, stretch } from './helpers.ts';

describe('lists that are kept', () => {
  function keeping() {
    const { store } = freshApp();
    const keep = (key: string, characters: number) => {
      const list = { body: 'x'.repeat(characters), etag: '""', ids: undefined };
      keepList(store, key, store.history.last(), list);
    };
    return { store, keep, kept: (key: string) => keptList(store, key) !== undefined };
  }

  test('are those that are asked for again', () => {
    const { keep, kept } = keeping();
    const seen = [1, 2, 3].map(() => {
      keep('a', 1);
      return kept('a');
    });
    expect(seen).toEqual([false, true, true]);
  });

  test('are asked for twice anew once a record has changed', () => {
    const { store, keep, kept } = keeping();
    const seen = [1, 2, 3, 4].map((time) => {
      if (time === 3) store.users.update(1, { age: 99 });
      keep('a', 1);
      return kept('a');
    });
    expect(seen).toEqual([false, true, false, true]);
  });

  test('are forgotten when they are too much together', () => {
    const { keep, kept } = keeping();
    for (const key of ['a', 'b', 'c']) for (let i = 0; i < 2; i++) keep(key, 1024 * 1024);
    expect(kept('a')).toBe(true);
    for (let i = 0; i < 2; i++) keep('d', 1024 * 1024);
    expect([kept('a'), kept('d')]).toEqual([false, true]);
  });

  test('have a short key', () => {
    const { keep, kept } = keeping();
    for (const length of [300, 301]) {
      const key = 'k'.repeat(length);
      for (let i = 0; i < 2; i++) keep(key, 1);
      expect(kept(key)).toBe(length === 300);
    }
  });
});

test.each(['userId=1', 'userId[]=1', 'userId_ne=1', 'userId_lt=9'])(
  'the list of a user takes no %s: the path says it',
  async (search) => {
    const { status, body } = await freshApp().call('GET', `/users/1/userExerciseLogs?${search}`);
    expect([status, body]).toMatchObject([400, { errors: [{ field: 'userId', code: 'in-conflict' }] }]);
  },
);

/** An app with 700 logs, so that the whole list is more than one chunk. */
function many() {
  const { store, call } = freshApp();
  store.change(() => {
    for (let i = 0; i < 699; i += 1) {
      const date = `2026-01-${String((i % 28) + 1).padStart(2, '0')}`;
      store.logs.create({ ...stretch, date, painAfter: (i % 10) + 1, effective: i % 3 === 0 });
    }
  });
  return { store, call };
}

/** Follows the Link headers to the end. */
async function walk(call: Call, first: string): Promise<Log[]> {
  const all: Log[] = [];
  for (let target: string | undefined = first; target; ) {
    const { body, headers } = await call('GET', target);
    all.push(...(body as Log[]));
    expect(headers['x-total-count']).toBe('700');
    target = /^<([^>]+)>; rel="next"$/.exec(headers['link'] ?? '')?.[1];
  }
  return all;
}

describe('lists', () => {
  test('a long list is whole, in id order, and carries no entity tag', async () => {
    const { store, call } = many();
    const { body, headers } = await call('GET', '/userExerciseLogs');
    expect(body).toEqual(store.logs.list());
    expect(headers['etag']).toBeUndefined();
  });

  test.each([
    '',
    '&sort=id',
    '&sort=-id',
    '&sort=-date,id',
    '&sort=painAfter,-effective',
    '&sort=exerciseName',
  ])('pages with limit=97%s make the whole list', async (sort) => {
    const { call } = many();
    const whole = (await call('GET', `/userExerciseLogs?_${sort}`)).body as Log[];
    expect(whole).toHaveLength(700);
    expect(await walk(call, `/userExerciseLogs?limit=97${sort}`)).toEqual(whole);
  });

  test('a page keeps the filters in its Link', async () => {
    const { call } = many();
    const { headers } = await call(
      'GET',
      '/userExerciseLogs?exerciseName=Piriformis+Stretch&effective=true&limit=2',
    );
    expect(headers['link']).toMatch(
      /^<\/userExerciseLogs\?exerciseName=Piriformis\+Stretch&effective=true&limit=2&cursor=/,
    );
  });

  test('the last page has no Link', async () => {
    const { call } = freshApp();
    expect((await call('GET', '/userExerciseLogs?limit=1')).headers['link']).toBeUndefined();
  });

  test('a cursor belongs to its order', async () => {
    const { call } = many();
    const link = (await call('GET', '/userExerciseLogs?limit=1&sort=-date')).headers['link'] ?? '';
    const cursor = /cursor=([^>&]+)/.exec(link)?.[1];
    expect((await call('GET', `/userExerciseLogs?limit=1&cursor=${cursor}`)).status).toBe(400);
  });
});

test('a page of long records is cut before it is large, and leads on', async () => {
  const { call, store } = freshApp();
  const notes = '\u0001'.repeat(10_000);
  store.change(() => {
    for (let i = 0; i < 60; i++) store.logs.create({ ...stretch, notes });
  });
  for (const sort of ['id', '-painAfter,id']) {
    const ids: number[] = [];
    for (let next = `/userExerciseLogs?sort=${sort}&limit=1000`; next; ) {
      const { text, body, headers } = await call('GET', next);
      expect(text.length).toBeLessThan(1_200_000);
      expect(headers['x-total-count']).toBe('61');
      ids.push(...(body as { id: number }[]).map(({ id }) => id));
      next = /<([^>]+)>/.exec(headers['link'] ?? '')?.[1] ?? '';
    }
    expect(ids).toEqual(Array.from({ length: 61 }, (_, i) => i + 1));
  }
  const whole = await call('GET', '/userExerciseLogs');
  expect([whole.headers['etag'], (whole.body as object[]).length]).toEqual([undefined, 61]);
});
