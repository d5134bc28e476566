import Table from 'cli-table3';
import { type Column, fitColumns, type Layout } from './columns.ts';
import { clip, isSimple, widthOf } from './width.ts';

/** Tables as a terminal shows them. Loaded only where one is drawn. */

/** Most rows drawn at once: cli-table3 compares each cell with the rows above it, which is quadratic. */
const BLOCK = 10;

/** No lines, as in the tables of the GitHub CLI. */
const NO_LINES = Object.fromEntries(
  ['top', 'bottom', 'left', 'right', 'mid']
    .flatMap((side) => [side, `${side}-mid`, `${side}-left`, `${side}-right`])
    .map((name) => [name, '']),
);

/**
 * The lines of a table of a few rows.
 * @param limit columns of the terminal
 * @param ways columns that it may have: the first that fit
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
  yield drawBlock(layout, [columns.map(({ title }) => ({ text: title }))]);
  for (const block of rows)
    for (let start = 0; start < block.length; start += BLOCK)
      yield drawBlock(
        layout,
        block.slice(start, start + BLOCK).map((row) =>
          columns.map(({ cell, paint }, i) => ({
            // Bounded before anything measures it.
            text: cutToWidth(cell(row), widths[i] ?? 0),
            paint: paint && ((text: string) => paint(text, row)),
          })),
        ),
      );
}

interface Cell {
  text: string;
  paint?: ((text: string) => string) | undefined;
}

/** Text that cli-table3 measures as we do is left for it to cut, a character longer than it fits. */
function cutToWidth(text: string, width: number): string {
  return isSimple(text) ? text.slice(0, width + 1) : clip(text, width);
}

/**
 * Stands for one terminal column of a text that cli-table3 does not measure as terminals do: its Unicode tables are
 * those of 2019, and Arabic and Hebrew vowel signs are columns to it.
 */
const STAND_IN = '\ue000';

function drawBlock<R>({ columns, widths, gap }: Layout<R>, rows: readonly (readonly Cell[])[]): string {
  const table = new Table({
    chars: { ...NO_LINES, middle: ' '.repeat(gap) },
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
    colWidths: [...widths],
    colAligns: columns.map(({ right }) => (right ? 'right' : 'left')),
  });
  const others: string[] = [];
  const contentOf = ({ text, paint = (same) => same }: Cell) => {
    if (isSimple(text)) return paint(text);
    const width = widthOf(text);
    if (width > 0) others.push(text);
    return paint(STAND_IN.repeat(width));
  };
  table.push(...rows.map((cells) => cells.map(contentOf)));
  const lines = table.toString().replace(new RegExp(`${STAND_IN}+`, 'g'), () => others.shift() ?? '');
  return `${lines.replace(/ +$/gm, '')}\n`;
}
