import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import type { Field, Fields } from '../../src/domain/fields.ts';
import { logFields, logRecord } from '../../src/domain/log.ts';
import { routineKind } from '../../src/domain/routine.ts';
import { checksOf, inputOf, plainCheckOf } from '../../src/domain/schema.ts';
import { userFields } from '../../src/domain/user.ts';
import { log } from './samples.ts';

/** Values at and beyond the bounds of a field, and of other kinds. */
const valuesOf = (field: Field): fc.Arbitrary<unknown> => {
  const any = fc.oneof(fc.constantFrom(null, undefined, true, 'x', 1, 1.5, -0, Number.NaN), fc.anything());
  const own = {
    integer: () => fc.integer({ min: -1, max: 12 }),
    boolean: () => fc.boolean(),
    date: () =>
      fc
        .tuple(
          fc.constantFrom('0000', '1900', '2000', '2024', '2025', '9999'),
          fc.integer({ min: 0, max: 13 }),
          fc.integer({ min: 0, max: 32 }),
        )
        .map(([year, ...rest]) => [year, ...rest.map((part) => String(part).padStart(2, '0'))].join('-')),
    choice: () => fc.constantFrom('stretch', 'strengthening', 'Stretch', 'toString'),
    text: () =>
      fc.oneof(
        fc.string({ unit: 'binary', maxLength: 6 }),
        fc.constantFrom(
          '',
          ' ',
          '\u00a0\n',
          'a\0',
          '\ud800',
          '😀',
          '😀'.repeat(60),
          'x'.repeat(100),
          'x'.repeat(101),
        ),
      ),
    email: () => fc.constant('x'),
    list: () => fc.constant([]),
  }[field.kind]();
  return fc.oneof({ weight: 6, arbitrary: own }, { weight: 1, arbitrary: any });
};

/** Any of the fields, and one that is not there. */
const bodiesOf = (fields: Fields): fc.Arbitrary<Record<string, unknown>> =>
  fc.record(
    {
      ...Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, valuesOf(field)])),
      painlevel: fc.constant(1),
    } as Record<string, fc.Arbitrary<unknown>>,
    { requiredKeys: [] },
  );

/** A valid record, but for a field or two. */
const nearlyValid = (fields: Fields): fc.Arbitrary<object> =>
  fc
    .tuple(bodiesOf(fields), fc.shuffledSubarray(Object.keys(fields), { maxLength: 2 }))
    .map(([body, names]) => ({
      ...log,
      ...('id' in fields && { id: 3 }),
      ...Object.fromEntries(names.map((name) => [name, body[name]])),
    }));

test.each<[string, Fields, boolean]>([
  ['a record', logFields, true],
  ['a patch', logFields, false],
  ['a record with its id', logRecord, true],
])('%s that is plainly valid is what the schema makes of it', (_, fields, hasAll) => {
  const plain = plainCheckOf(fields, hasAll);
  const schema = hasAll ? inputOf(fields) : z.partial(inputOf(fields));
  let plainlyValid = 0;
  fc.assert(
    fc.property(fc.oneof(bodiesOf(fields), nearlyValid(fields), fc.anything()), (value) => {
      const found = plain?.(value);
      if (!found) return;
      plainlyValid += 1;
      const { success, data } = schema.safeParse(value);
      expect(success).toBe(true);
      expect(JSON.stringify(found)).toBe(JSON.stringify(data));
      expect(found).toEqual(data);
    }),
    { numRuns: 5_000 },
  );
  expect(plainlyValid).toBeGreaterThan(100);
});

test.each<[string, object]>([
  ['a plain log', {}],
  ['one with an id, which is ignored', { id: 7 }],
  ['notes of any writing', { notes: 'ñ 漢字 😀\n' }],
  ['the last day of a month', { date: '2026-01-31' }],
])('%s needs no schema', (_, fields) => {
  expect(plainCheckOf(logFields, true, 'id')?.({ ...log, ...fields })).toEqual({
    ...log,
    ...fields,
    id: undefined,
  });
});

test.each<[string, unknown]>([
  ['a key of the prototype', JSON.parse(`{"__proto__": 1, ${JSON.stringify(log).slice(1)}`)],
  ['29 February', { ...log, date: '2025-02-29' }],
  ['an array', [log]],
])('%s is left to the schema', (_, value) => {
  expect(plainCheckOf(logFields, true)?.(value)).toBeUndefined();
  expect(() => checksOf('log').input(value)).toThrow();
});

test('kinds that only the schema knows have none', () => {
  expect([plainCheckOf(userFields, true), plainCheckOf(routineKind.fields, true)]).toEqual([
    undefined,
    undefined,
  ]);
});
