import * as z from 'zod';
import { exerciseTypes } from '../domain/exercise-types.ts';
import { responseRuleNames } from '../domain/summary.ts';

/**
 * The shape of a summary and a comparison, as types and as schemas for generated clients. Only a module that imports a schema
 * loads zod. Figures are rounded to 4 decimals; changes are painAfter − painBefore in points, shares 0 to 1.
 */

/** Data that is read-only at every depth. */
type Data<T> = { readonly [K in keyof T]: Data<T[K]> };

/** The schemas with names, which become components of the OpenAPI document. */
export const summarySchemas = z.registry<{ id: string }>();

const named = <S extends z.ZodRawShape>(id: string, shape: S) =>
  z.strictObject(shape).register(summarySchemas, { id });

const day = z.iso.date();
const count = z.int().min(0);
const share = z.number().min(0).max(1);
const leftOut = count.describe('Records after today, or before birth: in no figure');
const points = z.number().min(-9).max(9);
const level = z.number().min(1).max(10);
const interval = z.tuple([z.number(), z.number()]).describe('A 95 % interval, low and high');
const sequence = z
  .tuple([z.number(), z.number()])
  .describe('A 90 % confidence sequence, low and high: holds for looks after every session');
const standardDeviation = z
  .number()
  .min(0)
  .describe('Of one session, in points; moderated towards at least 1.5 (Smyth 2004)');

const rule = named('ResponseRule', {
  name: z.enum(responseRuleNames),
  points: z.number().describe('A fall of at least so many points is a response…'),
  percent: z.number().describe('…and so is one of at least so many percent of the pain before'),
  source: z.string().describe('Where the thresholds come from'),
});
/** When a session counts as a meaningful response. */
export type ResponseRule = Data<z.infer<typeof rule>>;

const responseShape = {
  sessions: count.min(1),
  meanChange: points,
  medianChange: points,
  standardDeviation,
  interval,
  responded: share.describe('Share with a response'),
  effective: share.describe('Share that the patient marked effective'),
};
const response = named('ExerciseResponse', responseShape);
/** The response figures of a group of sessions. */
export type Response = Data<z.infer<typeof response>>;

const versusOthers = named('VersusOthers', {
  difference: points
    .nullable()
    .describe('At the same pain before and place in the day; below 0 is more relief than the others'),
  interval: sequence.nullable(),
  verdict: z
    .enum(['more', 'less', 'open', 'too-few'])
    .describe(
      'more: than the others together; less: than each of them, one by one; too-few below 3 sessions of this and 8 of others, or where pain before or order alone tell them apart, or they share their numbers',
    ),
});
/** The relief after an exercise, compared with that after the same person's other exercises. */
export type VersusOthers = Data<z.infer<typeof versusOthers>>;

const dayAfter = named('DayAfter', {
  days: count.describe('Days with this exercise that were followed by two days with a known pain'),
  difference: points.describe(
    'Against other days, at the same pain on the day of the exercise and two days after it',
  ),
  interval,
  worse: z
    .boolean()
    .describe(
      'Whether pain is higher on the day after: found from a point on, for daily looks, and kept until there is evidence against it',
    ),
});
/** The first pain of the day after an exercise, against that of other days. */
export type DayAfter = Data<z.infer<typeof dayAfter>>;

const lately = named('Lately', {
  sessions: count.describe('How many count as lately'),
  meanChange: points.describe('Of those'),
  before: points.describe('Mean change of those before them'),
  direction: z.enum(['less', 'more']).describe('Pain after, lately, against before'),
});
/** The last sessions of an exercise, where they differ from those before. */
export type Lately = Data<z.infer<typeof lately>>;

