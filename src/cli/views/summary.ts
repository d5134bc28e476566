import { RED_FLAGS } from '../../domain/red-flags.ts';
import {
  type ExerciseSummary,
  FEWEST_TO_SAY,
  firstAndLastMonth,
  type MonthLevel,
  monthInWords,
  periodInWords,
  type Rhythm,
  type Summary,
  sessionsToSettle,
  type Trend,
  words,
} from '../../insights/index.ts';
import { counted, escapeControls } from '../terminal/io.ts';
import { type Canvas, wrap } from '../terminal/layout.ts';
import { clip, widthOf } from '../terminal/width.ts';
import { LONGEST_NAME, nameIn } from './exercise-name.ts';

/**
 * A summary in words, as the lines of a screen: what was followed by less pain, what by more, what is open, how
 * the pain went, and when to get help. It says what happened and prescribes nothing.
 * @param who whose it is, to begin the first line
 * @param details lines with the figures behind it, if they were asked for
 */
export function summaryScreen(
  who: string,
  summary: Summary,
  canvas: Canvas,
  details?: readonly string[],
): string[] {
  const { exercises, pain } = summary;
  if (pain === null) return [];
  return [
    ...headLines(who, summary, canvas),
    '',
    ...groupLines(exercises, canvas),
    ...lists(exercises, canvas),
    '',
    ...paragraphs({ exercises, pain }, canvas, details === undefined).flatMap((text) => wrap(text, canvas)),
    ...(details ? ['', ...details] : []),
    '',
    ...wrap(RED_FLAGS, canvas),
  ];
}

/** A summary of at least one session. */
type Told = Pick<Summary, 'exercises'> & { readonly pain: Trend };

function paragraphs({ exercises, pain }: Told, canvas: Canvas, brief: boolean): string[] {
  if (exercises.every(({ verdict }) => verdict === 'too-few'))
    return [
      painSentence(pain, ''),
      `From ${FEWEST_TO_SAY} sessions of one exercise on, this says which way pain went after it; about 8 are often enough to be clear.`,
    ];
  return [
    painSentence(pain, directions[pain.direction]),
    'Bad days often get better by themselves; this cannot tell that apart.',
    nextSentence(exercises, canvas),
    brief ? 'The figures behind this: sciatica summary --details' : '',
  ].filter(Boolean);
}

/** From this many days on a rate per week is worth saying. */
const TWO_WEEKS = 14;

function headLines(who: string, summary: Summary, canvas: Canvas): string[] {
  const { sessions, since, until, rhythm } = summary;
  const period = since !== null && until !== null ? `, ${periodInWords(since, until)}` : '';
  const rate =
    rhythm && daysOf(summary) >= TWO_WEEKS ? `, ${words.plain(rhythm.sessionsPerWeek)} a week` : '';
  return [
    ...wrap(`${who}: ${counted(sessions, 'session')}${period}${rate}.`, canvas),
    ...targetLines(rhythm?.target ?? null, canvas),
  ];
}

const daysOf = ({ since, until }: Summary): number =>
  since === null || until === null ? 0 : (Date.parse(until) - Date.parse(since)) / 86_400_000 + 1;

function targetLines(target: Rhythm['target'], canvas: Canvas): string[] {
  if (target === null) return [];
  const { perWeek, weeks, weeksReached } = target;
  return wrap(`Target of ${perWeek} a week: ${weeksReached} of ${counted(weeks, 'whole week')}.`, canvas);
}

/** Exercises of which something is said, a line each. */
interface Group {
  readonly title: string;
  readonly sign: string;
  readonly exercises: readonly ExerciseSummary[];
  /** Said below them. */
  readonly remark?: string;
  readonly paint: (text: string) => string;
}

function groupsOf(exercises: readonly ExerciseSummary[], { palette }: Canvas): Group[] {
  const clear = (way: string) =>
    exercises.filter(({ verdict, direction }) => verdict === 'clear' && direction === way);
  return [
    { title: 'LESS PAIN AFTER', sign: '✔', exercises: clear('less'), paint: palette.relief },
    {
      title: 'MORE PAIN AFTER',
      sign: '✖',
      exercises: clear('more').toReversed(),
      remark: 'Mention it to your physiotherapist.',
      paint: palette.aggravation,
    },
    {
      title: 'SO FAR',
      sign: '~',
      exercises: exercises.filter(({ verdict }) => verdict === 'likely'),
      paint: (text: string) => text,
    },
  ].filter((group) => group.exercises.length > 0);
}

const CHANGE = 'change';
/** The title of the number of sessions, by the width of the terminal. */
const titleOf = ({ width }: Canvas) => (width < 44 ? '   n' : 'sessions');
/** Columns left of the name: the indent and the sign. */
const INDENT = 4;
/** Least room for names: the titles of the groups stand above them. */
const LEAST_NAME = 11;

