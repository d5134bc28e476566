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

/** How a trial stands on a day. Of its order it says today's arm only, and what has passed. */
export interface TrialStatus {
  readonly trial: Trial;
  /** Null before the first day, after the last, and once it has ended. */
  readonly today: { readonly date: string; readonly number: number; readonly arm: Arm } | null;
  /** What is asked for now: the day that it is about, and which pain. */
  readonly due: { readonly date: string; readonly pain: 'first' | 'second' } | null;
  readonly daysLeft: number;
  /** Days that have passed, those recorded, and those of them on which what was drawn was done. */
  readonly passed: number;
  readonly recorded: number;
  readonly asDrawn: number;
  /** Null while it goes on, and where it was given up. */
  readonly result: TrialResult | null;
  /** With the result: the outcomes under each arm. */
  readonly outcomes: Readonly<Record<Arm, readonly number[]>> | null;
}

/** The trial of a user that runs, else the one that started last; undefined where there was none. */
export function latestTrial(store: Store, userId: number): Trial | undefined {
  const trials = store.of('trial').list({ userId, sort: '-start,-id' });
  return trials.find(({ state }) => state === 'running') ?? trials[0];
}

/** The trial that ended last, of those of which a day is in the period. */
export function endedTrial(
  store: Store,
  userId: number,
  { since, until }: LogFilter,
  today: string,
): EndedTrial | undefined {
  for (const trial of store.of('trial').list({ userId, sort: '-start,-id' })) {
    const isIn =
      (since === undefined || lastDayOf(trial) >= since) && (until === undefined || trial.start <= until);
    // Its analysis takes long, and one that was given up has none.
    if (!isIn || trial.state === 'given-up') continue;
    const { result, outcomes } = trialStatus(store, trial, today);
    if (result && outcomes) return { trial, result, outcomes };
  }
  return undefined;
}

/** What was felt on the days of trials, as pain entries have it. */
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

/** The pain without a session that was recorded in a period: pain entries, and what was felt on days of trials. */
export const feltOf = (store: Store, filter: LogFilter): Entry[] => [
  ...entriesOf(store, filter),
  ...trialPains(store, filter),
];

/** The days of a trial by their dates: of two of one date that which names the trial. */
export function daysOf(store: Store, trial: Trial): Map<string, TrialDay> {
  const { userId } = trial;
  const trials = store.of('trial').list({ userId });
  const days = store
    .of('trialDay')
    .list({ userId, since: trial.start, until: lastDayOf(trial), sort: 'date,trialSeed' })
    .filter((day) => trialOn(trials, day)?.id === trial.id);
  return new Map(days.map((day) => [day.date, day]));
}

/** The local day that a trial is at: late at night the day before, while its second pain is still to come. */
export function trialToday(store: Store, trial: Trial, now: Date): string {
  const today = localDay(now);
  if (now.getHours() >= DAY_BEGINS || trial.outcome === 'morning') return today;
  const yesterday = addDays(today, -1);
  return lacksSecond(daysOf(store, trial).get(yesterday)) ? yesterday : today;
}

/** How a trial stands at a moment of the person's local time. */
export const trialStatusNow = (store: Store, trial: Trial, now: Date): TrialStatus =>
  trialStatus(store, trial, trialToday(store, trial, now));

/** How a trial stands. @param today the day that it is at (`trialToday`) */
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

/** The days whose outcome is known, or was due on a day before today; of a trial that was given up those up to the last recorded one. */
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
 * Records a day of a trial, or more of it, and ends the trial where that makes it clear.
 * @param said what is said of the day
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

/** The status as JSON has it: without the seed, from which what is to come could be drawn. */
export function shownStatus({ trial: { seed: _, ...trial }, today, result, ...status }: TrialStatus): object {
  return {
    trial,
    today: today && { ...today, what: armText(trial, today.arm) },
    ...status,
    result: result && { ...result, sentence: resultSentence(trial, result), note: WHAT_IT_CANNOT_SAY },
  };
}
