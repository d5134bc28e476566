import { describe, expect, test } from 'vitest';
import { MAX_ID } from '../../src/domain/fields.ts';
import { checkSent } from '../../src/store/records/checks.ts';
import { log as aLog, dbOf, failure, filledStore, freshStore, user } from './helpers.ts';

function withUser() {
  const store = freshStore();
  store.users.create(user());
  return store;
}

describe('users', () => {
  test('are created with ids that grow, and come back as they were sent', () => {
    const { users } = freshStore();
    expect(users.create(user())).toStrictEqual({ id: 1, ...user() });
    expect(users.create(user())).toStrictEqual({ id: 2, ...user() });
    expect(users.get(2)).toStrictEqual({ id: 2, ...user() });
    expect(users.list()).toStrictEqual([users.get(1), users.get(2)]);
    expect(users.count()).toBe(2);
    expect([users.has(2), users.has(3)]).toEqual([true, false]);
  });

  test('change in the fields that are given', () => {
    const { users } = withUser();
    expect(users.update(1, { painLevel: 2 })).toStrictEqual({ id: 1, ...user({ painLevel: 2 }) });
    expect(users.update(1, {})).toStrictEqual({ id: 1, ...user({ painLevel: 2 }) });
    expect(users.update(1, user({ age: 50 }))).toStrictEqual({ id: 1, ...user({ age: 50 }) });
  });

  test('go with all of their logs, and no others', () => {
    const store = filledStore(10);
    expect(store.users.delete(1).id).toBe(1);
    expect(store.logs.list().map(({ userId }) => userId)).toEqual([2, 2, 2, 2, 2]);
  });

  test.each(['get', 'json', 'delete'] as const)('%s of one who is not there', (verb) => {
    expect(failure(() => freshStore().users[verb](7))).toMatchObject({
      code: 'not-found',
      message: 'There is no user 7.',
    });
  });
  test('update of one who is not there', () =>
    expect(failure(() => freshStore().users.update(7, {})).code).toBe('not-found'));
});

describe('logs', () => {
  test('are created, changed and deleted', () => {
    const { logs } = withUser();
    expect(logs.create(aLog())).toStrictEqual({ id: 1, ...aLog() });
    expect(logs.update(1, { effective: false })).toStrictEqual({ id: 1, ...aLog({ effective: false }) });
    expect(logs.get(1).effective).toBe(false);
    expect(logs.delete(1)).toStrictEqual({ id: 1, ...aLog({ effective: false }) });
    expect(logs.find(1)).toBeUndefined();
    for (const verb of ['get', 'json', 'delete'] as const)
      expect(failure(() => logs[verb](1)).message).toBe('There is no log 1.');
    expect(failure(() => logs.update(1, {})).code).toBe('not-found');
  });

  test.each([2, MAX_ID])('need a user who is there, not %d', (userId) => {
    const store = withUser();
    const { logs } = store;
    logs.create(aLog());
    const fault = { code: 'no-such-user' };
    const issues = [{ field: 'userId', message: 'must be the id of an existing user', fault }];
    expect(failure(() => logs.create(aLog({ userId }))).issues).toEqual(issues);
    expect(failure(() => logs.update(1, { userId })).issues).toEqual(issues);
    expect(failure(() => logs.createAll([aLog(), aLog({ userId })])).issues).toEqual([
      { field: '[1].userId', message: 'must be the id of an existing user', fault },
    ]);
    expect(failure(() => logs.restore({ id: 5, ...aLog({ userId }) })).issues).toEqual(issues);
    expect(logs.list()).toStrictEqual([{ id: 1, ...aLog() }]);
  });

  test('a missing user is told with all other faults', () => {
    const store = withUser();
    const error = failure(() =>
      checkSent(store.users, 'log', 'input', { ...aLog(), userId: 9, painBefore: 99 }),
    );
    expect(error.issues.map(({ field }) => field)).toEqual(['painBefore', 'userId']);
  });

  test.each([0, -1, 1.5, '1', null, MAX_ID + 1, 2 ** 53])(
    'a userId of %j is one fault, not two',
    (userId) => {
      const store = withUser();
      for (const how of ['input', 'patch'] as const)
        expect(
          failure(() => checkSent(store.users, 'log', how, { ...aLog(), userId })).issues.map(
            ({ field }) => field,
          ),
        ).toEqual(['userId']);
    },
  );

  test.each([
    [{}, () => true],
    [{ userId: 1 }, (log: { userId: number }) => log.userId === 1],
    [{ userId: 3 }, () => false],
    [{ exerciseType: 'stretch' }, (log: { exerciseType: string }) => log.exerciseType === 'stretch'],
    [{ exerciseName: 'Brücke' }, (log: { exerciseName: string }) => log.exerciseName === 'Brücke'],
    [{ exerciseName: 'BRIDGE' }, () => false],
    [{ exerciseName: "' OR 1=1 --" }, () => false],
    [{ effective: true }, (log: { effective: boolean }) => log.effective],
    [{ effective: false }, (log: { effective: boolean }) => !log.effective],
    [{ since: '2026-02-15' }, (log: { date: string }) => log.date >= '2026-02-15'],
    [{ until: '2026-02-15' }, (log: { date: string }) => log.date <= '2026-02-15'],
    [{ since: '2026-02-15', until: '2026-02-15' }, (log: { date: string }) => log.date === '2026-02-15'],
    [{ since: '2026-03-01', until: '2026-02-01' }, () => false],
    [
      { userId: 2, exerciseType: 'strengthening', effective: true, since: '2026-02-01' },
      (log: { userId: number; exerciseType: string; effective: boolean; date: string }) =>
        log.userId === 2 && log.exerciseType === 'strengthening' && log.effective && log.date >= '2026-02-01',
    ],
  ] as const)('filtered by %j', (filter, matches) => {
    const { logs } = filledStore(120);
    const expected = logs.list().filter(matches);
    expect(logs.list(filter)).toStrictEqual(expected);
    expect(logs.count(filter)).toBe(expected.length);
    expect([...logs.chunks(filter)].flat()).toStrictEqual(expected);
    expect(logs.list({ ...filter, limit: 3 })).toStrictEqual(expected.slice(0, 3));
  });

  test('exercises, the latest first, each with the type of its latest session', () => {
    const { users, logs } = withUser();
    users.create(user());
    const names = () => logs.exercises().map(({ exerciseName }) => exerciseName);
    expect(logs.exercises()).toEqual([]);
    logs.create(aLog({ exerciseName: 'A', date: '2026-03-01', exerciseType: 'stretch' }));
    logs.create(aLog({ exerciseName: 'A', date: '2026-01-01', exerciseType: 'strengthening' }));
    logs.create(aLog({ exerciseName: 'B', date: '2026-03-01', exerciseType: 'stretch', userId: 2 }));
    logs.create(aLog({ exerciseName: 'B', date: '2026-03-01', exerciseType: 'strengthening', userId: 2 }));
    expect(logs.exercises()).toStrictEqual([
      { exerciseName: 'B', exerciseType: 'strengthening', sessions: 2, date: '2026-03-01' },
      { exerciseName: 'A', exerciseType: 'stretch', sessions: 2, date: '2026-03-01' },
    ]);
    expect(logs.exercises(1).map(({ exerciseName }) => exerciseName)).toEqual(['A']);
    logs.create(aLog({ exerciseName: 'A', date: '2026-03-02' }));
    expect(names()).toEqual(['A', 'B']);
    // Of the same day, the ids 9 and 10 are the latest.
    for (const exerciseName of ['C', 'D', 'D', 'E', 'F'])
      logs.create(aLog({ exerciseName, date: '2026-03-02' }));
    expect(names()).toEqual(['F', 'E', 'D', 'C', 'A', 'B']);
  });
});

