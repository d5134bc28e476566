import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { backup } from '../../src/store/maintenance/backup.ts';
import type { Store } from '../../src/store/store.ts';
import { isSettled, total } from '../../src/sync/result.ts';
import { type Transport, Unanswered } from '../../src/sync/transport.ts';
import { log, user } from '../store/helpers.ts';
import { contents, copyOf, machine, setBack, syncWith, ticking, transportTo } from './helpers.ts';

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
    for (const store of [here, other, here, other]) {
      await run(store, { acceptDeletions: true });
      (await there.replication()).settleHeld('delete');
    }
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

const undoLast = (store: Store) => void store.undo(store.history.list({ limit: 1 })[0]?.change ?? 0);

/** The ids and notes of all logs. */
const left = (store: Store) => store.logs.list().map(({ id, notes }) => `${id} ${notes}`);

const edit = (store: Store, notes: string) => void store.logs.update(1, { notes });

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

  test('with its user, and is undone at a machine that changes the record then, brings all back', async () => {
    const { here, there, run, settle } = await synced();
    here.users.delete(1);
    expect((await run()).waitingThere.held).toBe(1);
    (await there.replication()).settleHeld('delete');
    expect([there.users.count(), there.logs.count(), there.goals.count()]).toEqual([1, 0, 0]);
    undoLast(here);
    edit(here, 'changed since');
    expect(isSettled(await run())).toBe(true);
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

  test('and is undone on both sides and changed on both, is one record with the later change', async () => {
    const { here, there, run, settle } = await synced();
    here.logs.delete(1);
    await run();
    for (const store of [here, there]) undoLast(store);
    edit(there, 'there');
    edit(here, 'here');
    expect((await run()).disputes).toMatchObject([
      { record: 'log', id: 1, counts: 'here', fields: [{ field: 'notes', here: 'here', there: 'there' }] },
    ]);
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
  test('by two machines, goes, and comes back once with what was changed last', async () => {
    const { here, other, there, run, settle } = await synced();
    there.logs.delete(1);
    edit(here, 'here');
    await run();
    expect([left(here), left(there)]).toEqual([['2 two'], ['2 two']]);
    edit(other, 'later');
    await settle();
    there.restore({ record: 'log', id: 1 });
    await settle();
    expect(left(there)).toEqual(['1 later', '2 two']);
  });

  test('with its user, is held back here, and comes back everywhere with user and change', async () => {
    const { here, there, run, settle } = await synced();
    there.users.delete(1);
    edit(here, 'here');
    expect((await run()).held).toEqual([{ record: 'user', id: 1 }]);
    expect(left(here)).toEqual(['1 here', '2 two']);
    (await here.replication()).settleHeld('restore');
    await settle();
    expect([left(there), there.routines.count(), there.goals.count()]).toEqual([['1 here', '2 two'], 1, 1]);
  });

  test('with its user, waits for the user, and comes back with the change', async () => {
    const { here, there, run, settle } = await synced();
    there.users.delete(1);
    edit(here, 'here');
    await run(here, { acceptDeletions: true });
    expect([left(here), here.routines.count(), here.goals.count()]).toEqual([[], 0, 0]);
    there.restore({ record: 'user', id: 1 });
    await settle();
    expect([left(there), there.routines.count(), there.goals.count()]).toEqual([['1 here', '2 two'], 1, 1]);
  });

  test('and moved to another user here, while its user is gone there, becomes the one of that user', async () => {
    const { here, other, there, settle } = await synced();
    there.users.delete(1);
    here.logs.update(1, { userId: 2 });
    edit(other, 'other');
    await settle();
    expect(there.logs.list().map(({ id, userId, notes }) => [id, userId, notes])).toEqual([[1, 2, 'other']]);
    there.restore({ record: 'user', id: 1 });
    await settle();
    expect(there.logs.list().map(({ id, userId }) => [id, userId])).toEqual([
      [1, 2],
      [2, 1],
    ]);
  });

  test('and moved to a user who is deleted there meanwhile, waits for that user', async () => {
    const { here, there, settle } = await synced();
    here.logs.update(1, { userId: 2 });
    there.users.delete(2);
    await settle();
    expect([left(there), here.users.has(2)]).toEqual([['2 two'], false]);
    there.restore({ record: 'user', id: 2 });
    await settle();
    expect(here.logs.list().map(({ id, userId }) => [id, userId])).toEqual([
      [1, 2],
      [2, 1],
    ]);
  });

  test('is restored once, when the answer is lost, comes twice, or the machine is killed', async () => {
    const killed = new Error('killed');
    for (const spoil of ['lost', 'twice', 'killed before', 'killed after'] as const) {
      const { here, there, plain, run, settle } = await synced();
      there.logs.delete(1);
      await run();
      undoLast(here);
      edit(here, 'here');
      await run(here, {}, spoiled(plain, spoil, killed)).catch((error: unknown) => {
        if (error !== killed) throw error;
      });
      await run();
      expect([spoil, left(there)]).toEqual([spoil, ['1 here', '2 two']]);
      expect(there.history.of('log', 1).filter(({ action }) => action === 'create')).toHaveLength(2);
      await settle();
    }
  });

  test('goes nowhere if its user is erased there, and leaves no byte', async () => {
    const { here, there, plain, run } = await synced();
    there.logs.delete(1);
    edit(here, 'TRACELESS');
    const killed = new Error('killed');
    await expect(run(here, {}, spoiled(plain, 'killed after', killed))).rejects.toBe(killed);
    there.erase(1);
    expect((await run()).erasedThere).toEqual([{ record: 'user', id: 1 }]);
    await run(here, { acceptErase: true });
    expect([here.users.has(1), there.users.has(1), left(there)]).toEqual([false, false, []]);
    for (const store of [here, there]) {
      store.checkpoint();
      for (const word of ['TRACELESS', 'nora@example.org'])
        expect(readFileSync(store.path).includes(word)).toBe(false);
    }
    expect(isSettled(await run())).toBe(true);
    expect(contents(here)).toEqual(contents(there));
  });
});

/** A transport that does something to the first exchange that carries a record. */
function spoiled(
  plain: Transport,
  how: 'lost' | 'twice' | 'killed before' | 'killed after',
  killed: Error,
): Transport {
  let isOver = false;
  return async (request) => {
    if (isOver || !request.body?.includes('\\"k\\":')) return plain(request);
    isOver = true;
    if (how === 'killed before') throw killed;
    const answer = await plain(request);
    if (how === 'killed after') throw killed;
    if (how === 'lost') throw new Unanswered('lost');
    return plain(request).then(() => answer);
  };
}

test('erasing forgets who was deleted on both sides, and does not let them come back', async () => {
  const { here, there, run } = await synced();
  here.users.delete(1);
  await run();
  (await there.replication()).settleHeld('delete');
  here.erase(1);
  here.checkpoint();
  for (const word of ['nora@example.org', 'Bird Dog'])
    expect(readFileSync(here.path).includes(word)).toBe(false);
  there.restore({ record: 'user', id: 1 });
  await run();
  expect([there.users.has(1), here.users.has(1)]).toEqual([true, false]);
});

test('a goal whose deletion is undone here is set again', async () => {
  const { here, there, run } = await synced();
  here.goals.delete(1);
  await run();
  expect(there.goals.count()).toBe(0);
  undoLast(here);
  await run();
  expect([there.goals.list().map(({ sessionsPerWeek }) => sessionsPerWeek), here.goals.count()]).toEqual([
    [3],
    1,
  ]);
});

test('a routine that was deleted there and renamed here goes, and comes back beside one that has its name', async () => {
  const { here, there, run, settle } = await synced();
  const { id: _, ...routine } = there.routines.get(1);
  there.routines.delete(1);
  there.routines.create({ ...routine, name: 'evening' });
  here.routines.update(1, { ...routine, name: 'evening' });
  await run();
  for (const store of [here, there])
    expect(store.routines.list().map(({ name }) => name)).toEqual(['evening']);
  there.restore({ record: 'routine', id: 1 });
  await settle();
  expect(there.routines.list().map(({ id, name }) => `${id} ${name}`)).toEqual([
    '1 evening',
    '2 evening (2)',
  ]);
});

test('who was erased elsewhere goes from the backups of a machine that was set back to before it knew them', async () => {
  const now = ticking();
  const [made, there] = [machine(now), machine(now)];
  const run = (options = {}) => syncWith(here, transportTo(there), options);
  let here = made;
  here.users.create(user());
  await run();
  const before = copyOf(here);
  const { id } = there.users.create(user({ email: 'ole@example.org' }));
  here.logs.create(log());
  await run();
  const daily = join(dirname(here.path), 'backups', 'test.db.auto-2026-03-01.db');
  mkdirSync(dirname(daily));
  backup(here.path, daily);
  here = setBack(here, before, now);
  there.erase(id);
  const isInBackup = () => readFileSync(daily).includes('ole@example.org');
  const { erasedThere } = await run();
  expect([erasedThere, isInBackup()]).toEqual([[], true]);
  const sound = readFileSync(daily);
  writeFileSync(daily, 'no database');
  expect((await run({ acceptErase: true })).copies?.left).toMatchObject([{ path: daily }]);
  // It is tried again.
  writeFileSync(daily, sound);
  const { copies } = await run({ acceptErase: true });
  expect([copies?.rewritten, isInBackup()]).toEqual([[daily], false]);
  expect((await run({ acceptErase: true })).copies).toBeUndefined();
});
