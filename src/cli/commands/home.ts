import { existsSync } from 'node:fs';
import type { Context } from '../../context.ts';
import type { Log } from '../../domain/log.ts';
import { addDays, weekdayOf } from '../../domain/words/day.ts';
import { sparkline } from '../../insights/text.ts';
import { resolveUser } from '../input/resolve-user.ts';
import { counted, escapeControls, print } from '../output/io.ts';
import { answerOf, summaryOfUser } from '../views/records.ts';
import { clip } from '../views/width.ts';

/** Days of the pain that is shown. */
const DAYS = 14;

/**
 * `sciatica` alone: today, this week, the last session, the pain of two weeks, and what to type next. It proposes no
 * exercise.
 * @returns false where there is no user yet, and the help is what helps
 */
export function showHome(context: Context): boolean {
  if (!existsSync(context.databasePath) || context.store.users.count() === 0) return false;
  const userId = resolveUser(context, undefined);
  const lines = userId === undefined ? severalLines(context) : ownLines(context, userId);
  for (const line of lines) print(context, clip(line, context.width));
  return true;
}

function severalLines({ store }: Context): string[] {
  return [
    `${counted(store.users.count(), 'user')} and ${counted(store.logs.count(), 'log')}.`,
    '',
    'Next: sciatica users',
    '      sciatica user use ID',
    '      sciatica logs --user all',
  ];
}

function ownLines({ store, today }: Context, userId: number): string[] {
  const user = store.users.get(userId);
  const monday = addDays(today, -((new Date(`${today}T00:00:00Z`).getUTCDay() + 6) % 7));
  const recent = store.logs.list({ userId, since: addDays(today, 1 - DAYS), until: today });
  const [last] = store.logs.list({ userId, until: today, sort: '-date,-id', limit: 1 });
  const ofToday = recent.filter(({ date }) => date === today);
  const ofWeek = recent.filter(({ date }) => date >= monday);
  const names = [...new Set(ofToday.map(({ exerciseName }) => escapeControls(exerciseName)))];
  return [
    `${summaryOfUser(user)}, ${weekdayOf(today)} ${today}`,
    '',
    `Today      ${ofToday.length === 0 ? 'nothing yet' : `${counted(ofToday.length, 'session')}: ${names.join(', ')}`}`,
    `This week  ${counted(ofWeek.length, 'session')} on ${counted(daysOf(ofWeek).length, 'day')}`,
    `Last       ${last ? answerOf(last, today) : 'nothing yet'}`,
    ...painLines(recent),
    '',
    `Next: sciatica log ${last ? 'again' : 'add'}`,
    `      sciatica ${last ? 'log add' : 'fields'}`,
    '      sciatica summary',
  ];
}

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
  const words = means.length === 1 ? points(first) : `${points(first)} at first, ${points(last)} at last`;
  return [`Pain       ${sparkline(means, DAYS)} before exercise, in ${DAYS} days: ${words}`];
}
