import * as z from 'zod';
import { shownStatus, trialStatusNow } from '../../cases/trial.ts';
import { invalid, issue } from '../../domain/errors.ts';
import { choice, date, type RecordOf } from '../../domain/fields.ts';
import { logFields } from '../../domain/log.ts';
import { objectOf } from '../../domain/schema.ts';
import { anonymous, comparisonFields, reportFields, summaryFields } from '../../domain/summary.ts';
import { trialRecord } from '../../domain/trial.ts';
import { localDay } from '../../domain/words/day.ts';
import { summarySchemas } from '../../insights/shapes.ts';
import { idsOf } from '../../store/records/lists/rows.ts';
import { conditional, ETAG, type Json, many, object, ok, POLICY, ref, schemaJson } from '../openapi/parts.ts';
import { disclosedRange } from '../protocol/disclosure.ts';
import { tagged } from '../protocol/etag.ts';
import { numberParameter, yesParameter } from '../protocol/parameter.ts';
import { queryReader } from '../protocol/query.ts';
import type { Handler, Route } from '../protocol/route.ts';

const reportParameters = {
  ...reportFields,
  anonymous,
  format: choice({
    label: 'Format',
    flag: 'format',
    help: 'An HTML page (otherwise), or Markdown',
    choices: ['html', 'md', 'markdown'],
    example: 'html',
  }),
};

const todayThere = date({
  label: '',
  flag: '',
  help: 'The day where the person is, otherwise that of the machine that serves',
  example: '2026-03-02',
});

const summaryParameters = {
  ...summaryFields,
  words: yesParameter('true: with `words`, what the terminal says of the figures'),
  today: todayThere,
};

const statusParameters = {
  today: todayThere,
  hour: numberParameter('With `today`: the hour there', { min: 0, max: 23, example: 21 }),
};

const readStatusQuery = queryReader(statusParameters);
const readSummaryQuery = queryReader(summaryParameters);
const readComparisonQuery = queryReader(comparisonFields);
const readReportQuery = queryReader(reportParameters);

/** Overviews of so many users take some 10 ms; those of more are made in a worker. */
const MANY_USERS = 40;

const today = () => localDay(new Date());

/** Wraps a handler of statistics: a worker runs it if the user has many logs. */
const offloaded =
  (handler: Handler): Handler =>
  (context) =>
    (context.workers && context.store.logs.areMany(context.id) && context.workers.answer(context)) ||
    handler(context);

function insightsSchemas(): Record<string, Json> {
  const { schemas } = z.toJSONSchema(summarySchemas, {
    uri: (id) => `#/components/schemas/${id}`,
    // Client generators misread prefixItems, and some need items: a tuple becomes an array of that length.
    override: ({ jsonSchema }) => {
      const { prefixItems: [first, ...others] = [] } = jsonSchema;
      if (!first) return;
      delete jsonSchema.prefixItems;
      const length = others.length + 1;
      Object.assign(jsonSchema, { items: first, minItems: length, maxItems: length });
    },
  });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { $id: _, $schema: __, ...schema }]) => [name, schema as Json]),
  );
}

const EXERCISE = object({
  exerciseName: { type: 'string', examples: [logFields.exerciseName.example] },
  exerciseType: { type: 'string', enum: logFields.exerciseType.choices },
  sessions: { type: 'integer', minimum: 1 },
  date: { type: 'string', format: 'date', description: 'Of the latest session' },
});

const nullable = (schema: Json): Json => ({ anyOf: [schema, { type: 'null' }] });
const text: Json = { type: 'string' };
const day: Json = { type: 'string', format: 'date' };
const count: Json = { type: 'integer', minimum: 0 };
const points: Json = { type: 'number' };
const pains: Json = { type: 'array', items: { type: 'integer', minimum: 1, maximum: 10 } };
const one = (...values: string[]): Json => ({ type: 'string', enum: values });

const { seed: _, ...shownFields } = trialRecord;

const shownTrial = (): Json => ({
  ...schemaJson(objectOf(shownFields)),
  description: 'A trial without its seed, from which the order of the days to come could be drawn',
});

const trialStatusSchema = (): Json =>
  object({
    trial: ref('ShownTrial'),
    today: nullable(object({ date: day, number: count, arm: one('a', 'b'), what: text })),
    due: nullable(object({ date: day, pain: one('first', 'second') })),
    daysLeft: count,
    passed: count,
    recorded: count,
    asDrawn: count,
    outcomes: nullable(object({ a: pains, b: pains })),
    result: nullable(
      object({
        verdict: one('less', 'more', 'open'),
        difference: nullable(points),
        interval: nullable({ type: 'array', minItems: 2, maxItems: 2, items: points }),
        withIt: count,
        without: count,
        afterDays: count,
        sentence: text,
        note: text,
      }),
    ),
  });

/** The hours by which time zones are behind UTC and ahead of it, at most. */
const [BEHIND, AHEAD] = [12, 14];

/** The local time of the person. @throws SciaticaError `invalid` for a day that it is nowhere now: future draws stay secret */
function localNow({ today, hour = 12 }: Partial<RecordOf<typeof statusParameters>>): Date {
  const now = new Date();
  if (today === undefined) return now;
  const dayAt = (hours: number) => new Date(now.getTime() + hours * 3_600_000).toISOString().slice(0, 10);
  if (today < dayAt(-BEHIND) || today > dayAt(AHEAD))
    throw invalid([issue('today', 'must be the day that it is somewhere now', 'out-of-range')]);
  return new Date(`${today}T${String(hour).padStart(2, '0')}:00`);
}

