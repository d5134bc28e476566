import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SciaticaError } from '../../src/domain/errors.ts';
import type { HistoryEntry } from '../../src/domain/history.ts';
import type { KindName, OwnedRecord } from '../../src/domain/kinds.ts';
import { obstacles } from '../../src/store/history/undo.ts';
import { apply } from '../../src/store/records/apply.ts';
import type { Store } from '../../src/store/store.ts';
import { dbOf, failure, freshStore, log, user } from './helpers.ts';

const exercises = [{ exerciseName: 'Cobra', exerciseType: 'stretch' as const }];

/** Makes a record as it was before an entry. */
function revert(store: Store, { record, id, before, after }: HistoryEntry): void {
  const verbs = store.of(record);
  if (!before) verbs.delete(id);
  // What it lacked before is cleared.
  else if (after)
    verbs.update(id, { ...Object.fromEntries(Object.keys(after).map((name) => [name, null])), ...before });
  else verbs.restore(before);
}

/** What undo does, entry by entry: that it writes many at once must make no difference. */
function undoOneByOne(store: Store, change: number): void {
  const entries = store.history.ofChange(change);
  const inTheWay = new Set<string>();
  store.as({ origin: { source: 'undo' } }).change(() => {
    for (const entry of entries.toReversed()) {
      const reasons = obstacles(store, entry);
      for (const reason of reasons) inTheWay.add(reason);
      if (reasons.length === 0) revert(store, entry);
    }
    if (inTheWay.size === 0) return;
    const shown = [...inTheWay].slice(0, 5);
    const more = inTheWay.size > 5 ? ` And ${inTheWay.size - 5} more like these.` : '';
    throw new SciaticaError('conflict', `Change ${change} cannot be undone: ${shown.join(' ')}${more}`);
  });
}

const recordsOf = (store: Store) =>
  [store.users, store.logs, store.routines, store.goals].map((kind) => kind.list());

/** The entries after a seq, in any order. */
const entriesAfter = (store: Store, seq: number) =>
  store
    .changesAfter(seq, 1000)
    .map(({ record, id, action, before, after }) => JSON.stringify([record, id, action, before, after]))
    .sort();

const act = fc.record({
  verb: fc.constantFrom(
    'create',
    'update',
    'move',
    'delete',
    'deleteUser',
    'updateUser',
    'routine',
    'rename',
    'createUser',
  ),
  id: fc.integer({ min: 1, max: 6 }),
  user: fc.integer({ min: 1, max: 3 }),
  n: fc.integer({ min: 1, max: 4 }),
});

function perform(
  store: Store,
  { verb, id, user: userId, n }: { verb: string; id: number; user: number; n: number },
): void {
  const verbs: Record<string, () => unknown> = {
    create: () => store.logs.create(log({ userId, painAfter: n })),
    update: () => store.logs.update(id, { painAfter: n }),
    move: () => store.logs.update(id, { userId, painBefore: n }),
    delete: () => store.logs.delete(id),
    deleteUser: () => store.users.delete(userId),
    updateUser: () => store.users.update(userId, { age: n }),
    routine: () => store.routines.create({ userId, name: `R${n}`, exercises }),
    rename: () => store.routines.update(id, { name: `R${n}` }),
    createUser: () => store.users.create(user({ age: n })),
  };
  try {
    verbs[verb]?.();
  } catch (error) {
    if (!(error instanceof SciaticaError)) throw error;
  }
}

test('undo of many entries at once is what undo of one after the other is: records, entries and refusals', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(act, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 5 }),
      (changes) => {
        const [one, other] = [freshStore(), freshStore()] as const;
        for (const store of [one, other]) {
          store.change(() => {
            for (const age of [1, 2, 3]) store.users.create(user({ age }));
            for (const userId of [1, 2, 3]) store.logs.create(log({ userId }));
          });
          for (const acts of changes)
            store.change(() => {
              for (const act of acts) perform(store, act);
            });
        }
        const last = one.history.list({ limit: 1 })[0]?.change ?? 0;
        for (let change = last; change > 0; change--) {
          if (one.history.ofChange(change).length === 0) continue;
          const seq = one.history.last();
          const results = [() => undoOneByOne(one, change), () => void other.undo(change)].map((undo) => {
            try {
              undo();
              return undefined;
            } catch (error) {
              return [(error as SciaticaError).code, (error as Error).message];
            }
          });
          expect(results[1]).toEqual(results[0]);
          expect(recordsOf(other)).toEqual(recordsOf(one));
          expect(entriesAfter(other, seq)).toEqual(entriesAfter(one, seq));
          // The next one is undone with this change in effect, so that changes that stand in the way are met too.
          if (change % 2 === 0) {
            const undo = one.history.list({ limit: 1 })[0]?.change ?? 0;
            if (undo > last) for (const store of [one, other]) store.undo(undo);
          }
        }
      },
    ),
    { numRuns: 15 },
  );
});

