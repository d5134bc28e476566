import type { TrialStatus } from '../../cases/trial.ts';
import type { Context } from '../../context.ts';
import { BLOCK, type Trial, type TrialInput } from '../../domain/trial.ts';
import { weekdayOf } from '../../domain/words/day.ts';
import {
  daysAtEachPain,
  insteadOf,
  pictureTitle,
  powerOf,
  resultSentence,
  WHAT_IT_CANNOT_SAY,
  WHEN,
} from '../../insights/trial.ts';
import { commandLine, counted, escapeControls } from '../terminal/io.ts';
import { wrap } from '../terminal/width.ts';

/** Renders a trial as text and as a calendar file, without revealing what is drawn for future days. */

/** The plan of a trial and its power, for the confirmation. `deviation`: of pain, in points, from own records if `isOwn`. */
export function planLines(
  trial: TrialInput,
  { deviation, isOwn }: { deviation: number; isOwn: boolean },
  width: number,
): string[] {
  const { days, start, outcome, question, difference } = trial;
  const name = escapeControls(trial.exerciseName);
  const casesOf = (points: number) => Math.min(99, Math.round(powerOf(trial, points, deviation) * 100));
  const [least, more] = [difference, difference + 0.5];
  const texts = [
    `${days} days from ${start}: ${name} on some, ${insteadOf(trial, escapeControls)} on the others, drawn by lot, ${BLOCK / 2} and ${BLOCK / 2} of every ${BLOCK}. Each day at the same time you say how much it hurts, and ${WHEN[outcome]} again. Do everything else as usual. A day counts as it was drawn, whatever you did: with one day in five done the other way, a difference of 1 shows as 0.6.`,
    `${days} days find a difference of ${least} in ${casesOf(least)} of 100 cases, of ${more} in ${casesOf(more)} (${isOwn ? `your pain after sessions varies by ${deviation.toFixed(1)}` : `if pain varies by ${deviation.toFixed(1)}, as is usual; your own records are too few to say`}).${question === 'either' && trial.against === 'rest' ? ' --question less finds more.' : ''}`,
    'It ends early if the answer is clear, or if there is more pain. You can give it up at any time. Tell your physiotherapist.',
  ];
  return texts.flatMap((text) => wrap(text, { width: Number.isFinite(width) ? width : 80 }));
}

/** `Today, day 5 of 28: Piriformis Stretch.`; after midnight it may still be the day before, which is named. */
export function todayInWords({ today, trial }: TrialStatus, calendarDay: string): string {
  if (!today) return '';
  const day = today.date === calendarDay ? 'Today' : `${weekdayOf(today.date)} ${today.date}`;
  const what = today.arm === 'a' ? escapeControls(trial.exerciseName) : insteadOf(trial, escapeControls);
  return `${day}, day ${today.number} of ${trial.days}: ${what}.`;
}

/** The state of a trial; after its end, its result as a sentence and a table of outcomes. */
export function statusLines(status: TrialStatus, context: Context): string[] {
  const { trial, result, due, daysLeft, recorded, passed, asDrawn } = status;
  const { today, width: columns } = context;
  const canvas = { width: Number.isFinite(columns) ? columns : 80 };
  const name = escapeControls(trial.exerciseName);
  const about = `${name} against ${insteadOf(trial, escapeControls)}`;
  // `passed` lacks a recorded day whose outcome is not due yet.
  const days = `${recorded} of ${counted(Math.max(passed, recorded), 'day')} recorded, ${asDrawn} as drawn.`;
  if (result)
    return [
      ...wrap(resultSentence(trial, result), canvas),
      '',
      ...pictureOf(status),
      '',
      ...wrap(`${about}: ${days} ${WHAT_IT_CANNOT_SAY}`, canvas),
    ];
  if (trial.state === 'given-up') return wrap(`The trial of ${about} was given up. ${days}`, canvas);
  const next = !due
    ? ''
    : due.pain === 'first'
      ? `How much does it hurt, before? ${commandLine(context, 'trial PAIN')}`
      : `How much does it hurt now${trial.outcome === 'morning' ? '' : ', after'}? ${commandLine(context, 'trial PAIN')}`;
  const first = trial.start > today ? `It starts on ${weekdayOf(trial.start)} ${trial.start}.` : '';
  return [
    ...(status.today ? wrap(todayInWords(status, today), canvas) : []),
    ...(next ? wrap(next, canvas) : []),
    ...wrap(
      `${first || `${counted(daysLeft, 'day')} left of the trial of ${about}.`} ${passed > 0 ? days : ''}`.trim(),
      canvas,
    ),
  ];
}

/** The outcomes of both arms as a table: the number of days at each level of pain. */
function pictureOf({ trial, outcomes }: TrialStatus): string[] {
  if (!outcomes) return [];
  const row = (label: string, cells: readonly (string | number)[]) =>
    label.padEnd(9) + cells.map((cell) => String(cell || '.').padStart(3)).join('');
  return [
    `${pictureTitle(trial)}:`,
    row('', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
    ...daysAtEachPain(outcomes).map(([label, days]) => row(label, days)),
  ];
}

/** A calendar (RFC 5545) with a reminder at nine in the morning of each day. It does not reveal what is drawn. */
export function calendarOf(trial: Trial, database: string, now: Date): string {
  const stamp = `${now.toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`;
  const day = trial.start.replaceAll('-', '');
  return [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//sciatica//trial//EN',
    'BEGIN:VEVENT',
    `UID:trial-${trial.id}@${database}`,
    `DTSTAMP:${stamp}`,
    `DTSTART:${day}T090000`,
    'DURATION:PT15M',
    `RRULE:FREQ=DAILY;COUNT=${trial.days + (trial.outcome === 'morning' ? 1 : 0)}`,
    'SUMMARY:Trial: what is drawn for today? (sciatica trial)',
    'BEGIN:VALARM',
    'ACTION:DISPLAY',
    'DESCRIPTION:Trial: what is drawn for today? (sciatica trial)',
    'TRIGGER:PT0M',
    'END:VALARM',
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ].join('\r\n');
}
