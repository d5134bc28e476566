import * as z from 'zod';
import { exerciseTypes } from '../../domain/log.ts';
import { responseRuleNames } from '../../domain/summary.ts';
import type {
  DayAfter,
  Difference,
  ExerciseSummary,
  PainLevel,
  Response,
  Rhythm,
  Summary,
  Trend,
  VersusOthers,
} from '../../insights/index.ts';

/** What a summary looks like, for clients that are generated; the compiler holds it to the type. */

const day = z.iso.date();
const count = z.int().min(0);
const share = z.number().min(0).max(1);
const points = z.number().min(-9).max(9);
const level = z.number().min(1).max(10);
const interval = z.tuple([z.number(), z.number()]).describe('A 95 % interval, low and high');
const sequence = z
  .tuple([z.number(), z.number()])
  .describe('A 90 % confidence sequence, low and high: holds for somebody who looks after every session');
const standardDeviation = z
  .number()
  .min(0)
  .describe('Of one session, in points; moderated towards at least 1.5 (Smyth 2004)');

const rule = z.strictObject({
  name: z.enum(responseRuleNames),
  points: z.number().describe('A fall of at least so many points is a response…'),
  percent: z.number().describe('…and so is one of at least so many percent of the pain before'),
  source: z.string().describe('Where the thresholds come from'),
});

const responseShape = {
  sessions: count.min(1),
  meanChange: points,
  medianChange: points,
  standardDeviation,
  interval,
  responded: share.describe('Share of sessions with a response'),
  effective: share.describe('Share of sessions that the patient marked effective'),
};
const response = z.strictObject(responseShape) satisfies z.ZodType<Response>;

const versusOthers = z.strictObject({
  difference: points.nullable().describe('At the same pain before; below 0 is more relief than the others'),
  interval: sequence.nullable(),
  verdict: z
    .enum(['more', 'less', 'open', 'too-few'])
    .describe(
      'More or less relief than the others; too-few below 3 sessions of this and 8 of others, or where the pain before alone tells them apart',
    ),
}) satisfies z.ZodType<VersusOthers>;

const dayAfter = z.strictObject({
  days: count.describe('Days with this exercise that were followed by a day with sessions'),
  difference: points.describe('Against the day after other exercises, at the same pain on the day itself'),
  interval,
}) satisfies z.ZodType<DayAfter>;

const exercise = z.strictObject({
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
  versusOthers: versusOthers.describe('Compared with the other exercises of the same user'),
  dayAfter: dayAfter.nullable().describe('Pain before on the day after; null below 30 pairs of days'),
  firstDate: day,
  lastDate: day,
  rank: z.int().min(1).nullable().describe('1 is the most relief; null where there are too few sessions'),
}) satisfies z.ZodType<ExerciseSummary>;

const painLevel = z.strictObject({
  since: day,
  until: day,
  sessions: count,
  median: level.nullable(),
  mean: level.nullable(),
  standardDeviation: standardDeviation.nullable(),
  interval: interval.nullable(),
}) satisfies z.ZodType<PainLevel>;

const trend = z.strictObject({
  days: count.describe('Days with sessions'),
  slopePerWeek: z.number().nullable().describe('Theil–Sen, points per week; null below 6 days'),
  interval: interval.nullable(),
  spanDays: count,
  direction: z.enum(['falling', 'rising', 'unclear', 'too-few']),
  weeks: z.array(z.strictObject({ week: day.describe('Its Monday'), sessions: count, median: level })),
  months: z.array(z.strictObject({ month: z.string().describe('YYYY-MM'), sessions: count, mean: level })),
  last4Weeks: painLevel,
  previous4Weeks: painLevel,
  change: points.nullable().describe('Mean of the last 4 weeks − mean of the 4 before'),
  changeInterval: interval.nullable(),
}) satisfies z.ZodType<Trend>;

const rhythm = z.strictObject({
  days: count.describe('Days with sessions'),
  sessionsPerWeek: z.number(),
  daysPerWeek: z.number(),
  longestGap: z.strictObject({ days: count, from: day, to: day }).nullable(),
  daysSinceLast: count.nullable(),
  target: z
    .strictObject({ perWeek: z.number(), weeks: count.describe('Whole weeks'), weeksReached: count })
    .nullable(),
}) satisfies z.ZodType<Rhythm>;

export const summarySchema = z.strictObject({
  since: day.nullable().describe('As asked for, else the day of the first log'),
  until: day.nullable().describe('As asked for, else the day of the last log'),
  asOf: day.nullable().describe('The day that the last 4 weeks end with'),
  sessions: count,
  rule,
  overall: response.nullable(),
  exercises: z.array(exercise).describe('In ranked order, those with too few sessions last'),
  level: painLevel.nullable().describe('Pain before exercise over the whole period'),
  pain: trend.nullable().describe('How the pain before exercise went'),
  rhythm: rhythm.nullable(),
}) satisfies z.ZodType<Omit<Summary, 'rule'>>;

const difference = z.strictObject({
  first: z.number().nullable(),
  second: z.number().nullable(),
  difference: z.number().nullable().describe('second − first'),
  interval: interval.nullable(),
  shift: z.enum(['lower', 'higher', 'unclear', 'too-few', 'new', 'stopped']),
}) satisfies z.ZodType<Difference>;

export const comparisonSchema = z.strictObject({
  first: summarySchema,
  second: summarySchema,
  painBefore: difference.describe('Of the mean pain before exercise'),
  meanChange: difference.describe('Of the mean change of all sessions'),
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

/** The schemas that have a name of their own. */
export const summarySchemas = z.registry<{ id: string }>();
for (const [id, schema] of Object.entries({
  Summary: summarySchema,
  Comparison: comparisonSchema,
  Difference: difference,
  ResponseRule: rule,
  ExerciseSummary: exercise,
  ExerciseResponse: response,
  VersusOthers: versusOthers,
  DayAfter: dayAfter,
  PainLevel: painLevel,
  PainTrend: trend,
  Rhythm: rhythm,
}))
  summarySchemas.add(schema, { id });
