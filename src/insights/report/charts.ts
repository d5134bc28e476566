import { scaleLinear, scaleUtc } from 'd3-scale';
import type { Log } from '../../domain/log.ts';
import { DAY_MS, dayNumber, dayOf, mondayOf } from '../../domain/words/day.ts';
import { type Html, html } from '../../lib/html.ts';
import { groupBy } from '../numbers.ts';
import type { PainDay } from '../pain-days.ts';
import type { Rhythm, Trend } from '../shapes.ts';
import { medianOf, pointsOf } from '../stats/points.ts';
import { count, monthInWords, PAIN_BEFORE, painLabel, plain, trendSentence } from '../wording.ts';
import { MANY } from './report.ts';

/**
 * Charts are laid out in percent of the page horizontally and in pixels vertically, so that text keeps its size on a phone.
 * Labels of the vertical axis are in the left margin.
 */

/** A chart, its text alternative (also within the SVG) and how to read it. */
export interface Chart {
  readonly svg: Html;
  readonly title: string;
  readonly description: string;
  readonly caption: string;
}

/** A chart with its text alternative. `name` is unique in the document; `height` is in pixels. */
function chart(name: string, height: number, told: Omit<Chart, 'svg'>, content: readonly Html[]): Chart {
  const { title, description } = told;
  const svg = html`<svg xmlns="http://www.w3.org/2000/svg" class="plot" width="100%" height="${Math.ceil(height)}" role="img" aria-labelledby="${name}-title ${name}-desc"><title id="${name}-title">${title}</title><desc id="${name}-desc">${description}</desc>${content}</svg>`;
  return { ...told, svg };
}

/** A coordinate in pixels with at most 2 decimals. */
const at = (value: number): number => Math.round(value * 100) / 100;

/** A share of the width, 0 to 1, as a coordinate. */
export const across = (share: number): string => `${at(share * 100)}%`;

/** The days that a chart shows, and their horizontal positions. */
interface TimeAxis {
  /** Day numbers; the last is excluded. */
  readonly first: number;
  readonly last: number;
  /** @param day a day number, or a moment within a day */
  readonly x: (day: number) => string;
}

/** @param logs records or days, at least one, ordered by date */
function timeAxis(logs: readonly { readonly date: string }[]): TimeAxis {
  const first = dayNumber(logs[0]?.date ?? '');
  const last = dayNumber(logs.at(-1)?.date ?? '') + 1;
  const within = (day: number) => Math.min(last, Math.max(first, day));
  return { first, last, x: (day) => across((within(day) - first) / (last - first)) };
}

const MOST_LABELS = 5;

/** Ticks and dates at the bottom of a chart. */
function dateLabels({ first, last, x }: TimeAxis, base: number): Html {
  const days = last - first;
  const scale = scaleUtc().domain([first * DAY_MS, last * DAY_MS]);
  const all = days < 4 ? [new Date(first * DAY_MS)] : scale.ticks(4);
  const ticks = all.filter((_, i) => i % Math.ceil(all.length / MOST_LABELS) === 0);
  return html`<g class="label">${ticks.map((moment, i) => {
    const share = (moment.getTime() / DAY_MS - first) / days;
    const position = x(moment.getTime() / DAY_MS);
    const anchor = share > 0.9 ? 'end' : share < 0.1 ? 'start' : 'middle';
    return html`<line class="tick" x1="${position}" x2="${position}" y1="${base}" y2="${base + 4}"/><text x="${position}" y="${base + 18}" text-anchor="${anchor}">${labelOf(moment, days, ticks[i - 1])}</text>`;
  })}</g>`;
}

/** The label of a tick: a day, a month (with its year if that differs from the label before), or a year. */
function labelOf(moment: Date, days: number, before: Date | undefined): string {
  const [day, year] = [moment.getUTCDate(), moment.getUTCFullYear()];
  const month = monthInWords(moment.toISOString().slice(0, 7), false).slice(0, 3);
  if (days > 1000) return String(year);
  if (days <= 90) return `${day} ${month}`;
  return year === before?.getUTCFullYear() ? month : `${month} ${year}`;
}

