import { scaleThreshold } from 'd3-scale';
import type { Log } from '../../../domain/log.ts';
import { type Html, html } from '../../../lib/html.ts';
import { dayNumber, dayOf, mondayOf } from '../../days.ts';
import { count } from '../words.ts';
import { type Chart, frame, WIDTH } from './frame.ts';

const LEFT = 32;
const CELL = 17;
const WEEKS = Math.floor((WIDTH - LEFT) / CELL);
const HEAD = 18;
const BLOCK = HEAD + 7 * CELL + 12;
const DAYS = ['Mon', '', 'Wed', '', 'Fri', '', 'Sun'];

/**
 * A square for each day, a column for each week from Monday to Sunday, darker with more sessions; half a
 * year to a strip. Strips without any session are left out.
 * @param logs at least one
 */
export function calendarChart(logs: readonly Log[]): Chart {
  const counts = new Map<number, number>();
  for (const { date } of logs) counts.set(dayNumber(date), (counts.get(dayNumber(date)) ?? 0) + 1);
  const days = [...counts.keys()].sort((a, b) => a - b);
  const first = days[0] ?? 0;
  const last = days.at(-1) ?? 0;
  const strips = [...new Set(days.map((day) => Math.floor((mondayOf(day) - mondayOf(first)) / 7 / WEEKS)))];
  const most = Math.max(...counts.values());
  const description = `${logs.length} sessions on ${count(days.length, 'day')} from ${dayOf(first)} to ${dayOf(last)}; at most ${most} on one day. ${months(days)}`;
  const title = 'Calendar of sessions';
  return {
    title,
    description,
    svg: frame('calendar', strips.length * BLOCK + 18, title, description, [
      ...strips.map((strip, index) =>
        drawStrip(mondayOf(first) + strip * WEEKS * 7, index * BLOCK, { first, last, counts }),
      ),
      legend(strips.length * BLOCK),
    ]),
    caption: 'A square for each day, a column for each week, Monday at the top; darker with more sessions.',
  };
}

const shade = scaleThreshold<number, string>().domain([1, 2, 3, 5]).range(['s0', 's1', 's2', 's3', 's4']);

interface Span {
  readonly first: number;
  readonly last: number;
  readonly counts: ReadonlyMap<number, number>;
}

function drawStrip(monday: number, top: number, { first, last, counts }: Span): Html {
  const cells = Array.from({ length: WEEKS * 7 }, (_, i) => ({
    day: monday + i,
    column: Math.floor(i / 7),
    row: i % 7,
  }))
    .filter(({ day }) => day >= first && day <= last)
    .map(
      ({ day, column, row }) =>
        html`<rect class="${shade(counts.get(day) ?? 0)}" x="${LEFT + column * CELL + 1}" y="${top + HEAD + row * CELL + 1}" width="${CELL - 2}" height="${CELL - 2}"/>`,
    );
  return html`<g class="label">${DAYS.map((name, i) => name && html`<text x="0" y="${top + HEAD + i * CELL + 12}">${name}</text>`)}${monthLabels(monday, top, first, last)}</g><g class="day">${cells}</g>`;
}

function monthLabels(monday: number, top: number, first: number, last: number): Html[] {
  const labels: Html[] = [];
  let named = '';
  let free = 0;
  for (let column = 0; column < WEEKS; column += 1) {
    const week = monday + column * 7;
    const day = Math.max(week, first);
    const month = dayOf(day).slice(0, 7);
    if (week > last || month === named) continue;
    named = month;
    const next = dayOf(week + 3 * 7).slice(0, 7);
    if (column < free || (column === 0 && next !== month && week + 3 * 7 <= last)) continue;
    labels.push(html`<text x="${LEFT + column * CELL}" y="${top + 12}">${month}</text>`);
    free = column + 4;
  }
  return labels;
}

function legend(top: number): Html {
  const steps = ['0', '1', '2', '3–4', '5 or more'];
  return html`<g class="day">${steps.map((_, i) => html`<rect class="s${i}" x="${LEFT + i * 52}" y="${top}" width="${CELL - 2}" height="${CELL - 2}"/>`)}</g><g class="label">${steps.map((text, i) => html`<text x="${LEFT + i * 52 + 20}" y="${top + 12}">${text}</text>`)}</g>`;
}

const MOST_MONTHS = 12;

/** Days with sessions by month, the latest year of them. */
function months(days: readonly number[]): string {
  const byMonth = new Map<string, number>();
  for (const day of days) byMonth.set(dayOf(day).slice(0, 7), (byMonth.get(dayOf(day).slice(0, 7)) ?? 0) + 1);
  const told = [...byMonth].slice(-MOST_MONTHS).map(([month, number]) => `${month}: ${count(number, 'day')}`);
  return `Days with sessions: ${told.join(', ')}.`;
}
