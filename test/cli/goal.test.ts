import { expect, test } from 'vitest';
import { openStore } from '../../src/store/store.ts';
import { nora, prepared, run, session, userFlags } from '../helpers.ts';

/** Nora, with sessions in each of three weeks, and a goal if one is given. */
const withGoal = (sessionsPerWeek?: number) =>
  prepared((store) => {
    const { id } = store.users.create(nora);
    if (sessionsPerWeek !== undefined) store.goals.create({ userId: id, sessionsPerWeek });
    for (const date of ['2026-02-09', '2026-02-10', '2026-02-16', '2026-02-17', '2026-02-23', '2026-02-24'])
      store.logs.create({ ...session, date });
  });

test.each<[string, number | undefined, string[], string, string]>([
  [
    'sets the first',
    undefined,
    ['4'],
    'The goal of Nora Lind is 4 sessions a week now. Wrong? sciatica undo 8',
    '{"id":1,"userId":1,"sessionsPerWeek":4}',
  ],
  [
    'sets another',
    3,
    ['1'],
    'The goal of Nora Lind is 1 session a week now. Wrong? sciatica undo 9',
    '{"id":1,"userId":1,"sessionsPerWeek":1}',
  ],
  [
    'takes the most there can be',
    undefined,
    ['100'],
    'The goal of Nora Lind is 100 sessions a week now. Wrong? sciatica undo 8',
    '{"id":1,"userId":1,"sessionsPerWeek":100}',
  ],
  ['shows it', 3, [], 'The goal of Nora Lind: 3 sessions a week.', '{"id":1,"userId":1,"sessionsPerWeek":3}'],
  [
    'removes it',
    3,
    ['none'],
    'Nora Lind has no goal any more; it was 3 sessions a week. Wrong? sciatica undo 9',
    'null',
  ],
  ['removes none', undefined, ['NONE'], 'Nora Lind has no goal.', 'null'],
])('%s', async (_, before, words, line, after) => {
  const db = withGoal(before);
  expect(await run(['goal', ...words], { db })).toEqual({ code: 0, stdout: `${line}\n`, stderr: '' });
  expect((await run(['goal', '--json'], { db })).stdout).toBe(`${after}\n`);
});

test('is in days for somebody who has a routine of several exercises', async () => {
  const db = withGoal(2);
  const home = async () => (await run([], { db, now: new Date(2026, 1, 25, 12) })).stdout;
  const target = async () => (await run(['summary'], { db })).stdout.split('\n')[1];
  expect(await target()).toBe('Target of 2 a week: 3 of 3 whole weeks up to 2026-03-01.');
  const { exerciseName, exerciseType } = session;
  const store = openStore(db);
  for (const date of ['2026-02-16', '2026-02-23']) store.logs.create({ ...session, date });
  store.logs.delete(4);
  store.routines.create({ userId: 1, name: 'one', exercises: [{ exerciseName, exerciseType }] });
  expect(await target()).toBe('Target of 2 a week: 3 of 3 whole weeks up to 2026-03-01.');
  expect(await home()).toContain('This week  3 of 2 sessions on 2 days\n');
  const exercises = ['A', 'B'].map((name) => ({ exerciseName: name, exerciseType }));
  store.routines.create({ userId: 1, name: 'two', exercises });
  store.close();
  expect(await target()).toBe('Target of 2 days a week: 2 of 3 whole weeks up to 2026-03-01.');
  expect(await home()).toContain('This week  2 of 2 days, 3 sessions\n');
  expect((await run(['goal'], { db })).stdout).toBe('The goal of Nora Lind: 2 days a week.\n');
  expect((await run(['goal', '7'], { db })).stdout).toContain('is 7 days a week now');
  expect((await run(['goal', '８'], { db })).stdout).toContain('is 8 sessions a week now');
  const report = (await run(['report', '--format', 'md', '--target', '2'], { db })).stdout;
  expect(report).toMatch(/target of 2 days a week/i);
});

test('says that there is none, and how to set one', async () => {
  expect(await run(['goal'], { db: withGoal() })).toEqual({
    code: 0,
    stdout: '',
    stderr: 'Nora Lind has no goal. To set one: sciatica goal 4\n',
  });
});

test('gives the record as JSON, or some of its fields', async () => {
  const db = withGoal();
  expect((await run(['goal', '4', '--json'], { db })).stdout).toBe(
    '{"id":1,"userId":1,"sessionsPerWeek":4}\n',
  );
  expect((await run(['goal', '--json', 'sessionsPerWeek'], { db })).stdout).toBe('{"sessionsPerWeek":4}\n');
});

