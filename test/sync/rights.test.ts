import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Role } from '../../src/domain/access.ts';
import type { Store } from '../../src/store/store.ts';
import { isSettled, total } from '../../src/sync/result.ts';
import { dbOf, log, user } from '../store/helpers.ts';
import { contents, copyOf, machine, setBack, syncWith, ticking, transportTo } from './helpers.ts';

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
  const run = (secret: string, options = {}) => syncWith(here, transport, options, { token: secret, now });
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

test.each(['restore', 'undo'] as const)(
  "what went to another is shown to its patient no more once the patient's %s was refused",
  async (how) => {
    for (const isDeleted of [false, true]) {
      const { there, here, token, run } = practice();
      const patient = token('patient', [2]);
      await run(patient);
      there.logs.update(2, { userId: 1 });
      const { changes } = await run(patient);
      if (isDeleted) there.logs.delete(2);
      if (isDeleted) await run(patient);
      if (how === 'restore') here.restore({ record: 'log', id: 2 });
      else here.undo(changes[0] ?? 0);
      here.logs.update(2, { notes: 'said of what is not his' });
      const { refused } = await run(patient);
      expect([refused, notes(here)]).toEqual([1, []]);
      expect(isSettled(await run(patient))).toBe(true);
      if (isDeleted) there.undo(there.history.nextUndo() ?? 0);
      expect(there.logs.get(2).notes).toBe('of ole@example.org');
      there.logs.update(2, { userId: 2, notes: 'his again' });
      await run(patient);
      expect(notes(here)).toEqual(['his again']);
    }
  },
);

test('a provider only reads, and says so', async () => {
  const { there, here, token, run } = practice();
  const provider = token('provider', null);
  await run(provider);
  here.logs.create(log({ userId: 1, notes: 'new' }));
  here.logs.update(1, { notes: 'changed' });
  here.goals.delete(1);
  there.logs.create(log({ userId: 2, notes: 'made there' }));
  const { isReadOnly, pushed, pulled } = await run(provider);
  expect([isReadOnly, total(pushed), pulled.log.created]).toEqual([true, 0, 1]);
  expect(notes(there)).toEqual(['of nora@example.org', 'of ole@example.org', 'made there']);
  // What is here only goes over once a token may write.
  await run(token('admin', null));
  expect(contents(there)).toEqual(contents(here));
  expect(notes(there)).toContain('new');
});

test('a machine that only reads is not taken for one that was set back', async () => {
  const { there, here, token, run } = practice();
  const provider = token('provider', null);
  const { id } = here;
  for (const notes of ['first', 'second', 'third']) {
    there.logs.create(log({ userId: 2, notes }));
    expect((await run(provider)).setBack).toBe(null);
  }
  expect(here.id).toBe(id);
});

test('what a patient may not delete or restore is counted and left', async () => {
  const { there, here, token, run } = practice();
  const patient = token('patient', [2]);
  await run(patient);
  here.users.delete(2);
  const { refused } = await run(patient);
  expect([refused, there.users.has(2), notes(there)]).toEqual([
    1,
    true,
    ['of nora@example.org', 'of ole@example.org'],
  ]);
  here.undo(here.history.nextUndo() ?? 0);
  await run(patient);
  there.users.delete(2);
  here.logs.update(2, { notes: 'changed' });
  await run(patient);
  expect(there.users.has(2)).toBe(false);
});

test("a patient's token is told what waits there of that patient only, and that who was erased here is there", async () => {
  const { there, here, token, run } = practice();
  there.change(() => {
    for (let i = 0; i < 30; i++) there.logs.create(log({ userId: 2, notes: `log ${i}` }));
  });
  const [admin, ole, nora] = [token('admin', null), token('patient', [2]), token('patient', [1])];
  await run(admin);
  here.change(() => {
    for (const { id } of here.logs.list({ userId: 2 })) here.logs.delete(id);
  });
  await run(ole);
  const held = async (secret: string) => (await run(secret)).waitingThere.held;
  expect([await held(admin), await held(ole), await held(nora)]).toEqual([31, 31, 0]);
  here.erase(2);
  for (let i = 0; i < 2; i++) {
    const { waitingThere, ...result } = await run(ole);
    expect([waitingThere.erased, isSettled({ waitingThere, ...result })]).toEqual([1, false]);
  }
  const waiting = async (secret: string) => (await run(secret)).waitingThere.erased;
  expect([await waiting(admin), await waiting(ole), await waiting(nora)]).toEqual([1, 1, 0]);
});

