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

/** The day `days` after `day` (before it, if negative). */
export function addDays(day: string, days: number): string {
  const moment = new Date(`${day}T00:00:00Z`);
  moment.setUTCDate(moment.getUTCDate() + days);
  // Years beyond four digits cannot be written as a day.
  if (moment.getUTCFullYear() < 0) return '0000-01-01';
  return moment.getUTCFullYear() > 9999 ? '9999-12-31' : isoDay(moment);
}

/**
 * A day as a person types it: `today`, `yesterday`, `-3d` (three days ago) or the day itself.
 * Any other text is returned as it is, for the schema to refuse.
 */
export function parseDay(text: string, today: string): string {
  const word = text.trim().toLowerCase();
  if (word === 'today') return today;
  if (word === 'yesterday') return addDays(today, -1);
  const ago = /^-(\d{1,5})d$/.exec(word);
  return ago ? addDays(today, -Number(ago[1])) : text.trim();
}

function isoDay(moment: Date): string {
  return moment.toISOString().slice(0, 10);
}
