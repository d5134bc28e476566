import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Counterparts } from '../../src/store/sync/counterparts.ts';
import { dbOf, freshStore, log, user } from './helpers.ts';

const UUID = '0f6e2a52-95c4-4d39-a5a4-6d2c3a1f7b10';

test('a database keeps its number', () => {
  const store = freshStore();
  const counterparts = new Counterparts(dbOf(store));
  const first = store.change(() => counterparts.origin(UUID));
  const second = store.change(() => counterparts.origin(UUID.replace('0', '1')));
  expect([store.change(() => counterparts.origin(UUID)), second === first]).toEqual([first, false]);
  expect([counterparts.findOrigin(UUID), counterparts.findOrigin(store.id.replace(/./g, '0'))]).toEqual([
    first,
    undefined,
  ]);
});

test('erasing a user forgets what files said of their records, and their remotes, to the byte, and nobody else’s', () => {
  const store = freshStore();
  const db = dbOf(store);
  for (const firstName of ['Nora', 'Ole']) {
    const { id } = store.users.create(user({ firstName }));
    store.logs.create(log({ userId: id, notes: `of ${firstName}` }));
  }
  store.change(() => {
    const origin = new Counterparts(db).origin(UUID);
    const insert = (record: string, theirId: number, ourId: number, state: string) =>
      db.run(
        'INSERT INTO counterparts (origin, record, theirId, ourId, agreed) VALUES (?, ?, ?, ?, ?)',
        origin,
        record,
        theirId,
        ourId,
        state,
      );
    insert('user', 101, 1, '["TRACELESS"]');
    insert('user', 102, 2, '["Ole"]');
    insert('log', 101, 1, '[1,"TRACELESS"]');
    insert('log', 102, 2, '[2,"of Ole"]');
    // Of records that are not here any more.
    insert('log', 201, 98, '[1,"TRACELESS"]');
    insert('log', 202, 99, '[1,"TRACELESS"]');
    db.run(
      "INSERT INTO remotes (name, url, ourUser) VALUES ('TRACELESS', 'https://a', 1), ('other', 'https://b', 2)",
    );
  });
  store.erase(1);
  expect(db.all('SELECT record, theirId FROM counterparts ORDER BY record, theirId')).toEqual([
    { record: 'log', theirId: 102 },
    { record: 'user', theirId: 102 },
  ]);
  expect(db.column('SELECT name FROM remotes')).toEqual(['other']);
  store.checkpoint();
  expect(readFileSync(store.path).includes('TRACELESS')).toBe(false);
});
