import { describe, expect, test } from 'vitest';
import { addDays, dayOf } from '../../src/domain/words/day.ts';
import { summarizePlaces } from '../../src/insights/by-location.ts';
import type { Entry } from '../../src/insights/pain-days.ts';
import { responseRules } from '../../src/insights/rules.ts';
import { summarize } from '../../src/insights/summary.ts';
import { weeklyMedians } from '../../src/insights/text-charts.ts';
import { log } from './helpers.ts';

const on = (date: string, painBefore = 5, more = {}) =>
  log({ date, painBefore, painAfter: painBefore, ...more });

describe('a summary', () => {
  test('of no logs says so in every figure', () => {
    expect(summarize([])).toMatchObject({
      sessions: 0,
      overall: null,
      exercises: [],
      pain: null,
      rhythm: null,
      asOf: null,
    });
  });

  const entry = (day: number, timeOfDay?: Entry['timeOfDay']): Entry => ({
    id: day,
    date: dayOf(20_000 + day),
    pain: 5,
    ...(timeOfDay && { timeOfDay }),
  });
  const twice = (day: number) => [entry(day, 'evening'), entry(day, 'evening')];
  test.each<[name: string, entries: Entry[], expected: number]>([
    ['recorded twice in one part of the day', twice(0), 1],
    ['recorded in the morning too', [entry(0, 'morning'), ...twice(0)], 1],
    ['recorded twice, hours apart', [entry(0, 'morning'), entry(0, 'evening')], 0],
    ['recorded twice at times that are not known', [entry(0), entry(0)], 0],
    ['recorded twice on a day with exercise', twice(9), 0],
    ['once on days before that', [entry(0, 'night'), entry(1, 'night'), ...twice(2)], 1],
    ['once on one of five days', [0, 1, 2, 3].flatMap(twice).concat(entry(4, 'night')), 4],
    [
      'once on one of four days, where it had not changed',
      [0, 1, 2].flatMap(twice).concat(entry(4, 'night')),
      0,
    ],
  ])('control days, pain %s', (_, entries, expected) => {
    expect(summarize([on(dayOf(20_009))], {}, entries).controlDays).toBe(expected);
  });

  test('leaves out what is outside the period', () => {
    const logs = [on('2026-01-01'), on('2026-01-02'), on('2026-01-03'), on('2026-01-04')];
    const entries = ['2026-01-01', '2026-01-04'].map((date, id) => ({ id, date, pain: 9 }));
    expect(summarize(logs, { since: '2026-01-02', until: '2026-01-03' }, entries)).toMatchObject({
      sessions: 2,
      pain: { days: 2 },
      since: '2026-01-02',
      until: '2026-01-03',
      asOf: '2026-01-03',
    });
  });

  test('names days that can be written, even at the ends of the calendar', () => {
    const { pain } = summarize([on('0000-01-01'), on('0000-01-04'), on('9999-12-31')]);
    expect(pain?.weeks.map(({ week }) => week)).toEqual(['0000-01-01', '0000-01-03', '9999-12-27']);
    expect(weeklyMedians(pain?.weeks.slice(0, 2) ?? [])).toEqual([5, 5]);
    const { pain: first } = summarize([on('0000-01-01')]);
    expect(first?.previous4Weeks).toMatchObject({ since: '0000-01-01', until: '0000-01-01' });
  });

  test('is the same in whatever order the days come', () => {
    const [one, two] = [
      on('2026-01-01', 7),
      on('2026-01-02', 4, { exerciseName: 'Bird Dog', painAfter: 2, medication: 'ibuprofen' }),
    ];
    expect(summarize([two, two, one, one, one])).toEqual(summarize([one, two, one, two, one]));
  });

  test('of 200,000 logs takes a moment', () => {
    function* many() {
      for (let i = 0; i < 200_000; i += 1)
        yield on(new Date(Date.UTC(1990, 0, 1 + (i % 9_000))).toISOString().slice(0, 10), 1 + (i % 10));
    }
    const { pain, sessions } = summarize(many());
    expect(sessions).toBe(200_000);
    expect(pain).toMatchObject({ days: 9_000, direction: 'unclear' });
  });
});

