import { expect, test } from 'vitest';
import { summarize } from '../../src/insights/summary.ts';
import { firstAndLastMonth, monthInWords, periodInWords } from '../../src/insights/wording.ts';
import { log } from './helpers.ts';

test.each([
  ['2026-03-02', '2026-03-02', '2 March 2026'],
  ['2026-03-01', '2026-03-31', '1 to 31 March 2026'],
  ['2026-02-20', '2026-03-14', '20 February to 14 March 2026'],
  ['2025-12-20', '2026-01-14', '20 December 2025 to 14 January 2026'],
  ['2026-01-01', '2026-03-01', '1 January to 1 March 2026'],
  ['2026-01-01', '2026-03-02', 'January to March 2026'],
  ['2026-01-01', '2026-10-26', 'January to October 2026'],
  ['2024-05-31', '2026-01-01', 'May 2024 to January 2026'],
  ['0000-01-01', '9999-12-31', 'January 0000 to December 9999'],
])('%s to %s is %s', (since, until, words) => expect(periodInWords(since, until)).toBe(words));

test.each([
  ['2026-03', false, 'March'],
  ['2025-12', true, 'December 2025'],
] as const)('%s, with the year %s, is %s', (month, withYear, words) =>
  expect(monthInWords(month, withYear)).toBe(words),
);

test('pain by month: the first and the last with three sessions', () => {
  const on = (date: string, painBefore: number) => log({ date, painBefore, painAfter: painBefore });
  const logs = [
    on('2026-01-05', 10),
    ...[9, 8, 7].map((pain, i) => on(`2026-02-0${i + 1}`, pain)),
    ...[6, 6, 6].map((pain, i) => on(`2026-03-1${i}`, pain)),
    ...[5, 4, 4].map((pain, i) => on(`2026-04-1${i}`, pain)),
    on('2026-05-01', 1),
  ];
  const { pain } = summarize(logs.toReversed());
  expect(pain?.months.map(({ month, sessions, mean }) => [month, sessions, mean])).toEqual([
    ['2026-01', 1, 10],
    ['2026-02', 3, 8],
    ['2026-03', 3, 6],
    ['2026-04', 3, 4.3333],
    ['2026-05', 1, 1],
  ]);
  expect(pain && firstAndLastMonth(pain)?.map(({ month }) => month)).toEqual(['2026-02', '2026-04']);
  const short = summarize(logs.slice(0, 5)).pain;
  expect(short && firstAndLastMonth(short)).toBeNull();
});
