import { createHash } from 'node:crypto';
import { Html, html } from '../../lib/html.ts';
import type { Block, Column, Section } from './document.ts';
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
  const { title, subtitle, sections } = documentOf(report);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${reportPolicy()}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<meta name="generator" content="sciatica">
<title>${title}, ${subtitle}</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<header><h1>${title}</h1><p class="period">${subtitle}</p></header>
<main>
${sections.map(section)}</main>
</body>
</html>
`.markup;
}

function section({ title, blocks, appendix }: Section): Html {
  return html`<section${appendix && new Html(' class="appendix"')}>
<h2>${title}</h2>
${blocks.map(block)}</section>
`;
}

function block(given: Block): Html {
  switch (given.kind) {
    case 'paragraph':
      return html`<p>${given.text}</p>\n`;
    case 'alert':
      return html`<p class="alert">${given.text}</p>\n`;
    case 'facts':
      return html`<dl>\n${given.rows.map(({ label, lines }) => html`<dt>${label}</dt><dd>${lines.map((text) => html`<p>${text}</p>`)}</dd>\n`)}</dl>\n`;
    case 'chart':
      return html`<figure>\n${given.svg}\n<figcaption>${given.caption}</figcaption>\n</figure>\n`;
    case 'table':
      return table(given.caption, given.columns, given.rows);
    case 'notes':
      return html`<div class="notes">\n${given.notes.map(({ heading, text }) => html`<article class="note"><h3>${heading}</h3><p dir="auto">${text}</p></article>\n`)}</div>\n`;
  }
}

/** Tables of more rows than this may break across pages. */
const SHORT = 20;

function table(caption: string, columns: readonly Column[], rows: readonly (readonly string[])[]): Html {
  const kind = (column: number) => (columns[column]?.numeric ? 'number' : 'text');
  return html`<figure class="${rows.length > SHORT ? 'long' : 'short'}">
<figcaption>${caption}</figcaption>
<div class="scroll"><table>
<thead><tr>${columns.map(({ label }, i) => (label ? html`<th scope="col" class="${kind(i)}">${label}</th>` : html`<td></td>`))}</tr></thead>
<tbody>
${rows.map((row) => html`<tr>${row.map((cell, i) => html`<td class="${kind(i)}">${cell}</td>`)}</tr>\n`)}</tbody>
</table></div>
</figure>
`;
}