const exercise = named('ExerciseSummary', {
  exerciseName: z.string(),
  exerciseType: z.enum(exerciseTypes),
  ...responseShape,
  verdict: z
    .enum(['clear', 'likely', 'open', 'too-few'])
    .describe(
      'clear: the sequence excludes 0; likely: only the interval does; open: neither; too-few: below 3 sessions',
    ),
  direction: z.enum(['less', 'more']).nullable().describe('Pain after; null for open and too-few'),
  sequence: sequence.nullable().describe('Of the mean change; null below 3 sessions'),
  claim: z
    .enum(['helps', 'harms'])
    .nullable()
    .describe(
      'What the exercise does, as far as the other exercises are a control; null where they show nothing',
    ),
  adjusted: z
    .strictObject({ change: points, interval })
    .nullable()
    .describe('The mean change at the usual pain before and place in the day; the order goes by it'),
  noDifference: z
    .boolean()
    .describe('No noticeable difference: change and adjusted change lie inside ±1, for daily looks'),
  lately: lately.nullable().describe('The last sessions, where they differ from those before; else null'),
  alwaysAfter: z
    .string()
    .nullable()
    .describe('The exercise that always came right before it on its day: cannot be told apart'),
  sharesNumbers: z
    .boolean()
    .describe('Mostly the same two numbers as an exercise before or after it: cannot be told apart'),
  versusOthers: versusOthers.describe('Compared with the other exercises of the same user'),
  medication: z
    .strictObject({
      name: z.string().nullable().describe('Null where it was not always the same'),
      sessions: count.min(1).describe('With it'),
      meanChange: points.describe('Of those'),
      without: points.nullable().describe('Of the other sessions; null where there are none'),
    })
    .nullable()
    .describe(
      'Sessions with medication: their own, that of an earlier one of the day, or of a pain entry of its morning or without a time; else null',
    ),
  dayAfter: dayAfter
    .nullable()
    .describe(
      'First pain of the day after; null below 5 such days, or 5 others, or where it cannot be told from what else its days have in common',
    ),
  firstDate: day,
  lastDate: day,
  rank: z
    .int()
    .min(1)
    .nullable()
    .describe('1 is the most relief by the adjusted change; null with too few sessions'),
});
/** One exercise: a name together with a type. Names that differ in case only are different exercises. */
export type ExerciseSummary = Data<z.infer<typeof exercise>>;
/** The verdict on a mean change, with its direction and intervals. */
export type Finding = Pick<ExerciseSummary, 'verdict' | 'direction' | 'interval' | 'sequence'>;
/** How sure it is that pain after differs from pain before. */
export type Verdict = Finding['verdict'];
/** Which way: less or more pain after than before. */
export type Direction = 'less' | 'more';

const painLevel = named('PainLevel', {
  since: day,
  until: day,
  sessions: count,
  days: count.describe('Days with a known pain; the figures are of the first pain of each'),
  median: level.nullable(),
  mean: level.nullable(),
  standardDeviation: standardDeviation.nullable(),
  interval: interval.nullable(),
});
/** The pain of the days of one span, each by the pain before its first session, or without one by its first entry. */
export type PainLevel = Data<z.infer<typeof painLevel>>;

const trend = named('PainTrend', {
  days: count.describe('Days with a known pain'),
  daysWithoutExercise: count.describe('Of these'),
  slopePerWeek: z
    .number()
    .nullable()
    .describe(
      'Of the first pain of a day, points per week (generalized least squares); null below six weeks',
    ),
  interval: interval.nullable().describe('A 95 % interval; allows for days that resemble each other'),
  direction: z.enum(['falling', 'rising', 'unclear', 'too-few']),
  weeks: z.array(z.strictObject({ week: day.describe('Its Monday'), sessions: count, median: level })),
  months: z.array(
    z.strictObject({ month: z.string().describe('YYYY-MM'), sessions: count, days: count, mean: level }),
  ),
  /** The 28 days up to `asOf`, and the 28 before them; the latter are empty if not all of them were asked for. */
  last4Weeks: painLevel,
  previous4Weeks: painLevel,
  change: points.nullable().describe('Mean of the last 4 weeks − mean of the 4 before'),
  changeInterval: interval.nullable(),
});
/** The trend of daily pain. */
export type Trend = Data<z.infer<typeof trend>>;
export type TrendDirection = Trend['direction'];
/** The mean daily pain of one calendar month. */
export type MonthLevel = Trend['months'][number];

const targetUnits = ['sessions', 'days'] as const;

