/** What counts as the pain of a day; apart from the fields of an entry, which the page for phones does without. */

/** In the order of the day. */
export const timesOfDay = ['morning', 'midday', 'evening', 'night'] as const;
type TimeOfDay = (typeof timesOfDay)[number];

/** What has no time of day, as a session, stands behind the morning. */
export const UNTIMED = 0.5;

/** Where an entry stands in its day. */
export const rankOf = ({ timeOfDay }: { readonly timeOfDay?: (typeof timesOfDay)[number] }): number =>
  timeOfDay === undefined ? UNTIMED : timesOfDay.indexOf(timeOfDay);

/**
 * Of what was recorded on a day the one whose pain counts: the first session, without one the first entry.
 * @param values in the order in which they were recorded
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
