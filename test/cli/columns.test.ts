import { expect, test } from 'vitest';
import { type Column, fitColumns } from '../../src/cli/terminal/columns.ts';

const cell = () => '0123456789';
const columns: Column<null>[] = [
  { title: 'Name', least: 4, cell },
  { title: 'Date', cell },
  { title: 'Notes', least: 5, turn: 1, cell },
];

test.each([
  [34, { widths: [10, 10, 10], gap: 2, leftOut: [] }],
  [33, { widths: [10, 10, 9], gap: 2, leftOut: [] }],
  [29, { widths: [10, 10, 5], gap: 2, leftOut: [] }],
  [28, { widths: [10, 10], gap: 2, leftOut: ['Notes'] }],
  [22, { widths: [10, 10], gap: 2, leftOut: ['Notes'] }],
  // One column between two before anything that stays is cut.
  [21, { widths: [10, 10], gap: 1, leftOut: ['Notes'] }],
  [20, { widths: [9, 10], gap: 1, leftOut: ['Notes'] }],
  [15, { widths: [4, 10], gap: 1, leftOut: ['Notes'] }],
  [14, undefined],
])('three columns of ten in a terminal of %i are %j', (limit, expected) => {
  const layout = fitColumns(columns, [[null]], limit);
  expect(layout && { widths: layout.widths, gap: layout.gap, leftOut: layout.leftOut }).toEqual(expected);
});
