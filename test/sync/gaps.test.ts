import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { prepareRestore } from '../../src/store/maintenance/restore.ts';
import type { Store } from '../../src/store/store.ts';
import { isSettled, type SyncResult, total } from '../../src/sync/result.ts';
import { newDatabase } from '../new-database.ts';
import { dbOf, freshPath, log, openStore, user } from '../store/helpers.ts';
import { contents, copyOf, machine, syncWith, ticking, transportTo } from './helpers.ts';

/** Two users, with two logs each, on both sides. */
async function synced() {
  const now = ticking();
  const [here, there] = [machine(now), machine(now)];
  for (const email of ['nora@example.org', 'ole@example.org']) {
    const { id } = there.users.create(user({ email }));
    for (const notes of ['one', 'two']) there.logs.create(log({ userId: id, notes: `${notes} of ${email}` }));
  }
  await syncWith(here, transportTo(there));
  return { here, there, now };
}

const run = (here: Store, there: Store, options = {}) => syncWith(here, transportTo(there), options);

/** Puts the backup of a database in its place. @returns the database as it is now */
function restored(store: Store, copy: string, now: () => number): Store {
  const { path } = store;
  store.close();
  const restoration = prepareRestore(copy, path);
  restoration.apply('before');
  restoration.close();
  return openStore(path, now);
}

test('who was erased there is erased here with consent only, and then no byte is left', async () => {
  const { here, there } = await synced();
  here.logs.create(log({ userId: 2, notes: 'TRACELESS, and not there yet' }));
  here.logs.update(3, { notes: 'TRACELESS' });
  there.erase(2);
  for (let i = 0; i < 2; i++) {
    const left = await run(here, there);
    expect([left.erasedThere, isSettled(left), here.users.has(2)]).toEqual([
      [{ record: 'user', id: 2 }],
      false,
      true,
    ]);
  }
  expect(there.logs.list({ userId: 2 })).toEqual([]);
  const { erased, erasedThere } = await run(here, there, { acceptErase: true });
  expect([erased, erasedThere, here.users.has(2)]).toEqual([[{ record: 'user', id: 2 }], [], false]);
  here.checkpoint();
  for (const word of ['TRACELESS', 'ole@example.org'])
    expect(readFileSync(here.path).includes(word)).toBe(false);
  const again = await run(here, there);
  expect([isSettled(again), total(again.pulled) + total(again.pushed)]).toEqual([true, 0]);
});

test('who was erased here does not come back, and is not erased there before somebody agrees', async () => {
  const { here, there } = await synced();
  there.logs.update(3, { notes: 'changed there' });
  here.logs.update(4, { notes: 'changed here' });
  await run(here, there);
  here.erase(2);
  there.logs.create(log({ userId: 2, notes: 'later' }));
  for (let i = 0; i < 2; i++) {
    const result = await run(here, there);
    expect([result.waitingThere.erased, isSettled(result)]).toEqual([1, false]);
    expect([here.users.has(2), there.users.has(2)]).toEqual([false, true]);
  }
  const replicas = dbOf(here).all('SELECT * FROM replicas');
  expect(replicas.filter((row) => /ole@/.test(JSON.stringify(row)))).toEqual([]);
  expect(there.remotes.erasedElsewhere()).toEqual([{ record: 'user', id: 2 }]);
  // Nothing of it is passed on to others meanwhile.
  const third = openStore(newDatabase());
  await run(third, there);
  expect(third.users.list().map(({ email }) => email)).toEqual(['nora@example.org']);
  there.erase(2);
  const after = await run(here, there);
  expect([after.erasedThere, isSettled(after)]).toEqual([[], true]);
});

/** A machine that never showed a user with records, but has them: it heard of the deletion first. */
async function unseen() {
  const { here: third, there, now } = await synced();
  third.users.update(2, { email: 'ole@TRACELESS.example' });
  third.logs.create(log({ userId: 2, notes: 'TRACELESS' }));
  third.goals.create({ userId: 2, sessionsPerWeek: 3 });
  there.users.delete(2);
  const here = machine(now);
  await run(here, there);
  await run(here, third);
  const left = () => [here.path, `${here.path}-wal`].some((path) => readFileSync(path).includes('TRACELESS'));
  expect([here.users.list().length, left()]).toEqual([1, true]);
  return { here, third, left };
}

