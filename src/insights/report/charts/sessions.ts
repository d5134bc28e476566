import type { Log } from '../../../domain/log.ts';
import { html } from '../../../lib/html.ts';
import { count, plain } from '../words.ts';
import { at, type Chart, frame } from './frame.ts';
import { dateLabels, spansOf, timeAxis } from './time.ts';

const HEIGHT = 110;
const [TOP, BASE] = [12, HEIGHT - 26];

/**
 * Sessions a week over time, with the target if there is one.
 * @param logs at least one, by date
 * @param target sessions a week
 */
export function sessionsChart(logs: readonly Log[], target: number | null): Chart {
  const axis = timeAxis(logs);
  const { weeks, spans } = spansOf(logs, axis);
  const bars = spans.map(({ start, logs: those }) => ({ start, perWeek: those.length / weeks }));
  const most = Math.max(target ?? 0, ...bars.map(({ perWeek }) => perWeek));
  const y = (perWeek: number) => at(BASE - ((BASE - TOP) * perWeek) / most);
  const title = 'Sessions a week';
  const busiest = bars.reduce((a, b) => (b.perWeek > a.perWeek ? b : a));
  const description = `${count(logs.length, 'session')}; at most ${plain(busiest.perWeek)} a week.${target === null ? '' : ` The target is ${target} a week.`}`;
  // Two labels need some room between them, and the target has the first claim to it.
  const labels = [0, most].filter((value) => target === null || Math.abs(value - target) >= most / 4);
  if (target !== null) labels.push(target);
  return {
    title,
    description,
    caption: `Sessions a week${weeks > 1 ? `, the mean of each ${weeks} weeks` : ''}${target === null ? '' : `; the line is the target of ${target}`}.`,
    svg: frame('sessions', HEIGHT, title, description, [
      html`<g class="grid"><line x1="0%" x2="100%" y1="${BASE}" y2="${BASE}"/></g>`,
      html`<g class="label end">${labels.map((value) => html`<text x="0" dx="-8" y="${at(y(value) + 4)}">${plain(value)}</text>`)}</g>`,
      dateLabels(axis, BASE),
      html`<g class="week">${bars.map(({ start, perWeek }) => {
        const [left, right] = [axis.x(start + weeks / 2), axis.x(start + 6.5 * weeks)];
        const width = at(Number.parseFloat(right) - Number.parseFloat(left));
        return html`<rect x="${left}" width="${width}%" y="${y(perWeek)}" height="${at(BASE - y(perWeek))}"/>`;
      })}</g>`,
      ...(target === null
        ? []
        : [html`<line class="target" x1="0%" x2="100%" y1="${y(target)}" y2="${y(target)}"/>`]),
    ]),
  };
}
