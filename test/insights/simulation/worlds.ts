import type { DiarySession } from '../../../src/insights/marks.ts';
import { clamp, normal } from './laws.ts';

/** A made-up person, whose exercises do what is said here and nothing else. */
export interface World {
  readonly name: string;
  readonly days: number;
  /** Mean and standard deviation of the first pain of a day, and its autocorrelation by days. */
  readonly base?: number;
  readonly spread?: number;
  readonly resemblance?: number;
  /** What the first pain of a day is higher by, slowly. */
  readonly level?: (day: number) => number;
  /** Standard deviation of pain after, and the autocorrelation of what is not the exercise, by sessions. */
  readonly deviation?: number;
  readonly memory?: number;
  /** The same by the sessions of each exercise, in place of the other. */
  readonly ownMemory?: number;
  /** The share of its distance from the base that pain falls back by in a session, whatever is done. */
  readonly relapse?: number;
  /** Standard deviation of the first pain of a day as it is recorded about what is felt; exercises are chosen by what is felt. */
  readonly rating?: number;
  /** Pain is recorded in the morning, and by the afternoon moves by this standard deviation; most of it is there the next day. */
  readonly afternoon?: number;
  /** By exercise, in points: on pain after, and on the first pain of the next day. */
  readonly effects: readonly number[];
  readonly nextDay?: readonly number[];
  /** The same on the first pain of the day after next. */
  readonly inTwoDays?: readonly number[];
  /** What else moves pain after, which no record shows. */
  readonly hidden?: (pain: number, day: number) => number;
  /** By how much a tablet that is taken on such a day, and recorded, moves pain after; 0 for none. */
  readonly tablet?: (pain: number, exercises: readonly number[], random: () => number) => number;
  /** Whether it does so in the first session only. */
  readonly isBrief?: boolean;
  /** Whether one pair of numbers is entered for all exercises of a day. */
  readonly isOnePair?: boolean;
  /** The share of days on which the numbers of the last session of each exercise are entered again. */
  readonly copies?: number;
  /** Whether every session is entered twice. */
  readonly isTwice?: boolean;
  /** Whether pain is recorded twice on days without exercise. */
  readonly recordsRest?: boolean;
  /** The exercises of a day, in order; none on some days. */
  readonly chooses: (
    pain: number,
    day: number,
    random: () => number,
    last: ReadonlyMap<number, { change: number; day: number }>,
  ) => readonly number[];
}

export interface WorldSession extends Omit<DiarySession, 'averages'> {
  /** Which of the world's exercises it is. */
  readonly which: number;
}

export interface WorldDay {
  readonly day: number;
  /** The first pain, whether there was a session or not. */
  readonly pain: number;
  /** The pain later on, where it was recorded on a day without exercise. */
  readonly later?: number;
  readonly sessions: readonly WorldSession[];
}

/** The share of the pain of an afternoon that is there the next day. */
const LASTING = 0.6;

/** 1970-01-05, so that the first day of a world is a Monday. */
export const MONDAY = 4;