/** GET of the status of a trial today. */
export const trialStatusRoute: Route = {
  method: 'GET',
  path: '/trials/{id}/status',
  right: 'read trial',
  tag: 'Trials',
  id: 'getTrialStatus',
  summary: 'How a trial stands today',
  description:
    'What is drawn for today (before 4:00 for the day before, if its second pain is due), which pain is due and, after the end, the result. Days to come are not said. `arm`: `a` is the exercise, `b` what it is compared with.',
  query: statusParameters,
  ...conditional(ok('How it stands', trialStatusSchema(), ETAG)),
  schemas: () => ({ ShownTrial: shownTrial() }),
  handle: ({ request, id, search, store }) => {
    const now = localNow(readStatusQuery(search));
    const trial = store.of('trial').get(id);
    const shown = shownStatus(trialStatusNow(store, trial, now));
    return tagged(request, JSON.stringify(shown));
  },
};

const OF_INSIGHTS = { method: 'GET', tag: 'Insights' } as const;

/** The routes of statistics and reports. */
export const insightsRoutes: readonly Route[] = [
  {
    ...OF_INSIGHTS,
    path: '/overviews',
    right: 'read user',
    id: 'listOverviews',
    summary: 'How each user is, in a line',
    description: 'Sessions, pain and red flags of the last 14 days: who needs a call first comes first.',
    ...conditional(ok('A line each', many(ref('Overview')), ETAG)),
    handle: async (context) => {
      const { request, store, workers } = context;
      const isLong = () =>
        store.users.count() > MANY_USERS || store.users.list().some(({ id }) => store.logs.areMany(id));
      const answer = workers && isLong() && workers.answer(context);
      if (answer) return answer;
      const { overviewsOf } = await import('../../cases/overview.ts');
      const rows = store.read(() => overviewsOf(store, store.users.list(), today()));
      const response = tagged(request, JSON.stringify(rows));
      return rows.length > 0 ? { ...response, disclosed: disclosedRange('user', idsOf(rows)) } : response;
    },
  },
  {
    ...OF_INSIGHTS,
    path: '/users/{id}/exercises',
    right: 'read log',
    id: 'listUserExercises',
    summary: 'List the exercises of a user',
    description:
      'Each once, with its kind of the latest session, the latest first: for completion while somebody types.',
    ...conditional(ok('The exercises', many(EXERCISE), ETAG)),
    handle: offloaded(({ request, id, store }) => {
      store.users.json(id);
      return tagged(request, JSON.stringify(store.logs.exercises(id)));
    }),
    isOwner: true,
  },
  {
    ...OF_INSIGHTS,
    path: '/users/{id}/summary',
    right: 'read user',
    id: 'getUserSummary',
    summary: 'What helps a user',
    description:
      'Exercises in ranked order, the most relief first; those with too few sessions last. Changes are painAfter − painBefore in points, shares 0 to 1.',
    query: summaryParameters,
    ...conditional(ok('The figures', ref('Summary'), ETAG)),
    schemas: insightsSchemas,
    handle: offloaded(async ({ request, id, search, store }) => {
      const { words: isTold, ...asked } = readSummaryQuery(search);
      const { summaryOf } = await import('../../cases/summary.ts');
      const figures = await summaryOf(store, id, asked, asked.today ?? today());
      const { inWords } = await import('../../insights/wording.ts');
      return tagged(request, JSON.stringify(isTold ? { ...figures, words: inWords(figures) } : figures));
    }),
  },
  {
    ...OF_INSIGHTS,
    path: '/users/{id}/compare',
    right: 'read user',
    id: 'compareUserPeriods',
    summary: 'Two periods of a user side by side',
    description:
      'The days from `since` to `until`, against as many days just before. Without `since`, the 4 weeks up to `until`; without `until`, up to the latest session or pain entry. Or, with `before`, all that came before a day against all since.',
    query: comparisonFields,
    ...conditional(ok('The comparison', ref('Comparison'), ETAG)),
    handle: offloaded(async ({ request, id, search, store }) => {
      const asked = readComparisonQuery(search);
      const { comparisonOf } = await import('../../cases/summary.ts');
      return tagged(request, JSON.stringify(await comparisonOf(store, id, asked, today())));
    }),
  },
  {
    ...OF_INSIGHTS,
    path: '/users/{id}/report',
    right: 'read user',
    id: 'getUserReport',
    summary: 'The report on a user, to be read on screen or paper',
    description: 'One HTML page that loads and runs nothing, or the same as Markdown.',
    query: reportParameters,
    ...conditional({
      description: 'The report',
      headers: { ...ETAG, ...POLICY },
      content: {
        'text/html': { schema: { type: 'string' } },
        'text/markdown': { schema: { type: 'string' } },
      },
    }),
    handle: offloaded(async ({ request, id, search, store }) => {
      const { format, ...asked } = readReportQuery(search);
      const { reportHtml, reportMarkdown, reportOf, reportPolicy } = await import('../../cases/report.ts');
      const built = reportOf(store, id, asked, today());
      if (format === 'md' || format === 'markdown')
        return tagged(request, reportMarkdown(built), { 'content-type': 'text/markdown; charset=utf-8' });
      return tagged(request, reportHtml(built), {
        'content-type': 'text/html; charset=utf-8',
        // Only a header can keep other pages from framing it; a meta element cannot.
        'content-security-policy': `${reportPolicy()}; frame-ancestors 'none'`,
        'referrer-policy': 'no-referrer',
      });
    }),
  },
];
