import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { HistoryEntry, HistoryFilter } from '../../src/domain/history.ts';
import { Import } from '../../src/store/maintenance/import/import.ts';
import type { Store } from '../../src/store/store.ts';
import { newDatabase } from '../new-database.ts';
import { dbOf, failure, freshPath, freshStore, log, user } from './helpers.ts';

const short = ({ change, source, record, id, action }: HistoryEntry) => [change, source, record, id, action];

function imported(store: Store, ...values: object[]): void {
  const task = new Import(dbOf(store), store.as({ origin: { source: 'import' } }), String);
  task.add(
    values.map((value, at) => ({
      at,
      kind: 'userId' in value ? ('log' as const) : ('user' as const),
      value,
    })),
  );
  task.apply({ onConflict: 'overwrite', dryRun: false, sameIds: true });
}

const records = (store: Store) => [store.users.list(), store.logs.list()];

describe('history', () => {
  test('every change leaves an entry with the record before and after', () => {
    const store = freshStore();
    const nora = store.users.create(user());
    const first = store.logs.create(log());
    const second = store.logs.update(1, { painAfter: 1, notes: 'better' });
    store.logs.delete(1);
    expect(store.history.list()).toMatchObject([
      {
        seq: 4,
        change: 4,
        source: 'cli',
        record: 'log',
        id: 1,
        action: 'delete',
        before: second,
        after: null,
      },
      {
        seq: 3,
        change: 3,
        source: 'cli',
        record: 'log',
        id: 1,
        action: 'update',
        before: first,
        after: second,
      },
      {
        seq: 2,
        change: 2,
        source: 'cli',
        record: 'log',
        id: 1,
        action: 'create',
        before: null,
        after: first,
      },
      {
        seq: 1,
        change: 1,
        source: 'cli',
        record: 'user',
        id: 1,
        action: 'create',
        before: null,
        after: nora,
      },
    ]);
  });

  test('what changes nothing leaves no entry, and what fails neither', () => {
    const store = freshStore();
    store.users.create(user());
    store.users.update(1, {});
    store.users.update(1, { age: user().age });
    expect(store.latestChange).toBeUndefined();
    expect(() => store.logs.create(log({ userId: 7 }))).toThrow();
    expect(() =>
      store.change(() => {
        store.logs.create(log());
        throw new Error('no');
      }),
    ).toThrow('no');
    expect(store.history.list().map(short)).toEqual([[1, 'cli', 'user', 1, 'create']]);
    expect(dbOf(store).value('SELECT count(*) FROM history')).toBe(1);
  });

  test('a deleted user leaves an entry for each log, an import is one change', () => {
    const store = freshStore();
    imported(store, { id: 1, ...user() }, { id: 1, ...log() }, { id: 2, ...log() });
    store.users.delete(1);
    expect(store.history.list().map(short)).toEqual([
      [2, 'cli', 'user', 1, 'delete'],
      [2, 'cli', 'log', 2, 'delete'],
      [2, 'cli', 'log', 1, 'delete'],
      [1, 'import', 'log', 2, 'create'],
      [1, 'import', 'log', 1, 'create'],
      [1, 'import', 'user', 1, 'create'],
    ]);
  });

  test('is found by user, by log, by day and to a limit', () => {
    const store = freshStore();
    store.users.create(user());
    store.users.create(user());
    store.logs.create(log());
    store.logs.update(1, { userId: 2 });
    const found = (filter: object) => store.history.list(filter).map(({ seq }) => seq);
    expect(found({ user: 1 })).toEqual([4, 3, 1]);
    expect(found({ user: 2 })).toEqual([4, 2]);
    expect(found({ log: 1 })).toEqual([4, 3]);
    expect(found({ limit: 1 })).toEqual([4]);
    expect(found({ since: Date.now() + 1_000 })).toEqual([]);
    expect(store.history.of('log', 1).map(({ seq }) => seq)).toEqual([3, 4]);
  });

  test('comes in blocks that together are the list, whatever is asked for', () => {
    const moment = { now: 1_000_000 };
    const store = freshStore(newDatabase(), () => moment.now);
    for (let i = 0; i < 3; i++) store.users.create(user());
    // More than two blocks, of records that move between users and of days.
    for (let change = 0; change < 25; change++) {
      moment.now += 1_000 * (change % 5 === 0 ? -2 : 1);
      store.change(() => {
        for (let i = 0; i < 100; i++) {
          const { id } = store.logs.create(log({ userId: 1 + (i % 3), notes: 'x'.repeat(change * 20) }));
          if (i % 7 === 0) store.logs.update(id, { userId: 1 + ((i + 1) % 3) });
        }
      });
    }
    const all = store.history.list();
    expect(all.map(({ seq }) => seq)).toEqual(all.map((_, i) => all.length - i));
    const ownersOf = ({ before, after }: (typeof all)[number]) =>
      [before, after].map((state) => (state as { userId?: number } | null)?.userId);
    const since = moment.now - 5_000;
    for (const [filter, matches] of [
      [{}, () => true],
      [{ user: 2 }, (entry) => (entry.record === 'user' ? entry.id === 2 : ownersOf(entry).includes(2))],
      [{ since }, ({ at }) => Date.parse(at) >= since],
      [
        { user: 3, since },
        (entry) => Date.parse(entry.at) >= since && entry.record === 'log' && ownersOf(entry).includes(3),
      ],
      [{ log: 8 }, ({ record, id }) => record === 'log' && id === 8],
    ] as [HistoryFilter, (entry: (typeof all)[number]) => boolean][]) {
      const expected = all.filter(matches);
      expect(expected.length).toBeGreaterThan(1);
      for (const limit of [undefined, 1, 999, 1001]) {
        const blocks = [...store.history.blocks({ ...filter, ...(limit !== undefined && { limit }) })];
        expect(blocks.flat()).toEqual(expected.slice(0, limit));
        expect(Math.max(...blocks.map(({ length }) => length))).toBeLessThanOrEqual(1000);
      }
    }
  });

  test.each([
    'UPDATE history SET after = NULL',
    'DELETE FROM history',
    "INSERT OR REPLACE INTO history (seq, change, head, record, recordId, userId, action) VALUES (1, 1, 1, 'user', 1, 1, 'create')",
    'UPDATE history SET clock = 0',
    'UPDATE history SET uid = 0',
    "UPDATE history SET source = 'api'",
  ])('the schema refuses %s', (sql) => {
    const store = freshStore();
    store.users.create(user());
    const before = store.history.list();
    expect(() => dbOf(store).exec(sql)).toThrow('append-only');
    expect(store.history.list()).toEqual(before);
  });

  test('says of a change how many bytes it keeps, before and after', () => {
    const store = freshStore();
    store.users.create(user());
    store.logs.create(log({ notes: 'x'.repeat(1_000) }));
    store.logs.update(1, { notes: 'y'.repeat(2_000) });
    const bytes = store.history.bytesOf(3);
    expect(bytes).toBeGreaterThan(3_000);
    expect(bytes).toBe(store.history.bytesAfter(2));
  });

  test('takes no more room than three times the records', () => {
    const store = freshStore();
    const size = (table: string) =>
      dbOf(store).value<number>(
        `SELECT sum(pgsize) FROM dbstat WHERE name = '${table}' OR name LIKE '${table}_by%'`,
      ) ?? 0;
    store.users.create(user());
    for (let i = 0; i < 3_000; i += 1) store.logs.create(log({ notes: '' }));
    expect(size('history')).toBeLessThan(3 * size('logs'));
  });
});