/** The days of a diary, one by one. */
export function* daysOf(world: World, random: () => number): Generator<WorldDay> {
  const {
    days,
    base = 5.5,
    spread = 1.5,
    resemblance = 0,
    deviation = 1.5,
    memory = 0,
    ownMemory,
    relapse = 0.5,
  } = world;
  const [own, rho] = [new Map<number, number>(), ownMemory ?? memory];
  const numbers = new Map<number, number>();
  const last = new Map<number, { change: number; day: number }>();
  const entered = new Map<number, WorldSession>();
  let [pain, noise, carried, sore] = [normal(random), normal(random), 0, 0];
  for (let day = 0; day < days; day += 1) {
    pain = resemblance * pain + Math.sqrt(1 - resemblance ** 2) * normal(random);
    const felt = clamp(base + (world.level?.(day) ?? 0) + spread * pain + carried);
    const first = world.rating ? clamp(felt + world.rating * normal(random)) : felt;
    let now = world.afternoon ? clamp(felt + world.afternoon * normal(random)) : felt;
    carried = (world.afternoon ? LASTING * (now - base) : 0) + sore;
    sore = 0;
    let sessions: WorldSession[] = [];
    const chosen = world.chooses(now, day, random, last);
    const tablet = world.tablet?.(first, chosen, random) ?? 0;
    for (const which of chosen) {
      const resembled = ownMemory === undefined ? noise : (own.get(which) ?? normal(random));
      noise = rho * resembled + Math.sqrt(1 - rho ** 2) * normal(random);
      own.set(which, noise);
      const painBefore = world.rating && sessions.length === 0 ? first : now;
      const taken = world.isBrief && sessions.length > 0 ? 0 : tablet;
      const hidden = (world.hidden?.(first, day) ?? 0) + taken;
      const moved = relapse * (base - now) + (world.effects[which] ?? 0) + hidden;
      now = clamp(now + moved + deviation * noise);
      last.set(which, { change: now - painBefore, day });
      carried += world.nextDay?.[which] ?? 0;
      sore += world.inTwoDays?.[which] ?? 0;
      const exercise = numbers.get(which) ?? numbers.size;
      numbers.set(which, exercise);
      sessions.push({
        which,
        exercise,
        day: MONDAY + day,
        place: sessions.length,
        first,
        weekend: isWeekend(day),
        medicated: tablet !== 0,
        justTaken: tablet !== 0 && sessions.length === 0,
        painBefore,
        painAfter: now,
      });
    }
    const painBefore = sessions[0]?.painBefore ?? 0;
    if (world.isOnePair) sessions = sessions.map((session) => ({ ...session, painBefore, painAfter: now }));
    if (world.copies) {
      const isCopied = random() < world.copies;
      const pairs = sessions.map((session) => (isCopied && entered.get(session.which)) || session);
      const first = pairs[0]?.painBefore ?? 0;
      sessions = sessions.map((session, i) => {
        const { painBefore, painAfter } = pairs[i] as WorldSession;
        return { ...session, first, painBefore, painAfter };
      });
      for (const session of sessions) entered.set(session.which, session);
    }
    if (world.isTwice)
      sessions = sessions
        .flatMap((session) => [session, session])
        .map((session, place) => ({ ...session, place }));
    if (world.recordsRest && sessions.length === 0) {
      const moved = relapse * (base - now) + (world.hidden?.(first, day) ?? 0);
      yield {
        day: MONDAY + day,
        pain: first,
        later: clamp(now + moved + deviation * normal(random)),
        sessions,
      };
    } else yield { day: MONDAY + day, pain: sessions[0]?.first ?? first, sessions };
  }
}

export const isWeekend = (day: number) => day % 7 >= 5;

type Chooses = World['chooses'];
const anyOf = (from: number, to: number, random: () => number) => from + Math.floor(random() * (to - from));
/** One of so many, every day. */
export const one =
  (count: number): Chooses =>
  (_, __, random) => [anyOf(0, count, random)];
/** The first one where the pain is so, else one of the others. */
const firstIf =
  (isSo: (pain: number, day: number) => boolean, count: number): Chooses =>
  (pain, day, random) => [isSo(pain, day) ? 0 : anyOf(1, count, random)];

export function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const all = [...items];
  for (let i = all.length - 1; i > 0; i -= 1) {
    const j = anyOf(0, i + 1, random);
    [all[i], all[j]] = [all[j] as T, all[i] as T];
  }
  return all;
}

const inOrder =
  (shuffle: number, items = [0, 1, 2]): Chooses =>
  (_, __, random) =>
    random() < shuffle ? shuffled(items, random) : items;

const zeros = (count: number, ...first: readonly number[]): number[] =>
  Array.from({ length: count }, (_, i) => first[i] ?? 0);

const sd = (deviation: number) => `sd ${deviation}`;

