import { describe, expect, test } from 'vitest';
import type { HistoryEntry } from '../../src/domain/history.ts';
import type { Store } from '../../src/store/store.ts';
import { dbOf, failure, freshStore, log, user } from './helpers.ts';

const short = ({ seq, record, id, action }: HistoryEntry) => `${seq} ${action} ${record} ${id}`;
const all = 1000;

/** Users 1, 2 and 3, with log 1 of user 1 and log 2 of user 2. */
function threeUsers(): Store {
  const store = freshStore();
  for (const firstName of ['Nora', 'Ole', 'Pia']) store.users.create(user({ firstName }));
  store.logs.create(log({ userId: 1 }));
  store.logs.create(log({ userId: 2 }));
  return store;
}

describe('changes', () => {
  test('come in order, after the one named, up to a limit', () => {
    const store = threeUsers();
    expect(store.changesAfter(0, all).map(short)).toEqual([
      '1 create user 1',
      '2 create user 2',
      '3 create user 3',
      '4 create log 1',
      '5 create log 2',
    ]);
    expect(store.changesAfter(3, 1).map(short)).toEqual(['4 create log 1']);
    expect(store.changesAfter(5, all)).toEqual([]);
    expect(store.history.last()).toBe(5);
  });

  test('of an empty history are none', () => {
    const store = freshStore();
    expect([store.changesAfter(0, all), store.history.last()]).toEqual([[], 0]);
  });

  test('of some users are those of their records', () => {
    const store = threeUsers();
    store.users.delete(2);
    expect(
      store
        .as({ users: [1] })
        .changesAfter(0, all)
        .map(short),
    ).toEqual(['1 create user 1', '4 create log 1']);
    expect(
      store
        .as({ users: [2, 3] })
        .changesAfter(0, all)
        .map(short),
    ).toEqual(['2 create user 2', '3 create user 3', '5 create log 2', '6 delete log 2', '7 delete user 2']);
    expect(store.as({ users: [9] }).changesAfter(0, all)).toEqual([]);
  });

  test('show a log that moves as gone to the one and new to the other', () => {
    const store = threeUsers();
    const [before, after] = [store.logs.get(1), store.logs.update(1, { userId: 2, notes: 'theirs' })];
    store.logs.update(1, { painAfter: 1 });
    const seenBy = (...users: number[]) => store.as({ users }).changesAfter(5, all);
    expect(seenBy(1)).toMatchObject([{ seq: 6, action: 'delete', before, after: null }]);
    expect(seenBy(2)).toMatchObject([
      { seq: 6, action: 'create', before: null, after },
      { seq: 7, action: 'update', before: after },
    ]);
    expect(seenBy(1, 2)).toMatchObject([{ seq: 6, action: 'update', before, after }, { seq: 7 }]);
    expect(seenBy(3)).toEqual([]);
    expect(JSON.stringify(seenBy(1))).not.toContain('theirs');
  });

  test('of one among many are found by index', () => {
    const db = dbOf(threeUsers());
    const users = `(userId = ? OR formerUserId = ?)`;
    const plan = db.all<{ detail: string }>(
      `EXPLAIN QUERY PLAN SELECT seq FROM history WHERE seq > ? AND ${users} ORDER BY seq`,
      0,
      1,
      1,
    );
    const details = plan.map(({ detail }) => detail).join('; ');
    expect(details).toContain('history_by_user (userId=? AND rowid>?)');
    expect(details).toContain('history_by_former_user (formerUserId=? AND rowid>?)');
    expect(details).not.toContain('SCAN');
  });
});

describe('to go on', () => {
  test('from beyond the end is refused: the database must have been replaced', () => {
    const { code, message } = failure(() => threeUsers().requireSince(6));
    expect(code).toBe('outdated');
    expect(message).toMatch(/since 6 .* Read everything anew/);
  });

  test('after an erasure shows that, and nothing of what was erased', () => {
    const store = threeUsers();
    store.erase(2);
    expect(store.changesAfter(5, all).map(short)).toEqual(['8 erase user 2']);
    expect(store.changesAfter(0, all).map(short)).toEqual([
      '1 create user 1',
      '3 create user 3',
      '4 create log 1',
      '8 erase user 2',
    ]);
  });

  test('a provider of several is told who was erased; others are not', () => {
    const store = threeUsers();
    store.erase(2);
    expect(
      store
        .as({ users: [1, 2] })
        .changesAfter(5, all)
        .map(short),
    ).toEqual(['8 erase user 2']);
    expect(store.as({ users: [1] }).changesAfter(5, all)).toEqual([]);
  });

  test.each<[string, (store: Store) => void]>([
    ['to the erased user', (store) => store.logs.update(1, { userId: 2 })],
    ['from the erased user', (store) => store.logs.update(2, { userId: 1 })],
  ])('from before a log was moved %s is refused', (_, move) => {
    const store = threeUsers();
    move(store);
    store.erase(2);
    const end = store.history.last();
    for (const since of [1, 5, 6]) expect(failure(() => store.requireSince(since)).code).toBe('outdated');
    expect(store.changesAfter(end, all)).toEqual([]);
    expect(store.changesAfter(0, all).length).toBeGreaterThan(0);
    store.users.update(1, { age: 50 });
    expect(store.changesAfter(end, all).map(short)).toEqual([`${end + 1} update user 1`]);
  });
});

test('to go on from before an id was given to a log of the erased user is refused', () => {
  const store = threeUsers();
  const { userId: _, ...session } = store.logs.get(1);
  store.logs.delete(1);
  store.change(() => store.logs.restore({ ...session, userId: 2 }));
  store.erase(2);
  expect(failure(() => store.requireSince(5)).code).toBe('outdated');
});

test('an undone change is a change', () => {
  const store = threeUsers();
  store.undo(5);
  expect(store.changesAfter(5, all).map(short)).toEqual(['6 delete log 2']);
});

test('the revision differs after a change in this process and after one in another', () => {
  const store = threeUsers();
  const revisions = [store.revision()];
  expect(store.revision()).toBe(revisions[0]);
  store.users.update(1, { age: 50 });
  revisions.push(store.revision());
  const other = freshStore(store.path);
  other.tokens.create({ name: 'phone', role: 'patient', users: [1], lifetime: null });
  revisions.push(store.revision());
  expect(new Set(revisions).size).toBe(3);
});
