import { expect, test } from 'vitest';
import { exerciseTypes } from '../../src/domain/exercise-types.ts';
import { painLocations } from '../../src/domain/user.ts';
import { choiceMeant } from '../../src/domain/words/choice.ts';

test.each<[string, readonly string[], string | undefined]>([
  ['stretch', exerciseTypes, 'stretch'],
  ['Strength', exerciseTypes, 'strengthening'],
  ['stret', exerciseTypes, 'stretch'],
  ['str', exerciseTypes, undefined],
  ['stretching', exerciseTypes, undefined],
  ['', exerciseTypes, undefined],
  ['', ['only'], undefined],
  ['a', ['ab', 'a', 'abc'], 'a'],
  [' Glute  L', painLocations, 'glute-left'],
  ['lower_back_r', painLocations, 'lower-back-right'],
  ['glute', painLocations, undefined],
])('%j among %j means %s', (text, choices, meant) => {
  expect(choiceMeant(text, choices)).toBe(meant);
});
