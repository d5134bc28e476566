import { addDays } from '../../domain/words/day.ts';

/** How many are kept: the last backup of each of so many days, weeks and months that have one. */
const KEPT = { days: 7, weeks: 4, months: 12 } as const;

/**
 * Which backups are kept.
 * @param days of all backups, YYYY-MM-DD
 * @param today is kept, also when a clock that went wrong has left later ones
 */
export function daysToKeep(days: readonly string[], today: string): Set<string> {
  const latestFirst = [...new Set(days)].sort().reverse();
  return new Set([
    ...latestFirst.filter((day) => day === today),
    ...lastOfEach(latestFirst, (day) => day, KEPT.days),
    ...lastOfEach(latestFirst, mondayOf, KEPT.weeks),
    ...lastOfEach(latestFirst, (day) => day.slice(0, 'YYYY-MM'.length), KEPT.months),
  ]);
}

function lastOfEach(
  latestFirst: readonly string[],
  periodOf: (day: string) => string,
  most: number,
): string[] {
  const last = new Map<string, string>();
  for (const day of latestFirst) if (!last.has(periodOf(day))) last.set(periodOf(day), day);
  return [...last.values()].slice(0, most);
}

function mondayOf(day: string): string {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  return addDays(day, -((weekday + 6) % 7));
}
