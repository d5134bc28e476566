import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { isSettled, total } from '../../src/sync/result.ts';
import { type Transport, Unanswered } from '../../src/sync/transport.ts';
import { dbOf, log, user } from '../store/helpers.ts';
import { contents, machine, syncWith, ticking, transportTo } from './helpers.ts';

/** A service with two users, of whom the first has two logs, a routine and a goal, and two machines that have all of it. */
async function synced() {
  const now = ticking();
  const [here, other, there] = [machine(now), machine(now), machine(now)];
  for (const email of ['nora@example.org', 'ole@example.org']) there.users.create(user({ email }));
  for (const notes of ['one', 'two']) there.logs.create(log({ notes }));
  const exercises = [{ exerciseName: 'Bird Dog', exerciseType: 'strengthening' as const }];
  there.routines.create({ userId: 1, name: 'morning', exercises });
  there.goals.create({ userId: 1, sessionsPerWeek: 3 });
  const plain = transportTo(there);
  const run = (store = here, options = {}, transport = plain) => syncWith(store, transport, options);
  for (const store of [here, other]) await run(store);
  /** Syncs both machines until nothing is left to do; then all three hold the same, under the same ids. */
  const settle = async () => {
    for (const store of [here, other, here, other]) await run(store, { onConflict: 'newest' });
    for (const store of [here, other]) {
      const { pulled, pushed } = await run(store);
      expect([total(pulled), total(pushed)]).toEqual([0, 0]);
      expect([store.users.list(), store.logs.list(), store.routines.list()]).toEqual([
        there.users.list(),
        there.logs.list(),
        there.routines.list(),
      ]);
    }
  };
  return { here, other, there, plain, run, settle };
}

const undoLast = (store: Store) => void store.undo(store.history.nextUndo() ?? 0);

/** The ids and notes of all logs. */
const left = (store: Store) => store.logs.list().map(({ id, notes }) => `${id} ${notes}`);

const edit = (store: Store, notes: string) => void store.logs.update(1, { notes });

/** A transport that notes the requests. */
function listing(plain: Transport): [requests: string[], transport: Transport] {
  const requests: string[] = [];
  return [
    requests,
    (request) => {
      requests.push(`${request.method} ${request.path}`);
      return plain(request);
    },
  ];
}

/** A transport that fails at the restoring request. */
function failing(plain: Transport, isDone: boolean, error: Error): Transport {
  let isOver = false;
  return async (request) => {
    if (isOver || !request.path.includes('/restore')) return plain(request);
    isOver = true;
    if (isDone) await plain(request);
    throw error;
  };
}

describe('a deletion that was carried over', () => {
  test('and is undone at a machine, brings the record back everywhere, with its id', async () => {
    const { here, other, there, run, settle } = await synced();
    here.logs.delete(1);
    await run();
    await run(other);
    expect([there.logs.has(1), other.logs.has(1)]).toEqual([false, false]);
    undoLast(here);
    const { pushed } = await run();
    expect([pushed.log, there.logs.get(1)]).toEqual([
      { created: 1, changed: 0, deleted: 0 },
      here.logs.get(1),
    ]);
    await settle();
    expect(left(there)).toEqual(['1 one', '2 two']);
  });

  test('and is undone at a machine that changes the record then, makes no conflict', async () => {
    const { here, there, plain, run, settle } = await synced();
    here.users.delete(1);
    await run();
    undoLast(here);
    edit(here, 'changed since');
    const [requests, counting] = listing(plain);
    expect(isSettled(await run(here, {}, counting))).toBe(true);
    // The rest comes back with the user.
    expect(requests.filter((path) => path.includes('/restore'))).toEqual(['POST /users/1/restore']);
    await settle();
    expect([left(there), there.goals.count()]).toEqual([['1 changed since', '2 two'], 1]);
  });

  test.each(['before', 'after'])(
    'and is undone at the service %s it is at a machine, makes one record',
    async (when) => {
      const { here, other, there, run, settle } = await synced();
      there.logs.delete(1);
      for (const store of [here, other]) await run(store);
      const atService = () => {
        const change = there.history.list({ log: 1 }).find(({ action }) => action === 'delete')?.change ?? 0;
        there.undo(change);
      };
      if (when === 'before') atService();
      undoLast(here);
      await run();
      if (when === 'after') expect(atService).toThrow(/changed again/);
      await settle();
      expect(left(other)).toEqual(['1 one', '2 two']);
    },
  );

  test('and is undone on both sides, with a change there that never came here, takes that', async () => {
    const { here, there, run, settle } = await synced();
    edit(there, 'changed there');
    there.logs.delete(1);
    await run();
    undoLast(here);
    undoLast(there);
    expect(left(here)).toEqual(['1 one', '2 two']);
    expect(isSettled(await run())).toBe(true);
    await settle();
    expect(left(here)).toEqual(['1 changed there', '2 two']);
  });

  test('and is undone on both sides and changed on both, is a conflict of one record', async () => {
    const { here, there, run, settle } = await synced();
    here.logs.delete(1);
    await run();
    for (const store of [here, there]) undoLast(store);
    edit(there, 'there');
    edit(here, 'here');
    expect((await run()).conflicts).toMatchObject([{ kind: 'changed', id: 1, theirId: 1 }]);
    await settle();
    expect(left(there)).toEqual(['1 here', '2 two']);
  });

  test('and is undone at the service, comes back under the ids of here', async () => {
    const { here, there, run } = await synced();
    const { id } = here.logs.create(log({ userId: 2, notes: 'made here' }));
    there.logs.create(log({ notes: 'made there' }));
    await run();
    expect([there.logs.get(4).notes, here.logs.get(id).notes]).toEqual(['made here', 'made here']);
    there.logs.delete(4);
    await run();
    undoLast(there);
    await run();
    expect(here.logs.get(id).notes).toBe('made here');
    expect((await run()).pulled.log).toEqual({ created: 0, changed: 0, deleted: 0 });
  });
});

