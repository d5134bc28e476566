import { choice } from '../../domain/fields.ts';
import type { LogFilter } from '../../domain/log.ts';
import { anonymous, comparisonFields, reportFields, summaryFields } from '../../domain/summary.ts';
import { localDay } from '../../domain/words/day.ts';
import { tagged } from '../protocol/etag.ts';
import { queryReader } from '../protocol/query.ts';
import type { Handler } from '../protocol/route.ts';

/** The query parameters of a report. */
export const reportParameters = {
  ...reportFields,
  anonymous,
  format: choice({
    label: 'Format',
    flag: 'format',
    help: 'An HTML page (otherwise), or Markdown',
    choices: ['html', 'md'],
    example: 'html',
  }),
};

const readSummaryQuery = queryReader(summaryFields);
const readComparisonQuery = queryReader(comparisonFields);
const readReportQuery = queryReader(reportParameters);

/** A handler of statistics, in a worker where they may take long. */
const offloaded =
  (handler: Handler): Handler =>
  (context) =>
    (context.workers && context.store.logs.areMany(context.id) && context.workers.answer(context)) ||
    handler(context);

/** GET of the figures of a user. */
export const summary = offloaded(async ({ request, id, search, store }) => {
  const asked = readSummaryQuery(search);
  store.users.json(id);
  const target = asked.target ?? store.goals.list({ userId: id })[0]?.sessionsPerWeek;
  const { responseRules, Tally } = await import('../../insights/index.ts');
  const tally = new Tally();
  for (const sessions of store.logs.sessions(filterOf(id, asked))) {
    for (const session of sessions) tally.add(session);
    // Other requests get their turn, however many sessions there are.
    await new Promise(setImmediate);
  }
  const rule = responseRules[asked.rule ?? 'default'];
  return tagged(
    request,
    JSON.stringify(tally.summary({ ...asked, ...(target !== undefined && { target }), rule })),
  );
});

/** GET of two periods of a user side by side. */
export const compare = offloaded(async ({ request, id, search, store }) => {
  const { since, until, before, ...asked } = readComparisonQuery(search);
  store.users.json(id);
  const { comparedPeriods, compareSummaries, responseRules, Tally } = await import('../../insights/index.ts');
  const filter = filterOf(id, asked);
  const end = (sort: string) => store.logs.list({ ...filter, sort, limit: 1 })[0]?.date;
  const ends = { first: end('date'), last: end('-date') };
  const periods = comparedPeriods({ since, until, before }, ends, localDay(new Date()));
  const rule = responseRules[asked.rule ?? 'default'];
  const tallies = [new Tally(), new Tally()] as const;
  for (const [i, period] of periods.entries())
    for (const sessions of store.logs.sessions({ ...filter, ...period })) {
      for (const session of sessions) tallies[i]?.add(session);
      await new Promise(setImmediate);
    }
  const [first, second] = [
    tallies[0].summary({ ...periods[0], rule }),
    tallies[1].summary({ ...periods[1], rule }),
  ];
  return tagged(request, JSON.stringify(compareSummaries(first, second)));
});

/** GET of the report on a user. */
export const report = offloaded(async ({ request, id, search, store }) => {
  const { format, ...asked } = readReportQuery(search);
  const { buildReport, MOST_SESSIONS, reportHtml, reportMarkdown, reportPolicy, responseRules } =
    await import('../../insights/index.ts');
  const [user, goal, logs] = store.read(() => [
    store.users.get(id),
    store.goals.list({ userId: id })[0],
    store.logs.list({ ...filterOf(id, asked), limit: MOST_SESSIONS + 1 }),
  ]);
  const target = asked.target ?? goal?.sessionsPerWeek;
  const built = buildReport(user, logs, {
    ...asked,
    ...(target !== undefined && { target }),
    rule: responseRules[asked.rule ?? 'default'],
  });
  if (format === 'md')
    return tagged(request, reportMarkdown(built), { 'content-type': 'text/markdown; charset=utf-8' });
  return tagged(request, reportHtml(built), {
    'content-type': 'text/html; charset=utf-8',
    // A meta element cannot keep other pages from framing it; a header can.
    'content-security-policy': `${reportPolicy()}; frame-ancestors 'none'`,
    'referrer-policy': 'no-referrer',
  });
});

function filterOf(
  userId: number,
  { since, until, exerciseType }: Pick<LogFilter, 'since' | 'until' | 'exerciseType'>,
): LogFilter {
  return {
    userId,
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
    ...(exerciseType !== undefined && { exerciseType }),
  };
}
