import { expect, test, vi } from 'vitest';
import type { LogFilter } from '../../src/domain/log.ts';
import { backup } from '../../src/store/maintenance/backup.ts';
import { prepareRestore } from '../../src/store/maintenance/restore.ts';
import type { Store } from '../../src/store/store.ts';
import { dbOf, freshPath, freshStore, log, openStore, user } from './helpers.ts';

/** How often SQLite counts logs while `work` runs. */
function countsIn(store: Store, work: () => void): number {
  const value = vi.spyOn(dbOf(store), 'value');
  work();
  const calls = value.mock.calls.slice();
  value.mockRestore();
  return calls.filter(([sql]) => sql.startsWith('SELECT count(*) FROM logs')).length;
}

function filled(path = freshPath()): Store {
  const store = freshStore(path);
  for (const name of ['Nora', 'Ravi']) store.users.create(user({ firstName: name }));
  store.change(() => {
    for (let i = 0; i < 20; i++) store.logs.create(log({ userId: 1 + (i % 2) }));
  });
  return store;
}

const filters: [string, LogFilter][] = [
  ['all logs', {}],
  ["one user's logs", { userId: 1 }],
  ['logs with a condition', { exerciseType: 'stretch' }],
];

test.each(filters)('the total of %s is right after every kind of change', (_, filter) => {
  const store = filled();
  const { logs } = store;
  const right = () => expect(logs.total(filter)).toBe(logs.count(filter));
  const changes = [
    () => logs.create(log({ userId: 1 })),
    () => logs.createAll([log({ userId: 1 }), log({ userId: 2 })]),
    () => logs.delete(3),
    () => logs.update(5, { userId: 2, exerciseType: 'strengthening' }),
    () => store.users.delete(2),
    () => store.undo(store.latestChange ?? 0),
    () => store.erase(1),
    () => store.users.create(user()),
    () => logs.create(log({ userId: 3 })),
  ];
  right();
  for (const change of changes) {
    change();
    right();
  }
});

test('what a restored backup holds is counted', () => {
  const path = freshPath();
  const store = filled(path);
  const file = `${path}.copy`;
  backup(path, file);
  for (const id of [1, 2, 3]) store.logs.delete(id);
  expect(store.logs.total({})).toBe(17);
  store.close();
  prepareRestore(file, path).apply('now');
  const restored = freshStore(path);
  restored.logs.create(log({ userId: 1 }));
  expect(restored.logs.total({})).toBe(21);
});

test('what another process writes is counted', () => {
  const path = freshPath();
  const [store, other] = [filled(path), openStore(path)];
  expect(store.logs.total({})).toBe(20);
  other.logs.create(log({ userId: 1 }));
  other.logs.delete(1);
  other.logs.delete(2);
  expect(store.logs.total({})).toBe(19);
  other.erase(2);
  expect(store.logs.total({})).toBe(store.logs.count());
});

test('all logs are counted once, then kept current from the history', () => {
  const store = filled();
  const work = () => {
    for (let i = 0; i < 5; i++) {
      expect(store.logs.total({})).toBe(20 + i);
      store.logs.create(log({ userId: 1 }));
    }
  };
  expect(countsIn(store, work)).toBe(1);
});

test('a list with conditions is counted once while nothing changes', () => {
  const store = filled();
  const ask = () => store.logs.total({ userId: 1 });
  expect(countsIn(store, () => [ask(), ask(), ask()])).toBe(1);
  store.users.update(2, { age: 50 });
  expect(countsIn(store, () => [ask(), ask()])).toBe(1);
});

test('each scope has a total of its own', () => {
  const store = filled();
  store.logs.delete(1);
  const totals = [store, store.as({ users: [1] }), store.as({ users: [2] }), store.as({ users: [] })];
  expect(totals.map(({ logs }) => logs.total({}))).toEqual([19, 9, 10, 0]);
});