test.each<[string, (here: Store, third: Store) => Promise<SyncResult>]>([
  ['asks there', (here, third) => run(here, third)],
  ['is asked from there', (here, third) => run(third, here)],
])('of who was erased there and never showed here nothing is left when it %s', async (_, met) => {
  const { here, third, left } = await unseen();
  third.erase(2);
  expect((await met(here, third)).erased).toEqual([]);
  expect([left(), dbOf(here).all('SELECT * FROM replicas WHERE id IS NULL')]).toEqual([false, []]);
});

test('over a gap in the history there, what was changed is taken, and only what was erased goes', async () => {
  const { here, there } = await synced();
  const third = there.users.create(user({ email: 'third@example.org' }));
  there.logs.create(log({ userId: 1, notes: 'moved' }));
  await run(here, there);
  there.logs.update(1, { notes: 'changed there' });
  there.logs.delete(2);
  here.logs.update(3, { notes: 'changed here' });
  // A log that was the erased user's goes with the user, who it belongs to now as before.
  there.logs.update(5, { userId: third.id });
  there.erase(third.id);
  const result = await run(here, there, { acceptErase: true });
  expect(isSettled(result)).toBe(true);
  expect(here.logs.find(1)?.notes).toBe('changed there');
  expect(there.logs.find(3)?.notes).toBe('changed here');
  expect(here.logs.find(2)).toBeUndefined();
  await run(here, there);
  expect(contents(here)).toEqual(contents(there));
});

test('over a gap, what was deleted on both sides and is there again comes back under its id', async () => {
  const { here, there } = await synced();
  const third = there.users.create(user({ email: 'third@example.org' }));
  there.logs.create(log({ userId: 1, notes: 'moved' }));
  there.logs.delete(2);
  await run(here, there);
  expect(here.logs.has(2)).toBe(false);
  there.restore({ record: 'log', id: 2 });
  there.logs.update(5, { userId: third.id });
  there.erase(third.id);
  await run(here, there, { acceptErase: true });
  expect(here.logs.find(2)?.notes).toBe('two of nora@example.org');
});

test('an id that the service gives again after an old file was put in its place is another record', async () => {
  const world = await synced();
  const { here, now } = world;
  const copy = copyOf(world.there);
  world.there.logs.create(log({ userId: 1, notes: 'gone' }));
  await run(here, world.there);
  world.there.logs.delete(5);
  await run(here, world.there);
  world.there.close();
  const there = openStore(copy, now);
  expect(there.logs.create(log({ userId: 1, notes: 'another' })).id).toBe(5);
  await run(here, there);
  expect(contents(here)).toEqual(contents(there));
  expect([here.logs.has(5), here.history.lastOf('log', 5)?.action]).toEqual([false, 'delete']);
  expect(here.logs.list().map(({ notes }) => notes)).toContain('another');
});

test('after a backup is restored there, what it had lost comes back', async () => {
  const world = await synced();
  const { here, now } = world;
  const copy = copyOf(world.there);
  world.there.logs.update(1, { notes: 'changed since' });
  here.logs.create(log({ userId: 1, notes: 'made since' }));
  await run(here, world.there);
  const there = restored(world.there, copy, now);
  there.logs.create(log({ userId: 1, notes: 'made after' }));
  const left = await run(here, there);
  expect([left.setBack, isSettled(left), left.disputes]).toEqual(['there', true, []]);
  expect(contents(there)).toEqual(contents(here));
  expect(contents(here).logs).toHaveLength(6);
  expect(there.logs.list().map(({ notes }) => notes)).toEqual(
    expect.arrayContaining(['changed since', 'made since', 'made after']),
  );
});

test('after a backup is restored here, nothing is there twice and nothing is lost', async () => {
  const world = await synced();
  const { there, now } = world;
  world.here.logs.create(log({ userId: 1, notes: 'not sent yet' }));
  const copy = copyOf(world.here);
  await run(world.here, there);
  world.here.logs.create(log({ userId: 1, notes: 'made since' }));
  await run(world.here, there);
  const here = restored(world.here, copy, now);
  const result = await run(here, there);
  expect(isSettled(result)).toBe(true);
  expect(contents(here)).toEqual(contents(there));
  expect(contents(here).logs).toHaveLength(6);
});

