import { expect, test } from 'vitest';
import { comparisonOf } from '../../src/cases/summary.ts';
import { summaryScreen } from '../../src/cli/views/summary.ts';
import type { ExerciseType, Log } from '../../src/domain/log.ts';
import { dayOf } from '../../src/domain/words/day.ts';
import { versusOthers } from '../../src/insights/comparisons.ts';
import type { Marks } from '../../src/insights/marks.ts';
import { buildReport } from '../../src/insights/report/report.ts';
import { documentOf } from '../../src/insights/report/sections.ts';
import { summarize } from '../../src/insights/summary.ts';
import { resultSentence } from '../../src/insights/trial.ts';
import { openStore } from '../../src/store/store.ts';
import { nora, prepared, TODAY } from '../helpers.ts';
import { user } from '../samples.ts';
import { generator, log } from './helpers.ts';

/** Words that contradict figures, or each other, found with diaries of every kind. */

const FIRST = 20_500;

const session = (
  exerciseName: string,
  day: number,
  [painBefore, painAfter]: readonly [number, number],
  exerciseType: ExerciseType = 'stretch',
): Log => log({ exerciseName, exerciseType, date: dayOf(FIRST + day), painBefore, painAfter });

const canvas = {
  width: 80,
  palette: { relief: (text: string) => text, aggravation: (text: string) => text },
};

const screenOf = (logs: readonly Log[], entries: Parameters<typeof summarize>[2] = []): string =>
  summaryScreen('N', summarize(logs, {}, entries), canvas, (text) => text)
    .join(' ')
    .replace(/\s+/g, ' ');

const days = (n: number) => Array.from({ length: n }, (_, i) => i);

test('a comparison with everything before a day has the pain entries before the first and after the last session', async () => {
  const path = prepared((store) => {
    const { id: userId } = store.users.create(nora);
    for (const i of days(60)) {
      const date = dayOf(Date.parse(`${TODAY}T00:00:00Z`) / 86_400_000 - 59 + i);
      store.of('painEntry').create({ userId, date, pain: i < 30 ? 8 : 3 });
      if (i >= 10 && i < 20) {
        const { id: _, ...one } = log({ userId, date });
        store.logs.create(one);
      }
    }
  });
  const store = openStore(path);
  try {
    const before = dayOf(Date.parse(`${TODAY}T00:00:00Z`) / 86_400_000 - 29);
    const { first, second } = await comparisonOf(store, 1, { before }, TODAY);
    expect([first.level?.days, second.level?.days]).toEqual([30, 30]);
  } finally {
    store.close();
  }
});

test('beside ✖ there is no “more relief than your others”', () => {
  const random = generator(3);
  const logs = days(200).map((i) => {
    const [name, by] = (
      [
        ['A', 3],
        ['B', 1],
        ['C', 0],
      ] as const
    )[Math.floor(3 * random())] ?? ['A', 3];
    const before = 3 + Math.floor(4 * random());
    return session(name, i, [before, Math.min(10, before + by)]);
  });
  const { exercises } = summarize(logs);
  expect(exercises.map(({ claim }) => claim)).toContain('harms');
  expect(screenOf(logs)).not.toMatch(/✖ B \w+, more relief than your others/);
});

test('not all are followed by less pain where after one of two sessions there was more', () => {
  const logs = [
    ...days(9).flatMap((i) => [session('A', 2 * i, [7, 3]), session('B', 2 * i + 1, [6, 4])]),
    ...[20, 21].map((i) => session('C', i, [5, 7])),
  ];
  expect(screenOf(logs)).not.toContain('All are followed by less pain');
});

test('two months with a fall between them do not stand beside “Rising” without the rise', () => {
  const logs = [
    ...days(30).map((i) => session('A', 13 + i, [3 + (i % 3), 3])),
    ...days(8).map((i) => session('A', 44 + i, [2 + (i % 3), 3])),
    ...[344, 345].map((i) => session('A', i, [10, 9])),
  ];
  expect(screenOf(logs)).not.toContain('4.0 in March, 2.9 in April. Rising.');
});