describe('what was deleted there and changed here', () => {
  test('by two machines, is one record, with what was changed last', async () => {
    const { here, other, there, run, settle } = await synced();
    there.logs.delete(1);
    edit(here, 'here');
    expect((await run()).conflicts).toMatchObject([{ kind: 'deleted there', id: 1 }]);
    await run(here, { onConflict: 'newest' });
    expect(left(there)).toEqual(['1 here', '2 two']);
    edit(other, 'later');
    await settle();
    expect(left(there)).toEqual(['1 later', '2 two']);
  });

  test('by two machines that both have decided before one was there, is no conflict if only one changed it', async () => {
    const { here, other, there, plain, run, settle } = await synced();
    there.logs.delete(1);
    edit(here, 'here');
    const killed = new Error('killed');
    await expect(run(here, { onConflict: 'newest' }, failing(plain, false, killed))).rejects.toBe(killed);
    edit(other, 'other');
    await run(other, { onConflict: 'newest' });
    // The other one has put its own in: that is a conflict, as any two changes.
    expect((await run()).conflicts).toMatchObject([{ kind: 'changed', id: 1 }]);
    await settle();
    expect(left(there)).toEqual(['1 other', '2 two']);
  });

  test('and was restored there meanwhile, is sent as a change', async () => {
    const { here, there, plain, run, settle } = await synced();
    there.logs.delete(1);
    edit(here, 'here');
    const racing: Transport = async (request) => {
      if (request.path.includes('/restore') && !there.logs.has(1)) undoLast(there);
      return plain(request);
    };
    const result = await run(here, { onConflict: 'newest' }, racing);
    expect([isSettled(result), left(there)]).toEqual([true, ['1 here', '2 two']]);
    await settle();
  });

  test('with its user, comes back with the user and all that was deleted with the user', async () => {
    const { here, there, run, settle } = await synced();
    there.users.delete(1);
    edit(here, 'here');
    expect((await run()).conflicts.map(({ kind, record }) => [kind, record])).toEqual([
      ['deleted there', 'log'],
      ['records left here', 'user'],
    ]);
    await run(here, { onConflict: 'newest' });
    expect([left(there), there.routines.count(), there.goals.count()]).toEqual([['1 here', '2 two'], 1, 1]);
    await settle();
    expect(left(here)).toEqual(['1 here', '2 two']);
  });

  test('and moved to another user here, while its user is gone there, becomes the one of that user', async () => {
    const { here, other, there, run, settle } = await synced();
    there.users.delete(1);
    here.logs.update(1, { userId: 2 });
    await run(here, { onConflict: 'newest' });
    expect(there.logs.list().map(({ id, userId }) => [id, userId])).toEqual([[1, 2]]);
    edit(other, 'other');
    await settle();
    expect(left(there)).toHaveLength(2);
  });

  test('when the answer is lost, or comes twice, is restored once', async () => {
    for (const transportOf of [
      (plain: Transport) => failing(plain, true, new Unanswered('lost')),
      (plain: Transport): Transport =>
        async (request) => {
          if (request.path.includes('/restore')) await plain(request);
          return plain(request);
        },
    ]) {
      const { here, there, plain, run, settle } = await synced();
      there.logs.delete(1);
      edit(here, 'here');
      const { pushed } = await run(here, { onConflict: 'newest' }, transportOf(plain));
      expect([pushed.log, left(there)]).toEqual([
        { created: 1, changed: 1, deleted: 0 },
        ['1 here', '2 two'],
      ]);
      expect(there.history.of('log', 1).filter(({ action }) => action === 'create')).toHaveLength(2);
      await settle();
    }
  });

  test.each([
    ['before', false],
    ['after', true],
  ])('goes on where it was killed right %s the request', async (_, isDone) => {
    const { here, there, plain, run, settle } = await synced();
    there.logs.delete(1);
    edit(here, 'here');
    const killed = new Error('killed');
    await expect(run(here, { onConflict: 'newest' }, failing(plain, isDone, killed))).rejects.toBe(killed);
    // It was decided already: nothing asks again.
    const result = await run();
    expect([isSettled(result), left(there)]).toEqual([true, ['1 here', '2 two']]);
    expect(result.pushed.log).toEqual({ created: 1, changed: 1, deleted: 0 });
    await settle();
  });

  test('and moved to a user who is deleted there right before, is read again', async () => {
    const { here, there, plain, run, settle } = await synced();
    there.logs.delete(1);
    here.logs.update(1, { userId: 2 });
    const racing: Transport = async (request) => {
      if (request.path.includes('/restore') && there.users.has(2)) there.users.delete(2);
      return plain(request);
    };
    const { refused } = await run(here, { onConflict: 'newest' }, racing);
    expect([refused, here.users.has(2)]).toEqual([[], false]);
    await settle();
  });

  test('goes nowhere if its user is erased there right after the kill, and leaves no byte', async () => {
    const { here, there, plain, run } = await synced();
    there.logs.delete(1);
    edit(here, 'TRACELESS');
    const killed = new Error('killed');
    await expect(run(here, { onConflict: 'newest' }, failing(plain, true, killed))).rejects.toBe(killed);
    there.erase(1);
    expect((await run()).erasedThere).toEqual([1]);
    await run(here, { acceptErase: true });
    expect([here.users.has(1), there.users.has(1), left(there)]).toEqual([false, false, []]);
    here.checkpoint();
    for (const word of ['TRACELESS', 'nora@example.org'])
      expect(readFileSync(here.path).includes(word)).toBe(false);
    expect(isSettled(await run())).toBe(true);
    expect(contents(here)).toEqual(contents(there));
  });
});

