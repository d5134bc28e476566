import { expect, test } from 'vitest';
import type { Field } from '../../src/domain/fields.ts';
import { logFields, logFilterFields } from '../../src/domain/log.ts';
import { textMeant } from '../../src/domain/typed.ts';
import { userFields } from '../../src/domain/user.ts';

test.each<[Field, string, string]>([
  [logFields.date, 'yesterday', '2026-03-01'],
  [logFields.date, 'march', 'march'],
  [logFilterFields.until, 'march', '2026-03-31'],
  [userFields.diagnosisDate, '2024', '2024-01-01'],
  [logFields.painBefore, 'six', '6'],
  [userFields.age, 'six', 'six'],
  [userFields.age, '４２', '42'],
  [logFields.date, '２０２６-０３-０１', '2026-03-01'],
  [logFields.notes, '７', '７'],
  [logFields.exerciseType, 'stret', 'stretch'],
  [logFields.exerciseType, 'str', 'str'],
  [logFields.notes, 'six', 'six'],
])('for $label, %j means %j', (field, text, meant) =>
  expect(textMeant(field, text, '2026-03-02')).toBe(meant),
);
