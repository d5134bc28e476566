import { version } from '../../../package.json';
import { isOpenToAll } from '../../domain/access.ts';
import type { Fields } from '../../domain/fields.ts';
import { kindNames, kindOf } from '../../domain/kinds.ts';
import { schemaOf } from '../../domain/schema.ts';
import { userRecord } from '../../domain/user.ts';
import type { DescribedRoute, Operation } from './operation.ts';
import { filterParameters, type Json, queryParameters, schemaJson } from './parts.ts';
import { problemRefs, problemResponses, problemSchema } from './problems.ts';
import { historySchemas, recordSchemas } from './schemas.ts';

const SERVERS = '"servers":[{"url":"/"}]';

/** The documents of tables of routes, each rendered once. */
const rendered = new WeakMap<readonly DescribedRoute[], string>();

/**
 * The OpenAPI 3.1 document of the service, as JSON.
 * @param base the address of the service, as the caller wrote it
 */
export function openApi(routes: readonly DescribedRoute[], base = '/'): string {
  const document = rendered.get(routes) ?? JSON.stringify(documentOf(routes));
  rendered.set(routes, document);
  return document.replace(SERVERS, () => `"servers":[${JSON.stringify({ url: base })}]`);
}

function documentOf(routes: readonly DescribedRoute[]): Json {
  return {
    openapi: '3.1.1',
    info: {
      title: 'sciatica',
      version,
      summary: 'Exercises and pain of people with sciatica',
      description:
        'Users and the logs of their exercises. Errors are problem details (RFC 9457); lists are arrays in id order.',
      contact: { name: 'Whoever runs this service' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{}, ...SECURITY],
    tags,
    paths: pathsOf(routes),
    components: {
      schemas: {
        ...recordSchemas(),
        ...Object.fromEntries(routes.flatMap(({ operation }) => Object.entries(operation.schemas?.() ?? {}))),
        ...historySchemas(),
        Problem: problemSchema,
      },
      parameters: sharedParameters(routes),
      securitySchemes: SCHEMES,
      responses: problemResponses,
    },
  };
}

/** The groups of operations: of each kind of record, and the others. */
const tags: Json[] = [
  ...kindNames.map((name) => ({ name: kindOf(name).tag, description: kindOf(name).described.about })),
  { name: 'Insights', description: 'What helps: figures and reports made from the logs of a user.' },
  {
    name: 'Changes',
    description: 'What a client that keeps records of its own needs to stay up to date.',
  },
  { name: 'Service', description: 'The service itself.' },
];

/** A token is needed where the service runs with --auth, and only there. */
const SECURITY: Json[] = [{ bearer: [] }, { basic: [] }];

const SCHEMES: Json = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'With `--auth`: the token that `sciatica token add` gave',
  },
  basic: {
    type: 'http',
    scheme: 'basic',
    description: 'With `--auth`: the same token as the password, with any user name',
  },
};

const ID: Json = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'Id of the record',
  schema: schemaJson(schemaOf(userRecord.id)),
};

function pathsOf(routes: readonly DescribedRoute[]): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = paths[route.path] ?? (route.path.includes('{id}') ? { parameters: [ID] } : {});
    const operation = operationOf(route);
    const head = route.method === 'GET' ? { head: headOf(operation) } : {};
    paths[route.path] = { ...path, [route.method.toLowerCase()]: operation, ...head };
  }
  return paths;
}

interface OperationJson extends Json {
  operationId: string;
  summary: string;
  responses: Json;
}

function operationOf({ right, errors, operation }: DescribedRoute): OperationJson {
  const { tag, id, summary, description, headers = [], body, exampleId, success, shared } = operation;
  const query = queryOf(operation);
  const parameters = [
    ...(exampleId === undefined ? [] : [{ ...ID, example: exampleId }]),
    ...(shared === undefined ? query : query.map(({ name }) => refOf(shared, name))),
    ...headers,
  ];
  return {
    tags: [tag],
    ...((right === null || isOpenToAll(right)) && { security: [] }),
    operationId: id,
    summary,
    ...(description !== undefined && { description }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: body }),
    responses: { ...success, ...problemRefs([...errors, 'Refused']) },
  };
}

/** HEAD of what GET gives: the same headers, and no body, whatever the status. */
function headOf({ operationId, summary, responses, ...operation }: OperationJson): OperationJson {
  const done = Object.entries(responses).flatMap(([status, response]) => {
    const { content: _, ...bare } = response as Json;
    return '$ref' in bare ? [] : [[status, bare]];
  });
  const refused = { description: 'As GET, without the body' };
  return {
    ...operation,
    operationId: operationId.replace(
      /^(?:get|list)?(\w)/,
      (_, first: string) => `head${first.toUpperCase()}`,
    ),
    summary: `${summary}: the headers`,
    description: 'As GET, without the body.',
    responses: { ...Object.fromEntries(done), '4XX': refused, default: refused },
  };
}

function queryOf({ query = {}, filters = {}, sortable }: Operation): Json[] {
  return [...filterParameters(filters), ...queryParameters(query).map(bounded(sortable))];
}

/** The query parameters that several operations have, each described once. */
function sharedParameters(routes: readonly DescribedRoute[]): Json {
  const parameters = routes.flatMap(({ operation }) => {
    const { shared } = operation;
    return shared === undefined
      ? []
      : queryOf(operation).map((one) => [sharedName(shared, one['name']), one]);
  });
  return Object.fromEntries(parameters);
}

const sharedName = (shared: string, name: unknown) => `${shared}.${name}`;
const refOf = (shared: string, name: unknown): Json => ({
  $ref: `#/components/parameters/${sharedName(shared, name)}`,
});

/** Gives the parameters that name fields a pattern: these fields, each at most once. */
const bounded = (sortable: Fields | undefined) => (parameter: Json) => {
  const name = String(parameter['name']);
  if (!sortable || !['sort', '_sort', 'fields'].includes(name)) return parameter;
  const fields = Object.keys(sortable).filter((key) => name === 'fields' || sortable[key]?.kind !== 'list');
  const key = `${name === 'sort' ? '-?' : ''}(?:${fields.join('|')})`;
  const pattern = `^(?!.*\\b(\\w+)\\b.*\\b\\1\\b)${key}(?:,${key})*$`;
  return { ...parameter, schema: { ...(parameter['schema'] as Json), pattern } };
};
