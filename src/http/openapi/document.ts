import { version } from '../../../package.json';
import type { Field, Fields } from '../../domain/fields.ts';
import { type Action, sources } from '../../domain/history.ts';
import type { Kind } from '../../domain/kind.ts';
import { type KindName, kindNames, kindOf } from '../../domain/kinds.ts';
import { objectOf, partialOf, schemaOf } from '../../domain/schema.ts';
import { userRecord } from '../../domain/user.ts';
import { type DescribedRoute, failuresOf, isOpen } from './operation.ts';
import { filterParameters, type Json, object, queryParameters, ref, schemaJson, termsOf } from './parts.ts';
import { problemRefs, problemResponses, problemSchema } from './problems.ts';

const SERVERS = '"servers":[{"url":"/"}]';

/** A cache of rendered documents, by the table of routes. */
const rendered = new WeakMap<readonly DescribedRoute[], string>();

/**
 * The OpenAPI 3.1 document of the service, as JSON.
 * @param base the base URL of the service, as the caller addressed it
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
        ...Object.fromEntries(routes.flatMap(({ schemas }) => Object.entries(schemas?.() ?? {}))),
        ...historySchemas(),
        Problem: problemSchema,
      },
      parameters: sharedParameters(routes),
      securitySchemes: SCHEMES,
      responses: problemResponses,
    },
  };
}

/** The groups of operations: one for each kind of record, and the others. */
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

function operationOf(route: DescribedRoute): OperationJson {
  const { tag, id, summary, description, headers = [] } = route;
  const { body, exampleId, success, shared } = route;
  const query = queryOf(route);
  const parameters = [
    ...(exampleId === undefined ? [] : [{ ...ID, example: exampleId }]),
    ...(shared === undefined ? query : query.map(({ name }) => refOf(shared, name))),
    ...headers,
  ];
  return {
    tags: [tag],
    ...(isOpen(route) && { security: [] }),
    operationId: id,
    summary,
    ...(description !== undefined && { description }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: body }),
    responses: { ...success, ...problemRefs(failuresOf(route)) },
  };
}

const WITHOUT_BODY: Json = { description: 'As GET, without the body' };

/** The HEAD operation for a GET: the same headers and no body, whatever the status. */
function headOf({ operationId, summary, responses, ...operation }: OperationJson): OperationJson {
  const done = Object.entries(responses).flatMap(([status, response]) => {
    const { content: _, ...bare } = response as Json;
    return '$ref' in bare ? [] : [[status, bare]];
  });
  return {
    ...operation,
    operationId: operationId.replace(
      /^(?:get|list)?(\w)/,
      (_, first: string) => `head${first.toUpperCase()}`,
    ),
    summary: `${summary}: the headers`,
    description: 'As GET, without the body.',
    responses: { ...Object.fromEntries(done), 400: WITHOUT_BODY, default: WITHOUT_BODY },
  };
}

function queryOf({ query = {}, filters = {}, sortable }: DescribedRoute): Json[] {
  return [...filterParameters(filters), ...queryParameters(query).map(bounded(sortable))];
}

