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
      'Helps helps -2.2204 -2.2253 -2.7359,-1.7148 more -0.2081,false false  -2.0909',
      'Little  -0.7077 -0.1808 -0.755,0.3934 open -0.2606,false false  -0.7143',
      'Nothing  -0.097 0.7581 0.3591,1.1571 open -0.4694,false true  0',
      'Harms  0.5706 1.6241 1.1958,2.0525 open 0.7263,false false  0.65',
      'Weekend     too-few  false  -1',
      'too-few null null -3.7923,2.9657',
    ],
  ],
  [
    90,
    [
      'Helps helps -2.2366 -2.1582 -2.5357,-1.7806 more -0.1104,false false  -2.1842',
      'Weekend  -1.2024 -0.6375 -1.6602,0.3852 open  false  -1.25',
      'Little  -1.0201 -0.5831 -0.9383,-0.2279 more -0.4204,false false  -1.0833',
      'Nothing  -0.1198 0.6295 0.3282,0.9308 open -0.0204,false true  -0.1463',
      'Harms  0.604 1.7118 1.4056,2.018 less 0.5816,false true  0.4898',
      'unclear 0.1247 -0.2676,0.5169 -3.8855,3.2769',
    ],
  ],
  [
    180,
    [
      'Helps helps -2.3023 -2.102 -2.3933,-1.8108 more -0.0167,false false  -2.2239',
      'Weekend  -1.5082 -0.782 -1.344,-0.22 more 0.0245,false false  -1.6154',
      'Little helps -1.1732 -0.572 -0.8741,-0.2698 more -0.264,false false  -1.1351',
      'Nothing  -0.2548 0.6284 0.3742,0.8825 open 0.0472,false true  -0.1857',
      'Harms  0.5689 1.7912 1.5364,2.0459 less 0.5189,false true  0.5844',
      'unclear 0.0102 -0.0713,0.0917 -3.3866,2.2956',
    ],
  ],
  [
    360,
    [
      'Helps helps -2.0482 -1.6253 -1.9354,-1.3153 more 0.0752,false false  -1.8621',
      'Little helps -1.4308 -0.7542 -0.9939,-0.5145 more -0.0382,false false  -1.3205',
      'Weekend helps -1.4446 -0.641 -1.0625,-0.2195 more -0.1838,false false  -1.3333',
      'Nothing  -0.4093 0.5927 0.3778,0.8076 open -0.0397,false true  -0.2958',
      'Harms harms 0.4414 1.7281 1.5161,1.94 less 0.3606,false true  0.6',
      'unclear 0.014 -0.0132,0.0412 0.8451,3.9975',
    ],
  ],
])('the figures after %i days', (days, expected) => {
  const { logs, entries } = diaryOf(days);
  const { exercises, pain } = summarize(logs, {}, entries);
  const trend = `${pain?.direction} ${pain?.slopePerWeek} ${pain?.interval} ${pain?.changeInterval}`;
  expect([...exercises.map(told), trend]).toEqual(expected);
});