describe('a change, for those who see some users only', () => {
  test.each<[string, (store: Store) => void, number[], number]>([
    ['their own', (store) => void store.logs.update(1, { painAfter: 1 }), [1], 1],
    ['of each of them', (store) => void store.logs.update(1, { userId: 2 }), [1, 2], 1],
    ["somebody else's", (store) => void store.logs.update(2, { painAfter: 1 }), [1], 0],
    ['of a record that leaves them', (store) => void store.logs.update(1, { userId: 2 }), [1], 0],
    ['of a record that comes to them', (store) => void store.logs.update(2, { userId: 1 }), [1], 0],
    ['of a user', (store) => void store.users.update(1, { age: 3 }), [1], 1],
    ['of another user', (store) => void store.users.update(2, { age: 3 }), [1], 0],
    ['of a user with a log', (store) => void store.users.delete(1), [1], 2],
    [
      'theirs and of others',
      (store) =>
        imported(store, ...['a', 'b'].map((notes) => log({ notes })), log({ userId: 2, notes: 'c' })),
      [1],
      0,
    ],
  ])('%s', (_, act, users, count) => {
    const store = freshStore();
    imported(store, user(), user({ firstName: 'Ole' }));
    for (const userId of [1, 2]) store.logs.create(log({ userId }));
    act(store);
    const [last] = store.history.list({ limit: 1 });
    const parts = store.history.partsOf(last?.change ?? 0, users);
    expect(parts.reduce((sum, part) => sum + part.count, 0)).toBe(count);
  });
});

