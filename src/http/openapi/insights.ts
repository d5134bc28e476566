import * as z from 'zod';
import { comparisonFields, summaryFields } from '../../domain/summary.ts';
import { summarySchemas } from '../../insights/shapes.ts';
import { reportParameters } from '../handlers/insights.ts';
import type { Operation } from './operation.ts';
import { ETAG, IF_NONE_MATCH, type Json, NOT_MODIFIED, ok, POLICY, ref } from './parts.ts';

/** The schemas of the figures, by name. */
export function insightsSchemas(): Record<string, Json> {
  const { schemas } = z.toJSONSchema(summarySchemas, {
    uri: (id) => `#/components/schemas/${id}`,
    // A tuple has two numbers; linters and generators that know no prefixItems ask for items.
    override: ({ jsonSchema }) => {
      const [first] = jsonSchema.prefixItems ?? [];
      if (first) jsonSchema.items = first;
    },
  });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { $id: _, $schema: __, ...schema }]) => [name, schema as Json]),
  );
}

export const summaryOperation: Operation = {
  tag: 'Insights',
  id: 'getUserSummary',
  summary: 'What helps a user',
  description:
    'Exercises in ranked order, the most relief first; those with too few sessions last. Changes are painAfter − painBefore in points, shares 0 to 1.',
  query: summaryFields,
  headers: [IF_NONE_MATCH],
  success: { '200': ok('The figures', ref('Summary'), ETAG), '304': NOT_MODIFIED },
};

export const compareOperation: Operation = {
  tag: 'Insights',
  id: 'compareUserPeriods',
  summary: 'Two periods of a user side by side',
  description:
    'The days from `since` to `until`, against as many days just before. Without `since`, the 4 weeks up to `until`; without `until`, up to the latest session. Or, with `before`, all that came before a day against all since.',
  query: comparisonFields,
  headers: [IF_NONE_MATCH],
  success: { '200': ok('The comparison', ref('Comparison'), ETAG), '304': NOT_MODIFIED },
};

export const reportOperation: Operation = {
  tag: 'Insights',
  id: 'getUserReport',
  summary: 'The report on a user, to be read on screen or paper',
  description: 'One HTML page that loads and runs nothing, or the same as Markdown.',
  query: reportParameters,
  headers: [IF_NONE_MATCH],
  success: {
    '200': {
      description: 'The report',
      headers: { ...ETAG, ...POLICY },
      content: {
        'text/html': { schema: { type: 'string' } },
        'text/markdown': { schema: { type: 'string' } },
      },
    },
    '304': NOT_MODIFIED,
  },
};
