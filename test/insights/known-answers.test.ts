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
      'Helps helps -2.1979 -2.2225 -2.7386,-1.7065 more -0.2081,false false  -2.0909',
      'Little  -0.687 -0.166 -0.8042,0.4722 open -0.2606,false false  -0.8',
      'Nothing  -0.0778 0.7478 0.3448,1.1509 open -0.4694,false true  0',
      'Harms  0.5895 1.6234 1.1925,2.0544 open 0.7263,false false  0.65',
      'Weekend     too-few  false  ',
      'too-few null null -3.7923,2.9657',
    ],
  ],
  [
    90,
    [
      'Helps helps -2.2347 -2.1654 -2.545,-1.7858 more -0.1104,false false  -2.1389',
      'Weekend  -1.2016 -0.638 -1.6578,0.3818 open  false  -1.3333',
      'Little  -1.0176 -0.5648 -0.9214,-0.2082 more -0.4204,false false  -1.1364',
      'Nothing  -0.1179 0.6263 0.3247,0.9279 open -0.0204,false true  -0.15',
      'Harms  0.6056 1.707 1.3991,2.0149 less 0.5816,false true  0.4898',
      'unclear 0.1247 -0.2676,0.5169 -3.8855,3.2769',
    ],
  ],
  [
    180,
    [
      'Helps helps -2.3061 -2.1052 -2.3963,-1.8141 more -0.0167,false false  -2.2203',
      'Weekend  -1.5127 -0.7778 -1.3388,-0.2167 more 0.0245,false false  -1.6667',
      'Little helps -1.1762 -0.5604 -0.8595,-0.2612 more -0.264,false false  -1.2333',
      'Nothing  -0.2578 0.6274 0.3742,0.8807 open 0.0472,false true  -0.1639',
      'Harms  0.5656 1.7855 1.5297,2.0413 less 0.5189,false true  0.5417',
      'unclear 0.0102 -0.0713,0.0917 -3.3866,2.2956',
    ],
  ],
  [
    360,
    [
      'Helps helps -2.0452 -1.6205 -1.9299,-1.311 more 0.0752,false false  -1.936',
      'Little helps -1.4287 -0.7693 -1.0042,-0.5345 more -0.0382,false false  -1.4242',
      'Weekend helps -1.4416 -0.641 -1.0627,-0.2192 more -0.1838,false false  -1.32',
      'Nothing  -0.4071 0.5956 0.3815,0.8096 open -0.0397,false true  -0.3089',
      'Harms harms 0.444 1.7342 1.5216,1.9469 less 0.3606,false true  0.5714',
      'unclear 0.014 -0.0132,0.0412 0.8451,3.9975',
    ],
  ],
])('the figures after %i days', (days, expected) => {
  const { logs, entries } = diaryOf(days);
  const { exercises, pain } = summarize(logs, {}, entries);
  const trend = `${pain?.direction} ${pain?.slopePerWeek} ${pain?.interval} ${pain?.changeInterval}`;
  expect([...exercises.map(told), trend]).toEqual(expected);
});