describe('undo', () => {
  const routine = (store: Store, name: string) =>
    store.routines.create({
      userId: 1,
      name,
      exercises: [{ exerciseName: 'Cobra', exerciseType: 'stretch' }],
    });

  test('brings a deleted user back with all logs and the same ids', () => {
    const store = freshStore();
    imported(store, { id: 3, ...user() }, { id: 7, ...log({ userId: 3 }) }, { id: 9, ...log({ userId: 3 }) });
    const before = records(store);
    store.users.delete(3);
    store.undo(store.history.nextUndo() ?? 0);
    expect(records(store)).toEqual(before);
  });

  test('undone is redone', () => {
    const store = freshStore();
    store.users.create(user());
    store.users.update(1, { age: 50 });
    store.undo(2);
    expect(store.users.get(1).age).toBe(user().age);
    store.undo(3);
    expect(store.users.get(1).age).toBe(50);
    expect(store.history.list({ limit: 1 })).toMatchObject([{ change: 4, source: 'undo', undoes: 3 }]);
  });

  test.each<[string, (store: Store) => void, number, RegExp]>([
    [
      'a record changed again',
      (store) => store.logs.update(1, { painAfter: 2 }),
      2,
      /log 1 was changed again by change 3/,
    ],
    [
      'a record changed again, and again',
      (store) => [1, 2, 3, 4, 5, 6].map((painAfter) => store.logs.update(1, { painAfter })),
      2,
      /log 1 was changed again by changes 3, 4, 5, 6, 7 …\./,
    ],
    ['a record deleted since', (store) => store.logs.delete(1), 2, /log 1 was changed again by change 3/],
    ['a user who has logs by now', () => {}, 1, /user 1 has logs that were recorded later \(1\)/],
    ['what is undone already', (store) => store.undo(2), 2, /was undone by change 3 already/],
    [
      'a log whose user is gone',
      (store) => {
        store.logs.delete(1);
        store.users.delete(1);
      },
      3,
      /user 1 is not there any more/,
    ],
    [
      'a deleted routine whose name another one has',
      (store) => {
        routine(store, 'morning');
        store.routines.delete(1);
        routine(store, 'morning');
      },
      4,
      /routine 2 has taken its place/,
    ],
    [
      'a renamed routine whose name another one has',
      (store) => {
        routine(store, 'morning');
        store.routines.update(1, { name: 'evening' });
        routine(store, 'morning');
      },
      4,
      /routine 2 has taken its place/,
    ],
  ])('refuses %s, and changes nothing', (_, change, which, words) => {
    const store = freshStore();
    store.users.create(user());
    store.logs.create(log());
    change(store);
    const before = [records(store), store.history.list()];
    const error = failure(() => store.undo(which));
    expect(error.code).toBe('conflict');
    expect(error.message).toMatch(words);
    expect([records(store), store.history.list()]).toEqual(before);
  });

  test('of a change that is not there', () => {
    const store = freshStore();
    for (const change of [1, 2, 5]) {
      expect(failure(() => store.undo(change)).code).toBe('not-found');
      if (change === 1) store.users.create(user());
    }
    expect(store.users.count()).toBe(1);
  });

  test('of a change that is not theirs is refused to those who see some users only', () => {
    const store = freshStore();
    for (const userId of [1, 2]) {
      store.users.create(user());
      store.logs.create(log({ userId }));
    }
    const view = store.as({ users: [1] });
    expect(failure(() => view.undo(4)).code).toBe('not-found');
    view.undo(2);
    expect(store.logs.list().map(({ id }) => id)).toEqual([2]);
  });

  test('of any changes, the latest first, gives back what there was', () => {
    const step = fc.record({
      verb: fc.constantFrom(
        'addUser',
        'addLog',
        'editUser',
        'editLog',
        'dropUser',
        'dropLog',
        'many',
        'import',
      ),
      id: fc.integer({ min: 1, max: 4 }),
      pain: fc.integer({ min: 1, max: 10 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 15 }), (steps) => {
        const store = freshStore();
        imported(store, { id: 1, ...user() }, { id: 1, ...log() }, { id: 2, ...user() });
        const before = records(store);
        for (const { verb, id, pain } of steps) {
          const act = {
            addUser: () => store.users.create(user({ painLevel: pain })),
            addLog: () => store.logs.create(log({ userId: id, painAfter: pain })),
            editUser: () => store.users.update(id, { painLevel: pain }),
            editLog: () => store.logs.update(id, { userId: ((id + pain) % 4) + 1, painAfter: pain }),
            dropUser: () => store.users.delete(id),
            dropLog: () => store.logs.delete(id),
            many: () =>
              store.change(() => {
                store.users.update(id, { age: pain });
                store.logs.delete(id);
              }),
            import: () =>
              imported(store, { id, ...user({ age: pain }) }, { id: id + 4, ...log({ userId: id }) }),
          }[verb];
          try {
            act();
          } catch (error) {
            expect(error).toMatchObject({ name: 'SciaticaError' });
          }
        }
        const changes = [...new Set(store.history.list().map(({ change }) => change))].filter((id) => id > 1);
        for (const change of changes) store.undo(change);
        expect(records(store)).toEqual(before);
      }),
      { numRuns: 60 },
    );
  });
});

