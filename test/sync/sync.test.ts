import { expect, test } from 'vitest';
import { isSettled, total } from '../../src/sync/result.ts';
import { type Transport, Unanswered } from '../../src/sync/transport.ts';
import { dbOf, log, user } from '../store/helpers.ts';
import { contents, machine, syncWith, ticking, transportTo } from './helpers.ts';

const routine = (userId: number, name = 'morning') => ({
  userId,
  name,
  exercises: [{ exerciseName: 'Bird Dog', exerciseType: 'strengthening' as const }],
});

/** A machine whose records are on the server already, and a way there that counts the writing requests. */
async function together() {
  const now = ticking();
  const [here, there] = [machine(now), machine(now)];
  here.users.create(user());
  for (const notes of ['one', 'two', 'three']) here.logs.create(log({ notes }));
  here.routines.create(routine(1));
  here.goals.create({ userId: 1, sessionsPerWeek: 3 });
  const plain = transportTo(there);
  let writes = 0;
  const transport: Transport = (request) => {
    if (!['GET', 'HEAD'].includes(request.method)) writes++;
    return plain(request);
  };
  const run = (options = {}) => syncWith(here, transport, options);
  await run();
  return { here, there, transport, run, now, writes: () => writes };
}

test('a first sync carries everything over, and the second does nothing', async () => {
  const { here, there, run, writes } = await together();
  expect(contents(there)).toEqual(contents(here));
  expect(contents(there).logs).toHaveLength(3);
  const [before, seq] = [writes(), here.history.last()];
  const again = await run();
  expect([total(again.pulled), total(again.pushed), isSettled(again)]).toEqual([0, 0, true]);
  expect([writes(), here.history.last()]).toEqual([before, seq]);
});

test('an empty diary takes the ids over there, in one change that names the remote', async () => {
  const { there, now } = await together();
  there.logs.delete(2);
  const empty = machine(now);
  await syncWith(empty, transportTo(there));
  expect(empty.logs.list()).toEqual(there.logs.list());
  expect(new Set(empty.history.list().map(({ change }) => change)).size).toBe(1);
  expect(empty.history.list()[0]).toMatchObject({ source: 'sync', caller: 'home' });
});

test('many logs are taken over at once: as they are, in one change that can be undone, and the tables are as before', async () => {
  const now = ticking();
  const [here, there] = [machine(now), machine(now)];
  there.users.create(user());
  const notes = ['', '"quoted" \\ and \n broken', 'é 🦴 \u2028', '</script>', '1', 'null'];
  there.change(() => {
    for (let i = 0; i < 10_500; i++)
      there.logs.create(log({ notes: notes[i % notes.length] ?? '', effective: i % 2 === 0 }));
  });
  const schema = () => dbOf(here).all('SELECT type, name, sql FROM sqlite_schema ORDER BY type, name');
  const before = schema();
  const { change, pulled } = await syncWith(here, transportTo(there));
  expect(pulled.log).toEqual({ created: 10_500, changed: 0, deleted: 0 });
  expect(here.logs.list()).toEqual(there.logs.list());
  expect(schema()).toEqual(before);
  const states = (store: typeof here) =>
    store.history.list().map(({ record, id, after }) => [record, id, after]);
  expect(states(here)).toEqual(states(there));
  expect(total((await syncWith(here, transportTo(there))).pulled)).toBe(0);
  here.undo(change ?? 0);
  expect([here.users.count(), here.logs.count()]).toEqual([0, 0]);
});

test('logs keep the ids of over there that are free, as long as they are', async () => {
  const now = ticking();
  const [here, there] = [machine(now), machine(now)];
  for (const store of [here, there]) {
    store.users.create(user());
    for (let i = 1; i <= 5; i++) store.logs.create(log({ notes: `log ${i}` }));
  }
  here.users.delete(1);
  for (const id of [1, 2, 3]) there.logs.delete(id);
  there.logs.restore({ id: 9, ...log({ notes: 'log 9' }) });
  await syncWith(here, transportTo(there));
  expect(here.logs.list().map(({ id, notes }) => [id, notes])).toEqual([
    [6, 'log 4'],
    [7, 'log 5'],
    [9, 'log 9'],
  ]);
});

