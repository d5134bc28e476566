import { describe, expect, test } from 'vitest';
import { backup } from '../../src/store/maintenance/backup.ts';
import { openSqlite } from '../../src/store/sqlite/driver.ts';
import type { Store } from '../../src/store/store.ts';
import { failure, freshPath, freshStore, log, user } from './helpers.ts';
import { exported, imported, outcomesOf, unsealed } from './origins.ts';

const exercises = (name: string) => [{ exerciseName: name, exerciseType: 'stretch' as const }];

/** Milliseconds since 1970, for both sides. */
let clock = 1_000_000_000_000;
const now = () => {
  clock += 1000;
  return clock;
};

/** A database with a user, a log, a routine and a goal; and one that has imported them under other ids. */
function two(): { there: Store; here: Store } {
  const [there, here] = [freshStore(undefined, now), freshStore(undefined, now)];
  there.users.create(user());
  there.logs.create(log({ notes: 'first' }));
  there.routines.create({ userId: 1, name: 'Morning', exercises: exercises('Cat-Cow') });
  there.goals.create({ userId: 1, sessionsPerWeek: 3 });
  here.users.create(user({ firstName: 'Own' }));
  here.logs.create(log({ notes: 'own' }));
  imported(here, exported(there));
  return { there, here };
}

const notesOf = (store: Store) => store.logs.list().map(({ notes }) => notes);

test.each([
  ['with states', (file: ReturnType<typeof exported>) => file],
  ['of an older version', unsealed],
])('a user who was deleted here stays deleted, and new records wait with the user: a file %s', (_, as) => {
  const { there, here } = two();
  here.users.delete(2);
  there.logs.create(log({ notes: 'second' }));
  imported(here, as(exported(there)));
  expect([here.users.count(), notesOf(here)]).toEqual([1, ['own']]);
  here.restore({ record: 'user', id: 2 });
  imported(here, as(exported(there)));
  expect(notesOf(here)).toEqual(['own', 'first', 'second']);
});

test('a user who was deleted there is held back, with what was made here', async () => {
  const { there, here } = two();
  here.logs.create(log({ userId: 2, notes: 'at the practice' }));
  there.users.delete(1);
  const result = imported(here, exported(there));
  expect(result.held).toEqual([{ record: 'user', id: 2 }]);
  expect(notesOf(here)).toEqual(['own', 'first', 'at the practice']);
  const diary = await here.diary();
  diary.settleHeld('delete');
  expect(notesOf(here)).toEqual(['own']);
});

describe('of what a user has one', () => {
  test('a goal that was made anew there is changed here', () => {
    const { there, here } = two();
    there.goals.delete(1);
    there.goals.create({ userId: 1, sessionsPerWeek: 5 });
    const file = exported(there);
    expect(outcomesOf(imported(here, file))).toMatchObject({ goals: { updated: 1 } });
    expect(here.goals.list()).toEqual([{ id: 1, userId: 2, sessionsPerWeek: 5 }]);
    expect(outcomesOf(imported(here, file))).toMatchObject({ goals: { equal: 1 } });
    expect(here.latestChange).toBeUndefined();
  });

  test('two routines of one name, made here and there, are two by number', () => {
    const { there, here } = two();
    there.routines.create({ userId: 1, name: 'Evening', exercises: exercises('Bridge') });
    here.routines.create({ userId: 2, name: 'EVENING', exercises: exercises('Plank') });
    const file = exported(there);
    imported(here, file);
    const names = (store: Store) =>
      store.routines
        .list()
        .map(({ name }) => name.toLowerCase())
        .sort();
    expect(names(here)).toEqual(['evening', 'evening (2)', 'morning']);
    // What shows under another name than it has keeps it.
    imported(there, exported(here));
    expect(names(there)).toEqual(names(here));
    expect(outcomesOf(imported(here, exported(there)))).toMatchObject({ routines: { equal: 3 } });
  });
});

test('two copies of one database that were both used send files, and nothing is lost', () => {
  const [one, here] = [freshStore(undefined, now), freshStore(undefined, now)];
  one.users.create(user());
  const path = freshPath();
  backup(one.path, path);
  const copy = freshStore(path, now);
  one.logs.create(log({ notes: 'in the one' }));
  copy.logs.create(log({ notes: 'in the copy' }));
  for (const file of [exported(one), exported(copy), exported(one)]) imported(here, file);
  expect([here.users.count(), notesOf(here)]).toEqual([1, ['in the one', 'in the copy']]);
});

test('a log that moved to another user there moves here', () => {
  const { there, here } = two();
  const { id: userId } = there.users.create(user({ firstName: 'Zoe' }));
  there.logs.update(1, { userId });
  expect(imported(here, exported(there)).moved).toEqual([
    { record: 'log', id: 2, from: 'Nora Lind', to: 'Zoe Lind' },
  ]);
  const zoe = here.users.list().find(({ firstName }) => firstName === 'Zoe');
  expect(here.logs.get(2).userId).toBe(zoe?.id);
});