test.each<[string[], number, string]>([
  [['0'], 2, 'A goal must be a whole number from 1 to 100, the sessions a week, or none.'],
  [['101'], 2, 'A goal must be a whole number from 1 to 100'],
  [['4.5'], 2, 'A goal must be a whole number from 1 to 100'],
  [['four'], 2, 'A goal must be a whole number from 1 to 100'],
  [[''], 2, 'A goal must be a whole number from 1 to 100'],
  [['4', '--user', '9'], 3, 'There is no user 9.'],
  [['4', '--json', 'goal'], 2, '"goal" is not a field'],
])('refuses %j', async (words, code, message) => {
  const db = withGoal(3);
  const answer = await run(['goal', ...words], { db });
  expect(answer).toMatchObject({ code, stdout: '' });
  expect(answer.stderr).toContain(message);
  expect((await run(['goal'], { db })).stdout).toContain('3 sessions');
});

test('one undo takes it back, and history names it', async () => {
  const db = withGoal(3);
  await run(['goal', '5'], { db });
  expect((await run(['history', '--limit', '1'], { db, columns: 80 })).stdout).toContain(
    'goal 1: sessionsPerWeek 3 → 5',
  );
  await run(['undo', '--yes'], { db });
  expect((await run(['goal'], { db })).stdout).toContain('3 sessions');
  await run(['goal', 'none'], { db });
  const { stderr } = await run(['undo', '--yes'], { db });
  expect(stderr).toContain('bring back goal 1: 3 a week for user 1');
  expect((await run(['goal'], { db })).stdout).toContain('3 sessions');
});

test.each<[string, number | undefined, string[], string | undefined]>([
  ['the goal', 2, [], 'Target of 2 a week: 3 of 3 whole weeks up to 2026-03-01.'],
  [
    'a target rather than the goal',
    2,
    ['--target', '3'],
    'Target of 3 a week: 0 of 3 whole weeks up to 2026-03-01.',
  ],
  ['the goal, in a first week', 2, ['--since', '2026-02-24'], 'Target of 2 a week: no whole week yet.'],
  ['nothing without either', undefined, [], undefined],
])('a summary compares with %s', async (_, goal, words, line) => {
  const { stdout } = await run(['summary', ...words], { db: withGoal(goal) });
  if (line) expect(stdout).toContain(line);
  else expect(stdout).not.toContain('Target');
});

test.each([
  [27, '3 of 3 whole weeks up to 2026-11-22'],
  [29, '3 of 3 whole weeks up to 2026-11-22'],
  [30, '4 of 4 whole weeks up to 2026-11-29'],
  [58, '4 of 8 whole weeks up to 2026-12-27'],
])('the weeks of a goal are over and count, whatever was done since: day %i', async (day, told) => {
  const db = prepared((store) => {
    store.users.create(nora);
    store.goals.create({ userId: 1, sessionsPerWeek: 5 });
    for (const week of [2, 9, 16, 23])
      for (const i of [0, 1, 2, 3, 4])
        store.logs.create({ ...session, date: `2026-11-${String(week + i).padStart(2, '0')}` });
  });
  const now = new Date(2026, 10, day, 12);
  expect((await run(['summary'], { db, now })).stdout).toContain(`Target of 5 a week: ${told}.\n`);
  const { stdout } = await run(['report', '--format', 'md'], { db, now });
  expect(stdout).toContain(`target of 5 a week reached in ${told}; the last on 2026-11-27`);
  const { stdout: json } = await run(['summary', '--until', '2026-11-15', '--json'], { db, now });
  expect(JSON.parse(json).rhythm.target).toMatchObject({ weeks: 2, until: '2026-11-15' });
});

test('a report compares with the goal as with a target', async () => {
  const report = async (goal: number | undefined, ...words: string[]) =>
    (await run(['report', '--format', 'md', ...words], { db: withGoal(goal) })).stdout;
  expect(await report(2)).toBe(await report(undefined, '--target', '2'));
  expect(await report(2, '--target', '3')).toBe(await report(undefined, '--target', '3'));
  expect(await report(2)).not.toBe(await report(undefined));
});

test('the goal of one user is not that of another, and no target of all together', async () => {
  const db = withGoal(3);
  await run(['user', 'add', ...userFlags({ firstName: 'Ole', lastName: 'Berg' })], { db });
  expect((await run(['goal', '--user', '2'], { db })).stderr).toContain('Ole Berg has no goal.');
  expect((await run(['summary', '--user', 'all'], { db })).code).toBe(0);
});
