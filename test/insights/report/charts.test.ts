import { expect, test } from 'vitest';
import type { Log } from '../../../src/domain/log.ts';
import { summarize } from '../../../src/insights/index.ts';
import { painChart } from '../../../src/insights/report/charts.ts';
import { reportHtml } from '../../../src/insights/report/page.ts';
import { buildReport, type ReportOptions } from '../../../src/insights/report/report.ts';
import { logsOf } from '../helpers.ts';
import { nora, sessions } from './samples.ts';

const page = (logs: readonly Log[], options?: ReportOptions) => reportHtml(buildReport(nora, logs, options));

/** The attributes of each element of a kind, as numbers (percent and pixels). */
function shapes(markup: string, element: RegExp): Record<string, number>[] {
  return [...markup.matchAll(element)].map(([tag]) =>
    Object.fromEntries(
      [...tag.matchAll(/ (\w+)="(-?[\d.]+)%?"/g)].map(([, name = '', value]) => [name, Number(value)]),
    ),
  );
}

/** Where a pain level stands in a chart, in pixels from the top: 10 at 10, 1 at the base. */
const heightIn = (base: number) => (level: number) => base - ((level - 1) * (base - 10)) / 9;

/** The chart of the pain, and its base: on the first page, and on the second. */
const charts: [string, { isLow: boolean; base: number }][] = [
  ['low', { isLow: true, base: 124 }],
  ['high', { isLow: false, base: 224 }],
];

function chartOf(logs: readonly Log[], isLow: boolean): string {
  const { pain } = summarize(logs);
  if (!pain) throw new Error('no sessions');
  return painChart(logs, pain, { isLow }).svg.markup;
}

test('a bar goes from 0 to the mean, its line from end to end of the interval, on one scale', () => {
  const logs = [
    ...logsOf([-2, -3, -2, -3, -2, -3, -2, -3], { exerciseName: 'Less' }),
    ...logsOf([1, 3, 2, 1, 3, 2, 1, 3], { exerciseName: 'More' }),
    ...logsOf([0, 1, -1], { exerciseName: 'Open' }),
  ];
  const html = page(logs);
  const [, head = '', ...rows] = html.split('</table>')[0]?.split(/<thead>|<tr><th scope="row">/) ?? [];
  const labels = [...head.matchAll(/x="(-?[\d.]+)%" y="28">([−+]?)([\d.]+)</g)].map(([, x, sign, value]) => ({
    x: Number(x),
    value: (sign === '−' ? -1 : 1) * Number(value),
  }));
  const [first, last] = [labels[0], labels.at(-1)];
  if (!first || !last) throw new Error('no labels');
  const x = (value: number) =>
    first.x + ((value - first.value) * (last.x - first.x)) / (last.value - first.value);
  const { exercises } = summarize(logs);
  expect(rows).toHaveLength(3);
  for (const row of rows) {
    const { meanChange, interval } = exercises.find(({ exerciseName }) => row.startsWith(exerciseName)) ?? {
      meanChange: Number.NaN,
      interval: [],
    };
    const [rect] = shapes(row, /<rect [^>]*>/g);
    expect(rect?.['x']).toBeCloseTo(x(Math.min(0, meanChange)), 1);
    expect(rect?.['width']).toBeCloseTo(Math.abs(x(meanChange) - x(0)), 1);
    const [zero, range] = shapes(row, /<line [^>]*>/g);
    expect(zero?.['x1']).toBeCloseTo(x(0), 1);
    expect([range?.['x1'], range?.['x2']]).toEqual(interval.map((end) => expect.closeTo(x(end), 1)));
  }
});

test('what is followed by more pain has the worst first', () => {
  const logs = [1, 3, 2].flatMap((change) =>
    logsOf(Array(20).fill(change), { exerciseName: `Change of ${change}` }),
  );
  const names = [...page(logs).matchAll(/<tr><th scope="row">(Change of \d)/g)].map(([, name]) => name);
  expect(names.slice(0, 3)).toEqual(['Change of 3', 'Change of 2', 'Change of 1']);
});

test.each(charts)(
  '%s: a session is a dot at the pain before, with a line up or down to the pain after',
  (_, { isLow, base }) => {
    const heightOf = (level: number) => expect.closeTo(heightIn(base)(level), 1);
    const html = chartOf(logsOf([-3, 4, 0], { painBefore: 5 }), isLow);
    expect(shapes(html, /<circle [^>]*>/g).map(({ cy }) => cy)).toEqual([5, 5, 5].map(heightOf));
    const levels = [...html.matchAll(/dx="-8" y="([\d.]+)">(\d+)</g)].map(([, y, level]) => [
      Number(y),
      Number(level),
    ]);
    expect(levels.map(([, level]) => level)).toEqual(isLow ? [1, 4, 7, 10] : [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    for (const [y, level = Number.NaN] of levels) expect(y).toBeCloseTo(heightIn(base)(level) + 4, 1);
    const stems = (way: string) =>
      shapes(html.split(`<g class="stem ${way}">`)[1]?.split('</g>')[0] ?? '', /<line [^>]*>/g);
    expect(stems('less')).toEqual([expect.objectContaining({ y1: heightOf(5), y2: heightOf(2) })]);
    expect(stems('more')).toEqual([expect.objectContaining({ y1: heightOf(5), y2: heightOf(9) })]);
  },
);

test.each(charts)(
  '%s: a box is the middle half of a week, its line the range, the thick one the median',
  (_, { isLow, base }) => {
    const heightOf = (level: number) => expect.closeTo(heightIn(base)(level), 1);
    const week = sessions(300).map((each, i) => ({ ...each, date: '2026-03-04', painBefore: 2 + (i % 5) }));
    const drawn = chartOf(week, isLow).split('<g class="box">')[1]?.split('</g>')[0] ?? '';
    const [range, median] = shapes(drawn, /<line [^>]*>/g);
    const [rect] = shapes(drawn, /<rect [^>]*>/g);
    expect(range).toMatchObject({ y1: heightOf(2), y2: heightOf(6) });
    expect(median).toMatchObject({ y1: heightOf(4), y2: heightOf(4) });
    // The box is a pixel larger each way, so that one of equal values shows.
    expect(rect?.['y']).toEqual(expect.closeTo(heightIn(base)(5) - 1, 1));
    expect(rect?.['height']).toEqual(expect.closeTo(heightIn(base)(3) - heightIn(base)(5) + 2, 1));
  },
);

test('over years the sessions a week are means of many weeks', () => {
  const year = (i: number) => new Date(Date.UTC(2020, 0, 6 + 7 * i)).toISOString().slice(0, 10);
  const logs = sessions(208).map((each, i) => ({ ...each, date: year(i) }));
  expect(page(logs)).toContain('Sessions a week, the mean of each 4 weeks.');
  expect(page(logs)).toContain('208 sessions; at most 1 a week.');
});
