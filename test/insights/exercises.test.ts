import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Log } from '../../src/domain/log.ts';
import { dayOf } from '../../src/domain/words/day.ts';
import { responds, responseRules } from '../../src/insights/rules.ts';
import { summarize } from '../../src/insights/summary.ts';
import { ranked } from '../../src/insights/verdict.ts';
import { generator, log, logsOf } from './helpers.ts';
import { clamp, normal } from './simulation/laws.ts';

const anyLog: fc.Arbitrary<Log> = fc
  .record({
    exerciseName: fc.constantFrom('Bird Dog', 'bird dog', 'Cobra', '__proto__', 'ß'),
    exerciseType: fc.constantFrom('stretch', 'strengthening'),
    date: fc
      .integer({ min: 0, max: 400 })
      .map((n) => new Date(Date.UTC(2025, 0, 1 + n)).toISOString().slice(0, 10)),
    painBefore: fc.integer({ min: 1, max: 10 }),
    painAfter: fc.integer({ min: 1, max: 10 }),
    effective: fc.boolean(),
  })
  .map((fields) => log(fields));

test('an exercise is spelled as in its first session, in whatever order they come', () => {
  const [later, first, again] = [
    log({ exerciseName: 'Bird Dog ', date: '2026-01-02' }),
    log({ exerciseName: 'Bird Dog', date: '2026-01-01' }),
    log({ exerciseName: 'Bird  Dog', date: '2026-01-01' }),
  ];
  for (const logs of [
    [later, first, again],
    [first, again, later],
  ])
    expect(summarize(logs).exercises).toMatchObject([{ exerciseName: 'Bird Dog' }]);
});

test('names that look the same are one exercise', () => {
  const names = ['Étirement  1', 'Étirement 1 ', 'E\u0301tirement 1', 'étirement 1'];
  const { exercises } = summarize(names.map((exerciseName) => log({ exerciseName })));
  expect(exercises.map(({ exerciseName, sessions }) => [exerciseName, sessions])).toEqual([
    ['Étirement  1', 3],
    ['étirement 1', 1],
  ]);
});

describe('a meaningful response', () => {
  test.each([
    [6, 4, true, 'two points'],
    [10, 8, true, 'two points, though 20 %'],
    [3, 2, true, 'one point of three is 33 %'],
    [4, 3, false, 'one point of four is 25 %'],
    [2, 1, true, 'half'],
    [1, 1, false, 'the scale ends here'],
    [5, 7, false, 'a rise'],
  ])('from %i to %i: %s (%s)', (before, after, expected) => {
    expect(responds(before, after, responseRules.default)).toBe(expected);
  });
  test('the radicular rule takes one point of four', () => {
    expect(responds(4, 3, responseRules.radicular)).toBe(true);
    expect(responds(5, 4, responseRules.radicular)).toBe(false);
  });
});

