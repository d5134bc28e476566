import { describe, expect, test } from 'vitest';
import type { Log } from '../../src/domain/log.ts';
import { dayOf } from '../../src/domain/words/day.ts';
import type { ExerciseSummary } from '../../src/insights/shapes.ts';
import { summarize } from '../../src/insights/summary.ts';
import { sideOf } from '../../src/insights/verdict.ts';
import { generator, log, logsOf } from './helpers.ts';

const times = (n: number, change: number) => Array<number>(n).fill(change);
/** Every other day from the first or from the second on. */
const everyOther = (logs: readonly Log[], from: 0 | 1) =>
  logs.map((each, i) => ({ ...each, date: dayOf(20_454 + 2 * i + from) }));
const others = (n: number, change = 0) =>
  everyOther(
    logsOf(
      Array.from({ length: n }, (_, i) => change + (i % 3) - 1),
      { exerciseName: 'Others' },
    ),
    1,
  );
const of = (logs: readonly Log[], name = 'Piriformis Stretch'): ExerciseSummary => {
  const found = summarize(logs).exercises.find(({ exerciseName }) => exerciseName === name);
  if (!found) throw new Error(`There is no ${name}.`);
  return found;
};

/** The first of so many days after which something is said. */
const firstDay = (days: number, isSaid: (count: number) => boolean) =>
  Array.from({ length: days }, (_, i) => i + 1).find(isSaid);

describe('the verdict', () => {
  test.each([
    [[-9, -9], 'too-few', null],
    [[-2, -2, -2], 'likely', 'less'],
    [[2, 2, 2], 'likely', 'more'],
    [[-1, -1, -1], 'open', null],
    [times(4, -2), 'likely', 'less'],
    [times(5, -2), 'clear', 'less'],
    [times(5, 2), 'clear', 'more'],
    [[-1, 1, -1, 1, 0, 0], 'open', null],
  ])('of changes %j is %s, %s', (changes, verdict, direction) => {
    expect(of(logsOf(changes, { painBefore: changes.includes(-9) ? 10 : 5 }))).toMatchObject({
      verdict,
      direction,
    });
  });

  test('of one exercise is more careful where the others vary much', () => {
    const wild = logsOf([-4, 4, -4, 4, -4, 4, -4, 4], { exerciseName: 'Wild' });
    expect(of(logsOf(times(6, -2))).verdict).toBe('clear');
    expect(of([...logsOf(times(6, -2)), ...wild]).verdict).toBe('open');
  });

  test.each([
    [[-2, -0.1], 'less'],
    [[-2, 0], null],
    [[0, 2], null],
    [[0.1, 2], 'more'],
  ] as const)('of an interval of %j is %s', (interval, side) => expect(sideOf(interval)).toBe(side));

  test('holds nothing that the scale has no room for', () => {
    const { interval, sequence } = of(logsOf(times(3, -9), { painBefore: 10 }));
    expect([interval[0], sequence?.[0]]).toEqual([-9, -9]);
  });
});

