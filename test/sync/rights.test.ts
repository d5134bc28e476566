import { expect, test } from 'vitest';
import type { Role } from '../../src/domain/access.ts';
import type { Store } from '../../src/store/store.ts';
import { isSettled, total } from '../../src/sync/result.ts';
import { log, user } from '../store/helpers.ts';
import { contents, machine, syncWith, ticking, transportTo } from './helpers.ts';

/** A practice with two patients behind a service that asks for tokens, and an empty machine. */
function practice() {
  const now = ticking();
  const [there, here] = [machine(now), machine(now)];
  for (const email of ['nora@example.org', 'ole@example.org']) {
    const { id } = there.users.create(user({ email }));
    there.logs.create(log({ userId: id, notes: `of ${email}` }));
    there.goals.create({ userId: id, sessionsPerWeek: id });
  }
  const transport = transportTo(there, { auth: true });
  let made = 0;
  const token = (role: Role, users: number[] | null) =>
    there.tokens.create({ name: `t${++made}`, role, users, lifetime: null }).token;
  const run = (secret: string, options = {}) => syncWith(here, transport, options, secret);
  return { there, here, token, run };
}

const notes = (store: Store) => store.logs.list().map((one) => one.notes);

test("a patient's token carries that patient's records, both ways, and no others", async () => {
  const { there, here, token, run } = practice();
  const patient = token('patient', [2]);
  await run(patient);
  expect([here.users.list().map(({ id }) => id), notes(here)]).toEqual([[2], ['of ole@example.org']]);
  const other = here.users.create(user({ email: 'daughter@example.org' }));
  here.logs.create(log({ userId: other.id, notes: 'of the daughter' }));
  here.logs.create(log({ userId: 2, notes: 'new' }));
  there.logs.create(log({ userId: 1, notes: 'none of his' }));
  const result = await run(patient);
  expect([isSettled(result), total(result.pushed)]).toEqual([true, 1]);
  expect(notes(there)).toEqual(['of nora@example.org', 'of ole@example.org', 'none of his', 'new']);
  expect(notes(here)).toEqual(['of ole@example.org', 'of the daughter', 'new']);
});

test('a log that goes to a user who is not synced is deleted on the other side, and comes back with its id', async () => {
  const { there, here, token, run } = practice();
  const patient = token('patient', [2]);
  await run(patient);
  const other = here.users.create(user({ email: 'daughter@example.org' }));
  here.logs.update(2, { userId: other.id });
  await run(patient);
  expect(notes(there)).toEqual(['of nora@example.org']);
  here.logs.update(2, { userId: 2 });
  await run(patient);
  expect(notes(there)).toEqual(['of nora@example.org', 'of ole@example.org']);
  expect(there.logs.get(2).userId).toBe(2);
  there.logs.update(2, { userId: 1 });
  await run(patient);
  expect(notes(here)).toEqual([]);
  there.logs.update(2, { userId: 2 });
  await run(patient);
  expect(here.logs.get(2).userId).toBe(2);
});

test('what a role may not write is named and left', async () => {
  const { there, here, token, run } = practice();
  const provider = token('provider', null);
  await run(provider);
  here.users.create(user({ email: 'none-of-theirs@example.org' }));
  here.logs.create(log({ userId: 1, notes: 'new' }));
  here.logs.update(1, { notes: 'changed' });
  here.goals.delete(1);
  const { refused, refusedCount, pushed } = await run(provider);
  expect([refusedCount, total(pushed), notes(there)]).toEqual([
    3,
    0,
    ['of nora@example.org', 'of ole@example.org'],
  ]);
  expect(refused[0]).toEqual({
    record: 'log',
    id: 3,
    reason: 'a token with the role provider may not create a log',
  });
  const patient = token('patient', [1]);
  here.users.delete(1);
  expect(await run(patient, { onConflict: 'newest' })).toMatchObject({
    refused: [{ record: 'user', id: 1, reason: 'a token with the role patient may not delete a user' }],
  });
  expect(there.users.has(1)).toBe(true);
});

test('what a role may not restore is named and left', async () => {
  const { there, here, token, run } = practice();
  const patient = token('patient', [2]);
  await run(patient);
  there.users.delete(2);
  here.logs.update(2, { notes: 'changed' });
  const reason = 'a token with the role patient may not create a user';
  for (let i = 0; i < 2; i++)
    expect((await run(patient, { onConflict: 'newest' })).refused).toContainEqual({
      record: 'user',
      id: 2,
      reason,
    });
  expect([there.users.has(2), notes(here)]).toEqual([false, ['changed']]);
});

test('a log that went to a user who is not synced, and is undone here, is sent as a new one', async () => {
  const now = ticking();
  const [here, there] = [machine(now), machine(now)];
  here.users.create(user());
  here.logs.create(log());
  const run = () => syncWith(here, transportTo(there), { as: 1 });
  await run();
  // Known from a file that was imported, but not synced.
  const other = user({ email: 'other@example.org' });
  there.users.create(other);
  const agreed = here.users.create(other);
  const origin = here.counterparts.findOrigin(there.id) ?? 0;
  here.counterparts.set(origin, { record: 'user', theirId: 2, ourId: 2, agreed });
  there.logs.update(1, { userId: 2 });
  await run();
  expect(here.logs.count()).toBe(0);
  here.undo(here.history.nextUndo() ?? 0);
  expect(isSettled(await run())).toBe(true);
  expect(there.logs.list().map(({ id, userId }) => [id, userId])).toEqual([
    [1, 2],
    [2, 1],
  ]);
});

test('a token that covers fewer users deletes nothing, and one that covers more brings the others', async () => {
  const { there, here, token, run } = practice();
  await run(token('admin', null));
  there.logs.create(log({ userId: 1, notes: 'later' }));
  const narrow = await run(token('patient', [2]));
  expect([narrow.readAnew, isSettled(narrow), notes(here).length]).toEqual([true, true, 2]);
  here.logs.update(1, { notes: 'changed here' });
  expect(total((await run(token('patient', [2]))).pushed)).toBe(0);
  const wide = await run(token('admin', null));
  expect([wide.readAnew, isSettled(wide)]).toEqual([true, true]);
  expect(contents(here)).toEqual(contents(there));
  expect(notes(here)).toContain('later');
});

test('a patient who is not here yet is taken in beside others, with a token for that one only', async () => {
  const { here, there, token, run } = practice();
  const other = here.users.create(user({ email: 'other@example.org' }));
  here.logs.create(log({ userId: other.id, notes: 'of the other' }));
  await expect(run(token('patient', [2]))).rejects.toThrow(/--as new/);
  await expect(run(token('admin', null), { as: 'new' })).rejects.toThrow(/one user/);
  for (let i = 0; i < 2; i++) expect(isSettled(await run(token('patient', [2]), { as: 'new' }))).toBe(true);
  expect([here.users.count(), notes(here)]).toEqual([2, ['of the other', 'of ole@example.org']]);
  expect([there.users.count(), notes(there).length]).toEqual([2, 2]);
});

test('a token that was taken back ends the sync with a reason', async () => {
  const { there, token, run } = practice();
  const secret = token('admin', null);
  there.tokens.revoke('t1');
  await expect(run(secret)).rejects.toThrow(/does not know the token/);
});
