import { isOpenToAll, type Right } from '../../domain/access.ts';
import type { Fields } from '../../domain/fields.ts';
import type { Filter } from '../../domain/filter.ts';
import { IF_MATCH, type Json } from './parts.ts';
import { BODY, type ProblemName } from './problems.ts';

/** A route, as far as the document describes it: data, which is rendered when the document is asked for. */
export interface DescribedRoute {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path pattern; `{id}` stands for the id of a record. */
  path: string;
  /** The right that a caller needs, which also says what the audit records; null for an open route, never audited. */
  right: Right | null;
  /** Failures that do not follow from the other members. */
  errors?: readonly ProblemName[];
  /** The group of operations that it is in. */
  tag: string;
  id: string;
  summary: string;
  description?: string;
  query?: Fields;
  /** Query parameters that are filters on fields. */
  filters?: Readonly<Record<string, Filter>>;
  /** Where several operations have the same query parameters: the name that the shared descriptions begin with. */
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
  /** Named schemas that only this and the operations beside it refer to. */
  schemas?: () => Readonly<Record<string, Json>>;
}

/** Whether a route needs no token. */
export const isOpen = ({ right }: DescribedRoute): boolean => right === null || isOpenToAll(right);

/** The failures of a route: those of any route, those that its description implies, and those that it names itself. */
export function failuresOf(route: DescribedRoute): ProblemName[] {
  const { method, path, headers, body, errors = [] } = route;
  const names: ProblemName[] = ['BadRequest', 'Forbidden', 'TooManyRequests', 'ServiceUnavailable'];
  if (!isOpen(route)) names.push('Unauthorized');
  if (path.includes('{id}')) names.push('NotFound');
  if (method !== 'GET') names.push('InsufficientStorage');
  if (headers?.includes(IF_MATCH)) names.push('PreconditionFailed');
  if (body) names.push(...BODY);
  return [...names, ...errors, 'Refused'];
}