describe('compared with the other exercises', () => {
  test.each([
    [3, 8, 'open'],
    [2, 8, 'too-few'],
    [3, 7, 'too-few'],
  ])('%i sessions against %i of others are %s', (own, rest, verdict) => {
    const { versusOthers } = of([...everyOther(logsOf(times(own, -1)), 0), ...others(rest)]);
    expect(versusOthers.verdict).toBe(verdict);
    expect(versusOthers.difference === null).toBe(verdict === 'too-few');
    expect(versusOthers.interval === null).toBe(verdict === 'too-few');
  });

  test.each([
    [-3, 'more'],
    [3, 'less'],
    [0, 'open'],
  ])('a change of %i where the others change nothing is %s relief', (change, verdict) => {
    const { versusOthers } = of([...everyOther(logsOf(times(21, change)), 0), ...others(21)]);
    expect(versusOthers.verdict).toBe(verdict);
    expect(versusOthers.difference).toBeCloseTo(change, 1);
  });

  test('at the same pain before: bad days that get better by themselves are no relief', () => {
    // Whatever is done, pain goes halfway back to 5; the exercise is done on the bad days.
    const after = (before: number, i: number) =>
      5 + Math.round((before - 5) / 2) + (Math.floor(i / 6) % 3) - 1;
    const sessions = (name: string, befores: readonly number[]) =>
      Array.from({ length: 24 }, (_, i) => {
        const painBefore = befores[i % befores.length] ?? 5;
        return log({ exerciseName: name, painBefore, painAfter: after(painBefore, i) });
      });
    const { meanChange, verdict, versusOthers } = of([
      ...sessions('Piriformis Stretch', [7, 9]),
      ...sessions('Others', [3, 5, 7]),
    ]);
    expect([meanChange, verdict]).toEqual([-1.75, 'clear']);
    expect(versusOthers.verdict).toBe('open');
    expect(versusOthers.difference).toBeCloseTo(0, 0);
  });

  test('exercises of weekends only are compared with each other', () => {
    const weekends = (changes: readonly number[], exerciseName: string, from: number) =>
      logsOf(changes, { exerciseName }).map((each, i) => ({
        ...each,
        date: new Date(Date.UTC(2026, 0, from + 14 * Math.floor(i / 2) + (i % 2))).toISOString().slice(0, 10),
      }));
    const logs = [...weekends(times(20, -3), 'A', 3), ...weekends(times(20, 0), 'B', 10)];
    expect([of(logs, 'A').versusOthers.verdict, of(logs, 'B').versusOthers.verdict]).toEqual([
      'more',
      'less',
    ]);
  });

  test.each([
    ['one pair of numbers for both on every day', 24, 0, true],
    ['one pair on half of the days on which pain changed', 12, 12, true],
    ['one pair on fewer', 11, 13, false],
    ['one pair on fewer than three days', 2, 0, false],
  ])('where the diary has %s', (_, together, apart, isShared) => {
    const day = (i: number, after: readonly number[]) =>
      ['First', 'Second'].map((exerciseName, place) =>
        log({ exerciseName, date: dayOf(20_454 + i), painBefore: 6, painAfter: after[place] ?? 6 }),
      );
    const days = (count: number, from: number, after: readonly number[]) =>
      Array.from({ length: count }, (_, i) => day(from + i, after)).flat();
    // A pain that stays is no pair of numbers that was given for both.
    const logs = [...days(together, 0, [4, 4]), ...days(apart, 30, [4, 3]), ...days(10, 60, [6, 6])];
    for (const name of ['First', 'Second']) {
      const { sharesNumbers, versusOthers } = of(logs, name);
      expect([sharesNumbers, isShared && versusOthers.verdict]).toEqual([isShared, isShared && 'too-few']);
    }
  });

  test('twice the same numbers of one exercise, or on two days, are not shared', () => {
    const twice = Array.from({ length: 20 }, (_, i) => log({ date: dayOf(20_454 + Math.floor(i / 2)) }));
    const turns = Array.from({ length: 20 }, (_, i) =>
      log({ exerciseName: `${i % 2}`, date: dayOf(20_454 + i) }),
    );
    expect([of(twice).sharesNumbers, of(turns, '0').sharesNumbers]).toEqual([false, false]);
  });

  test('is too few where the pain before alone tells the two apart', () => {
    const bad = logsOf(times(10, -2), { painBefore: 9 });
    const good = logsOf(times(10, 0), { exerciseName: 'Others', painBefore: 3 });
    expect(of([...bad, ...good]).versusOthers).toEqual({
      difference: null,
      interval: null,
      verdict: 'too-few',
    });
  });
});

