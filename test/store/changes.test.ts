import { copyFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { HistoryEntry } from '../../src/domain/history.ts';
import type { Store } from '../../src/store/store.ts';
import { newDatabase } from '../new-database.ts';
import { dbOf, failure, freshPath, freshStore, log, user } from './helpers.ts';

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
    expect([4, 6].map((since) => store.as({ users: [1] }).lastChange(since))).toEqual([4, 6]);
    expect(store.as({ users: [2] }).lastChange(4)).toBe(7);
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

  test('do not tell users the name of an imported file, which may be that of another person', () => {
    const store = threeUsers();
    store.as({ origin: { source: 'import', caller: 'zoe.csv' } }).logs.update(1, { painAfter: 1 });
    const told = (from: Pick<typeof store, 'changesAfter'>) => from.changesAfter(5, all)[0]?.caller;
    expect([told(store), told(store.as({ users: [1] }))]).toEqual(['zoe.csv', undefined]);
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
    // Who has read everything anew can go on.
    for (const view of [store, store.as({ users: [3] })]) view.requireSince(view.lastChange(0));
    expect(store.changesAfter(end, all)).toEqual([]);
    expect(store.changesAfter(0, all).length).toBeGreaterThan(0);
    store.users.update(1, { age: 50 });
    expect(store.changesAfter(end, all).map(short)).toEqual([`${end + 1} update user 1`]);
  });
});

