import { expect, test } from 'vitest';
import type { Log } from '../../src/domain/log.ts';
import { dayOf } from '../../src/domain/words/day.ts';
import type { Entry } from '../../src/insights/pain-days.ts';
import { summarize } from '../../src/insights/summary.ts';
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
