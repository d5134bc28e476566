import type { Log } from '../../domain/log.ts';
import { redFlags } from '../../domain/red-flags.ts';
import type { Comparison } from '../compare.ts';
import type { ExerciseSummary } from '../exercises.ts';
import { describeRule, type ResponseRule } from '../rules.ts';
import type { MonthLevel, Trend } from '../trend.ts';
import type { Bar, Bars, Block, Section, Tile } from './document.ts';
import { riseCounts, shortNote } from './notes.ts';
import { type Report, RISE } from './report.ts';
import {
  count,
  differenceSentence,
  exerciseShifts,
  listed,
  monthsInWords,
  percent,
  plain,
  shortName,
  signed,
  verdictWord,
  versusWords,
} from './words.ts';

const ALERT: Block = { kind: 'alert', lines: [redFlags.now, redFlags.today] };

/** What a physiotherapist reads in the sixty seconds before an appointment: all of it on the first page. */
export function inShort(report: Report): Section {
  const { summary, logs, rises, sincePrevious, previous } = report;
  const { pain, exercises } = summary;
  if (logs.length === 0 || pain === null)
    return {
      title: 'In short',
      blocks: [{ kind: 'lead', text: 'No sessions in this period.' }, ALERT],
    };
  return {
    title: 'In short',
    blocks: [
      { kind: 'lead', text: lead(exercises) },
      { kind: 'tiles', tiles: tiles(report).map(unbroken) },
      ...barsOf(exercises),
      ...(rises.length > 0 ? risesBlocks(rises) : []),
      ...(sincePrevious && previous ? [sinceInShort(previous, sincePrevious)] : []),
      ALERT,
    ],
  };
}

const MOST_NAMED = 3;

/** The answer in words: only what is clear. */
function lead(exercises: readonly ExerciseSummary[]): string {
  const named = (side: 'less' | 'more') =>
    those(exercises, side).map((each) => `${shortName(each)} (${signed(each.meanChange)})`);
  const [less, more] = [named('less'), named('more')];
  if (less.length + more.length === 0) return 'No exercise is clearly followed by less or by more pain yet.';
  return [
    less.length > 0 && `Clearly less pain after ${listed(less, MOST_NAMED)}.`,
    more.length > 0 && `Clearly more pain after ${listed(more, MOST_NAMED)}.`,
  ]
    .filter(Boolean)
    .join(' ');
}

/** The exercises that are clear, the strongest first. */
function those(exercises: readonly ExerciseSummary[], side: 'less' | 'more'): ExerciseSummary[] {
  const clear = exercises.filter(({ verdict, direction }) => verdict === 'clear' && direction === side);
  return side === 'more' ? clear.toReversed() : clear;
}

function tiles({ summary, logs, rises }: Report): Tile[] {
  const { rhythm, pain, overall, rule } = summary;
  const target = rhythm?.target;
  return [
    {
      label: 'Sessions',
      value: String(logs.length),
      lines: [
        `${plain(rhythm?.sessionsPerWeek ?? 0)} a week, on ${count(rhythm?.days ?? 0, 'day')}`,
        ...(target
          ? [
              `target of ${target.perWeek} a week reached in ${target.weeksReached} of ${count(target.weeks, 'whole week')}`,
            ]
          : []),
        `the last on ${logs.at(-1)?.date}`,
      ],
    },
    painTile(pain?.months ?? [], pain?.direction),
    {
      label: 'Response',
      value: percent(overall?.responded ?? 0),
      lines: [`of sessions: a fall of ${describeRule(rule)}. ${forWeeks(rule)}`],
    },
    {
      label: `Rises of ${RISE} or more`,
      value: String(rises.length),
      lines: [`of ${count(logs.length, 'session')}`, ...(rises.length > 0 ? [riseCounts(rises)] : [])],
    },
  ];
}

/** Keeps a number and its percent sign on one line: tiles are narrow. */
function unbroken(tile: Tile): Tile {
  return { ...tile, lines: tile.lines.map((text) => text.replaceAll(' %', '\u00a0%')) };
}

function forWeeks(rule: ResponseRule): string {
  const whose = rule.name === 'default' ? 'Ostelo’s' : 'The rule of';
  return `${whose} ${rule.points} points or ${rule.percent} % is for weeks, not for one session.`;
}

