import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { reportOf } from '../../src/cases/report.ts';
import { painDaysOf, summaryOf } from '../../src/cases/summary.ts';
import { trialStatus } from '../../src/cases/trial.ts';
import { trialFields } from '../../src/domain/trial.ts';
import { examine } from '../../src/store/maintenance/doctor.ts';
import { START } from '../../src/store/reconcile/collect.ts';
import { writeParcel } from '../../src/store/reconcile/parcel.ts';
import { noCounts } from '../../src/store/reconcile/received.ts';
import { Database } from '../../src/store/sqlite/database.ts';
import { migrations } from '../../src/store/sqlite/migrations/index.ts';
import type { Store } from '../../src/store/store.ts';
import { isSettled, total } from '../../src/sync/result.ts';
import type { Transport } from '../../src/sync/transport.ts';
import { exampleOf } from '../samples.ts';
import { dbOf, log, openStore, user } from '../store/helpers.ts';
import { exported, imported, unsealed } from '../store/origins.ts';
import { contents, copyOf, isMerged, machine, setBack, syncWith, ticking, transportTo } from './helpers.ts';

/** What went wrong once with several machines, each as it happened. */

const run = (here: Store, there: Store, options = {}) => syncWith(here, transportTo(there), options);

const notes = (store: Store) => store.logs.list().map((one) => one.notes);

const changes = (store: Store) => new Set(store.history.list().map(({ change }) => change)).size;

/** A service and an empty machine. */
function pair() {
  const now = ticking();
  return { now, here: machine(now), there: machine(now) };
}

/** A service and a machine that have a user with three logs. */
async function inStep() {
  const world = pair();
  world.there.users.create(user());
  for (const text of ['one', 'two', 'three']) world.there.logs.create(log({ notes: text }));
  await run(world.here, world.there);
  return world;
}

/** Syncs machines with a service until none has anything to tell. */
async function settle(there: Store, ...machines: Store[]): Promise<void> {
  for (let round = 0; round < 4; round++) for (const store of machines) await run(store, there);
  for (const store of machines) {
    const { pulled, pushed } = await run(store, there);
    expect([total(pulled), total(pushed), contents(store)]).toEqual([0, 0, contents(there)]);
  }
}

describe('the first sync of a new laptop', () => {
  /** Six users with a log each over there, and all of them here. */
  async function met() {
    const world = pair();
    const { here, there } = world;
    for (let i = 1; i <= 6; i++) {
      there.users.create(user({ email: `user-${i}@example.org` }));
      there.logs.create(log({ userId: i, notes: `of ${i}` }));
    }
    here.remotes.add({ name: 'home', url: 'http://localhost:3000/', pin: null, ourUser: null });
    const { changes: made } = await run(here, there);
    expect(made).toHaveLength(1);
    return { ...world, change: made[0] ?? 0 };
  }

  test('when it is undone, does not empty the other side', async () => {
    const { here, there, change } = await met();
    expect(here.remotes.reachOf(change)).toEqual(['home']);
    const [before, inStepAt] = [contents(there), here.remotes.get('home').at];
    here.undo(change);
    expect(here.users.count()).toBe(0);
    for (let i = 0; i < 2; i++) {
      const result = await run(here, there);
      expect([result.waitingThere.held, isSettled(result)]).toEqual([6, false]);
      expect([contents(there), here.remotes.get('home').at]).toEqual([before, inStepAt]);
    }
    const replication = await there.replication();
    // The logs are back with their users.
    expect(replication.held()).toHaveLength(6);
    expect(replication.settleHeld('restore')).toBe(6);
    await settle(there, here);
    expect(contents(here)).toEqual(before);
  });

  test('when it is forgotten, sends nothing, and may come again', async () => {
    const { here, there } = await met();
    const own = here.users.create(user({ email: 'own@example.org' }));
    here.logs.create(log({ userId: own.id, notes: 'own' }));
    const before = contents(there);
    const replication = await here.replication();
    expect(replication.cameFrom('home').going).toHaveLength(12);
    replication.forget('home');
    expect([here.users.count(), notes(here), contents(there)]).toEqual([1, ['own'], before]);
    await run(here, there);
    expect([here.users.count(), there.users.count(), there.logs.count()]).toEqual([7, 7, 7]);
    expect(contents(here)).toEqual(contents(there));
  });
});

test('what was forgotten is told to nobody until it is brought back', async () => {
  const { here, there, now } = pair();
  here.remotes.add({ name: 'home', url: 'http://localhost:3000/', pin: null, ourUser: null });
  there.users.create(user());
  there.logs.create(log({ notes: 'there' }));
  await run(here, there);
  here.logs.create(log({ notes: 'here' }));
  (await here.replication()).forget('home');
  const third = machine(now);
  await run(third, here);
  expect([notes(here), notes(third)]).toEqual([['here'], ['here']]);
  here.undo(here.history.list({ limit: 1 })[0]?.change ?? 0);
  await run(third, here);
  expect(contents(third)).toEqual(contents(here));
  expect(third.logs.count()).toBe(2);
});

test('a first sync of more than one part is one change', async () => {
  const { here, there } = pair();
  there.users.create(user());
  there.change(() => {
    for (let i = 0; i < 6000; i++) there.logs.create(log({ notes: `log ${i}` }));
  });
  const result = await run(here, there);
  expect([result.pulled.log.created, result.changes.length, total(result.pushed)]).toEqual([6000, 1, 0]);
  here.undo(result.changes[0] ?? 0);
  expect([here.users.count(), here.logs.count()]).toEqual([0, 0]);
});

test('what a laptop had and what it received are sent and not sent back, in one sync', async () => {
  const { here, there } = pair();
  for (const [i, store] of [here, there].entries()) {
    store.users.create(user({ email: `user-${i}@example.org` }));
    for (let n = 0; n < 3; n++) store.logs.create(log({ notes: `${n} on ${i}` }));
  }
  const before = there.history.last();
  const { pulled, pushed } = await run(here, there);
  expect([total(pulled), total(pushed), there.history.last() - before]).toEqual([4, 4, 4]);
  expect(contents(here)).toEqual(contents(there));
});

test('undo without a number passes over what came from another machine, on both sides', async () => {
  const { here, there } = await inStep();
  expect(here.history.nextUndo()).toBeUndefined();
  const own = there.history.nextUndo();
  here.logs.create(log({ notes: 'from the laptop' }));
  await run(here, there);
  expect([there.logs.count(), there.history.nextUndo()]).toEqual([4, own]);
  const [{ change = 0, source } = {}] = there.history.list({ limit: 1 });
  expect([source, there.remotes.reachOf(change)]).toEqual(['sync', ['another machine']]);
});

test('the undo of an imported file reaches the machine that it is from', async () => {
  const { here: first, there, now } = pair();
  first.users.create(user());
  first.logs.create(log({ notes: 'one' }));
  const second = machine(now);
  second.users.create(user({ email: 'own@example.org' }));
  imported(second, exported(first));
  const change = second.latestChange ?? 0;
  expect(second.remotes.reachOf(change)).toEqual(['the machine that the file is from']);
  await run(first, there);
  second.undo(change);
  await run(second, there);
  const replication = await there.replication();
  // It is a deletion like any other, and of a user.
  expect(replication.held()).toContainEqual({ record: 'user', id: 1 });
});

test('an export of a file that was set back since brings all back that it says is there', () => {
  const { here: first, there: third, now } = pair();
  first.users.create(user());
  first.logs.create(log());
  const cycle = (...steps: ('delete' | 'restore')[]) => {
    for (const step of steps)
      if (step === 'delete') first.logs.delete(1);
      else first.restore({ record: 'log', id: 1 });
  };
  cycle('delete');
  const copy = copyOf(first);
  cycle('restore', 'delete');
  imported(third, exported(first));
  cycle('restore');
  const file = exported(first);
  const back = setBack(first, copy, now);
  imported(back, file);
  imported(back, exported(third));
  expect(back.logs.count()).toBe(1);
});

