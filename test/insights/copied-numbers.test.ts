import { expect, test } from 'vitest';
import { CopiedNumbers } from '../../src/insights/copied-numbers.ts';

type Pair = readonly [painBefore: number, painAfter: number];
const FRESH: readonly Pair[] = [
  [5, 3],
  [6, 4],
  [5, 4],
  [7, 4],
  [6, 5],
  [5, 2],
  [7, 6],
  [6, 3],
];
const lasting = (after: (i: number) => number): Pair[] =>
  Array.from({ length: 40 }, (_, i) => [5 + (Math.floor(i / 10) % 2), after(i)]);

test.each<[string, readonly Pair[], boolean]>([
  ['each session entered three times', FRESH.flatMap((pair) => [pair, pair, pair]), true],
  ['no session entered again', [...FRESH, ...FRESH, ...FRESH], false],
  ['the same numbers always', Array<Pair>(30).fill([5, 3]), false],
  [
    'pain before that lasts for ten sessions, and pain after that does not',
    lasting((i) => 2 + (i % 3)),
    false,
  ],
  ['pain before and after that last for ten sessions', lasting((i) => 3 + (Math.floor(i / 10) % 2)), false],
  ['pain after that lasts alone', FRESH.map((_, i) => [4 + (i % 3), 3 + Math.floor(i / 4)]), false],
  ['nothing', [], false],
])('%s: copied is %3$s', (_, pairs, isHabit) => {
  const numbers = new CopiedNumbers();
  for (const [painBefore, painAfter] of pairs) numbers.add({ exercise: 0, painBefore, painAfter });
  expect(numbers.isHabit).toBe(isHabit);
});

test('a session is copied that has the numbers of the last one of its exercise, once that is a habit', () => {
  const numbers = new CopiedNumbers();
  const copied = FRESH.flatMap(([painBefore, painAfter]) =>
    [0, 1, 0, 1].map((exercise) => numbers.add({ exercise, painBefore, painAfter })),
  );
  expect(copied.slice(0, 4)).toEqual([false, false, false, false]);
  expect(copied.slice(-8)).toEqual([false, false, true, true, false, false, true, true]);
});
