import { actions, sources } from '../../domain/history.ts';
import { content, ETAG_IF_SHORT, IF_NONE_MATCH, type Json, NOT_MODIFIED } from './parts.ts';

/** The schema of an entry of the history. */
export const historyEntrySchema: Json = {
  type: 'object',
  description: 'What happened to a record in one change',
  required: ['seq', 'change', 'at', 'source', 'record', 'id', 'action', 'before', 'after'],
  additionalProperties: false,
  properties: {
    seq: { type: 'integer', description: 'Grows with each entry', examples: [7] },
    change: { type: 'integer', description: 'The change it belongs to', examples: [4] },
    at: { type: 'string', format: 'date-time', examples: ['2026-03-02T08:30:00.000Z'] },
    source: { type: 'string', enum: sources, description: 'What made the change' },
    caller: { type: 'string', description: "The name of the caller's token" },
    undoes: { type: 'integer', description: 'The change that this one took back' },
    record: { type: 'string', enum: ['user', 'log'] },
    id: { type: 'integer', description: 'Id of the record', examples: [1] },
    action: { type: 'string', enum: actions },
    before: state('The record before; null when it was created'),
    after: state('The record after; null when it was deleted'),
  },
};

function state(description: string): Json {
  const records = ['User', 'UserExerciseLog'].map((name) => ({ $ref: `#/components/schemas/${name}` }));
  return { description, anyOf: [...records, { type: 'null' }] };
}

/** The schema of a list of entries. */
export const historyEntries: Json = {
  type: 'array',
  items: { $ref: '#/components/schemas/HistoryEntry' },
};

/** The operation of a route that reads the history of a record. */
export function historyOperation(name: string, noun: string, tag: string): Json {
  return {
    tags: [tag],
    operationId: `get${name}History`,
    summary: `What happened to ${noun}`,
    description: 'The first change first. A deleted record still has its history.',
    parameters: [IF_NONE_MATCH],
    responses: {
      '200': { description: 'The entries', headers: ETAG_IF_SHORT, content: content(historyEntries) },
      '304': NOT_MODIFIED,
    },
  };
}