test('to go on from before a log came to the erased user is refused, also if the log is older than the history', () => {
  const path = freshPath();
  copyFileSync(new URL('../fixtures/v1.db', import.meta.url), path);
  const store = freshStore(path);
  store.users.update(1, { age: 50 });
  const since = store.history.last();
  store.logs.update(store.logs.list({ userId: 1 })[0]?.id ?? 0, { userId: 2 });
  store.erase(2);
  expect(failure(() => store.requireSince(since)).code).toBe('outdated');
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

describe('the clock of a change', () => {
  const START = 1_700_000_000_000;
  interface Head {
    clock: number;
    uid: number;
  }

  /** A store whose clock shows `time.now`, with a user, who is there since `START`. */
  function timed() {
    const time = { now: START };
    const store = freshStore(newDatabase(), () => time.now);
    store.users.create(user());
    let age = 0;
    return {
      store,
      time,
      change: () => store.users.update(1, { age: ++age % 100 }),
      clocks: () => heads(store).map(({ clock }) => clock),
    };
  }

  const heads = (store: Store) =>
    dbOf(store).all<Head>('SELECT clock, uid FROM history WHERE seq = head ORDER BY seq');

  test('is the time in milliseconds, and a counter of three digits', () => {
    const { time, change, clocks } = timed();
    change();
    change();
    time.now += 2;
    change();
    expect(clocks()).toEqual([START * 1000, START * 1000 + 1, START * 1000 + 2, (START + 2) * 1000]);
  });

  test('goes on from the last one while the time is behind it; the time that is shown does not', () => {
    const { store, time, change, clocks } = timed();
    time.now -= 5000;
    change();
    time.now += 5001;
    change();
    expect(clocks()).toEqual([START * 1000, START * 1000 + 1, (START + 1) * 1000]);
    expect(store.history.list().map(({ at }) => Date.parse(at))).toEqual([START + 1, START - 5000, START]);
  });

  test('carries into the milliseconds after a thousand changes in one', () => {
    const { change, clocks } = timed();
    for (let i = 0; i < 1000; i++) change();
    expect(clocks().at(-1)).toBe((START + 1) * 1000);
  });

  test('is later than the latest that came from elsewhere', () => {
    const { store, change, clocks } = timed();
    store.settings.set('clock', String((START + 9) * 1000 + 999));
    change();
    expect(clocks().at(-1)).toBe((START + 10) * 1000);
  });

  test('and an id of 48 bits that is random come with every change, and with no other entry of it', () => {
    const { store } = timed();
    store.change(() => {
      for (let i = 0; i < 3; i++) store.logs.create(log());
    });
    const uids = heads(store).map(({ uid }) => uid);
    expect(uids).toHaveLength(2);
    expect(new Set(uids).size).toBe(2);
    for (const uid of uids) expect(uid).toBeLessThan(2 ** 48);
    expect(dbOf(store).value('SELECT count(*) FROM history WHERE clock IS NOT NULL')).toBe(2);
  });

  test('of what another program writes is given when the next change begins', () => {
    const { store, change, clocks } = timed();
    // A change that did nothing: what follows belongs to no other.
    store.users.update(1, {});
    dbOf(store).run("UPDATE users SET lastName = 'Other' WHERE id = 1");
    expect(store.history.list({ limit: 1 })).toMatchObject([{ source: 'cli', action: 'update' }]);
    change();
    expect(clocks()).toEqual([START * 1000, START * 1000 + 1, START * 1000 + 2]);
    expect(store.history.list().map(({ change }) => change)).toEqual([3, 2, 1]);
  });
});

describe('a creation is shown as it was', () => {
  test.each<[string, (store: Store) => void]>([
    ['while the record is so', () => {}],
    [
      'after it was changed, and changed back',
      (store) => {
        store.logs.update(1, { notes: 'later' });
        store.logs.update(1, { notes: '' });
        store.logs.update(1, { notes: 'at last' });
      },
    ],
    ['after it was moved', (store) => void store.logs.update(1, { userId: 2, notes: 'moved' })],
    ['after it was deleted', (store) => void store.logs.delete(1)],
    ['after it was deleted with its user', (store) => void store.users.delete(1)],
    [
      'after it was deleted, and came back as another',
      (store) => {
        store.logs.delete(1);
        store.logs.restore({ ...log({ notes: 'back' }), id: 1 });
      },
    ],
  ])('%s', (_, act) => {
    const store = threeUsers();
    const before = store.changesAfter(3, 2);
    expect(before[0]?.after).toEqual({ id: 1, ...log() });
    act(store);
    expect(store.changesAfter(3, 2)).toEqual(before);
    expect(store.historyOf('log', 1)[0]).toEqual(before[0]);
  });
});

test.each<[string, (store: Store) => void]>([
  ['that came back', () => {}],
  ['that came back, and was deleted', (store) => void store.logs.delete(1)],
])('of a record %s nothing is left once somebody to whom it ever belonged is erased', (_, act) => {
  const store = threeUsers();
  store.logs.update(1, { userId: 3, notes: 'theirs' });
  store.logs.update(1, { userId: 1, notes: 'back' });
  act(store);
  store.erase(3);
  expect(store.logs.find(1)).toBeUndefined();
  expect(store.historyOf('log', 1)).toEqual([]);
});

test('of an erased change only number, clock and id stay; it is in no list', () => {
  const store = threeUsers();
  const api = store.as({ origin: { source: 'api', caller: 'Oles phone' } });
  api.logs.update(2, { notes: 'x' });
  store.undo(6);
  const known = () =>
    dbOf(store).all('SELECT change, clock, uid FROM history WHERE seq = head AND change <= 7 ORDER BY seq');
  const before = known();
  store.erase(2);
  expect(known()).toEqual(before);
  expect(
    dbOf(store).all(
      `SELECT change FROM history WHERE seq = head AND change < 8 AND coalesce(record, recordId, userId, formerUserId, action, before,
         after, at, source, caller, undoes) IS NULL`,
    ),
  ).toEqual([{ change: 2 }, { change: 5 }, { change: 6 }, { change: 7 }]);
  expect(store.history.list().map(({ change }) => change)).toEqual([8, 4, 3, 1]);
  for (const change of [2, 5, 6, 7]) {
    expect(store.history.ofChange(change)).toEqual([]);
    expect(failure(() => store.undo(change)).code).toBe('not-found');
  }
  expect([store.history.nextUndo(), store.history.nextRedo()]).toEqual([4, undefined]);
});