describe('the figures of an exercise', () => {
  test('worked by hand', () => {
    const logs = logsOf([-3, -2, -1, 0, -2, 1], { painBefore: 6, effective: true }).map((each, i) => ({
      ...each,
      effective: i < 3,
    }));
    expect(summarize(logs).exercises).toEqual([
      {
        exerciseName: 'Piriformis Stretch',
        exerciseType: 'stretch',
        rank: 1,
        sessions: 6,
        meanChange: -1.1667,
        medianChange: -1.5,
        standardDeviation: 1.4845, // √((10.8333 + 4 × 1.5²) / 9)
        interval: [-2.5376, 0.2043], // ± 2.26216 × 1.4845 / √6
        responded: 0.5,
        effective: 0.5,
        verdict: 'open',
        direction: null,
        sequence: [-3.2208, 0.8874], // A = 700^(1/10), x = 1.276434: ± 1.4845 × √(9 × 1.276434 / 6)
        claim: null,
        adjusted: { change: -1.1667, interval: [-2.3303, -0.003] }, // its deviation is moderated towards that of all, in which the weekend and time have a slope
        noDifference: false,
        lately: null,
        alwaysAfter: null,
        sharesNumbers: false,
        versusOthers: { difference: null, interval: null, verdict: 'too-few' },
        dayAfter: null,
        medication: null,
        firstDate: '2026-01-01',
        lastDate: '2026-01-06',
      },
    ]);
  });

  test('three good sessions stand above what makes things worse, one lucky day is too few to say', () => {
    const { exercises } = summarize([
      ...logsOf([-6], { exerciseName: 'Lucky', painBefore: 8 }),
      ...logsOf([-2, -2, -2], { exerciseName: 'Short' }),
      ...logsOf(
        Array.from({ length: 40 }, (_, i) => -1 - (i % 2)),
        { exerciseName: 'Long' },
      ),
      ...logsOf(
        Array.from({ length: 40 }, () => 1),
        { exerciseName: 'Worse' },
      ),
    ]);
    expect(
      exercises.map(({ exerciseName, rank, verdict, direction }) => [exerciseName, rank, verdict, direction]),
    ).toEqual([
      ['Long', 1, 'clear', 'less'],
      ['Short', 2, 'likely', 'less'],
      ['Worse', 3, 'clear', 'more'],
      ['Lucky', null, 'too-few', null],
    ]);
  });

  const inOrder = (exercises: Record<string, readonly number[]>) =>
    summarize(
      Object.entries(exercises).flatMap(([exerciseName, changes]) => logsOf(changes, { exerciseName })),
    ).exercises.map(({ exerciseName }) => exerciseName);
  const repeat = (n: number, changes: readonly number[]) => Array.from({ length: n }, () => changes).flat();

  test('the order is by means drawn towards the mean of all sessions, as by two sessions of it', () => {
    // The mean of all is 0: −2 × 3/5 = −1.2, −1.2 × 10/12 = −1, −1.5 × 40/42 = −1.43. With one for two, Three
    // would come first; with twenty, after Ten.
    const exercises = {
      Three: [-2, -2, -2],
      Ten: [...repeat(8, [-1]), -2, -2],
      Forty: repeat(20, [-1, -2]),
      Rest: repeat(26, [3]),
    };
    expect(inOrder(exercises)).toEqual(['Forty', 'Three', 'Ten', 'Rest']);
  });

  test('the mean of all counts each session, not each exercise', () => {
    // It is −1.90: −2.33 × 3/5 − 1.90 × 2/5 = −2.16, before −2. The mean of the means, −0.78, would put it behind.
    const exercises = { Three: [-2, -3, -2], Hundred: repeat(100, [-2]), Rest: [2, 2, 2] };
    expect(inOrder(exercises)).toEqual(['Three', 'Hundred', 'Rest']);
  });

  const ranks = (
    exercises: [name: string, sessions: number, effect: number, isFew?: boolean, type?: string][],
  ) =>
    ranked(
      exercises.map(([exerciseName, sessions, effect, isFew, exerciseType = 'stretch']) => ({
        ...({ exerciseName, exerciseType, sessions, effect, verdict: isFew ? 'too-few' : 'open' } as const),
      })),
      ({ sessions }) => sessions,
      ({ effect }) => effect,
    ).map(({ exerciseName, exerciseType, rank }) => `${exerciseName} ${exerciseType} ${rank}`);

  test('the order draws towards the mean as two sessions do: −2 × 3/5 stands before −1.4 × 10/12', () => {
    expect(
      ranks([
        ['Rest', 20, 1],
        ['Ten', 10, -1.4],
        ['Three', 3, -2],
      ]),
    ).toEqual([...['Three stretch 1', 'Ten stretch 2', 'Rest stretch 3']]);
  });

  test('of equals stands first the one with more sessions, then by name and type; too few stand last, by their number', () => {
    expect(
      ranks([
        ['Once', 1, -9, true],
        ['Twice', 2, 3, true],
        ['B', 5, -1],
        ['A', 5, -1, false, 'stretch'],
        ['A', 5, -1, false, 'strengthening'],
        ['More', 6, -1],
      ]),
    ).toEqual([
      ...['More stretch 1', 'A strengthening 2', 'A stretch 3', 'B stretch 4'],
      ...['Twice stretch null', 'Once stretch null'],
    ]);
  });

  test('the change at the usual pain is that of 3 sessions or more', () => {
    expect(summarize(logsOf([-1, -2, -3])).exercises[0]?.adjusted).not.toBeNull();
    expect(summarize(logsOf([-1, -2])).exercises[0]?.adjusted).toBeNull();
  });

  test.each<[medications: (string | undefined)[], medication: object | null]>([
    [['a', 'a', undefined, undefined], { name: 'a', sessions: 2, meanChange: -3.5, without: -1.5 }],
    [['a', 'b', undefined, undefined], { name: null, sessions: 2, meanChange: -3.5, without: -1.5 }],
    [['a', 'a', 'a', 'a'], { name: 'a', sessions: 4, meanChange: -2.5, without: null }],
    [[undefined, undefined, undefined, undefined], null],
  ])('with medication %j: %j', (medications, expected) => {
    const logs = logsOf([-4, -3, -2, -1]).map((each, i) => {
      const medication = medications[i];
      return medication === undefined ? each : { ...each, medication };
    });
    expect(summarize(logs).exercises[0]?.medication).toEqual(expected);
  });

  test('eight sessions from 6 to 4 are clearly followed by less pain', () => {
    const [exercise] = summarize(logsOf(Array(8).fill(-2), { painBefore: 6 })).exercises;
    expect(exercise).toMatchObject({ verdict: 'clear', direction: 'less', meanChange: -2 });
  });

  test('one name under two types, or in two cases, is as many exercises', () => {
    const given = [
      log({ exerciseName: 'Bridge' }),
      log({ exerciseName: 'Bridge', exerciseType: 'strengthening' }),
      log({ exerciseName: 'bridge' }),
    ];
    expect(summarize(given).exercises.map(({ sessions }) => sessions)).toEqual([1, 1, 1]);
  });

  test('equal changes leave a width', () => {
    const [low, high] = summarize(logsOf([-1, -1, -1, -1, -1, -1, -1, -1])).exercises[0]?.interval ?? [0, 0];
    expect(high - low).toBeCloseTo(1.4078, 4); // 2 × 2.20099 × √(4 × 1.5² / 11) / √8
  });
});

