import { isDay } from './words/day.ts';
import { parseDay } from './words/spoken-day.ts';
import { closest } from './words/suggest.ts';

/**
 * Times of day: which record counts as the pain of a day, and what words say. In its own file, so that the companion page loads no
 * field definitions.
 */

/** In the order of the day. */
export const timesOfDay = ['morning', 'midday', 'evening', 'night'] as const;
type TimeOfDay = (typeof timesOfDay)[number];

/** Rank of a record without a time of day, such as a session: after the morning (0), before midday (1). */
export const UNTIMED = 0.5;

/** Rank of an entry within its day: the index of its time of day, or `UNTIMED`. */
export const rankOf = ({ timeOfDay }: { readonly timeOfDay?: (typeof timesOfDay)[number] }): number =>
  timeOfDay === undefined ? UNTIMED : timesOfDay.indexOf(timeOfDay);

/**
 * The record whose pain counts as that of a day: the first session, otherwise the entry of the lowest rank.
 * @param values the records of the day, in the order in which they were recorded
 */
export const firstOf = <T extends { readonly rank: number; readonly isSession: boolean }>(
  values: readonly T[],
): T | undefined =>
  values.find(({ isSession }) => isSession) ?? [...values].sort((a, b) => a.rank - b.rank)[0];

const SYNONYMS: Readonly<Record<string, TimeOfDay>> = { noon: 'midday', midnight: 'night', tonight: 'night' };

/**
 * The time of day that words begin with: `night`, `this morning`, `at night`, `in the evening`, `tonight`, `noon`.
 * @returns it, and how many words say it; undefined if they begin with anything else
 */
export function timeInFront(words: readonly string[]): { time: TimeOfDay; used: number } | undefined {
  const [first = '', second = ''] = words.map((word) => word.toLowerCase());
  const used = first === 'in' && second === 'the' ? 2 : /^(?:this|at)$/.test(first) ? 1 : 0;
  const word = words[used]?.toLowerCase() ?? '';
  const time = timesOfDay.find((name) => name === word) ?? SYNONYMS[word];
  return time && { time, used: used + 1 };
}

/** `yesterday evening`, `monday at 22:00` */
const DAY_WITH_TIME = new RegExp(`^(.+?)(?: at)? (${timesOfDay.join('|')}|\\d{1,2}[:.]\\d{2})$`, 'i');

/**
 * The day, with a time or without, if notes say nothing else. Typing mistakes are recognized in `yesterday` only: `sunny` is
 * close to `sunday`.
 * @returns undefined for notes that say anything else
 */
export function dayInNotes(notes: string, today: string): { day: string; time: string } | undefined {
  const [, said = notes, time = ''] =
    DAY_WITH_TIME.exec(notes.replace(/^last (?=night$)/i, 'yesterday ')) ?? [];
  const day = parseDay(closest(said, ['yesterday']) ?? said, today);
  return isDay(day) ? { day, time } : undefined;
}
