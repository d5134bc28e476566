import type { PlacesSummary } from '../../cases/summary.ts';
import { RED_FLAGS_POINTER } from '../../domain/red-flags.ts';
import { addDays } from '../../domain/words/day.ts';
import type { PlaceSummary } from '../../insights/by-location.ts';
import { figuresNote } from '../../insights/method.ts';
import type { Direction, ExerciseSummary, Summary, Trend, Verdict } from '../../insights/shapes.ts';
import { intervalLine, sparkline, weeklyMedians } from '../../insights/text-charts.ts';
import { FEWEST_TO_SAY } from '../../insights/verdict.ts';
import * as words from '../../insights/wording.ts';
import type { Canvas } from '../terminal/canvas.ts';
import type { Column } from '../terminal/columns.ts';
import { counted, escapeControls } from '../terminal/io.ts';
import { tableOf } from '../terminal/table.ts';
import { clip, wrap } from '../terminal/width.ts';
import { LONGEST_NAME, nameIn } from './records.ts';

/** The statistics behind a summary (`--details`), as the lines of a screen. */
export function summaryDetails(summary: Summary, canvas: Canvas): string[] {
  const { overall, pain, level } = summary;
  const exercises = words.toldApart(summary.exercises);
  if (pain === null || level === null) return [];
  if (overall === null) return painLines(pain, level.since, canvas);
  const ranked = exercises.filter(({ verdict }) => verdict !== 'too-few');
  return [
    ...changesTable(
      ranked,
      [
        { title: canvas.width < 70 ? 'n' : 'Sessions', from: 0, cell: ({ sessions }) => String(sessions) },
        { title: 'Response', from: 70, cell: ({ responded }) => words.percent(responded) },
      ],
      canvas,
    ),
    ...tooFew(exercises, `Under ${FEWEST_TO_SAY} sessions: mean change (sessions)`, canvas),
    ...wrap(words.overallSentence(overall, `mean ${words.signed(overall.meanChange)}`), canvas),
    ...comparisons(exercises, canvas),
    ...daysAfter(exercises, canvas),
    '',
    ...painLines(pain, level.since, canvas),
    '',
    ...wrap(figuresNote(summary.rule), canvas),
  ];
}

function comparisons(exercises: readonly ExerciseSummary[], canvas: Canvas): string[] {
  const told = exercises
    .filter(({ versusOthers }) => versusOthers.difference !== null)
    .map(({ versusOthers, ...exercise }) => {
      const { verdict } = versusOthers;
      const figures = words.withInterval(versusOthers);
      return `${nameIn(canvas, exercise)} ${verdict === 'open' ? figures : figures.replace(/\)$/, `, ${verdict} relief)`)}`;
    });
  const label = 'Against your other exercises at the same pain before and place in the day (90 % sequence)';
  return listed(label, told, canvas);
}

function daysAfter(exercises: readonly ExerciseSummary[], canvas: Canvas): string[] {
  const told = exercises.flatMap(({ dayAfter, ...exercise }) =>
    dayAfter ? [`${nameIn(canvas, exercise)} ${words.withInterval(dayAfter)}`] : [],
  );
  return listed('Pain on the day after, against other days (95 % interval)', told, canvas);
}

const listed = (label: string, told: readonly string[], canvas: Canvas): string[] =>
  told.length === 0 ? [] : ['', ...wrap(`${label}: ${told.join(', ')}.`, canvas)];

function painLines(pain: Trend, since: string, canvas: Canvas): string[] {
  const medians = weeklyMedians(pain.weeks).slice(-canvas.width);
  const from = addDays(pain.weeks.at(-1)?.week ?? '', -7 * (medians.length - 1));
  // There is no trend yet: the summary above says what it takes.
  const trend = pain.direction === 'too-few' ? '' : `${words.trendSentence(pain)} `;
  return [
    ...wrap(`${words.painLabel(pain)}, a bar a week from ${from} (▁ 1, █ 10):`, canvas),
    sparkline(medians).trimEnd(),
    ...wrap(`${trend}${words.fourWeeksSentence(pain, since)}`, canvas),
  ];
}

/** The responses to exercises by pain location, over all patients, as the lines of a screen. */
export function placesScreen(
  { since, until, rule, places, leftOut }: PlacesSummary,
  canvas: Canvas,
): string[] {
  const period = `${since ? ` since ${since}` : ''}${until ? ` until ${until}` : ''}`;
  return [
    ...wrap(`Response by pain location${period}. Each patient counts once.`, canvas),
    ...wrap(words.leftOutSentence(leftOut) ?? '', canvas).filter(Boolean),
    '',
    ...places.flatMap((place) => [...placeLines(place, canvas), '']),
    ...wrap(figuresNote(rule), canvas),
    ...wrap(RED_FLAGS_POINTER, canvas),
  ];
}

function placeLines(place: PlaceSummary, canvas: Canvas): string[] {
  const { painLocation, patients, sessions } = place;
  const exercises = words.toldApart(place.exercises);
  return [
    ...wrap(`${painLocation}: ${counted(patients, 'patient')}, ${counted(sessions, 'session')}`, canvas),
    ...changesTable(
      exercises.filter(({ verdict }) => verdict !== 'too-few'),
      [
        { title: canvas.width < 70 ? 'n' : 'Patients', from: 0, cell: (each) => String(each.patients) },
        { title: 'Lower in', from: 70, cell: (each) => `${each.patientsLower} of ${each.patients}` },
      ],
      canvas,
    ),
    ...tooFew(exercises, `Too few patients to say, under ${FEWEST_TO_SAY}: mean change (sessions)`, canvas),
  ];
}

/** An exercise in a table of mean changes, which is about one patient or many. */
interface Change {
  exerciseName: string;
  meanChange: number;
  interval: readonly [number, number];
  verdict: Verdict;
  direction: Direction | null;
}

/** A column between the exercise and its mean change, shown if the terminal is at least `from` columns wide. */
interface Figure<C> {
  title: string;
  from: number;
  cell(change: C): string;
}

const LEAST_DRAWING = 9;
/** Least width in columns at which the ends of the intervals are shown as numbers. */
const WIDE = 96;

/** Mean changes with their intervals drawn on one scale, in the order given. */
function changesTable<C extends Change>(
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

/** The terminal columns that a row needs, gaps included, with names of at most 20. */
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

/** The heading of the drawings: both ends of the scale, and 0 at its place if there is room. */
function scale(width: number, low: number, high: number): string {
  const [left, right] = [words.signed(low, 0), words.signed(high, 0)];
  const zero = Math.round((-low / (high - low)) * (width - 1));
  const line = `${left.padEnd(zero)}0`;
  const fits = zero > left.length && zero + 1 + right.length < width;
  return fits ? line + right.padStart(width - line.length) : left + right.padStart(width - left.length);
}

/** The exercises that have too little data for a verdict, as a sentence. */
function tooFew(
  changes: readonly (Change & { sessions: number })[],
  label: string,
  canvas: Canvas,
): string[] {
  const few = changes.filter(({ verdict }) => verdict === 'too-few');
  if (few.length === 0) return [];
  const names = few.map(
    (change) => `${nameIn(canvas, change)} ${words.signed(change.meanChange)} (${change.sessions})`,
  );
  return wrap(`${label}: ${names.join(', ')}.`, canvas);
}
