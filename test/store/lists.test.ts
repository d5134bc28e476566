import { describe, expect, test } from 'vitest';
import { type Log, type LogFilter, logRecord } from '../../src/domain/log.ts';
import { type User, userRecord } from '../../src/domain/user.ts';
import type { Store } from '../../src/store/store.ts';
import { dbOf, failure, filledStore, freshStore, log, user } from './helpers.ts';

/** The order that `-date,id` names; texts by their bytes, as SQLite compares them. */
function sorted<R extends Log | User>(records: R[], sort: string): R[] {
  const keys = [...sort.split(','), 'id'].map((key) => ({
    field: key.replace('-', ''),
    sign: key[0] === '-' ? -1 : 1,
  }));
  const compare = (a: unknown, b: unknown) =>
    typeof a === 'string' ? Buffer.compare(Buffer.from(a), Buffer.from(String(b))) : Number(a) - Number(b);
  return records.toSorted((a, b) => {
    for (const { field, sign } of keys) {
      const order = sign * compare(a[field as keyof R], b[field as keyof R]);
      if (order !== 0) return order;
    }
    return 0;
  });
}

function pages(store: Store, filter: LogFilter, limit: number): Log[] {
  const all: Log[] = [];
  for (let cursor: string | undefined, n = 0; n < 1000; n++) {
    const { json, next } = store.logs.page({ ...filter, ...(cursor ? { cursor } : {}) }, limit);
    const rows = JSON.parse(json) as Log[];
    expect(rows.length).toBeLessThanOrEqual(limit);
    all.push(...rows);
    if (next === undefined) return all;
    expect(rows.length).toBe(limit);
    cursor = next;
  }
  throw new Error('the pages do not end');
}

const orders = Object.keys(logRecord).flatMap((field) => [field, `-${field}`]);
const manyKeys = [
  '-date,id',
  'date,-id',
  '-date,-id',
  'effective,-painAfter,exerciseName',
  '-userId,notes,-date',
];

describe('every order', () => {
  const store = () => filledStore(83);
  test.each([...orders, ...manyKeys])('%s: list, chunks and pages agree', (sort) => {
    const all = store();
    const expected = sorted(all.logs.list(), sort);
    expect(all.logs.list({ sort })).toStrictEqual(expected);
    expect([...all.logs.chunks({ sort })].flat()).toStrictEqual(expected);
    for (const limit of [1, 7, 83, 84]) expect(pages(all, { sort }, limit)).toStrictEqual(expected);
    const filter = { sort, userId: 2, since: '2026-02-01' };
    const some = expected.filter(({ userId, date }) => userId === 2 && date >= '2026-02-01');
    expect(pages(all, filter, 4)).toStrictEqual(some);
  });

  test.each(Object.keys(userRecord))('of users: %s', (field) => {
    const { users } = freshStore();
    for (let i = 0; i < 9; i++)
      users.create(user({ firstName: `N${i % 3}`, age: i % 4, email: `${i % 2}@b.de` }));
    for (const sort of [field, `-${field}`])
      expect(users.list({ sort })).toStrictEqual(sorted(users.list(), sort));
  });
});

