import { compare, report, summary } from '../handlers/insights.ts';
import { compareOperation, insightsSchemas, reportOperation, summaryOperation } from '../openapi/insights.ts';
import { READ_ONE } from '../openapi/problems.ts';
import type { Route } from '../protocol/route.ts';

/** What helps a user. */
export const insightsRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/users/{id}/summary',
    right: 'read user',
    errors: READ_ONE,
    operation: { ...summaryOperation, schemas: insightsSchemas },
    handle: summary,
  },
  {
    method: 'GET',
    path: '/users/{id}/compare',
    right: 'read user',
    errors: READ_ONE,
    operation: compareOperation,
    handle: compare,
  },
  {
    method: 'GET',
    path: '/users/{id}/report',
    right: 'read user',
    errors: READ_ONE,
    operation: reportOperation,
    handle: report,
  },
];
