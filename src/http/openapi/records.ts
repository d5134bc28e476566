import type { Fields } from '../../domain/fields.ts';
import { type KindName, kinds } from '../../domain/kinds.ts';
import { MOST_AT_ONCE } from '../../domain/schema.ts';
import type { Collection, Listed } from '../handlers/resource.ts';
import type { Operation } from './operation.ts';
import {
  content,
  ETAG,
  ETAG_IF_SHORT,
  exampleOf,
  IF_MATCH,
  IF_NONE_MATCH,
  type Json,
  NOT_MODIFIED,
  notModified,
  ok,
  ref,
  taken,
} from './parts.ts';

/** The operations that users and logs have in common. */

interface Names {
  tag: 'Users' | 'User exercise logs' | 'Routines';
  schema: 'User' | 'UserExerciseLog' | 'Routine';
  noun: string;
  /** The noun with its article. */
  one: string;
}

const names: Record<Collection['path'], Names> = {
  '/users': { tag: 'Users', schema: 'User', noun: 'user', one: 'a user' },
  '/userExerciseLogs': {
    tag: 'User exercise logs',
    schema: 'UserExerciseLog',
    noun: 'exercise log',
    one: 'an exercise log',
  },
  '/routines': { tag: 'Routines', schema: 'Routine', noun: 'routine', one: 'a routine' },
};

export function listOperation({ path, noun: record, parameters, filters }: Listed): Operation {
  const { tag, schema, noun } = names[path];
  return {
    tag,
    id: `list${schema}s`,
    summary: `List ${noun}s`,
    description:
      'Without `limit`, `_limit`, `_page` or `_end` the whole list is sent. With `fields`, records have those fields only.',
    query: parameters,
    filters,
    shared: schema,
    sortable: kinds[record].fields,
    headers: [IF_NONE_MATCH],
    success: {
      '200': {
        description: `The ${noun}s`,
        headers: LIST_HEADERS,
        content: {
          ...content(many(ref(schema))),
          'application/x-ndjson': { schema: { type: 'string', description: 'A record per line' } },
          'text/csv': { schema: { type: 'string', description: 'RFC 4180, the names of the fields first' } },
        },
      },
      '304': notModified(PART_HEADERS),
    },
  };
}

export function readOperation({ path }: Collection): Operation {
  const { tag, schema, noun } = names[path];
  return {
    tag,
    id: `get${schema}`,
    summary: `Read one ${noun}`,
    description: 'With the entity tag that a write can be made to depend on.',
    headers: [IF_NONE_MATCH],
    success: { '200': ok(`The ${noun}`, ref(schema), ETAG), '304': NOT_MODIFIED },
  };
}

export function createOperation({ path, noun: record }: Collection): Operation {
  const { tag, schema, noun, one } = names[path];
  const input = ref(`${schema}Input`);
  const inputs = many(input, { minItems: 1, maxItems: MOST_AT_ONCE });
  return {
    tag,
    id: `create${schema}`,
    summary: `Create ${one}, or several`,
    description: `An array creates all of its ${noun}s or none, and is answered with an array.`,
    headers: [IDEMPOTENCY_KEY],
    body: taken({ anyOf: [input, inputs] }, inputExample(record)),
    success: {
      '201': ok(`The new ${noun}, or ${noun}s`, { anyOf: [ref(schema), many(ref(schema))] }, CREATED_HEADERS),
    },
  };
}

export function replaceOperation(collection: Collection): Operation {
  const { schema, one } = names[collection.path];
  return {
    ...updateOperation(collection, `replace${schema}`, `Replace ${one}`),
    description: 'Every field is required, but for the id, which stays.',
    body: taken(ref(`${schema}Input`), inputExample(collection.noun)),
  };
}

/** @param example the change of the example */
export function patchOperation(collection: Collection, example: Json): Operation {
  const { schema, one } = names[collection.path];
  return {
    ...updateOperation(collection, `patch${schema}`, `Change fields of ${one}`),
    description: 'Fields that are not sent keep their values.',
    body: taken(ref(`${schema}Patch`), example),
  };
}