const copyingWorld = (copies: number): World => ({
  name: `four inert ones, 300 logs, on ${100 * copies} % of days the numbers of the exercise’s last session again`,
  days: 300,
  copies,
  effects: zeros(4),
  chooses: one(4),
});

/** Who chooses by what is felt knows more of the pain before than its rating. */
const feltWorld = (rating: number): World => ({
  name: `an inert one mostly when little pain is felt, rated with an error of ${rating}, when pain eases by 1 whatever is done`,
  days: 300,
  resemblance: 0.8,
  rating,
  relapse: 0,
  deviation: 0.8,
  effects: zeros(3),
  hidden: () => -1,
  chooses: (felt, _, random) => [felt <= 4 && random() < 0.8 ? 0 : anyOf(1, 3, random)],
});

/** Worlds in which false marks are counted; the bound is in percent of patients. */
export const markWorlds: readonly (World & { readonly bound: number })[] = [
  ...[0, 0.3, 1].map((shuffle) => ({
    name: `a routine of three, ${shuffle === 0 ? 'in one order' : `shuffled on ${100 * shuffle} % of days`}, the first −2`,
    bound: 5,
    days: 40,
    effects: [-2, 0, 0],
    chooses: inOrder(shuffle),
  })),
  {
    name: 'a routine of three, shuffled on 30 % of days, −2, −1 and 0',
    bound: 5,
    days: 40,
    effects: [-2, -1, 0],
    chooses: inOrder(0.3),
  },
  ...['bad', 'good'].map((kind) => ({
    name: `an inert one on ${kind} days only`,
    bound: 10,
    days: 150,
    effects: zeros(4),
    chooses: firstIf((pain) => (kind === 'bad' ? pain >= 7 : pain <= 4), 4),
  })),
  {
    name: 'an inert one on good days only, −2 among the others',
    bound: 5,
    days: 150,
    effects: zeros(4, 0, -2),
    chooses: firstIf((pain) => pain <= 4, 4),
  },
  {
    name: 'an inert one on bad days only, +2 among the others',
    bound: 5,
    days: 150,
    effects: zeros(4, 0, 2),
    chooses: firstIf((pain) => pain >= 7, 4),
  },
  {
    name: 'four inert ones, sessions from pain 6 on only',
    bound: 10,
    days: 240,
    effects: zeros(4),
    chooses: (pain, _, random) => (pain >= 6 ? [anyOf(0, 4, random)] : []),
  },
  {
    name: 'a routine of three, one of them last when pain is above 5, else in any order, autocorrelation 0.7',
    bound: 5,
    days: 240,
    resemblance: 0.6,
    deviation: 1,
    memory: 0.7,
    effects: zeros(3),
    chooses: (pain, _, random) => (pain > 5 ? [1, 2, 0] : shuffled([0, 1, 2], random)),
  },
  { ...copyingWorld(0.3), bound: 7 },
  {
    name: 'four inert ones, every session entered twice',
    bound: 5,
    days: 150,
    isTwice: true,
    effects: zeros(4),
    chooses: one(4),
  },
  {
    name: 'four, sessions up to pain 4 only, the first −2',
    bound: 5,
    days: 240,
    effects: zeros(4, -2),
    chooses: (pain, _, random) => (pain <= 4 ? [anyOf(0, 4, random)] : []),
  },
  {
    name: 'two, sessions up to pain 4 only, the first −2',
    bound: 5,
    days: 240,
    effects: zeros(2, -2),
    chooses: (pain, _, random) => (pain <= 4 ? [anyOf(0, 2, random)] : []),
  },
  {
    name: 'two, sessions from pain 6 on only, the first +2',
    bound: 5,
    days: 240,
    effects: zeros(2, 2),
    chooses: (pain, _, random) => (pain >= 6 ? [anyOf(0, 2, random)] : []),
  },
  {
    name: 'four, sessions from pain 6 on only, three of them +1',
    bound: 5,
    days: 240,
    effects: [0, 1, 1, 1],
    chooses: (pain, _, random) => (pain >= 6 ? [anyOf(0, 4, random)] : []),
  },
  {
    name: 'two, sessions mostly from pain 7 on, the first +2',
    bound: 50,
    days: 240,
    effects: zeros(2, 2),
    chooses: (pain, _, random) =>
      random() < 1 / (1 + Math.exp(10.5 - 1.5 * pain)) ? [anyOf(0, 2, random)] : [],
  },
  { name: 'four, two of them +2', bound: 5, days: 150, effects: [2, 2, 0, 0], chooses: one(4) },
  { name: 'four inert ones, base pain 3', bound: 5, days: 150, base: 3, effects: zeros(4), chooses: one(4) },
  ...[1, 1.5, 2, 2.5].map((deviation) => ({
    name: `eight inert ones, 300 logs, ${sd(deviation)}`,
    bound: 10,
    days: 300,
    deviation,
    effects: zeros(8),
    chooses: one(8),
  })),
  ...[0.3, 0.6].map((memory) => ({
    name: `eight inert ones, 300 logs, autocorrelation ${memory}`,
    bound: 10,
    days: 300,
    memory,
    effects: zeros(8),
    chooses: one(8),
  })),
  {
    name: 'an inert one at weekends only, when pain eases by 1 more',
    bound: 5,
    days: 210,
    effects: zeros(4),
    hidden: (_, day) => (isWeekend(day) ? -1 : 0),
    chooses: (_, day, random) => [isWeekend(day) ? 0 : anyOf(1, 4, random)],
  },
  {
    name: 'an inert one mostly at weekends, when pain eases by 1 more',
    bound: 5,
    days: 210,
    effects: zeros(4),
    hidden: (_, day) => (isWeekend(day) ? -1 : 0),
    chooses: (_, day, random) => [random() < (isWeekend(day) ? 0.5 : 0.15) ? 0 : anyOf(1, 4, random)],
  },
  {
    name: '−2 mostly at weekends, when pain eases by 1 more',
    bound: 5,
    days: 210,
    effects: zeros(4, -2),
    hidden: (_, day) => (isWeekend(day) ? -1 : 0),
    chooses: (_, day, random) => [random() < (isWeekend(day) ? 0.5 : 0.15) ? 0 : anyOf(1, 4, random)],
  },
  {
    name: '−2 on weekdays, an inert one at weekends only',
    bound: 5,
    days: 210,
    effects: zeros(5, -2),
    chooses: (_, day, random) => [isWeekend(day) ? 4 : anyOf(0, 4, random)],
  },
  {
    name: 'a tablet (−2) before an inert one on most days, seldom before others, recorded',
    bound: 5,
    days: 150,
    effects: zeros(4),
    tablet: (_, [which], random) => (random() < (which === 0 ? 0.8 : 0.1) ? -2 : 0),
    chooses: one(4),
  },
  {
    name: 'a tablet (−2.5) that lasts for one session, before a routine of three that then begins with an inert one, recorded',
    bound: 5,
    days: 200,
    effects: zeros(3),
    isBrief: true,
    // The first one begins by chance on a third of the other days.
    tablet: (_, [which], random) => (which === 0 && random() < 0.75 ? -2.5 : 0),
    chooses: (_, __, random) =>
      random() < 0.5 ? [0, ...shuffled([1, 2], random)] : shuffled([0, 1, 2], random),
  },
  {
    name: 'one takes the place of another, while pain falls by 4',
    bound: 5,
    days: 180,
    effects: zeros(3),
    level: (day) => 2 - day / 45,
    chooses: (_, day, random) => [random() < 0.4 ? 2 : Number(day >= 90)],
  },
  {
    name: 'an inert one mostly from pain 7 on, when only pain above 6 falls by itself',
    bound: 5,
    days: 240,
    relapse: 0,
    effects: zeros(3),
    hidden: (pain) => -0.7 * Math.max(0, pain - 6),
    chooses: (pain, _, random) => [pain >= 7 && random() < 0.8 ? 0 : anyOf(1, 3, random)],
  },
  {
    name: 'four inert ones, each for a month, autocorrelation 0.6',
    bound: 10,
    days: 240,
    memory: 0.6,
    effects: zeros(4),
    chooses: (_, day) => [Math.floor(day / 30) % 4],
  },
  {
    name: 'each of four for two months, what falls by itself grows by 3 over eight',
    bound: 5,
    days: 240,
    effects: zeros(4),
    hidden: (_, day) => -day / 80,
    chooses: (_, day, random) => [random() < 0.3 ? anyOf(0, 4, random) : Math.floor(day / 60)],
  },
  {
    name: 'one takes the place of another when all falls by 1.5 more, a third in both',
    bound: 5,
    days: 180,
    effects: zeros(3),
    hidden: (_, day) => (day >= 90 ? -1.5 : 0),
    chooses: (_, day, random) => [random() < 0.4 ? 2 : Number(day >= 75 + anyOf(0, 30, random))],
  },
  {
    name: 'each of four in its season, and all falls by 1 more in summer, two years',
    bound: 5,
    days: 730,
    effects: zeros(4),
    hidden: (_, day) => -Math.sin((2 * Math.PI * day) / 365),
    chooses: (_, day, random) =>
      random() < 0.5 ? [] : [random() < 0.3 ? anyOf(0, 4, random) : Math.floor(day / 92) % 4],
  },
  { ...feltWorld(0.5), bound: 5 },
  {
    name: 'one pair of numbers a day for all that was done, −2 and an inert one mostly together',
    bound: 5,
    days: 200,
    relapse: 0.2,
    effects: zeros(4, -2),
    isOnePair: true,
    chooses: (_, __, random) => {
      const isFirst = random() < 0.5;
      return [isFirst ? 1 : 0, isFirst ? 0.95 : 0.05, 0.5, 0.5].flatMap((share, which) =>
        random() < share ? [which] : [],
      );
    },
  },
  { name: 'seven inert ones and −2, 300 logs', bound: 5, days: 300, effects: zeros(8, -2), chooses: one(8) },
  { name: 'seven inert ones and +2, 300 logs', bound: 5, days: 300, effects: zeros(8, 2), chooses: one(8) },
];

