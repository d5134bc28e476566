import { type PainDay, painDays } from '../insights/pain-days.ts';
import type { Store } from '../store/store.ts';

/** The days of a period on which the user recorded pain, with or without exercise. */
export function painDaysOf(
  store: Store,
  userId: number,
  period: { since: string; until: string },
): PainDay[] {
  const [entries, sessions] = store.read(() => [
    store.of('painEntry').list({ userId, ...period }),
    store.logs.list({ userId, ...period }),
  ]);
  return painDays(entries, sessions);
}