test('a token that covers fewer users deletes nothing, and one that covers more brings the others', async () => {
  const { there, here, token, run } = practice();
  await run(token('admin', null));
  there.logs.create(log({ userId: 1, notes: 'later' }));
  const narrow = await run(token('patient', [2]));
  expect([isSettled(narrow), notes(here).length]).toEqual([true, 2]);
  here.logs.update(1, { notes: 'changed here' });
  expect(total((await run(token('patient', [2]))).pushed)).toBe(0);
  const wide = await run(token('admin', null));
  expect(isSettled(wide)).toBe(true);
  expect(contents(here)).toEqual(contents(there));
  expect(notes(here)).toContain('later');
});

test('a patient who is not here yet is taken in beside others', async () => {
  const { here, there, token, run } = practice();
  const other = here.users.create(user({ email: 'other@example.org' }));
  here.logs.create(log({ userId: other.id, notes: 'of the other' }));
  for (let i = 0; i < 2; i++) expect(isSettled(await run(token('patient', [2])))).toBe(true);
  expect([here.users.count(), notes(here)]).toEqual([2, ['of the other', 'of ole@example.org']]);
  expect([there.users.count(), notes(there).length]).toEqual([2, 2]);
});

test('who is here already is said with a token for that one only', async () => {
  const { here, there, token, run } = practice();
  const own = here.users.create(user({ email: 'ole@example.org' }));
  here.logs.create(log({ userId: own.id, notes: 'recorded here' }));
  await expect(run(token('admin', null), { as: 1 })).rejects.toThrow(/several users/);
  await run(token('patient', [2]), { as: 1 });
  expect([here.users.count(), notes(here)]).toEqual([1, ['recorded here', 'of ole@example.org']]);
  expect([there.users.count(), there.logs.count({ userId: 2 })]).toEqual([2, 2]);
});

test('who was erased over there is told so, and keeps what is here', async () => {
  const { here, there, token, run } = practice();
  const patient = token('patient', [2]);
  await run(patient);
  here.logs.create(log({ userId: 2, notes: 'not sent yet' }));
  there.erase(2);
  await expect(run(patient)).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('was erased over there'),
  });
  expect(notes(here)).toEqual(['of ole@example.org', 'not sent yet']);
});

test('a service that was set back gets what it lost of a patient from that patient', async () => {
  const { here, there, token, run } = practice();
  const patient = token('patient', [2]);
  await run(patient);
  const copy = copyOf(there);
  here.logs.create(log({ userId: 2, notes: 'lost there' }));
  await run(patient);
  there.logs.update(2, { notes: 'made there since' });
  await run(patient);
  const back = setBack(there, copy, ticking());
  const { setBack: which } = await syncWith(here, transportTo(back, { auth: true }), {}, { token: patient });
  expect([which, notes(back)]).toEqual(['there', ['of nora@example.org', 'made there since', 'lost there']]);
});

test('a service that was set back to before a log was given away shows it to the patient again', async () => {
  const { here, there, token, run } = practice();
  const patient = token('patient', [2]);
  await run(patient);
  const copy = copyOf(there);
  there.logs.update(2, { userId: 1 });
  await run(patient);
  expect(notes(here)).toEqual([]);
  const back = setBack(there, copy, ticking());
  await syncWith(here, transportTo(back, { auth: true }), {}, { token: patient });
  expect([notes(here), back.logs.get(2).userId]).toEqual([['of ole@example.org'], 2]);
});