describe('the trend', () => {
  test('falls by half a point a week', () => {
    const logs = [10, 9, 8, 7, 6, 5, 4, 3].map((pain, i) =>
      on(`2026-0${1 + Math.floor(i / 2)}-${i % 2 ? '15' : '01'}`, pain),
    );
    const { pain } = summarize(logs);
    expect(pain?.slopePerWeek).toBeCloseTo(-0.46, 1);
    expect(pain?.direction).toBe('falling');
  });

  test('is too few to say below 6 days, however many sessions', () => {
    const logs = Array.from({ length: 20 }, (_, i) => on(`2026-01-0${1 + (i % 5)}`, 10 - (i % 5)));
    expect(summarize(logs).pain).toMatchObject({
      days: 5,
      slopePerWeek: null,
      interval: null,
      direction: 'too-few',
    });
  });

  test.each([
    [8, 42, true],
    [7, 42, false],
    [8, 41, false],
  ])('of %i days over %i days has a slope: %s', (count, span, expected) => {
    const days = [...Array(count - 1).keys(), span - 1];
    const logs = days.map((n) => on(new Date(Date.UTC(2026, 0, 1 + n)).toISOString().slice(0, 10), 5));
    expect(summarize(logs).pain?.slopePerWeek !== null).toBe(expected);
  });

  test('is of the pain before the first session, and of the first entry of a day without', () => {
    const entries = [
      { id: 1, date: '2026-03-02', pain: 3 },
      { id: 2, date: '2026-03-03', pain: 2, timeOfDay: 'evening' as const },
      { id: 3, date: '2026-03-04', pain: 8, timeOfDay: 'night' as const },
      { id: 4, date: '2026-03-04', pain: 4, timeOfDay: 'morning' as const },
    ];
    const { pain, level } = summarize([on('2026-03-02', 6), on('2026-03-03', 7)], {}, entries);
    expect(pain?.weeks).toEqual([{ week: '2026-03-02', sessions: 2, median: 6 }]);
    expect(level).toMatchObject({ days: 3, sessions: 2, mean: 5.6667 });
  });

  test('is of days: the median of a week, the days of a month, and no interval beyond the scale', () => {
    const logs = [on('2026-03-02', 1), on('2026-03-03', 2), on('2026-03-03', 9), on('2026-03-04', 9)];
    const { pain, level } = summarize(logs);
    expect(pain?.weeks).toEqual([{ week: '2026-03-02', sessions: 4, median: 2 }]);
    expect(pain?.months).toEqual([{ month: '2026-03', sessions: 4, days: 3, mean: 4 }]);
    expect(level?.interval?.[0]).toBe(1);
  });

  test('weekly medians from Mondays; the last 4 weeks up to the day asked for, and the 4 before', () => {
    const logs = [
      on('2026-03-01', 8),
      on('2026-03-02', 4),
      on('2026-03-08', 6),
      on('2026-03-09', 5),
      on('2026-04-05', 3),
    ];
    const { pain } = summarize(logs, { until: '2026-04-05' });
    expect(pain?.weeks).toEqual([
      { week: '2026-02-23', sessions: 1, median: 8 },
      { week: '2026-03-02', sessions: 2, median: 5 },
      { week: '2026-03-09', sessions: 1, median: 5 },
      { week: '2026-03-30', sessions: 1, median: 3 },
    ]);
    expect(pain?.last4Weeks).toMatchObject({
      since: '2026-03-09',
      until: '2026-04-05',
      sessions: 2,
      median: 4,
      mean: 4,
    });
    expect(pain?.previous4Weeks).toMatchObject({
      since: '2026-02-09',
      until: '2026-03-08',
      sessions: 3,
      mean: 6,
    });
    expect(pain?.change).toBe(-2);
  });
});

