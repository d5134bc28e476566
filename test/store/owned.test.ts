import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { exerciseTypes } from '../../src/domain/exercise-types.ts';
import type { RoutineInput } from '../../src/domain/routine.ts';
import type { OnConflict } from '../../src/store/maintenance/import/staging.ts';
import type { Store } from '../../src/store/store.ts';
import { dbOf, failure, freshStore, log, user } from './helpers.ts';

const routine = (fields: Partial<RoutineInput> = {}): RoutineInput => ({
  userId: 1,
  name: 'morning',
  exercises: [{ exerciseName: 'Bird Dog', exerciseType: 'strengthening' }],
  ...fields,
});
const goal = (sessionsPerWeek = 4, userId = 1) => ({ userId, sessionsPerWeek });

let store: Store;
beforeEach(() => {
  store = freshStore();
  for (const firstName of ['Nora', 'Ole']) store.users.create(user({ firstName }));
});

const last = () => store.history.list({ limit: 1 })[0]?.change ?? 0;
const all = (of = store) => ({ routines: of.routines.list(), goals: of.goals.list() });

describe('a user', () => {
  test.each<[string, string, boolean]>([
    ['morning', 'morning', true],
    ['morning', 'MORNING', true],
    ['Übung', 'übung', true],
    ['U\u0308bung', 'übung', true],
    ['morning', 'evening', false],
  ])('with %s has %s: %j', (one, other, isTaken) => {
    store.routines.create(routine({ name: one }));
    const add = () => store.routines.create(routine({ name: other }));
    if (isTaken)
      expect(failure(add)).toMatchObject({
        code: 'invalid',
        issues: [{ field: 'name', message: 'is the name of another routine of the user' }],
      });
    else expect(add()).toEqual({ id: 2, ...routine({ name: other }) });
    expect(store.routines.create(routine({ userId: 2, name: other })).userId).toBe(2);
  });

  test('keeps the name of a routine in other letters', () => {
    const { id } = store.routines.create(routine());
    expect(store.routines.update(id, routine({ name: 'Morning' })).name).toBe('Morning');
    store.routines.create(routine({ name: 'evening' }));
    expect(failure(() => store.routines.update(id, routine({ name: 'EVENING' }))).code).toBe('invalid');
  });

  test('has one goal', () => {
    store.goals.create(goal());
    const fault = { message: 'has a goal already', fault: { code: 'in-conflict' } };
    expect(failure(() => store.goals.create(goal(5))).issues).toEqual([{ field: 'userId', ...fault }]);
    const twice = () => store.goals.createAll([goal(4, 2), goal(5, 2)]);
    expect(failure(twice).issues).toEqual([{ field: '[1].userId', ...fault }]);
    store.goals.create(goal(5, 2));
    expect(store.goals.list({ userId: 2 })).toEqual([{ id: 2, userId: 2, sessionsPerWeek: 5 }]);
  });

  test.each(['routines', 'goals'] as const)('must be there for %s', (kind) => {
    const add = () =>
      kind === 'routines' ? store.routines.create(routine({ userId: 9 })) : store.goals.create(goal(4, 9));
    expect(failure(add).issues).toEqual([
      { field: 'userId', message: 'must be the id of an existing user', fault: { code: 'no-such-user' } },
    ]);
  });

  test('takes routines and goal along when deleted, and one undo brings all back', () => {
    store.routines.create(routine());
    store.goals.create(goal());
    const before = all();
    store.users.delete(1);
    expect(all()).toEqual({ routines: [], goals: [] });
    store.undo(last());
    expect(all()).toEqual(before);
  });
});

test('a view shows the records of its users only', () => {
  for (const userId of [1, 2]) {
    store.routines.create(routine({ userId }));
    store.goals.create(goal(4, userId));
  }
  const view = store.as({ users: [2] });
  expect(all(view)).toMatchObject({ routines: [{ userId: 2 }], goals: [{ userId: 2 }] });
  expect(view.routines.has(1)).toBe(false);
  expect(failure(() => view.routines.delete(1)).code).toBe('not-found');
  expect(failure(() => view.routines.create(routine({ name: 'x' }))).code).toBe('invalid');
  expect(view.changesAfter(0, 99).map(({ record, id }) => `${record} ${id}`)).toEqual([
    'user 2',
    'routine 2',
    'goal 2',
  ]);
});