test('a token that was taken back ends the sync with a reason', async () => {
  const { there, token, run } = practice();
  const secret = token('admin', null);
  there.tokens.revoke('t1');
  await expect(run(secret)).rejects.toThrow(/does not know the token/);
});

describe('a user whom a patient deleted here, and whom the service has still', () => {
  test('is told of by each sync until the user is deleted there too', async () => {
    const { there, here, token, run } = practice();
    const patient = token('patient', [2]);
    await run(patient);
    const replication = await here.replication();
    const stillThere = () =>
      here.remotes.deleted(replication.peer(there.id).view, replication.peer(there.id).at);
    here.users.delete(2);
    for (let i = 0; i < 3; i++) {
      const result = await run(patient);
      expect([result.stillThere, isSettled(result), stillThere()]).toEqual([[2], false, [2]]);
    }
    there.users.delete(2);
    for (let i = 0; i < 2; i++) {
      const result = await run(patient);
      expect([result.stillThere, isSettled(result), stillThere()]).toEqual([[], true, []]);
    }
  });

  test('is in step again once the user is back here, and takes changes again', async () => {
    const { there, here, token, run } = practice();
    const patient = token('patient', [2]);
    await run(patient);
    here.users.delete(2);
    await run(patient);
    here.undo(here.history.nextUndo() ?? 0);
    here.users.update(2, { age: 70 });
    const result = await run(patient);
    expect([result.stillThere, isSettled(result), there.users.get(2).age]).toEqual([[], true, 70]);
    expect(contents(there, ['nora@example.org'])).toEqual(contents(here));
  });
});

test('what leaves the view between two parts of a first sync is not shown', async () => {
  const { here, there, token } = practice();
  there.change(() => {
    for (let i = 0; i < 2600; i++) there.logs.create(log({ userId: 2 }));
  });
  const plain = transportTo(there, { auth: true });
  let asked = 0;
  await syncWith(
    here,
    async (request) => {
      if (++asked === 3) there.logs.update(2, { userId: 1 });
      return plain(request);
    },
    {},
    { token: token('patient', [2]) },
  );
  expect([here.logs.count(), notes(here).includes('of ole@example.org')]).toEqual([2600, false]);
});

test('what a patient changes of the user is taken, though the user was deleted and restored meanwhile', async () => {
  const { here, there, token, run } = practice();
  const patient = token('patient', [2]);
  await run(patient);
  here.users.update(2, { painLevel: 3 });
  const plain = transportTo(there, { auth: true });
  let asked = 0;
  const { refused } = await syncWith(
    here,
    async (request) => {
      if (++asked === 3) {
        there.users.delete(2);
        there.undo(there.history.nextUndo() ?? 0);
      }
      return plain(request);
    },
    {},
    { token: patient },
  );
  expect([refused, there.users.get(2).painLevel]).toEqual([0, 3]);
});

test('what a patient who was merged into another still records is taken, and nothing of that one is told', async () => {
  const { here, there, token, run } = practice();
  const patient = token('patient', [2]);
  await run(patient);
  (await there.replication()).mergeUsers(2, 1, Date.now());
  here.logs.create(log({ userId: 2, notes: 'still recorded' }));
  const { refused } = await run(patient);
  there.logs.update(2, { notes: 'changed there' });
  there.logs.create(log({ userId: 1, notes: 'of the other' }));
  await run(patient);
  expect([refused, here.users.list().map(({ id }) => id)]).toEqual([0, [2]]);
  expect(notes(here)).toEqual(['changed there', 'still recorded']);
  const shown = there.logs.list({ userId: 1 }).map((one) => one.notes);
  expect(shown).toEqual(['of nora@example.org', 'changed there', 'still recorded', 'of the other']);
  // Nor into whom.
  expect(JSON.stringify(dbOf(here).all('SELECT * FROM replicas'))).not.toContain('into');
});