describe('properties', () => {
  test('the order of the days does not matter', () => {
    fc.assert(
      fc.property(fc.array(anyLog, { maxLength: 30 }), fc.integer(), (logs, seed) => {
        const days = [...new Set(logs.map(({ date }) => date))]
          .map((date, i) => ({ date, key: Math.imul(i + 1, seed | 1) }))
          .sort((a, b) => a.key - b.key);
        const shuffled = days.flatMap(({ date }) => logs.filter((each) => each.date === date));
        expect(summarize(shuffled)).toEqual(summarize(logs));
      }),
    );
  });
  test('every session is counted once, intervals hold the mean within ±9, and the ranking is total', () => {
    fc.assert(
      fc.property(fc.array(anyLog, { minLength: 1, maxLength: 40 }), (logs) => {
        const { exercises } = summarize(logs);
        expect(exercises.reduce((sum, { sessions }) => sum + sessions, 0)).toBe(logs.length);
        for (const { interval, meanChange, sequence, verdict, direction } of exercises) {
          expect(interval[0]).toBeGreaterThanOrEqual(-9);
          expect(interval[0]).toBeLessThanOrEqual(meanChange);
          expect(interval[1]).toBeGreaterThanOrEqual(meanChange);
          expect(interval[1]).toBeLessThanOrEqual(9);
          expect(sequence === null).toBe(verdict === 'too-few');
          const excludes = ([low, high]: readonly [number, number]) =>
            high < 0 ? 'less' : low > 0 && 'more';
          expect(direction ?? false).toBe(verdict === 'too-few' ? false : excludes(interval));
          expect(verdict === 'clear').toBe(Boolean(sequence && excludes(sequence)));
        }
        const ranks = exercises.map(({ rank }) => rank);
        const ranked = ranks.filter((rank) => rank !== null);
        expect(ranked).toEqual(ranked.map((_, i) => i + 1));
        expect(ranks.slice(ranked.length).every((rank) => rank === null)).toBe(true);
        const effects = exercises.map(({ adjusted, meanChange }) => adjusted?.change ?? meanChange);
        const g =
          exercises.reduce((sum, { sessions }, i) => sum + sessions * (effects[i] ?? 0), 0) / logs.length;
        const shrunken = exercises
          .slice(0, ranked.length)
          .map(({ sessions: n }, i) => g + (((effects[i] ?? 0) - g) * n) / (n + 2));
        for (const [i, value] of shrunken.entries())
          expect(value).toBeGreaterThan((shrunken[i - 1] ?? Number.NEGATIVE_INFINITY) - 1e-3);
        expect(JSON.parse(JSON.stringify(exercises))).toEqual(exercises);
      }),
    );
  });
});

test('exercise on good days only, and the pain of all days known: the change at the pain of the sessions and the averages of their days', () => {
  const random = generator(3);
  const days = Array.from({ length: 240 }, (_, id) => ({
    ...{ id, date: dayOf(20_000 + id), timeOfDay: 'morning' as const },
    pain: clamp(5.5 + 1.5 * normal(random)),
  }));
  const logs = days
    .filter(({ pain }) => pain < 5)
    .map(({ date, pain }, i) => {
      const painAfter = clamp(pain + (i % 2) + normal(random));
      return log({ date, painBefore: pain, painAfter, exerciseName: i % 2 === 0 ? 'Bird Dog' : 'Cobra' });
    });
  const { exercises } = summarize(logs, {}, days);
  expect(exercises.map(({ exerciseName }) => exerciseName)).toEqual(['Bird Dog', 'Cobra']);
  for (const { adjusted, meanChange } of exercises)
    expect(Math.abs((adjusted?.change ?? Number.NaN) - meanChange)).toBeLessThan(0.3);
});

