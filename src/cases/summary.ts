import { SciaticaError } from '../domain/errors.ts';
import type { RecordOf } from '../domain/fields.ts';
import { inOrder, type LogFilter, type Session } from '../domain/log.ts';
import type { comparisonFields, summaryFields } from '../domain/summary.ts';
import { countedDays } from '../domain/words/day.ts';
import { type PlaceSummary, summarizePlaces } from '../insights/by-location.ts';
import { comparedPeriods, compareTallies } from '../insights/compare.ts';
import { type PainDay, painDays } from '../insights/pain-days.ts';
import { responseRules } from '../insights/rules.ts';
import type { Comparison, ExerciseSummary, ResponseRule, Summary } from '../insights/shapes.ts';
import { Tally } from '../insights/summary.ts';
import type { Store } from '../store/store.ts';
import { countedLogs, entriesOf, narrowed, upToToday } from './counted-logs.ts';
import { targetOf } from './goal.ts';
import { feltOf } from './trial.ts';

type AskedOfSummary = Partial<RecordOf<typeof summaryFields>>;
type AskedOfComparison = Partial<RecordOf<typeof comparisonFields>>;

/**
 * The figures of a user, with the target asked for or else the user's goal.
 * @param today records after this day do not count
 * @throws SciaticaError `not-found` if there is no such user, `invalid` for an empty period
 */
export async function summaryOf(
  store: Store,
  userId: number,
  asked: AskedOfSummary,
  today: string,
): Promise<Summary> {
  const { counted, leftOut } = countedLogs(store, userId, filterOf(inOrder(asked)), today);
  const target = targetOf(store, userId, asked.target);
  const tally = await tallied(store, counted);
  return tally.summary({ ...upToToday(asked, today), today, target, rule: ruleOf(asked), leftOut });
}

/**
 * The exercises without a mark that earlier versions (database format 10 or older) marked ✔ or ✖, because a clear change
 * followed them. Reported once: the call takes the user off the list of those to be told, and a second call returns none.
 * @param summary of all sessions of the user
 */
export function lostMarks({ settings }: Store, userId: number, { exercises }: Summary): ExerciseSummary[] {
  const waiting = settings.texts('formerMarks');
  if (!waiting.includes(String(userId))) return [];
  const rest = waiting.filter((id) => id !== String(userId));
  try {
    settings.set('formerMarks', JSON.stringify(rest));
  } catch (error) {
    // The database cannot be written now: show the summary all the same, and report again next time.
    if (!(error instanceof SciaticaError)) throw error;
  }
  return exercises.filter(({ verdict, claim }) => verdict === 'clear' && claim === null);
}

/**
 * Two periods of a user side by side.
 * @param today no period ends later, and records after it do not count; stands for the latest record where there is none
 * @throws SciaticaError `not-found` if there is no such user, `invalid` for periods that `comparedPeriods` refuses
 */
export async function comparisonOf(
  store: Store,
  userId: number,
  asked: AskedOfComparison,
  today: string,
): Promise<Comparison> {
  const { since, until, before, ...rest } = asked;
  const { counted: filter, leftOut } = countedLogs(store, userId, filterOf(rest), today);
  const ends = ['date', '-date']
    .flatMap((sort) => [
      ...store.logs.list({ ...filter, sort, limit: 1 }),
      ...store.of('painEntry').list({ ...narrowed({ userId }, filter), sort, limit: 1 }),
    ])
    .map(({ date }) => date)
    .sort();
  const [earlier, later] = comparedPeriods(
    { since, until, before },
    { first: ends[0], last: ends.at(-1) },
    today,
  );
  const rule = ruleOf(asked);
  const tallies = [
    await tallied(store, narrowed(filter, earlier)),
    await tallied(store, narrowed(filter, later)),
  ] as const;
  const options = [
    { ...earlier, rule },
    { ...later, rule },
  ] as const;
  return { ...compareTallies(tallies, options), leftOut };
}

/** The days of a period on which the user recorded pain, with or without exercise. */
export function painDaysOf(
  store: Store,
  userId: number,
  period: { since: string; until: string },
): PainDay[] {
  const [entries, sessions] = store.read(() => [
    feltOf(store, { userId, ...period }),
    store.logs.recorded({ userId, ...period }),
  ]);
  return painDays(entries, sessions);
}

/** The response to exercises by pain location, in its JSON form. */
export interface PlacesSummary {
  readonly since: string | null;
  readonly until: string | null;
  readonly rule: ResponseRule;
  readonly places: readonly PlaceSummary[];
  /** Number of sessions that no figure counts: dated after today, or before the birth that the user's age implies. */
  readonly leftOut: number;
}

/**
 * The response to exercises by pain location, over all users, read from one snapshot.
 * @param today records after this day do not count
 */
export function placesOf(store: Store, asked: AskedOfSummary, today: string): PlacesSummary {
  const { since = null, until = null } = upToToday(asked, today);
  const rule = ruleOf(asked);
  const snapshot = store.snapshot();
  try {
    const users = [...each(snapshot.users.chunks())];
    const births = new Map(users.map(({ id, age }) => [id, countedDays(age, today).since]));
    let leftOut = 0;
    const isCounted = ({ userId, date }: Session) => {
      const counts = date <= today && date >= (births.get(userId) ?? date);
      if (!counts) leftOut += 1;
      return counts;
    };
    const sessions = each(snapshot.logs.sessions(filterOf(asked)), isCounted);
    const places = summarizePlaces(users, sessions, rule);
    return { since, until, rule, places, leftOut };
  } finally {
    snapshot.close();
  }
}

async function tallied(store: Store, filter: LogFilter): Promise<Tally> {
  const tally = new Tally();
  for (const entry of entriesOf(store, filter)) tally.addEntry(entry);
  for (const sessions of store.logs.sessions(filter)) {
    for (const session of sessions) tally.add(session);
    // Yield to the event loop after each block, so that other requests are served meanwhile.
    await new Promise(setImmediate);
  }
  return tally;
}

function* each<T>(blocks: Iterable<readonly T[]>, fits: (item: T) => boolean = () => true): Generator<T> {
  for (const block of blocks) yield* block.filter(fits);
}

const ruleOf = ({ rule = 'default' }: Pick<AskedOfSummary, 'rule'>) => responseRules[rule];

function filterOf({ since, until, exerciseType }: Omit<AskedOfSummary, 'rule' | 'target'>): LogFilter {
  return narrowed(exerciseType === undefined ? {} : { exerciseType }, { since, until });
}