test('users who were merged there are one here', async () => {
  const { there, here } = two();
  there.users.create(user({ firstName: 'Twin' }));
  there.logs.create(log({ userId: 2, notes: 'of the twin' }));
  (await there.diary()).mergeUsers(2, 1, clock);
  imported(here, exported(there));
  expect([here.users.count(), notesOf(here)]).toEqual([2, ['own', 'first', 'of the twin']]);
  expect(here.logs.list().map(({ userId }) => userId)).toEqual([1, 2, 2]);
});

test('after the undo of an import under a user another one can come under the same', () => {
  const [there, here] = [freshStore(undefined, now), freshStore(undefined, now)];
  for (const [i, notes] of ['of the first', 'of the second'].entries()) {
    there.users.create(user({ email: `user-${i}@example.org` }));
    there.logs.create(log({ userId: i + 1, notes }));
  }
  here.users.create(user({ firstName: 'Own' }));
  const all = unsealed(exported(there));
  const fileOf = (id: number) => ({
    ...all,
    records: {
      ...all.records,
      user: all.records.user.filter((one) => one.id === id),
      log: all.records.log.filter((one) => (one as { userId: number }).userId === id),
    },
  });
  imported(here, fileOf(1), { as: 1 });
  here.undo(here.latestChange ?? 0);
  imported(here, fileOf(2), { as: 1 });
  expect(here.logs.list().map(({ userId, notes }) => [userId, notes])).toEqual([[1, 'of the second']]);
  expect(outcomesOf(imported(here, fileOf(2)))).toEqual({ users: { equal: 1 }, logs: { equal: 1 } });
});

describe('a user who was erased here', () => {
  test('does not keep the others of the file away', () => {
    const { there, here } = two();
    here.erase(2);
    there.users.create(user({ lastName: 'Berg' }));
    there.logs.create(log({ userId: 2, notes: 'of Berg' }));
    expect(imported(here, exported(there)).erased).toBe(1);
    expect(notesOf(here)).toEqual(['own', 'of Berg']);
  });

  test('takes a record along that was the user’s once', () => {
    const { there, here } = two();
    there.users.create(user({ lastName: 'Berg' }));
    imported(here, exported(there));
    there.logs.update(1, { userId: 2 });
    here.erase(2);
    imported(here, exported(there));
    expect(notesOf(here)).toEqual(['own']);
  });

  test('is erased over there when that is said', () => {
    const { there, here } = two();
    here.erase(2);
    const result = imported(there, exported(here));
    expect([result.erasedThere, there.users.count()]).toEqual([[1], 2]);
  });

  test('stays away with a file of this database', () => {
    const here = freshStore();
    for (const firstName of ['Own', 'Nora']) here.users.create(user({ firstName }));
    for (const userId of [1, 2]) here.logs.create(log({ userId }));
    const file = exported(here);
    here.erase(2);
    imported(here, file);
    expect([here.users.count(), here.logs.count()]).toEqual([1, 1]);
    // By ids it is a conflict.
    const plain = { ...unsealed(file), origin: undefined } as never;
    expect(failure(() => imported(here, plain)).code).toBe('conflict');
    imported(here, plain, { onConflict: 'overwrite' });
    expect(here.logs.list()).toEqual(file.records.log);
  });
});

test('a file of a newer version is refused', () => {
  const { there, here } = two();
  const file = exported(there);
  const newer = { ...file, seal: { ...file.seal, format: 999 } };
  expect(failure(() => imported(here, newer)).message).toContain('newer sciatica (format 999');
});

test('what files of a version before are known as here are names by now', () => {
  const there = freshStore();
  there.users.create(user());
  there.logs.create(log({ notes: 'known' }));
  const path = freshPath();
  const here = freshStore(path);
  here.users.create(user());
  here.logs.create(log({ notes: 'known' }));
  here.close();
  const db = openSqlite(path);
  db.exec(COUNTERPARTS);
  db.prepare('INSERT INTO origins (uuid) VALUES (?)').run(there.id);
  db.exec(`INSERT INTO counterparts (origin, record, theirId, ourId, agreed)
    SELECT max(id), 'user', 1, 1, '[]' FROM origins UNION SELECT max(id), 'log', 1, 1, '[]' FROM origins`);
  db.pragma('user_version = 14');
  db.close();
  const again = freshStore(path);
  expect(outcomesOf(imported(again, exported(there)))).toEqual({ users: { equal: 1 }, logs: { equal: 1 } });
});

/** As format 14 had them. */
const COUNTERPARTS = `CREATE TABLE counterparts (
    origin INTEGER NOT NULL REFERENCES origins (id), record TEXT NOT NULL, theirId INTEGER NOT NULL, ourId INTEGER NOT NULL,
    agreed TEXT NOT NULL, change INTEGER, earlier TEXT, position INTEGER,
    PRIMARY KEY (origin, record, theirId), UNIQUE (origin, record, ourId)) STRICT, WITHOUT ROWID`;