describe('what is claimed of an exercise', () => {
  /** A diary of one session a day: the exercises in turn, each with its changes from a pain before of 4 to 7. */
  const inTurn = (days: number, changes: Readonly<Record<string, number>>, from = 0) => {
    const names = Object.keys(changes);
    return Array.from({ length: days }, (_, i) => {
      const exerciseName = names[i % names.length] ?? '';
      const painBefore = 4 + ((i * 7 + Math.floor(i / names.length)) % 4);
      const noise = (Math.floor(i / names.length) % 3) - 1;
      const date = new Date(Date.UTC(2026, 0, 1 + from + i)).toISOString().slice(0, 10);
      return log({
        exerciseName,
        date,
        painBefore,
        painAfter: painBefore + (changes[exerciseName] ?? 0) + noise,
      });
    });
  };
  const claims = (logs: readonly Log[]) =>
    Object.fromEntries(summarize(logs).exercises.map(({ exerciseName, claim }) => [exerciseName, claim]));

  test('is a matter of the others: −2 helps among three that do nothing, and nothing can be said among its like', () => {
    expect(claims(inTurn(48, { A: -2, B: 0, C: 0, D: 0 }))).toEqual({
      A: 'helps',
      B: null,
      C: null,
      D: null,
    });
    expect(claims(inTurn(48, { A: -2, B: -2, C: -2, D: -2 }))).toEqual({
      A: null,
      B: null,
      C: null,
      D: null,
    });
    expect(claims(inTurn(48, { A: -2 }))).toEqual({ A: null });
    expect(claims(inTurn(48, { A: 2, B: 0, C: 0, D: 0 }))).toMatchObject({ A: 'harms', B: null });
  });

  test.each<[Readonly<Record<string, number>>, number]>([
    [{ A: -2, B: 0, C: 0, D: 0 }, 25],
    [{ A: -2, B: 0 }, 21],
    [{ A: -1, B: 0 }, 39],
    [{ A: 1, B: -2 }, 45],
    [{ A: -3, B: -1 }, 43],
    [{ A: 2, B: 0, C: 0 }, 25],
    // Where what is left without the best makes pain rise by more than a quarter of a point, and where by less.
    [{ A: 2, B: -2, C: 0, D: 1 }, 57],
    [{ A: 2, B: -1, C: 0, D: 0, E: 0, F: 0, G: 1 }, 36],
  ])('of %j comes on one day, no earlier and no later', (changes, day) => {
    const all = inTurn(60, changes);
    expect(firstDay(60, (count) => Boolean(claims(all.slice(0, count))['A']))).toBe(day);
  });

  test('stays when a better exercise is tried', () => {
    const before = inTurn(60, { A: -2, B: 0, C: 0 });
    expect(claims(before)).toMatchObject({ A: 'helps' });
    const later = inTurn(60, { A: -2, New: -3 }, 60);
    expect(claims([...before, ...later])).toMatchObject({ A: 'helps', B: null });
  });

  test('stays while there is no evidence against it, though there would not be enough to make it', () => {
    const before = inTurn(30, { A: -2, B: 0, C: 0 });
    for (const days of [12, 18])
      expect(claims([...before, ...inTurn(days, { A: 1, B: 0, C: 0 }, 30)])['A']).toBe('helps');
  });

  test('goes when there is evidence against it', () => {
    const before = inTurn(60, { A: -2, B: 0, C: 0 });
    expect(claims([...before, ...inTurn(240, { A: 1, B: 0, C: 0 }, 60)])).toMatchObject({ A: null });
  });

  test('goes when the change at the usual pain is against it, and the others say nothing', () => {
    const later = inTurn(24, { A: 1, B: 0, C: 0 }, 24).map(({ painBefore, painAfter, ...each }) => {
      return { ...each, painBefore: painBefore + 2, painAfter: Math.min(10, painAfter + 2) };
    });
    const before = inTurn(24, { A: -2, B: 1, C: 0 });
    expect([before, [...before, ...later]].map((logs) => claims(logs)['A'])).toEqual(['helps', null]);
  });

  test('is not made of medication that is recorded', () => {
    const taken = (logs: readonly Log[], names: string) =>
      logs.map((each) => (names.includes(each.exerciseName) ? { ...each, medication: 'ibuprofen' } : each));
    const logs = inTurn(96, { A: -2, B: -2, C: 0, D: 0 });
    expect(claims(taken(logs, 'A'))).toEqual({ A: null, B: 'helps', C: null, D: null });
    expect(of(taken(logs, 'A'), 'A').versusOthers.verdict).toBe('too-few');
    expect(claims(taken(logs, 'ABCD'))).toEqual(claims(logs));
    expect(claims(logs)).toEqual({ A: 'helps', B: 'helps', C: null, D: null });
  });

  /** A routine in one order on each of so many days; the first few of them the other way round. */
  const routine = (days: number, turned: number) =>
    Array.from({ length: days }, (_, i) => {
      const order = i < turned ? ['Second', 'First'] : ['First', 'Second'];
      return order.map((exerciseName, place) =>
        log({
          exerciseName,
          date: new Date(Date.UTC(2026, 0, 1 + i)).toISOString().slice(0, 10),
          painBefore: place === 0 ? 6 : 4,
          painAfter: place === 0 ? 4 : 5 + (i % 2),
        }),
      );
    }).flat();

  test('is nothing where one exercise always follows another, and says so', () => {
    const [first, second] = ['First', 'Second'].map((name) => of(routine(30, 0), name));
    expect([first?.claim, second?.claim]).toEqual([null, null]);
    expect([first?.alwaysAfter, second?.alwaysAfter]).toEqual([null, 'First']);
    expect(second?.versusOthers.verdict).toBe('too-few');
    expect(of(routine(30, 2), 'Second').alwaysAfter).toBe('First');
    expect(of(routine(30, 3), 'Second').alwaysAfter).toBeNull();
    expect(of(routine(2, 0), 'Second').alwaysAfter).toBeNull();
    // What was the other way round on one of a few days is not always so.
    expect(of(routine(3, 1), 'Second').alwaysAfter).toBeNull();
    expect(of(routine(9, 1), 'Second').alwaysAfter).toBeNull();
    expect(of(routine(10, 1), 'Second').alwaysAfter).toBe('First');
    const tiedTo = (names: readonly string[]) =>
      of(
        Array.from({ length: 10 }, (_, i) => [names[i % names.length] ?? '', 'Second'])
          .flatMap((order, i) => order.map((exerciseName) => ({ exerciseName, date: `2026-01-${10 + i}` })))
          .map(log),
        'Second',
      ).alwaysAfter;
    expect([tiedTo(['A']), tiedTo(['A', 'B'])]).toEqual(['A', null]);
    expect(of(Array.from({ length: 10 }, () => log())).alwaysAfter, 'itself').toBeNull();
  });

  /** Days with an exercise, after which pain is 2 less, and days without, on which it was recorded twice. */
  const besideRest = (change: number, { medicated = -1, weekend = false, tablet = false } = {}) => {
    const dates = Array.from({ length: 84 }, (_, i) =>
      new Date(Date.UTC(2026, 2, 2 + i)).toISOString().slice(0, 10),
    );
    const isRest = (i: number) => (weekend ? i % 7 > 4 : i % 2 === 1);
    const noise = (i: number) => (Math.floor(i / 2) % 3) - 1;
    const pain = (i: number) => 5 + ((i * 7) % 3);
    const entries = dates.flatMap((date, i) =>
      [pain(i), pain(i) + change + noise(i)].map((pain, place) => ({
        ...{ id: 2 * i + place, date, pain, timeOfDay: 'evening' as const },
        ...(place === medicated && { medication: 'para' }),
      })),
    );
    const tablets = dates.map((date, i) => ({
      ...{ id: 1000 + i, date, pain: pain(i), timeOfDay: 'morning' as const },
      medication: 'para',
    }));
    const logs = dates.map((date, i) =>
      log({ date, painBefore: pain(i), painAfter: pain(i) - 2 + noise(i) }),
    );
    return summarize(
      logs.filter((_, i) => !isRest(i)),
      {},
      [
        ...(tablet ? tablets.filter((_, i) => isRest(i)) : []),
        ...entries.filter((_, i) => isRest(Math.floor(i / 2))),
      ],
    ).exercises[0]?.claim;
  };

  test('is measured against days without exercise too, where nothing else tells them apart', () => {
    expect(besideRest(0)).toBe('helps');
    expect(besideRest(-2), 'pain goes by itself').toBeNull();
    expect([0, 1].map((medicated) => besideRest(0, { medicated }))).toEqual([null, null]);
    expect(besideRest(0, { weekend: true })).toBeNull();
    expect(besideRest(0, { tablet: true }), 'after a tablet of the morning').toBeNull();
  });

  test('is ordered by the change at the usual pain before', () => {
    // Pain falls back halfway to 5 whatever is done. Good takes 1 more, but is done on good days.
    const sessions = (exerciseName: string, befores: readonly number[], effect: number, from: number) =>
      Array.from({ length: 30 }, (_, i) => {
        const painBefore = befores[i % befores.length] ?? 5;
        const painAfter = 5 + (painBefore - 5) / 2 + effect;
        return log({
          exerciseName,
          painBefore,
          painAfter,
          date: new Date(Date.UTC(2026, 0, 1 + 2 * i + from)).toISOString().slice(0, 10),
        });
      });
    const { exercises } = summarize([...sessions('Good', [3, 5], -1, 0), ...sessions('Bad', [7, 9], 0, 1)]);
    expect(exercises.map(({ exerciseName }) => exerciseName)).toEqual(['Good', 'Bad']);
    expect(exercises.map(({ meanChange }) => meanChange)).toEqual([-0.5, -1.5]);
    expect(exercises.map(({ adjusted }) => adjusted?.change)).toEqual([-1.5, -0.5]);
  });
});

