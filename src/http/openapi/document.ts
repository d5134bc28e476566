import { version } from '../../../package.json';
import { isOpenToAll } from '../../domain/access.ts';
import type { Fields } from '../../domain/fields.ts';
import { schemaOf } from '../../domain/schema.ts';
import { userRecord } from '../../domain/user.ts';
import type { Route } from '../route.ts';
import { tags } from './operation.ts';
import { filterParameters, type Json, queryParameters, schemaJson } from './parts.ts';
import { problemRefs, problemResponses } from './problems.ts';
import { schemas } from './schemas.ts';

const SERVERS = '"servers":[{"url":"/"}]';

let rendered: string | undefined;

/**
 * The OpenAPI 3.1 document of the service, as JSON, rendered once.
 * @param base the address of the service, as the caller wrote it; localhost stays relative, as linters want it
 */
export function openApi(routes: readonly Route[], base = '/'): string {
  rendered ??= JSON.stringify(documentOf(routes));
  if (/^https?:\/\/localhost(?::|$)/.test(base)) return rendered;
  return rendered.replace(SERVERS, () => `"servers":[${JSON.stringify({ url: base })}]`);
}

function documentOf(routes: readonly Route[]): Json {
  return {
    openapi: '3.1.1',
    info: {
      title: 'sciatica',
      version,
      summary: 'Exercises and pain of people with sciatica',
      description:
        'Users and the logs of their exercises. Errors are problem details (RFC 9457); lists are arrays in id order.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{}, ...SECURITY],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths: pathsOf(routes),
    components: { schemas: schemas(), securitySchemes: SCHEMES, responses: problemResponses },
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

function pathsOf(routes: readonly Route[]): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = paths[route.path] ?? (route.path.includes('{id}') ? { parameters: [ID] } : {});
    paths[route.path] = { ...path, [route.method.toLowerCase()]: operationOf(route) };
  }
  return paths;
}

function operationOf({ right, errors, operation }: Route): Json {
  const {
    tag,
    id,
    summary,
    description,
    query = {},
    filters = {},
    sortable,
    headers = [],
    body,
    success,
  } = operation;
  const parameters = [
    ...filterParameters(filters),
    ...queryParameters(query).map(bounded(sortable)),
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

/** Gives the parameters that name fields a pattern: these fields, each at most once. */
const bounded = (sortable: Fields | undefined) => (parameter: Json) => {
  const name = String(parameter['name']);
  if (!sortable || !['sort', '_sort', 'fields'].includes(name)) return parameter;
  const key = `${name === 'sort' ? '-?' : ''}(?:${Object.keys(sortable).join('|')})`;
  const pattern = `^(?!.*\\b(\\w+)\\b.*\\b\\1\\b)${key}(?:,${key})*$`;
  return { ...parameter, schema: { ...(parameter['schema'] as Json), pattern } };
};