test('what was undone is told by kind of record, what was done, and whose the records were and are', () => {
  const store = freshStore();
  for (const age of [1, 2, 3]) store.users.create(user({ age }));
  for (const userId of [3, 1, 2, 1]) store.logs.create(log({ userId }));
  store.change(() => {
    for (const id of [4, 3, 2]) store.logs.update(id, { userId: 3 });
    store.logs.delete(1);
    store.users.update(2, { age: 20 });
  });
  expect(store.undo(store.latestChange ?? 0)).toEqual([
    { record: 'log', action: 'update', users: [1, 3], count: 2, first: 2, last: 4 },
    { record: 'log', action: 'update', users: [2, 3], count: 1, first: 3, last: 3 },
    { record: 'log', action: 'delete', users: [3], count: 1, first: 1, last: 1 },
    { record: 'user', action: 'update', users: [2], count: 1, first: 2, last: 2 },
  ]);
});

test('a name that one routine has taken over from another is given back', () => {
  const store = freshStore();
  store.users.create(user());
  for (const name of ['morning', 'evening']) store.routines.create({ userId: 1, name, exercises });
  const before = store.routines.list();
  store.change(() => {
    store.routines.update(1, { name: 'noon' });
    store.routines.update(2, { name: 'morning' });
  });
  store.undo(4);
  expect(store.routines.list()).toEqual(before);
});

test('a log that one change has changed twice is as before', () => {
  const store = freshStore();
  store.users.create(user());
  const before = store.logs.create(log());
  store.change(() => {
    for (const painAfter of [1, 2]) store.logs.update(1, { painAfter });
  });
  store.undo(3);
  expect(store.logs.list()).toEqual([before]);
});

describe('a change of more entries than are written at once', () => {
  test('is undone and redone, each time from the last entry to the first', () => {
    const store = freshStore();
    store.users.create(user());
    const count = 2_600;
    store.logs.createAll(Array.from({ length: count }, (_, i) => log({ painAfter: 1 + (i % 10) })));
    const before = recordsOf(store);
    const idsOf = (change: number) => store.history.ofChange(change).map(({ id }) => id);
    store.undo(2);
    expect(store.logs.count()).toBe(0);
    expect(idsOf(3)).toEqual(idsOf(2).reverse());
    store.undo(3);
    expect(recordsOf(store)).toEqual(before);
    expect(idsOf(4)).toEqual(idsOf(2));
    expect(store.undo(4)).toEqual([
      { record: 'log', action: 'create', users: [1], count, first: 1, last: count },
    ]);
    expect(dbOf(store).pragma('integrity_check')).toBe('ok');
  });

  test('is refused with what stands in the way, counted', () => {
    const store = freshStore();
    store.users.create(user());
    store.change(() => {
      for (let i = 0; i < 1050; i++) store.logs.create(log());
    });
    for (const id of [3, 700, 1030]) store.logs.update(id, { notes: 'later' });
    store.change(() => {
      for (let id = 1045; id <= 1050; id++) store.logs.delete(id);
    });
    const { message } = failure(() => store.undo(2));
    expect(message).toBe(
      `Change 2 cannot be undone: ${[1050, 1049, 1048, 1047, 1046].map((id) => `log ${id} was changed again by change 6.`).join(' ')} And 4 more like these.`,
    );
    expect(store.logs.count()).toBe(1044);
  });

  test('counts what stands in the way up to twenty', () => {
    const store = freshStore();
    store.users.create(user());
    store.logs.createAll(Array.from({ length: 30 }, () => log()));
    for (let id = 1; id <= 30; id++) store.logs.update(id, { notes: 'later' });
    expect(failure(() => store.undo(2)).message).toMatch(/ And at least 15 more like these\.$/);
  });
});

