import stringWidth from 'fast-string-width';
import { expect, test } from 'vitest';
import { clip, isSimple, widthOf, wrap } from '../../src/cli/terminal/width.ts';

const characters = Array.from({ length: 0x11_0000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code));

test('the width of every simple character is the one that the library computes', () => {
  const simple = characters.filter(isSimple);
  expect(simple.length).toBeGreaterThan(30_000);
  expect(simple.filter((text) => widthOf(text) !== stringWidth(text))).toEqual([]);
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
