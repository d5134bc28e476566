import { scaleLinear } from 'd3-scale';
import type { Log } from '../../../domain/log.ts';
import { type Html, html } from '../../../lib/html.ts';
import { dayNumber } from '../../days.ts';
import type { Trend } from '../../shapes.ts';
import { medianOf, type Point } from '../../stats/points.ts';
import { MANY } from '../report.ts';
import { count, plain, trendSentence } from '../words.ts';
import { at, type Chart, frame } from './frame.ts';
import { dateLabels, type Span, spansOf, type TimeAxis, timeAxis } from './time.ts';

const HEIGHT = 250;
const [TOP, BASE] = [10, HEIGHT - 26];
const y = scaleLinear().domain([1, 10]).range([BASE, TOP]);

/**
 * The pain of every session over time, or, of very many, of every span of weeks.
 * @param logs at least one, by date
 */
export function painChart(logs: readonly Log[], pain: Trend): Chart {
  const axis = timeAxis(logs);
  const { title, caption, marks } = logs.length < MANY ? everySession(logs, pain, axis) : boxes(logs, axis);
  const description = `${count(logs.length, 'session')} from ${logs[0]?.date} to ${logs.at(-1)?.date}, pain from 1 to 10. Weekly median of the pain before, first to last: ${mediansInWords(pain)}. ${trendSentence(pain)}`;
  return {
    title,
    description,
    caption,
    svg: frame('pain', HEIGHT, title, description, [
      html`<g class="grid">${y.ticks(10).map((level) => html`<line x1="0%" x2="100%" y1="${at(y(level))}" y2="${at(y(level))}"/>`)}</g>`,
      html`<g class="label end">${y.ticks(10).map((level) => html`<text x="0" dx="-8" y="${at(y(level) + 4)}">${level}</text>`)}</g>`,
      dateLabels(axis, BASE),
      ...marks,
    ]),
  };
}

interface Drawing {
  readonly title: string;
  readonly caption: string;
  readonly marks: readonly Html[];
}

/** A dot at the pain before with a line to the pain after; sessions of one day stand side by side within it. */
function everySession(logs: readonly Log[], pain: Trend, axis: TimeAxis): Drawing {
  const radius = at(Math.min(3.4, Math.max(2.2, 40 / Math.sqrt(logs.length))));
  const sessions = placed(logs).map(({ log, day }) => ({
    x: axis.x(day),
    before: at(y(log.painBefore)),
    after: at(y(log.painAfter)),
    way: log.painAfter > log.painBefore ? 'more' : 'less',
  }));
  const medians = pain.weeks.map(({ week, median }) => ({
    x: axis.x(dayNumber(week) + 3.5),
    y: at(y(median)),
  }));
  const steps = medians
    .slice(1)
    .map((to, i) => html`<line x1="${medians[i]?.x}" y1="${medians[i]?.y}" x2="${to.x}" y2="${to.y}"/>`);
  return {
    title: 'Pain over time, every session',
    caption:
      'Each dot is the pain before one session; the line from it leads to the pain after. The thick grey line is the weekly median of the pain before.',
    marks: [
      html`<g class="median">${steps}</g>`,
      ...(['less', 'more'] as const).map(
        (side) =>
          html`<g class="stem ${side}">${sessions.map(({ x, before, after, way }) => way === side && before !== after && html`<line x1="${x}" x2="${x}" y1="${before}" y2="${after}"/>`)}</g>`,
      ),
      html`<g class="dot">${sessions.map(({ x, before }) => html`<circle cx="${x}" cy="${before}" r="${radius}"/>`)}</g>`,
    ],
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

/** Of each span of weeks the range of the pain before, its middle half and its median. */
function boxes(logs: readonly Log[], axis: TimeAxis): Drawing {
  const { weeks, spans } = spansOf(logs, axis);
  const span = weeks === 1 ? 'week' : `${weeks} weeks`;
  return {
    title: `Pain before exercise, ${weeks === 1 ? 'week by week' : `in spans of ${span}`}`,
    caption: `Each box is the middle half of the pain before exercise in one ${weeks === 1 ? 'week' : `span of ${span}`}, the thick line in it the median, the thin line the lowest and the highest.`,
    marks: [html`<g class="box">${spans.map((each) => box(each, weeks, axis))}</g>`],
  };
}

function box({ start, logs }: Span, weeks: number, { x }: TimeAxis): Html {
  const points = pointsOf(logs);
  const sorted = logs.map(({ painBefore }) => painBefore).sort((a, b) => a - b);
  const quartile = (share: number) => sorted[Math.round(share * (sorted.length - 1))] ?? 1;
  const [days, gap] = [7 * weeks, weeks];
  const [left, right, middle] = [x(start + gap / 2), x(start + days - gap / 2), x(start + days / 2)];
  const width = `${at(Number.parseFloat(right) - Number.parseFloat(left))}%`;
  const [low, high] = [quartile(0.25), quartile(0.75)].map((value) => at(y(value))) as [number, number];
  const [least, most, median] = [quartile(0), quartile(1), medianOf(points)].map((value) => at(y(value)));
  return html`<line x1="${middle}" x2="${middle}" y1="${least}" y2="${most}"/><rect x="${left}" width="${width}" y="${at(high - 1)}" height="${at(low - high + 2)}"/><line class="middle" x1="${left}" x2="${right}" y1="${median}" y2="${median}"/>`;
}

function pointsOf(logs: readonly Log[]): Point[] {
  const counts = new Map<number, number>();
  for (const { painBefore } of logs) counts.set(painBefore, (counts.get(painBefore) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => a - b);
}

const MOST_SPOKEN = 26;

function mediansInWords({ weeks }: Trend): string {
  const spoken = weeks.slice(-MOST_SPOKEN).map(({ median }) => plain(median));
  return `${weeks.length > MOST_SPOKEN ? `(the last ${MOST_SPOKEN} weeks) ` : ''}${spoken.join(', ')}`;
}
