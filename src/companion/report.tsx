import type { ComponentChildren } from 'preact';
import { Table } from './table.tsx';

/** Renders the Markdown of a report: headings, lists, tables, quotes and emphasis. All that a user typed is shown as it is. */
export function Report({ text }: { text: string }) {
  // Without the title, which says whose report it is, as the heading of the view does.
  const [, ...blocks] = text.trim().split('\n\n');
  return <>{blocks.map(blockOf)}</>;
}

function blockOf(block: string) {
  const lines = block.split('\n');
  if (block.startsWith('### ')) return <h3>{inline(block.slice(4))}</h3>;
  if (block.startsWith('## ')) return <h2>{inline(block.slice(3))}</h2>;
  if (block.startsWith('|')) {
    const [head = [], , ...rows] = lines.map((line) => line.slice(2, -2).split(' | ').map(inline));
    return <Table head={head} rows={rows} />;
  }
  if (/^ *- /.test(block))
    return (
      <ul>
        {lines.map((line) => (
          <li class={line.startsWith(' ') ? 'below' : undefined}>{inline(line.replace(/^ *- /, ''))}</li>
        ))}
      </ul>
    );
  if (block.startsWith('>'))
    return (
      <blockquote>
        {lines.map((line) => (
          <div>{inline(line.replace(/^> ?/, '').replace(/\\$/, ''))}</div>
        ))}
      </blockquote>
    );
  return <p>{inline(block)}</p>;
}

/** Offset into the private use area, in which escaped punctuation is kept until emphasis is parsed. */
const ASIDE = 0xe000;

function inline(text: string): ComponentChildren {
  const aside = text.replace(/\\([!-/:-@[-`{-~])/g, (_, sign: string) =>
    String.fromCharCode(ASIDE + sign.charCodeAt(0)),
  );
  const back = (part: string) =>
    part.replace(/[\ue021-\ue07e]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) - ASIDE));
  return aside
    .split(/\*{1,2}([^*]+)\*{1,2}/)
    .map((part, i) => (i % 2 === 1 ? <b>{back(part)}</b> : back(part)));
}