/** The sessions of some weeks. */
interface Span {
  /** Day number of the first day, a Monday. */
  readonly start: number;
  readonly logs: readonly Log[];
}

/** Most spans in a chart: more would be too narrow on a phone. */
const MOST_SPANS = 60;
const WEEKS = [1, 2, 4, 13, 26, 52];

/**
 * Sessions by spans of whole weeks, with the fewest weeks in a span that keep the spans legible. Spans without sessions are
 * left out.
 */
function spansOf(logs: readonly Log[], { first, last }: TimeAxis): { weeks: number; spans: Span[] } {
  const start = dayNumber(mondayOf(dayOf(first)));
  const weeks = WEEKS.find((each) => (last - start) / (7 * each) <= MOST_SPANS) ?? 520;
  const spans = groupBy(logs, ({ date }) => Math.floor((dayNumber(date) - start) / (7 * weeks)));
  return {
    weeks,
    spans: [...spans].map(([index, those]) => ({ start: start + index * 7 * weeks, logs: those })),
  };
}

const PAIN_HEIGHT = 250;
const LOW_PAIN_HEIGHT = 150;
const LEVELS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
const LOW_LEVELS = [1, 4, 7, 10];

interface PainAxes extends TimeAxis {
  /** Vertical position of a level of pain, in pixels from the top. */
  readonly y: (level: number) => number;
}

/**
 * Pain over time: of every session, or from `MANY` sessions on of every span of weeks; without sessions of every day.
 * @param logs by date; may be empty if there are days
 * @param options.days days with a known pain, by date; for those without exercise the worst pain is shown
 * @param options.isLow a lower chart, for a page with more on it: fewer levels are labelled, and the caption is one line
 */
export function painChart(
  logs: readonly Log[],
  pain: Trend,
  { days = [], isLow = false }: { days?: readonly PainDay[]; isLow?: boolean } = {},
): Chart {
  const height = isLow ? LOW_PAIN_HEIGHT : PAIN_HEIGHT;
  const base = height - 26;
  const y = scaleLinear().domain([1, 10]).range([base, 10]);
  const levels = isLow ? LOW_LEVELS : LEVELS;
  const axes = { ...timeAxis(days.length > 0 ? days : logs), y: (level: number) => at(y(level)) };
  const drawing =
    logs.length === 0
      ? everyDay(pain, axes)
      : logs.length < MANY
        ? everySession(logs, pain, axes)
        : boxes(logs, axes);
  const { title, marks } = drawing;
  const rings = days
    .filter(({ sessions }) => sessions === 0)
    .map(({ date, pain }) => ({ x: axes.x(dayNumber(date) + 0.5), y: axes.y(pain) }));
  const [caption, ofRings] =
    isLow && logs.length > 0
      ? [drawing.brief, 'Ring: a day without.']
      : [drawing.caption, `A ring is the worst pain of a day${logs.length > 0 ? ' without exercise' : ''}.`];
  const [what, shown] = logs.length > 0 ? ['session', logs] : ['day', days];
  const description = `${count(shown.length, what)} from ${shown[0]?.date} to ${shown.at(-1)?.date}, pain from 1 to 10. Weekly median of the ${painLabel(pain).toLowerCase()}, first to last: ${mediansInWords(pain)}. ${trendSentence(pain)}`;
  const told = {
    title,
    description,
    caption: sentences(caption, rings.length > 0 && ofRings),
  };
  return chart('pain', height, told, [
    html`<g class="grid">${levels.map((level) => html`<line x1="0%" x2="100%" y1="${axes.y(level)}" y2="${axes.y(level)}"/>`)}</g>`,
    html`<g class="label end">${levels.map((level) => html`<text x="0" dx="-8" y="${at(y(level) + 4)}">${level}</text>`)}</g>`,
    dateLabels(axes, base),
    ...marks,
    ...(rings.length > 0
      ? [html`<g class="ring">${rings.map(({ x, y }) => html`<circle cx="${x}" cy="${y}" r="2.6"/>`)}</g>`]
      : []),
  ]);
}

