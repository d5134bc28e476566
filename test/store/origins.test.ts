import { describe, expect, test } from 'vitest';
import { backup } from '../../src/store/maintenance/backup.ts';
import type { Store } from '../../src/store/store.ts';
import { dbOf, failure, freshPath, freshStore, log, user } from './helpers.ts';
import { exported, imported, outcomesOf } from './origins.ts';

const exercises = (name: string) => [{ exerciseName: name, exerciseType: 'stretch' as const }];

/** Milliseconds since 1970, for both sides. */
let clock = 1_000_000_000_000;
const now = () => clock;
const later = () => {
  clock += 1000;
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

describe('a user who was deleted here', () => {
  test('stays deleted while nothing changes there', () => {
    const { there, here } = two();
    here.users.delete(2);
    expect(outcomesOf(imported(here, exported(there)))).toEqual({
      users: { kept: 1 },
      logs: { kept: 1 },
      routines: { kept: 1 },
      goals: { kept: 1 },
    });
    expect(here.users.count()).toBe(1);
  });

  test('is in conflict with a new record, and comes back with all that went along', () => {
    const { there, here } = two();
    here.users.delete(2);
    there.logs.create(log({ notes: 'second' }));
    const file = exported(there);
    expect(failure(() => imported(here, file)).code).toBe('conflict');
    imported(here, file, { onConflict: 'skip' });
    expect(notesOf(here)).toEqual(['own']);
    imported(here, file, { onConflict: 'overwrite' });
    expect(notesOf(here)).toEqual(['own', 'first', 'second']);
    expect([here.users.get(2).firstName, here.routines.count(), here.goals.count()]).toEqual(['Nora', 1, 1]);
    expect(outcomesOf(imported(here, file))).toMatchObject({ users: { equal: 1 }, logs: { equal: 2 } });
  });

  test.each([
    ['comes back, by newest, with a log that was changed there after that', 'after', ['own', 'changed']],
    ['stays deleted, by newest, where a log was changed there before that', 'before', ['own']],
  ])('%s', (_, when, notes) => {
    const { there, here } = two();
    if (when === 'before') there.logs.update(1, { notes: 'changed' });
    later();
    here.users.delete(2);
    later();
    if (when === 'after') there.logs.update(1, { notes: 'changed' });
    const file = exported(there);
    imported(here, file, { onConflict: 'newest' });
    expect(notesOf(here)).toEqual(notes);
    const { length } = notes;
    expect([here.users.count(), here.routines.count(), here.goals.count()]).toEqual([
      length,
      length - 1,
      length - 1,
    ]);
    // It was settled.
    const seq = here.history.last();
    imported(here, file);
    expect(here.history.last()).toBe(seq);
  });

  test('comes back, by newest, for one log that is newer there than another of the user', () => {
    const { there, here } = two();
    there.logs.create(log({ notes: 'second' }));
    imported(here, exported(there));
    there.logs.update(1, { notes: 'before' });
    later();
    here.users.delete(2);
    later();
    there.logs.update(2, { notes: 'after' });
    imported(here, exported(there), { onConflict: 'newest' });
    expect(notesOf(here)).toEqual(['own', 'before', 'after']);
  });
});

describe('a user who was deleted there', () => {
  test('is deleted here with everything, by --mirror', () => {
    const { there, here } = two();
    there.users.delete(1);
    const file = exported(there);
    const { gone } = imported(here, file);
    expect(gone).toEqual([
      { record: 'user', id: 2 },
      { record: 'goal', id: 1 },
      { record: 'log', id: 2 },
      { record: 'routine', id: 1 },
    ]);
    imported(here, file, { mirror: true });
    expect([here.users.count(), notesOf(here), here.goals.count()]).toEqual([1, ['own'], 0]);
  });

  test('is in conflict with a record of the user that was made here', () => {
    const { there, here } = two();
    here.logs.create(log({ userId: 2, notes: 'at the practice' }));
    there.users.delete(1);
    const file = exported(there);
    expect(failure(() => imported(here, file, { mirror: true })).code).toBe('conflict');
    const { gone } = imported(here, file, { mirror: true, onConflict: 'overwrite', dryRun: true });
    expect(gone).toContainEqual({ record: 'log', id: 3 });
    imported(here, file, { mirror: true, onConflict: 'skip' });
    expect(notesOf(here)).toEqual(['own', 'at the practice']);
    expect(here.users.count()).toBe(2);
    // It was settled: the file changes nothing more.
    const seq = here.history.last();
    imported(here, file, { mirror: true });
    expect(here.history.last()).toBe(seq);
  });

  test('is not deleted when something was changed since it was agreed to', () => {
    const { there, here } = two();
    there.logs.delete(1);
    const file = exported(there);
    const { gone } = imported(here, file, { mirror: true, dryRun: true });
    expect(failure(() => imported(here, file, { mirror: true, agreedTo: [] })).code).toBe('conflict');
    imported(here, file, { mirror: true, agreedTo: gone });
    expect(notesOf(here)).toEqual(['own']);
  });
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
    const change = here.latestChange ?? 0;
    expect(change).toBe(0);
  });

  test('two routines of one name, made here and there, are one in conflict', () => {
    const { there, here } = two();
    there.routines.create({ userId: 1, name: 'Evening', exercises: exercises('Bridge') });
    here.routines.create({ userId: 2, name: 'EVENING', exercises: exercises('Plank') });
    const file = exported(there);
    expect(failure(() => imported(here, file)).code).toBe('conflict');
    imported(here, file, { onConflict: 'overwrite' });
    expect(here.routines.list().map(({ name }) => name)).toEqual(['Morning', 'Evening']);
    expect(outcomesOf(imported(here, file))).toMatchObject({ routines: { equal: 2 } });
  });

  test('a routine that got a name there which another has here is left out, at most', () => {
    const { there, here } = two();
    here.routines.create({ userId: 2, name: 'Evening', exercises: exercises('Plank') });
    there.routines.replace(1, { userId: 1, name: 'Evening', exercises: exercises('Cat-Cow') });
    const file = exported(there);
    for (const onConflict of ['refuse', 'overwrite', 'newest'] as const)
      expect(failure(() => imported(here, file, { onConflict })).code).toBe('conflict');
    imported(here, file, { onConflict: 'skip' });
    expect(here.routines.list().map(({ name }) => name)).toEqual(['Morning', 'Evening']);
  });
});

