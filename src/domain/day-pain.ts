/** What counts as the pain of a day; apart from the fields of an entry, which the page for phones does without. */

/** In the order of the day. */
export const timesOfDay = ['morning', 'midday', 'evening', 'night'] as const;

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
