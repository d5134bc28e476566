import { callsForRedFlags, isSevere } from '../domain/red-flags.ts';
import type { SortKey } from '../domain/sort.ts';
import type { User } from '../domain/user.ts';
import { addDays } from '../domain/words/day.ts';
import { averageOf, round } from '../insights/numbers.ts';
import { type PainDay, painDays } from '../insights/pain-days.ts';
import type { Overview } from '../insights/shapes.ts';
import type { Store } from '../store/store.ts';
import { countedLogs, entriesOf, narrowed } from './counted-logs.ts';
import { trialPains } from './trial.ts';

/** Length, in days, of the recent window, which ends today, and of the window before it that it is compared with. */
export const [RECENT_DAYS, EARLIER_DAYS] = [14, 28];

/** Default order, by who needs a call first: most red-flag records, largest rise in pain, longest time without a session. */
const URGENCY: readonly SortKey[] = [
  { field: 'redEntries', descending: true },
  { field: 'painChange', descending: true },
  { field: 'lastSession', descending: false },
  { field: 'id', descending: false },
];

/**
 * One line of figures for each user.
 * @param today records after this day do not count
 * @param keys the sort order; the most urgent first by default
 */
export const overviewsOf = (
  store: Store,
  users: readonly User[],
  today: string,
  keys = URGENCY,
): Overview[] => users.map((user) => overviewOf(store, user, today)).sort((a, b) => inOrder(a, b, keys));

function overviewOf(store: Store, { id, firstName, lastName }: User, today: string): Overview {
  const { counted, leftOut } = countedLogs(store, id, {}, today);
  const [last] = store.logs.list({ ...counted, sort: '-date', limit: 1 });
  const first = addDays(today, 1 - RECENT_DAYS);
  const compared = narrowed(counted, { since: addDays(first, -EARLIER_DAYS) });
  const logs = store.logs.recorded(compared);
  const entries = entriesOf(store, compared);
  const days = painDays([...entries, ...trialPains(store, compared)], logs);
  const recent = logs.filter(({ date }) => date >= first);
  const severe = entries.filter(({ date, pain }) => date >= first && isSevere(pain));
  const trialDays = store
    .of('trialDay')
    .list(narrowed(counted, { since: first }))
    .filter(({ first, second = first }) => callsForRedFlags({ painBefore: first, painAfter: second }));
  const pain = meanPain(days.filter(({ date }) => date >= first));
  const painEarlier = meanPain(days.filter(({ date }) => date < first));
  return {
    id,
    firstName,
    lastName,
    sessions: recent.length,
    ...(last && { lastSession: last.date }),
    ...(pain !== undefined && { pain: round(pain, 1) }),
    ...(painEarlier !== undefined && { painEarlier: round(painEarlier, 1) }),
    ...(pain !== undefined && painEarlier !== undefined && { painChange: round(pain - painEarlier, 1) }),
    redEntries: recent.filter(callsForRedFlags).length + severe.length + trialDays.length,
    leftOut,
  };
}

const meanPain = (days: readonly PainDay[]): number | undefined =>
  days.length === 0 ? undefined : averageOf(days.map(({ first }) => first));

/** Compares by the sort keys: a missing `lastSession` is earliest, a missing `painChange` 0, anything else missing last. */
function inOrder(a: Overview, b: Overview, keys: readonly SortKey[]): number {
  for (const { field, descending } of keys) {
    const [x, y] = [a, b].map(
      (one) => one[field as keyof Overview] ?? (field === 'painChange' ? 0 : undefined),
    );
    if (x === y) continue;
    const sign = descending ? -1 : 1;
    if (x === undefined || y === undefined)
      return (x === undefined ? -1 : 1) * (field === 'lastSession' ? sign : -1);
    return (x < y ? -1 : 1) * sign;
  }
  return 0;
}