test('the undo of what was imported without an origin reaches nobody', () => {
  const { here } = pair();
  here.users.create(user());
  expect(here.remotes.reachOf(here.latestChange ?? 0)).toEqual([]);
});

test('forgetting a remote leaves what was recorded here, and its user', async () => {
  const { here, there } = pair();
  here.remotes.add({ name: 'home', url: 'http://localhost:3000/', pin: null, ourUser: null });
  there.users.create(user());
  for (const text of ['one', 'two', 'three']) there.logs.create(log({ notes: text }));
  await run(here, there);
  here.logs.create(log({ notes: 'recorded here' }));
  await run(here, there);
  // What goes and comes back came once, and from where it was recorded.
  there.change(() => {
    for (const id of [1, 4]) there.logs.delete(id);
  });
  const deletion = there.latestChange ?? 0;
  await run(here, there);
  there.undo(deletion);
  await run(here, there);
  const replication = await here.replication();
  expect(replication.cameFrom('home')).toMatchObject({
    going: [{}, {}, {}],
    staying: [{ record: 'user', id: 1 }],
  });
  replication.forget('home');
  expect([here.users.count(), notes(here)]).toEqual([1, ['recorded here']]);
  await run(here, there);
  expect([notes(here).sort(), notes(there).sort()]).toEqual([
    ['one', 'recorded here', 'three', 'two'],
    ['one', 'recorded here', 'three', 'two'],
  ]);
});

test('a user who was made here, and came back from there, did not come from there', async () => {
  const { here, there } = pair();
  here.remotes.add({ name: 'home', url: 'http://localhost:3000/', pin: null, ourUser: null });
  here.users.create(user());
  there.users.create(user({ email: 'tom@example.org' }));
  await run(here, there);
  there.users.delete(2);
  const deletion = there.latestChange ?? 0;
  await run(here, there, { acceptDeletions: true });
  there.undo(deletion);
  await run(here, there);
  expect(here.users.count()).toBe(2);
  expect(here.remotes.usersOf('home', [])).toEqual([2]);
});

test('of two users who were merged into each other the one shows who was merged first', async () => {
  const { here, there, now } = pair();
  for (const id of [1, 2]) there.users.create(user({ email: `user-${id}@example.org` }));
  await run(here, there);
  (await here.replication()).mergeUsers(1, 2, now());
  (await there.replication()).mergeUsers(2, 1, now());
  await settle(there, here);
  expect(there.users.list().map(({ email }) => email)).toEqual(['user-1@example.org']);
});

test('a user who was merged into another on each side is told of, and one undo chooses the other', async () => {
  const { here, there, now } = pair();
  for (const id of [1, 2, 3]) there.users.create(user({ email: `user-${id}@example.org` }));
  there.logs.create(log({ userId: 3 }));
  await run(here, there);
  (await here.replication()).mergeUsers(3, 1, now());
  (await there.replication()).mergeUsers(3, 2, now());
  const { disputes, changes: made } = await run(here, there);
  expect(disputes).toEqual([
    {
      record: 'user',
      id: 3,
      fields: [{ field: 'into', here: 1, there: 2 }],
      counts: 'there',
      change: made[0],
      at: expect.any(Object),
    },
  ]);
  expect(here.remotes.disputes(now())).toMatchObject([{ record: 'user', id: 3, fields: ['into'] }]);
  here.undo(made[0] ?? 0);
  expect(here.remotes.disputes(now())).toEqual([]);
  await settle(there, here);
  for (const store of [here, there]) expect(store.logs.get(1).userId).toBe(1);
});

test('what a file that was set back had lost comes back beside a record that takes its id', async () => {
  const { here, there, now } = pair();
  const third = machine(now);
  here.users.create(user());
  here.logs.create(log({ notes: 'kept' }));
  const copy = copyOf(here);
  here.logs.create(log({ notes: 'lost' }));
  await run(here, there);
  third.users.create(user({ email: 'third@example.org' }));
  third.logs.create(log({ notes: 'of the third' }));
  await run(third, there);
  const back = setBack(here, copy, now);
  await run(back, there);
  expect(notes(back)).toEqual(['kept', 'of the third', 'lost']);
});

test('a user who comes to be one with another is not said to be deleted', async () => {
  const { here, there, now } = pair();
  for (const id of [1, 2]) {
    there.users.create(user({ email: `user-${id}@example.org` }));
    there.goals.create({ userId: id, sessionsPerWeek: id });
  }
  await run(here, there);
  (await there.replication()).mergeUsers(2, 1, now());
  const { pulled, held } = await run(here, there);
  expect([pulled.user, pulled.goal, held]).toEqual([
    { created: 0, changed: 1, deleted: 0 },
    { created: 0, changed: 1, deleted: 0 },
    [],
  ]);
});

test('nobody is asked to merge a user with one who is to be erased', async () => {
  const { here, there } = pair();
  there.users.create(user());
  await run(here, there);
  there.erase(1);
  const { id } = there.users.create(user());
  const { sameEmails, erasedThere } = await run(here, there);
  expect([sameEmails, erasedThere]).toEqual([[], [{ record: 'user', id: 1 }]]);
  const { sameEmails: later } = await run(here, there, { acceptErase: true });
  expect([later, here.users.list().map((one) => one.id)]).toEqual([[], [id]]);
});

test('forgetting a remote takes away nothing that came from another one of that name', async () => {
  const { here, there, now } = pair();
  const other = machine(now);
  const remote = { name: 'home', url: 'http://localhost:3000/', pin: null, ourUser: null };
  for (const [i, store] of [there, other].entries()) {
    store.users.create(user({ email: `user-${i}@example.org` }));
    here.remotes.add(remote);
    await run(here, store);
    if (store === there) here.remotes.remove('home');
  }
  const replication = await here.replication();
  expect(replication.cameFrom('home').going).toEqual([{ record: 'user', id: 2 }]);
  replication.forget('home');
  expect(here.users.list().map(({ email }) => email)).toEqual(['user-0@example.org']);
});

test('with a user the names of the remotes that were for nobody else are erased', () => {
  const { here } = pair();
  here.users.create(user());
  for (const [name, ourUser] of [
    ['ole', null],
    ['nora', 1],
  ] as const)
    here.remotes.add({ name, url: 'http://localhost:3000/', pin: null, ourUser });
  here.erase(1);
  expect(here.remotes.list().map(({ name }) => name)).toEqual(['ole']);
  expect(readFileSync(here.path).includes('nora')).toBe(false);
});

describe('a service that always says that more follows', () => {
  test.each<[string, (seq: number) => number, boolean?]>([
    ['at the same position', () => 5],
    ['at earlier and earlier positions', (seq) => Math.max(0, 5000 - seq)],
    ['at later and later positions, without anything', (seq) => seq + 1],
    ['of another database each time', (seq) => seq + 1, true],
  ])('%s is not asked without end', async (_, next, isOther) => {
    const { here, there } = await inStep();
    const transport = transportTo(there);
    const format = migrations.length;
    let requests = 0;
    const endless: Transport = async (request) => {
      if (request.path !== '/exchange' || !request.body) return transport(request);
      requests++;
      const { have } = JSON.parse(request.body) as { have: { seq: number } | null };
      const to = { seq: next(have?.seq ?? 0), uid: 1, rev: 0 };
      const from = { ...to, seq: 1 };
      const rest = { format, from, to, isLast: false, erased: [], view: null, states: [] };
      const parcel = writeParcel({ database: isOther ? randomUUID() : there.id, ...rest }, new Map());
      const result = { counts: noCounts(), disputes: [], held: 0, refused: 0 };
      return { status: 200, headers: {}, text: JSON.stringify({ parcel, received: null, result }) };
    };
    await expect(syncWith(here, endless)).rejects.toMatchObject({ code: 'unusable' });
    expect(requests).toBeLessThan(1100);
    expect(contents(here)).toEqual(contents(there));
  });
});

