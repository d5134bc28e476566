import { expect, test } from 'vitest';
import type { Log } from '../../src/domain/log.ts';
import { type ExerciseSummary, summarize } from '../../src/insights/index.ts';
import type { Entry } from '../../src/insights/pain-days.ts';
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
      'Helps helps -2.2315 -2.226 -2.685,-1.7669 more -0.1841,false false  -2.0909',
      'Little  -0.7179 -0.1842 -0.7159,0.3475 open -0.1546,false false  -0.7143',
      'Nothing  -0.106 0.7594 0.3952,1.1236 open -0.6565,false true  0',
      'Harms  0.5612 1.6254 1.2366,2.0141 open 0.7427,false false  0.65',
      'Weekend     too-few  false  -1',
      'too-few null null -3.795,2.9684',
    ],
  ],
  [
    90,
    [
      'Helps helps -2.3244 -2.1401 -2.4988,-1.7813 more -0.0738,false false  -2.1842',
      'Little  -1.1311 -0.5988 -0.956,-0.2416 more -0.3807,false false  -1.0833',
      'Weekend  -1.2207 -0.5491 -1.519,0.4209 open  false  -1.25',
      'Nothing  -0.2285 0.6166 0.3205,0.9128 open -0.0601,false true  -0.1463',
      'Harms  0.5094 1.7199 1.4248,2.0151 less 0.527,false true  0.4898',
      'unclear 0.1247 -0.2676,0.5169 -3.8862,3.2776',
    ],
  ],
  [
    180,
    [
      'Helps helps -2.3373 -2.0977 -2.3825,-1.8128 more 0.0219,false false  -2.2239',
      'Weekend  -1.5306 -0.7653 -1.3128,-0.2178 more 0.1881,false false  -1.6154',
      'Little helps -1.2143 -0.5799 -0.8783,-0.2816 more -0.2357,false false  -1.1351',
      'Nothing  -0.2952 0.6249 0.3751,0.8748 open 0.0081,false true  -0.1857',
      'Harms  0.5347 1.7969 1.5471,2.0468 less 0.4971,false true  0.5844',
      'unclear 0.0102 -0.0713,0.0917 -3.3869,2.2959',
    ],
  ],
  [
    360,
    [
      'Helps helps -2.0261 -1.6279 -1.9357,-1.3201 more 0.0833,false false -2.0167,0.1667 -1.8621',
      'Little helps -1.4046 -0.7491 -0.9857,-0.5124 more -0.0392,false false  -1.3205',
      'Weekend helps -1.4206 -0.6381 -1.0477,-0.2284 more -0.1322,false false  -1.3333',
      'Nothing  -0.3863 0.5906 0.3786,0.8027 open -0.0416,false true  -0.2958',
      'Harms harms 0.4655 1.728 1.519,1.9369 less 0.3579,false true  0.6',
      'unclear 0.014 -0.0132,0.0412 0.8358,4.0068',
    ],
  ],
])('the figures after %i days', (days, expected) => {
  const { logs, entries } = diaryOf(days);
  const { exercises, pain } = summarize(logs, {}, entries);
  const trend = `${pain?.direction} ${pain?.slopePerWeek} ${pain?.interval} ${pain?.changeInterval}`;
  expect([...exercises.map(told), trend]).toEqual(expected);
});
