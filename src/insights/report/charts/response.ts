import { scaleLinear } from 'd3-scale';
import { symbol, symbolDiamond } from 'd3-shape';
import { type Html, html } from '../../../lib/html.ts';
import type { ExerciseSummary } from '../../exercises.ts';
import { count, interval, quoted, signed, verdictWords } from '../words.ts';
import { at, type Chart, cut, frame, WIDTH } from './frame.ts';

const ROW = 36;
const TOP = 26;
const EDGE = 14;

/**
 * Dot and interval for each exercise, in ranked order: left of the line at 0 is less pain after. Exercises
 * with too few sessions show a hollow dot and no interval.
 */
export function responseChart(exercises: readonly ExerciseSummary[]): Chart {
  const x = scaleLinear()
    .domain(extent(exercises))
    .nice()
    .range([EDGE, WIDTH - EDGE]);
  const height = TOP + exercises.length * ROW + 10;
  const zero = at(x(0));
  const description = exercises
    .map((exercise) => `${quoted(exercise.exerciseName)}: ${inWords(exercise)}`)
    .join('; ');
  const title = 'Mean change of pain per exercise';
  return {
    title,
    description,
    svg: frame('response', height, title, description, [
      html`<g class="grid">${x.ticks(6).map((tick) => html`<line x1="${at(x(tick))}" x2="${at(x(tick))}" y1="${TOP - 4}" y2="${height}"/>`)}</g>`,
      html`<g class="label middle">${x.ticks(6).map((tick) => html`<text x="${at(x(tick))}" y="${TOP - 9}">${signed(tick, Number.isInteger(tick) ? 0 : 1)}</text>`)}</g>`,
      html`<line class="zero" x1="${zero}" x2="${zero}" y1="${TOP - 4}" y2="${height}"/>`,
      ...exercises.map((exercise, index) => row(exercise, TOP + index * ROW, x)),
    ]),
    caption:
      'Points, pain after minus pain before: left of the line at 0 is less pain after. Dot: mean; bar: 95 % interval; diamond: median. Hollow: too few sessions to say.',
  };
}

function row(exercise: ExerciseSummary, top: number, x: (value: number) => number): Html {
  const { exerciseName, sessions, verdict, meanChange, medianChange } = exercise;
  const y = top + 25;
  const [low, high] = exercise.interval.map((end) => at(x(end)));
  const few = verdict === 'too-few';
  const diamond = symbol(symbolDiamond, 34)();
  return html`<g>
<text class="name" x="${EDGE}" y="${top + 13}">${quoted(cut(exerciseName, 42))}</text>
<text class="count" x="${WIDTH - EDGE}" y="${top + 13}">${count(sessions, 'session')}</text>
${!few && html`<line class="range" x1="${low}" x2="${high}" y1="${y}" y2="${y}"/><line class="range" x1="${low}" x2="${low}" y1="${y - 4}" y2="${y + 4}"/><line class="range" x1="${high}" x2="${high}" y1="${y - 4}" y2="${y + 4}"/><path class="diamond" transform="translate(${at(x(medianChange))} ${y})" d="${diamond}"/>`}
<circle class="${few ? 'mean hollow' : 'mean'}" cx="${at(x(meanChange))}" cy="${y}" r="4"/></g>`;
}

function inWords(exercise: ExerciseSummary): string {
  const { meanChange, sessions, verdict } = exercise;
  const range = verdict === 'too-few' ? '' : `, interval ${interval(exercise.interval)}`;
  return `mean ${signed(meanChange)}${range}, ${count(sessions, 'session')}, ${verdictWords(exercise)}`;
}

function extent(exercises: readonly ExerciseSummary[]): [number, number] {
  const values = exercises.flatMap(({ verdict, meanChange, interval: range }) =>
    verdict === 'too-few' ? [meanChange] : range,
  );
  return [Math.min(-1, ...values), Math.max(1, ...values)];
}
