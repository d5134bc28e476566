import type { Field, Fields } from '../../domain/fields.ts';
import { type Action, sources } from '../../domain/history.ts';
import type { Kind } from '../../domain/kind.ts';
import { type KindName, kindNames, kindOf } from '../../domain/kinds.ts';
import { objectOf, partialOf, schemaOf } from '../../domain/schema.ts';
import { type Json, ref, schemaJson, termsOf } from './parts.ts';

/** The schemas of the kinds of record, by name: of a record, and of what is sent to create, replace or change one. */
export const recordSchemas = (): Record<string, Json> =>
  Object.fromEntries(kindNames.flatMap((name) => Object.entries(schemasOf(kindOf(name)))));

function schemasOf(kind: Kind): Record<string, Json> {
  const { fields, schema, place, verbs } = kind;
  const { id: _, ...input } = fields;
  const { userId, ...ofUser } = input;
  return {
    [schema]: schemaJson(objectOf(fields)),
    [`${schema}Input`]:
      place === 'one-per-user'
        ? withIgnored(schemaJson(objectOf(ofUser)), ['userId'])
        : withIgnored(schemaJson(objectOf(input))),
    ...(verbs.includes('patch') && {
      [`${schema}Patch`]: {
        ...withIgnored(schemaJson(partialOf(input))),
        examples: [termsOf(kind).change],
      },
    }),
    ...(place === 'below-user' && userId && { [`User${schema}Input`]: inputOfUser(ofUser, userId) }),
  };
}

/** The path says whose it is. */
function inputOfUser(fields: Fields, userId: Field): Json {
  const schema = withIgnored(schemaJson(objectOf(fields)));
  return {
    ...schema,
    properties: { ...(schema['properties'] as Json), userId: schemaJson(schemaOf(userId)) },
  };
}

/** A client may send back what it got, id included. @param names further fields that the path says */
function withIgnored(schema: Json, names: readonly string[] = []): Json {
  const ignored: Json = {
    id: { description: 'Ignored: the service assigns ids' },
    ...Object.fromEntries(names.map((name) => [name, { description: 'Ignored: the path says it' }])),
  };
  return { ...schema, properties: { ...(schema['properties'] as Json), ...ignored } };
}

/** What an action leaves of a record: whether there is one before and after. */
const states = {
  create: { before: false, after: true },
  update: { before: true, after: true },
  delete: { before: true, after: false },
  erase: { before: false, after: false },
} as const satisfies Record<Action, object>;

/** The schemas of entries of the history, by name: `record`, and then `action`, say which one it is. */
export function historySchemas(): Record<string, Json> {
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
  // Only a person is erased, with all records.
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
    },
    oneOf: actions.map((action) => ({
      type: 'object',
      required: ['action', 'before', 'after'],
      properties: {
        action: { type: 'string', const: action },
        before: states[action].before ? record : { type: 'null' },
        after: states[action].after ? record : { type: 'null' },
      },
    })),
  };
}
