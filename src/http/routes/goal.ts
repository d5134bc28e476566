import { goalOf, removeGoal, setGoal } from '../../cases/goal.ts';
import { absent, SciaticaError } from '../../domain/errors.ts';
import { goalFields } from '../../domain/goal.ts';
import { schemaOf } from '../../domain/schema.ts';
import { isObject } from '../../lib/strict-json.ts';
import { checkSent } from '../../store/records/checks.ts';
import { conditional, ETAG, GONE, IF_MATCH, ok, ref, schemaJson, taken } from '../openapi/parts.ts';
import { disclosedRecord } from '../protocol/disclosure.ts';
import { etagOf, precondition, tagged, withSentTag } from '../protocol/etag.ts';
import { batchable, type Route, type Write } from '../protocol/route.ts';
import { json } from '../wire/message.ts';

/** PUT of a user's goal: sets the first one, or replaces it. */
const putGoal: Write = {
  begin: ({ store, id, headers }) => {
    store.users.json(id);
    return (body) => {
      // A client may send back all that it got, with its userId: the path names the user.
      const sent = isObject(body) ? { ...body, userId: id } : body;
      const { sessionsPerWeek } = checkSent(store.users, 'goal', 'input', sent);
      const conditions = withSentTag(headers, body);
      const guard = precondition(conditions);
      return () => {
        if (conditions['if-match'] !== undefined && !goalOf(store, id))
          throw new SciaticaError('stale', 'There is no goal yet, and If-Match asks for one.');
        const { goal, isFirst } = setGoal(store, id, sessionsPerWeek, guard);
        const text = JSON.stringify(goal);
        return json(isFirst ? 201 : 200, text, { etag: etagOf(text) }, disclosedRecord('goal', goal));
      };
    };
  },
};

/** PATCH of a user's goal. It has one field: a body without that leaves the goal as it is. */
const patchGoal: Write = {
  begin: (asked) => {
    const { store, id } = asked;
    const replace = putGoal.begin(asked);
    const goal = () => goalOf(store, id) ?? none(id);
    goal();
    return (body) => {
      const changed = () => replace(isObject(body) ? { ...goal(), ...body } : body);
      changed();
      // Read again in the transaction: another request may have set or removed the goal meanwhile.
      return () => changed()();
    };
  },
};

const deleteGoal: Write = {
  begin: ({ store, id, headers }) => {
    const guard = precondition(headers);
    return () => () => {
      store.users.json(id);
      const goal = removeGoal(store, id, guard) ?? none(id);
      return json(200, '{}', {}, disclosedRecord('goal', goal));
    };
  },
};

/** @throws SciaticaError `not-found` */
function none(userId: number): never {
  throw absent(`User ${userId} has no goal.`);
}

const OF_USER = { path: '/users/{id}/goal', tag: 'Goals', isOwner: true } as const;

/** The routes of a user's goal; a user has one at most. */
export const goalRoutes: readonly Route[] = [
  {
    ...OF_USER,
    method: 'PUT',
    right: 'change goal',
    id: 'putUserGoal',
    summary: 'Set the goal of a user',
    description: 'Summary and report compare with it, unless the query says another target.',
    headers: [IF_MATCH],
    body: taken(ref('GoalInput'), { sessionsPerWeek: goalFields.sessionsPerWeek.example }),
    success: {
      '200': ok('The goal, which there was before', ref('Goal'), ETAG),
      '201': ok('The goal, which is the first', ref('Goal'), ETAG),
    },
    ...batchable(putGoal),
  },
  {
    ...OF_USER,
    method: 'GET',
    right: 'read goal',
    id: 'getUserGoal',
    summary: 'Read the goal of a user',
    description: 'A user without a goal has none to read: 404.',
    ...conditional(ok('The goal', ref('Goal'), ETAG)),
    handle: ({ request, id, store }) => {
      store.users.json(id);
      const goal = goalOf(store, id) ?? none(id);
      return { ...tagged(request, JSON.stringify(goal)), disclosed: disclosedRecord('goal', goal) };
    },
  },
  {
    ...OF_USER,
    method: 'PATCH',
    right: 'change goal',
    id: 'patchUserGoal',
    summary: 'Change the goal of a user',
    description: 'A user without a goal has none to change: 404.',
    headers: [IF_MATCH],
    body: taken(
      { type: 'object', properties: { sessionsPerWeek: schemaJson(schemaOf(goalFields.sessionsPerWeek)) } },
      { sessionsPerWeek: goalFields.sessionsPerWeek.example },
    ),
    success: { '200': ok('The goal', ref('Goal'), ETAG) },
    ...batchable(patchGoal),
  },
  {
    ...OF_USER,
    method: 'DELETE',
    right: 'delete goal',
    id: 'deleteUserGoal',
    summary: 'Remove the goal of a user',
    description: 'Summary and report compare with none any more.',
    headers: [IF_MATCH],
    success: { '200': GONE },
    ...batchable(deleteGoal),
  },
];
