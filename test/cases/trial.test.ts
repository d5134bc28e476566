import { expect, test, vi } from 'vitest';
import {
  endedTrial,
  latestTrial,
  recordTrialDay,
  trialPains,
  trialStatus,
  trialToday,
} from '../../src/cases/trial.ts';
import { armsOf, armText, type TrialDay, trialDayFields, trialFields } from '../../src/domain/trial.ts';
import { addDays } from '../../src/domain/words/day.ts';
import { insteadOf } from '../../src/insights/trial.ts';
import { openStore } from '../../src/store/store.ts';
import { nora, prepared } from '../helpers.ts';
import { exampleOf } from '../samples.ts';
import { freshStore, user } from '../store/helpers.ts';

const START = '2026-03-02';
const LAST = addDays(START, 13);
const on = (index: number) => addDays(START, index);

type Outcome = 'hour' | 'bedtime' | 'morning';
type Recorded = readonly [index: number, first: number, second?: number];

/** What `read` finds in a trial of fourteen days of which some are recorded. */
function inTrial<T>(
  outcome: Outcome,
  recorded: readonly Recorded[],
  read: (store: ReturnType<typeof openStore>) => T,
): T {
  const store = openStore(
    prepared((it) => {
      it.users.create(nora);
      it.of('trial').create({ ...exampleOf(trialFields), start: START, days: 14, outcome });
      for (const [index, first, second] of recorded) {
        const day = {
          userId: 1,
          date: on(index),
          first,
          done: true,
          ...(second !== undefined && { second }),
        };
        it.of('trialDay').create(day as Omit<TrialDay, 'id'>);
      }
    }),
  );
  try {
    return read(store);
  } finally {
    store.close();
  }
}

test.each<[Outcome, object]>([
  ['hour', { date: START, pain: 3 }],
  ['bedtime', { date: START, pain: 3, timeOfDay: 'night' }],
  ['morning', { date: on(1), pain: 3, timeOfDay: 'morning' }],
])('what was felt, where the outcome is of the %s', (outcome, second) => {
  const felt = (period: object) =>
    inTrial(outcome, [[0, 6, 3]], (store) => trialPains(store, { userId: 1, ...period })).map(
      ({ id: _, ...entry }) => entry,
    );
  const both = [{ date: START, pain: 6 }, second];
  expect(felt({})).toEqual(both);
  const isNext = outcome === 'morning';
  expect(felt({ since: START, until: START })).toEqual(isNext ? both.slice(0, 1) : both);
  expect(felt({ since: on(1), until: on(1) })).toEqual(isNext ? both.slice(1) : []);
});

test.each<[Outcome, today: number, Recorded[], due: [number, 'first' | 'second'] | null, passed: number]>([
  ['hour', -1, [], null, 0],
  ['hour', 0, [], [0, 'first'], 0],
  ['hour', 0, [[0, 6]], [0, 'second'], 0],
  ['hour', 0, [[0, 6, 3]], null, 1],
  ['hour', 1, [], [1, 'first'], 1],
  ['hour', 1, [[0, 6]], [1, 'first'], 1],
  ['morning', 0, [[0, 6]], null, 0],
  ['morning', 1, [[0, 6]], [0, 'second'], 0],
  ['morning', 1, [[0, 6, 3]], [1, 'first'], 1],
  ['morning', 2, [[0, 6]], [2, 'first'], 1],
  ['morning', 14, [[13, 6]], [13, 'second'], 13],
])('the outcome being of the %s, on day %i with %j', (outcome, today, recorded, due, passed) => {
  const status = inTrial(outcome, recorded, (store) =>
    trialStatus(store, store.of('trial').get(1), on(today)),
  );
  expect(status).toMatchObject({
    due: due && { date: on(due[0]), pain: due[1] },
    passed,
    daysLeft: 14 - passed,
    recorded: recorded.length,
    asDrawn: recorded.length,
  });
});

