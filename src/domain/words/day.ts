/** Calendar days as YYYY-MM-DD, without a time zone: the person's local day. */

/** The local day of a moment. */
export function localDay(moment: Date): string {
  return isoDay(new Date(Date.UTC(moment.getFullYear(), moment.getMonth(), moment.getDate())));
}

/** The local moment as it stands in the name of a file: 2026-11-21-124501. */
export function localStamp(moment: Date): string {
  const time = [moment.getHours(), moment.getMinutes(), moment.getSeconds()];
  return `${localDay(moment)}-${time.map((part) => String(part).padStart(2, '0')).join('')}`;
}

export const WEEKDAYS = [
  'Sunday',
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
] as const;

/** The name of a day's weekday. */
export const weekdayOf = (day: string): string => WEEKDAYS[new Date(`${day}T00:00:00Z`).getUTCDay()] ?? '';

/** The day `days` after `day` (before it, if negative). */
export function addDays(day: string, days: number): string {
  const moment = new Date(`${day}T00:00:00Z`);
  moment.setUTCDate(moment.getUTCDate() + days);
  // Years beyond four digits cannot be written as a day.
  if (moment.getUTCFullYear() < 0) return '0000-01-01';
  return moment.getUTCFullYear() > 9999 ? '9999-12-31' : isoDay(moment);
}

/** Years that a diary can go back: nobody is older. */
const LIFETIME = 130;

/** What is strange about a day on which something happened to a living person; undefined if nothing is. */
export function doubtOfDay(day: string, today: string): string | undefined {
  if (day > today) return `${day} is in the future.`;
  const isAbsurd = Number(day.slice(0, 4)) < Number(today.slice(0, 4)) - LIFETIME;
  return isAbsurd ? `${day} is more than ${LIFETIME} years ago. Is the year right?` : undefined;
}

function isoDay(moment: Date): string {
  return moment.toISOString().slice(0, 10);
}