test('newest leaves what the file does not date', () => {
  const { there, here } = two();
  there.logs.update(1, { notes: 'there' });
  here.logs.update(2, { notes: 'here' });
  const file = { ...exported(there), lastChanges: [] };
  expect(failure(() => imported(here, file, { onConflict: 'newest' })).code).toBe('conflict');
  expect(notesOf(here)).toEqual(['own', 'here']);
});

test('newest compares the times of each record, not of another in the file', () => {
  const [there, here] = [freshStore(undefined, now), freshStore(undefined, now)];
  there.users.create(user());
  for (const notes of ['first', 'second', 'third']) there.logs.create(log({ notes }));
  imported(here, exported(there));
  there.logs.update(1, { notes: 'there, before' });
  there.logs.update(2, { notes: 'there, before' });
  later();
  for (const { id } of here.logs.list()) here.logs.update(id, { notes: 'here' });
  later();
  there.logs.update(3, { notes: 'there, after' });
  imported(here, exported(there), { onConflict: 'newest' });
  expect(notesOf(here)).toEqual(['here', 'here', 'there, after']);
});

test('newest leaves a record that the file does not date, though it dates others', () => {
  const [there, here] = [freshStore(), freshStore()];
  there.users.create(user());
  there.users.create(user({ lastName: 'Berg' }));
  there.users.update(1, { age: 50 });
  const older = exported(there);
  there.users.update(2, { age: 60 });
  imported(here, exported(there));
  expect(failure(() => imported(here, older, { onConflict: 'newest' })).code).toBe('conflict');
  expect(here.users.list().map(({ age }) => age)).toEqual([50, 60]);
});

test('another record under an id that is known is in conflict: two copies of one database sent files', () => {
  const [one, here] = [freshStore(), freshStore()];
  one.users.create(user());
  const path = freshPath();
  backup(one.path, path);
  const copy = freshStore(path);
  one.logs.create(log({ notes: 'in the one' }));
  copy.logs.create(log({ notes: 'in the copy' }));
  copy.logs.create(log({ notes: 'in the copy too' }));
  imported(here, exported(one));
  const file = exported(copy);
  expect(failure(() => imported(here, file)).code).toBe('conflict');
  expect(failure(() => imported(here, file, { onConflict: 'newest' })).code).toBe('conflict');
  expect(notesOf(here)).toEqual(['in the one']);
  imported(here, file, { onConflict: 'skip' });
  expect(notesOf(here)).toEqual(['in the one', 'in the copy too']);
  here.undo(here.latestChange ?? 0);
  expect(outcomesOf(imported(here, file, { onConflict: 'renumber' }))).toEqual({
    users: { equal: 1 },
    logs: { new: 1, renumbered: 1 },
  });
  expect(notesOf(here).sort()).toEqual(['in the copy', 'in the copy too', 'in the one']);
  expect(outcomesOf(imported(here, file))).toEqual({ users: { equal: 1 }, logs: { equal: 2 } });
});

test('a log that moved to another user there moves here', () => {
  const { there, here } = two();
  const { id: userId } = there.users.create(user({ firstName: 'Zoe' }));
  there.logs.update(1, { userId });
  imported(here, exported(there));
  const zoe = here.users.list().find(({ firstName }) => firstName === 'Zoe');
  expect(here.logs.get(2).userId).toBe(zoe?.id);
});

