import { choice } from '../../domain/fields.ts';
import { anonymous, comparisonFields, reportFields, summaryFields } from '../../domain/summary.ts';
import { localDay } from '../../domain/words/day.ts';
import type { Handler } from '../route.ts';
import { tagged } from './etag.ts';
import { queryReader } from './query.ts';

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
  const { summaryOf } = await import('../../cases/summary.ts');
  return tagged(request, JSON.stringify(await summaryOf(store, id, asked)));
});

/** GET of two periods of a user side by side. */
export const compare = offloaded(async ({ request, id, search, store }) => {
  const asked = readComparisonQuery(search);
  const { comparisonOf } = await import('../../cases/summary.ts');
  return tagged(request, JSON.stringify(await comparisonOf(store, id, asked, localDay(new Date()))));
});

/** GET of the report on a user. */
export const report = offloaded(async ({ request, id, search, store }) => {
  const { format, ...asked } = readReportQuery(search);
  const { reportHtml, reportMarkdown, reportOf, reportPolicy } = await import('../../cases/report.ts');
  const built = reportOf(store, id, asked);
  if (format === 'md')
    return tagged(request, reportMarkdown(built), { 'content-type': 'text/markdown; charset=utf-8' });
  return tagged(request, reportHtml(built), {
    'content-type': 'text/html; charset=utf-8',
    // A meta element cannot keep other pages from framing it; a header can.
    'content-security-policy': `${reportPolicy()}; frame-ancestors 'none'`,
    'referrer-policy': 'no-referrer',
  });
});