test('what each side did since goes to the other', async () => {
  const { here, there, run } = await together();
  here.logs.update(1, { painAfter: 1 });
  here.logs.delete(2);
  here.logs.create(log({ notes: 'new here' }));
  there.logs.update(3, { painAfter: 2 });
  there.logs.create(log({ notes: 'new there' }));
  there.goals.replace(1, { userId: 1, sessionsPerWeek: 5 });
  there.routines.delete(1);
  const result = await run();
  expect(isSettled(result)).toBe(true);
  expect(contents(here)).toEqual(contents(there));
  expect(contents(here).logs).toHaveLength(4);
  expect(here.goals.list()[0]?.sessionsPerWeek).toBe(5);
  expect(here.routines.list()).toEqual([]);
});

test('what both changed is listed field by field and left, until newest decides; undo brings the other back', async () => {
  const { here, there, run, writes } = await together();
  here.logs.update(1, { painAfter: 1 });
  there.logs.update(1, { painAfter: 2 });
  const before = writes();
  for (let i = 0; i < 2; i++) {
    const { conflicts } = await run();
    expect(conflicts).toEqual([
      {
        kind: 'changed',
        record: 'log',
        id: 1,
        theirId: 1,
        fields: [{ field: 'painAfter', here: 1, there: 2 }],
      },
    ]);
  }
  expect([writes(), here.logs.get(1).painAfter, there.logs.get(1).painAfter]).toEqual([before, 1, 2]);
  const decided = await run({ onConflict: 'newest' });
  expect([here.logs.get(1).painAfter, there.logs.get(1).painAfter]).toEqual([2, 2]);
  here.undo(decided.change ?? 0);
  await run();
  expect([here.logs.get(1).painAfter, there.logs.get(1).painAfter]).toEqual([1, 1]);
});

test('two routines of one name that differ are a conflict, which sends nothing', async () => {
  const { here, there, run, writes } = await together();
  here.routines.create({
    ...routine(1, 'evening'),
    exercises: [{ exerciseName: 'Clamshell', exerciseType: 'strengthening' }],
  });
  there.routines.create(routine(1, 'evening'));
  const before = writes();
  for (let i = 0; i < 2; i++)
    expect((await run()).conflicts).toMatchObject([{ kind: 'changed', record: 'routine', theirId: 2 }]);
  expect(writes()).toBe(before);
});

test('newest keeps what was changed here after it was deleted there', async () => {
  const { here, there, run } = await together();
  there.logs.delete(1);
  here.logs.update(1, { painAfter: 1 });
  expect((await run()).conflicts).toMatchObject([{ kind: 'deleted there', id: 1 }]);
  await run({ onConflict: 'newest' });
  expect(contents(here)).toEqual(contents(there));
  expect(here.logs.get(1).painAfter).toBe(1);
});

test('dry-run tells all and writes nothing', async () => {
  const { here, there, run, writes } = await together();
  here.logs.create(log({ notes: 'new here' }));
  here.logs.delete(1);
  there.logs.create(log({ notes: 'new there' }));
  const [before, ours, theirs] = [writes(), contents(here), contents(there)];
  const result = await run({ dryRun: true });
  expect([total(result.pulled), result.pushed.log]).toEqual([1, { created: 1, changed: 0, deleted: 1 }]);
  expect([writes(), contents(here), contents(there)]).toEqual([before, ours, theirs]);
  const real = await run();
  expect([real.pulled, real.pushed]).toEqual([result.pulled, result.pushed]);
});

test('a request whose answer is lost is not done twice', async () => {
  const now = ticking();
  const [here, there] = [machine(now), machine(now)];
  here.users.create(user());
  here.logs.create(log());
  const plain = transportTo(there);
  let calls = 0;
  const lossy: Transport = async (request) => {
    const answer = await plain(request);
    if (++calls % 3 === 0) throw new Unanswered('lost');
    return answer;
  };
  await syncWith(here, lossy);
  expect(contents(there)).toEqual(contents(here));
});

