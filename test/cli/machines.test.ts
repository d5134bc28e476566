import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { leftLines } from '../../src/cli/views/sync.ts';
import { trialFields } from '../../src/domain/trial.ts';
import { emptyResult } from '../../src/sync/result.ts';
import { freshPath, records, run, started, userFlags } from '../helpers.ts';
import { exampleOf } from '../samples.ts';
import { log, openStore, user } from '../store/helpers.ts';

/** What the commands say of several machines. */

/** Users 1 and 2 with a log each, and a goal of the second. */
function twins(): string {
  const db = freshPath();
  const store = openStore(db);
  for (const firstName of ['Nora', 'Norah']) store.users.create(user({ firstName }));
  for (const userId of [1, 2]) store.logs.create(log({ userId, notes: `of ${userId}` }));
  store.goals.create({ userId: 2, sessionsPerWeek: 3 });
  store.close();
  return db;
}

describe('user merge', () => {
  test('shows first what comes under whom, and changes nothing without a yes', async () => {
    const db = twins();
    const store = openStore(db);
    for (const date of ['2026-01-01', '2026-01-02'])
      store.of('painEntry').create({ userId: 2, date, pain: 4 });
    store.close();
    const before = records(db);
    const asked = await run(['user', 'merge', '2', '--into', '1'], { db });
    expect([asked.code, records(db)]).toEqual([2, before]);
    expect(asked.stderr).toMatch(/Norah .* is to show under .*Nora .*: 1 log, 1 goal, 2 pain entries\./);
  });

  test('says first which tokens show nothing any more', async () => {
    const db = twins();
    const store = openStore(db);
    store.tokens.create({ name: 'phone', role: 'patient', users: [2], lifetime: null });
    store.tokens.create({ name: 'other', role: 'patient', users: [1], lifetime: null });
    store.tokens.create({ name: 'lost', role: 'patient', users: [2], lifetime: null });
    store.tokens.revoke('lost');
    store.close();
    const asked = await run(['user', 'merge', '2', '--into', '1'], { db });
    expect([asked.code, asked.stderr]).toEqual([
      2,
      expect.stringMatching(/^Token phone is for user 2.*user 1/m),
    ]);
    expect(asked.stderr).not.toMatch(/Token (other|lost)/);
  });

  test('says first which service gets nothing of the other user, and the way round that it does', async () => {
    const db = twins();
    const store = openStore(db);
    const replication = await store.replication();
    const database = '6f0c8a52-95c4-4d39-a5a4-6d2c3a1f7b10';
    store.remotes.add({ name: 'home', url: 'http://localhost:3000/', pin: null, ourUser: null });
    store.remotes.setDatabase('home', database);
    replication.setPeer(database, { view: replication.collector([2]).view() });
    store.close();
    const said = async (id: string, into: string) =>
      (await run(['user', 'merge', id, '--into', into], { db })).stderr.replace(/\s+/g, ' ');
    expect(await said('2', '1')).toContain(
      'What is recorded for user 1 does not go to home: the token is for user 2. The other way round it does: sciatica user merge 1 --into 2',
    );
    expect(await said('1', '2')).not.toContain('home');
  });

  test('is turned round by a later one', async () => {
    const db = twins();
    await run(['user', 'merge', '2', '--into', '1', '--yes'], { db });
    const turned = await run(['user', 'merge', '1', '--into', '2', '--yes'], { db });
    expect([turned.code, turned.stderr]).toEqual([
      0,
      expect.stringMatching(
        /^Nora .*is to show under user 2, who shows under it until now: 2 logs, 1 goal\.$/m,
      ),
    ]);
    const { users, logs } = records(db);
    expect([users.map(({ id }) => id), logs.map(({ userId }) => userId)]).toEqual([[2], [2, 2]]);
    expect((await run(['user', 'merge', '2', '--into', '9', '--yes'], { db })).code).toBe(3);
  });

  test('lets the records show under the other user, in one change, which undo takes back', async () => {
    const db = twins();
    const before = records(db);
    const merged = await run(['user', 'merge', '2', '--into', '1', '--yes'], { db });
    expect(merged).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Merged user 2 into user 1\. Wrong\? sciatica undo/),
    });
    const store = openStore(db);
    expect(store.goals.list()).toMatchObject([{ userId: 1, sessionsPerWeek: 3 }]);
    expect(store.users.list().map(({ firstName }) => firstName)).toEqual(['Nora']);
    expect(store.logs.list().map(({ userId, notes }) => [userId, notes])).toEqual([
      [1, 'of 1'],
      [1, 'of 2'],
    ]);
    store.close();
    expect(await run(['undo', '--yes'], { db })).toMatchObject({ code: 0 });
    expect(records(db)).toEqual(before);
    expect(await run(['redo', '--yes'], { db })).toMatchObject({ code: 0 });
    expect(await run(['users', '--json', 'id'], { db })).toMatchObject({
      stdout: expect.not.stringContaining('2'),
    });
  });

  test.each([
    ['user use', {}],
    ['SCIATICA_USER', { SCIATICA_USER: '2' }],
  ])('lets the choice of %s follow, until it is undone', async (way, env) => {
    const db = twins();
    await run(['user', 'add', ...userFlags({ firstName: 'Ole' })], { db });
    if (way === 'user use') await run(['user', 'use', '2'], { db });
    const userOfNext = async () => {
      const { stdout } = await run([...'log add Bridge 5 4 --type stretch --json'.split(' ')], { db, env });
      return JSON.parse(stdout).userId;
    };
    await run(['user', 'merge', '2', '--into', '1', '--yes'], { db });
    expect((await run(['logs', '--json', 'userId'], { db, env })).stdout.match(/\d/g)).toEqual(['1', '1']);
    expect(await userOfNext()).toBe(1);
    expect(await run(['logs', '--user', '2'], { db, env })).toMatchObject({ code: 3 });
    await run(['undo', '--yes'], { db });
    await run(['undo', '--yes'], { db });
    expect(await userOfNext()).toBe(2);
    // Deleted, and not merged.
    await run(['user', 'rm', '2', '--yes'], { db });
    expect((await run(['log', 'add', 'Bridge', '5', '4'], { db, env })).code).not.toBe(0);
  });

  test('says of which days only one shows, and which trial is given up', async () => {
    const db = twins();
    const store = openStore(db);
    for (const userId of [1, 2]) {
      store.of('trial').create({ ...exampleOf(trialFields), userId, seed: userId, state: 'running' });
      for (const day of [1, 1 + userId])
        store.of('trialDay').create({ userId, date: `2026-03-0${day}`, first: 6, done: true });
    }
    store.close();
    const { stderr } = await run(['user', 'merge', '2', '--into', '1', '--yes'], { db });
    expect(stderr).toContain('A user has one running trial. Both have one: the second becomes given-up.');
    expect(stderr).toContain(
      'A trial has one day of a date. Both have 2026-03-01: only one of the two shows.',
    );
  });

  test('says that the goal stays that of the other, where both have one', async () => {
    const db = twins();
    const store = openStore(db);
    store.goals.create({ userId: 1, sessionsPerWeek: 5 });
    store.close();
    const merged = await run(['user', 'merge', '2', '--into', '1', '--yes'], { db });
    expect(merged.stderr).toContain('The goal stays that of user 1.');
    expect((await run(['goal', '--user', '1'], { db })).stdout).toContain('5 sessions a week');
  });

  test.each([
    ['a user into itself', ['1', '--into', '1'], 2, 'cannot be merged into itself'],
    ['a user who is not there', ['9', '--into', '1'], 3, 'There is no user 9'],
    ['a user into one who is not there', ['1', '--into', '9'], 3, 'There is no user 9'],
    ['a user into nobody', ['1'], 2, '--into'],
    ['a user into no id', ['1', '--into', 'nora'], 2, '--into'],
  ])('of %s is refused', async (_, args, code, message) => {
    const db = twins();
    const before = records(db);
    const result = await run(['user', 'merge', ...args, '--yes'], { db });
    expect([result.code, result.stderr.includes(message), records(db)]).toEqual([code, true, before]);
  });
});

