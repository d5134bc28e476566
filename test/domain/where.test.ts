import { describe, expect, test } from 'vitest';
import type { Issue } from '../../src/domain/errors.ts';
import { filtersOf, operatorsOf } from '../../src/domain/filter.ts';
import { logRecord } from '../../src/domain/log.ts';
import { routineFields } from '../../src/domain/routine.ts';
import { userFields } from '../../src/domain/user.ts';
import { Conditions } from '../../src/domain/where.ts';

const conditions = new Conditions(logRecord);

function read(...asked: [filter: string, text: string][]) {
  const issues: Issue[] = [];
  const found = conditions.read(
    asked.map(([filter, text], i) => ({ filter, name: `${filter} ${i}`, text })),
    issues,
  );
  return { found, issues };
}

test.each([
  [logRecord.exerciseName, 'eq ne like'],
  [logRecord.exerciseType, 'eq ne like'],
  [logRecord.painAfter, 'eq ne gte lte gt lt'],
  [logRecord.effective, 'eq ne'],
  [logRecord.date, 'eq ne gte lte gt lt like'],
  [userFields.diagnosisDate, 'eq ne gte lte gt lt'],
  [userFields.email, 'eq ne like'],
  [routineFields.exercises, ''],
])('$label takes the operators %s', (field, names) => expect(operatorsOf(field).join(' ')).toBe(names));

describe('a filter given again', () => {
  test.each(['painAfter', 'painAfter_ne'])('%s has several values', (filter) =>
    expect(read([filter, '3'], [filter, '4'])).toMatchObject({ found: [{ values: [3, 4] }], issues: [] }),
  );

  test.each(['painAfter_gte', 'painAfter_lte', 'painAfter_gt', 'painAfter_lt'])('%s is refused', (filter) =>
    expect(read([filter, '3'], [filter, '4']).issues).toEqual([
      { field: `${filter} 1`, message: 'is given twice: give it once', fault: { code: 'repeated' } },
    ]),
  );

  test('contains any of several texts', () =>
    expect(read(['notes_like', 'a'], ['notes_like', 'b'])).toMatchObject({
      found: [{ values: ['a', 'b'] }],
    }));
});

test('500 values are read, and of more the first that is too many is named', () => {
  const many = (count: number) => read(...Array.from({ length: count }, (): [string, string] => ['id', '3']));
  expect(many(500).issues).toEqual([]);
  expect(many(501)).toEqual({
    found: [],
    issues: [{ field: 'id 500', message: 'is one of more than 500 values' }],
  });
});

test.each([
  ['userId', '0', false],
  ['userId_ne', '0', false],
  ['userId_gte', '0', true],
  ['userId_lt', '9007199254740991', true],
  ['userId', '9007199254740991', true],
  ['painAfter', '11', false],
  ['notes_like', 'x'.repeat(200), true],
  ['notes_like', 'x'.repeat(201), false],
  ['notes_like', ' ', false],
])('%s takes %s: %s', (filter, text, taken) => {
  const { found, issues } = read([filter, text]);
  expect([found.length, issues.length]).toEqual(taken ? [1, 0] : [0, 1]);
  for (const { fault } of issues) expect(fault?.code).toMatch(/out-of-range|too-long|blank/);
});

test('there is a filter only for what a record has', () => {
  expect(['id_gte', 'constructor', 'mood'].map((name) => conditions.has(name))).toEqual([true, false, false]);
  expect(filtersOf(logRecord)['painAfter_gt']?.field.help).toBe(`${logRecord.painAfter.help}: is more than`);
});
