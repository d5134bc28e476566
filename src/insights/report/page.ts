import { createHash } from 'node:crypto';
import { Html, html } from '../../lib/html.ts';
import { bars } from './charts/bars.ts';
import type { Block, Column, Note, RecordGroup, Section, Tile } from './document.ts';
import type { Report } from './report.ts';
import { documentOf } from './sections.ts';
import { STYLE } from './style.ts';

/** The content security policy of a report: its own style sheet, and nothing else. */
export function reportPolicy(): string {
  const hash = createHash('sha256').update(STYLE).digest('base64');
  return `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
}

/**
 * A report as one HTML file for screen and paper. It loads nothing and runs nothing: its content security
 * policy allows its own style sheet only. The same report gives the same bytes.
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

/** @param first its title is for those who hear the page: a reader sees that the page begins */
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
