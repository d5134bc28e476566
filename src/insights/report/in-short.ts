import { grouped } from '../../domain/fields.ts';
import { isSevere, redFlags, SEVERE } from '../../domain/red-flags.ts';
import { compareText } from '../numbers.ts';
import type { PainDay } from '../pain-days.ts';
import { describeRule } from '../rules.ts';
import type { Comparison, Direction, ExerciseSummary, Summary, Trend } from '../shapes.ts';
import { daysAtEachPain, insteadOf, pictureTitle, resultSentence, WHAT_IT_CANNOT_SAY } from '../trial.ts';
import * as words from '../wording.ts';
import { painChart } from './charts.ts';
import {
  type Bar,
  type Bars,
  type Block,
  columnsOf,
  type Note,
  type Section,
  type Tile,
} from './document.ts';
import { noteOf, noteOfEntry, noteOfTrialDay, riseCounts, shortened } from './notes.ts';
import { type Report, RISE } from './report.ts';

const ALERT: Block = { kind: 'alert', lines: [redFlags.now, redFlags.today] };

/** The first section, for a physiotherapist who has a minute before an appointment. It has to fit on the first page. */
export function inShort(report: Report): Section {
  const { summary, logs, days, sincePrevious, previous } = report;
  const { pain } = summary;
  const exercises = words.toldApart(summary.exercises);
  if (logs.length === 0 || pain === null) return withoutSessions(report);
  const { bars, lines } = barsOf(exercises);
  const trial = trialBlocks(report);
  const hasChart = lines <= ROOM_WITH_CHART && trial.length === 0;
  return {
    title: 'In short',
    blocks: [
      { kind: 'lead', text: lead(exercises) },
      { kind: 'tiles', tiles: tiles(report, pain).map(unbroken) },
      bars,
      ...trial,
      ...(hasChart ? [{ kind: 'chart' as const, ...painChart(logs, pain, { days, isLow: true }) }] : []),
      ...painsBlocks(report, hasChart ? RISES_WITH_CHART : RISES),
      ...(sincePrevious && previous ? [sinceInShort(previous, sincePrevious)] : []),
      ALERT,
    ],
  };
}

/** The first section without sessions: pain, a trial, and what figures of exercises would need. */
function withoutSessions(report: Report): Section {
  const { summary, days, trialDays } = report;
  const { pain } = summary;
  const trial = trialBlocks(report);
  const ofTrial = trialDays.length > 0 ? `, but ${words.count(trialDays.length, 'day')} of a trial` : '';
  const none = `No sessions in this period${ofTrial}.`;
  const known: Block[] = pain
    ? [
        { kind: 'lead', text: `Pain recorded on ${words.count(pain.days, 'day')}. ${none}` },
        { kind: 'tiles', tiles: [painTile(summary, pain), worstTile(days)].map(unbroken) },
        ...(trial.length === 0 ? [{ kind: 'chart' as const, ...painChart([], pain, { days }) }] : []),
      ]
    : [{ kind: 'lead', text: none }];
  return {
    title: 'In short',
    blocks: [
      ...known,
      ...trial,
      ...painsBlocks(report, RISES),
      { kind: 'paragraph', text: words.SESSIONS_NEEDED },
      ALERT,
    ],
  };
}

function worstTile(days: readonly PainDay[]): Tile {
  const worst = Math.max(...days.map(({ pain }) => pain));
  const those = days.filter(({ pain }) => pain === worst);
  return {
    label: 'Worst pain',
    value: String(worst),
    lines: [`on ${words.count(those.length, 'day')}, the last on ${those.at(-1)?.date}`],
  };
}

/** The result of the last trial: a sentence, and a table of the days at each level of pain. */
function trialBlocks({ trial: ended }: Report): Block[] {
  if (ended === null) return [];
  const { trial, result, outcomes } = ended;
  const about = `${words.quoted(trial.exerciseName)} against ${insteadOf(trial, words.quoted)}`;
  return [
    {
      kind: 'facts',
      rows: [{ label: `Trial: ${about}`, lines: [resultSentence(trial, result), WHAT_IT_CANNOT_SAY] }],
    },
    {
      kind: 'table',
      caption: pictureTitle(trial),
      columns: columnsOf(
        ['Days'],
        Array.from({ length: 10 }, (_, i) => `pain ${i + 1}`),
      ),
      rows: daysAtEachPain(outcomes).map(([label, days]) => [
        label,
        ...days.map((each) => String(each || '·')),
      ]),
    },
  ];
}

/** Most exercises that a sentence names, and most if their names are long. */
const MOST_NAMED = 3;
const MOST_LONG_NAMED = 1;

