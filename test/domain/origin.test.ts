import { expect, test } from 'vitest';
import { originOf } from '../../src/domain/origin.ts';

const origin = { id: '01234567-89ab-cdef-0123-456789abcdef', seq: 0, complete: true };

test('an origin is read without the members that are not known', () =>
  expect(originOf({ ...origin, more: 1 })).toEqual(origin));

test.each([
  null,
  undefined,
  { ...origin, id: `${origin.id}0` },
  { ...origin, id: origin.id.toUpperCase() },
  { ...origin, seq: -1 },
  { ...origin, seq: 1.5 },
  { ...origin, seq: '1' },
  { ...origin, complete: 1 },
  { id: origin.id, seq: 1 },
])('%j is none', (value) => expect(originOf(value)).toBeUndefined());