test.each<[Outcome, hour: number, Recorded[], at: number]>([
  ['bedtime', 3, [[0, 6]], 0],
  ['hour', 0, [[0, 6]], 0],
  ['hour', 4, [[0, 6]], 1],
  ['hour', 3, [[0, 6, 3]], 1],
  ['hour', 3, [], 1],
  ['morning', 3, [[0, 6]], 1],
])(
  'the outcome being of the %s, at %i in the night with %j, the day is %i',
  (outcome, hour, recorded, at) => {
    const night = new Date(`${on(1)}T0${hour}:59`);
    const day = inTrial(outcome, recorded, (store) => trialToday(store, store.of('trial').get(1), night));
    expect(day).toBe(on(at));
  },
);

test('a trial that has ended has an answer, whatever was taken back since', () => {
  const { result, daysLeft } = inTrial('hour', [], (store) =>
    trialStatus(store, store.of('trial').update(1, { state: 'finished' }), on(3)),
  );
  expect([result?.afterDays, daysLeft]).toEqual([3, 0]);
});

test('a day after the next trial began is of that one', () => {
  const recorded = inTrial(
    'hour',
    [
      [0, 6, 3],
      [1, 6, 3],
    ],
    (store) => {
      const trials = store.of('trial');
      const first = trials.update(1, { state: 'given-up' });
      const second = trials.create({ ...exampleOf(trialFields), start: on(1), days: 14 });
      return [first, second].map((trial) => trialStatus(store, trial, on(2)).recorded);
    },
  );
  expect(recorded).toEqual([1, 1]);
});

test('the latest trial is the one that runs, also where one that began later was given up', () => {
  const latest = inTrial('hour', [], (store) => {
    store.of('trial').create({ ...exampleOf(trialFields), start: on(5), days: 14, state: 'given-up' });
    return latestTrial(store, 1);
  });
  expect(latest?.id).toBe(1);
});

test('an exercise that an app left without a name is another exercise', () => {
  const { otherExercise: _, ...others } = exampleOf(trialFields);
  const trial = { ...others, against: 'exercise' as const };
  expect([armText(trial, 'b'), insteadOf(trial, (name) => name)]).toEqual([
    'another exercise',
    'another exercise',
  ]);
  expect(armText({ ...trial, against: 'rest' }, 'b')).toBe('rest');
});

test('a day is of the trial that runs, also where one that began later was given up', () => {
  const recorded = inTrial('hour', [[6, 5, 4]], (store) => {
    store.of('trial').create({ ...exampleOf(trialFields), start: on(5), days: 14, state: 'given-up' });
    return store
      .of('trial')
      .list({ sort: 'id' })
      .map((one) => trialStatus(store, one, on(7)).recorded);
  });
  expect(recorded).toEqual([1, 0]);
});

test.each<[name: number | undefined, state: 'running' | 'given-up', recorded: number]>([
  [undefined, 'running', 1],
  [1, 'running', 1],
  [1, 'given-up', 1],
  [2, 'running', 0],
])(
  'a day of the trial with seed %s, in the time of one with seed 1 (%s), counts in it: %i',
  (trialSeed, state, recorded) => {
    const store = freshStore();
    store.users.create(user());
    // As an import brings it: a new one gets its name.
    store
      .of('trialDay')
      .create({ ...exampleOf(trialDayFields), date: START, ...(trialSeed && { trialSeed }) });
    const own = store.of('trial').create({ ...trial, start: START, seed: 1, state });
    expect(trialStatus(store, own, START)).toMatchObject({ recorded, asDrawn: recorded });
  },
);

test('a day that is also there from before it was named is one day', () => {
  const store = freshStore();
  store.users.create(user());
  const day = { ...exampleOf(trialDayFields), date: START };
  store.of('trialDay').create({ ...day, first: 5, second: 5 });
  const own = store.of('trial').create({ ...trial, start: START, seed: 1, state: 'running' });
  recordTrialDay(store, own, START, { second: 4 }, (input) => input as Omit<TrialDay, 'id'>, START);
  expect(store.of('trialDay').list()).toMatchObject([{ first: 5, second: 4, trialSeed: 1 }]);
  store.of('trialDay').restore({ ...day, id: 9, first: 7 });
  expect(trialStatus(store, own, START)).toMatchObject({ recorded: 1, due: null });
  recordTrialDay(store, own, START, { second: 3 }, (input) => input as Omit<TrialDay, 'id'>, START);
  expect(store.of('trialDay').list()).toMatchObject([{ first: 5, second: 3 }, { first: 7 }]);
});

