import { existsSync } from 'node:fs';
import { countedLogs } from '../../cases/counted-logs.ts';
import { targetOf } from '../../cases/goal.ts';
import { feltOf, latestTrial, trialStatusNow } from '../../cases/trial.ts';
import type { Context } from '../../context.ts';
import { byKind, nounOf } from '../../domain/kinds.ts';
import type { Log } from '../../domain/log.ts';
import { addDays, localDay, mondayOf, weekdayOf } from '../../domain/words/day.ts';
import { type Entry, painDays } from '../../insights/pain-days.ts';
import type { Target } from '../../insights/rhythm.ts';
import { sparkline } from '../../insights/text-charts.ts';
import { resolveUser } from '../input/resolve-user.ts';
import { canvasOf } from '../terminal/canvas.ts';
import { commandLine, counted, escapeControls, print, quoted } from '../terminal/io.ts';
import { widthOf, wrap } from '../terminal/width.ts';
import { countedHolding } from '../views/holding.ts';
import { answerOf, summaryOfUser } from '../views/records.ts';
import { statusLines, todayInWords } from '../views/trial.ts';

/** A week, in milliseconds: remotes not in step for longer are listed, and disputes until they are that old. */
const LATE_MS = 7 * 86_400_000;

/** Maximum number of erasures elsewhere that are listed. */
const MOST_ERASED = 3;

/** Number of days whose pain is shown. */
const DAYS = 14;

const WELCOME = [
  'You record an exercise and your pain before and after it, from 1 to 10.',
  'After some weeks sciatica tells you after which exercises there was less pain.',
  'Everything stays in one file on this computer.',
  'Practice records to look around: sciatica demo. All commands: sciatica --help',
];

/**
 * `sciatica` without arguments: today, this week, the last session, the pain of two weeks, and commands to go on with.
 * It does not propose an exercise.
 * Without a user, a terminal asks for the first one and for the first exercise; otherwise it says how to begin.
 */
export async function showHome(context: Context): Promise<void> {
  context.requireNamed();
  if (!existsSync(context.databasePath) || context.store.users.count() === 0) return beginDiary(context);
  const userId = resolveUser(context, undefined);
  const lines = userId === undefined ? severalLines(context) : ownLines(context, userId);
  for (const line of lines) print(context, fitted(line, context.width));
}

async function beginDiary(context: Context): Promise<void> {
  const canvas = await canvasOf(context);
  for (const line of WELCOME.flatMap((text) => wrap(text, canvas))) print(context, line);
  print(context, '');
  if (!context.interactive) return print(context, `Next: ${commandLine(context, 'user add')}`);
  context.close();
  context.mayCreate = true;
  const { recordFirst } = await import('./log-add.ts');
  await recordFirst(context);
}

/** Width of the labels in front of the lines, in columns. */
const INDENT = 11;

function fitted(line: string, width: number): string {
  if (widthOf(line, width) <= width) return line;
  const [first = '', ...others] = wrap(line.slice(INDENT), { width: Math.max(width, 2 * INDENT) }, INDENT);
  return [line.slice(0, INDENT) + first.slice(INDENT), ...others].join('\n');
}

function severalLines(context: Context): string[] {
  const { store } = context;
  return [
    `${countedHolding(byKind((kind) => store.of(kind).count()))}.`,
    ...syncLines(context),
    '',
    `Next: ${commandLine(context, 'users')}`,
    `      ${commandLine(context, 'user use ID')}`,
    `      ${commandLine(context, 'logs --user all')}`,
  ];
}

