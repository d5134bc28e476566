import { describe, expect, test } from 'vitest';
import { intervalLine, sparkline, weeklyMedians } from '../../src/insights/text-charts.ts';

describe('charts for a terminal', () => {
  test('a sparkline, with gaps', () => expect(sparkline([1, 10, null, 5.5])).toBe('▁█ ▅'));

  test('an interval on a line', () => {
    expect(intervalLine({ meanChange: -2, interval: [-4, 1] }, 11, -5, 5)).toBe(' ├─●─┼┤    ');
    expect(intervalLine({ meanChange: 3, interval: [2, 99] }, 11, -5, 5)).toBe('     ┊ ├●─┤');
  });

  test('weeks without sessions are gaps', () => {
    const weeks = [
      { week: '2026-03-02', median: 5 },
      { week: '2026-03-23', median: 4 },
    ];
    expect(weeklyMedians(weeks)).toEqual([5, null, null, 4]);
  });
});