test.each([
  [0, undefined],
  [180, '3 minutes'],
  [47 * 3600, '2,820 minutes'],
  [48 * 3600, '2 days'],
])('of a clock that is %i seconds ahead a sync says: %s', (seconds, said) => {
  const lines = leftLines(started().context, 'home', { ...emptyResult('x'), ahead: 1000 * seconds });
  expect(lines).toEqual(said ? [expect.stringContaining(` clock that is ${said} ahead of this one`)] : []);
});

test.each([
  [20, 'Log 20 was erased over there, for good. --accept-erase erases here too.'],
  [21, 'and so 1 more record'],
])('of %i records that were erased over there a sync says last: %s', (count, last) => {
  const erasedThere = Array.from({ length: count }, (_, i) => ({ record: 'log' as const, id: i + 1 }));
  const lines = leftLines(started().context, 'home', { ...emptyResult('x'), erasedThere });
  expect(lines.at(-1)).toBe(last);
});

describe('user rm', () => {
  test('leaves who was merged into the user, with what is theirs, and undo brings all back under the one', async () => {
    const db = twins();
    await run(['user', 'merge', '2', '--into', '1', '--yes'], { db });
    await run(['user', 'add', ...userFlags({ firstName: 'Ole' })], { db });
    const before = records(db);
    const { stdout, stderr } = await run(['user', 'rm', '1', '--yes'], { db });
    expect([stdout, stderr.match(/^.*shows again.*$/gm)]).toEqual([
      expect.stringContaining('Deleted Nora Lind (user 1), 1 log and 1 goal.'),
      ['Norah Lind (user 2), who was merged into that one, shows again.'],
    ]);
    expect([records(db).users.map(({ id }) => id), records(db).logs.map(({ notes }) => notes)]).toEqual([
      [2, 3],
      ['of 2'],
    ]);
    expect(await run(['undo', '--yes'], { db })).toMatchObject({ code: 0 });
    expect(records(db)).toEqual(before);
  });

  test('asks about what goes only, and changes nothing before the answer', async () => {
    const db = twins();
    const store = openStore(db);
    store.of('painEntry').create({ userId: 2, date: '2026-01-01', pain: 4 });
    store.close();
    await run(['user', 'merge', '2', '--into', '1', '--yes'], { db });
    const before = records(db);
    const { code, stderr } = await run(['user', 'rm', '1'], { db });
    expect([code, records(db)]).toEqual([2, before]);
    expect(stderr).toContain('delete Nora Lind (user 1), 1 log and 1 goal');
  });
});