describe('undo', () => {
  test('of each verb', () => {
    const { id } = store.routines.create(routine());
    const created = last();
    store.routines.update(id, routine({ name: 'evening' }));
    store.undo(last());
    expect(store.routines.get(id).name).toBe('morning');
    store.routines.delete(id);
    store.undo(last());
    expect(store.routines.get(id)).toEqual({ id, ...routine() });
    store.routines.update(id, routine({ name: 'evening' }));
    expect(failure(() => store.undo(created)).message).toMatch(/routine 1 was changed again/);
    store.undo(last());
    store.undo(created);
    expect(store.routines.has(id)).toBe(false);
  });

  test('refuses a routine whose name another has by now, and a user who has one', () => {
    const { id } = store.routines.create(routine());
    store.routines.delete(id);
    const deleted = last();
    store.routines.create(routine({ name: 'MORNING' }));
    expect(failure(() => store.undo(deleted))).toMatchObject({
      code: 'conflict',
      message: `Change ${deleted} cannot be undone: routine 2 has taken its place.`,
    });
    expect(failure(() => store.undo(1)).message).toMatch(
      /user 1 has routines that were recorded later \(1\)/,
    );
  });
});

test('erasing a user leaves nothing of routines and goals, and what others have', () => {
  store.routines.create(routine({ name: 'SECRET-NAME' }));
  store.goals.create(goal());
  store.routines.create(routine({ userId: 2 }));
  store.erase(1);
  expect(all()).toMatchObject({ routines: [{ userId: 2 }], goals: [] });
  const history = JSON.stringify(store.history.list());
  expect(history).not.toContain('SECRET-NAME');
  expect(store.history.list({ user: 1 })).toMatchObject([{ record: 'user', action: 'erase' }]);
});

test('erasing forgets what a routine was while it belonged to another', () => {
  store.routines.create(routine({ userId: 2, name: 'SECRET-NAME' }));
  store.routines.update(1, routine({ userId: 1, name: 'now' }));
  store.erase(1);
  expect(JSON.stringify(store.history.list())).not.toContain('SECRET-NAME');
});

