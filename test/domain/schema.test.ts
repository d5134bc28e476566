import { describe, expect, test } from 'vitest';
import { notFound } from '../../src/domain/errors.ts';
import { MAX_ID } from '../../src/domain/fields.ts';
import { checkEach, checksOf } from '../../src/domain/schema.ts';
import { failure, log, shown, user } from './samples.ts';

test.each([null, undefined, [], [log], 'text', '', 5, true].map((value) => [shown(value), value]))(
  '%s is no record',
  (_, value) => {
    for (const check of [checksOf('log').input, checksOf('log').patch, checksOf('user').input])
      expect(failure(() => check(value)).issues).toEqual([
        { field: 'body', message: 'must be a JSON object', fault: { code: 'wrong-type' } },
      ]);
  },
);

test.each([1, 'x', null, -5, {}])('an id of %j in what a client sends is ignored', (id) => {
  expect(checksOf('log').input({ id, ...log })).toStrictEqual(log);
  expect(checksOf('log').patch({ id, notes: '' })).toStrictEqual({ notes: '' });
  expect(checksOf('user').input({ ...user, id })).toStrictEqual(user);
});

test('an empty patch is nothing to change', () => expect(checksOf('log').patch({})).toStrictEqual({}));

describe('a record of a file', () => {
  test.each([1, 42, MAX_ID])('may have the id %d', (id) => {
    expect(checksOf('log').record({ id, ...log })).toStrictEqual({ id, ...log });
    expect(checksOf('user').record({ id, ...user })).toStrictEqual({ id, ...user });
  });
  test.each([undefined, 0, -1, 1.5, '1', null, MAX_ID + 1, 2 ** 53, Number.POSITIVE_INFINITY])(
    'may not have the id %j',
    (id) => {
      expect(failure(() => checksOf('log').record({ ...log, id })).issues[0]?.field).toBe('id');
      expect(failure(() => checksOf('user').record({ ...user, id })).issues[0]?.field).toBe('id');
    },
  );
});

