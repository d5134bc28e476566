import { expect, test } from 'vitest';
import { remembered } from '../../src/http/protocol/collection.ts';

/** A function that counts how often each text was worked on. */
function counted(bounds?: { most: number; longest: number }) {
  const texts: string[] = [];
  const read = remembered((text) => {
    texts.push(text);
    if (text === '') throw new Error('empty');
    return { text };
  }, bounds);
  return { read, texts };
}

test('a text is worked on once, and has its own result', () => {
  const { read, texts } = counted();
  expect([read('a'), read('b'), read('a')]).toEqual([{ text: 'a' }, { text: 'b' }, { text: 'a' }]);
  expect(texts).toEqual(['a', 'b']);
});

test('a text without a result is worked on each time', () => {
  const { read, texts } = counted();
  for (let time = 0; time < 2; time++) expect(() => read('')).toThrow('empty');
  expect(texts).toEqual(['', '']);
});

test('neither many texts nor a long one are kept', () => {
  const { read, texts } = counted({ most: 2, longest: 3 });
  for (const text of ['long', 'long', 'a', 'b', 'c', 'c', 'a']) read(text);
  expect(texts).toEqual(['long', 'long', 'a', 'b', 'c', 'a']);
});