test('an exercise of two types with a long name, or with a name written in two ways, is told apart', () => {
  for (const [one, other] of [
    ['Stretching of the piriformis on the chair, left', 'Stretching of the piriformis on the chair, left'],
    ['Pont\u00e9', 'Ponte\u0301'],
  ] as const) {
    const logs = days(8).flatMap((i) => [
      session(one, 2 * i, [6, 4]),
      session(other, 2 * i + 1, [4, 6], 'strengthening'),
    ]);
    const [{ blocks } = { blocks: [] }] = documentOf(buildReport({ id: 1, ...user }, logs)).sections;
    const names = blocks.flatMap((block) =>
      block.kind === 'bars'
        ? block.groups.flatMap(({ rows }) => rows.map(({ name }) => name.normalize()))
        : [],
    );
    expect(new Set(names).size).toBe(2);
  }
});

test('rises are counted by exercise as the table counts it', () => {
  const logs = [
    ...days(8).flatMap((i) => [session('Plank', i, [4, 6]), session('Plank', i, [4, 6], 'strengthening')]),
    ...[20, 21].flatMap((i) => [session('Bird Dog', i, [3, 5]), session('Bird  Dog', i, [3, 5])]),
  ];
  const [{ blocks } = { blocks: [] }] = documentOf(buildReport({ id: 1, ...user }, logs)).sections;
  const said = blocks.flatMap((block) => (block.kind === 'tiles' ? (block.tiles.at(-1)?.lines ?? []) : []));
  expect(said.join(' ')).not.toContain('Plank (16)');
  expect(said.join(' ')).not.toContain('Bird Dog (2) and');
});

/** An exercise on half of the days at random, which adds to the pain of the next day. */
function effectOnNextDay(n: number, by: (day: number) => number) {
  const random = generator(6);
  const done = days(n).map(() => random() < 0.5);
  const pains = days(n).map((i) =>
    Math.min(10, Math.max(1, Math.round(4 + (done[i - 1] ? by(i) : 0) + 3 * (random() - 0.5)))),
  );
  const sessions = days(n).flatMap((i) => (done[i] ? [session('A', i, [pains[i] ?? 4, pains[i] ?? 4])] : []));
  const entries = days(n).map((i) => ({
    id: i,
    date: dayOf(FIRST + i),
    pain: pains[i] ?? 4,
    timeOfDay: 'morning' as const,
  }));
  return { sessions, entries, onOtherDays: entries.filter((_, i) => !done[i]) };
}

test('“worse the next day” stays where the difference becomes less than a point', () => {
  const { sessions, onOtherDays } = effectOnNextDay(200, (day) => (day < 60 ? 2 : 0.3));
  const [{ dayAfter } = { dayAfter: null }] = summarize(sessions, {}, onOtherDays).exercises;
  expect(dayAfter?.difference).toBeLessThan(1);
  expect(dayAfter?.worse).toBe(true);
});

test('the day after an exercise is unknown where a second pain on its days only tells them from others', () => {
  const { sessions, entries, onOtherDays } = effectOnNextDay(200, () => 3);
  const found = (those: typeof entries) => summarize(sessions, {}, those).exercises[0]?.dayAfter;
  expect(found(onOtherDays)?.worse).toBe(true);
  expect(found(entries)).toBeNull();
});

test('a trial says 1 day', () => {
  const result = {
    verdict: 'open',
    difference: 2,
    interval: [-2.5, 6.5],
    withIt: 1,
    without: 3,
    afterDays: 14,
  } as const;
  expect(resultSentence({ outcome: 'hour', difference: 1 }, result)).toContain('On 1 day with it');
});

test('a difference beyond the scale is cut as its interval is', () => {
  const [sharedNumbers, far] = [new Set(), { value: -9.6, deviation: 0.1, size: 30, freedom: 29 }];
  const marks = { sharedNumbers, comparable: () => [1], contrast: () => far, robustContrast: () => far };
  const { difference, interval } = versusOthers(marks as unknown as Marks, [30, 30], 0);
  expect([difference, interval]).toEqual([-9, [-9, -9]]);
});
