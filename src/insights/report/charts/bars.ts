import { scaleLinear } from 'd3-scale';
import { type Html, html } from '../../../lib/html.ts';
import type { Bar, Bars } from '../document.ts';
import { interval, signed } from '../words.ts';
import { across } from './frame.ts';

const HEIGHT = 20;
const MIDDLE = HEIGHT / 2;

/**
 * A table whose rows are exercises and whose third column is a chart: a bar from 0 to the mean change, and over it
 * the interval. All rows have one scale, which the head of the column shows.
 */
export function bars({ caption, legend, groups }: Bars): Html {
  const rows = groups.flatMap((each) => each.rows);
  const x = scaleLinear().domain(extent(rows)).nice(6);
  const share = (value: number) => across(x(value));
  const head =
    rows.length > 0 &&
    html`<thead><tr><th scope="col">Exercise</th><th scope="col">Verdict</th><th scope="col" class="axis"><span class="hidden">Change</span>${axis(x.ticks(5), share)}</th><th scope="col" class="number">Mean (95 % interval)</th><th scope="col" class="number">Sessions</th></tr></thead>\n`;
  return html`<table class="bars">
${rows.length > 0 && html`<caption>${legend} ${caption}</caption>\n`}${head}${groups.map(
  ({ title, rows: own, rest }) => html`<tbody>
<tr class="group"><th colspan="5" scope="rowgroup">${title}</th></tr>
${own.map((each) => row(each, share))}${rest !== null && html`<tr class="rest"><td colspan="5">${rest}</td></tr>\n`}</tbody>
`,
)}</table>
`;
}

type Share = (value: number) => string;

function axis(ticks: readonly number[], share: Share): Html {
  return html`<svg width="100%" height="32" aria-hidden="true"><g class="label"><text x="0%" y="11">less pain</text><text x="100%" y="11" text-anchor="end">more pain</text></g><g class="label middle">${ticks.map((tick) => html`<text x="${share(tick)}" y="28">${signed(tick, Number.isInteger(tick) ? 0 : 1)}</text>`)}</g></svg>`;
}

function row({ name, remark, verdict, tone, mean, interval: range, sessions }: Bar, share: Share): Html {
  return html`<tr><th scope="row">${name}${remark !== null && html` <em>${remark}</em>`}</th><td class="verdict ${tone}">${verdict}</td><td class="bar">${drawing(mean, range, tone, share)}</td><td class="number">${signed(mean)} <span>(${interval(range)})</span></td><td class="number sessions">${sessions}</td></tr>\n`;
}

function drawing(
  mean: number,
  [low, high]: readonly [number, number],
  tone: Bar['tone'],
  share: Share,
): Html {
  const [from, to] = [share(Math.min(0, mean)), share(Math.max(0, mean))];
  const width = `${Math.max(0, Number.parseFloat(to) - Number.parseFloat(from)).toFixed(2)}%`;
  const end = (value: number) =>
    html`<line x1="${share(value)}" x2="${share(value)}" y1="${MIDDLE - 4}" y2="${MIDDLE + 4}"/>`;
  return html`<svg width="100%" height="${HEIGHT}" aria-hidden="true"><rect class="${tone}" x="${from}" width="${width}" y="4" height="${HEIGHT - 8}"/><line class="zero" x1="${share(0)}" x2="${share(0)}" y1="0" y2="${HEIGHT}"/><g class="range"><line x1="${share(low)}" x2="${share(high)}" y1="${MIDDLE}" y2="${MIDDLE}"/>${end(low)}${end(high)}</g></svg>`;
}

/** At least 2 points to each side, so that the words above the axis have room. */
function extent(rows: readonly Bar[]): [number, number] {
  const ends = rows.flatMap(({ interval: range }) => range);
  return [Math.min(-2, ...ends), Math.max(2, ...ends)];
}
