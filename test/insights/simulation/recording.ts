import { dayOf } from '../../../src/domain/words/day.ts';
import { compareTallies } from '../../../src/insights/compare.ts';
import { Diary } from '../../../src/insights/diary.ts';
import type { Entry } from '../../../src/insights/pain-days.ts';
import { summarize, tallyOf } from '../../../src/insights/summary.ts';
import { generator, log } from '../helpers.ts';
import { clamp, normal } from './laws.ts';
import type { Row } from './means.ts';

/** Who records what, and when, changes within a diary. */

const DAYS = 120;
const HALF = DAYS / 2;
type Random = () => number;

/** A habit: pain in the morning, by the day and by whether there is exercise, and on days without in the evening instead. */
interface Habit {
  readonly name: string;
  /** The fall of pain from the first day to the last. */
  readonly fall?: number;
  /** By how much afternoons are worse than mornings. */
  readonly afternoon?: number;
  readonly exercises?: (pain: number, day: number, random: Random) => boolean;
  readonly entry: (day: number, isExercised: boolean) => Entry['timeOfDay'] | null;
}

const onMost: NonNullable<Habit['exercises']> = (_, __, random) => random() < 0.6;

const habits: readonly Habit[] = [
  {
    name: 'mornings from the middle on, before exercise too; afternoons worse',
    afternoon: 1.5,
    entry: (day) => (day >= HALF ? 'morning' : null),
  },
  {
    name: 'days without exercise from the middle on; exercise from pain 6 on',
    exercises: (pain) => pain >= 6,
    entry: (day, isExercised) => (day >= HALF && !isExercised ? 'morning' : null),
  },
  {
    name: 'days without exercise in the evening, then in the morning; afternoons worse',
    afternoon: 1.5,
    entry: (day, isExercised) => (isExercised ? null : day < HALF ? 'evening' : 'morning'),
  },
  {
    name: 'every morning, exercise on fewer and fewer days; afternoons worse',
    afternoon: 1.5,
    exercises: (_, day, random) => random() < 0.9 - 0.006 * day,
    entry: () => 'morning',
  },
  { name: 'exercise only', entry: () => null },
  {
    name: 'every morning, a true fall of 2; afternoons worse',
    fall: 2,
    afternoon: 1.5,
    entry: () => 'morning',
  },
  {
    name: 'mornings from the middle on, a true fall of 2',
    fall: 2,
    entry: (day) => (day >= HALF ? 'morning' : null),
  },
];

/** How often a trend, and a difference of the two halves, is called. */
export function recordings(times: number): Row[] {
  return habits.map(({ name, fall = 0, afternoon = 0, exercises = onMost, entry }): Row => {
    const random = generator(name.length);
    let [trends, differences] = [0, 0];
    for (let i = 0; i < times; i += 1) {
      const [logs, entries]: [ReturnType<typeof log>[], Entry[]] = [[], []];
      let lasting = normal(random);
      for (let day = 0; day < DAYS; day += 1) {
        lasting = 0.3 * lasting + Math.sqrt(1 - 0.3 ** 2) * normal(random);
        const [date, pain] = [dayOf(20_000 + day), clamp(5.5 + fall * (0.5 - day / DAYS) + 1.5 * lasting)];
        const later = clamp(pain + afternoon);
        const isExercised = exercises(pain, day, random);
        const timeOfDay = entry(day, isExercised);
        if (timeOfDay)
          entries.push({ id: day, date, timeOfDay, pain: timeOfDay === 'morning' ? pain : later });
        if (isExercised)
          logs.push(log({ date, painBefore: later, painAfter: clamp(later - 1 + normal(random)) }));
      }
      const { direction } = summarize(logs, {}, entries).pain ?? {};
      if (direction === 'falling' || direction === 'rising') trends += 1;
      const [first, second] = [0, HALF].map((from) => ({
        since: dayOf(20_000 + from),
        until: dayOf(20_000 + from + HALF - 1),
      })) as [{ since: string; until: string }, { since: string; until: string }];
      const { shift } = compareTallies(
        [tallyOf(logs, first, entries), tallyOf(logs, second, entries)],
        [first, second],
      ).painBefore;
      if (shift === 'lower' || shift === 'higher') differences += 1;
    }
    return [name, (100 * trends) / times, (100 * differences) / times];
  });
}

type Values = readonly Pick<Entry, 'timeOfDay' | 'pain'>[];
const evening = (...pains: readonly number[]): Values =>
  pains.map((pain) => ({ timeOfDay: 'evening', pain }));
const fallen = (pain: number, random: Random) => clamp(pain + 0.5 * (5.5 - pain) - 1 + 1.5 * normal(random));

const rests: readonly { name: string; entries: (pain: number, random: Random) => Values }[] = [
  { name: 'twice in the evening', entries: (pain, random) => evening(pain, fallen(pain, random)) },
  {
    name: 'in the morning and in the evening, which is 1.5 worse',
    entries: (pain, random) => [
      { timeOfDay: 'morning', pain },
      { timeOfDay: 'evening', pain: clamp(pain + 1.5 + 1.5 * normal(random)) },
    ],
  },
  {
    name: 'twice, no time of day, the second 1.5 worse',
    entries: (pain, random) => [{ pain }, { pain: clamp(pain + 1.5 + 1.5 * normal(random)) }],
  },
  {
    name: 'in the evening, again where it got worse',
    entries: (pain, random) => {
      const again = fallen(pain, random);
      return again > pain ? evening(pain, again) : evening(pain);
    },
  },
];

/** How often one exercise that does nothing is marked against days without; looked at every fifteen days. */
export function controls(times: number): Row[] {
  return rests.map(({ name, entries }): Row => {
    const random = generator(name.length);
    let marked = 0;
    for (let i = 0; i < times; i += 1) {
      const diary = new Diary();
      let isMarked = false;
      for (let day = 0; day < DAYS; day += 1) {
        const [date, pain] = [dayOf(20_000 + day), clamp(5.5 + 1.5 * normal(random))];
        if (random() < 1 / 3) for (const value of entries(pain, random)) diary.addEntry({ date, ...value });
        else diary.add(date, 0, { painBefore: pain, painAfter: fallen(pain, random) });
        if (day % 15 === 14 && diary.read(1).marks.claim(0)) isMarked = true;
      }
      if (isMarked) marked += 1;
    }
    return [name, (100 * marked) / times];
  });
}
