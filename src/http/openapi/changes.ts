import { changesParameters } from '../handlers/changes.ts';
import { historyEntries } from './history.ts';
import { content, ETAG_IF_SHORT, IF_NONE_MATCH, type Json, NOT_MODIFIED, queryParameters } from './parts.ts';

/** The operation of the route that reads what changed. */
export function changesOperation(): Json {
  return {
    tags: ['Changes'],
    operationId: 'listChanges',
    summary: 'What changed since',
    description:
      'The first change first, of the records that the caller sees. With Accept: text/event-stream it stays open and sends each change when it happens, as an event whose id is its seq and whose data is the entry.',
    parameters: [...queryParameters(changesParameters), LAST_EVENT_ID, IF_NONE_MATCH],
    responses: {
      '200': {
        description: 'The changes',
        headers: {
          ...ETAG_IF_SHORT,
          Link: { description: 'With limit: where to go on, rel="next"', schema: { type: 'string' } },
          'X-Last-Seq': {
            description: 'Since when to ask next time, once there is no Link',
            required: true,
            schema: { type: 'integer' },
          },
        },
        content: {
          ...content(historyEntries),
          'text/event-stream': { schema: { type: 'string' } },
        },
      },
      '304': NOT_MODIFIED,
    },
  };
}

export const changesTag: Json = {
  name: 'Changes',
  description: 'What a client that keeps records of its own needs to stay up to date.',
};

const LAST_EVENT_ID: Json = {
  name: 'Last-Event-ID',
  in: 'header',
  description: 'Where a stream that was broken off goes on: counts instead of since',
  schema: { type: 'string', pattern: '^\\d+$' },
};
