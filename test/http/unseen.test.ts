import { expect, test } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { type Answer, guardedApp, nora, stretch } from './helpers.ts';

const logs = '/userExerciseLogs';
const evening = {
  name: 'evening',
  exercises: [{ exerciseName: 'Bird Dog', exerciseType: 'stretch' as const }],
};

/** User 1, who is the caller, has log 1; logs 2, 3 and 4 and routine 1 were the caller's, and are user 2's or gone. User 3 has had nothing of theirs. */
function parted() {
  const { store, call, errors } = guardedApp();
  store.users.create({ ...nora, firstName: 'Ole' });
  store.users.create({ ...nora, firstName: 'Ida' });
  for (const userId of [1, 1, 1, 2, 3]) store.logs.create({ ...stretch, userId });
  for (const userId of [1, 2]) store.goals.create({ userId, sessionsPerWeek: 4 });
  store.routines.create({ ...evening, userId: 1 });
  store.logs.update(2, { userId: 2 });
  store.logs.delete(3);
  store.restore({ record: 'log', id: 3, owner: 2 });
  store.logs.update(4, { userId: 2 });
  store.logs.delete(4);
  store.routines.update(1, { ...evening, userId: 2 });
  const { token } = store.tokens.create({ name: 'phone', role: 'patient', users: [1], lifetime: null });
  const headers = { authorization: `Bearer ${token}` };
  const ask = (method: string, target: string, body?: unknown) =>
    call(method, target, { headers, ...(body !== undefined && { body }) });
  return { store, ask, errors };
}

const ids = [1, 2, 3, 4, 5, 6, 99];
const reads = [
  ...['/users', logs, '/changes', '/changes?limit=3', `${logs}?q=sets`, `${logs}?userId_ne=1&_page=1`],
  ...ids.flatMap((id) => [
    `/users/${id}`,
    `/users/${id}/history`,
    `/users/${id}/goal`,
    `/users/${id}/routines`,
  ]),
  ...ids.flatMap((id) => [
    `${logs}/${id}`,
    `${logs}/${id}/history`,
    `/routines/${id}`,
    `/users/${id}${logs}`,
  ]),
];

test.each<[string, (store: Store) => void]>([
  ["user 2 changes a log that was the caller's", (store) => void store.logs.update(2, { painAfter: 9 })],
  ['user 2 deletes it', (store) => void store.logs.delete(2)],
  ['user 2 deletes a log that the caller had deleted', (store) => void store.logs.delete(3)],
  ['a log that user 2 had deleted comes back', (store) => void store.restore({ record: 'log', id: 4 })],
  [
    'user 2 renames a routine',
    (store) => void store.routines.update(1, { ...evening, userId: 2, name: 'x' }),
  ],
  ['user 2 records a log', (store) => void store.logs.create({ ...stretch, userId: 2 })],
  ['user 2 gives up the goal', (store) => void store.goals.delete(2)],
  ['user 2 is deleted', (store) => void store.users.delete(2)],
  ['user 3 is erased', (store) => store.erase(3)],
  ['a user is created', (store) => void store.users.create(nora)],
])('%s, and no answer to a patient is another one', async (_, act) => {
  const { store, ask, errors } = parted();
  const last = store.history.last();
  const gone = store.history
    .list()
    .filter(({ record, id }) => record === 'routine' || (record === 'log' && id > 1));
  const answers = async () => {
    const all: [string, Answer][] = [];
    const note = async (method: string, target: string, body?: unknown) => {
      const answer = await ask(method, target, body);
      all.push([`${method} ${target} ${JSON.stringify(body)}`, answer]);
      return answer.status;
    };
    for (const target of reads) await note('GET', target);
    for (let since = 0; since < last + 4; since++) await note('GET', `/changes?since=${since}`);
    for (const { change } of gone) expect([404, 409]).toContain(await note('POST', '/undo', { change }));
    for (const id of ids.slice(1)) {
      for (const target of [`${logs}/${id}/restore`, `/routines/${id}/restore`])
        expect(await note('POST', target)).toBe(404);
      expect(await note('PATCH', `${logs}/${id}`, { painAfter: 1 })).toBe(404);
      expect(await note('POST', logs, { ...stretch, userId: id })).toBe(400);
    }
    return all;
  };
  const before = await answers();
  act(store);
  expect(await answers()).toEqual(before);
  expect(errors).toEqual([]);
});
