import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addDays } from '../../src/domain/words/day.ts';
import { daysToKeep } from '../../src/store/maintenance/automatic-backup.ts';

/** What is kept after a backup on each of these days. */
function after(days: readonly string[]): string[] {
  let kept: string[] = [];
  for (const day of days) kept = [...daysToKeep([...kept, day], day)];
  return kept.sort();
}

const daily = (first: string, count: number) => Array.from({ length: count }, (_, i) => addDays(first, i));

test.each<[string, readonly string[], string[]]>([
  ['a week', daily('2026-03-01', 7), daily('2026-03-01', 7)],
  // 2026-03-30 is a Monday.
  ['a month', daily('2026-03-09', 22), ['2026-03-15', '2026-03-22', ...daily('2026-03-24', 7)]],
  [
    'two years',
    daily('2024-03-31', 731),
    [
      ...['2025-04-30', '2025-05-31', '2025-06-30', '2025-07-31', '2025-08-31', '2025-09-30'],
      ...['2025-10-31', '2025-11-30', '2025-12-31', '2026-01-31', '2026-02-28'],
      ...['2026-03-15', '2026-03-22', ...daily('2026-03-25', 7)],
    ],
  ],
  ['once a year', ['2020-05-05', '2021-05-05', '2022-05-05'], ['2020-05-05', '2021-05-05', '2022-05-05']],
])('%s', (_, days, kept) => {
  expect(after(days)).toEqual(kept);
});

test('a clock that was ahead for a year takes no place of the days that follow', () => {
  const days = [...daily('2099-01-01', 400), ...daily('2026-03-02', 9)];
  expect(after(days).slice(0, 8)).toEqual([...daily('2026-03-04', 7), '2099-03-31']);
});

test('any days: the last seven, and never more than 7, 4 and 12 together', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 100 }), (gaps) => {
      const days = ['2020-01-01'];
      for (const gap of gaps) days.push(addDays(days.at(-1) ?? '', gap));
      const kept = after(days);
      expect(kept.length).toBeLessThanOrEqual(7 + 4 + 12);
      expect(kept.slice(-7)).toEqual(days.slice(-7));
    }),
  );
});