/** The query parameters that several operations have, each described once. */
function sharedParameters(routes: readonly DescribedRoute[]): Json {
  const parameters = routes.flatMap((route) => {
    const { shared } = route;
    return shared === undefined ? [] : queryOf(route).map((one) => [sharedName(shared, one['name']), one]);
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

/** The schemas of the kinds of record, by name: of a record, and of what is sent to create, replace or change one. */
const recordSchemas = (): Record<string, Json> =>
  Object.fromEntries(kindNames.flatMap((name) => Object.entries(schemasOf(kindOf(name)))));

function schemasOf(kind: Kind): Record<string, Json> {
  const { fields, schema, place, verbs } = kind;
  const { id: _, ...input } = fields;
  const { userId, ...ofUser } = input;
  return {
    [schema]: withProperties(schemaJson(objectOf(fields)), ETAG_FIELD),
    [`${schema}Input`]:
      place === 'one-per-user' ? sentOf(objectOf, ofUser, ['userId']) : sentOf(objectOf, input),
    ...(verbs.includes('patch') && {
      [`${schema}Patch`]: {
        ...sentOf(partialOf, input),
        examples: [termsOf(kind).change],
      },
    }),
    ...(place === 'below-user' && userId && { [`User${schema}Input`]: inputOfUser(ofUser, userId) }),
  };
}

/** As the input of a collection, but `userId` may be left out: the path names the user. */
const inputOfUser = (fields: Fields, userId: Field): Json =>
  withProperties(sentOf(objectOf, fields), { userId: schemaJson(schemaOf(userId)) });

/** One description for records and inputs, so that /docs shows it once. */
const ETAG_FIELD: Json = {
  etag: {
    type: 'string',
    description: 'Entity tag, in lists with `etags=true`; PUT and PATCH take it as If-Match',
  },
};

/**
 * The schema of a body with these fields: null clears an optional one, and a client may send back what it got, id included.
 * @param names further fields that the body may have, and that the path decides
 */
const sentOf = (
  schema: typeof objectOf | typeof partialOf,
  fields: Fields,
  names: readonly string[] = [],
): Json =>
  withProperties(schemaJson(schema(fields)), {
    ...Object.fromEntries(
      Object.entries(fields)
        .filter(([, { optional }]) => optional)
        .map(([name, field]) => [name, orNull(schemaJson(schemaOf(field)))]),
    ),
    id: { description: 'Ignored' },
    ...ETAG_FIELD,
    ...Object.fromEntries(names.map((name) => [name, { description: 'Ignored: the path says it' }])),
  });

const orNull = (schema: Json): Json => ({
  ...schema,
  type: [schema['type'], 'null'],
  ...(Array.isArray(schema['enum']) && { enum: [...schema['enum'], null] }),
});

const withProperties = (schema: Json, further: Json): Json => ({
  ...schema,
  properties: { ...(schema['properties'] as Json), ...further },
});

/** Whether an entry of the history has the record before and after, by action. */
const states = {
  create: { before: false, after: true },
  update: { before: true, after: true },
  delete: { before: true, after: false },
  erase: { before: false, after: false },
} as const satisfies Record<Action, object>;

/** The schemas of entries of the history, by name: `record`, and then `action`, say which one it is. */
function historySchemas(): Record<string, Json> {
  const entries = kindNames.map((kind) => [nameOfEntry(kind), entryOf(kind)]);
  return {
    HistoryEntry: {
      description: 'What happened to a record in one change',
      oneOf: kindNames.map((kind) => ref(nameOfEntry(kind))),
      discriminator: {
        propertyName: 'record',
        mapping: Object.fromEntries(kindNames.map((kind) => [kind, ref(nameOfEntry(kind))['$ref']])),
      },
    },
    ...Object.fromEntries(entries),
  };
}

const nameOfEntry = (kind: KindName) => `${kindOf(kind).schema}Entry`;

function entryOf(kind: KindName): Json {
  const record = ref(kindOf(kind).schema);
  // Only users are erased, with all their records.
  const actions: Action[] = ['create', 'update', 'delete', ...(kind === 'user' ? (['erase'] as const) : [])];
  return {
    type: 'object',
    required: ['seq', 'change', 'at', 'source', 'record', 'id'],
    properties: {
      seq: { type: 'integer', description: 'Grows with each entry', examples: [7] },
      change: { type: 'integer', description: 'The change it belongs to', examples: [4] },
      at: { type: 'string', format: 'date-time', examples: ['2026-03-02T08:30:00.000Z'] },
      source: { type: 'string', enum: sources, description: 'What made the change' },
      caller: { type: 'string', description: "The name of the caller's token" },
      undoes: { type: 'integer', description: 'The change that this one took back' },
      record: { type: 'string', const: kind },
      id: { type: 'integer', description: 'Id of the record', examples: [1] },
      etag: {
        type: ['string', 'null'],
        description: 'With `etags=true`: entity tag of after; null where that is null',
      },
    },
    oneOf: actions.map((action) =>
      object({
        action: { type: 'string', const: action },
        before: states[action].before ? record : { type: 'null' },
        after: states[action].after ? record : { type: 'null' },
      }),
    ),
  };
}