describe('erasure', () => {
  test('leaves one entry and not a byte', () => {
    const path = freshPath();
    const store = freshStore(path);
    const marked = user({ firstName: 'TRACELESS-name', email: 'traceless@example.org' });
    imported(store, { id: 1, ...user() }, { id: 2, ...marked }, { id: 1, ...log() });
    for (let i = 0; i < 200; i += 1)
      store.logs.create(log({ userId: 2, notes: `TRACELESS note ${i} ${'x'.repeat(i * 9)}` }));
    store.users.update(2, { lastName: 'TRACELESS-last' });
    store.logs.delete(50);
    store.logs.update(60, { userId: 1, notes: 'given away' });
    store.settings.set('user', '2');
    store.erase(2);
    expect(store.users.list().map(({ id }) => id)).toEqual([1]);
    expect(store.history.list({ user: 2 }).map(short)).toEqual([
      [expect.any(Number), 'erase', 'user', 2, 'erase'],
    ]);
    expect(store.history.list({ user: 2 })).toMatchObject([{ before: null, after: null }]);
    // What was ever that person's goes too.
    expect([store.logs.has(60), store.history.of('log', 60)]).toEqual([false, []]);
    expect(store.settings.get('user')).toBeUndefined();
    for (const file of [path, `${path}-wal`])
      expect(readFileSync(file).toString('latin1').toLowerCase()).not.toContain('traceless');
    expect(() => dbOf(store).exec('DELETE FROM history')).toThrow('append-only');
  });

  test("takes what was ever that person's, and leaves the rest of the others", () => {
    const path = freshPath();
    const store = freshStore(path);
    for (const id of [1, 2]) store.users.create(user({ age: id }));
    for (const notes of ['TRACELESS moved', 'TRACELESS moved, then deleted', 'moved there and back', 'stays'])
      store.logs.create(log({ userId: 1, notes }));
    for (const id of [1, 2, 3]) store.logs.update(id, { userId: 2 });
    store.logs.delete(2);
    store.logs.update(3, { userId: 1 });
    store.erase(2);
    expect(readFileSync(path).includes('TRACELESS')).toBe(false);
    expect(store.logs.list().map(({ id }) => id)).toEqual([4]);
    expect(store.history.list().map(({ record, id, action }) => [record, id, action])).toEqual([
      ['user', 2, 'erase'],
      ['log', 4, 'create'],
      ['user', 1, 'create'],
    ]);
    expect(() => dbOf(store).exec('DELETE FROM history')).toThrow('append-only');
  });

  test('of a user deleted before forgets the history too, and can be repeated', () => {
    const path = freshPath();
    const store = freshStore(path);
    store.users.create(user({ firstName: 'TRACELESS' }));
    store.users.delete(1);
    store.erase(1);
    store.erase(1);
    expect(store.history.list().map(short)).toEqual([[expect.any(Number), 'erase', 'user', 1, 'erase']]);
    expect(readFileSync(path).includes('TRACELESS')).toBe(false);
  });

  test('of nobody is refused', () => {
    expect(failure(() => freshStore().erase(1)).code).toBe('not-found');
  });

  test('leaves of a change what was about others, and that can be undone', () => {
    const store = freshStore();
    for (const age of [1, 2]) store.users.create(user({ age }));
    store.logs.createAll([2, 1, 2, 1].map((userId) => log({ userId })));
    store.erase(2);
    expect(store.undo(3)).toMatchObject([{ record: 'log', users: [1], count: 2 }]);
    expect(store.logs.count()).toBe(0);
  });

  test('cannot be undone', () => {
    const store = freshStore();
    store.users.create(user());
    store.erase(1);
    expect(failure(() => store.undo(store.history.list()[0]?.change ?? 0))).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('erased a person for good'),
    });
  });
});
