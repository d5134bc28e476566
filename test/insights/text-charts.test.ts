import { describe, expect, test } from 'vitest';
import { intervalLine, painChart, sparkline, weeklyMedians } from '../../src/insights/text-charts.ts';

describe('charts for a terminal', () => {
  test('a sparkline, with gaps', () => expect(sparkline([1, 10, null, 5.5, 2])).toBe('▁█ ▅▁'));

  test('an interval on a line', () => {
    expect(intervalLine({ meanChange: -2, interval: [-4, 1] }, 11, -5, 5)).toBe(' ├─●─┼┤    ');
    expect(intervalLine({ meanChange: 3, interval: [2, 99] }, 11, -5, 5)).toBe('     ┊ ├●─┤');
    expect(intervalLine({ meanChange: -2, interval: [-99, 0] }, 11, -5, 5)).toBe('├──●─┊     ');
    expect(intervalLine({ meanChange: 0, interval: [-1, 2] }, 11, -5, 5)).toBe('    ├●─┤   ');
  });

  test('weeks without sessions are gaps', () => {
    const weeks = [
      { week: '2026-03-02', median: 5 },
      { week: '2026-03-23', median: 4 },
    ];
    expect(weeklyMedians(weeks)).toEqual([5, null, null, 4]);
  });
});

describe('the worst pain of each day', () => {
  const day = (date: string, pain: number, sessions = 0, medication: string[] = []) => ({
    ...{ date, pain, first: pain, sessions, medication },
  });
  const days = [
    day('2026-01-28', 10, 1),
    day('2026-01-29', 1),
    day('2026-02-01', 4, 0, ['x']),
    day('2026-02-02', 7),
    day('2026-02-08', 3, 2),
  ];
  const period = { since: '2026-01-28', until: '2026-02-08' };

  test('is a mark at its level, a column a day', () => {
    expect(painChart(days, period, { width: 16, unicode: true })).toEqual([
      'Worst pain each day, 2026-01-28 – 2026-02-08',
      '10 │▀',
      ' 8 │     ▄',
      ' 6 │',
      ' 4 │    ▀      ▄',
      ' 2 │ ▄',
      '   └────────────',
      '    x          x',
      '        m',
      '    Jan Feb',
      '    x exercise, m medication',
    ]);
  });

  test('names a month where a blank is left before the next', () => {
    const months = (since: string) =>
      painChart(days, { ...period, since }, { width: 80, unicode: true }).at(-2);
    expect([months('2026-01-28'), months('2026-01-29')]).toEqual(['    Jan Feb', '       Feb']);
  });

  test('is the worst of two days where there is less room, and a month is named where its name fits', () => {
    expect(painChart(days, period, { width: 15, unicode: false })).toEqual([
      'Worst pain each day, 2026-01-28 to 2026-02-08',
      "10 |'",
      ' 8 |  .',
      ' 6 |',
      ' 4 |     .',
      ' 2 |',
      '   +------',
      '    x    x',
      '      m',
      '      Feb',
      '    x exercise, m medication, 2 days a column',
    ]);
    const [first] = days;
    expect(
      painChart(first ? [first] : [], { ...period, until: '2026-01-30' }, { width: 6, unicode: true }),
    ).toEqual([
      'Worst pain each day, 2026-01-28 – 2026-01-30',
      ...['10 │▀', ' 8 │', ' 6 │', ' 4 │', ' 2 │', '   └──', '    x', ''],
      '    x exercise, 2 days a column',
    ]);
  });
});