interface Drawing {
  readonly title: string;
  readonly caption: string;
  /** The caption in one line. */
  readonly brief: string;
  readonly marks: readonly Html[];
}

function everyDay(pain: Trend, axes: PainAxes): Drawing {
  const [caption = '', brief = ''] = ofMedianLine(pain);
  return { title: 'Pain over time, every day', caption, brief, marks: [medianLine(pain, axes)] };
}

const sentences = (...said: (string | false | undefined)[]): string => said.filter(Boolean).join(' ');

/** The caption of the line of weekly medians, long and brief; empty with a single week, which has no line. */
function ofMedianLine(pain: Trend): string[] {
  const what = `weekly median of the ${painLabel(pain).toLowerCase()}.`;
  return pain.weeks.length > 1 ? [`The thick grey line is the ${what}`, `Thick grey line: ${what}`] : [];
}

/** Longest gap, in days, that the line of medians bridges: it says nothing of a longer time without records. */
const MOST_BETWEEN = 28;

function medianLine({ weeks }: Trend, axes: PainAxes): Html {
  const medians = weeks.map(({ week, median }) => ({
    day: dayNumber(week),
    x: axes.x(dayNumber(week) + 3.5),
    y: axes.y(median),
  }));
  const steps = medians.slice(1).map((to, i) => {
    const from = medians[i] ?? to;
    if (to.day - from.day > MOST_BETWEEN) return [];
    return html`<line x1="${from.x}" y1="${from.y}" x2="${to.x}" y2="${to.y}"/>`;
  });
  return html`<g class="median">${steps}</g>`;
}

/** A dot at the pain before with a line to the pain after; sessions of one day are side by side. */
function everySession(logs: readonly Log[], pain: Trend, axes: PainAxes): Drawing {
  const [line, lineInBrief] = ofMedianLine(pain);
  const radius = at(Math.min(3.4, Math.max(2.2, 40 / Math.sqrt(logs.length))));
  const sessions = placed(logs).map(({ log, day }) => ({
    x: axes.x(day),
    before: axes.y(log.painBefore),
    after: axes.y(log.painAfter),
    way: log.painAfter > log.painBefore ? 'more' : 'less',
  }));
  return {
    title: 'Pain over time, every session',
    caption: sentences(
      'Each dot is the pain before one session; the line from it leads to the pain after.',
      line,
    ),
    brief: sentences('Dot: pain before a session; line from it: to the pain after.', lineInBrief),
    marks: [
      medianLine(pain, axes),
      ...(['less', 'more'] as const).map(
        (side) =>
          html`<g class="stem ${side}">${sessions.map(({ x, before, after, way }) => way === side && before !== after && html`<line x1="${x}" x2="${x}" y1="${before}" y2="${after}"/>`)}</g>`,
      ),
      html`<g class="dot">${sessions.map(({ x, before }) => html`<circle cx="${x}" cy="${before}" r="${radius}"/>`)}</g>`,
    ],
  };
}

/** The horizontal position of each session, as a fraction of days: sessions of one day are spread over it. */
function placed(logs: readonly Log[]): { log: Log; day: number }[] {
  return [...groupBy(logs, ({ date }) => date)].flatMap(([date, those]) =>
    those.map((log, i) => ({ log, day: dayNumber(date) + (i + 0.5) / those.length })),
  );
}

/** A box plot of the pain before for each span of weeks: range, interquartile range and median. */
function boxes(logs: readonly Log[], axes: PainAxes): Drawing {
  const { weeks, spans } = spansOf(logs, axes);
  const span = weeks === 1 ? 'week' : `${weeks} weeks`;
  return {
    title: `${PAIN_BEFORE}, ${weeks === 1 ? 'week by week' : `in spans of ${span}`}`,
    caption: `Each box is the middle half of the pain before exercise in one ${weeks === 1 ? 'week' : `span of ${span}`}, the thick line in it the median, the thin line the lowest and the highest.`,
    brief: `${PAIN_BEFORE} of each ${span}. Box: the middle half; thick line: median; thin line: lowest to highest.`,
    marks: [html`<g class="box">${spans.map((each) => box(each, weeks, axes))}</g>`],
  };
}

