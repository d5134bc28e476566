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

/** A machine whose records are on the server already, and a way there that counts the requests that carry records. */
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
    if (isCarrying(request.body)) writes++;
    return plain(request);
  };
  const run = (options = {}) => syncWith(here, transport, options);
  await run();
  return { here, there, transport, run, now, writes: () => writes };
}

/** Whether a request has more than the first and the last line of a parcel. */
const isCarrying = (body = '{}') =>
  ((JSON.parse(body) as { parcel?: string }).parcel ?? '').split('\n').length > 3;

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

test('many logs are taken over at once, as they are, and can be taken back; the tables are as before', async () => {
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
  here.remotes.add({ name: 'home', url: 'http://localhost:3000/', pin: null, ourUser: null });
  const { pulled } = await syncWith(here, transportTo(there));
  expect(pulled.log).toEqual({ created: 10_500, changed: 0, deleted: 0 });
  expect(here.logs.list()).toEqual(there.logs.list());
  expect(schema()).toEqual(before);
  const states = (store: typeof here) =>
    store.history.list().map(({ record, id, after }) => [record, id, after]);
  expect(states(here)).toEqual(states(there));
  expect(total((await syncWith(here, transportTo(there))).pulled)).toBe(0);
  (await here.replication()).forget('home');
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

test('what came before the connection broke is kept, and the next sync goes on from there', async () => {
  const now = ticking();
  const [here, there] = [machine(now), machine(now)];
  there.users.create(user());
  there.change(() => {
    for (let i = 0; i < 3000; i++) there.logs.create(log());
  });
  const transport = transportTo(there);
  let parts = 0;
  const breaking: Transport = async (request) => {
    if (request.path === '/exchange' && ++parts > 1) throw new Unanswered('broken');
    return transport(request);
  };
  await expect(syncWith(here, breaking)).rejects.toThrow('broken');
  const kept = here.logs.count();
  expect(kept).toBeGreaterThan(2000);
  const { pulled } = await syncWith(here, transport);
  expect([kept + pulled.log.created, here.logs.count()]).toEqual([3000, 3000]);
});

test('an id far above all others is not taken over: there would soon be none left', async () => {
  const now = ticking();
  const [here, there] = [machine(now), machine(now)];
  there.users.create(user());
  for (const id of [1_000_000, 2_000_001]) there.logs.restore({ id, ...log({ notes: `log ${id}` }) });
  await syncWith(here, transportTo(there));
  expect(here.logs.list().map(({ id, notes }) => [id, notes])).toEqual([
    [1_000_000, 'log 1000000'],
    [1_000_001, 'log 2000001'],
  ]);
});

test('what each side did since goes to the other', async () => {
  const { here, there, run } = await together();
  here.logs.update(1, { painAfter: 1 });
  here.logs.delete(2);
  here.logs.create(log({ notes: 'new here' }));
  there.logs.update(3, { painAfter: 2 });
  there.logs.create(log({ notes: 'new there' }));
  there.goals.update(1, { userId: 1, sessionsPerWeek: 5 });
  there.routines.delete(1);
  const result = await run();
  expect(isSettled(result)).toBe(true);
  expect(contents(here)).toEqual(contents(there));
  expect(contents(here).logs).toHaveLength(4);
  expect(here.goals.list()[0]?.sessionsPerWeek).toBe(5);
  expect(here.routines.list()).toEqual([]);
});

test('two routines of one name are both shown, one with a number, and the number is never sent', async () => {
  const { here, there, run } = await together();
  const [first, second] = [
    here.routines.create({
      ...routine(1, 'evening'),
      exercises: [{ exerciseName: 'Clamshell', exerciseType: 'strengthening' }],
    }),
    there.routines.create(routine(1, 'evening')),
  ];
  expect([first.id, second.id]).toEqual([2, 2]);
  expect(isSettled(await run())).toBe(true);
  const names = (store: typeof here) =>
    store.routines
      .list()
      .map(({ name }) => name)
      .sort();
  expect([names(here), names(there)]).toEqual([
    ['evening', 'evening (2)', 'morning'],
    ['evening', 'evening (2)', 'morning'],
  ]);
  expect(contents(here)).toEqual(contents(there));
  const [one] = here.routines.list().filter(({ name }) => name === 'evening');
  here.routines.delete(one?.id ?? 0);
  for (let i = 0; i < 2; i++) await run();
  expect([names(here), names(there)]).toEqual([
    ['evening', 'morning'],
    ['evening', 'morning'],
  ]);
});

test('what was changed here after it was deleted there goes, and a restore brings it back with the change', async () => {
  const { here, there, run } = await together();
  there.logs.delete(1);
  here.logs.update(1, { painAfter: 1 });
  await run();
  expect([here.logs.has(1), there.logs.has(1)]).toEqual([false, false]);
  there.restore({ record: 'log', id: 1 });
  await run();
  expect(contents(here)).toEqual(contents(there));
  expect(here.logs.get(1).painAfter).toBe(1);
});

test('dry-run tells all and writes nothing', async () => {
  const { here, there, run, writes } = await together();
  here.logs.create(log({ notes: 'new here' }));
  here.logs.delete(1);
  there.logs.create(log({ notes: 'new there' }));
  const [before, ours, theirs] = [writes(), contents(here), contents(there)];
  const seqs = [here.history.last(), there.history.last()];
  const result = await run({ dryRun: true });
  // Only the other side knows what it makes of what it is sent.
  expect([total(result.pulled), total(result.pushed)]).toEqual([1, 2]);
  expect([writes(), contents(here), contents(there)]).toEqual([before, ours, theirs]);
  expect([here.history.last(), there.history.last()]).toEqual(seqs);
  const real = await run();
  expect([real.pulled, real.pushed.log]).toEqual([result.pulled, { created: 1, changed: 0, deleted: 1 }]);
});

test('dry-run names no change that would only be made', async () => {
  const { here, there, run } = await together();
  here.logs.update(1, { notes: 'here' });
  there.logs.update(1, { notes: 'there' });
  const { disputes } = await run({ dryRun: true });
  expect(disputes.map(({ counts, change }) => [counts, change])).toEqual([['there', undefined]]);
  expect((await run()).disputes[0]?.change).toBe(here.latestChange);
});

test('a user who was deleted here and changed there shows the change once brought back', async () => {
  const { here, there, run } = await together();
  here.users.delete(1);
  there.users.update(1, { age: 31 });
  await run();
  here.undo(here.history.nextUndo() ?? 0);
  await run();
  expect([here.users.get(1).age, there.users.get(1).age]).toEqual([31, 31]);
  expect(isSettled(await run())).toBe(true);
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
    if (here.goals.list()[0]) here.goals.update(1, { userId: 1, sessionsPerWeek: 4 });
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

test('records that are the same in every field, made on both sides, are two', async () => {
  const now = ticking();
  const [here, there] = [machine(now), machine(now)];
  for (const store of [here, there]) store.users.create(user());
  for (const notes of ['same', 'other']) here.logs.create(log({ notes }));
  for (const notes of ['same', 'new']) there.logs.create(log({ notes }));
  const { pulled, pushed } = await syncWith(here, transportTo(there), { as: 1 });
  expect([pulled.log.created, pushed.log.created]).toEqual([2, 2]);
  expect(contents(there)).toEqual(contents(here));
  expect(there.users.count()).toBe(1);
});

test('two diaries stay apart, and with --as are one', async () => {
  const now = ticking();
  const [here, there] = [machine(now), machine(now)];
  here.users.create(user({ email: 'other@example.org', firstName: 'Ole' }));
  here.users.create(user());
  here.logs.create(log({ userId: 1, notes: 'of Ole' }));
  here.logs.create(log({ userId: 2, notes: 'here' }));
  there.users.create(user({ painLevel: 2 }));
  there.logs.create(log({ notes: 'there' }));
  await expect(syncWith(here, transportTo(there), { as: 3 })).rejects.toMatchObject({ code: 'not-found' });
  const dry = await syncWith(here, transportTo(there), { as: 2, dryRun: true });
  expect([dry.pulled.log.created, here.logs.count()]).toEqual([1, 2]);
  const { sameEmails } = await syncWith(here, transportTo(there), { as: 2 });
  expect(sameEmails).toEqual([]);
  for (const store of [here, there]) {
    const nora = store.users.list().find(({ email }) => email === 'nora@example.org');
    expect([store.users.count(), nora?.painLevel]).toEqual([2, 2]);
    expect(
      store.logs
        .list({ userId: nora?.id ?? 0 })
        .map(({ notes }) => notes)
        .sort(),
    ).toEqual(['here', 'there']);
  }
  there.users.create(user({ email: 'third@example.org' }));
  await syncWith(here, transportTo(there));
  expect([here.users.count(), contents(here)]).toEqual([3, contents(there)]);
});

test.each([
  [429, '1', 5],
  [503, '60', 5],
  [503, '61', 1],
  [503, 'later', 1],
  [500, '1', 1],
])(
  'a service that answers %d, and to come again in %s seconds, is asked so often: %d',
  async (status, after, most) => {
    let asked = 0;
    const transport: Transport = async () => {
      asked++;
      return { status, headers: { 'retry-after': after }, text: '{}' };
    };
    await expect(syncWith(machine(ticking()), transport)).rejects.toMatchObject({
      message: `The service refuses for now (${status}): status ${status}`,
    });
    expect(asked).toBe(most);
  },
);

test('a server that knows nothing of sciatica is said to be unusable, with what it answers', async () => {
  const transport: Transport = async () => ({ status: 404, headers: {}, text: '{"detail":"Nothing here"}' });
  await expect(syncWith(machine(ticking()), transport)).rejects.toMatchObject({
    code: 'unusable',
    message: 'The service refuses (404): Nothing here',
  });
});
