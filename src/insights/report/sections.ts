import type { Comparison } from '../compare.ts';
import { methodNotes, SCALE_NOTE } from '../method.ts';
import { describeRule } from '../rules.ts';
import { calendarChart } from './charts/calendar.ts';
import { painChart } from './charts/pain.ts';
import { responseChart } from './charts/response.ts';
import type { Block, Document, Section } from './document.ts';
import { inShort } from './in-short.ts';
import type { Report } from './report.ts';
import {
  count,
  differenceSentence,
  interval,
  percent,
  plain,
  quoted,
  shiftWords,
  signed,
  trendSentence,
  verdictWords,
} from './words.ts';

/** Puts a report into words, charts and tables, the sixty-second summary first. */
export function documentOf(report: Report): Document {
  const { subject, summary, logs } = report;
  const title = subject.name === null ? `Patient ${subject.id}` : quoted(subject.name);
  const period = summary.since === null ? 'no sessions' : `${summary.since} to ${summary.until}`;
  const sections = [inShort(report)];
  if (logs.length > 0) sections.push(painOverTime(report), responsePerExercise(report), calendar(report));
  if (report.sincePrevious) sections.push(whatChanged(report.previous ?? '', report.sincePrevious));
  sections.push(notes(report), method(report));
  if (logs.length > 0) sections.push(appendix(report));
  return { title: `Exercise and pain: ${title}`, subtitle: period, sections };
}

function painOverTime({ logs, summary }: Report): Section {
  const { pain } = summary;
  return {
    title: 'Pain over time',
    blocks: [
      ...(pain ? [{ kind: 'chart', ...painChart(logs, pain) } as const] : []),
      { kind: 'paragraph', text: `${pain ? `${trendSentence(pain)} ` : ''}${SCALE_NOTE}` },
    ],
  };
}

function responsePerExercise({ summary }: Report): Section {
  const { exercises, rule } = summary;
  return {
    title: 'Response per exercise',
    blocks: [
      { kind: 'chart', ...responseChart(exercises) },
      {
        kind: 'table',
        caption: `Change in points. Response: ${describeRule(rule)}; “effective”: marked so by the patient.`,
        columns: [
          { label: '', numeric: true },
          { label: 'Exercise' },
          { label: 'Sessions', numeric: true },
          { label: 'Mean', numeric: true },
          { label: '95 % interval', numeric: true },
          { label: 'Median', numeric: true },
          { label: 'Response', numeric: true },
          { label: 'Effective', numeric: true },
          { label: 'Verdict' },
        ],
        rows: exercises.map((exercise) => [
          exercise.rank === null ? '–' : String(exercise.rank),
          exerciseAndType(exercise),
          String(exercise.sessions),
          signed(exercise.meanChange),
          exercise.verdict === 'too-few' ? '–' : interval(exercise.interval),
          signed(exercise.medianChange, Number.isInteger(exercise.medianChange) ? 0 : 1),
          percent(exercise.responded),
          percent(exercise.effective),
          verdictWords(exercise),
        ]),
      },
    ],
  };
}

const exerciseAndType = (exercise: { exerciseName: string; exerciseType: string }) =>
  `${quoted(exercise.exerciseName)}, ${exercise.exerciseType}`;

function calendar({ logs }: Report): Section {
  return { title: 'Calendar of sessions', blocks: [{ kind: 'chart', ...calendarChart(logs) }] };
}

function whatChanged(previous: string, comparison: Comparison): Section {
  const { first, second, painBefore, meanChange, exercises } = comparison;
  const figures = (response: { sessions: number; meanChange: number } | null) =>
    response ? [String(response.sessions), signed(response.meanChange)] : ['0', '–'];
  return {
    title: `What changed since ${previous}`,
    blocks: [
      {
        kind: 'facts',
        rows: [
          {
            label: 'Sessions',
            lines: [
              `${first.sessions} up to ${previous} (${plain(first.rhythm?.sessionsPerWeek ?? 0)} a week), ${second.sessions} since (${plain(second.rhythm?.sessionsPerWeek ?? 0)} a week).`,
            ],
          },
          { label: 'Pain before exercise', lines: [differenceSentence(painBefore)] },
          { label: 'Change of a session, all exercises', lines: [differenceSentence(meanChange)] },
        ],
      },
      ...(exercises.length === 0
        ? []
        : [
            {
              kind: 'table',
              caption: 'Mean change of a session in points, and the difference with its 95 % interval.',
              columns: [
                { label: 'Exercise' },
                { label: 'Sessions then', numeric: true },
                { label: 'Mean then', numeric: true },
                { label: 'Sessions since', numeric: true },
                { label: 'Mean since', numeric: true },
                { label: 'Difference', numeric: true },
                { label: 'Says' },
              ],
              rows: exercises.map((exercise) => {
                const { difference, interval: range, shift } = exercise.meanChange;
                const by =
                  difference === null || range === null ? '–' : `${signed(difference)} (${interval(range)})`;
                return [
                  exerciseAndType(exercise),
                  ...figures(exercise.first),
                  ...figures(exercise.second),
                  by,
                  shiftWords[shift],
                ];
              }),
            } as const,
          ]),
    ],
  };
}

function notes({ logs }: Report): Section {
  const written = logs.filter((log) => log.notes.trim() !== '');
  const blocks: Block[] =
    written.length === 0
      ? [{ kind: 'paragraph', text: 'None.' }]
      : [
          {
            kind: 'notes',
            notes: written.toReversed().map((log) => ({
              heading: `${log.date} · ${quoted(log.exerciseName)} · ${log.painBefore} → ${log.painAfter} · no. ${log.id}`,
              text: log.notes,
            })),
          },
        ];
  return { title: 'Notes, the latest first', blocks };
}

function method({ summary }: Report): Section {
  const rows = methodNotes(summary.rule).map(({ title, text }) => ({ label: title, lines: [text] }));
  return { title: 'Method', blocks: [{ kind: 'facts', rows }] };
}

function appendix({ logs }: Report): Section {
  return {
    title: 'Appendix: the records',
    appendix: true,
    blocks: [
      {
        kind: 'table',
        caption: `${count(logs.length, 'session')}, by date. Their notes stand above, under the same number.`,
        columns: [
          { label: 'No.', numeric: true },
          { label: 'Date' },
          { label: 'Exercise' },
          { label: 'Before', numeric: true },
          { label: 'After', numeric: true },
          { label: 'Change', numeric: true },
          { label: 'Effective' },
        ],
        rows: logs.map((log) => [
          String(log.id),
          log.date,
          exerciseAndType(log),
          String(log.painBefore),
          String(log.painAfter),
          signed(log.painAfter - log.painBefore, 0),
          log.effective ? 'yes' : 'no',
        ]),
      },
    ],
  };
}