describe('import', () => {
  const bring = async (records: object[], onConflict: OnConflict = 'refuse', into = store) => {
    const task = await into.import((at, noun) => `${noun} ${at}`);
    task.add(
      records.map((value, at) => ({ at, kind: 'sessionsPerWeek' in value ? 'goal' : 'routine', value })),
    );
    try {
      return task.apply({ onConflict, dryRun: false, sameIds: true });
    } catch {
      return task.faults.issues.map(({ at, field, message }) => `${at}: ${field} ${message}`);
    }
  };
  const taken = 'routine 0: name is the name of another routine of the user';
  const evening = {
    ...routine(),
    exercises: [{ exerciseName: 'Cat-Cow', exerciseType: 'stretch' as const }],
  };

  test.each<[string, object, OnConflict, object, string[]]>([
    ['the same, without id', routine(), 'refuse', { equal: 1 }, ['Bird Dog']],
    ['the same under another id', { id: 7, ...routine() }, 'refuse', { equal: 1 }, ['Bird Dog']],
    [
      'another of the name, to skip',
      { id: 7, ...evening, name: 'MORNING' },
      'skip',
      { skipped: 1 },
      ['Bird Dog'],
    ],
    [
      'another of the name, to overwrite',
      { id: 7, ...evening },
      'overwrite',
      { overwritten: 1 },
      ['Cat-Cow'],
    ],
    [
      'another with the id, to overwrite',
      { id: 1, ...evening },
      'overwrite',
      { overwritten: 1 },
      ['Cat-Cow'],
    ],
    ['another name', { ...evening, name: 'evening' }, 'refuse', { new: 1 }, ['Bird Dog', 'Cat-Cow']],
    [
      'another name with the id, to renumber',
      { id: 1, ...evening, name: 'x' },
      'renumber',
      { renumbered: 1 },
      ['Bird Dog', 'Cat-Cow'],
    ],
  ])('of %s', async (_, record, onConflict, counts, names) => {
    store.routines.create(routine());
    expect(await bring([record], onConflict)).toMatchObject({ counts: { routine: counts } });
    expect(store.routines.list().map(({ exercises }) => exercises[0]?.exerciseName)).toEqual(names);
  });

  test.each<[string, object[], OnConflict, string[]]>([
    ['another of the name', [{ id: 7, ...evening }], 'refuse', [taken]],
    ['another of the name, to renumber', [{ id: 7, ...evening }], 'renumber', [taken]],
    [
      'two of one name',
      [
        { ...evening, name: 'x' },
        { ...routine(), name: 'X' },
      ],
      'refuse',
      ['routine 1: name is the name of another routine of the user'],
    ],
    [
      'a routine of nobody',
      [routine({ userId: 9 })],
      'refuse',
      ['routine 0: userId must be the id of a user in the file or the database, and is 9'],
    ],
    [
      'a list with a fault',
      [{ ...routine(), exercises: [{ exerciseName: 'x' }] }],
      'refuse',
      ['routine 0: exercises[0].exerciseType is missing: it must be one of stretch, strengthening'],
    ],
    ['another goal', [goal(5)], 'refuse', ['goal 0: userId has a goal already']],
  ])('is refused with %s', async (_, records, onConflict, faults) => {
    store.routines.create(routine());
    store.goals.create(goal());
    const before = all();
    expect(await bring(records, onConflict)).toEqual(faults);
    expect(all()).toEqual(before);
  });

  test('may exchange two names', async () => {
    store.routines.create(routine());
    store.routines.create({ ...evening, name: 'evening' });
    await bring(
      [
        { id: 1, ...routine(), name: 'evening' },
        { id: 2, ...evening, name: 'morning' },
      ],
      'overwrite',
    );
    expect(store.routines.list().map(({ name }) => name)).toEqual(['evening', 'morning']);
  });

  test('of what was exported gives the same', async () => {
    const text = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 20 })
      .map((s) => `n${s.replaceAll('\0', '')}`);
    const exercise = fc.record({ exerciseName: text, exerciseType: fc.constantFrom(...exerciseTypes) });
    const routines = fc.uniqueArray(
      fc.record({
        name: text,
        exercises: fc.uniqueArray(exercise, {
          minLength: 1,
          maxLength: 5,
          selector: ({ exerciseName }) => exerciseName.normalize('NFC').toLowerCase().normalize('NFC'),
        }),
      }),
      { maxLength: 5, selector: ({ name }) => name.normalize('NFC').toLowerCase().normalize('NFC') },
    );
    await fc.assert(
      fc.asyncProperty(routines, fc.option(fc.integer({ min: 1, max: 100 })), async (list, perWeek) => {
        const [from, to] = [freshStore(), freshStore()];
        for (const each of [from, to]) each.users.create(user());
        for (const each of list) from.routines.create({ userId: 1, ...each });
        if (perWeek !== null) from.goals.create(goal(perWeek));
        const lines = [...from.routines.jsonRows(), ...from.goals.jsonRows()].flat();
        const before = [...from.routines.list(), ...from.goals.list()];
        expect(lines).toEqual(before.map((record) => JSON.stringify(record)));
        const result = await bring(
          lines.map((line) => JSON.parse(line)),
          'refuse',
          to,
        );
        expect(result).toMatchObject({ counts: { routine: { new: list.length } } });
        expect(all(to)).toEqual(all(from));
        const again = await bring(
          lines.map((line) => JSON.parse(line)),
          'refuse',
          to,
        );
        expect(again).toMatchObject({ counts: { routine: { equal: list.length, new: 0 } } });
        for (const each of [from, to]) each.close();
      }),
      { numRuns: 25 },
    );
  });
});

test('the exercises of a routine are held in the database too', () => {
  const db = dbOf(store);
  const set = (exercises: string) =>
    store.change(() =>
      db.run("INSERT INTO routines (userId, name, exercises) VALUES (1, 'x', ?)", exercises),
    );
  for (const wrong of ['x', '{}', '[]', `[${'1,'.repeat(50)}1]`]) expect(() => set(wrong)).toThrow();
  store.logs.create(log());
});