test('of sessions that come in spells the sequence is wider, the interval the same', () => {
  const foundOf = (spell: number) => {
    const logs = logsOf(Array.from({ length: 40 }, (_, i) => (Math.floor(i / spell) % 2 ? -1 : -3)));
    // Pain before that varies: these are no numbers entered again.
    const varied = logs.map(({ painBefore, painAfter, ...each }, i) => ({
      ...each,
      painBefore: painBefore + (i % 3),
      painAfter: painAfter + (i % 3),
    }));
    return summarize(varied).exercises[0];
  };
  const [mixed, inSpells] = [foundOf(1), foundOf(10)];
  expect(inSpells?.interval).toEqual(mixed?.interval);
  expect(inSpells?.sequence?.[1]).toBeGreaterThan((mixed?.sequence?.[1] ?? 0) + 0.2);
});

test('numbers that are entered again count once', () => {
  const of = (times: number) => {
    const fresh = [-1, -2, -3, -1, -4, -2, -3, -3, -2, -1, -4, -3].flatMap((change, i) =>
      Array.from({ length: times }, () => ({ change, painBefore: 5 + ((5 * i) % 4) })),
    );
    const logs = logsOf(fresh.map(({ change }) => change)).map((each, i) => {
      const { change = 0, painBefore = 5 } = fresh[i] ?? {};
      return { ...each, painBefore, painAfter: painBefore + change };
    });
    return summarize(logs).exercises[0];
  };
  const [once, copied] = [of(1), of(5)];
  expect(copied?.meanChange).toBe(once?.meanChange);
  for (const [i, end] of (once?.interval ?? []).entries())
    expect(Math.abs((copied?.interval[i] ?? Number.NaN) - end)).toBeLessThan(0.1);
  expect([once?.verdict, copied?.verdict]).toEqual(['clear', 'clear']);
});

test('of numbers entered again nothing is said of lately', () => {
  const fresh = [-3, -1, -3, -2, 1, 0];
  const logs = fresh.flatMap((change, i) =>
    logsOf(Array<number>(6).fill(change), { painBefore: 5 + (i % 3) }),
  );
  const { exercises } = summarize(logs.map((each, i) => ({ ...each, date: dayOf(20_000 + i) })));
  expect(exercises[0]).toMatchObject({ sessions: 36, lately: null });
});

test('an exercise that was given up before another began is held against that one', () => {
  const random = generator(1);
  const logs = Array.from({ length: 100 }, (_, id) => {
    const [exerciseName, fall] = id < 40 ? ['Bird Dog', 2] : ['Cobra', 0];
    const painBefore = clamp(5.5 + 1.5 * normal(random));
    const change = 0.7 * normal(random) - 0.3 * (painBefore - 5.5) - fall;
    const painAfter = clamp(painBefore + change);
    return log({ id, date: dayOf(20_000 + id), exerciseName, painBefore, painAfter });
  });
  const claims = summarize(logs).exercises.map(({ exerciseName, claim }) => [exerciseName, claim]);
  expect(claims).toEqual([
    ['Bird Dog', 'helps'],
    ['Cobra', null],
  ]);
});

test.each([
  [30, 1, { days: 100, spread: 0.7, effect: 0.6, memory: 0 }, 'helps'],
  [30, 8, { days: 100, spread: 0.7, effect: 0.6, memory: 0 }, null],
  [60, 1, { days: 150, spread: 1, effect: 1.3, memory: 0.7 }, 'helps'],
  [60, 15, { days: 150, spread: 1, effect: 1.3, memory: 0.7 }, null],
])('after %i others, what is done every other spell of %i days: %j %j', (before, spell, world, claim) => {
  const { days, spread, effect, memory } = world;
  const random = generator(5);
  const others = Array.from({ length: before }, (_, id) =>
    log({ id, date: dayOf(20_000 + id), exerciseName: `Other ${id}`, painBefore: 5, painAfter: 5 }),
  );
  let noise = 0;
  const logs = Array.from({ length: days }, (_, i) => {
    const isCobra = Math.floor(i / spell) % 2 === 0;
    const painBefore = clamp(5.5 + 1.5 * normal(random));
    noise = memory * noise + Math.sqrt(1 - memory ** 2) * normal(random);
    const change = spread * noise - 0.3 * (painBefore - 5.5) - (isCobra ? effect : 0);
    const exerciseName = isCobra ? 'Cobra' : 'Bird Dog';
    const painAfter = clamp(painBefore + change);
    return log({ id: before + i, date: dayOf(20_000 + before + i), exerciseName, painBefore, painAfter });
  });
  const found = summarize([...others, ...logs]).exercises;
  expect(found.find(({ exerciseName }) => exerciseName === 'Cobra')?.claim).toBe(claim);
});

