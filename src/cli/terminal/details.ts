import type { Column } from './columns.ts';
import { clip, widthOf } from './width.ts';

/** A row as pairs of label and value, for `details`; values are cut to `width` terminal columns. */
export function pairsOf<R>(
  columns: readonly Column<R>[],
  row: R,
  width = Number.POSITIVE_INFINITY,
): [string, string][] {
  return columns.flatMap((column) => {
    const text = clip(column.cell(row), width);
    return column.optional && text === '' ? [] : [[column.title, column.paint?.(text, row) ?? text]];
  });
}

/** Label and value, line by line, the values aligned. */
export function details(pairs: readonly (readonly [label: string, value: string])[]): string {
  const width = Math.max(...pairs.map(([label]) => widthOf(label)));
  return pairs
    .map(([label, value]) => `${label}${' '.repeat(width - widthOf(label))}  ${value}`.trimEnd())
    .join('\n');
}
