import { expect, test } from 'vitest';
import { type Entry, painDays } from '../../src/insights/pain-days.ts';
import { tallyOf } from '../../src/insights/summary.ts';
import { log } from './helpers.ts';

const date = '2026-03-02';
const entry = (given: Partial<Entry>): Entry => ({ id: 1, date, pain: 5, ...given });
const done = (id: number, painBefore: number, painAfter: number, medication?: string) =>
  log({ id, date, painBefore, painAfter, ...(medication !== undefined && { medication }) });

test.each<[string, Entry[], ReturnType<typeof done>[], number]>([
  [
    'the morning, whatever the order of entry',
    [entry({ pain: 2, timeOfDay: 'night' }), entry({ id: 2, pain: 5, timeOfDay: 'morning' })],
    [],
    5,
  ],
  [
    'a session, whatever was felt in the morning',
    [entry({ pain: 3, timeOfDay: 'morning' })],
    [done(1, 6, 4)],
    6,
  ],
  [
    'the evening before the night',
    [entry({ pain: 3, timeOfDay: 'night' }), entry({ timeOfDay: 'evening' })],
    [],
    5,
  ],
  ['the first session, its pain before', [], [done(2, 7, 1), done(1, 6, 4)], 7],
])('the pain that counts of a day is %s', (_, entries, sessions, first) => {
  expect(painDays(entries, sessions)).toMatchObject([{ first }]);
  expect(tallyOf(sessions, {}, entries).pains.get(date)?.pain).toBe(first);
});

test('a day has the worst of its pain, its sessions, and what was taken, each once; days are in order', () => {
  const entries = [
    entry({ date: '2026-03-03', pain: 4 }),
    entry({ pain: 2, timeOfDay: 'night', medication: 'ibuprofen' }),
    entry({ id: 2, pain: 8, medication: 'para' }),
  ];
  expect(painDays(entries, [done(1, 6, 4, 'ibuprofen'), done(2, 3, 9)])).toEqual([
    { date, pain: 9, first: 6, sessions: 2, medication: ['para', 'ibuprofen'] },
    { date: '2026-03-03', pain: 4, first: 4, sessions: 0, medication: [] },
  ]);
});
