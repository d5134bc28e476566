import { existsSync } from 'node:fs';
import { countedLogs } from '../../cases/counted-logs.ts';
import type { Context } from '../../context.ts';
import { type KindName, kindNames } from '../../domain/kinds.ts';
import type { Log } from '../../domain/log.ts';
import { addDays, localDay, weekdayOf } from '../../domain/words/day.ts';
import { sparkline } from '../../insights/text-charts.ts';
import { resolveUser } from '../input/resolve-user.ts';
import { commandLine, counted, escapeControls, print, quoted } from '../terminal/io.ts';
import { widthOf } from '../terminal/width.ts';
import { countedHolding } from '../views/holding.ts';
import { answerOf, summaryOfUser } from '../views/records.ts';

/** A remote that was not in step for longer is named, in milliseconds: a week. */
const LATE_MS = 7 * 86_400_000;

/** Days of the pain that is shown. */
const DAYS = 14;

/**
 * `sciatica` alone: today, this week, the last session, the pain of two weeks, and what to type next. It proposes no
 * exercise.
 * @returns false where there is no user yet, and the help is what helps
 */
export async function showHome(context: Context): Promise<boolean> {
  context.requireNamed();
  if (!existsSync(context.databasePath) || context.store.users.count() === 0) return false;
  const userId = resolveUser(context, undefined);
  const lines = userId === undefined ? severalLines(context) : ownLines(context, userId);
  for (const line of lines) print(context, await fitted(line, context.width));
  return true;
}

/** Columns of the names in front of the lines. */
const INDENT = 11;

async function fitted(line: string, width: number): Promise<string> {
  if (widthOf(line, width) <= width) return line;
  const { wrap } = await import('../terminal/layout.ts');
  const [first = '', ...others] = wrap(line.slice(INDENT), { width: Math.max(width, 2 * INDENT) }, INDENT);
  return [line.slice(0, INDENT) + first.slice(INDENT), ...others].join('\n');
}

function severalLines(context: Context): string[] {
  const { store } = context;
  const counts = Object.fromEntries(kindNames.map((kind) => [kind, store.of(kind).count()]));
  return [
    `${countedHolding(counts as Record<KindName, number>)}.`,
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
  const monday = addDays(today, -((new Date(`${today}T00:00:00Z`).getUTCDay() + 6) % 7));
  const recent = store.logs.list({ userId, since: addDays(today, 1 - DAYS), until: today });
  const [last] = store.logs.list({ ...all, sort: '-date,-id', limit: 1 });
  const [goal] = store.goals.list({ userId });
  const [routine] = store.routines
    .list({ userId })
    .filter(({ exercises }) => exercises.some(({ exerciseName }) => exerciseName === last?.exerciseName));
  const otherwise = last ? 'log add' : 'fields';
  const ofToday = recent.filter(({ date }) => date === today);
  const ofWeek = recent.filter(({ date }) => date >= monday);
  const names = [...new Set(ofToday.map(({ exerciseName }) => escapeControls(exerciseName)))];
  return [
    `${summaryOfUser(user)}, ${weekdayOf(today)} ${today}`,
    '',
    `Today      ${ofToday.length === 0 ? 'nothing yet' : `${counted(ofToday.length, 'session')}: ${names.join(', ')}`}`,
    `This week  ${againstGoal(ofWeek.length, goal?.sessionsPerWeek)} on ${counted(daysOf(ofWeek).length, 'day')}`,
    `Last       ${last ? answerOf(last, today) : 'nothing yet'}`,
    ...painLines(recent),
    ...syncLines(context),
    ...(leftOut > 0
      ? [`Left out   ${counted(leftOut, 'session')} after today or before the birth that the age implies`]
      : []),
    '',
    `Next: ${commandLine(context, `log ${last ? 'again' : 'add'}`)}`,
    `      ${commandLine(context, routine ? `log routine ${quoted(escapeControls(routine.name))}` : otherwise)}`,
    `      ${commandLine(context, 'summary')}`,
  ];
}

/** What waits between this machine and others; nothing where nothing does. */
function syncLines(context: Context): string[] {
  const { remotes } = context.store;
  const held = remotes.heldBack();
  const waiting =
    held > 0 ? [`Held back  ${counted(held, 'deletion')} from elsewhere: sciatica remotes`] : [];
  const late = remotes.inStep().filter(({ at }) => at === null || context.now().getTime() - at > LATE_MS);
  return [
    ...waiting,
    ...late.map(
      ({ name, at }) =>
        `Sync       ${escapeControls(name)}: ${at === null ? 'never yet' : `last in step ${localDay(new Date(at))}`}`,
    ),
  ];
}

/** `3 of 4 sessions` where there is a goal, else `3 sessions`. */
const againstGoal = (sessions: number, goal: number | undefined) =>
  goal === undefined ? counted(sessions, 'session') : `${sessions} of ${counted(goal, 'session')}`;

const daysOf = (logs: readonly Log[]): string[] => [...new Set(logs.map(({ date }) => date))].sort();

/** Mean pain before exercise of each day with sessions, as bars and in words. */
function painLines(logs: readonly Log[]): string[] {
  const means = daysOf(logs).map((day) => {
    const pains = logs.filter(({ date }) => date === day).map(({ painBefore }) => painBefore);
    return pains.reduce((sum, pain) => sum + pain, 0) / pains.length;
  });
  const [first, last] = [means[0], means.at(-1)];
  if (first === undefined || last === undefined) return [];
  const points = (mean: number) => String(Math.round(mean * 10) / 10);
  const words = means.length === 1 ? points(first) : `${points(first)} → ${points(last)}`;
  return [`Pain       ${sparkline(means, DAYS)} ${words}, before exercise, last ${DAYS} days`];
}
