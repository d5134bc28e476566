import { createHash } from 'node:crypto';
import { scaleLinear } from 'd3-scale';
import { Html, html } from '../../lib/html.ts';
import { interval, signed } from '../wording.ts';
import { across } from './charts.ts';
import {
  type Bar,
  type Bars,
  type Block,
  barLabels,
  type Column,
  type Note,
  type RecordGroup,
  type Section,
  type Tile,
} from './document.ts';
import type { Report } from './report.ts';
import { documentOf } from './sections.ts';
import { STYLE } from './style.ts';

/** The content security policy of a report: its own style sheet, and nothing else. */
export function reportPolicy(): string {
  const hash = createHash('sha256').update(STYLE).digest('base64');
  return `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
}

/**
 * A report as one HTML file for screen and paper. It loads no resources and runs no scripts: its content security policy allows
 * its own style sheet only. The same report gives the same bytes.
 */
export function reportHtml(report: Report): string {
  const { title, subtitle, about, sections } = documentOf(report);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${reportPolicy()}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="only light">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<meta name="generator" content="sciatica">
<title>${title}, ${subtitle}</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<header><h1>${title}</h1><p class="period">${subtitle}</p><p class="about">${about}</p></header>
<main>
${sections.map((each, i) => section(each, i === 0))}</main>
</body>
</html>
`.markup;
}

/** @param first whether it is the first section: its title is for screen readers only, because the page shows where it begins */
function section({ title, blocks, small }: Section, first: boolean): Html {
  return html`<section${small && new Html(' class="small"')}>
<h2${first && new Html(' class="hidden"')}>${title}</h2>
${blocks.map(block)}</section>
`;
}

function block(given: Block): Html {
  switch (given.kind) {
    case 'lead':
      return html`<p class="lead">${given.text}</p>\n`;
    case 'paragraph':
      return html`<p>${given.text}</p>\n`;
    case 'alert':
      return html`<div class="alert">${given.lines.map((text) => html`<p>${text}</p>`)}</div>\n`;
    case 'tiles':
      return tiles(given.tiles);
    case 'bars':
      return bars(given);
    case 'facts':
      return html`<dl class="facts">\n${given.rows.map(({ label, lines }) => html`<div><dt>${label}</dt><dd>${lines.map((text) => html`<p>${text}</p>`)}</dd></div>\n`)}</dl>\n`;
    case 'chart':
      return html`<figure>\n${given.svg}\n<figcaption>${given.caption}</figcaption>\n</figure>\n`;
    case 'table':
      return table(given.caption, given.columns, given.rows);
    case 'notes':
      return given.title === undefined ? notes(given.notes) : shortNotes(given.title, given.notes);
    case 'records':
      return html`<div class="records">\n${given.groups.map(records)}</div>\n`;
  }
}

function tiles(all: readonly Tile[]): Html {
  return html`<dl class="tiles">\n${all.map(({ label, value, lines }) => html`<div><dt>${label}</dt><dd class="value">${value}</dd>${lines.map((text) => html`<dd>${text}</dd>`)}</div>\n`)}</dl>\n`;
}

/** On a phone each row is a card: its cells carry the labels of their columns. */
function table(caption: string, columns: readonly Column[], rows: readonly (readonly string[])[]): Html {
  const kind = (column: number) => (columns[column]?.numeric ? 'number' : 'text');
  const cell = (text: string, i: number) =>
    i === 0
      ? html`<th scope="row">${text}</th>`
      : html`<td class="${kind(i)}" data-label="${columns[i]?.label}">${text}</td>`;
  return html`<table class="cards">
<caption>${caption}</caption>
<thead><tr>${columns.map(({ label }, i) => html`<th scope="col" class="${kind(i)}">${label}</th>`)}</tr></thead>
<tbody>
${rows.map((row) => html`<tr>${row.map(cell)}</tr>\n`)}</tbody>
</table>
`;
}

function notes(all: readonly Note[]): Html {
  return html`<div class="notes">\n${all.map(({ heading, text }) => html`<article class="note"><h3>${heading}</h3><p dir="auto">${text}</p></article>\n`)}</div>\n`;
}

function shortNotes(title: string, all: readonly Note[]): Html {
  return html`<h3>${title}</h3>
<ul class="short">
${all.map(({ heading, text }) => html`<li><b>${heading}</b>${text !== '' && html` <span dir="auto">${text}</span>`}</li>\n`)}</ul>
`;
}

function records({ title, lines }: RecordGroup): Html {
  return html`<h3>${title}</h3>
<dl>${lines.map(({ label, lines: entries }) => html`<div><dt>${label}</dt><dd>${entries.map((entry) => html`<span>${entry}</span> `)}</dd></div>`)}</dl>
`;
}

const BAR_HEIGHT = 20;
const MIDDLE = BAR_HEIGHT / 2;

/**
 * A table whose rows are exercises and whose third column is a chart: a bar from 0 to the mean change, and over it
 * the interval. All rows have one scale, which the head of the column shows.
 */
function bars({ caption, groups }: Bars): Html {
  const rows = groups.flatMap((each) => each.rows);
  const x = scaleLinear().domain(extent(rows));
  const share = (value: number) => across(x(value));
  const head =
    rows.length > 0 &&
    html`<thead><tr><th scope="col">${barLabels.exercise}</th><th scope="col">${barLabels.verdict}</th><th scope="col" class="axis"><span class="hidden">Change</span>${axis(x.ticks(5), share)}</th><th scope="col" class="number">${barLabels.mean}</th><th scope="col" class="number">${barLabels.sessions}</th></tr></thead>\n`;
  return html`<table class="bars">
${rows.length > 0 && html`<caption>Bar: mean; line: its 95 % interval. ${caption}</caption>\n`}${head}${groups.map(
  ({ title, rows: own, rest }) => html`<tbody>
<tr class="group"><th colspan="5" scope="rowgroup">${title}</th></tr>
${own.map((each) => barRow(each, share))}${rest !== null && html`<tr class="rest"><td colspan="5">${rest}</td></tr>\n`}</tbody>
`,
)}</table>
`;
}

type Share = (value: number) => string;

function axis(ticks: readonly number[], share: Share): Html {
  return html`<svg width="100%" height="32" aria-hidden="true"><g class="label"><text x="0%" y="11">less pain</text><text x="100%" y="11" text-anchor="end">more pain</text></g><g class="label middle">${ticks.map((tick) => html`<text x="${share(tick)}" y="28">${signed(tick, Number.isInteger(tick) ? 0 : 1)}</text>`)}</g></svg>`;
}

function barRow({ name, remark, verdict, tone, mean, interval: range, sessions }: Bar, share: Share): Html {
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
  return html`<svg width="100%" height="${BAR_HEIGHT}" aria-hidden="true"><rect class="${tone}" x="${from}" width="${width}" y="4" height="${BAR_HEIGHT - 8}"/><line class="zero" x1="${share(0)}" x2="${share(0)}" y1="0" y2="${BAR_HEIGHT}"/><g class="range"><line x1="${share(low)}" x2="${share(high)}" y1="${MIDDLE}" y2="${MIDDLE}"/>${end(low)}${end(high)}</g></svg>`;
}

/** The same axis in every report, so that bars can be compared; a wider one if an interval does not fit. */
function extent(rows: readonly Bar[]): [number, number] {
  const furthest = Math.max(...rows.flatMap(({ interval: range }) => range.map(Math.abs)));
  return furthest <= AXIS ? [-AXIS, AXIS] : [-WIDEST, WIDEST];
}

/** Ends of the axis, in points. */
const [AXIS, WIDEST] = [5, 9];
