/** Calendar days as YYYY-MM-DD, without a time zone: the person's local day. */

/** Whether a value has the form of a day. The calendar may lack it, such as 2026-02-30. */
export const isDay = (value: unknown): value is string =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value);

export const DAY_MS = 86_400_000;

/** A day as a whole number, for arithmetic: 1970-01-01 is 0. */
export const dayNumber = (day: string): number => Date.parse(`${day}T00:00:00Z`) / DAY_MS;

/** Inverse of `dayNumber`, limited to the days that can be written: 0000-01-01 to 9999-12-31. */
export const dayOf = (number: number): string =>
  new Date(Math.min(Math.max(number, FIRST), LAST) * DAY_MS).toISOString().slice(0, 10);

const [FIRST, LAST] = [dayNumber('0000-01-01'), dayNumber('9999-12-31')];

/** The local day of a moment. */
export function localDay(moment: Date): string {
  return dayOf(Date.UTC(moment.getFullYear(), moment.getMonth(), moment.getDate()) / DAY_MS);
}

/** The local moment to the minute: 2026-11-21 12:45. */
export const localMinute = (moment: Date): string =>
  `${localDay(moment)} ${moment.toTimeString().slice(0, 5)}`;

/** The local moment in the form for names of files: 2026-11-21-124501. */
export function localStamp(moment: Date): string {
  const time = [moment.getHours(), moment.getMinutes(), moment.getSeconds()];
  return `${localDay(moment)}-${time.map((part) => String(part).padStart(2, '0')).join('')}`;
}

export const WEEKDAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');
export const MONTHS =
  'January February March April May June July August September October November December'.split(' ');

/** Which of the weekdays a day is, from 0 for Sunday. */
export const weekdayNumber = (day: string): number => new Date(`${day}T00:00:00Z`).getUTCDay();

/** The name of a day's weekday. */
export const weekdayOf = (day: string): string => WEEKDAYS[weekdayNumber(day)] ?? '';

/** The day `days` after `day` (before it, if negative). */
export const addDays = (day: string, days: number): string => dayOf(dayNumber(day) + days);

/** The Monday of a day's week (ISO 8601). */
export const mondayOf = (day: string): string => addDays(day, -((weekdayNumber(day) + 6) % 7));

/** Earliest day of birth for an age in years, with one year to spare: there may have been a birthday since it was given. */
export const birthImplied = (age: number, today: string): string =>
  `${String(Math.max(Number(today.slice(0, 4)) - age - 2, 0)).padStart(4, '0')}${today.slice(4).replace('-02-29', '-02-28')}`;

/**
 * Why nothing can have happened to a person on a day: it is after tomorrow (it may be tomorrow already in the time zone of the
 * writer), or before the birth that the age implies.
 * @param age in years, if it is known
 * @returns words that follow the field's name; undefined if the day is possible
 */
export function faultOfHappening(day: string, today: string, age?: number): string | undefined {
  if (day > addDays(today, 1)) return 'is after tomorrow';
  if (age !== undefined && day < birthImplied(age, today))
    return `is before the birth that age ${age} implies`;
  return undefined;
}

/** Age of a session, in years, from which a terminal asks whether the year is right. */
const LONG_AGO = 10;

/** How many years ago a day is, if that is so long that the year may be a mistake; undefined otherwise. */
export function yearsAgo(day: string, today: string): number | undefined {
  const years = Number(today.slice(0, 4)) - Number(day.slice(0, 4)) - (today.slice(5) < day.slice(5) ? 1 : 0);
  return years >= LONG_AGO ? years : undefined;
}

/** The days whose sessions count in figures: none after today, none before the birth that the age implies. */
export const countedDays = (age: number, today: string): { since: string; until: string } => ({
  since: birthImplied(age, today),
  until: today,
});

/** Local hour at which a day begins, as in time-use surveys (ATUS, HETUS): before it, somebody is still up late. */
export const DAY_BEGINS = 4;
