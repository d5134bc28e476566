import { invalid } from '../domain/errors.ts';
import { addDays } from '../domain/words/day.ts';
import type { Period } from './days.ts';

const FOUR_WEEKS = 28;

/** What can be asked about the two periods of a comparison. */
export interface AskedPeriods {
  since?: string | undefined;
  until?: string | undefined;
  /** All that came before this day, against all since. */
  before?: string | undefined;
}

/**
 * The two periods of a comparison, the earlier one first: the days from `since` to `until` and as many just before, or with
 * `before` all that came before a day and all since. Without `since`, the 4 weeks up to `until`; without `until`, up to the
 * latest session, so that no clock is in the answer.
 * @param ends the days of the first and the latest session; undefined when there is none
 * @param today stands for the latest session when there is none
 * @throws SciaticaError `invalid` for an empty period, or `before` beside the others
 */
export function comparedPeriods(
  asked: AskedPeriods,
  ends: { first: string | undefined; last: string | undefined },
  today: string,
): [Period, Period] {
  const { before } = asked;
  const until = asked.until ?? ends.last ?? today;
  if (before !== undefined) {
    if ((asked.since ?? asked.until) !== undefined)
      throw invalid([{ field: 'before', message: 'takes all there is: leave out since and until' }]);
    const day = addDays(before, -1);
    const [since = day] = [ends.first ?? day, day].toSorted();
    const [, last = before] = [before, until].toSorted();
    return [
      { since, until: day },
      { since: before, until: last },
    ];
  }
  const since = asked.since ?? addDays(until, 1 - FOUR_WEEKS);
  if (since > until)
    throw invalid([{ field: 'since', message: `begins an empty period: from ${since} to ${until}` }]);
  const days = Math.round((Date.parse(until) - Date.parse(since)) / 86_400_000) + 1;
  return [
    { since: addDays(since, -days), until: addDays(since, -1) },
    { since, until },
  ];
}
