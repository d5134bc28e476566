import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { backup } from '../../src/store/maintenance/backup.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { dbOf, freshPath, freshStore, log, user } from './helpers.ts';

const UUID = '0f6e2a52-95c4-4d39-a5a4-6d2c3a1f7b10';

/** Every character that JSON escapes, and some that it need not. */
const ALL = `${Array.from({ length: 0x1f }, (_, i) => String.fromCharCode(i + 1)).join('')}"\\/'\x7f\u2028é🧘`;

/** A store of two users, each with a log, whose counterparts have ids that are higher by 100. */
function freshlyLinked(): { store: Store; origin: number } {
  const store = freshStore();
  const origin = store.change(() => {
    const origin = store.counterparts.origin(UUID);
    for (const name of ['Nora', 'Ole']) {
      const agreed = store.users.create(user({ firstName: name }));
      const { id } = agreed;
      store.counterparts.set(origin, { record: 'user', theirId: id + 100, ourId: id, agreed });
      const session = store.logs.create(log({ userId: id, notes: `${name} ${ALL}` }));
      const link = { theirId: session.id + 100, ourId: session.id, agreed: session };
      store.counterparts.set(origin, { record: 'log', ...link });
    }
    return origin;
  });
  return { store, origin };
}

test('an origin has one number, by its UUID', () => {
  const { store, origin } = freshlyLinked();
  expect(store.counterparts.origin(UUID)).toBe(origin);
  expect(store.counterparts.findOrigin(UUID)).toBe(origin);
  expect(store.counterparts.findOrigin(UUID.replace('0', '1'))).toBeUndefined();
});

test('a counterpart is found from either side, with what was agreed', () => {
  const { store, origin } = freshlyLinked();
  const { counterparts } = store;
  const expected = { record: 'log', theirId: 101, ourId: 1, agreed: store.logs.get(1) };
  expect(counterparts.ofTheirs(origin, 'log', 101)).toEqual(expected);
  expect(counterparts.ofOurs(origin, 'log', 1)).toEqual(expected);
  expect(counterparts.ofTheirs(origin, 'log', 1)).toBeUndefined();
  expect(counterparts.ofTheirs(origin, 'routine', 101)).toBeUndefined();
  expect(counterparts.ofOurs(origin + 1, 'log', 1)).toBeUndefined();
});

test('what is agreed on is written as the history writes it', () => {
  const { store } = freshlyLinked();
  for (const { id } of store.users.list()) store.users.delete(id);
  const states = dbOf(store).all(
    `SELECT agreed, before FROM counterparts JOIN history USING (record) WHERE recordId = ourId AND action = 'delete'`,
  ) as { agreed: string; before: string }[];
  expect(states).toHaveLength(4);
  for (const { agreed, before } of states) expect(agreed).toBe(before);
});

test('what was set last holds; a record that both deleted is null', () => {
  const { store, origin } = freshlyLinked();
  const { counterparts } = store;
  counterparts.set(origin, { record: 'log', theirId: 101, ourId: 1, agreed: null });
  expect(counterparts.ofTheirs(origin, 'log', 101)?.agreed).toBeNull();
  counterparts.remove(origin, 'log', 101);
  expect(counterparts.ofTheirs(origin, 'log', 101)).toBeUndefined();
  expect(counterparts.ofTheirs(origin, 'log', 102)).toBeDefined();
});

test('one of ours is never the counterpart of two of theirs', () => {
  const { store, origin } = freshlyLinked();
  const double = { record: 'log', theirId: 777, ourId: 1, agreed: null } as const;
  expect(() => store.counterparts.set(origin, double)).toThrow(/UNIQUE/);
});

test('all of a kind are listed, by their ids over there', () => {
  const { store, origin } = freshlyLinked();
  store.change(() => {
    for (let id = 2500; id > 0; id--)
      store.counterparts.set(origin, { record: 'goal', theirId: id, ourId: 9000 - id, agreed: null });
  });
  const ids = [...store.counterparts.list(origin, 'goal')].map(({ theirId }) => theirId);
  expect(ids).toEqual(Array.from({ length: 2500 }, (_, i) => i + 1));
  expect([...store.counterparts.list(origin, 'user')].map(({ ourId }) => ourId)).toEqual([1, 2]);
});

test('counterparts are no part of the history, and what is undone does not take them back', () => {
  const { store, origin } = freshlyLinked();
  const last = store.history.last();
  store.change(() => store.counterparts.set(origin, { record: 'log', theirId: 7, ourId: 7, agreed: null }));
  expect(store.history.last()).toBe(last);
  expect(store.latestChange).toBeUndefined();
});

test('a backup has them', () => {
  const { store, origin } = freshlyLinked();
  const copy = freshPath();
  backup(store.path, copy);
  const other = openStore(copy);
  expect(other.counterparts.ofTheirs(origin, 'log', 101)?.ourId).toBe(1);
  other.close();
});

test('erasing a user forgets their counterparts, remotes and pushes, to the byte, and nobody else’s', () => {
  const { store, origin } = freshlyLinked();
  const db = dbOf(store);
  const agreed = { ...store.logs.get(1), notes: 'TRACELESS' };
  store.change(() => {
    // Moved to the other user since, deleted here, and held by earlier files only.
    store.counterparts.set(origin, { record: 'log', theirId: 201, ourId: 99, agreed });
    store.counterparts.remove(origin, 'log', 102);
    store.counterparts.set(origin, { record: 'log', theirId: 102, ourId: 3, agreed });
    const other = { ...agreed, userId: 2, notes: '' };
    store.counterparts.set(origin, { record: 'log', theirId: 300, ourId: 300, agreed: other });
    const was = `json_array(json_array(7, json((SELECT agreed FROM counterparts WHERE theirId = 102 AND record = 'log'))))`;
    db.run(`UPDATE counterparts SET earlier = ${was} WHERE theirId = 300`);
    store.counterparts.set(origin, { record: 'log', theirId: 301, ourId: 301, agreed: other });
    db.run(
      `INSERT INTO remotes (name, url, ourUser) VALUES ('TRACELESS', 'https://a', 1), ('other', 'https://b', 2)`,
    );
    db.run("INSERT INTO syncs VALUES (?, 7, 'null', 0, NULL, 0)", origin);
    const conflict = 'INSERT INTO conflicts VALUES (?, ?, ?, ?, ?, 1, 1, 0)';
    db.run(conflict, origin, 'log', 7, 101, '{"notes":"TRACELESS"}');
    db.run(conflict, origin, 'log', 8, 102, '{"notes":"of the other"}');
    const push = `INSERT INTO pushes VALUES (?, 'k', 'POST', '/userExerciseLogs', 'TRACELESS', 'log', ?, NULL)`;
    db.run(push, origin, '[{"id":4,"userId":2},{"id":1,"userId":1}]');
  });
  store.erase(1);
  expect(db.all('SELECT record, theirId FROM counterparts ORDER BY 1, 2')).toEqual([
    { record: 'log', theirId: 301 },
    { record: 'user', theirId: 102 },
  ]);
  expect(db.column('SELECT name FROM remotes')).toEqual(['other']);
  expect(db.column('SELECT theirUser FROM conflicts')).toEqual([102]);
  // Not understood any more, so that all is read anew.
  expect([db.column('SELECT key FROM pushes'), db.value('SELECT horizon FROM syncs')]).toEqual([[], -1]);
  expect(db.column('SELECT theirUser FROM erasedUsers')).toEqual([101]);
  store.checkpoint();
  expect(readFileSync(store.path).includes('TRACELESS')).toBe(false);
});
