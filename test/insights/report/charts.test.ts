import { expect, test } from 'vitest';
import type { Log } from '../../../src/domain/log.ts';
import { painDays } from '../../../src/insights/pain-days.ts';
import { painChart, sessionsChart } from '../../../src/insights/report/charts.ts';
import { reportHtml } from '../../../src/insights/report/page.ts';
import { buildReport, type ReportOptions } from '../../../src/insights/report/report.ts';
import { summarize } from '../../../src/insights/summary.ts';
import { log, logsOf } from '../helpers.ts';
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

/** A session so many days after Monday, 5 January 2026. */
const on = (day: number, painBefore = 5, id = day) =>
  log({ id, painBefore, date: new Date(Date.UTC(2026, 0, 5 + day)).toISOString().slice(0, 10) });

test.each([
  [1, 'start 5 Jan at 0%'],
  [3, 'start 5 Jan at 0%'],
  [4, 'start 5 Jan at 0%, middle 6 Jan at 25%, middle 7 Jan at 50%, middle 8 Jan at 75%, end 9 Jan at 100%'],
  [14, 'start 5 Jan at 0%, middle 9 Jan at 28.57%, middle 13 Jan at 57.14%, middle 17 Jan at 85.71%'],
  [90, 'middle 1 Feb at 30%, middle 1 Mar at 61.11%, end 1 Apr at 95.56%'],
  [91, 'middle Feb 2026 at 29.67%, middle Mar at 60.44%, end Apr at 94.51%'],
  [400, 'middle Apr 2026 at 21.5%, middle Jul at 44.25%, middle Oct at 67.25%, end Jan 2027 at 90.25%'],
  [1000, 'middle Jan 2027 at 36.1%, middle Jan 2028 at 72.6%'],
  [1001, 'middle 2027 at 36.06%, middle 2028 at 72.53%'],
])('the dates below %i days', (days, labels) => {
  const { svg } = sessionsChart([on(0), on(days - 1)], null);
  const found = [...svg.markup.matchAll(/<text x="([^"]*)" y="102" text-anchor="(\w+)">([^<]*)/g)];
  expect(found.map(([, x, anchor, text]) => `${anchor} ${text} at ${x}`).join(', ')).toBe(labels);
});

test('days without exercise are rings at their worst; sessions of a day stand side by side, medians amid their weeks', () => {
  const logs = [on(1, 6), on(1, 4, 20), on(8, 3), on(9, 5)];
  const entries = [
    { ...{ id: 1, pain: 8 }, date: on(0).date },
    { ...{ id: 2, pain: 9 }, date: on(9).date },
    { ...{ id: 3, pain: 2 }, date: on(19).date },
    { ...{ id: 4, pain: 7 }, date: on(19).date },
  ];
  const { pain } = summarize(logs, {}, entries);
  if (!pain) throw new Error('no days');
  const { svg, caption } = painChart(logs, pain, { days: painDays(entries, logs) });
  const of = (group: string, element: RegExp) =>
    shapes(svg.markup.split(`<g class="${group}">`)[1]?.split('</g>')[0] ?? '', element);
  const heightOf = (level: number) => expect.closeTo(heightIn(224)(level), 1);
  // 20 days from 5 January on, 5 % each.
  expect(of('dot', /<circle [^>]*>/g).map(({ cx }) => cx)).toEqual([6.25, 8.75, 42.5, 47.5]);
  expect(of('ring', /<circle [^>]*>/g)).toMatchObject([
    { cx: 2.5, cy: heightOf(8) },
    { cx: 97.5, cy: heightOf(7) },
  ]);
  expect(of('median', /<line [^>]*>/g)).toMatchObject([
    { x1: 17.5, y1: heightOf(7), x2: 52.5, y2: heightOf(4) },
    { x1: 52.5, y1: heightOf(4), x2: 87.5, y2: heightOf(2) },
  ]);
  expect(caption).toContain(
    'The thick grey line is the weekly median of the pain before or without exercise.',
  );
  expect(caption).toContain('A ring is the worst pain of a day without exercise.');
  expect(painChart(logs, pain, { days: painDays([], logs) }).caption).not.toContain('ring');
});

