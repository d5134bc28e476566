import { dayOf } from '../../../src/domain/words/day.ts';
import { latelyOf, versusOthers } from '../../../src/insights/comparisons.ts';
import { isWeekend as isWeekendDay, type Period } from '../../../src/insights/days.ts';
import { Marks } from '../../../src/insights/marks.ts';
import { NextDay } from '../../../src/insights/next-day.ts';
import { RecentPain } from '../../../src/insights/recent-pain.ts';
import type { Direction } from '../../../src/insights/shapes.ts';
import { autoregression } from '../../../src/insights/stats/autoregression.ts';
import { tInterval } from '../../../src/insights/stats/estimate.ts';
import type { Interval } from '../../../src/insights/stats/points.ts';
import { summarizeTrend } from '../../../src/insights/trend.ts';
import { comparePeriods, generator, log } from '../helpers.ts';
import { clamp, normal } from './laws.ts';
import type { Row } from './means.ts';
import { daysOf, isWeekend, MONDAY, one, type World, type WorldSession } from './worlds.ts';

/** What is said, ever, to somebody who looks every day; in percent of patients. */

/** What was ever said of each exercise of a world. */
type Said = Record<Direction | `${Direction}Relief`, Set<number>>;

/** A diary as somebody sees it who looks every day. */
interface Look {
  readonly marks: Marks;
  /** By exercise. */
  readonly sessions: readonly number[];
  readonly today: readonly WorldSession[];
}

function* looks(world: World, random: () => number): Generator<Look> {
  const marks = new Marks(world.effects.length, MONDAY, world.days);
  const sessions: number[] = [];
  const recent = new RecentPain();
  for (const day of daysOf(world, random)) {
    if (day.sessions.length === 0 && day.later === undefined) continue;
    const averages = recent.add(day.pain);
    for (const session of day.sessions) {
      marks.add({ ...session, averages });
      sessions[session.exercise] = (sessions[session.exercise] ?? 0) + 1;
    }
    if (day.later !== undefined) {
      const weekend = isWeekendDay(day.day);
      const pains = { first: day.pain, painBefore: day.pain, painAfter: day.later };
      marks.addRest({ day: day.day, ...pains, averages, weekend, medicated: false, justTaken: false });
    }
    marks.endDay();
    yield { marks, sessions, today: day.sessions };
  }
  marks.end();
}

function live(world: World, random: () => number): Said {
  const said: Said = { less: new Set(), more: new Set(), lessRelief: new Set(), moreRelief: new Set() };
  const exercises = new Map<number, number>();
  const claimed = (marks: Marks, exercise: number, which: number) => {
    const claim = marks.claim(exercise);
    if (claim) said[claim].add(which);
  };
  let last: Marks | undefined;
  for (const { marks, sessions, today } of looks(world, random)) {
    for (const { exercise, which } of today) {
      claimed(marks, exercise, which);
      const { verdict } = versusOthers(marks, sessions, exercise);
      if (verdict === 'less' || verdict === 'more') said[`${verdict}Relief`].add(which);
      exercises.set(exercise, which);
    }
    last = marks;
  }
  // The marks of the last day, of what was given up earlier too.
  for (const [exercise, which] of exercises) if (last) claimed(last, exercise, which);
  return said;
}

/** False marks, false “less relief” where one is as bad or “more relief” where none is worse, and the true mark of the first one. */
export function falseMarks(worlds: readonly World[], times: number): Row[] {
  return worlds.map((world) => {
    const random = generator(world.name.length + world.days);
    let [marks, relief, found] = [0, 0, 0];
    const isFalse = (which: number, way: number) => Math.sign(world.effects[which] ?? 0) !== way;
    const others = world.effects
      .map((effect, which) => ({ effect, which }))
      .filter(({ effect }) => effect !== 0);
    for (let i = 0; i < times; i += 1) {
      const said = live(world, random);
      if (
        [...said.less].some((which) => isFalse(which, -1)) ||
        [...said.more].some((which) => isFalse(which, 1))
      )
        marks += 1;
      if (
        [...said.lessRelief].some((which) => !isWorst(world, which)) ||
        [...said.moreRelief].some((which) => world.effects[which] === Math.max(...world.effects))
      )
        relief += 1;
      const [best] = others.toSorted((a, b) => Math.abs(b.effect) - Math.abs(a.effect));
      if (best && said[best.effect < 0 ? 'less' : 'more'].has(best.which)) found += 1;
    }
    const percent = (count: number) => (100 * count) / times;
    return [world.name, percent(marks), percent(relief), others.length > 0 ? percent(found) : '–'];
  });
}