const rhythm = named('Rhythm', {
  days: count.describe('Days with sessions'),
  /** A period under a week counts as one. */
  sessionsPerWeek: z.number(),
  daysPerWeek: z.number(),
  /** Between two days with sessions. */
  longestGap: z.strictObject({ days: count, from: day, to: day }).nullable(),
  /** Up to `asOf`. */
  daysSinceLast: count.nullable(),
  target: z
    .strictObject({
      perWeek: z.number(),
      counts: z.enum(targetUnits).describe('What it counts: days for somebody who has routines'),
      weeks: count.describe('Whole weeks'),
      weeksReached: count,
      until: day.nullable().describe('Sunday that ended the last'),
    })
    .nullable(),
});
/** What a target counts: with a routine, several sessions come at a time, so that 5 a week means 5 days. */
export type TargetUnit = (typeof targetUnits)[number];
/** How regularly somebody exercised. A session is a log: one exercise, once. */
export type Rhythm = Data<z.infer<typeof rhythm>>;

const inWords = named('SummaryInWords', {
  groups: z.array(
    z.strictObject({
      title: z.string(),
      exercises: z.array(
        z.strictObject({
          exerciseName: z.string(),
          exerciseType: z.enum(exerciseTypes),
          sign: z
            .string()
            .describe('✔ and ✖ for what the exercise does, others for a fact about its sessions'),
          words: z.string().describe('Such as `strong, lately +1.8`; may be empty'),
        }),
      ),
      remark: z.string().nullable(),
    }),
  ),
  sentences: z.array(z.string()).describe('How the pain went, and what the figures cannot show'),
});
/** The figures in words, for every client that shows them. */
export type SummaryInWords = Data<z.infer<typeof inWords>>;

export const summarySchema = named('Summary', {
  since: day.nullable().describe('As asked for, else the day of the first log'),
  until: day.nullable().describe('As asked for, at most today; else the day of the last log'),
  asOf: day.nullable().describe('The day that the last 4 weeks end with'),
  sessions: count,
  leftOut,
  rule,
  overall: response.nullable(),
  controlDays: count.describe(
    'Days without exercise with pain recorded twice in one part of the day: a control for bad days that pass by themselves',
  ),
  exercises: z.array(exercise).describe('In ranked order'),
  level: painLevel.nullable().describe('Pain before exercise over the whole period, without days of a trial'),
  pain: trend.nullable().describe('How the pain before exercise went, without days of a trial'),
  rhythm: rhythm.nullable(),
  words: inWords.optional().describe('With `words=true`'),
});
/** The figures of a set of logs: plain data, ready for JSON. */
export type Summary = Data<z.infer<typeof summarySchema>>;

const difference = named('Difference', {
  first: z.number().nullable(),
  second: z.number().nullable(),
  difference: z.number().nullable().describe('second − first'),
  interval: interval.nullable(),
  /** `new` and `stopped`: of an exercise that was done in one period only. */
  shift: z.enum(['lower', 'higher', 'unclear', 'too-few', 'new', 'stopped']),
});
/** Two means and their difference. */
export type Difference = Data<z.infer<typeof difference>>;
/** What the interval of a difference says of the second period. */
export type Shift = Difference['shift'];

const comparisonSchema = named('Comparison', {
  first: summarySchema,
  second: summarySchema,
  leftOut,
  painBefore: difference.describe('Of the mean pain before exercise'),
  /** It also changes if the mix of exercises changes. */
  meanChange: difference.describe('Of the mean change of all sessions'),
  /** Every exercise of either period, in the ranked order of the second; those that stopped last. */
  exercises: z.array(
    z.strictObject({
      exerciseName: z.string(),
      exerciseType: z.enum(exerciseTypes),
      first: response.nullable(),
      second: response.nullable(),
      meanChange: difference,
    }),
  ),
});
/** Two periods side by side. */
export type Comparison = Data<z.infer<typeof comparisonSchema>>;
export type ExerciseComparison = Comparison['exercises'][number];

const overview = named('Overview', {
  id: z.int().min(1),
  firstName: z.string(),
  lastName: z.string(),
  sessions: count.describe('Of the last 14 days'),
  lastSession: day.optional().describe('Day of the last session; absent if there is none'),
  pain: level
    .optional()
    .describe(
      'Mean pain of a day in the last 14 days, before exercise or without, days of a trial too, to one decimal',
    ),
  painEarlier: level.optional().describe('The same of the 28 days before those'),
  painChange: points.optional().describe('pain − painEarlier: above 0 is more pain than before'),
  redEntries: count.describe('Records of the last 14 days that call for the red flags'),
  leftOut,
});
/** A user's diary in one line of figures. */
export type Overview = Data<z.infer<typeof overview>>;