describe('an id is never used again', () => {
  test('after the highest was deleted', () => {
    const { users, logs } = withUser();
    logs.create(aLog());
    logs.delete(logs.create(aLog()).id);
    expect(logs.create(aLog()).id).toBe(3);
    users.delete(users.create(user()).id);
    expect(users.create(user()).id).toBe(3);
  });

  test('after a user went with all logs', () => {
    const { users, logs } = withUser();
    expect(logs.create(aLog()).id).toBe(1);
    users.delete(1);
    const userId = users.create(user()).id;
    expect(userId).toBe(2);
    expect(logs.create(aLog({ userId })).id).toBe(2);
  });

  test('after a record with a high id was restored and deleted', () => {
    const { users } = withUser();
    users.restore({ id: 1000, ...user() });
    users.delete(1000);
    expect(users.create(user()).id).toBe(1001);
  });

  test('nor is one beyond the largest given', () => {
    const { users } = withUser();
    users.restore({ id: MAX_ID, ...user() });
    expect(failure(() => users.create(user())).code).toBe('full');
    expect(failure(() => users.create(user())).code).toBe('full');
    expect(users.count()).toBe(2);
  });
});

describe('a guard', () => {
  const refuse = () => {
    throw new Error('refused');
  };
  test('sees the record as it is, and stops the change', () => {
    const { users, logs } = withUser();
    logs.create(aLog());
    const seen: string[] = [];
    logs.update(1, { notes: 'new' }, (json) => seen.push(json));
    users.update(1, { age: 1 }, (json) => seen.push(json));
    expect(seen).toEqual([JSON.stringify({ id: 1, ...aLog() }), JSON.stringify({ id: 1, ...user() })]);
    for (const change of [
      () => logs.update(1, { notes: 'newer' }, refuse),
      () => logs.delete(1, refuse),
      () => users.update(1, { age: 2 }, refuse),
      () => users.delete(1, refuse),
    ])
      expect(change).toThrow('refused');
    expect(logs.get(1).notes).toBe('new');
    expect(users.get(1).age).toBe(1);
  });
});

describe('a transaction', () => {
  test('that fails leaves no trace', () => {
    const store = withUser();
    expect(() =>
      store.change(() => {
        store.users.create(user());
        store.change(() => store.logs.create(aLog()));
        store.users.delete(1);
        throw new Error('enough');
      }),
    ).toThrow('enough');
    expect(dbOf(store).inTransaction).toBe(false);
    expect(store.users.list()).toStrictEqual([{ id: 1, ...user() }]);
    expect(store.logs.count()).toBe(0);
  });

  test('within another is a part of it', () => {
    const store = withUser();
    const id = store.change(() => store.change(() => store.logs.create(aLog())).id);
    expect(store.logs.get(id)).toStrictEqual({ id, ...aLog() });
  });

  test('that reads sees one moment', () => {
    const store = withUser();
    const other = freshStore(store.path);
    store.read(() => {
      expect(store.users.count()).toBe(1);
      other.users.create(user());
      expect(store.users.count()).toBe(1);
    });
    expect(store.users.count()).toBe(2);
  });
});

test('settings are kept', () => {
  const store = freshStore();
  expect(store.settings.get('user')).toBeUndefined();
  store.settings.set('user', '1');
  store.settings.set('user', '2');
  expect(freshStore(store.path).settings.get('user')).toBe('2');
});