test('a patient into whom another was merged, and who was merged into that one later, is told nothing of that one', async () => {
  const { there, here, token, run } = practice();
  const patient = token('patient', [2]);
  const replication = await there.replication();
  replication.mergeUsers(1, 2, Date.UTC(2026, 2, 2, 13));
  replication.mergeUsers(2, 1, Date.UTC(2026, 2, 2, 14));
  expect(there.users.list().map(({ id }) => id)).toEqual([1]);
  await run(patient);
  expect(notes(here)).toEqual(['of ole@example.org']);
});

describe('where the patient over there is merged into a user here', () => {
  /** A laptop with a diary of its own, which has synced with the token of the patient over there. */
  async function laptop(prepare: (there: Store) => void | Promise<void> = () => {}) {
    const { there, here, token, run } = practice();
    await prepare(there);
    const patient = token('patient', [1]);
    const own = here.users.create(user({ email: 'nora@example.org', firstName: 'Laptop' })).id;
    here.logs.create(log({ userId: own, notes: 'made here' }));
    const first = await run(patient);
    const theirs = here.users.list().find(({ id }) => id !== own)?.id ?? 0;
    let hour = 12;
    const merge = async (id: number, into: number) =>
      (await here.replication()).mergeUsers(id, into, Date.UTC(2026, 2, 2, ++hour));
    return { there, here, own, theirs, first, merge, run: () => run(patient) };
  }

  test('what shows under the patient by a merge over there is deleted nowhere', async () => {
    const { there, here, own, theirs, merge, run } = await laptop(async (store) =>
      (await store.replication()).mergeUsers(2, 1, Date.UTC(2026, 2, 2, 12)),
    );
    await merge(theirs, own);
    const result = await run();
    expect([result.pushed.log.deleted, notes(there)]).toEqual([
      0,
      ['of nora@example.org', 'of ole@example.org'],
    ]);
    expect(notes(here).sort()).toEqual(['made here', 'of nora@example.org', 'of ole@example.org']);
  });

  test('the other way round goes there at once', async () => {
    const { there, own, theirs, merge, run } = await laptop();
    await merge(own, theirs);
    expect(isSettled(await run())).toBe(true);
    expect(notes(there)).toEqual(['of nora@example.org', 'of ole@example.org', 'made here']);
  });

  test('it is said that nothing recorded here goes there, and the merge that is proposed lets it', async () => {
    const { there, here, own, theirs, first, merge, run } = await laptop();
    expect(first.sameEmails).toEqual([{ id: theirs, other: own }]);
    await merge(theirs, own);
    const stays = await run();
    expect([stays.unsent, isSettled(stays)]).toEqual([[{ id: own, view: theirs }], false]);
    expect(here.remotes.list()[0]?.at ?? null).toBe(null);
    await merge(own, theirs);
    const goes = await run();
    expect([goes.unsent, isSettled(goes), goes.pushed.log.created]).toEqual([[], true, 1]);
    expect(notes(there)).toContain('made here');
  });
});

test('who was merged into a patient for a time, and is erased there, is erased here with consent', async () => {
  for (const isUndone of [false, true]) {
    const { there, here, token, run } = practice();
    const patient = token('patient', [2]);
    (await there.replication()).mergeUsers(1, 2, Date.UTC(2026, 2, 2, 13));
    const merge = there.latestChange ?? 0;
    await run(patient);
    expect(notes(here)).toEqual(['of nora@example.org', 'of ole@example.org']);
    if (isUndone) there.undo(merge);
    there.erase(1);
    const { erasedThere } = await run(patient);
    expect(erasedThere).toHaveLength(1);
    const { erased } = await run(patient, { acceptErase: true });
    expect([erased, notes(here)]).toEqual([erasedThere, ['of ole@example.org']]);
    expect(readFileSync(here.path).includes('nora@')).toBe(false);
    expect(here.users.create(user()).id).toBeGreaterThan(Math.max(2, ...erased.map(({ id }) => id)));
    expect(isSettled(await run(patient))).toBe(true);
  }
});
