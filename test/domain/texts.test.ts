import { describe, expect, test } from 'vitest';
import { fromCells, fromTexts, shown, toCell, toText } from '../../src/domain/codec.ts';
import { suggestEffective } from '../../src/domain/effective.ts';
import { describeIssue, type Issue, invalid, notFound, Outdated, tried } from '../../src/domain/errors.ts';
import { exerciseTypes } from '../../src/domain/exercise-types.ts';
import { expectation } from '../../src/domain/field-kinds.ts';
import type { Field } from '../../src/domain/fields.ts';
import { logFields } from '../../src/domain/log.ts';
import { routineFields } from '../../src/domain/routine.ts';
import { parseFields, parseSort } from '../../src/domain/sort.ts';
import { trialFields } from '../../src/domain/trial.ts';
import { userFields } from '../../src/domain/user.ts';
import { foldedName } from '../../src/domain/words/match.ts';
import { closest, didYouMean } from '../../src/domain/words/suggest.ts';
import { failure } from './samples.ts';

describe('fromTexts', () => {
  test.each([
    ['userId', '3', 3],
    ['userId', '007', 7],
    ['userId', '-1', -1],
    ['userId', '9'.repeat(400), Number.POSITIVE_INFINITY],
    ['userId', '', ''],
    ['userId', '3.0', '3.0'],
    ['userId', '1e3', '1e3'],
    ['userId', '0x10', '0x10'],
    ['userId', '+3', '+3'],
    ['userId', ' 3', ' 3'],
    ['userId', '3\n', '3\n'],
    ['userId', '٣', '٣'],
    ['userId', 'abc', 'abc'],
    ['effective', 'true', true],
    ['effective', 'false', false],
    ['effective', '1', '1'],
    ['effective', 'TRUE', 'TRUE'],
    ['effective', '', ''],
    ['notes', '5', '5'],
    ['notes', 'true', 'true'],
    ['date', '20260101', '20260101'],
    ['exerciseType', 'yoga', 'yoga'],
    ['unknown', '5', '5'],
    ['constructor', '5', '5'],
  ])('%s=%s', (name, text, value) => {
    expect(fromTexts(logFields, { [name]: text })).toStrictEqual({ [name]: value });
  });

  test('__proto__ stays a name like any other', () => {
    const values = fromTexts(logFields, JSON.parse('{"__proto__":"5"}') as Record<string, string>);
    expect(Object.getPrototypeOf(values)).toBe(Object.prototype);
    expect(Object.entries(values)).toStrictEqual([['__proto__', '5']]);
  });
});

describe('a value', () => {
  const { exercises } = routineFields;
  const { example } = exercises;
  const json = JSON.stringify(example);

  test.each<[Field, unknown, string | number | null, text: string, shown: string]>([
    [logFields.painAfter, 4, 4, '4', '4'],
    [logFields.effective, true, 1, 'true', 'yes'],
    [logFields.effective, false, 0, 'false', 'no'],
    [exercises, example, json, json, 'Piriformis Stretch, Bird Dog'],
    [logFields.effective, undefined, null, '', ''],
  ])('of $label, %j', (field, value, cell, text, words) => {
    expect([toCell(field, value), toText(value), shown(field, value)]).toEqual([cell, text, words]);
    expect(fromCells({ field }, () => cell)).toEqual(value === undefined ? {} : { field: value });
    if (cell === null)
      expect([toCell(field, null), toText(null), shown(field, null)]).toEqual([null, '', '']);
    else expect(fromTexts({ field }, { field: text })).toEqual({ field: value });
  });

  test.each<[Field, string | number]>([
    [logFields.effective, 7],
    [exercises, '{'],
  ])('of $label that no value makes stays as it is, for the schema to refuse: %j', (field, cell) =>
    expect(fromCells({ field }, () => cell)).toEqual({ field: cell }),
  );
});

test.each([
  ['BIRD Dog', 'bird dog'],
  ['U\u0308bung', 'übung'],
  ['\u0130\u0316', 'i\u0316\u0307'],
])('%j and %j are one name', (one, other) => expect(foldedName(one)).toBe(foldedName(other)));

describe('parseSort', () => {
  const known = ['id', 'userId', 'date', 'notes'];
  const key = (field: string, descending = false) => ({ field, descending });
  test.each([
    ['id', [key('id')]],
    ['-id', [key('id', true)]],
    ['date', [key('date'), key('id')]],
    ['-date,id', [key('date', true), key('id')]],
    ['-date,-id', [key('date', true), key('id', true)]],
    ['id,date', [key('id'), key('date')]],
  ])('%s', (text, keys) => expect(parseSort(text, known)).toStrictEqual(keys));

  test.each([
    ['', 'must name fields'],
    ['-', 'must name fields'],
    ['date,', 'must name fields'],
    ['--date', 'must name fields'],
    [' date', 'must name fields of the record (did you mean date?): '],
    ['Date', '(did you mean date?)'],
    ['constructor', 'must name fields'],
    ['__proto__', 'must name fields'],
    ['id;--', 'must name fields'],
    ['date,-date', 'names date twice'],
  ])('%j is refused', (text, message) => {
    const error = failure(() => parseSort(text, known));
    expect(error.code).toBe('invalid');
    expect(error.issues[0]).toMatchObject({
      field: 'sort',
      message: expect.stringContaining(message),
      fault: { code: message.includes('twice') ? 'repeated' : 'unknown' },
    });
  });

  test('names the fields to show as well', () => {
    expect(parseFields('notes,id', known)).toEqual(['notes', 'id']);
    expect(failure(() => parseFields('id,id', known)).message).toBe('fields names id twice');
  });
});

