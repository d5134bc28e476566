import { expect, test } from 'vitest';
import type { Log } from '../../src/domain/log.ts';
import type { Entry } from '../../src/insights/pain-days.ts';
import type { ExerciseSummary } from '../../src/insights/shapes.ts';
import { summarize } from '../../src/insights/summary.ts';
import { generator, log } from './helpers.ts';

const EFFECTS = { Helps: -2, Little: -1, Nothing: 0, Harms: 1, Weekend: -1 };

/** A diary in which all happens that figures allow for: flares, routines, medication, weekends, days without exercise. */
function diaryOf(days: number): { logs: Log[]; entries: Entry[] } {
  const random = generator(7);
  const [logs, entries]: [Log[], Entry[]] = [[], []];
  const names = Object.keys(EFFECTS) as (keyof typeof EFFECTS)[];
  let level = 6;
  for (let day = 0; day < days; day += 1) {
    const date = new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10);
    const bounded = (pain: number) => Math.min(10, Math.max(1, Math.round(pain)));
    level += 0.15 * (5.5 - level) + 2 * (random() - 0.5);
    const kind = random();
    if (kind < 0.1) continue;
    if (kind < 0.35) {
      const medication = random() < 0.3 ? { medication: 'para' } : {};
      for (const change of [0, 2 * (random() - 0.5)])
        entries.push({ id: entries.length + 1, date, pain: bounded(level + change), ...medication });
      continue;
    }
    let pain = level;
    for (let place = Math.floor(1 + (random() < 0.05 ? 10 : 4) * random()); place > 0; place -= 1) {
      const isWeekend = new Date(`${date}T00:00:00Z`).getUTCDay() % 6 === 0;
      const exerciseName = names[Math.floor((isWeekend ? 5 : 4) * random())] ?? 'Nothing';
      const medication =
        random() < (exerciseName === 'Little' ? 0.4 : 0.05) ? { medication: 'ibuprofen' } : {};
      const painBefore = bounded(pain + random() - 0.5);
      const effect = EFFECTS[exerciseName] + (exerciseName === 'Helps' && day > 330 ? 3 : 0);
      const painAfter = bounded(painBefore + effect + 0.3 * (5 - painBefore) + 2 * (random() - 0.5));
      logs.push(log({ id: logs.length + 1, date, exerciseName, painBefore, painAfter, ...medication }));
      pain = (pain + painAfter) / 2;
      if (exerciseName === 'Harms') level += 0.5;
    }
  }
  return { logs, entries };
}

const told = (each: ExerciseSummary) =>
  [
    each.exerciseName,
    each.claim,
    each.adjusted?.change,
    each.versusOthers.difference,
    each.versusOthers.interval,
    each.versusOthers.verdict,
    each.dayAfter && [each.dayAfter.difference, each.dayAfter.worse],
    each.noDifference,
    each.lately && [each.lately.before, each.lately.meanChange],
    each.medication?.without,
  ].join(' ');

/** The figures of one diary, as they were when the simulations of docs/method.md held: only a change of the method changes them. */
test.each([
  [
    40,
    [
      'Helps helps -2.2243 -2.2372 -2.81,-1.6644 more -0.3876,false false  -2.0909',
      'Little  -0.7528 0.0017 -0.7592,0.7625 open -0.4881,false false  -0.8',
      'Nothing  -0.1356 0.6859 0.2256,1.1462 open -0.4387,false true  0',
      'Harms  0.5489 1.5807 1.1108,2.0506 open 0.5568,false false  0.65',
      'Weekend     too-few  false  ',
      'too-few null null -3.9042,2.9657',
    ],
  ],
  [
    90,
    [
      'Helps helps -2.2003 -2.1405 -2.5379,-1.7432 more -0.1864,false false  -2.1389',
      'Weekend  -1.233 -0.6179 -1.7523,0.5165 open  false  -1.3333',
      'Little  -0.988 -0.5025 -0.8875,-0.1176 more -0.5036,false false  -1.1364',
      'Nothing  -0.0943 0.6003 0.2888,0.9118 open -0.0457,false true  -0.15',
      'Harms  0.645 1.6624 1.3504,1.9744 less 0.551,false false  0.4898',
      'unclear 0.1087 -0.0926,0.31 -3.968,3.3111',
    ],
  ],
  [
    180,
    [
      'Helps helps -2.3807 -2.0978 -2.3998,-1.7957 more -0.0474,false false  -2.2203',
      'Weekend  -1.5665 -0.7704 -1.3296,-0.2112 more -0.0338,false false  -1.6667',
      'Little helps -1.2379 -0.5456 -0.844,-0.2473 more -0.2967,false false  -1.2333',
      'Nothing  -0.3377 0.6118 0.3474,0.8762 open 0.0352,false true  -0.1639',
      'Harms  0.4986 1.7708 1.5127,2.0288 less 0.4916,false true  0.5417',
      'unclear 0.0326 -0.0249,0.0902 -3.3866,2.3454',
    ],
  ],
  [
    360,
    [
      'Helps helps -1.9789 -1.6779 -2.0878,-1.268 more 0.1002,false false  -1.936',
      'Little helps -1.2959 -0.6755 -1.0248,-0.3261 more -0.0111,false false  -1.4242',
      'Weekend helps -1.294 -0.5856 -1.2244,0.0532 open -0.1662,false false  -1.32',
      'Nothing  -0.2824 0.596 0.3023,0.8898 open -0.0164,false true  -0.3089',
      'Harms harms 0.5354 1.697 1.3957,1.9983 less 0.3795,false true  0.5714',
      'unclear 0.0141 -0.0132,0.0413 0.8436,4.0759',
    ],
  ],
])('the figures after %i days', (days, expected) => {
  const { logs, entries } = diaryOf(days);
  const { exercises, pain } = summarize(logs, {}, entries);
  const trend = `${pain?.direction} ${pain?.slopePerWeek} ${pain?.interval} ${pain?.changeInterval}`;
  expect([...exercises.map(told), trend]).toEqual(expected);
});