describe('a file that was set back by a copy', () => {
  test.each([
    ['and used since', true],
    ['and not used since', false],
  ])('of the service %s, is noticed, and nothing is lost', async (_, isUsed) => {
    const { here, there: first, now } = await inStep();
    const copy = copyOf(first);
    first.logs.create(log({ notes: 'lost there' }));
    first.logs.update(1, { notes: 'one, changed' });
    await run(here, first);
    const there = setBack(first, copy, now);
    if (isUsed) there.logs.create(log({ notes: 'made there since' }));
    here.logs.create(log({ notes: 'made here since' }));
    const { setBack: side } = await run(here, there);
    expect(side).toBe('there');
    await settle(there, here);
    expect(new Set(notes(there))).toEqual(
      new Set([
        'one, changed',
        'two',
        'three',
        'lost there',
        'made here since',
        ...(isUsed ? ['made there since'] : []),
      ]),
    );
  });

  test('of the service, which loses only deletions that it held back, is noticed', async () => {
    const { here, there: first, now } = pair();
    first.users.create(user());
    first.change(() => {
      for (let i = 0; i < 30; i++) first.logs.create(log());
    });
    const third = machine(now);
    for (const store of [here, third]) await run(store, first);
    const copy = copyOf(first);
    third.change(() => {
      for (let id = 1; id <= 25; id++) third.logs.delete(id);
    });
    for (const store of [third, here]) await run(store, first);
    const there = setBack(first, copy, now);
    expect((await run(here, there)).setBack).toBe('there');
    expect((await there.replication()).held()).toHaveLength(25);
  });

  test('of the service, which lost only deletions that it held back, is noticed after as many others came', async () => {
    const { here, there: first, now } = pair();
    first.users.create(user());
    first.change(() => {
      for (let i = 0; i < 30; i++) first.logs.create(log());
    });
    const [third, fourth] = [machine(now), machine(now)];
    for (const store of [here, third, fourth]) await run(store, first);
    const copy = copyOf(first);
    const withoutFrom = (store: Store, from: number) =>
      store.change(() => {
        for (let id = from; id < from + 25; id++) store.logs.delete(id);
      });
    withoutFrom(third, 1);
    for (const store of [third, here]) await run(store, first);
    const there = setBack(first, copy, now);
    withoutFrom(fourth, 6);
    await run(fourth, there);
    expect((await run(here, there)).setBack).toBe('there');
    // The five that it had lost are few.
    expect([(await there.replication()).held().length, there.logs.count()]).toEqual([25, 25]);
  });

  test('of the laptop, is noticed after a dry run too', async () => {
    const { here: first, there, now } = await inStep();
    const copy = copyOf(first);
    first.logs.create(log({ notes: 'lost here' }));
    await run(first, there);
    await run(first, there, { dryRun: true });
    const here = setBack(first, copy, now);
    here.logs.create(log({ notes: 'made here since' }));
    expect((await run(here, there)).setBack).toBe('here');
  });

  test('of the laptop, is noticed, and nothing is lost', async () => {
    const { here: first, there, now } = await inStep();
    const copy = copyOf(first);
    first.logs.create(log({ notes: 'lost here' }));
    await run(first, there);
    const here = setBack(first, copy, now);
    here.logs.create(log({ notes: 'made here since' }));
    const identity = here.id;
    const { setBack: side } = await run(here, there);
    expect([side, here.id === identity]).toEqual(['here', false]);
    await settle(there, here);
    expect(notes(there).sort()).toEqual(['lost here', 'made here since', 'one', 'three', 'two']);
  });

  test('and used twice, is two machines from then on', async () => {
    const { here, there, now } = await inStep();
    const twin = openStore(copyOf(here), now);
    for (const [i, store] of [here, twin].entries()) {
      store.logs.create(log({ notes: `made on ${i}` }));
      store.logs.update(1 + i, { painAfter: 1 + i });
    }
    await settle(there, here, twin);
    expect(notes(there).sort()).toEqual(['made on 0', 'made on 1', 'one', 'three', 'two']);
    expect(here.id).not.toBe(twin.id);
    expect([1, 2].map((id) => there.logs.get(id).painAfter)).toEqual([1, 2]);
  });

  test('and used twice without the service having met either, is two machines too', async () => {
    const { here, there, now } = pair();
    here.users.create(user());
    here.logs.create(log({ notes: 'of both' }));
    const twin = openStore(copyOf(here), now);
    for (const [i, store] of [here, twin].entries()) store.logs.create(log({ notes: `made on ${i}` }));
    await settle(there, here, twin);
    expect(notes(there).sort()).toEqual(['made on 0', 'made on 1', 'of both']);
  });
});

test('a service that takes another identity while records are sent to it is sent them with the next sync', async () => {
  const { here, there } = pair();
  here.users.create(user());
  here.change(() => {
    for (let i = 0; i < 3000; i++) here.logs.create(log());
  });
  const plain = transportTo(there);
  const replication = await there.replication();
  let asked = 0;
  await syncWith(here, async (request) => {
    if (++asked > 10) throw new Error('asked without end');
    if (asked === 3) replication.renewIdentity();
    return plain(request);
  });
  expect(there.logs.count()).toBeLessThan(3000);
  await run(here, there);
  expect(there.logs.count()).toBe(3000);
});

test('what is recorded here during the last request is known to be unsent', async () => {
  const { here, there } = pair();
  here.users.create(user());
  const plain = transportTo(there);
  let asked = 0;
  const { seq } = await syncWith(here, async (request) => {
    const answer = await plain(request);
    if (++asked === 3) here.logs.create(log());
    return answer;
  });
  expect([asked, there.logs.count(), here.history.last() - seq]).toEqual([3, 0, 1]);
});

test('what another process merges in the middle of telling is not said to be from here', async () => {
  const { here, there, now } = await inStep();
  there.logs.update(1, { notes: 'changed' });
  const file = exported(there);
  const twin = openStore(here.path, now);
  const [db, { all }] = [dbOf(twin), Database.prototype];
  let isMerged = false;
  const spy = vi.spyOn(Database.prototype, 'all').mockImplementation(function (
    this: Database,
    sql,
    ...values
  ) {
    const rows = all.call(this, sql, ...values);
    if (
      !isMerged &&
      this !== db &&
      rows.length > 0 &&
      /AS key.* FROM replicas/.test(sql) &&
      values[0] === 'log'
    ) {
      isMerged = true;
      imported(twin, file);
    }
    return rows as never[];
  });
  const replication = await here.replication();
  const { states } = replication.part(replication.collector(), START);
  spy.mockRestore();
  const own = states.flatMap(({ statements }) =>
    Object.values(statements).filter(({ stamp }) => stamp[2] === 1),
  );
  expect([isMerged, own]).toEqual([true, []]);
});

test('a clock that is more than twenty years ahead is named', async () => {
  const { here, now } = pair();
  const there = machine(() => now() + 80 * 366 * 86_400_000);
  there.users.create(user());
  await expect(run(here, there)).rejects.toThrow(/more than 20 years ahead/);
});

