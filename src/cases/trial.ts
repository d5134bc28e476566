import type { LogFilter } from '../domain/log.ts';
import {
  type Arm,
  armsOf,
  armText,
  dayIndex,
  lastDayOf,
  type Trial,
  type TrialDay,
  trialOn,
} from '../domain/trial.ts';
import { addDays, DAY_BEGINS, localDay } from '../domain/words/day.ts';
import type { Entry } from '../insights/pain-days.ts';
import {
  type EndedTrial,
  resultSentence,
  type TrialResult,
  trialResult,
  WHAT_IT_CANNOT_SAY,
} from '../insights/trial.ts';
import type { Store } from '../store/store.ts';
import { entriesOf } from './counted-logs.ts';

/** The status of a trial on a day. Of the drawn order it reveals today's arm only, and with the result the arms of past days. */
export interface TrialStatus {
  readonly trial: Trial;
  /** Null before the first day, after the last, and once it has ended. */
  readonly today: { readonly date: string; readonly number: number; readonly arm: Arm } | null;
  /** The pain to be recorded now: of which day, and the first or the second one; null if none is due. */
  readonly due: { readonly date: string; readonly pain: 'first' | 'second' } | null;
  readonly daysLeft: number;
  /** Number of days that have passed, of recorded days, and of recorded days on which the drawn arm was done. */
  readonly passed: number;
  readonly recorded: number;
  readonly asDrawn: number;
  /** Null while the trial runs, and if it was given up. */
  readonly result: TrialResult | null;
  /** The outcomes (second pain of a day, 1 to 10) of each arm; null without a result. */
  readonly outcomes: Readonly<Record<Arm, readonly number[]>> | null;
}

/** The user's running trial, otherwise the one that started last; undefined if there is none. */
export function latestTrial(store: Store, userId: number): Trial | undefined {
  const trials = store.of('trial').list({ userId, sort: '-start,-id' });
  return trials.find(({ state }) => state === 'running') ?? trials[0];
}

/** Of the user's trials that have a result and a day in the period, the one that started last. */
export function endedTrial(
  store: Store,
  userId: number,
  { since, until }: LogFilter,
  today: string,
): EndedTrial | undefined {
  for (const trial of store.of('trial').list({ userId, sort: '-start,-id' })) {
    const isIn =
      (since === undefined || lastDayOf(trial) >= since) && (until === undefined || trial.start <= until);
    // Skipped before the analysis, which is slow; a trial that was given up has no result.
    if (!isIn || trial.state === 'given-up') continue;
    const { result, outcomes } = trialStatus(store, trial, today);
    if (result && outcomes) return { trial, result, outcomes };
  }
  return undefined;
}

/** The pains of trial days in the form of pain entries. The outcome `morning` is dated on the day after, in the morning. */
export function trialPains(store: Store, { userId, since, until }: LogFilter): Entry[] {
  const whose = userId === undefined ? {} : { userId };
  const trials = store.of('trial').list(whose);
  const felt = store
    .of('trialDay')
    .list(whose)
    .flatMap((recorded): Entry[] => {
      const { id, date, first, second, notes } = recorded;
      const trial = trialOn(trials, recorded);
      const day = { id, date, ...(notes !== undefined && { notes }) };
      const before = { ...day, pain: first };
      if (second === undefined) return [before];
      const after =
        trial?.outcome === 'morning'
          ? { ...day, date: addDays(date, 1), timeOfDay: 'morning' as const, pain: second }
          : { ...day, pain: second, ...(trial?.outcome === 'bedtime' && { timeOfDay: 'night' as const }) };
      return [before, after];
    });
  return felt.filter(
    ({ date }) => (since === undefined || date >= since) && (until === undefined || date <= until),
  );
}

/** The pain that was recorded in a period outside sessions: pain entries, and the pains of trial days. */
export const feltOf = (store: Store, filter: LogFilter): Entry[] => [
  ...entriesOf(store, filter),
  ...trialPains(store, filter),
];

/** The days of a trial by date. Of two records of one date the one that names the trial (`trialSeed`) counts. */
export function daysOf(store: Store, trial: Trial): Map<string, TrialDay> {
  const { userId } = trial;
  const trials = store.of('trial').list({ userId });
  const days = store
    .of('trialDay')
    .list({ userId, since: trial.start, until: lastDayOf(trial), sort: 'date,trialSeed' })
    .filter((day) => trialOn(trials, day)?.id === trial.id);
  return new Map(days.map((day) => [day.date, day]));
}

/** The local day that a record made now is for: until 4 a.m. the day before, if its second pain is due (not for `morning`). */
export function trialToday(store: Store, trial: Trial, now: Date): string {
  const today = localDay(now);
  if (now.getHours() >= DAY_BEGINS || trial.outcome === 'morning') return today;
  const yesterday = addDays(today, -1);
  return lacksSecond(daysOf(store, trial).get(yesterday)) ? yesterday : today;
}