const unlessResting =
  (rest: number, chooses: Chooses): Chooses =>
  (pain, day, random, last) =>
    random() < rest ? [] : chooses(pain, day, random, last);

/** Days without exercise, with their pain: a control where exercises look alike. */
export const restWorlds: readonly (World & { readonly bound: number })[] = [
  {
    name: 'four inert ones, pain recorded on a third of days without',
    bound: 5,
    days: 150,
    effects: zeros(4),
    recordsRest: true,
    chooses: unlessResting(1 / 3, one(4)),
  },
  {
    name: 'four inert ones from pain 6 on, pain recorded on the other days',
    bound: 10,
    days: 240,
    effects: zeros(4),
    recordsRest: true,
    chooses: (pain, _, random) => (pain >= 6 ? [anyOf(0, 4, random)] : []),
  },
  {
    name: 'one inert one, pain recorded on a third of days without',
    bound: 5,
    days: 150,
    effects: [0],
    recordsRest: true,
    chooses: unlessResting(1 / 3, one(1)),
  },
  {
    name: 'four of −2 each, pain recorded on a third of days without',
    bound: 5,
    days: 150,
    effects: [-2, -2, -2, -2],
    recordsRest: true,
    chooses: unlessResting(1 / 3, one(4)),
  },
  {
    name: 'one of −2 alone, pain recorded on a third of days without',
    bound: 5,
    days: 60,
    effects: [-2],
    recordsRest: true,
    chooses: unlessResting(1 / 3, one(1)),
  },
];