test('a file without its users comes to those that are known, and is refused for others', () => {
  const { there, here } = two();
  there.logs.create(log({ notes: 'second' }));
  const file = exported(there);
  const part = {
    ...file,
    records: { ...file.records, user: [] },
    origin: { ...file.origin, complete: false },
  };
  imported(here, part);
  expect(here.logs.list().map(({ userId }) => userId)).toEqual([1, 2, 2]);
  const strange = { ...part, origin: { ...part.origin, id: '0f6e2a52-95c4-4d39-a5a4-6d2c3a1f7b10' } };
  expect(failure(() => imported(here, strange)).code).toBe('invalid');
  imported(here, strange, { as: 1 });
  // Each log is there under another user.
  expect(here.logs.list().map(({ userId }) => userId)).toEqual([1, 2, 2, 1, 1]);
});

test('after the undo of an import under a user another one can come under the same', () => {
  const [there, here] = [freshStore(undefined, now), freshStore(undefined, now)];
  for (const [i, notes] of ['of the first', 'of the second'].entries()) {
    there.users.create(user({ email: `user-${i}@example.org` }));
    there.logs.create(log({ userId: i + 1, notes }));
  }
  here.users.create(user({ firstName: 'Own' }));
  const all = exported(there);
  const fileOf = (id: number) => ({
    ...all,
    origin: { ...all.origin, complete: false },
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
  expect(outcomesOf(imported(here, fileOf(2)))).toEqual({ users: { kept: 1 }, logs: { equal: 1 } });
});

describe('a user who was erased here', () => {
  const stored = (store: Store) => [store.users.count(), store.logs.count(), store.routines.count()];

  test('comes back from a file of another database only when that is said, as a new one', () => {
    const { there, here } = two();
    here.erase(2);
    const file = exported(there);
    for (const onConflict of ['refuse', 'renumber', 'newest'] as const) {
      expect(failure(() => imported(here, file, { onConflict })).code).toBe('conflict');
      expect(stored(here)).toEqual([1, 1, 0]);
    }
    expect(outcomesOf(imported(here, file, { onConflict: 'skip' }))).toMatchObject({ users: { skipped: 1 } });
    expect(stored(here)).toEqual([1, 1, 0]);
    // Nothing was noted by which the file would be known the next time.
    expect(dbOf(here).value('SELECT count(*) FROM counterparts')).toBe(0);
    expect(failure(() => imported(here, file)).code).toBe('conflict');
    expect(outcomesOf(imported(here, file, { onConflict: 'overwrite' }))).toMatchObject({
      users: { renumbered: 1 },
      logs: { renumbered: 1 },
    });
    expect(stored(here)).toEqual([2, 2, 1]);
    expect(outcomesOf(imported(here, file))).toMatchObject({ users: { equal: 1 }, logs: { equal: 1 } });
  });

  test('does not keep the others of the file away', () => {
    const { there, here } = two();
    here.erase(2);
    there.users.create(user({ lastName: 'Berg' }));
    there.logs.create(log({ userId: 2, notes: 'of Berg' }));
    imported(here, exported(there), { onConflict: 'skip' });
    expect(notesOf(here)).toEqual(['own', 'of Berg']);
  });

  test('does not get a record that moved to the user there', () => {
    const { there, here } = two();
    there.users.create(user({ lastName: 'Berg' }));
    imported(here, exported(there));
    here.erase(3);
    there.logs.update(1, { userId: 2 });
    imported(here, exported(there), { onConflict: 'skip' });
    expect(notesOf(here)).toEqual(['own', 'first']);
  });

  test('can be put under a user who is here', () => {
    const { there, here } = two();
    here.erase(2);
    imported(here, exported(there), { as: 1 });
    expect(notesOf(here)).toEqual(['own', 'first']);
  });

  test('comes back from a file of this database only when that is said', () => {
    const here = freshStore();
    for (const firstName of ['Own', 'Nora']) here.users.create(user({ firstName }));
    for (const userId of [1, 2]) here.logs.create(log({ userId }));
    const file = exported(here);
    here.erase(2);
    expect(failure(() => imported(here, file)).code).toBe('conflict');
    imported(here, file, { onConflict: 'skip' });
    expect([here.users.count(), here.logs.count()]).toEqual([1, 1]);
    imported(here, file, { onConflict: 'overwrite' });
    expect(here.logs.list()).toEqual(file.records.log);
  });
});

test('a file that is older than what was made there since names nothing as deleted', () => {
  const { there, here } = two();
  const older = exported(there);
  there.logs.create(log({ notes: 'second' }));
  imported(here, exported(there));
  const { gone, isOlder } = imported(here, older);
  expect([gone, isOlder]).toEqual([[], true]);
  expect(failure(() => imported(here, older, { mirror: true })).code).toBe('conflict');
  // As it was before: no other record.
  there.logs.update(1, { notes: 'changed' });
  imported(here, exported(there));
  expect(failure(() => imported(here, older, { onConflict: 'renumber' })).message).toContain('both sides');
  expect(notesOf(here)).toEqual(['own', 'changed', 'second']);
});
