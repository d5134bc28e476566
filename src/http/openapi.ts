import { logFields, logRecord } from '../domain/log.ts';
import { objectOf, schemaOf } from '../domain/schema.ts';
import { userFields, userRecord } from '../domain/user.ts';
import { historyEntrySchema, historyOperation } from './openapi-history.ts';
import { insightsOperation, insightsSchemas, insightsTag } from './openapi-insights.ts';
import {
  content,
  ETAG,
  IF_MATCH,
  IF_NONE_MATCH,
  type Json,
  NOT_MODIFIED,
  queryParameters,
  schemaJson,
} from './openapi-parts.ts';
import { serviceOperation } from './openapi-service.ts';
import { type Resource, recordFields } from './resource.ts';
import type { Kind, Route } from './routes.ts';

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
        Problem: PROBLEM,
      },
      securitySchemes: SCHEMES,
      responses: PROBLEMS,
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

const PROBLEM: Json = {
  type: 'object',
  description: 'Problem details (RFC 9457)',
  required: ['type', 'title', 'status', 'detail'],
  properties: {
    type: { type: 'string', examples: ['about:blank'] },
    title: { type: 'string', examples: ['Bad Request'] },
    status: { type: 'integer', examples: [400] },
    detail: { type: 'string', examples: ['The request has faults; errors names each.'] },
    errors: {
      type: 'array',
      description: 'Every fault of the input',
      items: {
        type: 'object',
        required: ['field', 'message'],
        properties: {
          field: { type: 'string', examples: ['painLevel'] },
          message: { type: 'string', examples: ['must be a whole number from 1 to 10'] },
        },
      },
    },
  },
};

const PROBLEMS: Record<string, Json> = {
  BadRequest: problem('Malformed JSON, an invalid field or query value'),
  Unauthorized: problem('Authentication is on and there is no valid token', {
    'WWW-Authenticate': { description: 'Bearer and Basic', required: true, schema: { type: 'string' } },
  }),
  Forbidden: problem('A foreign Host, Origin or site, or something that the role of the token may not do'),
  NotFound: problem('No such record'),
  PreconditionFailed: problem('The record is not the one that If-Match names'),
  PayloadTooLarge: problem('The body is larger than 64 KiB'),
  UnsupportedMediaType: problem('The body is not application/json in UTF-8'),
  TooManyRequests: problem('Authentication is on and the caller comes too often', {
    'Retry-After': { description: 'Seconds', required: true, schema: { type: 'integer' } },
  }),
  Unavailable: problem('Another program held the database for too long; Retry-After says when to try again', {
    'Retry-After': { description: 'Seconds', schema: { type: 'integer' } },
  }),
  InsufficientStorage: problem('The disk is full; nothing was saved'),
  Refused: problem(
    'What can happen to any request: 405 with Allow, 408 when it takes too long to arrive, 417 for an unknown Expect, 431 when its headers are too large, 500 when something broke here',
  ),
};

const service = { '400': 'BadRequest', '403': 'Forbidden', '429': 'TooManyRequests', '503': 'Unavailable' };
const reads = { ...service, '401': 'Unauthorized' };
const writes = { ...reads, '507': 'InsufficientStorage' };
const bodies = { '413': 'PayloadTooLarge', '415': 'UnsupportedMediaType' };
const missing = { '404': 'NotFound' };
const conditional = { '412': 'PreconditionFailed' };

const failures: Record<Kind, Record<string, string>> = {
  list: reads,
  read: { ...reads, ...missing },
  create: { ...writes, ...bodies },
  replace: { ...writes, ...missing, ...conditional, ...bodies },
  patch: { ...writes, ...missing, ...conditional, ...bodies },
  remove: { ...writes, ...missing, ...conditional },
  history: { ...reads, ...missing },
  summary: { ...reads, ...missing },
  report: { ...reads, ...missing },
  health: service,
  document: service,
  docs: service,
};

function operation({ kind, resource }: Route): Json {
  const refs = Object.fromEntries(
    Object.entries(failures[kind]).map(([status, name]) => [
      status,
      { $ref: `#/components/responses/${name}` },
    ]),
  );
  const described =
    kind === 'summary' || kind === 'report'
      ? insightsOperation(kind)
      : resource
        ? recordOperation(kind, resource)
        : serviceOperation(kind);
  const rest = { default: { $ref: '#/components/responses/Refused' } };
  return { ...described, responses: { ...(described['responses'] as Json), ...refs, ...rest } };
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
        summary: `Create ${one}`,
        requestBody: body(`${name}Input`),
        responses: {
          '201': ok(`The new ${noun}`, record, {
            ...ETAG,
            Location: { description: 'Path of the record', required: true, schema: { type: 'string' } },
          }),
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
  ETag: { description: 'Strong entity tag; absent when the list is long', schema: { type: 'string' } },
  Link: { description: 'With limit: the next page, rel="next"', schema: { type: 'string' } },
  'X-Total-Count': { description: 'With limit: how many match in all', schema: { type: 'integer' } },
};

function body(schema: string): Json {
  return { required: true, content: content({ $ref: `#/components/schemas/${schema}` }) };
}

function problem(description: string, headers?: Json): Json {
  const schema = { $ref: '#/components/schemas/Problem' };
  return { description, ...(headers && { headers }), content: { 'application/problem+json': { schema } } };
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