describe('user erase', () => {
  test('names first who was merged into the user, and what belongs to another by now', async () => {
    const db = twins();
    const store = openStore(db);
    const ravi = store.users.create(user({ firstName: 'Ravi', email: 'ravi@example.org' })).id;
    const moved = store.logs.create(log({ userId: 1 })).id;
    store.logs.update(moved, { userId: ravi });
    const pain = store.of('painEntry').create({ userId: 1, date: '2026-01-01', pain: 4 }).id;
    store.of('painEntry').update(pain, { userId: ravi });
    store.close();
    await run(['user', 'merge', '2', '--into', '1', '--yes'], { db });
    const before = records(db);
    const asked = await run(['user', 'erase', '1'], { db });
    expect([asked.code, records(db)]).toEqual([2, before]);
    expect(asked.stderr).toContain('With it goes what was recorded as user 2: merged into it.\n');
    expect(asked.stderr).toMatch(
      new RegExp(`With it goes log ${moved}, now of .*Ravi .*: it once belonged to .*Nora`),
    );
    expect(asked.stderr).toContain(`With it goes pain entry ${pain}, now of `);
    expect(await run(['user', 'erase', '1', '--yes', '--quiet'], { db })).toMatchObject({ code: 0 });
    expect(readFileSync(db).includes('Norah')).toBe(false);
    expect(await run(['logs', '--user', 'all', '--json', 'id'], { db })).toMatchObject({ stdout: '[]\n' });
  });
});
