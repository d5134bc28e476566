import type { RecordOf } from '../domain/fields.ts';
import type { LogFilter } from '../domain/log.ts';
import type { comparisonFields, summaryFields } from '../domain/summary.ts';
import { type PlaceSummary, summarizePlaces } from '../insights/by-location.ts';
import { comparedPeriods, compareSummaries } from '../insights/compare.ts';
import { type PainDay, painDays } from '../insights/pain-days.ts';
import { responseRules } from '../insights/rules.ts';
import type { Comparison, ResponseRule, Summary } from '../insights/shapes.ts';
import { Tally } from '../insights/summary.ts';
import type { Store } from '../store/store.ts';
import { goalOf } from './goal.ts';

type AskedOfSummary = Partial<RecordOf<typeof summaryFields>>;
type AskedOfComparison = Partial<RecordOf<typeof comparisonFields>>;

/**
 * The figures of a user, against the target that was asked for, else the goal.
 * @throws SciaticaError `not-found` if there is no such user
 */
export async function summaryOf(store: Store, userId: number, asked: AskedOfSummary): Promise<Summary> {
  store.users.get(userId);
  const target = asked.target ?? goalOf(store, userId)?.sessionsPerWeek;
  const tally = await tallied(store, { userId, ...filterOf(asked) });
  return tally.summary({ ...asked, target, rule: ruleOf(asked) });
}

/**
 * Two periods of a user side by side.
 * @param today stands for the latest session where there is none
 * @throws SciaticaError `not-found` if there is no such user, `invalid` for periods that cannot be
 */
export async function comparisonOf(
  store: Store,
  userId: number,
  asked: AskedOfComparison,
  today: string,
): Promise<Comparison> {
  store.users.get(userId);
  const { since, until, before, ...rest } = asked;
  const filter = { userId, ...filterOf(rest) };
  const end = (sort: string) => store.logs.list({ ...filter, sort, limit: 1 })[0]?.date;
  const ends = { first: end('date'), last: end('-date') };
  const [earlier, later] = comparedPeriods({ since, until, before }, ends, today);
  const rule = ruleOf(asked);
  const first = (await tallied(store, { ...filter, ...earlier })).summary({ ...earlier, rule });
  const second = (await tallied(store, { ...filter, ...later })).summary({ ...later, rule });
  return compareSummaries(first, second);
}

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

/** Which exercises help whom, by pain location, as JSON has it. */
export interface PlacesSummary {
  readonly since: string | null;
  readonly until: string | null;
  readonly rule: ResponseRule;
  readonly places: readonly PlaceSummary[];
}

/** The response by pain location, of all users as they are at one moment. */
export function placesOf(store: Store, asked: AskedOfSummary): PlacesSummary {
  const { since = null, until = null } = asked;
  const rule = ruleOf(asked);
  const snapshot = store.snapshot();
  try {
    const users = each(snapshot.users.chunks());
    const sessions = each(snapshot.logs.sessions(filterOf(asked)));
    return { since, until, rule, places: summarizePlaces(users, sessions, { rule }) };
  } finally {
    snapshot.close();
  }
}

async function tallied({ logs }: Store, filter: LogFilter): Promise<Tally> {
  const tally = new Tally();
  for (const sessions of logs.sessions(filter)) {
    for (const session of sessions) tally.add(session);
    // Other requests get their turn, however many sessions there are.
    await new Promise(setImmediate);
  }
  return tally;
}

function* each<T>(blocks: Iterable<readonly T[]>): Generator<T> {
  for (const block of blocks) yield* block;
}

const ruleOf = ({ rule = 'default' }: Pick<AskedOfSummary, 'rule'>) => responseRules[rule];

function filterOf({ since, until, exerciseType }: Omit<AskedOfSummary, 'rule' | 'target'>): LogFilter {
  return {
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
    ...(exerciseType !== undefined && { exerciseType }),
  };
}