test('an import whose deletions turn out to be too many knows the databases that it names', async () => {
  const { here, there, now } = pair();
  there.users.create(user());
  there.change(() => {
    for (let i = 0; i < 5700; i++) there.logs.create(log());
  });
  await run(here, there);
  there.change(() => {
    // The first of them are not too many.
    for (let id = 1; id <= 15; id++) there.logs.delete(id);
    for (let id = 5100; id <= 5700; id++) there.logs.delete(id);
  });
  const third = machine(now);
  await run(third, there);
  third.logs.create(log({ notes: 'third' }));
  await run(third, there);
  const { held } = imported(here, exported(there));
  expect([held.length, notes(here)]).toEqual([616, expect.arrayContaining(['third'])]);
});

test('who comes to be another one with --as keeps the goal, which still changes on every machine', async () => {
  const { here, there, now } = pair();
  here.users.create(user({ email: 'own@example.org' }));
  here.goals.create({ userId: 1, sessionsPerWeek: 2 });
  await run(here, there);
  there.goals.update(1, { userId: 1, sessionsPerWeek: 3 });
  await run(here, there);
  const third = machine(now);
  third.users.create(user({ email: 'third@example.org' }));
  await run(here, third, { as: 1 });
  const goals = () => [here, there, third].map((store) => store.goals.list()[0]?.sessionsPerWeek);
  await run(here, there);
  expect(goals()).toEqual([3, 3, 3]);
  third.goals.update(1, { userId: 1, sessionsPerWeek: 6 });
  for (const store of [third, there]) await run(here, store);
  expect(goals()).toEqual([6, 6, 6]);
});

test('who is said to be one with --as whom a third machine has brought already shows once, under that id', async () => {
  const { here, there, now } = pair();
  const third = machine(now);
  there.users.create(user({ email: 'theirs@example.org' }));
  there.logs.create(log({ notes: 'theirs' }));
  await run(third, there);
  here.users.create(user({ email: 'own@example.org' }));
  here.logs.create(log({ notes: 'own' }));
  await run(here, third);
  await run(here, there, { as: 1 });
  expect(here.users.list().map(({ id }) => id)).toEqual([1]);
  await settle(there, here, third);
  expect([there.users.count(), notes(there).sort()]).toEqual([1, ['own', 'theirs']]);
});

test('what waits for its user, and came with a file without states, is there once', async () => {
  const { here, there } = pair();
  there.users.create(user());
  imported(here, unsealed(exported(there)));
  here.users.delete(1);
  there.logs.create(log({ notes: 'one' }));
  imported(here, unsealed(exported(there)));
  await run(here, there);
  here.restore({ record: 'user', id: 1 });
  await settle(there, here);
  expect(notes(here)).toEqual(['one']);
});

test('the undo of what both sides changed takes back nothing else that was changed there', async () => {
  const { here, there } = await inStep();
  here.logs.update(1, { painAfter: 1 });
  there.logs.update(1, { painAfter: 3, notes: 'of there' });
  const { disputes } = await run(here, there);
  expect(here.logs.get(1)).toMatchObject({ painAfter: 3, notes: 'of there' });
  here.undo(disputes[0]?.change ?? 0);
  await settle(there, here);
  expect(there.logs.get(1)).toMatchObject({ painAfter: 1, notes: 'of there' });
});

test('a log that comes back with its user here, and was given to one there who is gone, shows on no machine', async () => {
  const { here, there } = await inStep();
  there.users.create(user({ email: 'two@example.org' }));
  await run(here, there);
  here.users.delete(1);
  there.logs.update(1, { userId: 2 });
  there.users.delete(2);
  await run(here, there, { acceptDeletions: true });
  here.restore({ record: 'user', id: 1 });
  await settle(there, here);
  expect(notes(here)).toEqual(['two', 'three']);
});

test('the undo of a merge deletes nothing that waited for one of the users until then', async () => {
  const { here, there } = await inStep();
  there.users.create(user({ email: 'two@example.org' }));
  await run(here, there);
  here.users.delete(1);
  there.logs.create(log({ notes: 'four' }));
  await run(here, there);
  here.restore({ record: 'user', id: 1 });
  expect(await isMerged(here, 2, 1, Date.now())).toBe(true);
  here.undo(here.latestChange ?? 0);
  await settle(there, here);
  expect(notes(there)).toHaveLength(4);
});

test('a user who is one with another by now is not merged into a third', async () => {
  const { here, there } = await inStep();
  for (const email of ['two@example.org', 'three@example.org']) there.users.create(user({ email }));
  await run(here, there);
  (await there.replication()).mergeUsers(2, 1);
  here.users.delete(1);
  await run(here, there);
  here.restore({ record: 'user', id: 1 });
  // Until that is looked at, the second shows as well.
  expect(here.users.list().map(({ id }) => id)).toEqual([1, 2, 3]);
  expect(await isMerged(here, 2, 3, Date.now())).toBe(false);
  expect(here.users.list().map(({ id }) => id)).toEqual([1, 3]);
});

test.each([
  ['came from elsewhere', 1],
  ['was made here', 4],
])(
  'a log that %s, was deleted while its user was one with another, and comes back, is its own user’s',
  async (_, id) => {
    const { here, there } = await inStep();
    there.users.create(user({ email: 'two@example.org' }));
    await run(here, there);
    here.logs.create(log({ notes: 'four' }));
    (await there.replication()).mergeUsers(1, 2);
    await run(here, there);
    here.logs.delete(id);
    await run(here, there);
    there.restore({ record: 'user', id: 1 });
    await run(here, there);
    here.restore({ record: 'log', id });
    await settle(there, here);
    expect([here.logs.get(id).userId, there.logs.count()]).toEqual([1, 4]);
  },
);

test('a log that each side gave to another of two users who are one is not said to differ', async () => {
  const { here, there } = await inStep();
  for (const email of ['two@example.org', 'three@example.org']) there.users.create(user({ email }));
  await run(here, there);
  here.logs.update(1, { userId: 2 });
  there.logs.update(1, { userId: 3 });
  (await there.replication()).mergeUsers(2, 3);
  const { disputes } = await run(here, there);
  expect([disputes, here.logs.get(1).userId]).toEqual([[], 3]);
});

describe.each([
  ['a restore of the log', 'log', false],
  ['the undo of its deletion', 'log', true],
  ['a restore of its user', 'user', false],
  ['the undo of the deletion of its user', 'user', true],
] as const)(
  'what was done elsewhere with a log that was deleted here counts after %s',
  (_, record, byUndo) => {
    async function broughtBack(meanwhile: (there: Store) => void) {
      const { here, there } = await inStep();
      here.of(record).delete(1);
      const deletion = here.latestChange ?? 0;
      meanwhile(there);
      await run(here, there);
      if (byUndo) here.undo(deletion);
      else here.restore({ record, id: 1 });
      await settle(there, here);
      return notes(there).sort();
    }

    test('an edit', async () => {
      const edit = (there: Store) => there.logs.update(1, { notes: 'edited' });
      expect(await broughtBack(edit)).toEqual(['edited', 'three', 'two']);
    });

    test.runIf(record === 'user')('its deletion by itself', async () => {
      expect(await broughtBack((there) => there.logs.delete(1))).toEqual(['three', 'two']);
    });
  },
);

test.each([
  ['first', [0, 1]],
  ['last', [1, 0]],
])('what one laptop exports, another imports and both sync, it %s, is there once', async (_, order) => {
  const { here: first, there, now } = pair();
  first.users.create(user());
  for (const text of ['one', 'two']) first.logs.create(log({ notes: text }));
  const second = machine(now);
  imported(second, exported(first));
  for (const i of order) await run(i === 0 ? first : second, there);
  await settle(there, first, second);
  expect([there.users.count(), notes(there)]).toEqual([1, ['one', 'two']]);
});

