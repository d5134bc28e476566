import { execFileSync } from 'node:child_process';
import type { Log } from '../../../src/domain/log.ts';
import { dayOf } from '../../../src/domain/words/day.ts';
import type { SessionFields } from '../../../src/insights/exercises.ts';
import { summarize } from '../../../src/insights/summary.ts';
import { generator, log } from '../helpers.ts';
import type { Row } from './means.ts';
import { daysOf, orderWorlds } from './worlds.ts';

const maker = new URL('../../fixtures/make-data.mjs', import.meta.url).pathname;

/** The mean effects that make-data.mjs plants, in points; each person adds a shift of about 0.4 to all. */
const PLANTED: Record<string, number> = {
  'Piriformis Stretch': -2.4,
  'Sciatic Nerve Glide': -1.8,
  'Cobra Stretch': -0.9,
  'Hamstring Stretch': 0.6,
  'Bird Dog': -1.4,
  'Glute Bridge': -0.7,
  'Dead Bug': -0.2,
  'Straight Leg Raise': 0.9,
};
const [BEST, AGGRAVATING] = [
  ['Piriformis Stretch', 'Sciatic Nerve Glide'],
  ['Hamstring Stretch', 'Straight Leg Raise'],
];
/** Effects below this are not expected to be found. */
const LEAST_EFFECT = 0.5;

/** Logs a person, and how many persons are made up. */
const RECORDS = [
  [24, 400],
  [67, 400],
  [400, 100],
] as const;

function peopleWith(logs: number, people: number): Log[][] {
  const args = [maker, '--users', String(people), '--logs', String(people * logs), '--seed', '1'];
  const text = execFileSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 2 ** 28 });
  const byUser = new Map<number, Log[]>();
  for (const log of (JSON.parse(text) as { userExerciseLogs: Log[] }).userExerciseLogs) {
    const own = byUser.get(log.userId) ?? [];
    byUser.set(log.userId, own);
    own.push(log);
  }
  return [...byUser.values()];
}

/** What a summary finds of what was planted, in percent of persons or of their exercises. */
export interface Found {
  readonly logs: number;
  /** Persons whose two best exercises are among the first three. */
  readonly bestFirst: number;
  /** Persons whose two aggravating exercises are the last two. */
  readonly aggravatingLast: number;
  /** Exercises with an effect of 0.5 or more: clear or likely, in the planted direction… */
  readonly right: number;
  /** …clear in it… */
  readonly clear: number;
  /** …and clear or likely in the other. */
  readonly wrong: number;
}

export function planted(): Found[] {
  return RECORDS.map(([logs, people]) => {
    const persons = peopleWith(logs, people).map((own) => summarize(own).exercises);
    const percent = <T>(all: readonly T[], holds: (one: T) => boolean) =>
      (100 * all.filter(holds).length) / all.length;
    const names = persons.map((exercises) => exercises.map(({ exerciseName }) => exerciseName));
    const told = persons
      .flat()
      .map((exercise) => ({ ...exercise, effect: PLANTED[exercise.exerciseName] ?? 0 }))
      .filter(({ effect, rank }) => Math.abs(effect) >= LEAST_EFFECT && rank !== null);
    const way = (effect: number) => (effect < 0 ? 'less' : 'more');
    return {
      logs,
      bestFirst: percent(names, (order) => BEST.every((name) => order.slice(0, 3).includes(name))),
      aggravatingLast: percent(names, (order) => AGGRAVATING.every((name) => order.slice(-2).includes(name))),
      right: percent(told, ({ direction, effect }) => direction === way(effect)),
      clear: percent(
        told,
        ({ verdict, direction, effect }) => verdict === 'clear' && direction === way(effect),
      ),
      wrong: percent(told, ({ direction, effect }) => direction === way(-effect)),
    };
  });
}

export const plantedRows = (found: readonly Found[]): Row[] =>
  found.map(({ logs, bestFirst, aggravatingLast, right, clear, wrong }) => [
    `about ${logs}`,
    bestFirst,
    aggravatingLast,
    right,
    clear,
    wrong,
  ]);

/** How often the best exercise comes first, by the adjusted change and by the raw one. */
export function orders(times: number): Row[] {
  return orderWorlds.map((world) => {
    const random = generator(world.days);
    let [adjusted, raw] = [0, 0];
    for (let i = 0; i < times; i += 1) {
      const logs: SessionFields[] = [];
      for (const { day, sessions } of daysOf(world, random))
        for (const { which, painBefore, painAfter } of sessions)
          logs.push(log({ exerciseName: String(which), date: dayOf(20_000 + day), painBefore, painAfter }));
      const { exercises } = summarize(logs);
      const [best] = exercises.toSorted((a, b) => a.meanChange - b.meanChange);
      if (exercises[0]?.exerciseName === '0') adjusted += 1;
      if (best?.exerciseName === '0') raw += 1;
    }
    return [world.name, (100 * adjusted) / times, (100 * raw) / times];
  });
}
