import dataProvider from '@refinedev/simple-rest';
import jsonServerProvider from 'ra-data-json-server';
import { describe, expect, test } from 'vitest';
import { freshServer, nora, stretch } from './helpers.ts';

/** A service with 25 logs, of two users. */
async function served() {
  const { url, store } = await freshServer();
  store.users.create({ ...nora, firstName: 'Ole' });
  store.change(() => {
    for (let i = 0; i < 24; i++)
      store.logs.create({ ...stretch, userId: (i % 2) + 1, painAfter: (i % 10) + 1 });
  });
  return { url, store };
}

const logs = 'userExerciseLogs';
const ids = (records: readonly { id?: unknown }[]) => records.map(({ id }) => id);

describe('react-admin, through ra-data-json-server', () => {
  test('list, second page, one, many, references, create, update, delete', async () => {
    const { url, store } = await served();
    // Its own fetch needs a page; this does the same.
    const provider = jsonServerProvider(url, async (target, { method = 'GET', body } = {}) => {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(target, { method, headers, ...(body != null && { body: String(body) }) });
      const text = await response.text();
      return { status: response.status, headers: response.headers, body: text, json: JSON.parse(text) };
    });
    const paged = (page: number) => ({
      pagination: { page, perPage: 10 },
      sort: { field: 'id', order: 'DESC' as const },
      filter: { userId: 1 },
    });
    const expected = store.logs.list({ userId: 1, sort: '-id' }).map(({ id }) => id);
    const first = await provider.getList(logs, paged(1));
    expect([ids(first.data), first.total]).toEqual([expected.slice(0, 10), expected.length]);
    expect(ids((await provider.getList(logs, paged(2))).data)).toEqual(expected.slice(10));
    expect((await provider.getOne('users', { id: 2 })).data).toMatchObject({ firstName: 'Ole' });
    expect(ids((await provider.getMany(logs, { ids: [3, 5, 7] })).data)).toEqual([3, 5, 7]);
    const references = await provider.getManyReference(logs, {
      ...paged(1),
      filter: {},
      target: 'userId',
      id: 2,
    });
    expect(references.total).toBe(store.logs.count({ userId: 2 }));
    const made = (await provider.create(logs, { data: { ...stretch, notes: 'new' } })).data;
    expect(store.logs.get(Number(made.id)).notes).toBe('new');
    const data = { ...store.logs.get(3), notes: 'changed' };
    await provider.update(logs, { id: 3, data, previousData: data });
    expect(store.logs.get(3).notes).toBe('changed');
    await provider.delete(logs, { id: 3 });
    expect(store.logs.has(3)).toBe(false);
  });
});

describe('refine, through its simple-rest', () => {
  test('list with filters and order, second page, one, many, create, update, delete', async () => {
    const { url, store } = await served();
    const provider = dataProvider(url);
    const expected = store.logs.list({
      sort: '-painAfter',
      where: [{ field: 'painAfter', operator: 'gte', values: [5] }],
    });
    const page = await provider.getList({
      resource: logs,
      pagination: { currentPage: 2, pageSize: 5, mode: 'server' },
      sorters: [{ field: 'painAfter', order: 'desc' }],
      filters: [{ field: 'painAfter', operator: 'gte', value: 5 }],
    });
    expect([ids(page.data), page.total]).toEqual([
      expected.slice(5, 10).map(({ id }) => id),
      expected.length,
    ]);
    const notes = { field: 'notes', operator: 'contains' as const, value: 'SETS' };
    expect((await provider.getList({ resource: logs, filters: [notes] })).data.length).toBeGreaterThan(0);
    expect((await provider.getOne({ resource: 'users', id: 2 })).data).toMatchObject({ firstName: 'Ole' });
    expect(ids((await provider.getMany?.({ resource: logs, ids: [3, 5] }))?.data ?? [])).toEqual([3, 5]);
    const made = (await provider.create({ resource: logs, variables: { ...stretch, notes: 'new' } })).data;
    expect(store.logs.get(Number(made.id)).notes).toBe('new');
    await provider.update({ resource: logs, id: 3, variables: { notes: 'changed' } });
    expect(store.logs.get(3).notes).toBe('changed');
    await provider.deleteOne({ resource: logs, id: 3 });
    expect(store.logs.has(3)).toBe(false);
  });
});