describe('no noticeable difference', () => {
  test.each([
    [0, 60, true],
    [0, 6, false],
    [-1, 200, false],
    [0.5, 400, true],
  ])('a mean change of %d in %i sessions: %s', (mean, sessions, expected) => {
    const changes = Array.from(
      { length: sessions },
      (_, i) => (i % 3) - 1 + (i % 2 ? Math.ceil(mean) : Math.floor(mean)),
    );
    expect(of(logsOf(changes)).noDifference).toBe(expected);
  });
});

test('no noticeable difference is said from one session on, no earlier and no later', () => {
  const changes = Array.from({ length: 60 }, (_, i) => (i % 3) - 1);
  expect(firstDay(60, (count) => of(logsOf(changes.slice(0, count))).noDifference)).toBe(15);
});

test('whichever was recorded first, no noticeable difference is said of the one that makes none', () => {
  const none = logsOf(Array.from({ length: 60 }, (_, i) => (i % 3) - 1));
  const logs = [...none, ...others(40, 3)];
  expect([of(logs).noDifference, of(logs, 'Others').noDifference]).toEqual([true, false]);
});

test.each([
  [0.5, true],
  [1.5, false],
])(
  'where pain stays after one exercise and rises by %d after two others, no difference is said: %s',
  (rise, isNone) => {
    const random = generator(3);
    const logs = Array.from({ length: 240 }, (_, i) => {
      const which = Math.floor(3 * random());
      const painBefore = 4 + Math.floor(3 * random());
      const painAfter = Math.round(painBefore + (which === 0 ? 0 : rise) + 2 * random() - 1);
      return log({ exerciseName: `${which}`, date: dayOf(20_000 + i), painBefore, painAfter });
    });
    expect(of(logs, '0')).toMatchObject({ noDifference: isNone, claim: null });
  },
);