/** The status of a trial at a moment, by local time. */
export const trialStatusNow = (store: Store, trial: Trial, now: Date): TrialStatus =>
  trialStatus(store, trial, trialToday(store, trial, now));

/** The status of a trial on a day. @param today the local day that a record made now is for (`trialToday`) */
export function trialStatus(store: Store, trial: Trial, today: string): TrialStatus {
  const byDate = daysOf(store, trial);
  const days = [...byDate.values()];
  const passed = passedOf(trial, byDate, today);
  const outcomes = days.flatMap(({ date, first, second }) => {
    const index = dayIndex(trial, date);
    return index === undefined || second === undefined ? [] : [{ index, first, second }];
  });
  const result =
    trial.state === 'given-up' ? undefined : trialResult(trial, outcomes, passed, trial.state === 'finished');
  const index = dayIndex(trial, today);
  const arms = armsOf(trial.seed, trial.days);
  const isOn = trial.state === 'running' && !result;
  const arm = index === undefined ? undefined : arms[index];
  const under = (wanted: Arm) =>
    outcomes
      .filter((one) => one.index < (result?.afterDays ?? 0) && arms[one.index] === wanted)
      .map(({ second }) => second);
  return {
    trial,
    today: isOn && index !== undefined && arm ? { date: today, number: index + 1, arm } : null,
    due: isOn ? dueOf(trial, byDate, today) : null,
    daysLeft: isOn ? trial.days - passed : 0,
    passed: result?.afterDays ?? passed,
    recorded: days.length,
    asDrawn: days.filter(({ done }) => done).length,
    result: result ?? null,
    outcomes: result ? { a: under('a'), b: under('b') } : null,
  };
}

type ByDate = ReadonlyMap<string, TrialDay>;

/** Number of leading days whose outcome is recorded or was due before today; once given up, up to the last recorded day. */
function passedOf(trial: Trial, byDate: ByDate, today: string): number {
  if (trial.state === 'given-up')
    return 1 + Math.max(-1, ...[...byDate.keys()].map((date) => dayIndex(trial, date) ?? -1));
  const open = addDays(today, trial.outcome === 'morning' ? -1 : 0);
  let passed = 0;
  while (passed < trial.days) {
    const date = addDays(trial.start, passed);
    if (date >= open && byDate.get(date)?.second === undefined) break;
    passed++;
  }
  return passed;
}

function dueOf(trial: Trial, byDate: ByDate, today: string): TrialStatus['due'] {
  const isOpen = (date: string) => lacksSecond(byDate.get(date));
  const yesterday = addDays(today, -1);
  if (trial.outcome === 'morning' && isOpen(yesterday)) return { date: yesterday, pain: 'second' };
  if (dayIndex(trial, today) === undefined) return null;
  if (!byDate.has(today)) return { date: today, pain: 'first' };
  return trial.outcome !== 'morning' && isOpen(today) ? { date: today, pain: 'second' } : null;
}

const lacksSecond = (day: TrialDay | undefined): boolean => day !== undefined && day.second === undefined;

/**
 * Creates or completes the record of a day, and sets the trial to `finished` if it has a result then.
 * @param said the fields that the caller gave for the day
 * @throws SciaticaError `invalid` for a first record without the first pain
 */
export function recordTrialDay(
  store: Store,
  trial: Trial,
  date: string,
  said: Partial<Omit<TrialDay, 'id' | 'userId' | 'date'>>,
  check: (input: object) => Omit<TrialDay, 'id'>,
  today: string,
): TrialDay {
  return store.change(() => {
    const days = store.of('trialDay');
    const there = daysOf(store, trial).get(date);
    const values = { ...said, trialSeed: trial.seed };
    const { id: _, ...before } = there ?? { id: 0, done: true };
    const input = check({ ...before, userId: trial.userId, date, ...values });
    const day = there ? days.update(there.id, values) : days.create(input);
    const { state } = store.of('trial').get(trial.id);
    if (state === 'running' && trialStatus(store, trial, today).result)
      store.of('trial').update(trial.id, { state: 'finished' });
    return day;
  });
}

/** The status as JSON, without the seed, from which the arms of the coming days could be computed. */
export function shownStatus({ trial: { seed: _, ...trial }, today, result, ...status }: TrialStatus): object {
  return {
    trial,
    today: today && { ...today, what: armText(trial, today.arm) },
    ...status,
    result: result && { ...result, sentence: resultSentence(trial, result), note: WHAT_IT_CANNOT_SAY },
  };
}
