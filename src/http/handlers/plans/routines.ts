import { type Issue, invalid, SciaticaError } from '../../../domain/errors.ts';
import type { RoutineInput } from '../../../domain/plans/routine.ts';
import { checksOf } from '../../../domain/schema.ts';
import type { Handler, Write } from '../../route.ts';
import { readJsonText } from '../body.ts';
import { firstAnswer, repeatable, replayed } from '../idempotency.ts';
import { parseQuery } from '../query.ts';
import { created } from '../records.ts';
import { routines } from '../resource.ts';

/** POST of a new routine of a user. */
const newRoutine: Write = {
  hasBody: true,
  begin: ({ store, id, search }) => {
    parseQuery(search, {});
    store.users.json(id);
    return (body) => {
      const input = checkBody(body, id);
      return () => created(routines, body, [store.routines.create(input)]);
    };
  },
};

/** As `newRoutine`, where a request repeated with its `Idempotency-Key` gets the first response. */
const createRoutine: Handler = async ({ request, id, search, store, caller }) => {
  const check = newRoutine.begin({ store, id, search, headers: request.headers });
  const { text, value } = await readJsonText(request, () => true);
  const repeat = repeatable(request, `/users/${id}/routines`, caller, text);
  const earlier = repeat && firstAnswer(store, repeat);
  if (earlier) return replayed(created(routines, value, earlier));
  const run = check(value);
  return store.submit(() => {
    // A concurrent request with the same key may have been first.
    const first = repeat && firstAnswer(store, repeat);
    if (first) return replayed(created(routines, value, first));
    const response = run();
    if (repeat) store.requests.add(repeat);
    return response;
  });
};

export const creation = { write: newRoutine, handle: createRoutine };

/** A body that may leave out its user, whom the path says. @throws SciaticaError `invalid` with every fault */
function checkBody(value: unknown, userId: number): RoutineInput {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return checksOf('routine').input(value);
  const { userId: said = userId, ...others } = value as Record<string, unknown>;
  const faults: Issue[] =
    said === userId ? [] : [{ field: 'userId', message: `must be ${userId}, as in the path, or absent` }];
  try {
    const input = checksOf('routine').input({ ...others, userId });
    if (faults.length === 0) return input;
  } catch (error) {
    if (!(error instanceof SciaticaError) || error.code !== 'invalid') throw error;
    faults.push(...error.issues);
  }
  throw invalid(faults);
}
