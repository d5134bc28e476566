import { SciaticaError } from '../../../domain/errors.ts';
import { type Goal, goalFields } from '../../../domain/plans/goal.ts';
import { check, objectOf } from '../../../domain/schema.ts';
import type { Store } from '../../../store/store.ts';
import { disclosedRecord } from '../../protocol/disclosure.ts';
import { etagOf, precondition, tagged } from '../../protocol/etag.ts';
import { parseQuery } from '../../protocol/query.ts';
import type { Handler, Write } from '../../protocol/route.ts';
import { type HttpResponse, json } from '../../wire/message.ts';

const { sessionsPerWeek } = goalFields;

/** GET of a user's goal. */
export const readGoal: Handler = ({ request, id, search, store }) => {
  parseQuery(search, {});
  const goal = goalOf(store, id);
  const response = tagged(request, JSON.stringify(goal));
  response.disclosed = disclosedRecord('goal', goal);
  return response;
};

/** PUT of a user's goal: the first or another. */
export const putGoal: Write = {
  hasBody: true,
  begin: ({ store, id, search, headers }) => {
    parseQuery(search, {});
    store.users.json(id);
    return (body) => {
      const input = checkBody(body);
      const guard = precondition(headers);
      return () => {
        const [now] = store.goals.list({ userId: id });
        if (!now && headers['if-match'] !== undefined)
          throw new SciaticaError('stale', 'There is no goal yet, and If-Match asks for one.');
        return now
          ? written(200, store.goals.replace(now.id, { userId: id, ...input }, guard))
          : written(201, store.goals.create({ userId: id, ...input }));
      };
    };
  },
};

/** DELETE of a user's goal. */
export const removeGoal: Write = {
  hasBody: false,
  begin: ({ store, id, search, headers }) => {
    parseQuery(search, {});
    const guard = precondition(headers);
    return () => () => {
      const goal = store.goals.delete(goalOf(store, id).id, guard);
      return { ...json(200, '{}'), disclosed: disclosedRecord('goal', goal) };
    };
  },
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
    disclosed: disclosedRecord('goal', goal),
  };
}
