import { logFields, logRecord } from '../../domain/log.ts';
import { MOST_AT_ONCE, objectOf, schemaOf } from '../../domain/schema.ts';
import { userFields, userRecord } from '../../domain/user.ts';
import { type Resource, recordFields } from '../handlers/resource.ts';
import type { Kind, Route } from '../routes.ts';
import { changesOperation, changesTag } from './changes.ts';
import { historyEntrySchema, historyOperation } from './history.ts';
import { insightsOperation, insightsSchemas, insightsTag } from './insights.ts';
import {
  content,
  ETAG,
  ETAG_IF_SHORT,
  IDEMPOTENCY_KEY,
  IF_MATCH,
  IF_NONE_MATCH,
  type Json,
  NOT_MODIFIED,
  queryParameters,
  schemaJson,
} from './parts.ts';
import { failures, problemSchema, problems } from './problems.ts';
import { serviceOperation } from './service.ts';

const names = { '/users': 'User', '/userExerciseLogs': 'UserExerciseLog' } as const;

let rendered: string | undefined;

/** The OpenAPI 3.1 document of the routes, as JSON. */
export function openApi(routes: readonly Route[]): string {
  rendered ??= JSON.stringify(describe(routes));
  return rendered;
}

function describe(routes: readonly Route[]): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = paths[route.path] ?? (route.path.includes('{id}') ? { parameters: [ID] } : {});
    paths[route.path] = { ...path, [route.method.toLowerCase()]: operation(route) };
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'sciatica',
      version: '1.0.0',
      summary: 'Exercises and pain of people with sciatica',
      description:
        'Users and the logs of their exercises. Errors are problem details (RFC 9457); lists are arrays in id order.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{}, ...SECURITY],
    tags: [
      { name: 'Users', description: 'Profiles: where it hurts, how much, since when.' },
      { name: 'User exercise logs', description: 'Sessions: pain before and after, and whether it helped.' },
      insightsTag,
      changesTag,
      { name: 'Service', description: 'The service itself.' },
    ],
    paths,
    components: {
      schemas: {
        User: strict(userRecord),
        UserInput: input(userFields, true),
        UserPatch: { ...input(userFields, false), examples: [{ painLevel: 4 }] },
        UserExerciseLog: strict(logRecord),
        UserExerciseLogInput: input(logFields, true),
        UserExerciseLogPatch: { ...input(logFields, false), examples: [{ painAfter: 3 }] },
        ...insightsSchemas(),
        HistoryEntry: historyEntrySchema,
        Problem: problemSchema,
      },
      securitySchemes: SCHEMES,
      responses: problems,
    },
  };
}

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

function operation(route: Route): Json {
  const { kind } = route;
  const refs = Object.fromEntries(
    Object.entries(failures[kind]).map(([status, name]) => [
      status,
      { $ref: `#/components/responses/${name}` },
    ]),
  );
  const described = descriptionOf(route);
  const rest = { default: { $ref: '#/components/responses/Refused' } };
  return { ...described, responses: { ...(described['responses'] as Json), ...refs, ...rest } };
}

function descriptionOf({ kind, resource }: Route): Json {
  if (kind === 'summary' || kind === 'report') return insightsOperation(kind);
  if (kind === 'changes') return changesOperation();
  return resource ? recordOperation(kind, resource) : serviceOperation(kind);
}

