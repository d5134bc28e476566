import { expect, test } from 'vitest';
import type { Log } from '../../src/domain/log.ts';
import { type Decision, decide, newer, type State } from '../../src/sync/decide.ts';
import { log } from '../samples.ts';

const a: Log = { id: 1, ...log, userId: 1, notes: 'a' };
const b: Log = { ...a, notes: 'b' };
const c: Log = { ...a, notes: 'c' };
const named = new Map<State, string>([
  [a, 'a'],
  [b, 'b'],
  [c, 'c'],
  [null, '–'],
]);

const cases: [base: State, ours: State, theirs: State, expected: Decision][] = [
  [a, a, a, 'nothing'],
  [null, null, null, 'nothing'],
  [a, b, a, 'push'],
  [null, a, null, 'push'],
  [a, null, a, 'delete there'],
  [a, a, b, 'pull'],
  [null, null, a, 'pull'],
  [a, a, null, 'delete here'],
  [a, b, b, 'agree'],
  [a, null, null, 'agree'],
  [null, a, a, 'agree'],
  [a, b, c, 'conflict'],
  [null, b, c, 'conflict'],
  [a, b, null, 'conflict'],
  [a, null, b, 'conflict'],
];

test.each(
  cases.map(([base, ours, theirs, expected]) => ({
    name: [base, ours, theirs].map((state) => named.get(state)).join(' '),
    sides: { base, ours, theirs },
    expected,
  })),
)('base, ours, theirs $name: $expected', ({ sides, expected }) => {
  expect(decide({ record: 'log', ...sides, isLater: true })).toBe(expected);
});

test.each(
  cases.map(([base, ours, theirs, usual]) => ({
    name: [base, ours, theirs].map((state) => named.get(state)).join(' '),
    sides: { base, ours, theirs },
    expected: base && (usual === 'pull' || usual === 'delete here') ? 'conflict' : usual,
  })),
)('where theirs may be older, $name: $expected', ({ sides, expected }) => {
  expect(decide({ record: 'log', ...sides, isLater: false })).toBe(expected);
});

test('ids and absent optional fields make no difference', () => {
  const other = { ...a, id: 9, notes: 'a' };
  expect(decide({ record: 'log', base: a, ours: a, theirs: other, isLater: true })).toBe('nothing');
});

test.each([
  [2, 1, 'ours'],
  [1, 2, 'theirs'],
  [1, 1, 'theirs'],
  [undefined, 1, 'theirs'],
  [1, undefined, 'ours'],
  [undefined, undefined, 'ours'],
] as const)('of %s and %s the newer is %s', (ours, theirs, expected) => {
  expect(newer(ours, theirs)).toBe(expected);
});
