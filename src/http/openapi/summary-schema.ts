import * as z from 'zod';
import { exerciseTypes } from '../../domain/log.ts';
import { responseRuleNames } from '../../domain/summary.ts';
import type { ExerciseSummary, PainLevel, Response, Rhythm, Summary, Trend } from '../../insights/index.ts';

/** What a summary looks like, for clients that are generated; the compiler holds it to the type. */

const day = z.iso.date();
const count = z.int().min(0);
const share = z.number().min(0).max(1);
const points = z.number().min(-9).max(9);
const level = z.number().min(1).max(10);
const interval = z.tuple([z.number(), z.number()]).describe('A 95 % interval, low and high');
const pValue = z.number().min(0).max(1).nullable();

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
  interval,
  responded: share.describe('Share of sessions with a response'),
  effective: share.describe('Share of sessions that the patient marked effective'),
};
const response = z.strictObject(responseShape) satisfies z.ZodType<Response>;

const exercise = z.strictObject({
  exerciseName: z.string(),
  exerciseType: z.enum(exerciseTypes),
  ...responseShape,
  verdict: z
    .enum(['lower', 'higher', 'unclear', 'too-few'])
    .describe('Pain after: lower or higher where the interval says so; too-few is below 3 sessions'),
  signTest: pValue.describe('Two-sided exact p-value; null below 6 sessions'),
  signedRankTest: pValue.describe('Two-sided exact p-value; null below 6 sessions'),
  firstDate: day,
  lastDate: day,
  rank: z.int().min(1).nullable().describe('Null where there are too few sessions'),
}) satisfies z.ZodType<ExerciseSummary>;

const painLevel = z.strictObject({
  since: day,
  until: day,
  sessions: count,
  median: level.nullable(),
  mean: level.nullable(),
  interval: interval.nullable(),
}) satisfies z.ZodType<PainLevel>;

const trend = z.strictObject({
  days: count.describe('Days with sessions'),
  slopePerWeek: z.number().nullable().describe('Theil–Sen, points per week; null below 6 days'),
  interval: interval.nullable(),
  spanDays: count,
  direction: z.enum(['falling', 'rising', 'unclear', 'too-few']),
  weeks: z.array(z.strictObject({ week: day.describe('Its Monday'), sessions: count, median: level })),
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

/** The schemas that have a name of their own. */
export const summarySchemas = z.registry<{ id: string }>();
for (const [id, schema] of Object.entries({
  Summary: summarySchema,
  ResponseRule: rule,
  ExerciseSummary: exercise,
  ExerciseResponse: response,
  PainLevel: painLevel,
  PainTrend: trend,
  Rhythm: rhythm,
}))
  summarySchemas.add(schema, { id });
