import { addDays, dayNumber, dayOf, mondayOf } from '../domain/words/day.ts';
import type { Period } from './days.ts';
import { round } from './numbers.ts';
import type { Rhythm, TargetUnit } from './shapes.ts';

/** A weekly target and what it counts. */
export interface Target {
  readonly perWeek: number;
  readonly counts: TargetUnit;
}

/**
 * @param sessionsByDay number of sessions of each day that has any, in order
 * @param period the days that count, with or without sessions
 * @param asOf the day up to which `daysSinceLast` is counted
 * @param over only weeks that have ended by this day count against the target
 */
export function summarizeRhythm(
  sessionsByDay: ReadonlyMap<string, number>,
  period: Period,
  asOf: string,
  over: string,
  target?: Target,
): Rhythm {
  const days = [...sessionsByDay.keys()].map(dayNumber);
  const sessions = [...sessionsByDay.values()].reduce((sum, count) => sum + count, 0);
  const weeks = Math.max(1, (dayNumber(period.until) - dayNumber(period.since) + 1) / 7);
  const last = days.at(-1);
  return {
    days: days.length,
    sessionsPerWeek: round(sessions / weeks),
    daysPerWeek: round(days.length / weeks),
    longestGap: longestGap(days),
    daysSinceLast: last === undefined ? null : dayNumber(asOf) - last,
    target: target === undefined ? null : againstTarget(sessionsByDay, { ...period, until: over }, target),
  };
}

function longestGap(days: readonly number[]): Rhythm['longestGap'] {
  let longest: Rhythm['longestGap'] = null;
  for (const [i, day] of days.entries()) {
    const before = days[i - 1];
    if (before !== undefined && day - before > (longest?.days ?? 0))
      longest = { days: day - before, from: dayOf(before), to: dayOf(day) };
  }
  return longest;
}

function againstTarget(
  sessionsByDay: ReadonlyMap<string, number>,
  period: Period,
  { perWeek, counts }: Target,
): NonNullable<Rhythm['target']> {
  const firstMonday = mondayOf(addDays(period.since, 6));
  const endMonday = mondayOf(addDays(period.until, 1));
  const perMonday = new Map<string, number>();
  for (const [day, sessions] of sessionsByDay) {
    const count = counts === 'days' ? 1 : sessions;
    const monday = mondayOf(day);
    perMonday.set(monday, (perMonday.get(monday) ?? 0) + count);
  }
  const reached = [...perMonday].filter(
    ([monday, count]) => monday >= firstMonday && monday < endMonday && count >= perWeek,
  );
  const weeks = Math.max(0, (dayNumber(endMonday) - dayNumber(firstMonday)) / 7);
  return {
    perWeek,
    counts,
    weeks,
    weeksReached: reached.length,
    until: weeks === 0 ? null : addDays(endMonday, -1),
  };
}