describe('lately', () => {
  const reversed = (good: number, bad: number) =>
    logsOf(Array.from({ length: good + bad }, (_, i) => (i < good ? -2 : 2) + (i % 3) - 1));

  test('is said when the last twelve sessions differ from those before', () => {
    expect(of(reversed(30, 12)).lately).toEqual({
      sessions: 12,
      meanChange: 2,
      before: -2,
      direction: 'more',
    });
    expect(of(reversed(30, 0)).lately).toBeNull();
    expect(of([...reversed(30, 12), ...others(21)]).lately?.direction, 'whichever was recorded first').toBe(
      'more',
    );
  });

  test.each([
    [11, 12, null],
    [12, 12, 'more'],
  ])('needs twelve before them: %i and %i', (good, bad, direction) => {
    expect(of(reversed(good, bad)).lately?.direction ?? null).toBe(direction);
  });
});

describe('the day after', () => {
  /** A diary of so many days in a row, one of two exercises on each; the day after the first has more pain. */
  const diary = (
    days: number,
    every = 1,
    harm = 2,
    isFirst = (day: number): boolean => (day * 7) % 5 < 2,
  ) => {
    const random = generator(1);
    return Array.from({ length: days }, (_, i) => {
      return log({
        exerciseName: isFirst(i) ? 'Piriformis Stretch' : 'Others',
        date: new Date(Date.UTC(2026, 0, 1 + i * every)).toISOString().slice(0, 10),
        painBefore: 4 + Math.floor(3 * random()) + (i > 0 && isFirst(i - 1) ? harm : 0),
        painAfter: 4,
      });
    });
  };

  test('is not said of what is done while pain is high for weeks', () => {
    const random = generator(2);
    const inWaves = Array.from({ length: 180 }, (_, i) => {
      const wave = Math.sin((2 * Math.PI * i) / 60);
      return log({
        exerciseName: wave + random() > 0.5 ? 'Piriformis Stretch' : 'Others',
        date: new Date(Date.UTC(2026, 0, 1 + i)).toISOString().slice(0, 10),
        painBefore: Math.round(3.5 + 1.5 * wave + 3 * random()),
      });
    });
    expect(of(inWaves).dayAfter?.worse).toBe(false);
  });

  test('is said where it is worse, and of nothing else', () => {
    const found = of(diary(60)).dayAfter;
    expect(found?.worse).toBe(true);
    expect(found?.difference).toBeGreaterThan(1.5);
    expect(of(diary(60), 'Others').dayAfter?.worse).toBe(false);
    const everyOther = diary(60, 1, 2, (day) => day % 2 === 0);
    expect(of(everyOther).dayAfter?.worse, 'though it is never done again on the next day').toBe(true);
    const earlier = logsOf([0], { exerciseName: 'Earlier', date: '2025-01-01' });
    expect(of([...diary(60), ...earlier]).dayAfter, 'whichever was recorded first').toMatchObject({
      ...{ days: found?.days, worse: true },
    });
  });

  test.each([
    [2, [], 31],
    [1, [], 61],
    [1, ['C', 'D', 'E', 'F'], 61],
  ])('of a harm of %i, with %j besides, is said on one day, no earlier and no later', (harm, more, day) => {
    const earlier = more.map((exerciseName) => log({ exerciseName, date: '2025-01-01' }));
    const all = diary(70, 1, harm);
    expect(firstDay(70, (count) => of([...earlier, ...all.slice(0, count)]).dayAfter?.worse ?? false)).toBe(
      day,
    );
  });

  test('is said of what is done mostly in flares where it makes them worse, and only there', () => {
    const inFlares = (harm: number) => {
      const random = generator(1);
      let [left, isDone] = [0, false];
      return Array.from({ length: 60 }, (_, i) => {
        if (left > 0) left -= 1;
        else if (random() < 0.1) left = 6;
        const wasDone = isDone;
        isDone = random() < (left > 0 ? 0.8 : 0.2);
        const pain = (left > 0 ? 6 : 3) + Math.floor(3 * random()) + (wasDone ? harm : 0);
        const exerciseName = isDone ? 'Piriformis Stretch' : 'Others';
        return log({ exerciseName, date: dayOf(20_454 + i), painBefore: Math.min(10, pain) });
      });
    };
    expect([0, 2].map((harm) => of(inFlares(harm)).dayAfter?.worse)).toEqual([false, true]);
  });

  test('takes what was done on a day before a gap for nothing that was done on the days around', () => {
    const afterGap = (exerciseName: string) => {
      const [first, ...others] = diary(18, 1, 2);
      const date = dayOf(20_453);
      return [log({ ...first, date, exerciseName }), ...others];
    };
    expect(of(afterGap('Piriformis Stretch')).dayAfter).toEqual(of(afterGap('Others')).dayAfter);
  });

  test.each([
    [20, 0.5228],
    [40, -0.0226],
  ])(
    'after %i days is %f, with more told apart where half of the information is left',
    (days, difference) => {
      expect(of(diary(days, 1, 0)).dayAfter?.difference).toBe(difference);
    },
  );

  test('needs days between known ones, five of them with the exercise and five without', () => {
    expect(of(diary(90, 2)).dayAfter, 'no two days in a row').toBeNull();
    expect(of(diary(10)).dayAfter).toBeNull();
    const known = ['Piriformis Stretch', 'Others'].map((name) =>
      firstDay(30, (count) => count > 5 && of(diary(count), name).dayAfter !== null),
    );
    expect(known).toEqual([16, 16]);
  });

  test('is taken back when it no longer holds', () => {
    const later = diary(300, 1, -1).map((each) => ({ ...each, date: each.date.replace('2026', '2027') }));
    expect(of([...diary(60), ...later]).dayAfter?.worse).toBe(false);
  });
});