describe('pages', () => {
  test('go on where they were, though records come and go', () => {
    const store = filledStore(20);
    const first = store.logs.page({ sort: '-date' }, 5);
    const order = store.logs.list({ sort: '-date' });
    store.logs.delete((JSON.parse(first.json) as Log[])[4]?.id ?? 0);
    store.logs.create(log({ date: '2030-01-01' }));
    const rest = store.logs.list({ sort: '-date', ...(first.next ? { cursor: first.next } : {}) });
    expect(rest).toStrictEqual(order.slice(5));
  });

  test('a last page that is full has no next', () => {
    expect(filledStore(10).logs.page({}, 10).next).toBeUndefined();
    expect(freshStore().logs.page({}, 10)).toMatchObject({ json: '[]', next: undefined });
  });

  test('an unknown or repeated field is refused', () => {
    const { logs } = freshStore();
    for (const sort of ['mood', 'date,date', '', 'id;', 'date DESC', '1', 'rowid'])
      for (const list of [
        (filter: LogFilter) => logs.list(filter),
        (filter: LogFilter) => logs.page(filter, 1),
        (filter: LogFilter) => [...logs.chunks(filter)],
      ])
        expect(failure(() => list({ sort })).issues[0]?.field).toBe('sort');
  });

  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  test.each([
    ['of another order', encoded(['-date', '2026-01-01', 1])],
    ['of no order', encoded([])],
    ['with too few values', encoded(['date', '2026-01-01'])],
    ['with too many values', encoded(['date', '2026-01-01', 1, 1])],
    ['with a text for a number', encoded(['date', '2026-01-01', '1'])],
    ['with a null', encoded(['date', null, 1])],
    ['with a list', encoded(['date', ['2026-01-01'], 1])],
    ['that is an object', encoded({ 0: 'date' })],
    ['that is a text', encoded('date')],
    ['that is a number', encoded(5)],
    ['that is no JSON', 'bm8'],
    ['that is no base64', '%%%'],
    ['that is empty', ''],
    ['that is deep', Buffer.from('['.repeat(100_000)).toString('base64url')],
    ['that is no Unicode', Buffer.from([0x5b, 0xff, 0xfe, 0x5d]).toString('base64url')],
  ])('a cursor %s is refused', (_, cursor) => {
    const { logs } = filledStore(3);
    for (const list of [
      () => logs.list({ sort: 'date', cursor }),
      () => logs.page({ sort: 'date', cursor }, 2),
      () => [...logs.jsonRows({ sort: 'date', cursor })],
    ])
      expect(failure(list).issues).toEqual([
        { field: 'cursor', message: 'must be the cursor of a page with the same sort' },
      ]);
  });

  test.each([
    [['date', 5, 'x']],
    [['date', '\uD800', 1.5]],
    [['date', 'a\0b', -1]],
    [['date', true, 1e308]],
    [['date', null, 1]],
    [['date', "' OR 1=1 --", 1]],
  ])('a made-up cursor %j gives a list, or is refused', (place) => {
    const { logs } = filledStore(3);
    try {
      expect(logs.list({ sort: 'date', cursor: encoded(place) }).length).toBeLessThanOrEqual(3);
    } catch (error) {
      expect(error).toMatchObject({ code: 'invalid', issues: [{ field: 'cursor' }] });
    }
  });
});

describe('a stream', () => {
  /** Records in one chunk. */
  const CHUNK_ROWS = 250;
  const long = 2 * CHUNK_ROWS + 10;
  test.each([undefined, 'id', '-date', '-id'])(
    'in the order %s is of one moment, and writes go on',
    (sort) => {
      const store = filledStore(long);
      const query = sort === undefined ? {} : { sort };
      const expected = store.logs.list(query);
      const stream = store.logs.jsonRows(query);
      const rows = stream.next().value as string[];
      expect(rows).toHaveLength(CHUNK_ROWS);
      store.logs.create(log({ date: '2026-02-15' }));
      store.logs.update(expected.at(-1)?.id ?? 0, { notes: 'changed' });
      store.users.delete(2);
      expect(store.logs.count()).toBe(long / 2 + 1);
      for (const chunk of stream) {
        expect(chunk.length).toBeLessThanOrEqual(CHUNK_ROWS);
        rows.push(...chunk);
        store.checkpoint();
      }
      expect(rows).toEqual(expected.map((record) => JSON.stringify(record)));
    },
  );

  test.each([0, 1, CHUNK_ROWS - 1, CHUNK_ROWS, CHUNK_ROWS + 1, 2 * CHUNK_ROWS])('of %d records', (count) => {
    const { logs } = filledStore(count);
    for (const sort of ['id', '-date']) {
      expect([...logs.jsonRows({ sort })].flat()).toHaveLength(count);
      const chunks = [...logs.jsonRows({ sort, limit: count + 1 })];
      expect(chunks.every((chunk) => chunk.length > 0)).toBe(true);
      for (const limit of [1, CHUNK_ROWS, CHUNK_ROWS + 1])
        expect([...logs.chunks({ sort, limit })].flat()).toStrictEqual(logs.list({ sort, limit }));
    }
  });

  test('goes on from a cursor', () => {
    const { logs } = filledStore(long);
    for (const sort of ['id', '-date']) {
      const { next = '' } = logs.page({ sort }, 5);
      expect([...logs.chunks({ sort, cursor: next })].flat()).toStrictEqual(logs.list({ sort }).slice(5));
    }
  });

  test('that is given up lets go of its snapshot', () => {
    const store = filledStore(long);
    dbOf(store).pragma('busy_timeout = 0');
    for (const sort of ['id', '-date']) {
      const stream = store.logs.jsonRows({ sort });
      stream.next();
      store.users.create(user());
      expect(dbOf(store).all<{ busy: number }>('PRAGMA wal_checkpoint(TRUNCATE)')[0]?.busy).toBe(1);
      stream.return(undefined);
      expect(dbOf(store).all<{ busy: number }>('PRAGMA wal_checkpoint(TRUNCATE)')[0]?.busy).toBe(0);
    }
  });
});
