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
      'Helps helps -2.2255 -2.2374 -2.8012,-1.6736 more -0.3876,false false  -2.0909',
      'Little  -0.754 0.0011 -0.7471,0.7493 open -0.4881,false false  -0.8',
      'Nothing  -0.1356 0.7095 0.2625,1.1564 open -0.4387,false true  0',
      'Harms  0.5467 1.5794 1.1201,2.0387 open 0.5568,false false  0.65',
      'Weekend     too-few  false  ',
      'too-few null null -3.9042,2.9657',
    ],
  ],
  [
    90,
    [
      'Helps helps -2.218 -2.1649 -2.5564,-1.7735 more -0.1864,false false  -2.1389',
      'Weekend  -1.2321 -0.6091 -1.746,0.5278 open  false  -1.3333',
      'Little  -0.9994 -0.4885 -0.8683,-0.1087 more -0.5036,false false  -1.1364',
      'Nothing  -0.0997 0.6131 0.3051,0.9211 open -0.0457,false true  -0.15',
      'Harms  0.6345 1.6514 1.3416,1.9611 less 0.551,false false  0.4898',
      'unclear 0.1087 -0.0926,0.31 -3.968,3.3111',
    ],
  ],
  [
    180,
    [
      'Helps helps -2.3979 -2.1146 -2.4134,-1.8158 more -0.0474,false false  -2.2203',
      'Weekend  -1.5767 -0.7653 -1.3267,-0.2039 more -0.0338,false false  -1.6667',
      'Little helps -1.2544 -0.5469 -0.8436,-0.2501 more -0.2967,false false  -1.2333',
      'Nothing  -0.3482 0.6172 0.3533,0.881 open 0.0352,false true  -0.1639',
      'Harms  0.483 1.7379 1.4789,1.9969 less 0.4916,false true  0.5417',
      'unclear 0.0326 -0.0249,0.0902 -3.3866,2.3454',
    ],
  ],
  [
    360,
    [
      'Helps helps -1.9979 -1.6885 -2.0915,-1.2854 more 0.1002,false false  -1.936',
      'Little helps -1.3164 -0.6986 -1.0429,-0.3543 more -0.0111,false false  -1.4242',
      'Weekend helps -1.3074 -0.5609 -1.1939,0.072 open -0.1662,false false  -1.32',
      'Nothing  -0.2943 0.6148 0.3225,0.9071 open -0.0164,false true  -0.3089',
      'Harms harms 0.5246 1.7179 1.4176,2.0181 less 0.3795,false true  0.5714',
      'unclear 0.0141 -0.0132,0.0413 0.8436,4.0759',
    ],
  ],
])('the figures after %i days', (days, expected) => {
  const { logs, entries } = diaryOf(days);
  const { exercises, pain } = summarize(logs, {}, entries);
  const trend = `${pain?.direction} ${pain?.slopePerWeek} ${pain?.interval} ${pain?.changeInterval}`;
  expect([...exercises.map(told), trend]).toEqual(expected);
});