/** A new record of the examples of its fields. */
function inputExample(noun: KindName): Json {
  const { id: _, ...input } = exampleOf(kinds[noun].fields);
  return input;
}

function updateOperation({ path }: Collection, id: string, summary: string): Operation {
  const { tag, schema, noun } = names[path];
  return {
    tag,
    id,
    summary,
    headers: [IF_MATCH],
    success: { '200': ok(`The whole ${noun}`, ref(schema), ETAG) },
  };
}

/**
 * @param exampleId the record of the example, which others do without
 * @param further what goes with the record
 */
export function deleteOperation({ path }: Collection, exampleId: number, further = ''): Operation {
  const { tag, schema, one } = names[path];
  return {
    tag,
    id: `delete${schema}`,
    summary: `Delete ${one}${further}`,
    description: 'The id is never used again; the history stays, and `restore` brings it back.',
    exampleId,
    headers: [IF_MATCH],
    success: { '200': ok('It is gone', { type: 'object', maxProperties: 0 }, {}) },
  };
}

/**
 * @param exampleId the record of the example, which the example of `deleteOperation` has deleted
 * @param query parameters, if any
 */
export function restoreOperation(
  { path, noun: record }: Collection,
  exampleId: number,
  query: Fields,
): Operation {
  const { tag, schema, noun, one } = names[path];
  const further =
    path === '/users'
      ? ' With the user comes back what was deleted with the user.'
      : ' A body counts where erasing a user has left nothing of it, but its id, and the token is for all users: then it comes back as the body has it.';
  return {
    tag,
    id: `restore${schema}`,
    summary: `Bring back ${one} that was deleted`,
    description: `With its id, as it was deleted.${further} 409 if it is there, or cannot be there: the detail says what stands in the way. 404 if it never was, or was erased.`,
    query,
    exampleId,
    headers: [IDEMPOTENCY_KEY],
    ...(path !== '/users' && {
      body: { ...taken(ref(`${schema}Input`), inputExample(record)), required: false },
    }),
    success: { '201': ok(`The ${noun}`, ref(schema), CREATED_HEADERS) },
  };
}

export function historyOperation({ path }: Collection): Operation {
  const { tag, schema, one } = names[path];
  return {
    tag,
    id: `get${schema}History`,
    summary: `What happened to ${one}`,
    description: 'The first change first. A deleted record still has its history.',
    headers: [IF_NONE_MATCH],
    success: {
      '200': ok('The entries', many(ref('HistoryEntry')), ETAG_IF_SHORT),
      '304': NOT_MODIFIED,
    },
  };
}

export const many = (items: Json, bounds: Json = {}): Json => ({ type: 'array', items, ...bounds });

const PART_HEADERS: Json = {
  Link: {
    description: 'With limit: the next page, rel="next"; with _page: first, prev, next, last',
    schema: { type: 'string' },
  },
  'X-Total-Count': {
    description: 'Of a part of the list: how many match in all',
    schema: { type: 'integer' },
  },
};

const LIST_HEADERS: Json = { ...ETAG_IF_SHORT, ...PART_HEADERS };

const CREATED_HEADERS: Json = {
  'Idempotency-Replayed': {
    description: 'true on the first answer when it is given again; absent otherwise',
    schema: { type: 'string', const: 'true' },
  },
  ETag: { description: 'Strong entity tag; absent when there are several', schema: { type: 'string' } },
  Location: { description: 'Path of the record; absent when there are several', schema: { type: 'string' } },
};

export const IDEMPOTENCY_KEY: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Makes it safe to send the request again: it gets the first answer, and nothing is created twice',
  schema: {
    type: 'string',
    minLength: 1,
    maxLength: 255,
    pattern: '^[ -~]+$',
    examples: ['0f5c3c5e-3f0e-4f0c-9a53-0d8a4c6f2b1e'],
  },
};

/** GET of the logs of one user. */
export function userLogsOperation(logs: Listed): Operation {
  return { ...listOperation(logs), id: 'listLogsOfUser', summary: 'List the exercise logs of a user' };
}

/** GET of the routines of one user. */
export function userRoutinesOperation(routines: Listed): Operation {
  return { ...listOperation(routines), id: 'listUserRoutines', summary: 'List the routines of a user' };
}
