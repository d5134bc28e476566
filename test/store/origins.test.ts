import { describe, expect, test } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { failure, freshStore, log, user } from './helpers.ts';
import { exported, imported, outcomesOf } from './origins.ts';

const exercises = (name: string) => [{ exerciseName: name, exerciseType: 'stretch' as const }];

/** A database with a user, a log, a routine and a goal; and one that has imported them under other ids. */
function two(): { there: Store; here: Store } {
  const [there, here] = [freshStore(), freshStore()];
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

test('erasing a user leaves nothing by which a file would know the records again', () => {
  const { there, here } = two();
  here.erase(2);
  expect(here.users.count()).toBe(1);
  expect(outcomesOf(imported(here, exported(there)))).toMatchObject({
    users: { renumbered: 1 },
    logs: { renumbered: 1 },
  });
});