test.each([
  ['in their order', [0, 1, 2]],
  ['the latest first', [2, 1, 0]],
])('of three edits the latest counts, though the machines sync %s', async (_, order) => {
  const { here, there, now } = await inStep();
  const machines = [here, machine(now), machine(now)];
  for (const store of machines) await run(store, there);
  for (const [i, store] of machines.entries()) store.logs.update(1, { notes: `edit ${i}` });
  for (const i of order) await run(machines[i] as Store, there);
  await settle(there, ...machines);
  expect(there.logs.get(1).notes).toBe('edit 2');
});

test('an exercise that is renamed in 2,000 logs is one change over there', async () => {
  const { here, there } = pair();
  here.users.create(user());
  here.change(() => {
    for (let i = 0; i < 2000; i++) here.logs.create(log({ notes: `log ${i}` }));
  });
  await run(here, there);
  const before = changes(there);
  here.change(() => {
    for (const { id } of here.logs.list()) here.logs.update(id, { exerciseName: 'Bird Dog' });
  });
  const { pushed } = await run(here, there);
  expect([pushed.log.changed, changes(there) - before]).toEqual([2000, 1]);
  expect(there.logs.count({ exerciseName: 'Bird Dog' })).toBe(2000);
});

test('a clock that is a year ahead is said, and what is changed after its changes still counts', async () => {
  const { there, now } = await inStep();
  const year = 365 * 86_400_000;
  const [wrong, right] = [machine(() => now() + year), machine(now)];
  for (const store of [wrong, right]) await run(store, there);
  wrong.logs.update(1, { notes: 'a year ahead' });
  await run(wrong, there);
  const { ahead } = await syncWith(right, transportTo(there), {}, { now });
  expect(ahead).toBeGreaterThan(year - 86_400_000);
  right.logs.update(1, { notes: 'after it' });
  await settle(there, right, wrong);
  expect(there.logs.get(1).notes).toBe('after it');
});

test('a clock that was ahead once, and is set right, is said once', async () => {
  const { there, now } = await inStep();
  let wrong = 365 * 86_400_000;
  const [here, other] = [machine(() => now() + wrong), machine(now)];
  const aheadOf = async (store: Store, clock: () => number) =>
    (await syncWith(store, transportTo(there), {}, { now: clock })).ahead;
  await run(here, there);
  here.logs.update(1, { notes: 'a year ahead' });
  await run(here, there);
  expect(await aheadOf(other, now)).toBeGreaterThan(0);
  wrong = 0;
  for (const [store, peer] of [
    [other, here],
    [here, other],
    [other, here],
  ] as const) {
    store.logs.update(1, { notes: `by ${store === here ? 'here' : 'other'} at ${now()}` });
    expect([await aheadOf(store, now), await aheadOf(peer, now)]).toEqual([0, 0]);
  }
  wrong = 2 * 365 * 86_400_000;
  here.logs.update(1, { notes: 'two years ahead' });
  await run(here, there);
  expect(await aheadOf(other, now)).toBeGreaterThan(365 * 86_400_000);
});

describe('two users who are one', () => {
  /** A user on each side, of one person; both are on both sides. */
  async function twins() {
    const world = pair();
    const { here, there } = world;
    here.users.create(user({ firstName: 'Nora' }));
    here.logs.create(log({ notes: 'recorded here' }));
    there.users.create(user({ firstName: 'Norah' }));
    there.logs.create(log({ notes: 'recorded there' }));
    const result = await run(here, there);
    const other = here.users.list().find(({ firstName }) => firstName === 'Norah')?.id ?? 0;
    return { ...world, result, other };
  }

  test('have one e-mail address on both sides, which is told, once', async () => {
    const { here, there, result, other } = await twins();
    expect(result.sameEmails).toEqual([{ id: 1, other }]);
    expect((await run(here, there)).sameEmails).toEqual([]);
  });

  test('have one e-mail address on the other side, which everybody knows there', async () => {
    const { here, there } = pair();
    for (const firstName of ['Nora', 'Mia']) there.users.create(user({ firstName }));
    expect((await run(here, there)).sameEmails).toEqual([]);
  });

  test('are one once they are merged, with what is still recorded for the other one elsewhere', async () => {
    const { here, there, other } = await twins();
    const before = changes(here);
    (await here.replication()).mergeUsers(other, 1, Date.now());
    expect([changes(here) - before, here.users.count(), notes(here)]).toEqual([
      1,
      1,
      ['recorded here', 'recorded there'],
    ]);
    there.logs.create(log({ userId: 1, notes: 'still recorded there' }));
    await settle(there, here);
    const owners = (store: Store) => new Set(store.logs.list().map(({ userId }) => userId));
    expect([here.users.count(), here.logs.count(), owners(here).size]).toEqual([1, 3, 1]);
    expect([there.users.list().map(({ firstName }) => firstName), owners(there).size]).toEqual([['Nora'], 1]);
  });

  test('are both erased when the one is, everywhere, with nothing of either left', async () => {
    const { here, there, other } = await twins();
    (await here.replication()).mergeUsers(other, 1, Date.now());
    await settle(there, here);
    expect(here.reachOfErasing(1)).toEqual({ merged: [other], moved: [] });
    here.erase(1);
    await run(here, there);
    there.eraseAsElsewhere();
    expect(there.remotes.erasedElsewhere()).toEqual([]);
    for (const store of [here, there]) {
      expect([store.users.count(), store.logs.count()]).toEqual([0, 0]);
      const bytes = readFileSync(store.path).toString('latin1');
      for (const text of ['Norah', 'recorded here', 'recorded there', 'nora@example.org'])
        expect([text, bytes.includes(text)]).toEqual([text, false]);
    }
  });

  test('and were erased elsewhere, show as one where only the one ever showed, until somebody agrees', async () => {
    const { now, here, there, other } = await twins();
    (await here.replication()).mergeUsers(other, 1, Date.now());
    const ole = there.users.create(user({ firstName: 'Ole', email: 'ole@example.org' }));
    const { id } = there.logs.create(log({ userId: ole.id, notes: 'of Ole' }));
    await settle(there, here);
    const third = machine(now);
    await run(third, there);
    // So that somebody is waited for.
    third.users.delete(third.users.list().find(({ firstName }) => firstName === 'Ole')?.id ?? 0);
    there.logs.update(id, { notes: 'changed' });
    here.erase(1);
    await run(here, there);
    there.eraseAsElsewhere();
    expect((await run(third, there)).erasedThere).toHaveLength(1);
    for (const one of third.logs.list()) {
      third.logs.delete(one.id);
      third.undo(third.latestChange ?? 0);
    }
    await run(third, there);
    expect(notes(third).sort()).toEqual(['recorded here', 'recorded there']);
    await run(third, there, { acceptErase: true });
    expect([third.users.count(), third.logs.count()]).toEqual([0, 0]);
    for (const text of ['Norah', 'recorded'])
      expect([text, readFileSync(third.path).includes(text)]).toEqual([text, false]);
  });

  test('are one where only the one ever showed, and the other is erased: it is there with consent, too', async () => {
    const { now, here, there, other } = await twins();
    (await here.replication()).mergeUsers(other, 1, Date.now());
    await settle(there, here);
    const third = machine(now);
    await run(third, there);
    expect(notes(third).sort()).toEqual(['recorded here', 'recorded there']);
    here.erase(other);
    await run(here, there);
    there.eraseAsElsewhere();
    expect((await run(third, there)).erasedThere).toHaveLength(1);
    await run(third, there, { acceptErase: true });
    for (const one of [here, there, third]) expect(notes(one)).toEqual(['recorded here']);
    expect(readFileSync(third.path).includes('recorded there')).toBe(false);
  });

  test('are both told of, where the merge is learnt after the one was erased', async () => {
    const { now, here, there, other } = await twins();
    const third = machine(now);
    await run(third, there);
    (await here.replication()).mergeUsers(other, 1, Date.now());
    const mine = third.users.list().find(({ firstName }) => firstName === 'Nora')?.id ?? 0;
    const twin = third.users.list().find(({ firstName }) => firstName === 'Norah')?.id ?? 0;
    third.erase(mine);
    await settle(there, here);
    await run(third, there);
    expect(third.remotes.erasedElsewhere()).toEqual([{ record: 'user', id: twin }]);
  });

  test('are two again after an undo', async () => {
    const { here, there, other } = await twins();
    const before = contents(here);
    (await here.replication()).mergeUsers(other, 1, Date.now());
    await settle(there, here);
    here.undo(here.history.nextUndo() ?? 0);
    expect(contents(here)).toEqual(before);
    await settle(there, here);
    expect(contents(there)).toEqual(before);
  });

  test.each([
    ['at once', false],
    ['and a sync', true],
  ])('are two to an erasing after an undo %s', async (_, isSynced) => {
    const { here, there, other } = await twins();
    (await here.replication()).mergeUsers(other, 1, Date.now());
    if (isSynced) await settle(there, here);
    here.undo(here.history.nextUndo() ?? 0);
    if (isSynced) await settle(there, here);
    expect(here.reachOfErasing(1)).toEqual({ merged: [], moved: [] });
    here.erase(1);
    expect([here.users.list().map(({ id }) => id), notes(here)]).toEqual([[other], ['recorded there']]);
    await run(here, there);
    there.eraseAsElsewhere();
    expect(notes(there)).toEqual(['recorded there']);
  });
});

