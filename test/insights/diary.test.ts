import { expect, test } from 'vitest';
import type { Log } from '../../src/domain/log.ts';
import { dayOf } from '../../src/domain/words/day.ts';
import { compareTallies } from '../../src/insights/compare.ts';
import type { Period } from '../../src/insights/days.ts';
import type { Entry } from '../../src/insights/pain-days.ts';
import { summarize, type Tally, tallyOf } from '../../src/insights/summary.ts';
import { generator, log } from './helpers.ts';
import { clamp, normal } from './simulation/laws.ts';

/** Monday, 2024-10-07. */
const START = 20_002;

test('a tablet of the morning is no relief by the exercise that often follows it', () => {
  const random = generator(7);
  let marked = 0;
  for (let life = 0; life < 10; life += 1) {
    const [logs, entries]: [Log[], Entry[]] = [[], []];
    for (let day = 0; day < 200; day += 1) {
      const which = Math.floor(4 * random());
      const isTaken = random() < (which === 0 ? 0.6 : 0.15);
      const [date, exerciseName] = [dayOf(START + day), `${which}`];
      const painBefore = clamp(5.5 + 1.5 * normal(random));
      const moved = 0.3 * (5.5 - painBefore) - 0.3 - (isTaken ? 2 : 0);
      const painAfter = clamp(painBefore + moved + normal(random));
      logs.push(log({ date, exerciseName, painBefore, painAfter }));
      if (isTaken)
        entries.push({ id: day, date, pain: painBefore, timeOfDay: 'morning', medication: 'ibuprofen' });
    }
    if (summarize(logs, {}, entries).exercises.some(({ claim }) => claim !== null)) marked += 1;
  }
  expect(marked).toBe(0);
});

test.each<[taken: string, entry: Partial<Entry> | null, first: string | undefined, sessions: number]>([
  ['in the morning', { timeOfDay: 'morning', medication: 'para' }, undefined, 2],
  ['at no time that is known', { medication: 'para' }, undefined, 2],
  ['in the evening', { timeOfDay: 'evening', medication: 'para' }, undefined, 0],
  ['before the first session', null, 'para', 2],
  ['not at all', { timeOfDay: 'morning' }, undefined, 0],
])('medication taken %s', (_, entry, medication, sessions) => {
  const date = '2026-03-02';
  const logs = [log({ date, ...(medication && { medication }) }), log({ date })];
  const entries = entry ? [{ id: 1, date, pain: 6, ...entry }] : [];
  const found = summarize(logs, {}, entries).exercises[0]?.medication;
  expect(found).toEqual(sessions > 0 ? { name: 'para', sessions, meanChange: -2, without: null } : null);
});

test.each([
  ['evening', 'is no value before it', true],
  ['morning', 'tells days with the exercise from all others', false],
] as const)('an entry of the %s of each day with the exercise %s', (timeOfDay, _, isTold) => {
  const random = generator(3);
  const [logs, entries]: [Log[], Entry[]] = [[], []];
  for (let day = 0; day < 60; day += 1) {
    const [date, pain] = [dayOf(START + day), clamp(5.5 + 1.5 * normal(random))];
    const isExercised = random() < 0.5;
    if (isExercised) logs.push(log({ date, painBefore: pain }));
    entries.push({ id: day, date, pain, ...(isExercised && { timeOfDay }) });
  }
  expect(summarize(logs, {}, entries).exercises[0]?.dayAfter !== null).toBe(isTold);
});

test('an entry at no time that is known comes before the sessions of its day, as one of the morning', () => {
  const exercisesWith = (timeOfDay?: 'morning' | 'evening') => {
    const random = generator(3);
    const [logs, entries]: [Log[], Entry[]] = [[], []];
    for (let day = 0; day < 60; day += 1) {
      const [date, pain] = [dayOf(START + day), clamp(5.5 + 1.5 * normal(random))];
      if (random() < 0.5) logs.push(log({ date, painBefore: clamp(pain + normal(random)) }));
      entries.push({ id: day, date, pain, ...(timeOfDay && { timeOfDay }) });
    }
    return summarize(logs, {}, entries).exercises;
  };
  expect(exercisesWith()).toEqual(exercisesWith('morning'));
  expect(exercisesWith()).not.toEqual(exercisesWith('evening'));
});

test.each([
  [4, false],
  [5, true],
])('%i days without an exercise tell of the day after it: %s', (days, isTold) => {
  const random = generator(5);
  const [logs, entries]: [Log[], Entry[]] = [[], []];
  for (let day = 0; day < 60; day += 1) {
    const [date, pain] = [dayOf(START + day), clamp(5.5 + 1.5 * normal(random))];
    if (day % 10 === 5 && day < 10 * days) entries.push({ id: day, date, pain });
    else logs.push(log({ date, painBefore: pain }));
  }
  expect(summarize(logs, {}, entries).exercises[0]?.dayAfter !== null).toBe(isTold);
});

test('days with exercise only, then days without only, cannot be compared', () => {
  const logs = Array.from({ length: 20 }, (_, i) => log({ date: dayOf(START + i), painBefore: 8 }));
  const entries = Array.from({ length: 20 }, (_, i) => ({ id: i, date: dayOf(START + 20 + i), pain: 3 }));
  const [first, second] = [0, 20].map((from) => ({
    since: dayOf(START + from),
    until: dayOf(START + from + 19),
  })) as [Period, Period];
  const tallies = [first, second].map((period) => tallyOf(logs, period, entries)) as [Tally, Tally];
  const { painBefore } = compareTallies(tallies, [first, second]);
  expect(painBefore).toEqual({ first: 8, second: 3, difference: -5, interval: [-9, 9], shift: 'unclear' });
});