/** Whether each of the other exercises is better than this one. */
const isWorst = ({ effects }: World, which: number): boolean =>
  effects.every((effect, other) => other === which || effect < (effects[which] ?? 0));

/** First-order autoregression with a standard deviation of 1. */
function resembling(autocorrelation: number, random: () => number): () => number {
  let last = normal(random);
  return () => {
    const now = last;
    last = autocorrelation * last + Math.sqrt(1 - autocorrelation ** 2) * normal(random);
    return now;
  };
}

/** A random walk that moves by a third of a standard deviation a day. */
function wandering(random: () => number): () => number {
  let now = 0;
  return () => {
    now += normal(random) / 3;
    return now;
  };
}

/** What lasts, with a share of the variance, under what differs from one day to the next. */
function beneath(share: number, lasting: () => number, random: () => number): () => number {
  return () => Math.sqrt(share) * lasting() + Math.sqrt(1 - share) * normal(random);
}

interface Course {
  readonly name: string;
  readonly days: number;
  /** From the first day to the last. */
  readonly fall?: number;
  readonly residuals: (random: () => number) => () => number;
}

const courses: readonly Course[] = [
  ...[0, 0.3, 0.6, 0.8].flatMap((autocorrelation) =>
    [
      [42, 0],
      [100, 0],
      [150, 0],
      [300, 0],
      [150, -2],
    ].map(([days = 0, fall = 0]) => ({
      name: `${fall === 0 ? 'flat' : '−2'}, ${days} days, autocorrelation ${autocorrelation}`,
      days,
      fall,
      residuals: (random: () => number) => resembling(autocorrelation, random),
    })),
  ),
  {
    name: 'wandering, 180 days, autocorrelation 0.95',
    days: 180,
    residuals: (random) => resembling(0.95, random),
  },
  ...[0.8, 0.95].map((autocorrelation) => ({
    name: `wandering under what differs from day to day, 300 days, autocorrelation ${autocorrelation}`,
    days: 300,
    residuals: (random: () => number) => beneath(0.7, resembling(autocorrelation, random), random),
  })),
  { name: 'wandering, 180 days, a random walk', days: 180, residuals: wandering },
];

/** Every other day, sd 1.5 around a line: how often a trend is called, each way, and how often the interval covers. */
export function trends(times: number): Row[] {
  return courses.map(({ name, days, fall = 0, residuals }): Row => {
    const random = generator(days + name.length);
    const length = days / 2;
    const times2 = Float64Array.from({ length }, (_, i) => 2 * i);
    const y = new Float64Array(length);
    let [falling, rising, covers] = [0, 0, 0];
    for (let i = 0; i < times; i += 1) {
      const next = residuals(random);
      for (let day = 0; day < days; day += 1) {
        const noise = next();
        if (day % 2 === 0) y[day / 2] = clamp(5.5 + fall * (day / days - 0.5) + 1.5 * noise);
      }
      const slope = autoregression({ times: times2, x: times2, y, length });
      const [low, high] = slope ? tInterval(slope) : [-1, 1];
      if (high < 0) falling += 1;
      if (low > 0) rising += 1;
      if (low <= fall / days && fall / days <= high) covers += 1;
    }
    const percent = (count: number) => (100 * count) / times;
    return [name, percent(falling), percent(rising), percent(covers)];
  });
}

/** How often a difference of two periods is told, and how often its interval holds it: a true 0 and a true −2. */
function periodsRow(
  name: string,
  seed: number,
  times: number,
  intervalOf: (difference: number, random: () => number) => Readonly<Interval>,
): Row {
  const random = generator(seed);
  const [none, fall] = [0, -2].map((difference) => {
    let [told, covers] = [0, 0];
    for (let i = 0; i < times; i += 1) {
      const [low, high] = intervalOf(difference, random);
      if (low > 0 || high < 0) told += 1;
      if (low <= difference && difference <= high) covers += 1;
    }
    return [(100 * told) / times, (100 * covers) / times];
  }) as [[number, number], [number, number]];
  return [name, none[0], fall[0], none[1]];
}

