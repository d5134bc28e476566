import { type Action, sources } from '../../domain/history.ts';
import { type KindName, kindNames } from '../../domain/kinds.ts';
import { type Json, ref } from './parts.ts';

/** The schemas of the kinds of record, by noun. */
const records = {
  user: 'User',
  log: 'UserExerciseLog',
  routine: 'Routine',
  goal: 'Goal',
} as const satisfies Record<KindName, string>;

/** What an action leaves of a record: whether there is one before and after. */
const states = {
  create: { before: false, after: true },
  update: { before: true, after: true },
  delete: { before: true, after: false },
  erase: { before: false, after: false },
} as const satisfies Record<Action, object>;

/** The schemas of entries of the history, by name: `record`, and then `action`, say which one it is. */
export function historySchemas(): Record<string, Json> {
  const entries = kindNames.map((noun) => [nameOf(noun), entryOf(noun)]);
  return {
    HistoryEntry: {
      description: 'What happened to a record in one change',
      oneOf: kindNames.map((noun) => ref(nameOf(noun))),
      discriminator: {
        propertyName: 'record',
        mapping: Object.fromEntries(kindNames.map((noun) => [noun, ref(nameOf(noun))['$ref']])),
      },
    },
    ...Object.fromEntries(entries),
  };
}

const nameOf = (noun: KindName) => `${records[noun]}Entry`;

function entryOf(noun: KindName): Json {
  // Only a person is erased, with all records.
  const actions: Action[] = ['create', 'update', 'delete', ...(noun === 'user' ? (['erase'] as const) : [])];
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
      record: { type: 'string', const: noun },
      id: { type: 'integer', description: 'Id of the record', examples: [1] },
    },
    oneOf: actions.map((action) => ({
      type: 'object',
      required: ['action', 'before', 'after'],
      properties: {
        action: { type: 'string', const: action },
        before: states[action].before ? ref(records[noun]) : { type: 'null' },
        after: states[action].after ? ref(records[noun]) : { type: 'null' },
      },
    })),
  };
}