describe('applying states', () => {
  /** A store with logs 1 to 3 of user 1, and the states of records as the history keeps them. */
  function stored() {
    const store = freshStore();
    store.users.create(user());
    for (const painAfter of [1, 2, 3]) store.logs.create(log({ painAfter }));
    const state = (painAfter: number) =>
      JSON.stringify([1, 'stretch', 'Piriformis Stretch', '2026-03-02', 6, painAfter, 1, '']);
    const write = (kind: KindName, rows: unknown[][]) => {
      const db = dbOf(store);
      db.exec(`DROP TABLE IF EXISTS temp.wanted;
        CREATE TEMP TABLE wanted (place INTEGER, id INTEGER, expected TEXT, wanted TEXT)`);
      for (const row of rows) db.run('INSERT INTO temp.wanted VALUES (?, ?, ?, ?)', ...(row as string[]));
      return store.change(() => apply(db, kind, 'temp.wanted'));
    };
    const pains = () => Object.fromEntries(store.logs.list().map(({ id, painAfter }) => [id, painAfter]));
    return { store, state, write, pains };
  }

  test('deletes, changes and creates what is as expected, as one change', () => {
    const { store, state, write, pains } = stored();
    expect(
      write('log', [
        [4, 4, null, state(8)],
        [1, 9, null, state(9)],
        [6, 1, state(1), null],
        [2, 3, state(3), null],
        [3, 2, state(2), state(7)],
        [5, 6, null, null],
      ]),
    ).toEqual([]);
    expect(pains()).toEqual({ 2: 7, 4: 8, 9: 9 });
    const entries = store.history.ofChange(store.latestChange ?? 0);
    expect(entries.map(({ id, action }) => [id, action])).toEqual([
      [3, 'delete'],
      [1, 'delete'],
      [2, 'update'],
      [9, 'create'],
      [4, 'create'],
    ]);
  });

  test.each<[string, (state: (pain: number) => string) => unknown[]]>([
    ['is there and should not be', (state) => [1, null, state(5)]],
    ['is not there', (state) => [7, state(1), null]],
    ['is otherwise', (state) => [2, state(3), state(4)]],
    ['is there, and nothing was wanted', () => [3, null, null]],
  ])('leaves a record that %s, and says so', (_, row) => {
    const { store, state, write, pains } = stored();
    const before = store.history.last();
    expect(
      write('log', [
        [20, ...row(state)],
        [10, 99, state(1), null],
        [30, 1, state(1), state(10)],
      ]),
    ).toEqual([10, 20]);
    expect(pains()).toEqual({ 1: 10, 2: 2, 3: 3 });
    expect(store.history.last()).toBe(before + 1);
  });

  test('takes a user with what belongs to the user', () => {
    const { store, write } = stored();
    const { before } = (() => {
      const probe = store.history.of('user', 1)[0] as HistoryEntry;
      return { before: JSON.stringify(Object.values(probe.after as unknown as OwnedRecord).slice(1)) };
    })();
    expect(write('user', [[1, 1, before, null]])).toEqual([]);
    expect([store.users.count(), store.logs.count()]).toEqual([0, 0]);
  });

  test('takes what belongs to a user before the user, also where users are many', () => {
    const { store, write } = stored();
    const states = Array.from({ length: 2_500 }, (_, i) => {
      const { id, ...record } = i === 0 ? store.users.get(1) : store.users.create(user());
      return [i, id, JSON.stringify(Object.values(record)), null];
    });
    expect(write('user', states)).toEqual([]);
    expect([store.users.count(), store.logs.count()]).toEqual([0, 0]);
    const entries = store.history.ofChange(store.latestChange ?? 0);
    expect(entries.slice(0, 4).map(({ record, id }) => [record, id])).toEqual([
      ['log', 1],
      ['log', 2],
      ['log', 3],
      ['user', 1],
    ]);
    expect(entries).toHaveLength(2_503);
  });
});

describe('what was deleted', () => {
  /** A store of two users with a log each. */
  function two() {
    const store = freshStore();
    for (const userId of [1, 2]) {
      store.users.create(user());
      store.logs.create(log({ userId }));
    }
    return store;
  }

  test("and was another's since, is not brought back by who does not see that, nor told of", () => {
    const store = two();
    store.logs.delete(1);
    const change = store.latestChange ?? 0;
    store.restore({ record: 'log', id: 1, owner: 2 });
    store.logs.delete(1);
    const error = failure(() => store.as({ users: [1] }).undo(change));
    expect(error).toMatchObject({
      code: 'conflict',
      message: `Change ${change} cannot be undone: log 1 was changed again.`,
    });
    expect(store.logs.has(1)).toBe(false);
  });

  test("and is another's now, is not brought back", () => {
    const store = two();
    store.logs.delete(1);
    const change = store.latestChange ?? 0;
    store.restore({ record: 'log', id: 1 });
    store.logs.update(1, { userId: 2 });
    const { message } = failure(() => store.as({ users: [1] }).undo(change));
    expect(message).toBe(
      `Change ${change} cannot be undone: log 1 was changed again by changes ${change + 1}, ${change + 2}.`,
    );
  });

  test('with one of several users comes back with that one', () => {
    const store = two();
    store.change(() => {
      for (const id of [1, 2]) store.users.delete(id);
    });
    store.restore({ record: 'user', id: 1 });
    expect(store.logs.list().map(({ id, userId }) => [id, userId])).toEqual([[1, 1]]);
    store.restore({ record: 'user', id: 2 });
    expect(store.logs.count()).toBe(2);
  });

  test('and erased, comes back as somebody has it, up to the last id that was given', () => {
    const store = two();
    store.erase(2);
    const as = () => log({ notes: 'kept' });
    expect(store.restore({ record: 'log', id: 2, owner: 1, as })).toMatchObject({ id: 2, notes: 'kept' });
    expect(failure(() => store.restore({ record: 'log', id: 3, owner: 1, as })).code).toBe('not-found');
    store.erase(1);
    const view = store.as({ users: [] });
    expect(failure(() => view.restore({ record: 'log', id: 1, as })).code).toBe('not-found');
  });
});