/** Sd 1.5: the last four weeks against those before, of the pain of every other day, and of the changes of a session a day. */
export function periods(times: number): Row[] {
  const ofDays = (autocorrelation: number) => (difference: number, random: () => number) => {
    const next = resembling(autocorrelation, random);
    const pains = Array.from({ length: 56 }, (_, day) => {
      const pain = clamp(5.5 + (day < 28 ? 0 : difference) + 1.5 * next());
      return [dayOf(20_000 + day), { pain, kind: null, sessions: 1 }] as const;
    });
    const days = new Map(pains.filter((_, day) => day % 2 === 0));
    return summarizeTrend(days, dayOf(20_055)).changeInterval ?? [0, 0];
  };
  const ofSessions = (autocorrelation: number) => (difference: number, random: () => number) => {
    const next = resembling(autocorrelation, random);
    const logs = Array.from({ length: 56 }, (_, day) => {
      const painBefore = clamp(5.5 + 1.2 * normal(random));
      const painAfter = clamp(painBefore + (day < 28 ? 0 : difference) + 1.5 * next());
      return log({ date: dayOf(20_000 + day), painBefore, painAfter });
    });
    const [first, second] = [0, 28].map((start) => ({
      since: dayOf(20_000 + start),
      until: dayOf(20_027 + start),
    })) as [Period, Period];
    return comparePeriods(logs, first, second).meanChange.interval ?? [0, 0];
  };
  return [
    ...[0, 0.3, 0.6, 0.8].map((autocorrelation) =>
      periodsRow(
        `pain of days, autocorrelation ${autocorrelation}`,
        56 + 100 * autocorrelation,
        times,
        ofDays(autocorrelation),
      ),
    ),
    ...[0, 0.3, 0.6].map((autocorrelation) =>
      periodsRow(
        `changes of sessions, autocorrelation ${autocorrelation}`,
        28 + 100 * autocorrelation,
        times,
        ofSessions(autocorrelation),
      ),
    ),
  ];
}

const half = (random: () => number) => random() < 0.5;

/** The first exercise adds 1.5 to the next day; done on half the days, 60 days. */
const harmful: readonly (World & { readonly bound: number })[] = [
  {
    name: 'one exercise, pain recorded every day',
    bound: 80,
    days: 60,
    effects: [-1],
    nextDay: [1.5],
    chooses: (_, __, random) => (half(random) ? [0] : []),
  },
  {
    name: 'two, one of them each day',
    bound: 80,
    days: 60,
    effects: [-1, 0],
    nextDay: [1.5],
    chooses: one(2),
  },
  {
    name: 'four, each on half the days',
    bound: 75,
    days: 60,
    effects: [-1, 0, 0, 0],
    nextDay: [1.5],
    chooses: (_, __, random) => [0, 1, 2, 3].filter(() => half(random)),
  },
  {
    name: 'two, one of them each day, pain recorded in the morning too',
    bound: 75,
    days: 60,
    afternoon: 1.5,
    effects: [-1, 0],
    nextDay: [1.5],
    chooses: one(2),
  },
];
export const harmBounds = harmful.map(({ name, bound }) => [name, bound] as const);
const isFlare = (day: number) => day % 60 >= 46;
const harmless: readonly World[] = [
  {
    name: 'one in bad afternoons, pain recorded in the morning too, 180 days',
    days: 180,
    spread: 1.2,
    afternoon: 1.5,
    effects: [0, 0, 0],
    chooses: (pain, _, random) => (pain >= 7 ? [0] : half(random) ? [1 + Math.floor(2 * random())] : []),
  },
  {
    name: 'eight inert ones, one a day, 300 days',
    days: 300,
    effects: [0, 0, 0, 0, 0, 0, 0, 0],
    chooses: one(8),
  },
  {
    name: 'an inert one on bad days only, autocorrelation 0.6, 300 days',
    days: 300,
    resemblance: 0.6,
    effects: [0, 0, 0],
    chooses: (pain, _, random) => [pain >= 6 ? 0 : half(random) ? 1 : 2],
  },
  ...[0, 1].map(
    (before): World => ({
      name: `an inert one mostly in flares of two weeks${before ? ', from the day before' : ', when pain is 3 more, 240 days'}`,
      days: 240,
      effects: [0, 0, 0, 0],
      level: (day) => (isFlare(day) ? 3 : 0),
      chooses: (_, day, random) => [
        random() < (isFlare(day + before) ? 0.7 : 0.1) ? 0 : 1 + Math.floor(3 * random()),
      ],
    }),
  ),
  {
    name: 'one in winter, one in summer, when pain is 3 less, one in both, 365 days',
    days: 365,
    effects: [0, 0, 0],
    level: (day) => 1.5 * Math.cos((2 * Math.PI * day) / 365),
    chooses: (_, day, random) => [half(random) ? 2 : Number(Math.abs(day - 182.5) < 91)],
  },
  {
    name: 'one on Sundays only, when pain is 1.5 less at weekends, 300 days',
    days: 300,
    resemblance: 0.6,
    effects: [0, 0, 0],
    level: (day) => (isWeekend(day) ? -1.5 : 0),
    chooses: (_, day, random) => [day % 7 === 6 ? 0 : half(random) ? 1 : 2],
  },
  {
    name: 'one on half of the weekends, when pain is 1.5 more on Mondays, 300 days',
    days: 300,
    resemblance: 0.6,
    effects: [0, 0, 0],
    level: (day) => (day % 7 === 0 ? 1.5 : 0),
    chooses: (_, day, random) => [isWeekend(day) && half(random) ? 0 : half(random) ? 1 : 2],
  },
  {
    name: 'one takes the place of another, while pain falls by 4 in 180 days',
    days: 180,
    effects: [0, 0],
    level: (day) => 2 - day / 45,
    chooses: (_, day, random) => [Number(random() < day / 180)],
  },
  {
    name: 'one adds 1.5 to the day after next, another is mostly done on the day after it, 180 days',
    days: 180,
    effects: [0, 0, 0],
    inTwoDays: [1.5],
    chooses: (_, day, random, last) => [
      last.get(0)?.day === day - 1
        ? random() < 0.8
          ? 1
          : 2
        : ([0, 0, 1, 2][Math.floor(4 * random())] as number),
    ],
  },
  {
    name: 'ten, each on a third of the days, 180 days',
    days: 180,
    effects: Array(10).fill(0),
    chooses: (_, __, random) => Array.from({ length: 10 }, (_, i) => i).filter(() => random() < 1 / 3),
  },
];

