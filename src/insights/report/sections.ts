import { grouped } from '../../domain/fields.ts';
import type { Log } from '../../domain/log.ts';
import { exerciseKey } from '../exercises.ts';
import { methodNotes } from '../method.ts';
import { groupBy } from '../numbers.ts';
import { describeRule } from '../rules.ts';
import type { Comparison, ExerciseComparison, ExerciseSummary, Shift } from '../shapes.ts';
import { FEWEST_TO_SAY } from '../verdict.ts';
import * as words from '../wording.ts';
import { painChart, sessionsChart } from './charts.ts';
import { type Block, columnsOf, type Document, type RecordGroup, type Section } from './document.ts';
import { inShort } from './in-short.ts';
import { notesSection } from './notes.ts';
import type { Report } from './report.ts';

/** Puts a report into words, charts and tables, the sixty-second summary first. */
export function documentOf(report: Report): Document {
  const { subject, summary, logs, entries, trialDays, previous, sincePrevious } = report;
  const title = subject.name === null ? `Patient ${subject.id}` : words.quoted(subject.name);
  const first = inShort(report);
  const hasChart = first.blocks.some(({ kind }) => kind === 'chart');
  const sections = [first];
  if (summary.pain) sections.push(painOverTime(report, hasChart));
  if (logs.length > 0) sections.push(eachExercise(report));
  if (sincePrevious && previous !== null) sections.push(changesSection(previous, sincePrevious));
  sections.push(method(report));
  if (logs.length + entries.length + trialDays.length > 0) sections.push(notesSection(report));
  if (logs.length > 0) sections.push(records(report));
  return {
    title: `Exercise and pain: ${title}`,
    subtitle: period(report),
    about: about(report),
    sections,
  };
}

/** The period as asked for, or the first to the last day with a record; that of `summary` goes by sessions, if there are any. */
function period({ summary, days }: Report): string {
  const ends = [summary.since, summary.until, days[0]?.date, days.at(-1)?.date].filter((day) => day != null);
  const [since, until] = [ends.sort()[0], ends.at(-1)];
  if (since === undefined) return 'nothing recorded';
  return since === until ? since : `${since} to ${until}`;
}

function about({ subject, summary }: Report): string {
  return [
    `${subject.age} years`,
    `pain: ${subject.painLocation.replaceAll('-', ' ')}, ${subject.painLevel} of 10 in the profile`,
    `diagnosed ${subject.diagnosisDate}`,
    ...(subject.name === null ? [] : [`patient ${subject.id}`]),
    ...(subject.email === null ? [] : [subject.email]),
    ...[words.leftOutSentence(summary.leftOut)].filter((text) => text !== null),
  ].join(' · ');
}

/** @param isDrawn whether the first page has the chart of the pain */
function painOverTime({ logs, days, summary }: Report, isDrawn: boolean): Section {
  const { pain, rhythm, level } = summary;
  if (!pain || !rhythm || !level) return { title: 'Pain over time', blocks: [] };
  return {
    title: 'Pain over time',
    blocks: [
      ...(isDrawn ? [] : [{ kind: 'chart' as const, ...painChart(logs, pain, { days }) }]),
      ...(logs.length > 0 ? [{ kind: 'chart' as const, ...sessionsChart(logs, rhythm.target) }] : []),
      {
        kind: 'facts',
        rows: [
          {
            label: words.painLabel(pain),
            lines: [words.trendSentence(pain), words.fourWeeksSentence(pain, level.since)],
          },
          ...(logs.length > 0
            ? [{ label: 'Sessions', lines: [words.rhythmSentences(logs.length, rhythm)] }]
            : []),
        ],
      },
    ],
  };
}

const OUTSIDE = '†';

function eachExercise({ summary }: Report): Section {
  const { exercises, overall, rule } = summary;
  const caption = [
    `Change in points, pain after minus before, the most relief first, at the same pain before. ✔ helps, ✖ makes it worse, measured against the others at the same pain before and place in the day. Against others: that difference. Response: ${describeRule(rule)}. Effective: marked so by the patient.`,
    exercises.some(isMedianOutside) &&
      `${OUTSIDE} Outside the interval, which is that of the mean: a median is a whole or half point.`,
  ];
  const blocks: Block[] = [
    {
      kind: 'table',
      caption: caption.filter(Boolean).join(' '),
      columns: columnsOf(
        ['Exercise', 'Verdict'],
        ['Sessions', 'Mean', '95 % interval', 'Median', 'Against others', 'Response', 'Effective'],
      ),
      rows: exercises.map((exercise) => [
        nameOf(exercise),
        words.verdictOn(exercise, words.verdictWords),
        String(exercise.sessions),
        words.signed(exercise.meanChange),
        exercise.verdict === 'too-few' ? '–' : words.interval(exercise.interval),
        medianOf(exercise),
        words.withInterval(exercise.versusOthers),
        words.percent(exercise.responded),
        words.percent(exercise.effective),
      ]),
    },
  ];
  if (overall) {
    const { sessions, meanChange, interval } = overall;
    const range = sessions < FEWEST_TO_SAY ? '' : ` (95 % interval ${words.interval(interval)})`;
    const mean = `mean change ${words.signed(meanChange)}${range}`;
    blocks.push({ kind: 'paragraph', text: words.overallSentence(overall, mean) });
  }
  return { title: 'Each exercise', blocks: [...blocks, ...theDayAfter(exercises)] };
}

const nameOf = ({ exerciseName, exerciseType }: { exerciseName: string; exerciseType: string }) =>
  `${words.quoted(exerciseName)}, ${exerciseType}`;