/** A backup as the database of another machine, where nothing tells which ids were given since. */
function movedTo(copy: string, now: () => number): Store {
  const path = freshPath();
  const restoration = prepareRestore(copy, path);
  restoration.apply('before');
  restoration.close();
  return openStore(path, now);
}

describe('a backup is restored where no database was, and ids are given again', () => {
  /** The notes of the logs by the e-mail addresses of their users. */
  const owned = (store: Store) =>
    store.users
      .list()
      .map(({ id, email }) => [email, ...store.logs.list({ userId: id }).map(({ notes }) => notes)]);

  test('of the service: a log is another one', async () => {
    const { here, there: first, now } = await synced();
    const copy = copyOf(first);
    first.logs.create(log({ userId: 1, notes: 'lost' }));
    const other = machine(now);
    for (const store of [here, other]) await run(store, first);
    const there = movedTo(copy, now);
    expect(there.logs.create(log({ userId: 2, notes: 'another' })).id).toBe(5);
    for (let i = 0; i < 2; i++) {
      const { disputes } = await run(here, there);
      expect([disputes, contents(here)]).toEqual([[], contents(there)]);
      expect(owned(here)).toEqual([
        ['nora@example.org', 'one of nora@example.org', 'two of nora@example.org', 'lost'],
        ['ole@example.org', 'one of ole@example.org', 'two of ole@example.org', 'another'],
      ]);
    }
    await run(other, there);
    expect(contents(other)).toEqual(contents(there));
  });

  test('of the service: a user is another one, and gets nothing that is not theirs', async () => {
    const { here, there: first, now } = await synced();
    const copy = copyOf(first);
    first.users.create(user({ email: 'lost@example.org' }));
    first.logs.create(log({ userId: 3, notes: 'of lost' }));
    await run(here, first);
    here.logs.create(log({ userId: 3, notes: 'of lost, from here' }));
    const there = movedTo(copy, now);
    there.users.create(user({ email: 'another@example.org' }));
    there.logs.create(log({ userId: 3, notes: 'of another' }));
    await run(here, there);
    expect(contents(here)).toEqual(contents(there));
    expect(owned(here).slice(2)).toEqual([
      ['lost@example.org', 'of lost', 'of lost, from here'],
      ['another@example.org', 'of another'],
    ]);
  });

  test('of the service: the one user who is synced comes back beside another one, who gets nothing', async () => {
    const now = ticking();
    const [here, first] = [machine(now), machine(now)];
    const copy = copyOf(first);
    for (const store of [here, first]) store.users.create(user());
    await run(here, first, { as: 1 });
    here.logs.create(log({ notes: 'of nora' }));
    const there = movedTo(copy, now);
    there.users.create(user({ email: 'another@example.org' }));
    await run(here, there);
    expect(contents(here)).toEqual(contents(there));
    expect(owned(there).sort()).toEqual([['another@example.org'], ['nora@example.org', 'of nora']]);
  });

  test('of the service: what is in the backup stays the same record, with what was changed since', async () => {
    const { here, there: first, now } = await synced();
    first.logs.update(1, { notes: 'changed before' });
    const copy = copyOf(first);
    first.logs.update(1, { notes: 'changed since' });
    await run(here, first);
    const there = movedTo(copy, now);
    const { disputes } = await run(here, there);
    expect([disputes, contents(here)]).toEqual([[], contents(there)]);
    expect([here.logs.count(), there.logs.get(1).notes]).toEqual([4, 'changed since']);
  });

  test('here: what was sent comes back beside what has its id now', async () => {
    const { here: first, there, now } = await synced();
    const copy = copyOf(first);
    first.logs.create(log({ userId: 1, notes: 'sent' }));
    await run(first, there);
    const here = movedTo(copy, now);
    expect(here.logs.create(log({ userId: 1, notes: 'another' })).id).toBe(5);
    expect(isSettled(await run(here, there))).toBe(true);
    expect(contents(here)).toEqual(contents(there));
    expect(owned(here)[0]?.slice(3)).toEqual(expect.arrayContaining(['sent', 'another']));
  });
});