test('a sync that is killed between any two requests is gone on with', async () => {
  for (let kill = 1; kill < 40; kill++) {
    const now = ticking();
    const [here, there] = [machine(now), machine(now)];
    const plain = transportTo(there);
    here.users.create(user());
    for (const notes of ['a', 'b']) here.logs.create(log({ notes }));
    await syncWith(here, plain);
    here.logs.update(1, { notes: 'A' });
    here.logs.delete(2);
    here.logs.create(log({ notes: 'c' }));
    here.goals.create({ userId: 1, sessionsPerWeek: 2 });
    here.routines.create(routine(1));
    let calls = 0;
    const killed = new Error('killed');
    const isBefore = kill % 2 === 0;
    const deadly: Transport = async (request) => {
      const isLast = ++calls === Math.ceil(kill / 2);
      if (isLast && isBefore) throw killed;
      const answer = await plain(request);
      if (isLast) throw killed;
      return answer;
    };
    const dead = await syncWith(here, deadly).then(
      () => false,
      (error: unknown) => {
        if (error !== killed) throw error;
        return true;
      },
    );
    // Meanwhile life goes on.
    here.logs.update(1, { notes: 'A!' });
    if (here.goals.list()[0]) here.goals.replace(1, { userId: 1, sessionsPerWeek: 4 });
    const result = await syncWith(here, plain);
    expect([kill, isSettled(result), contents(there)]).toEqual([kill, true, contents(here)]);
    expect(contents(there).logs).toHaveLength(2);
    if (!dead) return;
  }
  throw new Error('it never came to the end');
});

test('two databases of one identity are refused', async () => {
  const { here } = await together();
  await expect(syncWith(here, transportTo(here))).rejects.toThrow(/identity new/);
});

test('of records that are the same in every field, each is taken for one, once', async () => {
  const now = ticking();
  const [here, there] = [machine(now), machine(now)];
  for (const store of [here, there]) store.users.create(user());
  for (const notes of ['same', 'same', 'same', 'other']) here.logs.create(log({ notes }));
  for (const notes of ['same', 'new', 'same']) there.logs.create(log({ notes }));
  const { pulled, pushed } = await syncWith(here, transportTo(there), { as: 1 });
  expect([pulled.log.created, pushed.log.created]).toEqual([1, 2]);
  expect(contents(there)).toEqual(contents(here));
  expect(there.logs.list().map(({ notes }) => notes)).toEqual(['same', 'new', 'same', 'same', 'other']);
});

test('two diaries are not mixed without --as', async () => {
  const now = ticking();
  const [here, there] = [machine(now), machine(now)];
  here.users.create(user({ email: 'other@example.org', firstName: 'Ole' }));
  here.users.create(user());
  here.logs.create(log({ userId: 1, notes: 'of Ole' }));
  here.logs.create(log({ userId: 2, notes: 'here' }));
  there.users.create(user({ painLevel: 2 }));
  there.logs.create(log({ notes: 'there' }));
  await expect(syncWith(here, transportTo(there))).rejects.toMatchObject({ code: 'invalid' });
  await expect(syncWith(here, transportTo(there), { as: 3 })).rejects.toMatchObject({ code: 'not-found' });
  const dry = await syncWith(here, transportTo(there), { as: 2, dryRun: true });
  expect([dry.conflictCount, here.logs.count()]).toEqual([1, 2]);
  const { conflicts } = await syncWith(here, transportTo(there), { as: 2 });
  expect(conflicts).toMatchObject([{ kind: 'changed', record: 'user', id: 2, theirId: 1 }]);
  expect(there.logs.list().map(({ notes }) => notes)).toEqual(['there', 'here']);
  expect(here.logs.list({ userId: 2 }).map(({ notes }) => notes)).toEqual(['here', 'there']);
  await expect(syncWith(here, transportTo(there), { as: 1 })).rejects.toThrow(/for user 2 already/);
  there.users.create(user({ email: 'third@example.org' }));
  await syncWith(here, transportTo(there), { onConflict: 'newest' });
  expect([here.users.count(), here.users.get(2).painLevel]).toEqual([2, 2]);
});