function medianOf(exercise: ExerciseSummary): string {
  const { medianChange } = exercise;
  const median = words.signed(medianChange, Number.isInteger(medianChange) ? 0 : 1);
  return isMedianOutside(exercise) ? `${median} ${OUTSIDE}` : median;
}

/** Empty if there are not enough days in succession. */
function theDayAfter(exercises: readonly ExerciseSummary[]): Block[] {
  const rows = exercises.flatMap(({ dayAfter, ...exercise }) =>
    dayAfter ? [[nameOf(exercise), String(dayAfter.days), words.withInterval(dayAfter)]] : [],
  );
  if (rows.length === 0) return [];
  return [
    {
      kind: 'table',
      caption: 'The first pain of the day after, against other days, in points: below 0 is less pain.',
      columns: columnsOf(['The day after'], ['Days', 'Difference (95 % interval)']),
      rows,
    },
  ];
}

function isMedianOutside({ medianChange, interval: [low, high] }: ExerciseSummary): boolean {
  return medianChange < low || medianChange > high;
}

const MOST_SHIFTS = 6;

/** Which exercises are new, no longer done, or respond differently; not those with too few sessions in either period. */
function exerciseShifts({ exercises }: Comparison): string {
  const enough = words
    .toldApart(exercises)
    .filter(({ first, second }) => Math.max(first?.sessions ?? 0, second?.sessions ?? 0) >= FEWEST_TO_SAY);
  const named = (shift: Shift, title: string) => {
    const names = enough.filter(({ meanChange }) => meanChange.shift === shift).map(words.shortName);
    return names.length > 0 && `${title}: ${words.listed(names, MOST_SHIFTS)}.`;
  };
  return [
    named('new', words.shiftWords.new.sentence),
    named('stopped', words.shiftWords.stopped.sentence),
    named('lower', 'Change after the session now lower'),
    named('higher', 'Change after the session now higher'),
  ]
    .filter(Boolean)
    .join(' ');
}

/** What changed since the last report, as far as there are enough sessions on both sides. */
function changesSection(previous: string, comparison: Comparison): Section {
  const { first, second, painBefore, meanChange, exercises } = comparison;
  const enough = exercises.filter(
    ({ first: then, second: since }) => Math.min(then?.sessions ?? 0, since?.sessions ?? 0) >= FEWEST_TO_SAY,
  );
  const shifts = exerciseShifts(comparison);
  const facts: Block = {
    kind: 'facts',
    rows: [
      {
        label: 'Sessions',
        lines: [
          `${grouped(first.sessions)} up to ${previous} (${words.plain(first.rhythm?.sessionsPerWeek ?? 0)} a week), ${grouped(second.sessions)} since (${words.plain(second.rhythm?.sessionsPerWeek ?? 0)} a week).`,
        ],
      },
      { label: words.PAIN_BEFORE, lines: [words.differenceSentence(painBefore)] },
      { label: 'Change of a session, all exercises', lines: [words.differenceSentence(meanChange)] },
      ...(shifts ? [{ label: 'Exercises', lines: [shifts] }] : []),
    ],
  };
  return {
    title: `What changed since ${previous}`,
    blocks: enough.length > 0 ? [facts, changesTable(enough)] : [facts],
  };
}

function changesTable(exercises: readonly ExerciseComparison[]): Block {
  return {
    kind: 'table',
    caption: `Mean change of a session in points; exercises with ${FEWEST_TO_SAY} sessions or more on both sides.`,
    columns: columnsOf(
      ['Exercise', 'Says'],
      ['Sessions then', 'Mean then', 'Sessions since', 'Mean since', 'Difference', '95 % interval'],
    ),
    rows: exercises.map(({ first, second, meanChange, ...exercise }) => [
      nameOf(exercise),
      words.shiftWords[meanChange.shift].sentence,
      String(first?.sessions),
      words.signed(first?.meanChange ?? 0),
      String(second?.sessions),
      words.signed(second?.meanChange ?? 0),
      words.signed(meanChange.difference ?? 0),
      words.interval(meanChange.interval ?? [0, 0]),
    ]),
  };
}

/** Titles of the method notes that are shown if every exercise has too few sessions for a verdict. */
const FEW_NOTES = ['Change', 'Scale', 'Response'];

function method({ summary }: Report): Section {
  const isFew = summary.exercises.every(({ verdict }) => verdict === 'too-few');
  const notes = methodNotes(summary.rule).filter(({ title }) => !isFew || FEW_NOTES.includes(title));
  const rows = notes.map(({ title, text }) => ({ label: title, lines: [text] }));
  return { title: 'Method', small: true, blocks: [{ kind: 'facts', rows }] };
}

/** Every session in compact form: by exercise, in the order of the table, with a line for each month. */
function records({ logs, summary }: Report): Section {
  const groups = groupBy(logs, exerciseKey);
  const text = `${words.count(logs.length, 'session')}: day of the month, pain before → after; ✓ marked effective by the patient.`;
  return {
    title: 'Appendix: the records',
    small: true,
    blocks: [
      { kind: 'paragraph', text },
      {
        kind: 'records',
        groups: summary.exercises.map((exercise) => recordGroup(groups.get(exerciseKey(exercise)) ?? [])),
      },
    ],
  };
}

function recordGroup(logs: readonly Log[]): RecordGroup {
  const months = groupBy(logs, ({ date }) => date.slice(0, 7));
  const entry = ({ date, painBefore, painAfter, effective }: Log) =>
    `${date.slice(8)}: ${painBefore} → ${painAfter}${effective ? ' ✓' : ''}`;
  const [{ exerciseName = '', exerciseType = '' } = {}] = logs;
  return {
    title: `${nameOf({ exerciseName, exerciseType })} (${grouped(logs.length)})`,
    lines: [...months].map(([label, those]) => ({ label, lines: those.map(entry) })),
  };
}
