import { describe, expect, test } from 'vitest';
import { isSettled, total } from '../../src/sync/result.ts';
import { log, user } from '../store/helpers.ts';
import { exported, imported, unsealed } from '../store/origins.ts';
import { contents, machine, syncWith, ticking, transportTo } from './helpers.ts';

/** A practice that has imported the file of a patient, whose machine it then syncs with. */
function practice() {
  const now = ticking();
  const [here, there] = [machine(now), machine(now)];
  here.users.create(user({ email: 'other@example.org' }));
  there.users.create(user());
  for (const notes of ['one', 'two']) there.logs.create(log({ notes }));
  imported(here, exported(there));
  const run = (options = {}) => syncWith(here, transportTo(there), options);
  return { here, there, run };
}

test('who came with a file is known at the first sync, and no record comes twice', async () => {
  const { here, there, run } = practice();
  there.logs.create(log({ notes: 'three' }));
  here.logs.update(1, { notes: 'one, as seen here' });
  const result = await run();
  expect([isSettled(result), here.users.count(), there.users.count()]).toEqual([true, 2, 2]);
  expect(contents(here)).toEqual(contents(there));
  expect(there.logs.list().map(({ notes }) => notes)).toEqual(['one, as seen here', 'two', 'three']);
});

test('an import that is undone deletes nothing over there', async () => {
  const { here, there, run } = practice();
  here.undo(here.history.nextUndo() ?? 0);
  expect(here.users.count()).toBe(1);
  for (let i = 0; i < 2; i++) await run();
  expect([there.logs.count(), there.users.has(1)]).toEqual([2, true]);
  // It is a deletion of what is another's: held back there.
  const replication = await there.replication();
  expect(replication.held()).toEqual([{ record: 'user', id: 1 }]);
  replication.settleHeld('restore');
  await run();
  expect(contents(here)).toEqual(contents(there));
  expect(there.logs.list().map(({ notes }) => notes)).toEqual(['one', 'two']);
  expect(total((await run()).pulled)).toBe(0);
});

test('a file that comes again takes no edit back that an undo of another edit brought back', () => {
  const { here, there } = practice();
  here.logs.update(1, { notes: 'first edit' });
  here.logs.update(1, { notes: 'second edit' });
  here.undo(here.history.nextUndo() ?? 0);
  imported(here, exported(there));
  expect(here.logs.get(1).notes).toBe('first edit');
});

test('a file says nothing of who was erased elsewhere, though that waits here for consent', async () => {
  const now = ticking();
  const [here, there, third] = [machine(now), machine(now), machine(now)];
  here.users.create(user({ email: 'gone@example.org' }));
  here.logs.create(log({ notes: 'gone' }));
  here.users.create(user());
  await syncWith(here, transportTo(there));
  there.erase(1);
  await syncWith(here, transportTo(there));
  here.logs.create(log({ userId: 2, notes: 'stays' }));
  const { lines, ...file } = exported(here);
  expect(lines.join()).not.toMatch(/"log","s":\[(\[1,|\{"i":1)/);
  imported(third, { ...file, lines });
  expect(third.logs.list().map(({ notes }) => notes)).toEqual(['stays']);
});

test('of what is deleted only the name is told', () => {
  const there = machine(ticking());
  there.users.create(user());
  there.logs.create(log({ notes: 'regretted' }));
  there.logs.delete(1);
  const lines = exported(there).lines.join();
  expect(lines).toContain('"k":"log"');
  expect(lines).not.toContain('regretted');
});

test('of two files without states the later counts, in whichever order they come', () => {
  const now = ticking();
  const there = machine(now);
  there.users.create(user());
  there.logs.create(log({ notes: 'first' }));
  const first = unsealed(exported(there));
  there.logs.update(1, { notes: 'later' });
  const later = unsealed(exported(there));
  for (const files of [
    [first, later],
    [later, first],
  ]) {
    const here = machine(now);
    for (const file of files) imported(here, file);
    expect(here.logs.list().map(({ notes }) => notes)).toEqual(['later']);
  }
});

describe('a file of one user that says a log is another’s by now', () => {
  /** Two users, and a log of the first that was given to the second, in a file of the first; and another machine that knows all. */
  function given() {
    const now = ticking();
    const [here, there] = [machine(now), machine(now)];
    for (const email of ['one@example.org', 'two@example.org']) here.users.create(user({ email }));
    here.logs.create(log({ userId: 1, notes: 'given' }));
    here.logs.update(1, { userId: 2 });
    return { here, there, file: exported(here, { users: [1] }) };
  }

  type Given = ReturnType<typeof given>['here'];
  test.each<[string, (here: Given) => unknown, number]>([
    ['that', () => {}, 2],
    ['that it was given back since', (here) => here.logs.update(1, { userId: 1 }), 1],
    [
      'of a later gift, to one who is one with another',
      async (here) => {
        here.users.create(user({ email: 'three@example.org' }));
        here.logs.update(1, { userId: 3 });
        (await here.replication()).mergeUsers(3, 2, Date.now());
      },
      2,
    ],
  ])('takes it from nobody who knows %s', async (_, since, owner) => {
    const { here, there, file } = given();
    await since(here);
    await syncWith(there, transportTo(here));
    for (const store of [here, there]) {
      imported(store, file);
      expect(store.logs.list().map(({ userId }) => userId)).toEqual([owner]);
    }
  });

  test('takes it from who has the first user only, and does not know', () => {
    const { here, there, file } = given();
    here.logs.update(1, { userId: 1 });
    const back = exported(here, { users: [1] });
    imported(there, back);
    expect(there.logs.count()).toBe(1);
    imported(there, file);
    expect(there.logs.count()).toBe(1);
    here.logs.update(1, { userId: 2 });
    imported(there, exported(here, { users: [1] }));
    expect(there.logs.count()).toBe(0);
    imported(there, back);
    expect(there.logs.count()).toBe(0);
  });
});
