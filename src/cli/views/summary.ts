import type { CommandWriter } from '../../domain/errors.ts';
import { RED_FLAGS_POINTER } from '../../domain/red-flags.ts';
import { dayNumber } from '../../domain/words/day.ts';
import type { ExerciseSummary, Rhythm, Summary } from '../../insights/shapes.ts';
import * as words from '../../insights/wording.ts';
import type { Canvas } from '../terminal/canvas.ts';
import { counted, escapeControls } from '../terminal/io.ts';
import { clip, widthOf, wrap } from '../terminal/width.ts';
import { LONGEST_NAME, nameIn } from './records.ts';

/**
 * A summary in words, as the lines of a screen: what was followed by less pain, what by more, what is open, how
 * the pain went, and when to get help. It says what happened and prescribes nothing.
 * @param who the user's name, which begins the first line
 * @param command formats suggested command lines
 * @param details the lines of `summaryDetails`, with `--details`
 */
export function summaryScreen(
  who: string,
  summary: Summary,
  canvas: Canvas,
  command: CommandWriter,
  details?: readonly string[],
): string[] {
  const { pain, controlDays } = summary;
  const exercises = words.toldApart(summary.exercises);
  if (pain === null) return [];
  const isTooFew = exercises.every(({ verdict }) => verdict === 'too-few');
  const closing = [
    ...words.closingSentences({ exercises, pain, controlDays }, (exercise) => nameIn(canvas, exercise)),
    ...(exercises.length === 0 ? [`To record one: ${command('log add')}`] : []),
    ...(details || isTooFew ? [] : [`The figures behind this: ${command('summary --details')}`]),
  ];
  return [
    ...headLines(who, summary, canvas),
    '',
    ...groupLines(exercises, canvas),
    ...lists(exercises, canvas),
    ...(exercises.length > 0 ? [''] : []),
    ...closing.flatMap((text) => wrap(text, canvas)),
    ...(details ? ['', ...details] : []),
    '',
    ...wrap(RED_FLAGS_POINTER, canvas),
  ];
}

/** Says why exercises that had ✔ or ✖ in an earlier version have none now; empty without such exercises. */
export function lostMarksLines(exercises: readonly ExerciseSummary[], canvas: Canvas): string[] {
  if (exercises.length === 0) return [];
  const names = words.listed(
    exercises.map((each) => nameIn(canvas, each)),
    MOST_LISTED,
  );
  const had = exercises.length > 1 ? 'had one and have none now' : 'had one and has none now';
  return [
    '',
    ...wrap(
      `New in this version: ✔ and ✖ say what an exercise does, and need your other exercises to compare with. ${names} ${had}. The records are the same: more or less pain followed, but these figures can't show that it was the exercise.`,
      canvas,
    ),
  ];
}

/** Least number of days for which a rate per week is shown. */
const TWO_WEEKS = 14;

function headLines(who: string, summary: Summary, canvas: Canvas): string[] {
  const { sessions, since, until, rhythm, pain } = summary;
  const period = since !== null && until !== null ? `, ${words.periodInWords(since, until)}` : '';
  const rate =
    rhythm && daysOf(summary) >= TWO_WEEKS ? `, ${words.plain(rhythm.sessionsPerWeek)} a week` : '';
  const recorded =
    sessions > 0
      ? `${counted(sessions, 'session')}${period}${rate}`
      : `pain recorded on ${counted(pain?.days ?? 0, 'day')}${period}, no session`;
  return [
    ...wrap(`${who}: ${recorded}.`, canvas),
    ...wrap(words.leftOutSentence(summary.leftOut) ?? '', canvas).filter(Boolean),
    ...targetLines(rhythm?.target ?? null, canvas),
  ];
}

const daysOf = ({ since, until }: Summary): number =>
  since === null || until === null ? 0 : dayNumber(until) - dayNumber(since) + 1;

function targetLines(target: Rhythm['target'], canvas: Canvas): string[] {
  if (target === null) return [];
  const told = words.targetWords(target, (reached, of) => `: ${reached} of ${of}`);
  return wrap(`${words.capital(told)}.`, canvas);
}

/** A group of exercises with the same finding, with a line for each. */
interface Group {
  readonly title: string;
  readonly exercises: readonly ExerciseSummary[];
  /** A remark below the group. */
  readonly remark?: string;
  readonly paint: (text: string) => string;
}

function groupsOf(exercises: readonly ExerciseSummary[], { palette }: Canvas): Group[] {
  const { less, more, likely } = words.byVerdict(exercises);
  const { clearTitles } = words;
  return [
    { title: clearTitles.less.toUpperCase(), exercises: less, paint: palette.relief },
    {
      title: clearTitles.more.toUpperCase(),
      exercises: more,
      remark: words.moreRemark(more),
      paint: palette.aggravation,
    },
    { title: 'SO FAR', exercises: likely, paint: (text: string) => text },
  ].filter((group) => group.exercises.length > 0);
}