describe('a field that does not exist is refused', () => {
  test.each([
    ['pain_level', 'painLevel'],
    ['PainLevel', 'painLevel'],
    ['painlevel', 'painLevel'],
    ['pain level', 'painLevel'],
    ['e-mail', 'email'],
    ['firstname', 'firstName'],
    ['diagnosis_date', 'diagnosisDate'],
  ])('%s: did you mean %s?', (name, meant) => {
    const value = { ...user, [name]: 1 };
    expect(failure(() => checksOf('user').input(value)).issues).toEqual([
      {
        field: name,
        message: `is not a field here (did you mean ${meant}?)`,
        fault: { code: 'unknown' },
      },
    ]);
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype', '', 'weather'])(
    '%j, without a suggestion',
    (name) => {
      const record = JSON.stringify(log).replace('}', `,${JSON.stringify(name)}:{"userId":2}}`);
      const error = failure(() => checksOf('log').input(JSON.parse(record)));
      expect(error.issues).toEqual([
        { field: name, message: 'is not a field here', fault: { code: 'unknown' } },
      ]);
    },
  );

  test('also where it would stand for a required one', () => {
    const { painLevel, ...rest } = user;
    const error = failure(() => checksOf('user').input({ ...rest, pain_level: painLevel }));
    expect(error.issues.map(({ field }) => field).sort()).toStrictEqual(['painLevel', 'pain_level']);
  });

  test('of 60 characters with its whole name, of more with the beginning', () => {
    const named = (length: number) =>
      failure(() => checksOf('log').input({ ...log, ['x'.repeat(length)]: 1 })).issues[0]?.field;
    expect([named(60), named(61)]).toEqual(['x'.repeat(60), `${'x'.repeat(60)}…`]);
  });

  test('by no more than 60 characters of its name, cut between characters', () => {
    const [issue] = failure(() =>
      checksOf('log').input({ ...log, [`${'x'.repeat(59)}\u{1F9D8}${'y'.repeat(999)}`]: 1 }),
    ).issues;
    expect(issue?.field.length).toBeLessThanOrEqual(61);
    expect(issue?.field.isWellFormed()).toBe(true);
  });
});

describe('a null for an optional field', () => {
  const taken = { ...log, medication: null };
  test('says in a new record that it has none', () => {
    expect(checksOf('log').input(taken)).toStrictEqual(log);
    expect(checksOf('log').record({ id: 1, ...taken })).toStrictEqual({ id: 1, ...log });
  });
  test('clears it in a record that is replaced or changed', () => {
    expect(checksOf('log').replacement(taken)).toStrictEqual(taken);
    expect(checksOf('log').patch({ medication: null, notes: undefined })).toStrictEqual({ medication: null });
  });
  test('is none for a field that all have', () => {
    expect(failure(() => checksOf('log').patch({ notes: null })).issues).toMatchObject([{ field: 'notes' }]);
  });
});

describe('a list', () => {
  const bridge = { exerciseName: 'Bridge', exerciseType: 'strengthening' };
  const of = (exercises: unknown) => failure(() => checksOf('routine').patch({ exercises })).issues;
  test.each<[unknown, string, object]>([
    [
      Array.from({ length: 51 }, (_, i) => ({ ...bridge, exerciseName: `${i}` })),
      'exercises',
      { code: 'out-of-range', minimum: 1, maximum: 50 },
    ],
    [['Bridge'], 'exercises[0]', { code: 'wrong-type' }],
    [
      [bridge, { ...bridge, exerciseName: ' ' }],
      'exercises[1].exerciseName',
      { code: 'blank', minLength: 1 },
    ],
    [
      [bridge, { ...bridge, exerciseName: 'Plank' }, { ...bridge, exerciseName: 'BRIDGE' }],
      'exercises[2].exerciseName',
      { code: 'repeated' },
    ],
  ])('%j: the fault of %s', (exercises, field, fault) => {
    expect(of(exercises)).toMatchObject([{ field, fault }]);
  });

  test('takes 50 and names what is unknown in one without a field of the whole', () => {
    const exercises = Array.from({ length: 50 }, (_, i) => ({ ...bridge, exerciseName: `${i}` }));
    expect(checksOf('routine').patch({ exercises })).toEqual({ exercises });
    expect(of([{ ...bridge, exercise: 1 }])[0]?.message).toBe('is not a field here');
  });
});

describe('records together', () => {
  const check = checksOf('log').input;
  test('are 1 to 500', () => {
    expect(checkEach(Array(500).fill(log), check)).toHaveLength(500);
    for (const count of [0, 501])
      expect(failure(() => checkEach(Array(count).fill(log), check)).issues).toMatchObject([
        { field: 'body', fault: { code: 'out-of-range', minimum: 1, maximum: 500 } },
      ]);
  });
  test('have their faults named by their places', () => {
    const { issues } = failure(() => checkEach([log, { ...log, painAfter: 11 }, 7], check));
    expect(issues.map(({ field }) => field)).toEqual(['[1].painAfter', '[2]']);
  });
  test('of which one cannot be looked up are no fault of the input', () => {
    const missing = () => {
      throw notFound('log', 7);
    };
    expect(() => checkEach([log], missing)).toThrow('There is no log 7.');
  });
});

test('inherited fields do not count', () => {
  expect(failure(() => checksOf('log').input(Object.create(log))).issues).toHaveLength(8);
});

test('all faults at once, one for each field', () => {
  const value = {
    painBefore: 0,
    painAfter: '11',
    effective: 'yes',
    exerciseType: 'yoga',
    date: '2025-02-30',
    mood: 1,
  };
  const error = failure(() => checksOf('log').input(value));
  expect(error.issues.map(({ field }) => field).sort()).toStrictEqual(
    [
      'date',
      'effective',
      'exerciseName',
      'exerciseType',
      'mood',
      'notes',
      'painAfter',
      'painBefore',
      'userId',
    ].sort(),
  );
  for (const { field, message } of error.issues) expect(error.message).toContain(`${field} ${message}`);
});

test('no message repeats a value', () => {
  const secret = 'S3CRET-\u{1F9D8}';
  const fields = [...Object.keys(user), ...Object.keys(log)];
  for (const value of [
    secret,
    secret.repeat(2000),
    `${secret}\0`,
    `${secret}\uD800`,
    [secret],
    { [secret]: secret },
  ])
    for (const field of fields)
      for (const check of [checksOf('log').patch, checksOf('user').input])
        expect(JSON.stringify(messages(check, { [field]: value }))).not.toContain('S3CRET');
});

function messages(check: (value: unknown) => unknown, value: unknown): unknown {
  try {
    check(value);
    return [];
  } catch (error) {
    return [(error as Error).message, (error as { issues?: unknown }).issues];
  }
}