test.each<[orders: string, changes: number[]]>([
  ['AB AB BA', [-2, -2]],
  ['AB', [-2, 0]],
])('of %s, of which the second fall by 2 less, the changes at the usual pain are %j', (orders, expected) => {
  const random = generator(1);
  const each = orders.split(' ');
  const logs = Array.from({ length: 90 }, (_, day) =>
    [...(each[day % each.length] ?? '')].map((exerciseName, place) => {
      const painBefore = 4 + Math.floor(4 * random());
      const painAfter = painBefore - 2 + 2 * place + Math.floor(3 * random()) - 1;
      return log({ date: dayOf(20_000 + day), exerciseName, painBefore, painAfter });
    }),
  ).flat();
  const found = summarize(logs).exercises.toSorted((a, b) => (a.exerciseName < b.exerciseName ? -1 : 1));
  // In their own places where not all were ever the first.
  const changes = found.map(({ adjusted }) => adjusted?.change ?? Number.NaN);
  for (const [i, change] of changes.entries())
    expect(Math.abs(change - (expected[i] ?? 0)), String(changes)).toBeLessThan(0.3);
});

describe('others that go the other way', () => {
  /** Two exercises in turn; each pain before comes with the change of either. */
  const turns = (days: number, befores: readonly number[], a: (before: number) => number, b: typeof a) => {
    const random = generator(7);
    return Array.from({ length: days }, (_, id) => {
      const painBefore = befores[Math.floor(id / 2) % befores.length] as number;
      const change = (id % 2 === 0 ? a : b)(painBefore) + Math.round(0.6 * normal(random));
      const exerciseName = id % 2 === 0 ? 'Bird Dog' : 'Cobra';
      return log({
        id,
        date: dayOf(20_000 + id),
        painBefore,
        painAfter: clamp(painBefore + change),
        exerciseName,
      });
    });
  };
  const [falls, rises] = [() => -2, () => 1];
  const claimOf = (logs: readonly Log[]) =>
    summarize(logs).exercises.find(({ exerciseName }) => exerciseName === 'Bird Dog')?.claim;

  test.each<[string, befores: readonly number[], change: (before: number) => number, claim: string | null]>([
    ['where days are cut off at one pain', [6, 7, 6, 8, 6, 7], falls, null],
    ['where they are not', [6, 4, 7, 5, 3, 8, 6], falls, 'helps'],
    ['where pain hardly varies', [6, 7, 7, 6, 8, 6, 7, 5, 7, 6], falls, 'helps'],
    ['where the scale ends there', [1, 3, 1, 5, 2], (before) => Math.max(1 - before, -2), 'helps'],
    ['where three days in ten begin with the lowest pain', [6, 7, 6, 8, 6, 7, 8, 9, 7, 9], falls, 'helps'],
    ['where four days in ten do', [6, 7, 6, 8, 6, 7, 6, 9, 7, 8], falls, null],
    [
      'and nearly as many with the highest',
      [6, 8, 6, 8, 7, 6, 8, 6, 7, 8, 6, 8, 6, 7, 8, 6, 8, 6, 7, 7],
      falls,
      'helps',
    ],
    ['and fewer with the highest', [6, 8, 6, 8, 7, 6, 8, 6, 7, 7], falls, null],
    ['and one day in ten with a lower one', [6, 7, 6, 8, 6, 7, 6, 9, 7, 3], falls, null],
  ])('%s: %j', (_, befores, change, claim) => {
    expect(claimOf(turns(90, befores, change, rises))).toBe(claim);
    const others = befores.map((before) => 11 - before);
    const inverse = (before: number) => -change(11 - before);
    expect(claimOf(turns(90, others, inverse, () => -1))).toBe(claim && 'harms');
  });

  test('take no mark away that was given when they did not', () => {
    const befores = [6, 7, 6, 8, 6, 7];
    const before = turns(
      90,
      befores,
      () => -3,
      () => -1,
    );
    const later = turns(60, befores, () => -3, rises).map((one) => ({
      ...one,
      id: one.id + 90,
      date: dayOf(20_090 + one.id),
    }));
    expect([claimOf(before), claimOf([...before, ...later])]).toEqual(['helps', 'helps']);
  });
});