const CHANGE = 'change';
/** The title of the column of sessions, which depends on the width of the terminal. */
const titleOf = ({ width }: Canvas) => (width < 44 ? '   n' : 'sessions');
/** Columns left of the name: the indent and the sign. */
const INDENT = 4;
/** Least width of the names, so that the titles of the groups fit above them. */
const LEAST_NAME = 11;

/** The layout of the lines: widths in columns, and which words fit beside the name or go below it. */
interface Layout {
  readonly canvas: Canvas;
  readonly name: number;
  readonly beside: number;
  words(exercise: ExerciseSummary): { beside: string; below: string };
}

function layoutOf(exercises: readonly ExerciseSummary[], canvas: Canvas): Layout {
  const room = Math.min(canvas.width, 100) - INDENT - CHANGE.length - titleOf(canvas).length - 4;
  const longest = Math.max(...exercises.map(({ exerciseName }) => widthOf(escapeControls(exerciseName))));
  const name = Math.min(Math.max(longest, LEAST_NAME), LONGEST_NAME, room);
  const both = (exercise: ExerciseSummary) =>
    [words.ownWords(exercise), furtherWords(exercise)].filter(Boolean).join(', ');
  const ways: Layout['words'][] = [
    (exercise) => ({ beside: both(exercise), below: '' }),
    (exercise) => ({ beside: words.ownWords(exercise), below: furtherWords(exercise) }),
  ];
  for (const told of ways) {
    const beside = Math.max(...exercises.map((exercise) => told(exercise).beside.length));
    if (name + 2 + beside <= room) return { canvas, name, beside, words: told };
  }
  return { canvas, name: room, beside: 0, words: (exercise) => ({ beside: '', below: both(exercise) }) };
}

function groupLines(exercises: readonly ExerciseSummary[], canvas: Canvas): string[] {
  const groups = groupsOf(exercises, canvas);
  const shown = groups.flatMap((group) => group.exercises);
  if (shown.length === 0) return [];
  const layout = layoutOf(shown, canvas);
  const width = INDENT + layout.name + (layout.beside && layout.beside + 2);
  return groups.flatMap((group, i) => [
    i === 0 ? `${group.title.padEnd(width)}  ${CHANGE}  ${titleOf(canvas)}` : group.title,
    ...group.exercises.flatMap((exercise) => exerciseLines(exercise, group, layout)),
    ...(group.remark ? wrap(group.remark, canvas, INDENT) : []),
  ]);
}

function exerciseLines(exercise: ExerciseSummary, { paint }: Group, layout: Layout): string[] {
  const told = layout.words(exercise);
  const name = pad(clip(escapeControls(exercise.exerciseName), layout.name), layout.name);
  const beside = layout.beside && `  ${told.beside.padEnd(layout.beside)}`;
  const change = words.signed(exercise.meanChange).padStart(CHANGE.length);
  const sessions = String(exercise.sessions).padStart(titleOf(layout.canvas).length);
  const sign = words.signOf(exercise);
  return [
    `  ${paint(sign)} ${name}${beside || ''}  ${paint(change)}  ${sessions}`,
    ...(told.below ? wrap(told.below, layout.canvas, INDENT) : []),
  ];
}

/** Escaped, because the medication in it was typed by a user. */
const furtherWords = (exercise: ExerciseSummary): string => escapeControls(words.furtherWords(exercise));

const pad = (text: string, width: number) => text + ' '.repeat(Math.max(0, width - widthOf(text)));

/** Maximum number of exercises in a list. */
const MOST_LISTED = 10;
const HEADING = 12;

/** The exercises without a finding, as lists: no noticeable difference, still open, too few sessions. */
function lists(exercises: readonly ExerciseSummary[], canvas: Canvas): string[] {
  const groups = words.byVerdict(exercises);
  const withMore = (exercise: ExerciseSummary) => {
    const more = furtherWords(exercise);
    return `${nameIn(canvas, exercise)} ${words.signed(exercise.meanChange)}${more && ` (${more})`}`;
  };
  const few = groups.few.map(
    (exercise) => `${nameIn(canvas, exercise)} (${counted(exercise.sessions, 'session')})`,
  );
  return [
    ...listLines('NO NOTICEABLE DIFFERENCE', groups.none.map(withMore), canvas),
    ...listLines('STILL OPEN', groups.open.map(withMore), canvas),
    ...listLines('TOO FEW', few, canvas),
  ];
}

function listLines(title: string, items: readonly string[], canvas: Canvas): string[] {
  if (items.length === 0) return [];
  const rest = items.length - MOST_LISTED;
  const text = items.slice(0, MOST_LISTED).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
  if (title.length >= HEADING) return [title, ...wrap(text, canvas, INDENT)];
  return wrap(text, canvas, HEADING).map((line, i) =>
    i === 0 ? title.padEnd(HEADING) + line.trimStart() : line,
  );
}