/** What the method cannot know: what is said where habits and something hidden go together. Nothing here does anything. */
export const hiddenWorlds: readonly World[] = [
  {
    name: 'one exercise in the mornings only, when pain eases by 1 more whatever is done',
    days: 180,
    effects: zeros(3),
    // Mornings and evenings take turns.
    hidden: (_, day) => (day % 2 === 0 ? -1 : 0),
    chooses: (_, day, random) => [day % 2 === 0 ? 0 : anyOf(1, 3, random)],
  },
  {
    name: 'one exercise on Wednesdays only, when pain eases by 1 more whatever is done',
    days: 210,
    effects: zeros(4),
    hidden: (_, day) => (day % 7 === 2 ? -1 : 0),
    chooses: (_, day, random) => [day % 7 === 2 ? 0 : anyOf(1, 4, random)],
  },
  {
    name: 'a tablet (−2) that is not recorded, on days from pain 7 on, one exercise on most of those',
    days: 210,
    effects: zeros(4),
    hidden: (pain) => (pain >= 7 ? -2 : 0),
    chooses: (pain, _, random) => [random() < (pain >= 7 ? 0.6 : 0.1) ? 0 : anyOf(1, 4, random)],
  },
  {
    name: 'one takes the place of another on the day from which all falls by 1.5 more, a third in both',
    days: 180,
    effects: zeros(3),
    hidden: (_, day) => (day >= 90 ? -1.5 : 0),
    chooses: (_, day, random) => [random() < 0.4 ? 2 : Number(day >= 90)],
  },
  {
    name: 'each of four for a month, while what falls by itself comes and goes by 1 in four months',
    days: 240,
    effects: zeros(4),
    hidden: (_, day) => -Math.sin((2 * Math.PI * day) / 120),
    chooses: (_, day, random) => [random() < 0.3 ? anyOf(0, 4, random) : Math.floor(day / 30) % 4],
  },
  feltWorld(0.8),
  copyingWorld(0.5),
  copyingWorld(0.8),
  ...[0.3, 0.6].map((ownMemory) => ({
    name: `four inert ones, 300 logs, each like its own last one, autocorrelation ${ownMemory}`,
    days: 300,
    ownMemory,
    effects: zeros(4),
    chooses: one(4),
  })),
  {
    name: 'three of four +1, while all falls by 1 whatever is done',
    days: 240,
    effects: [0, 1, 1, 1],
    hidden: () => -1,
    chooses: one(4),
  },
  {
    name: 'each exercise left alone for a week after a rise of 2',
    days: 300,
    effects: zeros(4),
    chooses: (_, day, random, last) => {
      const left = [0, 1, 2, 3].filter((which) => {
        const before = last.get(which);
        return before === undefined || before.change < 2 || day - before.day > 7;
      });
      return left.length === 0 ? [] : [left[anyOf(0, left.length, random)] as number];
    },
  },
];

/** What is found where nothing confounds: −2, eight sessions of it, one of four exercises, the first of its day. */
export const powerWorlds: readonly World[] = [1, 1.5].map((deviation) => ({
  name: `−2 among four, 8 sessions, ${sd(deviation)}`,
  days: 32,
  deviation,
  spread: 1.2,
  relapse: 0,
  effects: [-2, 0, 0, 0],
  chooses: (_, day) => [(day + 1) % 4],
}));

/** Where the best exercise, the first, has an unequal chance. */
export const orderWorlds: readonly World[] = [
  {
    name: '−2 on good days, an inert one on bad days',
    days: 300,
    effects: [-2, 0, 0, 0],
    chooses: (pain, _, random) => [pain <= 4 ? 0 : pain >= 7 ? 1 : anyOf(2, 4, random)],
  },
  {
    name: '−2 in the first of six months, what falls by itself grows by 3',
    days: 180,
    effects: [-2, 0, 0, 0],
    hidden: (_, day) => -day / 60,
    chooses: (_, day, random) => [day < 30 ? anyOf(0, 4, random) : anyOf(1, 4, random)],
  },
];
