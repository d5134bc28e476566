import { changesParameters } from '../handlers/changes.ts';
import type { Operation } from './operation.ts';
import { content, ETAG_IF_SHORT, IF_NONE_MATCH, type Json, notModified, ref } from './parts.ts';

const LAST_EVENT_ID: Json = {
  name: 'Last-Event-ID',
  in: 'header',
  description: 'Where a stream that was broken off goes on: counts instead of since',
  schema: { type: 'string', pattern: '^\\d+$' },
};

const LAST_SEQ: Json = {
  'X-Last-Seq': {
    description: 'Since when to ask next time, once there is no Link',
    required: true,
    schema: { type: 'integer' },
  },
};

export const changesOperation: Operation = {
  tag: 'Changes',
  id: 'listChanges',
  summary: 'What changed since',
  description:
    'The first change first, of the records that the caller sees. With Accept: text/event-stream it stays open and sends each change when it happens, as an event whose id is its seq and whose data is the entry.',
  query: changesParameters,
  headers: [LAST_EVENT_ID, IF_NONE_MATCH],
  success: {
    '200': {
      description: 'The changes',
      headers: {
        ...ETAG_IF_SHORT,
        Link: { description: 'With limit: where to go on, rel="next"', schema: { type: 'string' } },
        ...LAST_SEQ,
      },
      content: {
        ...content({ type: 'array', items: ref('HistoryEntry') }),
        'text/event-stream': { schema: { type: 'string' } },
      },
    },
    '304': notModified(LAST_SEQ),
  },
};