describe('closest', () => {
  const names = ['Piriformis Stretch', 'Cat-Cow', 'Glute Bridge'];
  test.each([
    ['Piriformis strech', 'Piriformis Stretch'],
    ['piriformis-stretch', 'Piriformis Stretch'],
    ['PIRIFORMIS  STRETCH', 'Piriformis Stretch'],
    ['cat cow', 'Cat-Cow'],
    ['glut bridge', 'Glute Bridge'],
    ['Ｃａｔ Ｃｏｗ', 'Cat-Cow'],
    ['pirformis', 'Piriformis Stretch'],
    ['strech pirifromis', 'Piriformis Stretch'],
    ['brigde', 'Glute Bridge'],
    ['piry', 'Piriformis Stretch'],
    ['pixy', undefined],
    ['pxr', undefined],
    ['cow stretch', undefined],
    ['Swimming', undefined],
    ['', undefined],
    ['   ', undefined],
  ])('%j: %j', (text, name) => expect(closest(text, names)).toBe(name));

  test('of several, the nearest; of equals, the first', () => {
    expect(closest('dtae', ['date', 'dtxx'])).toBe('date');
    expect(closest('stretcj', ['stretchx', 'stretch'])).toBe('stretch');
    expect(closest('abcd', ['abcx', 'abcy'])).toBe('abcx');
    expect(closest('ab', ['abc'])).toBe('abc');
  });
  test.each([
    ['before', 'painBefore'],
    ['pain_befor', 'painBefore'],
    ['name', 'exerciseName'],
    ['Type', 'exerciseType'],
    ['User', 'userId'],
  ])('of fields, %s: %s', (text, name) => expect(closest(text, Object.keys(logFields))).toBe(name));
  test('nothing from nothing', () => expect(closest('a', [])).toBeUndefined());
  test('as words', () => {
    expect(didYouMean('pain_level', ['painLevel'])).toBe(' (did you mean painLevel?)');
    expect(didYouMean('x'.repeat(100), ['xx', 'x'.repeat(99)])).toContain(
      ` (did you mean ${'x'.repeat(99)}?)`,
    );
    expect(didYouMean('x'.repeat(101), ['x'.repeat(100)])).toBe('');
  });
});

test.each([
  [6, 4, true],
  [4, 4, false],
  [4, 6, false],
  [10, 1, true],
])('from %d to %d suggests that it helped: %s', (before, after, helped) =>
  expect(suggestEffective(before, after)).toBe(helped),
);

test.each([
  [userFields.firstName, 'text of 1 to 100 characters, not only spaces'],
  [logFields.notes, 'text of 0 to 10,000 characters'],
  [userFields.email, 'an e-mail address such as nora@example.org, at most 254 characters'],
  [userFields.age, 'a whole number from 0 to 130'],
  [logFields.painBefore, 'a whole number from 1 to 10'],
  [logFields.userId, 'a whole number, 1 or more'],
  [trialFields.seed, 'a whole number from 0 to 2,147,483,647'],
  [routineFields.exercises, 'a list of 1 to 50 objects with exerciseName and exerciseType'],
  [logFields.effective, 'true or false'],
  [logFields.date, 'a calendar day as YYYY-MM-DD'],
  [logFields.exerciseType, `one of ${exerciseTypes.join(', ')}`],
])('$label must be …', (field, words) => expect(expectation(field)).toBe(words));

test('faults are gathered, and any other error is thrown', () => {
  const issues: Issue[] = [];
  const fault = { field: 'a', message: 'is x' };
  expect(
    tried(issues, () => {
      throw invalid([fault]);
    }),
  ).toBeUndefined();
  expect(issues).toEqual([fault]);
  expect(() =>
    tried(issues, () => {
      throw notFound('log', 7);
    }),
  ).toThrow('There is no log 7.');
});

test('errors read as one line', () => {
  expect(describeIssue({ at: 'line 3', field: 'age', message: 'must be old' })).toBe(
    'line 3: age must be old',
  );
  expect(
    invalid([
      { field: 'a', message: 'is x' },
      { field: 'b', message: 'is y' },
    ]).message,
  ).toBe('a is x; b is y');
  expect(notFound('log', 7)).toMatchObject({ code: 'not-found', message: 'There is no log 7.' });
  expect(new Outdated(5, 'restored').message).toContain('since 5 are not all there: a backup was restored.');
  expect(new Outdated(5, 'erased').message).toContain('somebody was erased');
});