test('no line goes over more than four weeks without a record', () => {
  const logs = [0, 7, 35, 70, 77].map((day) => on(day, 5));
  const { pain } = summarize(logs);
  const [, medians = ''] = (pain && painChart(logs, pain).svg.markup.split('<g class="median">')) ?? [];
  expect(shapes(medians.split('</g>')[0] ?? '', /<line [^>]*>/g)).toHaveLength(3);
});

test('a median of one week is no line, and the caption names none', () => {
  const entries = [{ id: 1, pain: 6, date: on(0).date }];
  const { pain } = summarize([], {}, entries);
  const { pain: ofLogs } = summarize([on(1)]);
  if (!pain || !ofLogs) throw new Error('no days');
  const days = painDays(entries, []);
  for (const isLow of [false, true]) {
    expect(painChart([], pain, { days, isLow }).caption).toBe('A ring is the worst pain of a day.');
    expect(painChart([on(1)], ofLogs, { isLow }).caption).not.toContain('hick grey line');
  }
});

test.each([
  [26, /first to last: 5, 5/],
  [27, /first to last: \(the last 26 weeks\) 6, 5/],
])('of %i weeks the medians of at most 26 are told', (weeks, words) => {
  const logs = Array.from({ length: weeks }, (_, i) => on(7 * i, i === weeks - 26 && weeks > 26 ? 6 : 5));
  const { pain } = summarize(logs);
  const description = pain && painChart(logs, pain).description;
  expect(description).toMatch(words);
  expect(description?.match(/\b[56]\b(?=[,.])/g)).toHaveLength(26);
});

const barsOf = (logs: Parameters<typeof sessionsChart>[0], target: Parameters<typeof sessionsChart>[1]) => {
  const { svg, description, caption } = sessionsChart(logs, target);
  const labels = [...svg.markup.matchAll(/dx="-8" y="([\d.]+)">([^<]*)/g)];
  return {
    bars: shapes(svg.markup, /<rect [^>]*>/g).map(({ x, width, height }) => [x, width, height]),
    labels: labels.map(([, y, text]) => `${text} at ${Number(y) - 4}`).join(', '),
    line: shapes(svg.markup, /<line class="target"[^>]*>/g)[0]?.['y1'],
    ...{ description, caption },
  };
};

// From Tuesday on, 15 days: two sessions on one of two days, three days, one.
const weeks = [on(1), on(1), on(2), on(8), on(9), on(10), on(15)];
const places = [
  [0, 36.67],
  [43.33, 40],
  [90, 10],
];

test.each([
  ['sessions', null, [72, 72, 24], '0 at 84, 3 at 12', undefined],
  ['sessions', 8, [27, 27, 9], '0 at 84, 8 at 12', 12],
  ['days', 2, [48, 72, 24], '0 at 84, 3 at 12, 2 at 36', 36],
  ['sessions', 2.5, [72, 72, 24], '0 at 84, 2.5 at 24', 24],
] as const)(
  'bars of %s a week, from Monday on, with a target of %j',
  (counts, perWeek, heights, labels, line) => {
    const target = perWeek === null ? null : { perWeek, counts, weeks: 1, weeksReached: 1, until: null };
    const found = barsOf(weeks, target);
    expect(found.bars).toEqual(places.map((place, i) => [...place, heights[i]]));
    expect([found.labels, found.line]).toEqual([labels, line]);
    expect(found.description).toBe(
      `7 sessions; at most 3 a week.${perWeek === null ? '' : ` The target is ${perWeek} a week.`}`,
    );
    expect(
      found.caption.startsWith(counts === 'days' ? 'Days with exercise a week' : 'Sessions a week'),
    ).toBe(true);
  },
);
