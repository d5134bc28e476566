import { shownStatus, trialStatus } from '../../cases/trial.ts';
import { objectOf } from '../../domain/schema.ts';
import { trialRecord } from '../../domain/trial.ts';
import { localDay } from '../../domain/words/day.ts';
import { ETAG, IF_NONE_MATCH, type Json, NOT_MODIFIED, ok, schemaJson } from '../openapi/parts.ts';
import { READ_ONE } from '../openapi/problems.ts';
import { tagged } from '../protocol/etag.ts';
import { parseQuery } from '../protocol/query.ts';
import type { Route } from '../protocol/route.ts';

const nullable = (schema: Json): Json => ({ anyOf: [schema, { type: 'null' }] });
const object = (properties: Json): Json => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
});

const text: Json = { type: 'string' };
const day: Json = { type: 'string', format: 'date' };
const count: Json = { type: 'integer', minimum: 0 };
const points: Json = { type: 'number' };
const pains: Json = { type: 'array', items: { type: 'integer', minimum: 1, maximum: 10 } };
const one = (...values: string[]): Json => ({ type: 'string', enum: values });

const { seed: _, ...shownFields } = trialRecord;

const status = (): Json =>
  object({
    trial: schemaJson(objectOf(shownFields)),
    today: nullable(object({ date: day, number: count, arm: one('a', 'b'), what: text })),
    due: nullable(object({ date: day, pain: one('first', 'second') })),
    daysLeft: count,
    passed: count,
    recorded: count,
    asDrawn: count,
    outcomes: nullable(object({ a: pains, b: pains })),
    result: nullable(
      object({
        verdict: one('less', 'more', 'open'),
        difference: nullable(points),
        interval: nullable({ type: 'array', minItems: 2, maxItems: 2, items: points }),
        withIt: count,
        without: count,
        afterDays: count,
        sentence: text,
        note: text,
      }),
    ),
  });

/** GET of how a trial stands today. */
export const trialStatusRoute: Route = {
  method: 'GET',
  path: '/trials/{id}/status',
  right: 'read trial',
  errors: READ_ONE,
  operation: {
    tag: 'Trials',
    id: 'getTrialStatus',
    summary: 'How a trial stands today',
    description:
      'What is drawn for today (of the machine that serves), which pain is due, and, after the end, what the trial has shown. What is still to come is not said. `arm` is `a` for the exercise and `b` for what it is compared with.',
    headers: [IF_NONE_MATCH],
    success: { '200': ok('How it stands', status(), ETAG), '304': NOT_MODIFIED },
  },
  handle: ({ request, id, search, store }) => {
    parseQuery(search, {});
    const trial = store.of('trial').get(id);
    const shown = shownStatus(trialStatus(store, trial, localDay(new Date())));
    return tagged(request, JSON.stringify(shown));
  },
};
