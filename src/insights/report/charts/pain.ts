import { scaleLinear, scaleUtc } from 'd3-scale';
import { line } from 'd3-shape';
import type { Log } from '../../../domain/log.ts';
import { type Html, html } from '../../../lib/html.ts';
import { dayNumber } from '../../days.ts';
import type { Trend } from '../../trend.ts';
import { trendSentence } from '../words.ts';
import { at, type Chart, frame, WIDTH } from './frame.ts';

const HEIGHT = 250;
const MARGIN = { top: 12, right: 10, bottom: 26, left: 26 };
const DAY_MS = 86_400_000;
/** With more sessions than this their marks are faint, and the medians are drawn over them. */
const CROWD = 150;

/**
 * Every session over time: a dot at the pain before and a line to the pain after; a thick line for the
 * weekly medians of the pain before. Sessions of one day stand side by side within their day.
 * @param logs at least one, by date
 */
export function painChart(logs: readonly Log[], pain: Trend): Chart {
  const first = dayNumber(logs[0]?.date ?? '');
  const last = dayNumber(logs.at(-1)?.date ?? '') + 1;
  const x = scaleUtc()
    .domain([first * DAY_MS, last * DAY_MS])
    .range([MARGIN.left + 4, WIDTH - MARGIN.right - 4]);
  const y = scaleLinear()
    .domain([1, 10])
    .range([HEIGHT - MARGIN.bottom, MARGIN.top]);
  const radius = Math.min(3.2, Math.max(1.1, 40 / Math.sqrt(logs.length)));
  const days = (day: number) => at(x(day * DAY_MS));
  const medians = line<Trend['weeks'][number]>()
    .x(({ week }) => days(Math.min(last, Math.max(first, dayNumber(week) + 3.5))))
    .y(({ median }) => at(y(median)));
  const sessions = placed(logs).map(({ log, day }) => ({
    cx: days(day),
    before: at(y(log.painBefore)),
    after: at(y(log.painAfter)),
  }));
  const crowded = logs.length > CROWD;
  const sessionMarks = [
    html`<g class="${crowded ? 'stem faint' : 'stem'}">${sessions.map(({ cx, before, after }) => before !== after && html`<line x1="${cx}" x2="${cx}" y1="${before}" y2="${after}"/>`)}</g>`,
    html`<g class="${crowded ? 'dot faint' : 'dot'}">${sessions.map(({ cx, before }) => html`<circle cx="${cx}" cy="${before}" r="${at(radius)}"/>`)}</g>`,
  ];
  const weekly = html`${pain.weeks.length > 1 && html`<path class="halo" d="${medians(pain.weeks)}"/><path class="median" d="${medians(pain.weeks)}"/>`}`;
  const title = 'Pain over time, every session';
  const description = `${logs.length} sessions from ${logs[0]?.date} to ${logs.at(-1)?.date}, pain from 1 to 10. Weekly median of the pain before, first to last: ${mediansInWords(pain)}. ${trendSentence(pain)}`;
  return {
    title,
    description,
    svg: frame('pain', HEIGHT, title, description, [
      html`<g class="grid">${y.ticks(10).map((level) => html`<line x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${at(y(level))}" y2="${at(y(level))}"/>`)}</g>`,
      html`<g class="label end">${y.ticks(10).map((level) => html`<text x="${MARGIN.left - 6}" y="${at(y(level) + 4)}">${level}</text>`)}</g>`,
      dates(x, first, last),
      ...(crowded ? [...sessionMarks, weekly] : [weekly, ...sessionMarks]),
    ]),
    caption:
      'Each dot is the pain before one session, the line from it leads to the pain after. The thick line is the weekly median of the pain before.',
  };
}

/** The time of each session, in days: those of one day spread over it. */
function placed(logs: readonly Log[]): { log: Log; day: number }[] {
  const total = new Map<string, number>();
  for (const { date } of logs) total.set(date, (total.get(date) ?? 0) + 1);
  const seen = new Map<string, number>();
  return logs.map((log) => {
    const index = seen.get(log.date) ?? 0;
    seen.set(log.date, index + 1);
    return { log, day: dayNumber(log.date) + (index + 0.5) / (total.get(log.date) ?? 1) };
  });
}

function dates(x: ReturnType<typeof scaleUtc<number>>, first: number, last: number): Html {
  const label = (moment: Date) =>
    moment.toISOString().slice(0, last - first > 1000 ? 4 : last - first > 90 ? 7 : 10);
  const ticks = last - first < 4 ? [new Date(first * DAY_MS)] : x.ticks(4);
  const base = HEIGHT - MARGIN.bottom;
  return html`<g class="label">${ticks.map((moment) => {
    const position = at(x(moment));
    const anchor = position > WIDTH - 50 ? 'end' : position < 60 ? 'start' : 'middle';
    return html`<line class="tick" x1="${position}" x2="${position}" y1="${base}" y2="${base + 4}"/><text x="${position}" y="${base + 18}" text-anchor="${anchor}">${label(moment)}</text>`;
  })}</g>`;
}

const MOST_SPOKEN = 26;

function mediansInWords({ weeks }: Trend): string {
  const spoken = weeks.slice(-MOST_SPOKEN).map(({ median }) => median);
  return `${weeks.length > MOST_SPOKEN ? `(the last ${MOST_SPOKEN} weeks) ` : ''}${spoken.join(', ')}`;
}