/** The opening sentence: the exercises with a clear verdict. */
function lead(exercises: readonly ExerciseSummary[]): string {
  const groups = words.byVerdict(exercises.filter(({ verdict }) => verdict === 'clear'));
  const sentence = (side: Direction) => {
    const clear = groups[side];
    const isLong = clear.slice(0, MOST_NAMED).some((each) => words.shortName(each).length > ONE_LINE);
    const named = clear.map((each) => `${words.shortName(each)} (${words.signed(each.meanChange)})`);
    return `Clearly ${side} pain after ${words.listed(named, isLong ? MOST_LONG_NAMED : MOST_NAMED)}.`;
  };
  const sides = (['less', 'more'] as const).filter((side) => groups[side].length > 0);
  if (sides.length === 0) return 'No exercise is clearly followed by less or by more pain yet.';
  return sides.map(sentence).join(' ');
}

function tiles({ summary, logs, rises }: Report, pain: Trend): Tile[] {
  const { rhythm, overall, rule } = summary;
  const target = rhythm?.target;
  return [
    {
      label: 'Sessions',
      value: grouped(logs.length),
      lines: [
        `${words.plain(rhythm?.sessionsPerWeek ?? 0)} a week, on ${words.count(rhythm?.days ?? 0, 'day')}`,
        ...(target ? [words.targetWords(target)] : []),
        `the last on ${logs.at(-1)?.date}`,
      ],
    },
    painTile(summary, pain),
    {
      label: 'Response',
      value: words.percent(overall?.responded ?? 0),
      lines: [`of sessions: pain fell by ${describeRule(rule)}. That threshold is for weeks of treatment.`],
    },
    {
      label: `Rises of ${RISE} or more`,
      value: grouped(rises.length),
      lines: [`of ${words.count(logs.length, 'session')}`, ...(rises.length > 0 ? [riseCounts(rises)] : [])],
    },
  ];
}

/** Keeps a number and its percent sign on one line: tiles are narrow. */
function unbroken(tile: Tile): Tile {
  return { ...tile, lines: tile.lines.map((text) => text.replaceAll(' %', '\u00a0%')) };
}

/** The mean pain of days in the first and in the last month with enough days, or of the whole period if there are no two. */
function painTile({ level }: Summary, pain: Trend): Tile {
  const label = words.painLabel(pain);
  const direction = words.directionInWords(pain);
  const months = words.firstAndLastMonth(pain);
  if (months === null) {
    const value = level?.mean == null ? '–' : level.mean.toFixed(1);
    return { label, value, lines: [`mean of ${words.count(level?.days ?? 0, 'day')}`, direction] };
  }
  const [first, last] = months;
  return {
    label,
    value: `${first.mean.toFixed(1)} → ${last.mean.toFixed(1)}`,
    lines: [
      `${words.monthInWords(first.month, !words.isOneYear(months))} to ${words.monthInWords(last.month, true)}`,
      `means of ${first.days} and ${words.count(last.days, 'day')}`,
      direction,
    ],
  };
}

/**
 * Page budget, in lines: all bars, a group of clear ones, the group of no difference, a title. Last: names of too few sessions.
 */
const ROOM = 14;
const ROOM_OF_CLEAR = 6;
const ROOM_OF_NONE = 4;
const LINES_OF_TITLE = 2;
const MOST_FEW = 4;

/** Most lines of bars, and of text on exercises without one, with which the chart of pain fits on the page, too. */
const ROOM_WITH_CHART = 10;

function barsOf(exercises: readonly ExerciseSummary[]): { bars: Block; lines: number } {
  const groups = words.byVerdict(exercises);
  const less = rowsWithin(ROOM_OF_CLEAR, groups.less);
  const more = rowsWithin(ROOM_OF_CLEAR, groups.more);
  const room = ROOM - less.lines - more.lines - (groups.none.length > 0 ? LINES_OF_TITLE : 0);
  const none = rowsWithin(Math.min(room, ROOM_OF_NONE), groups.none);
  const open = rowsWithin(room - none.lines, [...groups.likely, ...groups.open]);
  const fewNames = groups.few.map((each) => `${words.shortName(each)} (${each.sessions})`);
  const shown = [
    group(words.clearTitles.less, less),
    group(words.clearTitles.more, more),
    group('No noticeable difference', none),
    group(
      'Not settled yet',
      open,
      fewNames.length > 0 && `${words.shiftWords['too-few'].sentence}: ${words.listed(fewNames, MOST_FEW)}.`,
    ),
  ].filter(({ rows, rest }) => rows.length > 0 || rest !== null);
  const caption = `Change in points, pain after minus pain before. ✔ and ✖, and relief against others: compared with the other exercises at the same pain before and place in the day. The rest is what was seen; bad days often get better by themselves.`;
  const rests = shown.map(({ rest }) => Math.ceil((rest ?? '').length / CHARACTERS));
  return {
    bars: { kind: 'bars', caption, groups: shown },
    lines: rests.reduce((sum, each) => sum + each, ROOM - room + none.lines + open.lines),
  };
}

