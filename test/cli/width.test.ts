import truncatedWidth from 'fast-string-truncated-width';
import { expect, test } from 'vitest';
import { clip, widthOf, wrap } from '../../src/cli/terminal/width.ts';

test('a character that takes no measuring is as wide as the library says', () => {
  for (let code = 0; code < 0x3000; code++) {
    const text = String.fromCodePoint(code);
    expect([code, widthOf(text)]).toEqual([code, truncatedWidth(text).width]);
  }
});

test.each([
  ['', 0, ''],
  ['6 → 4 ↓2', 8, '6 →…'],
  ['✓', 1, '✓'],
  ['Bird Dog', 8, 'Bir…'],
  ['背伸び運動', 10, '背…'],
  ['Å bøye', 6, 'Å b…'],
  ['e\u0301te\u0301s', 4, 'e\u0301te\u0301s'],
  ['👩‍👩‍👧 family', 9, '👩‍👩‍👧 …'],
])('%s has %d columns, and is cut to four', (text, width, cut) => {
  expect([widthOf(text), clip(text, 4)]).toEqual([width, cut]);
});

test('of a name that is cut the type stays, as far as there is room', () => {
  const shown = (width: number) =>
    ['stretch', 'strengthening'].map((type) => clip(`Piriformis on a chair (${type})`, width));
  expect(shown(30)).toEqual(['Piriformis on a cha… (stretch)', 'Piriformis on… (strengthening)']);
  expect(shown(12)).toEqual(['Pirif…retch)', 'Pirif…ening)']);
  expect(clip('背伸び運動 (stretch)', 16)).toBe('背伸… (stretch)');
});

test('a text that is wider than the limit has some width above it', () => {
  for (const text of ['背'.repeat(50), '👩‍👩‍👧'.repeat(50), 'a'.repeat(50)])
    expect(widthOf(text, 7)).toBeGreaterThan(7);
});

test('a command to go on with is not broken', () =>
  expect(wrap('The figures behind this: sciatica summary --details (all)', { width: 30 })).toEqual([
    'The figures behind this:',
    'sciatica summary --details',
    '(all)',
  ]));

test('a command behind a question stays whole too', () => {
  expect(wrap('How is it today? sciatica pain add --db d.db', { width: 30 })).toEqual([
    'How is it today?',
    'sciatica pain add --db d.db',
  ]);
});

test('what goes from one value to another is not broken', () =>
  expect(wrap('log 3: painAfter 6 → 4, notes a → b', { width: 20 })).toEqual([
    'log 3: painAfter',
    '6 → 4, notes a → b',
  ]));
