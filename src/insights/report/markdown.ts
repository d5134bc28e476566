import { visible } from '../../lib/html.ts';
import { withInterval } from '../wording.ts';
import { type Bars, type Block, barLabels, type Column, columnsOf } from './document.ts';
import type { Report } from './report.ts';
import { documentOf } from './sections.ts';

/**
 * A report as Markdown (GitHub's flavour, for its tables), with the words and figures of the HTML; of each chart only the title
 * and the text alternative. Text that a person typed is escaped, so that it never acts as markup.
 */
export function reportMarkdown(report: Report): string {
  const { title, subtitle, about, sections } = documentOf(report);
  const parts = sections.flatMap((section) => [
    `## ${escapeMarkdown(section.title)}`,
    ...section.blocks.map(block),
  ]);
  const head = [`# ${escapeMarkdown(title)}`, escapeMarkdown(subtitle), escapeMarkdown(about)];
  return `${[...head, ...parts].join('\n\n')}\n`;
}

function block(given: Block): string {
  switch (given.kind) {
    case 'paragraph':
      return escapeMarkdown(given.text);
    case 'lead':
      return `**${escapeMarkdown(given.text)}**`;
    case 'alert':
      return given.lines.map((text) => `**${escapeMarkdown(text)}**`).join('\n\n');
    case 'tiles':
      return given.tiles
        .map(({ label, value, lines }) => fact(label, [`${value} (${lines.join('; ')})`]))
        .join('\n');
    case 'bars':
      return bars(given);
    case 'facts':
      return given.rows.map(({ label, lines }) => fact(label, lines)).join('\n');
    case 'chart':
      return `*${escapeMarkdown(given.title)}.* ${escapeMarkdown(given.description)}`;
    case 'table':
      return `${escapeMarkdown(given.caption)}\n\n${rowsOf(given.columns, given.rows)}`;
    case 'notes':
      return given.title === undefined
        ? given.notes.map(({ heading, text }) => titled(heading, quote(text))).join('\n\n')
        : titled(given.title, given.notes.map(({ heading, text }) => fact(heading, [text])).join('\n'));
    case 'records':
      return given.groups
        .map(({ title, lines }) =>
          titled(title, lines.map((line) => fact(line.label, [line.lines.join(', ')])).join('\n')),
        )
        .join('\n\n');
  }
}

const titled = (title: string, text: string) => `### ${escapeMarkdown(title)}\n\n${text}`;

function bars({ caption, groups }: Bars): string {
  const { exercise, verdict, mean, sessions } = barLabels;
  const columns = columnsOf([exercise, verdict], [mean, sessions]);
  const parts = groups.flatMap(({ title, rows, rest }) => [
    `### ${escapeMarkdown(title)}`,
    ...(rows.length > 0
      ? [
          rowsOf(
            columns,
            rows.map(({ name, remark, verdict, mean, interval, sessions }) => [
              remark === null ? name : `${name} (${remark})`,
              verdict,
              withInterval({ difference: mean, interval }),
              String(sessions),
            ]),
          ),
        ]
      : []),
    ...(rest === null ? [] : [escapeMarkdown(rest)]),
  ]);
  const isEmpty = groups.every(({ rows }) => rows.length === 0);
  return [...parts, ...(isEmpty ? [] : [escapeMarkdown(caption)])].join('\n\n');
}

function fact(label: string, lines: readonly string[]): string {
  const [only, ...more] = lines;
  if (more.length === 0) return `- **${escapeMarkdown(label)}:** ${escapeMarkdown(only ?? '')}`;
  return [`- **${escapeMarkdown(label)}:**`, ...lines.map((text) => `  - ${escapeMarkdown(text)}`)].join(
    '\n',
  );
}

function rowsOf(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const cells = (row: readonly string[]) => `| ${row.map(escapeMarkdown).join(' | ')} |`;
  const head = cells(columns.map(({ label }) => label));
  const rule = `| ${columns.map(({ numeric }) => (numeric ? '---:' : '---')).join(' | ')} |`;
  return [head, rule, ...rows.map(cells)].join('\n');
}

/** A text of several lines as a block quote that keeps its line breaks. */
function quote(text: string): string {
  return visible(text)
    .split('\n')
    .map((line) => (line.trim() === '' ? '>' : `> ${escapeMarkdown(line)}\\`))
    .map((line, i, all) => (all[i + 1] === undefined || all[i + 1] === '>' ? line.replace(/\\$/, '') : line))
    .join('\n');
}

/** Escapes a text as one line of Markdown: any ASCII punctuation that could act as markup gets a backslash. */
function escapeMarkdown(text: string): string {
  return visible(text)
    .replace(/[\n\t]+/g, ' ')
    .replace(/^ +/, '')
    .replace(/[\\`*_{}[\]<>#|~&!$@]/g, '\\$&')
    .replace(/^([-+=]|\d{1,9}(?=[.)]))/, (start) => (/^\d/.test(start) ? start : `\\${start}`))
    .replace(/^(\d{1,9})([.)])/, '$1\\$2')
    .replace(/(https?|ftp|mailto|xmpp|www)([:.])/gi, '$1\\$2');
}
