import { dayNumber } from './days.ts';
import type { MonthLevel, Trend } from './shapes.ts';
import { FEWEST_TO_SAY } from './verdict.ts';

/** Periods in the words of somebody who remembers them. */

const NAMES = 'January February March April May June July August September October November December'.split(
  ' ',
);
/** Up to this many days the days are named, above only the months. */
const FEW_DAYS = 60;

/** `2026-03` → `March`; with the year `March 2026`. */
export function monthInWords(month: string, withYear: boolean): string {
  const name = NAMES[Number(month.slice(5, 7)) - 1] ?? month;
  return withYear ? `${name} ${month.slice(0, 4)}` : name;
}

/** `January to October 2026`, `1 to 14 March 2026`, `2 March 2026`. Both days are included. */
export function periodInWords(since: string, until: string): string {
  const sameYear = since.slice(0, 4) === until.slice(0, 4);
  const sameMonth = since.slice(0, 7) === until.slice(0, 7);
  const [first, last] = [Number(since.slice(8)), Number(until.slice(8))];
  const end = monthInWords(until, true);
  if (since === until) return `${first} ${end}`;
  if (sameMonth) return `${first} to ${last} ${end}`;
  const start = monthInWords(since, !sameYear);
  const days = dayNumber(until) - dayNumber(since) < FEW_DAYS;
  return days ? `${first} ${start} to ${last} ${end}` : `${start} to ${end}`;
}

/** The first and the last month that have enough sessions to be remembered by; null when there are no two. */
export function firstAndLastMonth({ months }: Trend): [first: MonthLevel, last: MonthLevel] | null {
  const enough = months.filter(({ sessions }) => sessions >= FEWEST_TO_SAY);
  const [first, last] = [enough[0], enough.at(-1)];
  return first && last && first !== last ? [first, last] : null;
}
