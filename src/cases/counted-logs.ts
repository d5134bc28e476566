import type { LogFilter } from '../domain/log.ts';
import type { PainEntry } from '../domain/pain-entry.ts';
import { addDays, countedDays } from '../domain/words/day.ts';
import type { Store } from '../store/store.ts';

/**
 * The logs of a user that count in figures, of those that a filter means.
 * @returns the filter that takes no others, and how many those others are, with the pain entries and trial days of its period
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

/** A period that ends with today at the latest; one that is still to come, of which there are no figures, stays as it is. */
export function upToToday<P extends Period>(period: P, today: string): P {
  const { since = today, until = today } = period;
  return until > today && since <= today ? { ...period, until: today } : period;
}

/** A filter, kept to a period as well. */
export function narrowed(filter: LogFilter, { since, until }: Period): LogFilter {
  const both = { ...filter };
  if (since !== undefined && since > (filter.since ?? '')) both.since = since;
  if (until !== undefined && (filter.until === undefined || until < filter.until)) both.until = until;
  return both;
}

/** The pain entries beside the logs that a filter means, which are of one user. */
export function entriesOf(store: Store, { userId, since, until }: LogFilter): PainEntry[] {
  return store.of('painEntry').recorded(narrowed(userId === undefined ? {} : { userId }, { since, until }));
}
