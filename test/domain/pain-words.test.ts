import { expect, test } from 'vitest';
import { isNoName, painIn } from '../../src/domain/words/pain-words.ts';

test.each([
  ['bird dog 6 4', 'bird dog', '6 4', ''],
  ['bird dog 6 4 stiff after 2 hours', 'bird dog', '6 4', 'stiff after 2 hours'],
  ['bird dog 7/10 4/10', 'bird dog', '7 4', ''],
  ['bird dog 7 / 10 4 / 10', 'bird dog', '7 4', ''],
  ['bird dog 7 out of 10 4 out of 10 sore', 'bird dog', '7 4', 'sore'],
  ['bird dog 6->4', 'bird dog', '6 4', ''],
  ['bird dog 6-4 ok', 'bird dog', '6 4', 'ok'],
  ['bird dog 6→4', 'bird dog', '6 4', ''],
  ['bird dog 6,4', 'bird dog', '6 4', ''],
  ['bird dog 6, 4', 'bird dog', '6 4', ''],
  ['bird dog 6 to 4', 'bird dog', '6 4', ''],
  ['bird dog 6 -> 4', 'bird dog', '6 4', ''],
  ['bird dog six four', 'bird dog', '6 4', ''],
  ['bird dog six to four today', 'bird dog', '6 4', 'today'],
  ['bird dog 6', 'bird dog', '6', ''],
  ['bird dog six', 'bird dog', '6', ''],
  ['bird dog 7/10', 'bird dog', '7', ''],
  ['bird dog 6 stiff', 'bird dog', '6', 'stiff'],
  ['bird dog 5.5 4', 'bird dog', '5.5 4', ''],
  ['bird dog 60 4', 'bird dog', '60 4', ''],
  ['6 4', '', '6 4', ''],
  ['six four', '', '6 4', ''],
  ['one leg bridge 6 4', 'one leg bridge', '6 4', ''],
  ['four point kneeling', 'four point kneeling', '', ''],
  ['90/90 hip stretch 6 4', '90/90 hip stretch', '6 4', ''],
  ['3-way leg raise 6 4', '3-way leg raise', '6 4', ''],
  ['bird dog', 'bird dog', '', ''],
])('%s', (text, name, levels, notes) => {
  const { before, levels: found, after } = painIn(text.split(' '));
  expect([before, found, after].map((words) => words.join(' '))).toEqual([name, levels, notes]);
});

test.each([
  '6',
  '6 4',
  '7/10',
  '6->4',
  'six four',
  '?',
  '...',
  'yes',
  'today',
  'pain before',
  'stretch',
  '12:30',
  '🙂',
])('%s names no exercise', (text) => expect(isNoName(text)).toBe(true));

test.each([
  'Bird Dog',
  'Cat-Cow',
  '90/90 hip',
  'Yoga',
  '背中のストレッチ',
  'Calf stretch',
  'McKenzie 1',
  'A',
  '桥',
])('%s may name one', (text) => expect(isNoName(text)).toBe(false));