describe('deletions that are held back', () => {
  /** Thirty logs, of which the service deletes most at once. */
  async function emptied() {
    const world = pair();
    const { here, there } = world;
    there.users.create(user());
    there.change(() => {
      for (let i = 0; i < 30; i++) there.logs.create(log({ notes: `log ${i}` }));
    });
    await run(here, there);
    there.change(() => {
      for (let id = 1; id <= 25; id++) there.logs.delete(id);
    });
    there.logs.update(30, { notes: 'changed meanwhile' });
    const result = await run(here, there);
    return { ...world, result, replication: await here.replication() };
  }

  test('are counted, while all else is applied', async () => {
    const { here, there, result } = await emptied();
    expect([result.held.length, isSettled(result), here.logs.count()]).toEqual([25, false, 30]);
    expect(here.logs.get(30).notes).toBe('changed meanwhile');
    expect(examine(here.path).checks.find(({ name }) => name === 'Sync')).toMatchObject({
      ok: false,
      detail: expect.stringContaining('25 deletions from elsewhere held back'),
    });
    const again = await run(here, there);
    expect([again.held.length, total(again.pulled), total(again.pushed)]).toEqual([25, 0, 0]);
    expect(there.logs.count()).toBe(5);
  });

  test('alone are no change to take back, and leave one bare entry in the history', async () => {
    const { here, there } = await inStep();
    const bare = () => dbOf(here).value<number>('SELECT count(*) FROM history WHERE record IS NULL');
    expect(bare()).toBe(0);
    there.users.delete(1);
    const { held, changes: made } = await run(here, there);
    expect([held.length > 0, made, here.latestChange, bare()]).toEqual([true, [], undefined, 1]);
    await run(here, there);
    expect(bare()).toBe(1);
    expect(here.history.list().every(({ record }) => record)).toBe(true);
  });

  test('go once they are accepted, in one change', async () => {
    const { here, there, replication } = await emptied();
    const before = changes(here);
    expect(replication.settleHeld('delete')).toBe(25);
    expect([here.logs.count(), changes(here) - before, replication.held()]).toEqual([5, 1, []]);
    await settle(there, here);
    expect(there.logs.count()).toBe(5);
  });

  test('are held back no more once they are taken back over there', async () => {
    const { here, there, replication } = await emptied();
    const deletion = there.history.list().find(({ action }) => action === 'delete');
    there.undo(deletion?.change ?? 0);
    expect((await run(here, there)).held).toEqual([]);
    expect([replication.held(), here.logs.count()]).toEqual([[], 30]);
  });

  test('of a user bring back, and count, who was merged into that one, once a sync accepts them', async () => {
    const now = ticking();
    const [here, there] = [machine(now), machine(now)];
    for (const email of ['nora@example.org', 'twin@example.org']) there.users.create(user({ email }));
    there.logs.create(log({ userId: 2 }));
    (await there.replication()).mergeUsers(2, 1, Date.UTC(2026, 2, 2, 13));
    await run(here, there);
    there.users.delete(1);
    expect((await run(here, there)).held).toHaveLength(1);
    const { pulled } = await run(here, there, { acceptDeletions: true });
    expect(here.users.list().map(({ email }) => email)).toEqual(['twin@example.org']);
    expect(pulled.user).toEqual({ created: 1, changed: 0, deleted: 1 });
    expect(pulled.log).toEqual({ created: 0, changed: 1, deleted: 0 });
  });

  test('go with a sync that accepts them, though it brings nothing', async () => {
    const { here, there, replication } = await emptied();
    const { pulled, held, changes: made } = await run(here, there, { acceptDeletions: true });
    expect([pulled.log.deleted, held, here.logs.count(), replication.held()]).toEqual([25, [], 5, []]);
    expect(made).toEqual([here.latestChange]);
    await settle(there, here);
  });

  test('come back everywhere once they are restored', async () => {
    const { here, there, replication } = await emptied();
    expect(replication.settleHeld('restore')).toBe(25);
    await settle(there, here);
    expect([there.logs.count(), replication.held()]).toEqual([30, []]);
  });

  test('are none of what is changed here meanwhile, which comes back everywhere', async () => {
    const { here, there, replication } = await emptied();
    here.logs.update(1, { notes: 'still needed' });
    expect([replication.held().length, replication.settleHeld('delete'), here.logs.count()]).toEqual([
      24, 24, 6,
    ]);
    await settle(there, here);
    expect(notes(there)).toContain('still needed');
  });

  test('are none of what is changed there too after it was changed here', async () => {
    const { here, there, replication } = await emptied();
    here.logs.update(1, { notes: 'still needed' });
    await run(here, there);
    there.logs.update(1, { painAfter: 1 });
    await run(here, there);
    expect([here.logs.get(1).painAfter, replication.held().length]).toEqual([1, 24]);
  });

  test('are passed on to a third machine', async () => {
    const { here, now } = await emptied();
    const third = machine(now);
    await run(third, here);
    expect(third.logs.count()).toBe(5);
  });

  test('are counted since they were last accepted, not for each exchange', async () => {
    const { here, there } = pair();
    there.users.create(user());
    there.change(() => {
      for (let i = 0; i < 60; i++) there.logs.create(log({ notes: `log ${i}` }));
    });
    await run(here, there);
    for (let id = 1; id <= 40; id++) {
      there.logs.delete(id);
      await run(here, there);
    }
    expect((await run(here, there)).held.length).toBeGreaterThan(0);
    expect(here.logs.count()).toBeGreaterThanOrEqual(39);
  });

  test('are counted for all that comes at once, however much lies between them', async () => {
    const { here, there } = pair();
    there.users.create(user());
    const made = (count: number) =>
      there.change(() => Array.from({ length: count }, () => there.logs.create(log()).id));
    const gone = (ids: readonly number[]) =>
      there.change(() => {
        for (const id of ids) there.logs.delete(id);
      });
    const logs = made(300);
    const goal = there.goals.create({ userId: 1, sessionsPerWeek: 3 });
    await run(here, there);
    // That there is no goal is no deletion.
    there.goals.delete(goal.id);
    gone(logs.slice(0, 25));
    gone(made(6_000));
    gone(logs.slice(25, 40));
    const result = await run(here, there);
    expect([result.held.length, result.pulled.log.deleted, here.logs.count()]).toEqual([40, 0, 300]);
    expect(here.goals.count()).toBe(0);
  });

  test('of a user are counted with what belongs to the user', async () => {
    const { here, there } = await inStep();
    there.users.delete(1);
    const { pulled } = await run(here, there, { acceptDeletions: true });
    expect([pulled.user.deleted, pulled.log.deleted, here.logs.count()]).toEqual([1, 3, 0]);
  });

  test('of one user are held back whatever their number, and one restore brings user and records', async () => {
    const { here, there } = await inStep();
    there.users.delete(1);
    const { held } = await run(here, there);
    expect(held[0]).toEqual({ record: 'user', id: 1 });
    (await here.replication()).settleHeld('restore');
    await settle(there, here);
    expect([there.users.count(), notes(there)]).toEqual([1, ['one', 'two', 'three']]);
  });
});

