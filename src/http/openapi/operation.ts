import type { Fields } from '../../domain/fields.ts';
import type { Filter } from '../../domain/lists/filter.ts';
import type { Json } from './parts.ts';

/** The groups of operations, in the order of the document. */
export const tags = {
  Users: 'Profiles: where it hurts, how much, since when.',
  'User exercise logs': 'Sessions: pain before and after, and whether it helped.',
  Routines: 'Exercises that a user does together.',
  Goals: 'How often a user means to exercise.',
  Insights: 'What helps: figures and reports made from the logs of a user.',
  Changes: 'What a client that keeps records of its own needs to stay up to date.',
  Service: 'The service itself.',
} as const;

/** How a route is described, as data, which is rendered when the document is asked for. */
export interface Operation {
  tag: keyof typeof tags;
  id: string;
  summary: string;
  description?: string;
  /** Query parameters. */
  query?: Fields;
  /** Query parameters that are filters on fields. */
  filters?: Readonly<Record<string, Filter>>;
  /** Where other operations have the same query parameters: what they are called together. */
  shared?: string;
  /** The fields that the query parameter `sort` takes. */
  sortable?: Fields;
  /** Request headers, as parameters. */
  headers?: readonly Json[];
  body?: Json;
  /** The id in the path of the example, where that is not 1. */
  exampleId?: number;
  /** Responses to a request that succeeds, by status. */
  success: Readonly<Record<string, Json>>;
}
