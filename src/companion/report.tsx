import type { ComponentChildren } from 'preact';
import { Table } from './table.tsx';

/** A report in the Markdown of the service: headings, lists, tables, quotes and emphasis; of what was typed every character is text. */
export function Report({ text }: { text: string }) {
  // The title says whose it is, as the heading of the view does.
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

/** Where escaped punctuation waits, in the private use area, until nothing is read into it any more. */
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