describe('what both sides changed', () => {
  test('is told once with both values, the later counts, and one undo chooses the other', async () => {
    const { here, there } = await inStep();
    here.logs.update(1, { painAfter: 1 });
    there.logs.update(1, { painAfter: 2 });
    here.logs.create(log({ notes: 'made here' }));
    there.logs.create(log({ notes: 'made there' }));
    const result = await run(here, there);
    expect(result.disputes).toMatchObject([
      { record: 'log', id: 1, fields: [{ field: 'painAfter', here: 1, there: 2 }], counts: 'there' },
    ]);
    expect([here.logs.get(1).painAfter, isSettled(result)]).toEqual([2, true]);
    expect((await run(here, there)).disputes).toEqual([]);
    const { change = 0 } = result.disputes[0] ?? {};
    expect(result.changes.at(-1)).toBe(change);
    here.undo(change);
    expect([here.logs.get(1).painAfter, here.logs.count()]).toEqual([1, 5]);
    expect((await run(here, there)).disputes).toEqual([]);
    await settle(there, here);
    expect(there.logs.get(1).painAfter).toBe(1);
  });

  test('is remembered for thirty days, once for a record, and while the record is there', async () => {
    const { here, there } = await inStep();
    for (const pain of [1, 2]) {
      here.logs.update(1, { painAfter: pain });
      there.logs.update(1, { painAfter: pain + 4 });
      await run(here, there);
    }
    const in29 = Date.now() + 29 * 86_400_000;
    expect(here.remotes.disputes(in29)).toMatchObject([{ record: 'log', id: 1, fields: ['painAfter'] }]);
    expect(here.remotes.disputes(in29 + 2 * 86_400_000)).toEqual([]);
    here.logs.delete(1);
    expect(here.remotes.disputes(in29)).toEqual([]);
  });

  test('is remembered of the last twenty records, the latest first', async () => {
    const { here, there } = await inStep();
    for (let i = 0; i < 20; i++) there.logs.create(log({ notes: `${i}` }));
    await run(here, there);
    const all = here.logs.list().map(({ id }) => id);
    for (const ids of [all.slice(1), all.slice(0, 1)]) {
      for (const id of ids) here.logs.update(id, { painAfter: 1 });
      for (const id of ids) there.logs.update(id, { painAfter: 2 });
      await run(here, there);
    }
    const noted = here.remotes.disputes(Date.now());
    expect([noted.length, noted[0]?.id]).toEqual([20, all[0]]);
  });

  test('of a goal is remembered by the id of the goal', async () => {
    const { here, there } = await inStep();
    const { id: userId } = there.users.create(user({ email: 'other@example.org' }));
    there.goals.create({ userId, sessionsPerWeek: 2 });
    await run(here, there);
    here.goals.update(1, { userId, sessionsPerWeek: 3 });
    there.goals.update(1, { userId, sessionsPerWeek: 4 });
    await run(here, there);
    expect(here.remotes.disputes(Date.now())).toMatchObject([{ record: 'goal', id: 1 }]);
  });

  test('and in what nobody else had said, goes over with the rest of the record', async () => {
    const { here, there } = await inStep();
    here.logs.update(1, { painAfter: 1 });
    there.logs.update(1, { notes: 'there' });
    expect((await run(here, there)).disputes).toEqual([]);
    for (const store of [here, there])
      expect(store.logs.get(1)).toMatchObject({ painAfter: 1, notes: 'there' });
  });

  test('is told at the side whose own counts, too', async () => {
    const { here, there } = await inStep();
    there.logs.update(1, { notes: 'there' });
    here.logs.update(1, { notes: 'here' });
    const { disputes } = await run(here, there);
    expect(disputes).toMatchObject([{ counts: 'here', fields: [{ here: 'here', there: 'there' }] }]);
    expect(there.logs.get(1).notes).toBe('here');
  });
});

test('a service that has always more to tell is asked an end of times', async () => {
  const { here, there } = await inStep();
  const plain = transportTo(there);
  let asked = 0;
  const endless: Transport = async (request) => {
    if (++asked > 1000) throw new Error('asked without end');
    const answer = await plain(request);
    return request.path === '/exchange' ? { ...answer, text: withoutEnd(answer.text) } : answer;
  };
  await expect(syncWith(here, endless)).rejects.toMatchObject({ code: 'unusable' });
});