test('erasing forgets who was deleted on both sides, and does not let them come back', async () => {
  const { here, there, run } = await synced();
  here.users.delete(1);
  await run();
  const known = () => dbOf(here).value<number>('SELECT count(*) FROM counterparts');
  expect(known()).toBe(6);
  here.erase(1);
  expect(known()).toBe(1);
  here.checkpoint();
  expect(readFileSync(here.path).includes('nora@example.org')).toBe(false);
  undoLast(there);
  expect([there.users.has(1), (await run()).erasedHere, here.users.has(1)]).toEqual([true, [1], false]);
});

test('a goal whose deletion is undone here is set again', async () => {
  const { here, there, plain, run } = await synced();
  here.goals.delete(1);
  await run();
  undoLast(here);
  const [requests, counting] = listing(plain);
  await run(here, {}, counting);
  expect([there.goals.list().map(({ sessionsPerWeek }) => sessionsPerWeek), here.goals.count()]).toEqual([
    [3],
    1,
  ]);
  expect(requests.filter((request) => request.startsWith('P'))).toEqual(['PUT /users/1/goal']);
});

test('a routine that was deleted there and renamed here gives way to one that has its name there', async () => {
  const { here, there, run } = await synced();
  const { id: _, ...routine } = there.routines.get(1);
  there.routines.delete(1);
  there.routines.create({ ...routine, name: 'evening' });
  here.routines.replace(1, { ...routine, name: 'evening' });
  await run(here, { onConflict: 'newest' });
  expect(here.routines.list().map(({ name }) => name)).toEqual(['evening']);
  expect(there.routines.list().map(({ name }) => name)).toEqual(['evening']);
});
