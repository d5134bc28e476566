import { describe, expect, test } from 'vitest';
import { openReader } from '../../src/store/store.ts';
import { dbOf, filledStore, freshPath, log } from './helpers.ts';

const LOGS = 3 * 4096;

/** A store with so many logs that a scan of them asks several times whether it is wanted. */
function large() {
  const path = freshPath();
  const store = filledStore(1, path);
  const { id: _, ...fields } = { id: 0, ...log() };
  const names = Object.keys(fields).join();
  store.change(() =>
    dbOf(store).run(
      `INSERT INTO logs (${names}) WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ${LOGS})
       SELECT ${names} FROM logs CROSS JOIN n`,
    ),
  );
  return { path, store };
}

/** A reader that is cancelled when it asks for the n-th time. */
function readerOf(path: string, n = Number.POSITIVE_INFINITY) {
  let asked = 0;
  const isCancelled = () => ++asked >= n;
  return { reader: openReader(path, { isCancelled, hasTemporaryFolder: true }), asked: () => asked };
}

const reads = {
  'a sorted page': (store) => store.logs.page({ sort: 'painAfter' }, 5),
  'a count with a filter': (store) =>
    store.logs.count({ where: [{ field: 'notes', operator: 'ne', values: ['x'] }] }),
  'a page of what nothing matches': (store) => store.logs.page({ search: 'nothing' }, 5),
  'a whole list': (store) => [...store.logs.jsonChunks({ sort: '-date' })],
  sessions: (store) => [...store.logs.sessions({ userId: 1 })],
} satisfies Record<string, (store: ReturnType<typeof openReader>) => unknown>;

describe('a reader in another thread', () => {
  test.each(Object.entries(reads))(
    'reads %s as the store does, and can be cancelled on the way',
    (_, read) => {
      const { path, store } = large();
      const whole = readerOf(path);
      expect(read(whole.reader)).toEqual(read(store));
      whole.reader.close();
      // Once more than there are statements: a scan asks, too.
      expect(whole.asked()).toBeGreaterThan(3);
      const cut = readerOf(path, whole.asked() - 1);
      expect(() => read(cut.reader)).toThrow('cancelled');
      cut.reader.close();
    },
  );

  test('cannot write', () => {
    const { path } = large();
    const { reader } = readerOf(path);
    expect(() => reader.logs.delete(1)).toThrow();
    reader.close();
  });
});