/** An answer whose parcel says that more follows. */
function withoutEnd(text: string): string {
  const answer = JSON.parse(text) as { parcel: string };
  const lines = answer.parcel.split('\n').slice(0, -2);
  const body = `${[JSON.stringify({ ...JSON.parse(lines[0] ?? ''), isLast: false }), ...lines.slice(1)].join('\n')}\n`;
  return JSON.stringify({ ...answer, parcel: `${body}${JSON.stringify({ sha256: sha256(body) })}\n` });
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('a trial and its days on two machines', () => {
  const trial = { ...exampleOf(trialFields), userId: 1, state: 'running' as const };
  const day = { userId: 1, date: '2026-03-02', first: 6, second: 4, done: true };
  const states = (store: Store) =>
    store
      .of('trial')
      .list()
      .map(({ start, state }) => [start, state]);
  const days = (store: Store) =>
    store
      .of('trialDay')
      .list()
      .map(({ first }) => first);

  test.each([
    ['the one here began first', '2026-03-01', '2026-03-03'],
    ['the one there began first', '2026-03-03', '2026-03-01'],
  ])('of two that run the first goes on, and the other is given up for good: %s', async (_, ours, theirs) => {
    const { here, there } = await inStep();
    here.of('trial').create({ ...trial, start: ours, seed: 1 });
    there.of('trial').create({ ...trial, start: theirs, seed: 2 });
    const { disputes } = await run(here, there);
    expect(disputes).toMatchObject([
      {
        record: 'trial',
        counts: ours < theirs ? 'here' : 'there',
        isOfTwo: true,
        fields: [
          { field: 'start', here: ours, there: theirs },
          { field: 'seed', here: 1, there: 2 },
        ],
      },
    ]);
    await settle(there, here);
    const expected = [
      ['2026-03-01', 'running'],
      ['2026-03-03', 'given-up'],
    ];
    expect([states(here).sort(), states(there).sort()]).toEqual([expected, expected]);
    const running = here
      .of('trial')
      .list()
      .find(({ state }) => state === 'running');
    here.of('trial').update(running?.id ?? 0, { state: 'finished' });
    await settle(there, here);
    expect(
      states(there)
        .map(([, state]) => state)
        .sort(),
    ).toEqual(['finished', 'given-up']);
  });

  test('which both changed: the question of one machine counts whole', async () => {
    const { here, there } = await inStep();
    there.of('trial').create(trial);
    await run(here, there);
    here.of('trial').update(1, { exerciseName: 'Cobra', otherExercise: 'Plank' });
    there.of('trial').update(1, { exerciseName: 'Bird Dog' });
    await settle(there, here);
    const { exerciseName, otherExercise } = here.of('trial').get(1);
    expect([exerciseName, otherExercise]).toEqual(['Bird Dog', undefined]);
  });

  test.each(['of one user', 'of two who become one'])(
    'the days of a trial count in no other, and hide none of it: %s',
    async (whose) => {
      const { here, there } = await inStep();
      if (whose !== 'of one user') there.users.create(user());
      const userId = there.users.count();
      const theirs = { ...trial, userId, start: '2026-03-01' };
      here.of('trial').create({ ...trial, seed: 1, start: '2026-03-01' });
      there.of('trial').create({ ...theirs, seed: 2, exerciseName: 'Bird Dog' });
      here.of('trialDay').create({ ...day, date: '2026-03-02', first: 9 });
      for (const date of ['2026-03-01', '2026-03-02', '2026-03-03'])
        there.of('trialDay').create({ ...day, userId, date, first: 3 });
      await settle(there, here);
      if (userId !== 1) {
        (await there.replication()).mergeUsers(userId, 1);
        await settle(there, here);
      }
      for (const store of [here, there]) {
        const recorded = store
          .of('trial')
          .list({ sort: 'seed' })
          .map((one) => [one.state, trialStatus(store, one, '2026-03-04').recorded]);
        const expected = [1, 3].map((count, i) => [recorded[i]?.[0], count]);
        expect(recorded.map(([state]) => state).sort()).toEqual(['given-up', 'running']);
        expect(recorded).toEqual(expected);
      }
    },
  );

  test('of two days of one date one shows, both are told, and the other shows when it is gone', async () => {
    const { here, there } = await inStep();
    here.of('trialDay').create(day);
    there.of('trialDay').create({ ...day, first: 8 });
    const { disputes } = await run(here, there);
    expect(disputes).toMatchObject([
      { record: 'trialDay', isOfTwo: true, fields: [{ field: 'first', here: 6, there: 8 }] },
    ]);
    await settle(there, here);
    const [shown = 0] = days(here);
    expect([days(here), days(there)]).toEqual([[shown], [shown]]);
    there.of('trialDay').delete(there.of('trialDay').list()[0]?.id ?? 0);
    await settle(there, here);
    expect([days(here), days(there)]).toEqual([[14 - shown], [14 - shown]]);
  });

  test('of two days of one date the one that waits is not taken for a day that is recorded after it', async () => {
    const { here, there } = await inStep();
    here.of('trialDay').create(day);
    there.of('trialDay').create({ ...day, first: 8 });
    await settle(there, here);
    const [shown = 0] = days(here);
    for (const [i, store] of [here, there].entries())
      store.of('trialDay').create({ ...day, date: `2026-03-0${5 + i}`, first: 2 + i });
    await settle(there, here);
    expect(days(here).sort()).toEqual([2, 3, shown].sort());
    for (const { id } of there.of('trialDay').list({})) there.of('trialDay').delete(id);
    await settle(there, here);
    expect([days(here), days(there)]).toEqual([[14 - shown], [14 - shown]]);
  });

  test('of three machines at once: all end with the same', async () => {
    const { now, here, there } = await inStep();
    const third = machine(now);
    await run(third, there);
    for (const [i, store] of [here, there, third].entries()) {
      store.of('trial').create({ ...trial, start: `2026-03-0${3 - i}`, seed: i });
      store.of('trialDay').create({ ...day, first: 2 + i });
    }
    await settle(there, here, third);
    expect(states(third).filter(([, state]) => state === 'running')).toEqual([['2026-03-01', 'running']]);
    expect([states(here).sort(), states(there).sort()]).toEqual([states(third).sort(), states(third).sort()]);
    // Each is of a trial of its own.
    expect([here, there, third].map((store) => days(store).sort())).toEqual(Array(3).fill([2, 3, 4]));
  });
});

test('what was recorded on two machines on the same days stands in the order in which it was recorded, on both', async () => {
  const { here, there } = await inStep();
  const date = (n: number) => `2026-01-${10 + n}`;
  for (let n = 0; n < 12; n++) {
    here.logs.create(log({ date: date(n), exerciseName: 'Morning', painBefore: 8, painAfter: 6 }));
    here.of('painEntry').create({ userId: 1, date: `2026-02-${10 + n}`, pain: 8 });
    there.of('painEntry').create({ userId: 1, date: `2026-02-${10 + n}`, pain: 3 });
    there.logs.create(log({ date: date(n), exerciseName: 'Evening', painBefore: 5, painAfter: 4 }));
  }
  await settle(there, here);
  // Changed there, what came from here was recorded no later.
  const [changed] = there.logs.list({ exerciseName: 'Morning' });
  there.logs.update(changed?.id ?? 0, { notes: 'changed' });
  await settle(there, here);
  const today = '2026-03-01';
  const [ours, theirs] = await Promise.all([here, there].map((store) => summaryOf(store, 1, {}, today)));
  expect(ours).toEqual(theirs);
  for (const store of [here, there]) {
    expect(store.logs.latest({ userId: 1, until: date(5) })).toMatchObject({
      date: date(5),
      exerciseName: 'Evening',
    });
    const days = painDaysOf(store, 1, { since: date(0), until: today });
    expect(new Set(days.map(({ first }) => first))).toEqual(new Set([8]));
    const { logs, entries } = reportOf(store, 1, { since: date(0) }, today);
    expect(logs.map(({ exerciseName }) => exerciseName)).toEqual(
      Array.from({ length: 24 }, (_, i) => (i % 2 ? 'Evening' : 'Morning')),
    );
    expect(entries.map(({ pain }) => pain)).toEqual(Array.from({ length: 24 }, (_, i) => (i % 2 ? 3 : 8)));
    for (const one of logs) expect(store.logs.position(one)).toBe(one.exerciseName === 'Morning' ? 1 : 2);
    const lines = [...store.logs.csvLines({ since: date(0) }, false)].map(({ text }) => text).join('');
    expect(lines.match(/Morning.*,1\r/g)).toHaveLength(12);
    expect(lines.match(/Evening.*,2\r/g)).toHaveLength(12);
  }
});

describe('a name that routines of two machines have', () => {
  const named = (store: Store) =>
    store.routines
      .list()
      .map(({ name }) => name)
      .sort();

  async function met() {
    const world = await inStep();
    for (const [i, store] of [world.here, world.there].entries())
      store.routines.create({
        userId: 1,
        name: 'Morning',
        exercises: [{ exerciseName: `of ${i}`, exerciseType: 'stretch' }],
      });
    await settle(world.there, world.here);
    return world;
  }

  test('is numbered for one of them, which shows without the number when the other is gone', async () => {
    const { here, there } = await met();
    expect([named(here), named(there)]).toEqual([
      ['Morning', 'Morning (2)'],
      ['Morning', 'Morning (2)'],
    ]);
    there.routines.delete(there.routines.list().find(({ name }) => name === 'Morning')?.id ?? 0);
    await settle(there, here);
    expect([named(here), named(there)]).toEqual([['Morning'], ['Morning']]);
  });

  test('goes into a file without the number', async () => {
    const { now, here } = await met();
    const third = machine(now);
    imported(third, exported(here));
    expect(named(third)).toEqual(['Morning', 'Morning (2)']);
    here.routines.delete(here.routines.list().find(({ name }) => name === 'Morning')?.id ?? 0);
    imported(third, exported(here));
    expect(named(third)).toEqual(['Morning']);
  });
});
