/** Days as whole numbers, for arithmetic: day 0 is 1970-01-01. */

const DAY_MS = 86_400_000;

export const dayNumber = (day: string): number => Date.parse(`${day}T00:00:00Z`) / DAY_MS;

/** The day of a number; what lies beyond the days that can be written, 0000-01-01 to 9999-12-31, is the nearest of them. */
export const dayOf = (number: number): string =>
  new Date(Math.min(Math.max(number, FIRST), LAST) * DAY_MS).toISOString().slice(0, 10);

const FIRST = dayNumber('0000-01-01');
const LAST = dayNumber('9999-12-31');

/** The Monday of a day's week (ISO 8601), both as day numbers. */
export const mondayOf = (number: number): number => number - ((((number + 3) % 7) + 7) % 7);

/** Whether a day is a Saturday or a Sunday. */
export const isWeekend = (number: number): boolean => number - mondayOf(number) >= 5;

/** A span of days, both included. */
export interface Period {
  readonly since: string;
  readonly until: string;
}

/** Whether a day lies in a period; an end that is left out is open. */
export function isWithin(
  day: string,
  period: { since?: string | undefined; until?: string | undefined },
): boolean {
  return (
    (period.since === undefined || day >= period.since) && (period.until === undefined || day <= period.until)
  );
}
