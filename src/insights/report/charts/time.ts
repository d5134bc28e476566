import { scaleUtc } from 'd3-scale';
import type { Log } from '../../../domain/log.ts';
import { type Html, html } from '../../../lib/html.ts';
import { dayNumber, mondayOf } from '../../days.ts';
import { across } from './frame.ts';

const DAY_MS = 86_400_000;

/** The days that the charts of a report show, and where each stands across. */
export interface TimeAxis {
  /** Day numbers; the last is excluded. */
  readonly first: number;
  readonly last: number;
  /** @param day a day number, or a moment within a day */
  readonly x: (day: number) => string;
}

/** @param logs at least one, by date */
export function timeAxis(logs: readonly Log[]): TimeAxis {
  const first = dayNumber(logs[0]?.date ?? '');
  const last = dayNumber(logs.at(-1)?.date ?? '') + 1;
  const within = (day: number) => Math.min(last, Math.max(first, day));
  return { first, last, x: (day) => across((within(day) - first) / (last - first)) };
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const MOST_LABELS = 5;

/** Ticks and dates at the bottom of a chart. */
export function dateLabels({ first, last, x }: TimeAxis, base: number): Html {
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

/** A year, a month with its year where that is not the one of the label before, or a day. */
function labelOf(moment: Date, days: number, before: Date | undefined): string {
  const [day, month, year] = [moment.getUTCDate(), MONTHS[moment.getUTCMonth()], moment.getUTCFullYear()];
  if (days > 1000) return String(year);
  if (days <= 90) return `${day} ${month}`;
  return year === before?.getUTCFullYear() ? `${month}` : `${month} ${year}`;
}

/** The sessions of some weeks. */
export interface Span {
  /** Day number of the first day, a Monday. */
  readonly start: number;
  readonly logs: readonly Log[];
}

/** More spans than this are too narrow for a phone. */
const MOST_SPANS = 60;
const WEEKS = [1, 2, 4, 13, 26, 52];

/**
 * Sessions by spans of whole weeks, as few weeks to a span as keep the spans legible. Spans without sessions are
 * left out.
 */
export function spansOf(logs: readonly Log[], { first, last }: TimeAxis): { weeks: number; spans: Span[] } {
  const start = mondayOf(first);
  const weeks = WEEKS.find((each) => (last - start) / (7 * each) <= MOST_SPANS) ?? 520;
  const spans = new Map<number, Log[]>();
  for (const log of logs) {
    const index = Math.floor((dayNumber(log.date) - start) / (7 * weeks));
    const those = spans.get(index);
    if (those) those.push(log);
    else spans.set(index, [log]);
  }
  return {
    weeks,
    spans: [...spans].map(([index, those]) => ({ start: start + index * 7 * weeks, logs: those })),
  };
}
