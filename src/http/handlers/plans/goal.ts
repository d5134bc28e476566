import { goalOf, removeGoal, setGoal } from '../../../cases/goal.ts';
import { SciaticaError } from '../../../domain/errors.ts';
import { type Goal, goalFields } from '../../../domain/plans/goal.ts';
import { check, objectOf } from '../../../domain/schema.ts';
import type { Handler, Write } from '../../route.ts';
import { type HttpResponse, json } from '../../wire/message.ts';
import { disclosedRecord } from '../disclosure.ts';
import { etagOf, precondition, tagged } from '../etag.ts';
import { parseQuery } from '../query.ts';

/** GET of a user's goal. */
export const readGoal: Handler = ({ request, id, search, store }) => {
  parseQuery(search, {});
  store.users.json(id);
  const goal = goalOf(store, id) ?? none(id);
  const response = tagged(request, JSON.stringify(goal));
  response.disclosed = disclosedRecord({ noun: 'goal' }, goal);
  return response;
};

/** PUT of a user's goal: the first or another. */
export const putGoal: Write = {
  hasBody: true,
  begin: ({ store, id, search, headers }) => {
    parseQuery(search, {});
    store.users.json(id);
    return (body) => {
      const { sessionsPerWeek } = checkBody(body);
      const guard = precondition(headers);
      return () => {
        if (headers['if-match'] !== undefined && !goalOf(store, id))
          throw new SciaticaError('stale', 'There is no goal yet, and If-Match asks for one.');
        const { goal, isFirst } = setGoal(store, id, sessionsPerWeek, guard);
        return written(isFirst ? 201 : 200, goal);
      };
    };
  },
};

/** DELETE of a user's goal. */
export const deleteGoal: Write = {
  hasBody: false,
  begin: ({ store, id, search, headers }) => {
    parseQuery(search, {});
    const guard = precondition(headers);
    return () => () => {
      store.users.json(id);
      const goal = removeGoal(store, id, guard) ?? none(id);
      return { ...json(200, '{}'), disclosed: disclosedRecord({ noun: 'goal' }, goal) };
    };
  },
};

/** @throws SciaticaError `not-found` */
function none(userId: number): never {
  throw new SciaticaError('not-found', `User ${userId} has no goal.`);
}

/** The body, in which a client may send back all that it got. */
function checkBody(value: unknown): { sessionsPerWeek: number } {
  const schema = objectOf({ sessionsPerWeek: goalFields.sessionsPerWeek });
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