test.each([
  ['2026-02-08', 3, 20],
  ['2026-02-09', 3, 20],
  ['2026-02-10', null, 0],
  ['2026-03-20', null, 0],
  [undefined, 3, 20],
])('since %s, weeks that the period does not hold whole are compared with none', (since, change, days) => {
  const before = Array.from({ length: 20 }, (_, i) => on(addDays('2026-02-12', i), 3));
  const last = Array.from({ length: 20 }, (_, i) => on(addDays('2026-03-17', i), 6));
  const { pain } = summarize([...before, ...last], { since });
  expect(pain).toMatchObject({ change, previous4Weeks: { since: '2026-02-09', until: '2026-03-08', days } });
  expect(pain?.changeInterval === null).toBe(change === null);
});

describe('the rhythm', () => {
  test('worked by hand', () => {
    // 2026-03-02 is a Monday. Sessions: 2 in the first week, none in the second, 1 in the third.
    const logs = [on('2026-03-02'), on('2026-03-02'), on('2026-03-18')];
    const target = { perWeek: 2, counts: 'sessions' } as const;
    const period = { since: '2026-03-01', until: '2026-03-22' };
    expect(summarize(logs, { ...period, target }).rhythm).toEqual({
      days: 2,
      sessionsPerWeek: 0.9545, // 3 in 22 days
      daysPerWeek: 0.6364,
      longestGap: { days: 16, from: '2026-03-02', to: '2026-03-18' },
      daysSinceLast: 4,
      target: { perWeek: 2, counts: 'sessions', weeks: 3, weeksReached: 1, until: '2026-03-22' },
    });
    const inDays = summarize(logs, { ...period, target: { perWeek: 2, counts: 'days' } });
    expect(inDays.rhythm?.target).toMatchObject({ counts: 'days', weeksReached: 0 });
  });
  test('a day with pain but no session is none of its days', () => {
    const target = { perWeek: 1, counts: 'days' } as const;
    const period = { since: '2026-03-02', until: '2026-03-15', target };
    const pain = [{ id: 1, date: '2026-03-11', pain: 4 }];
    expect(summarize([on('2026-03-03')], period, pain).rhythm).toMatchObject({
      days: 1,
      daysPerWeek: 0.5,
      longestGap: null,
      daysSinceLast: 12,
      target: { weeks: 2, weeksReached: 1 },
    });
  });

  test('nor does it stretch the period, which the pain may leave', () => {
    const pain = [
      { id: 1, date: '2026-01-01', pain: 9 },
      { id: 2, date: '2026-04-30', pain: 2 },
    ];
    const summary = summarize([on('2026-03-02'), on('2026-03-15')], {}, pain);
    expect(summary).toMatchObject({
      since: '2026-03-02',
      until: '2026-03-15',
      asOf: '2026-04-30',
      rhythm: { sessionsPerWeek: 1, daysSinceLast: 46 },
      pain: { last4Weeks: { until: '2026-04-30' } },
      level: { since: '2026-01-01', until: '2026-04-30', days: 4 },
    });
    expect(summarize([], {}, pain)).toMatchObject({ since: '2026-01-01', until: '2026-04-30' });
  });

  test('the longest gap is the first of equals, and from one day to the next', () => {
    const gapOf = (...dates: string[]) => summarize(dates.map((date) => on(date))).rhythm?.longestGap;
    expect(gapOf('2026-03-07', '2026-03-01', '2026-03-04')).toEqual({
      ...{ days: 3, from: '2026-03-01', to: '2026-03-04' },
    });
    expect(gapOf('2026-03-01', '2026-03-02')).toEqual({ days: 1, from: '2026-03-01', to: '2026-03-02' });
  });

  test('within one week no week is whole', () => {
    const target = { perWeek: 1, counts: 'sessions' } as const;
    const options = { since: '2026-03-03', until: '2026-03-05', target };
    expect(summarize([on('2026-03-04')], options).rhythm).toMatchObject({
      daysSinceLast: 1,
      target: { weeks: 0, weeksReached: 0, until: null },
    });
  });

  test.each<[string | undefined, string, string | null, number]>([
    [undefined, '2026-03-02', null, 0],
    [undefined, '2026-03-15', '2026-03-08', 1],
    [undefined, '2026-03-16', '2026-03-15', 2],
    [undefined, '2026-04-12', '2026-04-05', 5],
    ['2026-03-15', '2026-03-15', '2026-03-08', 1],
    ['2026-03-15', '2026-03-16', '2026-03-15', 2],
    ['2026-03-22', '2026-04-12', '2026-03-22', 3],
  ])('up to %s on %s the last week that is over ended on %s: %i of them', (until, today, sunday, weeks) => {
    const target = { perWeek: 1, counts: 'sessions' } as const;
    const days = ['2026-03-02', '2026-03-13'].filter((day) => day <= today);
    const { rhythm } = summarize(
      days.map((day) => on(day)),
      { until, today, target },
    );
    expect(rhythm?.target).toMatchObject({ weeks, weeksReached: Math.min(weeks, 2), until: sunday });
  });

  test('a period under a week counts as one', () => {
    expect(summarize([on('2026-03-02')]).rhythm).toMatchObject({
      sessionsPerWeek: 1,
      longestGap: null,
      daysSinceLast: 0,
    });
  });
});