function ownLines(context: Context, userId: number): string[] {
  const { store, today } = context;
  const user = store.users.get(userId);
  const { counted: all, leftOut } = countedLogs(store, userId, {}, today);
  const monday = mondayOf(today);
  const lately = { userId, since: addDays(today, 1 - DAYS), until: today };
  const recent = store.logs.recorded(lately);
  const felt = feltOf(store, lately);
  const last = store.logs.latest(all);
  const target = targetOf(store, userId);
  const [routine] = store.routines
    .list({ userId })
    .filter(({ exercises }) => exercises.some(({ exerciseName }) => exerciseName === last?.exerciseName));
  const trial = trialLines(context, userId);
  const again = last ? ['log again', 'log add'] : ['log add', 'fields'];
  // During a trial, do not suggest the last exercise or a routine: today may be drawn without it.
  const [first = '', second = ''] =
    trial.length > 0
      ? ['trial', 'log add']
      : routine
        ? ['log again', `log routine ${quoted(escapeControls(routine.name))}`]
        : again;
  const painToday = felt.filter(({ date }) => date === today);
  const ofToday = recent.filter(({ date }) => date === today);
  const ofWeek = recent.filter(({ date }) => date >= monday);
  const names = [...new Set(ofToday.map(({ exerciseName }) => escapeControls(exerciseName)))];
  return [
    `${summaryOfUser(user)}, ${weekdayOf(today)} ${today}`,
    '',
    `Today      ${ofToday.length === 0 ? 'nothing yet' : `${counted(ofToday.length, 'session')}: ${names.join(', ')}`}`,
    `This week  ${ofWeekInWords(ofWeek.length, daysOf(ofWeek).length, target)}`,
    `Last       ${last ? answerOf(last, today) : 'nothing yet'}`,
    ...painLines(felt, recent),
    painToday.length === 0
      ? `How is it today? ${commandLine(context, 'pain add')}`
      : `Pain today ${painToday.map(({ pain }) => pain).join(', ')}`,
    ...trial,
    ...syncLines(context),
    ...(leftOut > 0
      ? [`Left out   ${counted(leftOut, 'record')} after today or before the birth that the age implies`]
      : []),
    '',
    `Next: ${commandLine(context, first)}`,
    `      ${commandLine(context, second)}`,
    `      ${commandLine(context, 'summary')}`,
  ];
}

/** What needs attention in the sync with other machines: erasures, held deletions, disputes, overdue remotes. */
function syncLines(context: Context): string[] {
  const { remotes } = context.store;
  const see = commandLine(context, 'remotes');
  const [held, erased] = [remotes.heldBack(), remotes.erasedElsewhere().slice(0, MOST_ERASED)];
  const now = context.now().getTime();
  const disputes = remotes.disputes(now).filter(({ noticed }) => now - noticed < LATE_MS).length;
  // A clock that was ahead leaves a time in the future, which says nothing.
  const late = remotes.list().filter(({ at }) => at === null || Math.abs(now - at) > LATE_MS);
  return [
    ...erased.map(({ record, id }) => `Erased     ${nounOf(record)} ${id}, elsewhere: ${see}`),
    ...(held > 0 ? [`Held back  ${counted(held, 'deletion')} from elsewhere: ${see}`] : []),
    ...(disputes > 0 ? [`Both sides changed ${counted(disputes, 'record')}: ${see}`] : []),
    ...late.map(
      ({ name, at }) =>
        `Sync       ${escapeControls(name)}: ${at === null ? 'never yet' : `last in step ${localDay(new Date(at))}${at > now ? ', which has not come yet: is the clock right?' : ''}`}`,
    ),
  ];
}

function trialLines(context: Context, userId: number): string[] {
  const { store } = context;
  const trial = latestTrial(store, userId);
  if (trial?.state !== 'running') return [];
  const status = trialStatusNow(store, trial, context.now());
  const said = status.result
    ? `It has ended. What it has shown: ${commandLine(context, 'trial')}`
    : todayInWords(status, context.today) || statusLines(status, context)[0];
  return [`Trial      ${said}`];
}

/** `3 of 4 sessions on 2 days` with a target, `2 of 4 days, 3 sessions` if it counts days; else `3 sessions on 2 days`. */
function ofWeekInWords(sessions: number, days: number, target: Target | undefined): string {
  if (target?.counts === 'days')
    return `${days} of ${counted(target.perWeek, 'day')}, ${counted(sessions, 'session')}`;
  const done = target ? `${sessions} of ${counted(target.perWeek, 'session')}` : counted(sessions, 'session');
  return `${done} on ${counted(days, 'day')}`;
}

const daysOf = (logs: readonly Log[]): string[] => [...new Set(logs.map(({ date }) => date))].sort();

/** The pain of each day, that of trial days too, which the summary leaves out, and the pain after the day's last session, as bars and in words. */
function painLines(felt: readonly Entry[], logs: readonly Log[]): string[] {
  const days = painDays(felt, logs);
  const after = daysOf(logs).flatMap((day) => logs.findLast(({ date }) => date === day)?.painAfter ?? []);
  const which = felt.length > 0 ? 'before or without exercise' : 'before the first exercise';
  if (days.length === 0) return [];
  return [
    `Pain       ${course(days.map(({ first }) => first))}, ${which}, last ${DAYS} days`,
    ...(after.length > 0 ? [`           ${course(after)}, after the last exercise of each day`] : []),
  ];
}

/** Values as bars, followed by the first and the last one. */
function course(values: readonly number[]): string {
  return `${sparkline(values)} ${values.length === 1 ? values[0] : `${values[0]} → ${values.at(-1)}`}`;
}
