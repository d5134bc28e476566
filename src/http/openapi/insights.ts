import * as z from 'zod';
import { summaryFields } from '../../domain/summary.ts';
import { reportParameters } from '../handlers/insights.ts';
import { ETAG, IF_NONE_MATCH, type Json, NOT_MODIFIED, POLICY, queryParameters } from './parts.ts';
import { summarySchemas } from './summary-schema.ts';

const TAG = {
  name: 'Insights',
  description: 'What helps: figures and reports made from the logs of a user.',
};

export const insightsTag: Json = TAG;

/** The schemas of the figures, by name. */
export function insightsSchemas(): Record<string, Json> {
  const { schemas } = z.toJSONSchema(summarySchemas, { uri: (id) => `#/components/schemas/${id}` });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { $id: _, $schema: __, ...schema }]) => [name, schema as Json]),
  );
}

/** The operation of a route that reads insights. */
export function insightsOperation(kind: 'summary' | 'report'): Json {
  return kind === 'summary'
    ? {
        tags: [TAG.name],
        operationId: 'getUserSummary',
        summary: 'What helps a user',
        description:
          'Exercises in ranked order, the most relief first; those with too few sessions last. Changes are painAfter − painBefore in points, shares 0 to 1.',
        parameters: [...queryParameters(summaryFields), IF_NONE_MATCH],
        responses: responses('The figures', { 'application/json': { schema: ref('Summary') } }, ETAG),
      }
    : {
        tags: [TAG.name],
        operationId: 'getUserReport',
        summary: 'The report on a user, to be read on screen or paper',
        description: 'One HTML page that loads and runs nothing, or the same as Markdown.',
        parameters: [...queryParameters(reportParameters), IF_NONE_MATCH],
        responses: responses(
          'The report',
          { 'text/html': { schema: { type: 'string' } }, 'text/markdown': { schema: { type: 'string' } } },
          { ...ETAG, ...POLICY },
        ),
      };
}

function responses(description: string, content: Json, headers: Json): Json {
  return { '200': { description, headers, content }, '304': NOT_MODIFIED };
}

const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
