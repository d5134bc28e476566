import type { LogFilter } from '../domain/log.ts';
import type { PainEntry } from '../domain/pain-entry.ts';
import { addDays, countedDays } from '../domain/words/day.ts';
import type { Store } from '../store/store.ts';

/**
 * The logs of a user that match a filter and may count in figures: dated from the birth that the age implies up to today.
 * @returns `counted`: the filter narrowed to those days; `leftOut`: number of matching logs, and of pain entries and trial
 *   days in the filter's period, that are dated outside of them
 * @throws SciaticaError `not-found` if there is no such user
 */
export function countedLogs(
  store: Store,
  userId: number,
  filter: LogFilter,
  today: string,
): { counted: LogFilter; leftOut: number } {
  const days = countedDays(store.users.get(userId).age, today);
  const { since, until } = filter;
  const outside = (period: Period) => {
    const theirs = narrowed(narrowed({ userId }, { since, until }), period);
    const others = store.of('painEntry').count(theirs) + store.of('trialDay').count(theirs);
    return store.logs.count(narrowed({ ...filter, userId }, period)) + others;
  };
  return {
    counted: narrowed({ ...filter, userId }, days),
    leftOut: outside({ since: addDays(days.until, 1) }) + outside({ until: addDays(days.since, -1) }),
  };
}

interface Period {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** A period cut off after today. A period that lies wholly in the future stays as it is: it has no figures anyway. */
export function upToToday<P extends Period>(period: P, today: string): P {
  const { since = today, until = today } = period;
  return until > today && since <= today ? { ...period, until: today } : period;
}

/** The intersection of a filter with a period: the later `since` and the earlier `until` apply. */
export function narrowed(filter: LogFilter, { since, until }: Period): LogFilter {
  const both = { ...filter };
  if (since !== undefined && since > (filter.since ?? '')) both.since = since;
  if (until !== undefined && (filter.until === undefined || until < filter.until)) both.until = until;
  return both;
}

/** The pain entries of the user and the days of a filter of logs; its other conditions do not apply to them. */
export function entriesOf(store: Store, { userId, since, until }: LogFilter): PainEntry[] {
  return store.of('painEntry').recorded(narrowed(userId === undefined ? {} : { userId }, { since, until }));
}