test('a day does not end a trial that was given up meanwhile', () => {
  const state = inTrial('hour', [], (store) => {
    const trials = store.of('trial');
    const running = trials.get(1);
    trials.update(1, { state: 'given-up' });
    recordTrialDay(store, running, on(0), { first: 6 }, (input) => input as Omit<TrialDay, 'id'>, on(20));
    return trials.get(1).state;
  });
  expect(state).toBe('given-up');
});

test.each<[object, boolean]>([
  [{ since: LAST }, true],
  [{ since: addDays(LAST, 1) }, false],
  [{ until: START }, true],
  [{ until: addDays(START, -1) }, false],
])('a trial that ended is of the period %j: %s', (period, isFound) => {
  const days = Array.from({ length: 14 }, (_, i): Recorded => [i, 6, 6 + (i % 2)]);
  const found = inTrial('hour', days, (store) => endedTrial(store, 1, period, addDays(LAST, 1)));
  expect(found?.trial.start).toBe(isFound ? START : undefined);
});

const trial = {
  userId: 1,
  exerciseName: 'Bird Dog',
  against: 'rest',
  outcome: 'hour',
  question: 'either',
  days: 14,
  difference: 1,
} as const;

test('what was felt after the answer was clear is not among its outcomes', () => {
  const store = freshStore();
  store.users.create(user());
  const trial = store.of('trial').create({ ...exampleOf(trialFields), start: START, days: 40 });
  for (const [i, arm] of armsOf(trial.seed, trial.days).entries())
    store.of('trialDay').create({
      ...exampleOf(trialDayFields),
      ...{ date: on(i), first: 6, second: arm === 'a' ? 2 : 7 + (i % 2) },
    });
  const { result, outcomes, recorded } = trialStatus(store, trial, on(40));
  expect([recorded, result?.afterDays]).toEqual([40, 24]);
  expect([outcomes?.a.length, outcomes?.b.length]).toEqual([12, 12]);
});

test('a trial that has ended counts no days that were still to come, where a day is corrected so that nothing is clear', () => {
  const store = freshStore();
  store.users.create(user());
  const { id, ...plan } = store.of('trial').create({ ...exampleOf(trialFields), start: START, days: 40 });
  for (const [i, arm] of armsOf(plan.seed, 24).entries())
    recordTrialDay(
      store,
      { id, ...plan },
      on(i),
      { first: 6, second: arm === 'a' ? 2 : 7 + (i % 2), done: true },
      (input) => input as Omit<TrialDay, 'id'>,
      on(i),
    );
  const { state } = store.of('trial').get(id);
  for (const { id: day } of store.of('trialDay').list({ sort: 'date', limit: 20 }))
    store.of('trialDay').update(day, { second: 5 });
  const status = trialStatus(store, store.of('trial').get(id), on(24));
  expect([state, status.result?.verdict, status.result?.afterDays, status.passed]).toEqual([
    'finished',
    'open',
    24,
    24,
  ]);
});

test('of the trials of a user, only the one that a report shows is analysed', () => {
  const store = freshStore();
  store.users.create(user());
  for (const start of ['2025-06-01', '2026-01-01'])
    store.of('trial').create({ ...trial, start, seed: 1, state: 'finished' });
  for (let seed = 2; seed < 9; seed++)
    store.of('trial').create({ ...trial, start: '2026-02-01', seed, state: 'given-up' });
  const days = vi.spyOn(store.of('trialDay'), 'list');
  const shown = (since: string, until: string) =>
    endedTrial(store, 1, { since, until }, '2026-03-02')?.trial.start;
  expect([shown('2026-01-01', '2026-03-01'), shown('2025-01-01', '2025-12-31')]).toEqual([
    '2026-01-01',
    '2025-06-01',
  ]);
  expect(days).toHaveBeenCalledTimes(2);
});