/** How the lines of the groups are laid out; what does not fit beside a name stands below it. */
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
  const both = (exercise: ExerciseSummary) => [verdictWords(exercise), versusWords(exercise)].filter(Boolean);
  const ways: Layout['words'][] = [
    (exercise) => ({ beside: both(exercise).join(', '), below: '' }),
    (exercise) => ({ beside: verdictWords(exercise), below: versusWords(exercise) }),
  ];
  for (const told of ways) {
    const beside = Math.max(...exercises.map((exercise) => told(exercise).beside.length));
    if (name + 2 + beside <= room) return { canvas, name, beside, words: told };
  }
  // The title says what is clear.
  const below = (exercise: ExerciseSummary) =>
    both(exercise)
      .filter((text) => text !== 'clear')
      .join(', ');
  return { canvas, name: room, beside: 0, words: (exercise) => ({ beside: '', below: below(exercise) }) };
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

function exerciseLines(exercise: ExerciseSummary, { sign, paint }: Group, layout: Layout): string[] {
  const told = layout.words(exercise);
  const name = pad(clip(escapeControls(exercise.exerciseName), layout.name), layout.name);
  const beside = layout.beside && `  ${told.beside.padEnd(layout.beside)}`;
  const change = words.signed(exercise.meanChange).padStart(CHANGE.length);
  const sessions = String(exercise.sessions).padStart(titleOf(layout.canvas).length);
  return [
    `  ${paint(sign)} ${name}${beside || ''}  ${paint(change)}  ${sessions}`,
    ...(told.below ? wrap(told.below, layout.canvas, INDENT) : []),
  ];
}

/** Below this many sessions a likely verdict is told with a warning. */
const FEW = 6;

/** `clear`, `likely less, few sessions` */
function verdictWords({ verdict, direction, sessions }: ExerciseSummary): string {
  if (verdict !== 'likely') return verdict;
  return `${verdict} ${direction}${sessions < FEW ? ', few sessions' : ''}`;
}

const versusWords = ({ versusOthers }: ExerciseSummary): string =>
  versusOthers.verdict === 'more' ? 'more relief than your others' : '';

const pad = (text: string, width: number) => text + ' '.repeat(Math.max(0, width - widthOf(text)));

/** Most exercises that a list names. */
const MOST_LISTED = 10;
const HEADING = 12;

/** Exercises of which nothing can be said yet, in a line each for the open ones and those with too few sessions. */
function lists(exercises: readonly ExerciseSummary[], canvas: Canvas): string[] {
  const open = exercises
    .filter(({ verdict }) => verdict === 'open')
    .map((exercise) => {
      const more = versusWords(exercise);
      return `${nameIn(canvas, exercise)} ${words.signed(exercise.meanChange)}${more && ` (${more})`}`;
    });
  const few = exercises
    .filter(({ verdict }) => verdict === 'too-few')
    .map((exercise) => `${nameIn(canvas, exercise)} (${counted(exercise.sessions, 'session')})`);
  return [...listLines('STILL OPEN', open, canvas), ...listLines('TOO FEW', few, canvas)];
}

function listLines(title: string, items: readonly string[], canvas: Canvas): string[] {
  if (items.length === 0) return [];
  const rest = items.length - MOST_LISTED;
  const text = items.slice(0, MOST_LISTED).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
  return wrap(text, canvas, HEADING).map((line, i) =>
    i === 0 ? title.padEnd(HEADING) + line.trimStart() : line,
  );
}

const directions = {
  falling: 'Falling.',
  rising: 'Rising.',
  unclear: 'No clear direction.',
  'too-few': 'Too few days to say whether it falls or rises.',
} as const;

/** How the pain before exercise went, in months that a person remembers. */
function painSentence(pain: Trend, direction: string): string {
  const ends = firstAndLastMonth(pain);
  if (ends) {
    const sameYear = ends[0].month.slice(0, 4) === ends[1].month.slice(0, 4);
    const [first, last] = ends.map(
      ({ month, mean }: MonthLevel) => `${mean.toFixed(1)} in ${monthInWords(month, !sameYear)}`,
    );
    return `Pain before exercise: ${first}, ${last}. ${direction}`.trimEnd();
  }
  const sessions = pain.months.reduce((sum, month) => sum + month.sessions, 0);
  const mean = pain.months.reduce((sum, month) => sum + month.sessions * month.mean, 0) / sessions;
  const level = sessions === 1 ? mean.toFixed(0) : `${mean.toFixed(1)} on average`;
  return `Pain before exercise: ${level}. ${direction}`.trimEnd();
}

const NUMBERS = 'No One Two Three Four Five Six Seven Eight Nine Ten'.split(' ');

/** What further sessions would teach. Never of an exercise with more pain after. */
function nextSentence(exercises: readonly ExerciseSummary[], canvas: Canvas): string {
  const open = exercises.map((exercise) => ({
    name: nameIn(canvas, exercise),
    more: sessionsToSettle(exercise) ?? Number.POSITIVE_INFINITY,
  }));
  const fewest = Math.min(...open.map(({ more }) => more));
  if (fewest === Number.POSITIVE_INFINITY) return '';
  const names = open.filter(({ more }) => more === fewest).map(({ name }) => name);
  const sessions = `${NUMBERS[fewest]} more ${fewest === 1 ? 'session' : 'sessions'}`;
  return `${sessions} like those so far, if you do it anyway, would settle: ${names.join(', ')}.`;
}