interface Rows {
  readonly rows: readonly Bar[];
  readonly lines: number;
  /** Number of exercises for which there was no room. */
  readonly left: number;
}

/** A name of more characters takes a second line beside a bar. */
const ONE_LINE = 22;

/** Bars of the first exercises, as many as fit into `room` lines. */
function rowsWithin(room: number, exercises: readonly ExerciseSummary[]): Rows {
  const rows: Bar[] = [];
  let lines = 0;
  for (const row of exercises.map(bar)) {
    const own = (row.name.length > ONE_LINE ? 2 : 1) + (row.remark === null ? 0 : 1);
    if (lines + own > room) break;
    lines += own;
    rows.push(row);
  }
  return { rows, lines, left: exercises.length - rows.length };
}

function group(title: string, { rows, left }: Rows, few: string | false = false): Bars['groups'][number] {
  const sentences = [left > 0 && `${left} more in the table.`, few].filter(Boolean);
  return { title, rows, rest: sentences.join(' ') || null };
}

function bar(exercise: ExerciseSummary): Bar {
  const { verdict, direction, meanChange: mean, interval, sessions } = exercise;
  return {
    name: words.shortName(exercise),
    remark: [words.versusWords(exercise), words.medicationWords(exercise)].filter(Boolean).join(', ') || null,
    verdict: words.verdictOn(exercise, words.verdictWord),
    tone: verdict === 'clear' && direction !== null ? direction : 'open',
    mean,
    interval,
    sessions,
  };
}

/** Most rises that are listed, and most lines for them, without and with a chart on the page. */
const [RISES, RISES_WITH_CHART] = [
  { most: 5, lines: 7 },
  { most: 3, lines: 3 },
];
const LONGEST_NOTE = 120;
/** Characters in a line of the page. */
const CHARACTERS = 95;

/** Severe pains without exercise, then rises, each with its note and the latest first, as many as there is room for. */
function painsBlocks({ severe, ...report }: Report, room: typeof RISES): Block[] {
  const rises = risesOf(report);
  const count = severe.length + rises.length;
  if (count === 0) return [];
  const first = [...severe.map(noteOfEntry), ...rises.toReversed().map(({ note }) => note)];
  const notes: Note[] = [];
  let lines = 0;
  for (const note of first.slice(0, room.most).map((each) => shortened(each, LONGEST_NOTE))) {
    lines += Math.ceil((note.heading.length + note.text.length) / CHARACTERS);
    if (lines > room.lines) break;
    notes.push(note);
  }
  if (severe.length > 0) {
    const pains = `Pain of ${SEVERE} or 10 outside sessions${rises.length > 0 ? `, then rises of ${RISE} points or more` : ''}`;
    const shown = count > notes.length ? `: ${notes.length} of ${count}` : '';
    return [{ kind: 'notes', title: `${pains}${shown}`, notes }];
  }
  const which = rises.length > notes.length ? `The latest ${words.count(notes.length, 'rise')}` : 'Rises';
  return [{ kind: 'notes', title: `${which} of ${RISE} points or more`, notes }];
}

/** Rises after sessions and on trial days, the latest last. Severe pains on trial days are left out: they are listed already. */
function risesOf({ rises, trialDays }: Pick<Report, 'rises' | 'trialDays'>) {
  const ofTrials = trialDays.filter(
    ({ first, second = first }) => second - first >= RISE && !isSevere(second),
  );
  return [
    ...words.toldApart(rises).map((log) => ({ date: log.date, note: noteOf(log, words.shortName(log)) })),
    ...ofTrials.map((day) => ({ date: day.date, note: noteOfTrialDay(day) })),
  ].sort((a, b) => compareText(a.date, b.date));
}

function sinceInShort(previous: string, { second, painBefore }: Comparison): Block {
  const text = `${words.count(second.sessions, 'session')}. ${words.PAIN_BEFORE}: ${words.differenceSentence(painBefore)}`;
  return { kind: 'facts', rows: [{ label: `Since the report of ${previous}`, lines: [text] }] };
}
