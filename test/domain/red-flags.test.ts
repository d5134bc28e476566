import { expect, test } from 'vitest';
import { callsForRedFlags } from '../../src/domain/red-flags.ts';

test.each([
  [1, 4, true, 'a rise of 3'],
  [1, 3, false, 'a rise of 2'],
  [8, 8, false, 'no pain of 9'],
  [8, 9, true, 'pain of 9 after'],
  [9, 2, true, 'pain of 9 before'],
  [8, 2, false, 'a fall'],
])('from %i to %i calls for the red flags: %s (%s)', (painBefore, painAfter, expected) => {
  expect(callsForRedFlags({ painBefore, painAfter })).toBe(expected);
});
