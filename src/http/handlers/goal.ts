import { SciaticaError } from '../../domain/errors.ts';
import { type Goal, goalFields } from '../../domain/goal.ts';
import { check, objectOf } from '../../domain/schema.ts';
import type { Store } from '../../store/store.ts';
import type { Handler, RequestContext } from '../route.ts';
import { type HttpResponse, json } from '../wire/message.ts';
import { readJson } from './body.ts';
import { disclosedRecord } from './disclosure.ts';
import { etagOf, precondition, tagged } from './etag.ts';
import { parseQuery } from './query.ts';

const { sessionsPerWeek } = goalFields;

/** GET of a user's goal. */
export const readGoal: Handler = ({ request, id, search, store }) => {
  parseQuery(search, {});
  const goal = goalOf(store, id);
  const response = tagged(request, JSON.stringify(goal));
  response.disclosed = disclosedRecord({ noun: 'goal' }, goal);
  return response;
};

/** PUT of a user's goal: the first or another. */
export const putGoal: Handler = async ({ request, id, search, store }) => {
  parseQuery(search, {});
  store.users.json(id);
  const input = checkBody(await readJson(request));
  const guard = precondition(request.headers);
  const { goal, isNew } = await store.submit(() => {
    const [now] = store.goals.list({ userId: id });
    if (!now && request.headers['if-match'] !== undefined)
      throw new SciaticaError('stale', 'There is no goal yet, and If-Match asks for one.');
    const goal = now
      ? store.goals.replace(now.id, { userId: id, ...input }, guard)
      : store.goals.create({ userId: id, ...input });
    return { goal, isNew: now === undefined };
  });
  return written(isNew ? 201 : 200, goal);
};

/** DELETE of a user's goal. */
export const removeGoal: Handler = async ({ request, id, search, store }: RequestContext) => {
  parseQuery(search, {});
  const guard = precondition(request.headers);
  const goal = await store.submit(() => store.goals.delete(goalOf(store, id).id, guard));
  return { ...json(200, '{}'), disclosed: disclosedRecord({ noun: 'goal' }, goal) };
};

/** @throws SciaticaError `not-found` */
function goalOf(store: Store, userId: number): Goal {
  store.users.json(userId);
  const [goal] = store.goals.list({ userId });
  if (!goal) throw new SciaticaError('not-found', `User ${userId} has no goal.`);
  return goal;
}

/** The body, in which a client may send back all that it got. */
function checkBody(value: unknown): { sessionsPerWeek: number } {
  const schema = objectOf({ sessionsPerWeek });
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return check(schema, value);
  const { id: _, userId: __, ...input } = value as Record<string, unknown>;
  return check(schema, input);
}

function written(status: number, goal: Goal): HttpResponse {
  const body = JSON.stringify(goal);
  return {
    ...json(status, body, { etag: etagOf(body) }),
    disclosed: disclosedRecord({ noun: 'goal' }, goal),
  };
}