const DIRECTIONS: Readonly<Record<Trend['direction'], string>> = {
  falling: 'falling',
  rising: 'rising',
  unclear: 'no clear direction',
  'too-few': 'too few days to say where it goes',
};

/** The mean pain before exercise, in the first month against the last. */
function painTile(months: readonly MonthLevel[], direction: Trend['direction'] = 'too-few'): Tile {
  const [first, last] = [months[0], months.at(-1)];
  if (!first || !last) return { label: 'Pain before exercise', value: '–', lines: [] };
  const level = ({ mean }: MonthLevel) => mean.toFixed(1);
  const one = first === last;
  return {
    label: 'Pain before exercise',
    value: one ? level(first) : `${level(first)} → ${level(last)}`,
    lines: [
      monthsInWords(first.month, last.month),
      one
        ? `mean of ${count(first.sessions, 'session')}`
        : `means of ${first.sessions} and ${count(last.sessions, 'session')}`,
      DIRECTIONS[direction],
    ],
  };
}

/** As many as leave room for the rest of the page. */
const MOST_BARS = 12;
const MOST_CLEAR = 4;
const MOST_FEW = 6;

function barsOf(exercises: readonly ExerciseSummary[]): Block[] {
  const [less, more] = [those(exercises, 'less'), those(exercises, 'more')];
  const open = (['likely', 'open'] as const).flatMap((word) =>
    exercises.filter(({ verdict }) => verdict === word),
  );
  const few = exercises.filter(({ verdict }) => verdict === 'too-few');
  const fewNames = few.map((each) => `${shortName(each)} (${each.sessions})`);
  const clear = Math.min(less.length, MOST_CLEAR) + Math.min(more.length, MOST_CLEAR);
  const groups = [
    group('Less pain after', less, MOST_CLEAR),
    group('More pain after', more, MOST_CLEAR),
    group(
      'Not settled yet',
      open,
      MOST_BARS - clear,
      few.length > 0 && `Too few sessions to say: ${listed(fewNames, MOST_FEW)}.`,
    ),
  ].filter(({ rows, rest }) => rows.length > 0 || rest !== null);
  const legend = 'Bar: mean change; line: its 95 % interval.';
  const caption =
    'Change in points, pain after minus pain before. More relief than others: than after the other exercises, at the same pain before. Bad days often get better by themselves; only that comparison takes it into account.';
  return [{ kind: 'bars', legend, caption, groups }];
}

function group(
  title: string,
  all: readonly ExerciseSummary[],
  most: number,
  few: string | false = false,
): Bars['groups'][number] {
  const rest = all.length - most;
  const sentences = [rest > 0 && `${rest} more in the table.`, few].filter(Boolean);
  return { title, rows: all.slice(0, most).map(bar), rest: sentences.join(' ') || null };
}

function bar(exercise: ExerciseSummary): Bar {
  const { verdict, direction, meanChange: mean, interval, sessions, versusOthers } = exercise;
  return {
    name: shortName(exercise),
    remark: versusWords(versusOthers),
    verdict: verdictWord(exercise),
    tone: verdict === 'clear' && direction !== null ? direction : 'open',
    mean,
    interval,
    sessions,
  };
}

const MOST_RISES = 5;
const LONGEST_NOTE = 160;

/** The latest rises, each with its note. */
function risesBlocks(rises: readonly Log[]): Block[] {
  const latest = rises.slice(-MOST_RISES).toReversed();
  return [
    {
      kind: 'notes',
      title: `${rises.length > MOST_RISES ? `The latest ${MOST_RISES} rises` : 'Rises'} of ${RISE} points or more`,
      notes: latest.map((log) => shortNote(log, LONGEST_NOTE)),
    },
  ];
}

function sinceInShort(previous: string, comparison: Comparison): Block {
  const { second, painBefore } = comparison;
  const text = [
    `${count(second.sessions, 'session')}.`,
    `Pain before exercise: ${differenceSentence(painBefore)}`,
    exerciseShifts(comparison),
  ];
  return {
    kind: 'facts',
    rows: [{ label: `Since the report of ${previous}`, lines: [text.filter(Boolean).join(' ')] }],
  };
}
