import { addDays, dayNumber } from '../domain/words/day.ts';
import type { PainDay } from './pain-days.ts';
import { monthInWords } from './wording.ts';

/** Charts in plain text for a terminal, readable without colour. */

const LEVELS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/** A sparkline with one cell for each level of pain, from 1 (▁) to 10 (█); blank for null. */
export function sparkline(pains: readonly (number | null)[]): string {
  return pains
    .map((pain) => {
      if (pain === null) return ' ';
      const level = Math.floor(((pain - 1) / 9) * LEVELS.length);
      return LEVELS[Math.min(LEVELS.length - 1, Math.max(0, level))];
    })
    .join('');
}

/**
 * An interval on a line of `width` cells from `low` to `high`: `├──●─┼───┤` with ● the mean, ─ the
 * interval, and ┊ (or ┼ within the interval) at 0.
 */
export function intervalLine(
  { meanChange, interval }: { meanChange: number; interval: readonly [number, number] },
  width: number,
  low: number,
  high: number,
): string {
  const cell = (value: number) =>
    Math.round(((Math.min(high, Math.max(low, value)) - low) / (high - low)) * (width - 1));
  const [from, to] = [cell(interval[0]), cell(interval[1])];
  const [zero, mean] = [cell(0), cell(meanChange)];
  return Array.from({ length: width }, (_, i) => {
    if (i === mean) return '●';
    if (i === zero) return i > from && i < to ? '┼' : '┊';
    if (i === from) return '├';
    if (i === to) return '┤';
    return i > from && i < to ? '─' : ' ';
  }).join('');
}

/** The weekly medians of a trend with null for the weeks without sessions, for `sparkline`. */
export function weeklyMedians(weeks: readonly { week: string; median: number }[]): (number | null)[] {
  const week = (day: string) => dayNumber(day) / 7;
  return weeks.flatMap(({ week: monday, median }, i) => {
    const before = weeks[i - 1];
    const gap = before ? Math.max(0, Math.round(week(monday) - week(before.week)) - 1) : 0;
    return [...Array<null>(gap).fill(null), median];
  });
}

/** Rows of the chart: two levels of pain each. */
const ROWS = 5;
/** Columns of the labels on the left, with the axis. */
const GUTTER = 4;

/** Characters for a chart, for a terminal with Unicode and one with ASCII only. */
const signs = {
  unicode: { upper: '▀', lower: '▄', axis: '│', corner: '└', line: '─', dash: '–' },
  ascii: { upper: "'", lower: '.', axis: '|', corner: '+', line: '-', dash: 'to' },
} as const;

/** The day, or the consecutive days, of one column. */
interface Column {
  readonly start: string;
  readonly pain: number | undefined;
  readonly sessions: boolean;
  readonly medication: boolean;
}

/**
 * The worst pain of each day as a text chart of at most eleven lines: a mark for each level, blank where nothing was recorded,
 * and below it the days with exercise and with medication, and the months. If there are more days than columns, a column covers
 * several days.
 * @param days those with pain, in order
 * @param width columns of the terminal, at least 20
 */
export function painChart(
  days: readonly PainDay[],
  { since, until }: { since: string; until: string },
  { width, unicode }: { width: number; unicode: boolean },
): string[] {
  const sign = unicode ? signs.unicode : signs.ascii;
  const columns = columnsOf(days, since, until, width - GUTTER);
  const daysEach =
    columns.length > 1 ? dayNumber(columns[1]?.start ?? since) - dayNumber(columns[0]?.start ?? since) : 1;
  const row = (top: number) => {
    const cells = columns.map(({ pain }) =>
      pain === top ? sign.upper : pain === top - 1 ? sign.lower : ' ',
    );
    return `${String(top).padStart(GUTTER - 2)} ${sign.axis}${cells.join('')}`.trimEnd();
  };
  const marks = (mark: string, has: (column: Column) => boolean) =>
    columns.some(has)
      ? [(' '.repeat(GUTTER) + columns.map((column) => (has(column) ? mark : ' ')).join('')).trimEnd()]
      : [];
  const legend = [
    columns.some(({ sessions }) => sessions) && 'x exercise',
    columns.some(({ medication }) => medication) && 'm medication',
    daysEach > 1 && `${daysEach} days a column`,
  ].filter(Boolean);
  return [
    `Worst pain each day, ${since} ${sign.dash} ${until}`,
    ...Array.from({ length: ROWS }, (_, i) => row(2 * (ROWS - i))),
    `${' '.repeat(GUTTER - 1)}${sign.corner}${sign.line.repeat(columns.length)}`,
    ...marks('x', ({ sessions }) => sessions),
    ...marks('m', ({ medication }) => medication),
    monthsLine(columns),
    ...(legend.length > 0 ? [`${' '.repeat(GUTTER)}${legend.join(', ')}`] : []),
  ];
}

function columnsOf(days: readonly PainDay[], since: string, until: string, room: number): Column[] {
  const total = dayNumber(until) - dayNumber(since) + 1;
  const each = Math.ceil(total / room);
  const byDate = new Map(days.map((day) => [day.date, day]));
  return Array.from({ length: Math.ceil(total / each) }, (_, i) => {
    const start = addDays(since, i * each);
    const those = Array.from({ length: each }, (_, j) => byDate.get(addDays(start, j))).filter(
      (day) => day !== undefined,
    );
    return {
      start,
      pain: those.length > 0 ? Math.max(...those.map(({ pain }) => pain)) : undefined,
      sessions: those.some(({ sessions }) => sessions > 0),
      medication: those.some(({ medication }) => medication.length > 0),
    };
  });
}

/** The names of the months, each from the first column that begins in it, if there is room for it. */
function monthsLine(columns: readonly Column[]): string {
  let line = ' '.repeat(GUTTER);
  for (const [i, { start }] of columns.entries()) {
    const month = start.slice(0, 7);
    if (columns[i - 1]?.start.slice(0, 7) === month) continue;
    const name = monthInWords(month, false).slice(0, 3);
    const at = GUTTER + i;
    const next = columns.findIndex(({ start: later }) => later.slice(0, 7) > month);
    const room = (next < 0 ? columns.length : next) - i;
    if (room > name.length) line = line.padEnd(at) + name;
  }
  return line.trimEnd();
}