function box({ start, logs }: Span, weeks: number, { x, y }: PainAxes): Html {
  const sorted = logs.map(({ painBefore }) => painBefore).sort((a, b) => a - b);
  const quartile = (share: number) => sorted[Math.round(share * (sorted.length - 1))] ?? 1;
  const [days, gap] = [7 * weeks, weeks];
  const [left, right, middle] = [x(start + gap / 2), x(start + days - gap / 2), x(start + days / 2)];
  const width = `${at(Number.parseFloat(right) - Number.parseFloat(left))}%`;
  const [low, high] = [quartile(0.25), quartile(0.75)].map(y) as [number, number];
  const [least, most, median] = [quartile(0), quartile(1), medianOf(pointsOf(sorted))].map(y);
  return html`<line x1="${middle}" x2="${middle}" y1="${least}" y2="${most}"/><rect x="${left}" width="${width}" y="${at(high - 1)}" height="${at(low - high + 2)}"/><line class="middle" x1="${left}" x2="${right}" y1="${median}" y2="${median}"/>`;
}

const MOST_SPOKEN = 26;

function mediansInWords({ weeks }: Trend): string {
  const spoken = weeks.slice(-MOST_SPOKEN).map(({ median }) => plain(median));
  return `${weeks.length > MOST_SPOKEN ? `(the last ${MOST_SPOKEN} weeks) ` : ''}${spoken.join(', ')}`;
}

const SESSIONS_HEIGHT = 110;
const [TOP, BASE] = [12, SESSIONS_HEIGHT - 26];

/**
 * Sessions a week over time, or days with sessions a week, with the target if there is one.
 * @param logs at least one, by date
 */
export function sessionsChart(logs: readonly Log[], of: Rhythm['target']): Chart {
  const [target, isDays] = [of?.perWeek ?? null, of?.counts === 'days'];
  const axis = timeAxis(logs);
  const { weeks, spans } = spansOf(logs, axis);
  const bars = spans.map(({ start, logs: those }) => ({
    start,
    perWeek: (isDays ? new Set(those.map(({ date }) => date)).size : those.length) / weeks,
  }));
  const most = Math.max(target ?? 0, ...bars.map(({ perWeek }) => perWeek));
  const height = (perWeek: number) => at(BASE - ((BASE - TOP) * perWeek) / most);
  const title = isDays ? 'Days with exercise a week' : 'Sessions a week';
  const busiest = bars.reduce((a, b) => (b.perWeek > a.perWeek ? b : a));
  const description = `${count(logs.length, 'session')}; at most ${plain(busiest.perWeek)} a week.${target === null ? '' : ` The target is ${target} a week.`}`;
  // Labels closer than a quarter of the height would overlap; that of the target has priority.
  const labels = [0, most].filter((value) => target === null || Math.abs(value - target) >= most / 4);
  if (target !== null) labels.push(target);
  const caption = `${title}${weeks > 1 ? `, the mean of each ${weeks} weeks` : ''}${target === null ? '' : `; the line is the target of ${target}`}.`;
  return chart('sessions', SESSIONS_HEIGHT, { title, description, caption }, [
    html`<g class="grid"><line x1="0%" x2="100%" y1="${BASE}" y2="${BASE}"/></g>`,
    html`<g class="label end">${labels.map((value) => html`<text x="0" dx="-8" y="${at(height(value) + 4)}">${plain(value)}</text>`)}</g>`,
    dateLabels(axis, BASE),
    html`<g class="week">${bars.map(({ start, perWeek }) => {
      const [left, right] = [axis.x(start + weeks / 2), axis.x(start + 6.5 * weeks)];
      const width = at(Number.parseFloat(right) - Number.parseFloat(left));
      return html`<rect x="${left}" width="${width}%" y="${height(perWeek)}" height="${at(BASE - height(perWeek))}"/>`;
    })}</g>`,
    ...(target === null
      ? []
      : [html`<line class="target" x1="0%" x2="100%" y1="${height(target)}" y2="${height(target)}"/>`]),
  ]);
}