/**
 * How often “worse the next day” is ever said of the first exercise, and of any other, and how often the interval of the first holds
 * the truth at the end; days without exercise have a known pain.
 */
export function nextDays(times: number): Row[] {
  return [...harmful, ...harmless].map((world): Row => {
    const random = generator(world.name.length);
    let [named, falsely, holds] = [0, 0, 0];
    for (let i = 0; i < times; i += 1) {
      const nextDay = new NextDay(world.effects.length);
      const recent = new RecentPain();
      const worse = new Set<number>();
      let first = 0;
      for (const { day, pain, sessions } of daysOf(world, random)) {
        const done = new Set(sessions.map(({ exercise }) => exercise));
        const later = world.afternoon ? sessions[0]?.painBefore : undefined;
        nextDay.add({ day, pain, later, averages: recent.add(pain), done });
        for (const { exercise, which } of sessions) {
          if (nextDay.isWorse(exercise)) worse.add(which);
          if (which === 0) first = exercise;
        }
      }
      const harms = [...worse].filter((which) => world.nextDay?.[which]);
      if (harms.length > 0) named += 1;
      if (worse.size > harms.length) falsely += 1;
      const [low, high] = nextDay.found(first)?.interval ?? [-9, 9];
      const [truth = 0] = world.nextDay ?? [];
      if (low <= truth && truth <= high) holds += 1;
    }
    const percent = (count: number) => (100 * count) / times;
    return [world.name, world.nextDay ? percent(named) : '–', percent(falsely), percent(holds)];
  });
}

/** How often “no noticeable difference” is ever said, by sessions. */
export function noDifferences(times: number): Row[] {
  const counts = [60, 120, 200];
  return [0, -1].map((effect): Row => {
    const random = generator(403);
    const world: World = {
      name: 'two',
      days: 2 * Math.max(...counts),
      spread: 1.2,
      relapse: 0,
      effects: [effect, 0],
      chooses: (_, day) => [day % 2],
    };
    const first = Array.from({ length: times }, () => {
      for (const { marks, sessions, today } of looks(world, random))
        if (today.some(({ exercise }) => exercise === 0) && marks.isNothing(0)) return sessions[0] as number;
      return Number.POSITIVE_INFINITY;
    });
    return [
      `a true change of ${effect === 0 ? 0 : '−1'}`,
      ...counts.map((count) => (100 * first.filter((sessions) => sessions <= count).length) / times),
    ];
  });
}

/** How often “lately” is said: within 15 sessions of a reversal from −2 to +2 after 30, and ever in 300 without one. */
export function latelys(times: number): Row[] {
  return [0, 0.3, 0.6].map((autocorrelation): Row => {
    const random = generator(100 * autocorrelation + 1);
    const ever = (sessions: number, from: number) => {
      const next = resembling(autocorrelation, random);
      const changes: number[] = [];
      let isSaid = false;
      while (changes.length < sessions && !isSaid) {
        const before = clamp(5.5 + 1.2 * normal(random));
        changes.push(clamp(before + (changes.length < from ? -2 : 2) + 1.5 * next()) - before);
        isSaid = latelyOf(changes) !== null;
      }
      return isSaid;
    };
    let [seen, falsely] = [0, 0];
    for (let i = 0; i < times; i += 1) {
      if (ever(45, 30)) seen += 1;
      if (ever(300, 300)) falsely += 1;
    }
    return [`autocorrelation ${autocorrelation}`, (100 * seen) / times, (100 * falsely) / times];
  });
}
