import { widthOf } from './width.ts';

/** A column of a table in a terminal. */
export interface Column<R> {
  title: string;
  /** Aligned right, as numbers are. */
  right?: boolean;
  /** Least width in terminal columns to which it may be cut, but not below its title; undefined: it is never cut. */
  least?: number;
  /**
   * Priority of dropping it in a narrow terminal, the lowest first: such columns are cut to `least` and, if that is not
   * enough, left out. A column without it stays, and is cut only when all those are left out.
   */
  turn?: number;
  /** Priority of shortening it before any column is left out, the lowest first: by its brief form, else by a cut. */
  step?: number;
  /** Left out if no row has a value. */
  optional?: true;
  /** A shorter form of the same column. */
  brief?: Column<R>;
  /** What the cell shows: one line without control characters. */
  cell(row: R): string;
  /** Colours the text of a cell. */
  paint?(text: string, row: R): string;
}

/** The columns that fit into a terminal, and their widths. */
export interface Layout<R> {
  columns: readonly Column<R>[];
  /** Width of each, and of the gap between two, in terminal columns. */
  widths: readonly number[];
  gap: number;
  /** Titles of the columns that did not fit. */
  leftOut: readonly string[];
}

const GAP = 2;

/**
 * Decides which columns a table has, and how wide they are.
 * @param rows iterated once
 * @param limit width of the terminal in columns
 * @returns undefined if even the columns without a `turn` do not fit, cut as far as they may be
 */
export function fitColumns<R>(
  columns: readonly Column<R>[],
  rows: Iterable<readonly R[]>,
  limit: number,
): Layout<R> | undefined {
  const forms = columns.flatMap((column) => (column.brief ? [column, column.brief] : [column]));
  const { whole, filled } = wholeWidths(forms, rows, limit);
  const wholeOf = (column: Column<R>) => whole[forms.indexOf(column)] ?? 0;
  const needed = columns.filter((column) => !column.optional || filled.has(column));
  const brief = shorten(needed, wholeOf, limit);
  return 'gap' in brief ? brief : leaveOut(brief.columns, wholeOf, limit);
}

/** Shortens columns in the order of `step`. @returns the layout; if they still do not fit, only their shortest forms */
function shorten<R>(
  columns: readonly Column<R>[],
  wholeOf: (column: Column<R>) => number,
  limit: number,
): Layout<R> | Pick<Layout<R>, 'columns'> {
  const steps = columns
    .filter(({ step }) => step !== undefined)
    .sort((a, b) => (a.step ?? 0) - (b.step ?? 0));
  const cut: Column<R>[] = [];
  let forms = [...columns];
  for (let done = 0; ; done++) {
    const widths = forms.map(wholeOf);
    shrink(widths, forms, cut, excess(widths, GAP, limit));
    if (excess(widths, GAP, limit) <= 0) return { columns: forms, widths, gap: GAP, leftOut: [] };
    const step = steps[done];
    if (!step) return { columns: forms };
    if (step.brief) forms = forms.map((form) => (form === step && step.brief ? step.brief : form));
    else cut.push(step);
  }
}

/** Leaves out columns in the order of `turn`, and cuts the others. */
function leaveOut<R>(
  columns: readonly Column<R>[],
  wholeOf: (column: Column<R>) => number,
  limit: number,
): Layout<R> | undefined {
  const yielding = columns
    .filter(({ turn }) => turn !== undefined)
    .sort((a, b) => (a.turn ?? 0) - (b.turn ?? 0));
  for (let gone = 0; ; gone++) {
    const out = yielding.slice(0, gone);
    const kept = columns.filter((column) => !out.includes(column));
    const widths = kept.map(wholeOf);
    const layout = (gap: number): Layout<R> => {
      const leftOut = out.map(({ title }) => title);
      return { columns: kept, widths, gap, leftOut };
    };
    for (const column of yielding.slice(gone)) shrink(widths, kept, [column], excess(widths, GAP, limit));
    if (excess(widths, GAP, limit) <= 0) return layout(GAP);
    if (gone < yielding.length) continue;
    shrink(widths, kept, kept, excess(widths, 1, limit));
    return excess(widths, 1, limit) > 0 ? undefined : layout(1);
  }
}

/** The widths at which nothing is cut, and the columns with a value in some row. Not exact for cells wider than `limit`. */
function wholeWidths<R>(
  columns: readonly Column<R>[],
  rows: Iterable<readonly R[]>,
  limit: number,
): { whole: number[]; filled: ReadonlySet<Column<R>> } {
  const widths = columns.map(({ title }) => widthOf(title));
  const filled = new Set<Column<R>>();
  for (const block of rows)
    for (const row of block)
      for (const [i, column] of columns.entries()) {
        const cell = column.cell(row);
        if (cell !== '') filled.add(column);
        widths[i] = Math.max(widths[i] ?? 0, widthOf(cell, limit));
      }
  return { whole: widths, filled };
}

function excess(widths: readonly number[], gap: number, limit: number): number {
  return widths.reduce((sum, width) => sum + width, gap * (widths.length - 1)) - limit;
}

/** Reduces `widths` by `amount` in total, if possible: each time by 1 the widest of the columns in `cut` that can be cut. */
function shrink<R>(
  widths: number[],
  columns: readonly Column<R>[],
  cut: readonly Column<R>[],
  amount: number,
): void {
  for (let left = amount; left > 0; left--) {
    let widest = -1;
    for (const [i, column] of columns.entries()) {
      const floor = Math.max(widthOf(column.title), column.least ?? Number.POSITIVE_INFINITY);
      const width = widths[i] ?? 0;
      if (cut.includes(column) && width > floor && width > (widths[widest] ?? 0)) widest = i;
    }
    if (widest < 0) return;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
}
