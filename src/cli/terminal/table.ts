import Table from 'cli-table3';
import { type Column, fitColumns, type Layout } from './columns.ts';
import { clip } from './width.ts';

/** Renders tables for a terminal. Imported on demand, only to draw one. */

/** Maximum number of rows drawn at once: cli-table3 compares each cell with the rows above it, which is quadratic. */
const BLOCK = 10;

/** No borders, as in the tables of the GitHub CLI. */
const NO_LINES = Object.fromEntries(
  ['top', 'bottom', 'left', 'right', 'mid']
    .flatMap((side) => [side, `${side}-mid`, `${side}-left`, `${side}-right`])
    .map((name) => [name, '']),
);

/**
 * The lines of a table of a few rows.
 * @param limit width of the terminal in columns
 * @param ways sets of columns in order of preference: the first that fits is drawn
 */
export function tableOf<R>(
  rows: readonly R[],
  limit: number,
  ways: readonly (readonly Column<R>[])[],
): string[] {
  const [layout] = ways.flatMap((columns) => fitColumns(columns, [rows], limit) ?? []);
  return (layout ? [...draw(layout, [rows])] : []).join('').trimEnd().split('\n');
}

/** The lines of a table in blocks, the header first. */
export function* draw<R>(layout: Layout<R>, rows: Iterable<readonly R[]>): Generator<string> {
  const { columns, widths } = layout;
  yield drawBlock(layout, [columns.map(({ title }) => title)]);
  for (const block of rows)
    for (let start = 0; start < block.length; start += BLOCK)
      yield drawBlock(
        layout,
        block.slice(start, start + BLOCK).map((row) =>
          columns.map((column, i) => {
            // Cut here, because cli-table3 would cut within a grapheme cluster.
            const text = clip(column.cell(row), widths[i] ?? 0);
            return column.paint?.(text, row) ?? text;
          }),
        ),
      );
}

function drawBlock<R>({ columns, widths, gap }: Layout<R>, rows: readonly (readonly string[])[]): string {
  const table = new Table({
    chars: { ...NO_LINES, middle: ' '.repeat(gap) },
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
    colWidths: [...widths],
    colAligns: columns.map(({ right }) => (right ? 'right' : 'left')),
  });
  table.push(...rows.map((cells) => [...cells]));
  return `${table.toString().replace(/ +$/gm, '')}\n`;
}
