import { describe, expect, test } from 'vitest';
import { dbOf, freshStore, log, user } from './helpers.ts';

/** A store with a user and a log, whose pain after went from 4 to 3 to 2: changes 1 to 4. */
function edited() {
  const store = freshStore();
  store.users.create(user());
  store.logs.create(log({ painAfter: 4 }));
  store.logs.update(1, { painAfter: 3 });
  store.logs.update(1, { painAfter: 2 });
  return {
    store,
    painAfter: () => store.logs.find(1)?.painAfter,
    undo: () => store.undo(store.history.nextUndo() ?? 0),
    redo: () => store.undo(store.history.nextRedo() ?? 0),
  };
}

describe('step by step', () => {
  test('undo walks back and redo comes forward', () => {
    const { store, painAfter, undo, redo } = edited();
    const seen = [painAfter()];
    for (const step of [undo, undo, undo, undo, redo, redo, redo, redo, undo, undo, redo]) {
      step();
      seen.push(painAfter());
    }
    expect(seen).toEqual([2, 3, 4, undefined, undefined, undefined, 4, 3, 2, 3, 4, 3]);
    expect(store.users.count()).toBe(1);
  });

  test('ends at the first change, and at the last', () => {
    const { store, undo, redo } = edited();
    for (let i = 0; i < 4; i++) undo();
    expect(store.history.nextUndo()).toBeUndefined();
    for (let i = 0; i < 4; i++) redo();
    expect(store.history.nextRedo()).toBeUndefined();
    expect(store.history.nextUndo()).toBe(4);
  });

  test('a new change ends redo, whoever makes it', () => {
    const { store, undo } = edited();
    undo();
    expect(store.history.nextRedo()).toBe(5);
    store.as({ origin: { source: 'api', caller: 'phone' } }).users.update(1, { age: 50 });
    expect(store.history.nextRedo()).toBeUndefined();
    expect(store.history.nextUndo()).toBe(6);
    undo();
    // What the new change covered is next.
    expect(store.history.nextUndo()).toBe(3);
  });

  test('an undo by number is a step like the others', () => {
    const { store, painAfter, undo, redo } = edited();
    store.undo(4);
    store.undo(5);
    expect(painAfter()).toBe(2);
    expect([store.history.nextUndo(), store.history.nextRedo()]).toEqual([4, undefined]);
    store.undo(6);
    expect([painAfter(), store.history.nextUndo(), store.history.nextRedo()]).toEqual([3, 3, 7]);
    redo();
    expect(painAfter()).toBe(2);
    undo();
    expect(painAfter()).toBe(3);
  });

  test('a change is undone while an undo of it is in effect', () => {
    const { store } = edited();
    const undos = () => [3, 4, 5, 6].map(store.history.undoOf);
    store.undo(4);
    expect(undos()).toEqual([undefined, 5, undefined, undefined]);
    store.undo(5);
    expect(undos()).toEqual([undefined, undefined, 6, undefined]);
    store.undo(6);
    expect(undos()).toEqual([undefined, 5, undefined, 7]);
  });

  test('passes over what came from another machine', () => {
    const { store } = edited();
    store.as({ origin: { source: 'sync' } }).users.update(1, { age: 50 });
    expect(store.history.nextUndo()).toBe(4);
  });

  test('passes an erasure over', () => {
    const { store } = edited();
    store.users.create(user());
    store.erase(1);
    expect(store.history.nextUndo()).toBe(5);
    store.undo(5);
    expect(store.history.nextUndo()).toBeUndefined();
  });

  test('goes through a chain of 12,000 undos, each of the one before', () => {
    const store = freshStore();
    store.users.create(user());
    store.users.update(1, { age: 50 });
    dbOf(store).exec(
      `INSERT INTO history (seq, change, head, record, recordId, userId, action, before, after, clock, uid, source, undoes)
       WITH RECURSIVE changes (id) AS (SELECT 3 UNION ALL SELECT id + 1 FROM changes WHERE id < 12002)
       SELECT id, id, id, 'user', 1, 1, 'update', before, after, clock + id, 7, 'undo', id - 1
       FROM changes JOIN history AS last ON last.seq = 2`,
    );
    // The last undo is a redo: change 2 is in effect.
    expect([store.history.nextUndo(), store.history.nextRedo()]).toEqual([2, undefined]);
  });
});

test('the import of a file is the latest of that name that is not undone, and no change by a token of that name', () => {
  const { store } = edited();
  const change = (source: 'import' | 'api', caller: string, age: number) => {
    const view = store.as({ origin: { source, caller } });
    view.users.update(1, { age });
    return view.latestChange ?? 0;
  };
  const [first, second] = [change('import', 'diary.csv', 50), change('import', 'diary.csv', 51)];
  change('import', 'other.csv', 52);
  change('api', 'diary.csv', 53);
  const found: unknown[] = [store.history.importOf('diary.csv')];
  store.users.update(1, { age: 51 });
  for (const undone of [second, first]) {
    store.undo(undone);
    found.push(store.history.importOf('diary.csv'));
    store.users.update(1, { age: 50 });
  }
  expect(found).toEqual([second, first, undefined]);
});