test('by place, each patient counts once', () => {
  const users = [1, 2, 3].map((id) => ({ id, painLocation: 'calf-left' as const }));
  const logs = [
    ...Array.from({ length: 10 }, () => log({ userId: 1, painBefore: 6, painAfter: 2 })),
    log({ userId: 2, painBefore: 6, painAfter: 5 }),
    log({ userId: 3, painBefore: 6, painAfter: 7 }),
    log({ userId: 99 }),
  ];
  expect(summarizePlaces(users, logs, responseRules.default)).toEqual([
    {
      painLocation: 'calf-left',
      patients: 3,
      sessions: 12,
      exercises: [
        expect.objectContaining({
          patients: 3,
          patientsLower: 2,
          meanChange: -1.3333,
          rank: 1,
          verdict: 'open',
          direction: null,
        }),
      ],
    },
  ]);
});

test('by place, by a rule', () => {
  const users = [1, 2].map((id) => ({ id, painLocation: 'calf-left' as const }));
  const logs = [
    log({ userId: 1, painBefore: 4, painAfter: 3 }),
    log({ userId: 1, painBefore: 4, painAfter: 4, exerciseName: 'Other' }),
    log({ userId: 2, painBefore: 4, painAfter: 3, exerciseName: 'Other' }),
    log({ userId: 2, painBefore: 4, painAfter: 4 }),
    log({ userId: 2, painBefore: 4, painAfter: 4 }),
  ];
  const [place, ...others] = summarizePlaces(users, logs, responseRules.radicular);
  expect(others).toEqual([]);
  expect(place).toMatchObject({ patients: 2, sessions: 5 });
  expect(
    place?.exercises.map(({ exerciseName, patientsLower, responded }) => [
      exerciseName,
      patientsLower,
      responded,
    ]),
  ).toEqual([
    ['Piriformis Stretch', 1, 0.3333],
    ['Other', 1, 0.5],
  ]);
});

test('by place, the order counts patients, not sessions', () => {
  const users = Array.from({ length: 12 }, (_, i) => ({ id: i + 1, painLocation: 'calf-left' as const }));
  const done = (exerciseName: string, ids: readonly number[], change: number, times = 1) =>
    ids.flatMap((userId) =>
      Array.from({ length: times }, () =>
        log({ userId, exerciseName, painBefore: 6, painAfter: 6 + change }),
      ),
    );
  // By patients the mean of all is −1.2, and −3 × 3/5 − 1.2 × 2/5 = −2.28 stands before −1.85. By sessions it
  // would be +2.8, and −0.68 behind −1.13.
  const logs = [
    ...done('Few', [1, 2, 3], -3, 1),
    ...done('Many', [4, 5, 6, 7, 8, 9, 10, 11, 12], -2, 1),
    ...done('Rest', [1, 2, 3], 3, 100),
  ];
  const [place] = summarizePlaces(users, logs, responseRules.default);
  expect(place?.exercises.map(({ exerciseName }) => exerciseName)).toEqual(['Few', 'Many', 'Rest']);
});
