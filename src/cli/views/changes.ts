import { type Direction, intervalLine, type Verdict, words } from '../../insights/index.ts';
import type { Column } from '../terminal/columns.ts';
import { escapeControls } from '../terminal/io.ts';
import type { Canvas } from '../terminal/layout.ts';
import { tableOf } from '../terminal/table.ts';
import { clip } from '../terminal/width.ts';
import { LONGEST_NAME, nameIn } from './records.ts';

/** What a table of mean changes shows of an exercise, of one patient or of many. */
export interface Change {
  exerciseName: string;
  meanChange: number;
  interval: readonly [number, number];
  verdict: Verdict;
  direction: Direction | null;
}

/** A figure between the exercise and its change; `from` is the least width of a terminal that has room for it. */
interface Figure<C> {
  title: string;
  from: number;
  cell(change: C): string;
}

const LEAST_DRAWING = 9;
/** The width from which the ends of the intervals are written out. */
const WIDE = 96;

/** Mean changes with their intervals drawn on one scale, in the order given. */
export function changesTable<C extends Change>(
  changes: readonly C[],
  figures: readonly Figure<C>[],
  { width, palette }: Canvas,
): string[] {
  if (changes.length === 0) return [];
  const name: Column<C> = {
    title: 'Exercise',
    least: 10,
    cell: ({ exerciseName }) => clip(escapeControls(exerciseName), LONGEST_NAME),
  };
  const shownFigures = figures.filter(({ from }) => width >= from);
  const before = [name, ...shownFigures.map(({ title, cell }): Column<C> => ({ title, right: true, cell }))];
  const paint = (text: string, { verdict, direction }: C) => {
    if (verdict !== 'clear') return text;
    return direction === 'less' ? palette.relief(text) : palette.aggravation(text);
  };
  const cellOfMean = ({ meanChange }: C) => words.signed(meanChange);
  const mean: Column<C> = { title: 'Mean', right: true, cell: cellOfMean, paint };
  const interval: Column<C> = { title: '95 % interval', cell: (change) => words.interval(change.interval) };
  const says: Column<C> = { title: 'Pain after', cell: (change) => words.verdictWords(change, ' '), paint };
  const after = width >= WIDE ? [interval, says] : [says];
  const drawing = drawingColumn(changes, width - room([...before, mean, ...after], changes));
  return tableOf(changes, width, [
    [...before, mean, drawing, ...after],
    [name, mean],
  ]);
}

/** The columns that are taken when the names are at a fair length, with the gaps around them. */
function room<C>(columns: readonly Column<C>[], rows: readonly C[]): number {
  const widths = columns.map(({ title, least, cell }) => {
    const most = Math.max(title.length, ...rows.map((row) => cell(row).length));
    return least ? Math.min(most, 20) : most;
  });
  return widths.reduce((sum, width) => sum + width + 2, 0);
}

function drawingColumn<C extends Change>(changes: readonly C[], space: number): Column<C> {
  const width = Math.max(LEAST_DRAWING, space);
  const low = Math.min(-1, ...changes.map(({ interval }) => Math.floor(interval[0])));
  const high = Math.max(1, ...changes.map(({ interval }) => Math.ceil(interval[1])));
  return { title: scale(width, low, high), cell: (change) => intervalLine(change, width, low, high) };
}

/** The ends of the scale, and 0 where it lies. */
function scale(width: number, low: number, high: number): string {
  const [left, right] = [words.signed(low, 0), words.signed(high, 0)];
  const zero = Math.round((-low / (high - low)) * (width - 1));
  const line = `${left.padEnd(zero)}0`;
  const fits = zero > left.length && zero + 1 + right.length < width;
  return fits ? line + right.padStart(width - line.length) : left + right.padStart(width - left.length);
}

/** Exercises that nothing is said about, in a sentence. */
export function tooFew(
  changes: readonly (Change & { sessions: number })[],
  label: string,
  canvas: Canvas,
): string | undefined {
  const few = changes.filter(({ verdict }) => verdict === 'too-few');
  if (few.length === 0) return undefined;
  const names = few.map(
    (change) => `${nameIn(canvas, change)} ${words.signed(change.meanChange)} (${change.sessions})`,
  );
  return `${label}: ${names.join(', ')}.`;
}
