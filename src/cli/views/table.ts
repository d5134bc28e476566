import truncatedWidth from 'fast-string-truncated-width';
import stringWidth from 'fast-string-width';

export interface Column<R> {
  title: string;
  /** Numbers stand on the right. */
  right?: boolean;
  /** What gives way first when the terminal is narrow: free text, then words from a list; the rest never. */
  shrinks?: 'first' | 'second';
  /** How far it gives way before the titles of others do. */
  least?: number;
  /** What it keeps however narrow the terminal is: less would not tell one from another. */
  floor?: number;
  /** What the cell shows, on one line, without control characters. */
  cell(row: R): string;
  /** Colours what `cell` gave, after it has been fitted. */
  paint?(text: string, row: R): string;
}

/** No cell gets narrower than this. */
const LEAST = { first: 5, second: 4, title: 3 };

const GAP = 2;

/**
 * Lays out a table, line by line. The rows are gone through twice: for the widths, then for the lines.
 * @param rows gives the rows from the start each time it is called
 * @param limit how many columns the terminal has; beyond it cells end in …
 * @returns the lines in blocks; nothing if even the narrowest table does not fit
 */
export function table<R>(
  columns: readonly Column<R>[],
  rows: () => Iterable<readonly R[]>,
  limit = Number.POSITIVE_INFINITY,
): Iterable<string> | undefined {
  const cells = columns.map(() => 0);
  for (const block of rows())
    for (const row of block)
      for (const [i, column] of columns.entries())
        cells[i] = Math.max(cells[i] ?? 0, widthOf(column.cell(row), limit));
  const fitted = fitWidths(columns, cells, limit);
  return fitted && lines(columns, rows(), fitted);
}

interface Fitted {
  widths: number[];
  gap: number;
}

/** The widths of the columns, and of the gaps between them. */
function fitWidths<R>(
  columns: readonly Column<R>[],
  cells: readonly number[],
  limit: number,
): Fitted | undefined {
  const widths = columns.map(({ title }, i) => Math.max(widthOf(title), cells[i] ?? 0));
  const excess = (gap: number) =>
    widths.reduce((sum, width) => sum + width, gap * (columns.length - 1)) - limit;
  const floors = (least: (column: Column<R>, cell: number) => number) =>
    columns.map((column, i) => Math.min(widths[i] ?? 0, least(column, cells[i] ?? 0)));
  const whole = Number.POSITIVE_INFINITY;
  const steps = [
    floors(({ shrinks, least = 14 }) => (shrinks === 'first' ? least : whole)),
    floors(({ shrinks }, cell) => (shrinks ? whole : Math.max(cell, LEAST.title))),
  ];
  for (const floor of steps) shrink(widths, floor, excess(GAP));
  const gap = excess(GAP) > 0 ? 1 : GAP;
  const last = floors(({ shrinks, floor }) => (shrinks ? (floor ?? LEAST[shrinks]) : whole));
  shrink(widths, last, excess(gap));
  return excess(gap) > 0 ? undefined : { widths, gap };
}

/** Takes `excess` columns away, each from the widest that is still above its floor. */
function shrink(widths: number[], floor: readonly number[], excess: number): void {
  for (let left = excess; left > 0; left--) {
    let widest = -1;
    for (const [i, width] of widths.entries())
      if (width > (floor[i] ?? 0) && width > (widths[widest] ?? 0)) widest = i;
    if (widest < 0) return;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
}

function* lines<R>(
  columns: readonly Column<R>[],
  rows: Iterable<readonly R[]>,
  { widths, gap }: Fitted,
): Generator<string> {
  const between = ' '.repeat(gap);
  const line = (cell: (column: Column<R>) => string, paint: (column: Column<R>, text: string) => string) =>
    columns
      .map((column, i) => {
        const text = clip(cell(column), widths[i] ?? 0);
        const space = ' '.repeat(Math.max(0, (widths[i] ?? 0) - widthOf(text)));
        const painted = paint(column, text);
        return column.right ? space + painted : painted + space;
      })
      .join(between)
      .trimEnd();
  yield `${line(
    ({ title }) => title,
    (_, text) => text,
  )}\n`;
  for (const block of rows) {
    const printed = block.map((row) =>
      line(
        (column) => column.cell(row),
        (column, text) => column.paint?.(text, row) ?? text,
      ),
    );
    if (printed.length > 0) yield `${printed.join('\n')}\n`;
  }
}

/**
 * Latin letters and usual signs, one column each, and the common CJK blocks, two each. Their widths are plain
 * sums; for all else, the tables of Unicode take 10 ms to load.
 */
const SIMPLE =
  /^[ -~\u00a1-\u02ff\u2010-\u2027\u2190-\u2193\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3]*$/;
const isWide = (text: string, i: number) => text.charCodeAt(i) > 0x3000;

/** The columns that a text takes, as far as it matters: what is wider than the terminal is just that. */
function widthOf(text: string, limit = Number.POSITIVE_INFINITY): number {
  if (SIMPLE.test(text)) {
    let width = text.length;
    for (let i = 0; i < text.length && width <= limit; i++) if (isWide(text, i)) width++;
    return Math.min(width, limit + 1);
  }
  return limit === Number.POSITIVE_INFINITY
    ? stringWidth(text)
    : truncatedWidth(text, { limit: limit + 1, ellipsis: '' }).width;
}

/** A text cut to a width, with … where something is missing. */
export function clip(text: string, width: number): string {
  if (widthOf(text, width) <= width) return text;
  if (!SIMPLE.test(text)) return `${text.slice(0, truncatedWidth(text, { limit: width - 1 }).index)}…`;
  let end = 0;
  for (let left = width - 1; ; end++) {
    left -= isWide(text, end) ? 2 : 1;
    if (left < 0) return `${text.slice(0, end)}…`;
  }
}

/** Label and value, line by line, the values aligned. */
export function details(pairs: readonly (readonly [label: string, value: string])[]): string {
  const width = Math.max(...pairs.map(([label]) => widthOf(label)));
  return pairs
    .map(([label, value]) => `${label}${' '.repeat(width - widthOf(label))}  ${value}`.trimEnd())
    .join('\n');
}
