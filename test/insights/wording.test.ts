import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { summarize, words } from '../../src/insights/index.ts';
import { log } from './helpers.ts';

test.each<[low: number, high: number, decimals: number, text: string]>([
  [-2.31, 1.44, 1, '−2.3 to +1.4'],
  [-1.2, -0.04, 1, '−1.2 to −0.04'],
  [0.0312, 2, 1, '+0.03 to +2.0'],
  [-1.6, -0.0004, 1, '−1.6 to −0.0004'],
  [-0.0041, 0.2, 2, '−0.004 to +0.20'],
  [-1, 0, 1, '−1.0 to 0.0'],
])('the interval from %d to %d with %i decimals reads %s', (low, high, decimals, text) => {
  expect(words.interval([low, high], decimals)).toBe(text);
});

test('an end that is not 0 never reads 0', () => {
  const end = fc.integer({ min: 1, max: 90_000 }).map((value) => value / 10_000);
  fc.assert(
    fc.property(end, end, (low, high) => {
      expect(words.interval([-low, high])).not.toMatch(/(^| )[−+]?0\.0+( |$)/);
    }),
  );
});

test.each([
  [[], 2, ''],
  [['A'], 2, 'A'],
  [['A', 'B'], 2, 'A and B'],
  [['A', 'B', 'C'], 3, 'A, B and C'],
  [['A', 'B', 'C', 'D'], 2, 'A, B and 2 more'],
])('%j, of which %i are named, reads %s', (names, most, text) => {
  expect(words.listed(names, most)).toBe(text);
});

test('no sentence stands twice, on screens and in reports', () => {
  const folders = ['src/insights', 'src/insights/report', 'src/cli/views'];
  const paths = folders.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
  // Descriptions of figures, and a style sheet.
  const sources = paths.filter((path) => path.endsWith('.ts') && !/(shapes|style)\.ts$/.test(path));
  const found = sources.flatMap((path) => {
    const code = readFileSync(path, 'utf8').replace(/\/\*[\s\S]*?\*\/|^import[^;]*;|\/\/.*/gm, '');
    const texts = [...code.matchAll(/'([^'\n]*)'|`([^`]*)`/g)].map(
      ([, plain, template = '']) => plain ?? template,
    );
    const phrases = texts.flatMap((text) => text.split(/\$\{[^}]*\}|<[^>]*>/));
    return phrases.map((phrase) => phrase.toLowerCase().replace(/^[\s,.:;]+|[\s,.:;]+$/g, ''));
  });
  const sentences = found.filter((phrase) => phrase.split(' ').length >= 4 && /^[a-z]/.test(phrase));
  expect(sentences.length).toBeGreaterThan(30);
  expect(sentences.filter((sentence, i) => sentences.indexOf(sentence) !== i)).toEqual([]);
});

test('an exercise that always follows another one is said to, with what would tell them apart', () => {
  const logs = Array.from({ length: 10 }, (_, i) =>
    ['Piriformis Stretch', 'Bird Dog'].map((exerciseName, place) =>
      log({
        date: `2026-03-${10 + i}`,
        exerciseName,
        painBefore: 7 - 2 * place,
        painAfter: 5 - ((place * i) % 2),
      }),
    ),
  ).flat();
  const sentences = words.controlSentences(summarize(logs).exercises, ({ exerciseName }) => exerciseName);
  expect(sentences).toContain(
    'Bird Dog: always after Piriformis Stretch, cannot be told apart. Do it first on some days.',
  );
});
