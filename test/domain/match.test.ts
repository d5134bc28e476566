import { expect, test } from 'vitest';
import { namesMeant } from '../../src/domain/words/match.ts';

const known = [
  'Piriformis Stretch',
  'Cat-Cow',
  'Straight Leg Raise',
  'Side Plank',
  'Plank',
  'Dehnübung',
  'Calf Ankle Turn',
  'bird dog',
  'Bird Dog',
];

test.each<[string, string[]]>([
  ['piri', ['Piriformis Stretch']],
  ['formis', ['Piriformis Stretch']],
  ['str piri', ['Piriformis Stretch']],
  ['slr', ['Straight Leg Raise']],
  ['plank', ['Plank']],
  ['Plank', ['Plank']],
  ['plan', ['Side Plank', 'Plank']],
  ['SIDE  plank', ['Side Plank']],
  ['cat', ['Cat-Cow', 'Calf Ankle Turn']],
  ['cc', ['Cat-Cow']],
  ['dehnubung', ['Dehnübung']],
  ['Bird Dog', ['Bird Dog']],
  ['BIRD DOG', ['bird dog', 'Bird Dog']],
  ['sl', []],
  ['yoga', []],
  ['', []],
  [' ', []],
])('%j means %j', (text, names) => expect(namesMeant(text, known)).toEqual(names));
