import { RED_FLAGS_POINTER } from '../../domain/red-flags.ts';
import { comparisonNote } from '../../insights/method.ts';
import type { Comparison, Difference } from '../../insights/shapes.ts';
import * as words from '../../insights/wording.ts';
import type { Canvas, Palette } from '../terminal/canvas.ts';
import type { Column } from '../terminal/columns.ts';
import { escapeControls } from '../terminal/io.ts';
import { tableOf } from '../terminal/table.ts';
import { wrap } from '../terminal/width.ts';

interface Row {
  label: string;
  first: string;
  second: string;
  difference?: Difference;
}

/** Least width in columns at which the confidence interval of a difference is shown. */
const WIDE = 70;

/** Two periods side by side, as the lines of a screen. */
export function comparisonScreen(who: string, comparison: Comparison, canvas: Canvas): string[] {
  const { first, second, painBefore, meanChange } = comparison;
  const { width, palette } = canvas;
  const sumOf = (figure: 'days' | 'daysWithoutExercise') =>
    (first.pain?.[figure] ?? 0) + (second.pain?.[figure] ?? 0);
  const pain = words.painLabel({
    days: sumOf('days'),
    daysWithoutExercise: sumOf('daysWithoutExercise'),
  });
  const rows: Row[] = [
    { label: 'Sessions', first: String(first.sessions), second: String(second.sessions) },
    { label: 'Per week', first: perWeek(first), second: perWeek(second) },
    {
      label: pain === words.PAIN_BEFORE ? 'Pain before' : 'Pain of the day',
      first: level(painBefore.first),
      second: level(painBefore.second),
      difference: painBefore,
    },
    {
      label: 'All sessions',
      first: change(meanChange.first, first.sessions),
      second: change(meanChange.second, second.sessions),
      difference: meanChange,
    },
    ...words.toldApart(comparison.exercises).map((exercise) => ({
      label: escapeControls(exercise.exerciseName),
      first: change(exercise.first?.meanChange ?? null, exercise.first?.sessions ?? 0),
      second: change(exercise.second?.meanChange ?? null, exercise.second?.sessions ?? 0),
      difference: exercise.meanChange,
    })),
  ];
  return [
    ...wrap(`${who}: ${spanOf(first)} (then) and ${spanOf(second)} (now).`, canvas),
    ...wrap(words.leftOutSentence(comparison.leftOut) ?? '', canvas).filter(Boolean),
    '',
    ...tableOf(rows, width, [columnsOf(palette, width >= WIDE), columnsOf(palette, false).slice(0, 3)]),
    '',
    ...wrap(comparisonNote(pain, width >= WIDE), canvas),
    ...wrap(RED_FLAGS_POINTER, canvas),
  ];
}

function columnsOf(palette: Palette, wide: boolean): Column<Row>[] {
  return [
    { title: '', least: 10, cell: ({ label }) => label },
    { title: 'Then', right: true, cell: ({ first }) => first },
    { title: 'Now', right: true, cell: ({ second }) => second },
    {
      title: wide ? 'Difference' : 'By',
      cell: ({ difference }) => differenceText(difference, wide),
      paint: painter(palette),
    },
    {
      title: 'Says',
      cell: ({ difference }) => (difference ? words.shiftWords[difference.shift].short : ''),
      paint: painter(palette),
    },
  ];
}

function painter({ relief, aggravation }: Palette): (text: string, row: Row) => string {
  return (text, { difference }) => {
    if (difference?.shift === 'lower') return relief(text);
    return difference?.shift === 'higher' ? aggravation(text) : text;
  };
}

function differenceText(difference: Difference | undefined, wide: boolean): string {
  if (!difference || difference.difference === null || difference.interval === null) return '';
  return wide ? words.withInterval(difference) : words.signed(difference.difference);
}

const spanOf = ({ since, until }: Comparison['first']) => `${since} to ${until}`;
const perWeek = ({ rhythm }: Comparison['first']) => (rhythm ? words.plain(rhythm.sessionsPerWeek) : '0');
const level = (mean: number | null) => (mean === null ? '–' : mean.toFixed(1));
const change = (mean: number | null, sessions: number) =>
  mean === null ? '–' : `${words.signed(mean)} (${sessions})`;