function recordOperation(kind: Kind, resource: Resource): Json {
  const name = names[resource.path];
  const noun = name === 'User' ? 'user' : 'exercise log';
  const one = name === 'User' ? 'a user' : 'an exercise log';
  const record = { $ref: `#/components/schemas/${name}` };
  const ok = (description: string, schema: Json, headers: Json) => ({
    description,
    headers,
    content: content(schema),
  });
  const common = { tags: [name === 'User' ? 'Users' : 'User exercise logs'] };
  switch (kind) {
    case 'list':
      return {
        ...common,
        operationId: `list${name}s`,
        summary: `List ${noun}s`,
        description: 'Without `limit` the whole list is sent.',
        parameters: [...queryParameters(resource.parameters).map(sortable(resource)), IF_NONE_MATCH],
        responses: {
          '200': ok(`The ${noun}s`, { type: 'array', items: record }, LIST_HEADERS),
          '304': NOT_MODIFIED,
        },
      };
    case 'history':
      return historyOperation(name, one, common.tags[0] ?? '');
    case 'read':
      return {
        ...common,
        operationId: `get${name}`,
        summary: `Read one ${noun}`,
        parameters: [IF_NONE_MATCH],
        responses: { '200': ok(`The ${noun}`, record, ETAG), '304': NOT_MODIFIED },
      };
    case 'create':
      return {
        ...common,
        operationId: `create${name}`,
        summary: `Create ${one}, or several`,
        description: `An array creates all of its ${noun}s or none, and is answered with an array.`,
        parameters: [IDEMPOTENCY_KEY],
        requestBody: oneOrMany({ $ref: `#/components/schemas/${name}Input` }),
        responses: {
          '201': ok(`The new ${noun}, or ${noun}s`, anyOf(record, many(record)), CREATED_HEADERS),
        },
      };
    case 'replace':
    case 'patch': {
      const whole = kind === 'replace';
      return {
        ...common,
        operationId: `${kind}${name}`,
        summary: `${whole ? 'Replace' : 'Change fields of'} ${one}`,
        parameters: [IF_MATCH],
        requestBody: body(`${name}${whole ? 'Input' : 'Patch'}`),
        responses: { '200': ok(`The whole ${noun}`, record, ETAG) },
      };
    }
    default:
      return {
        ...common,
        operationId: `delete${name}`,
        summary: `Delete ${one}${name === 'User' ? ' with all logs' : ''}`,
        parameters: [IF_MATCH],
        responses: { '200': ok('It is gone', { type: 'object', maxProperties: 0 }, {}) },
      };
  }
}

/** Says by which fields a list can be sorted, each at most once. */
const sortable = (resource: Resource) => (parameter: Json) => {
  if (parameter['name'] !== 'sort') return parameter;
  const key = `-?(?:${Object.keys(recordFields[resource.path] ?? {}).join('|')})`;
  const pattern = `^(?!.*\\b(\\w+)\\b.*\\b\\1\\b)${key}(?:,${key})*$`;
  return { ...parameter, schema: { ...(parameter['schema'] as Json), pattern } };
};

const LIST_HEADERS: Json = {
  ...ETAG_IF_SHORT,
  Link: { description: 'With limit: the next page, rel="next"', schema: { type: 'string' } },
  'X-Total-Count': { description: 'With limit: how many match in all', schema: { type: 'integer' } },
};

const CREATED_HEADERS: Json = {
  ETag: { description: 'Strong entity tag; absent when there are several', schema: { type: 'string' } },
  Location: { description: 'Path of the record; absent when there are several', schema: { type: 'string' } },
};

const many = (items: Json, bounds: Json = {}): Json => ({ type: 'array', items, ...bounds });
const anyOf = (...schemas: Json[]): Json => ({ anyOf: schemas });

function oneOrMany(schema: Json): Json {
  return {
    required: true,
    content: content(anyOf(schema, many(schema, { minItems: 1, maxItems: MOST_AT_ONCE }))),
  };
}

function body(schema: string): Json {
  return { required: true, content: content({ $ref: `#/components/schemas/${schema}` }) };
}

function strict(fields: Parameters<typeof objectOf>[0]): Json {
  return schemaJson(objectOf(fields));
}

/** What a client sends: an id is allowed, and ignored. */
function input(fields: Parameters<typeof objectOf>[0], whole: boolean): Json {
  const schema = schemaJson(whole ? objectOf(fields) : objectOf(fields).partial());
  const id = { description: 'Ignored: the service assigns ids' };
  return { ...schema, properties: { ...(schema['properties'] as Json), id } };
}
