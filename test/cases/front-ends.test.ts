import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openStore } from '../../src/store/store.ts';
import { freshPath, nora, practiceDb, prepared, run as runAt, session, type World } from '../helpers.ts';
import { served } from '../http/helpers.ts';

/** Runs a command line on the day that the service has. */
const run = (argv: readonly string[], world: World) => runAt(argv, { now: new Date(), ...world });

/** Fills a database with the records of the practice, in which user 3 has a goal. */
const withGoal = async (db: string) => {
  await practiceDb(db);
  expect((await run(['goal', '4', '--user', '3'], { db })).code).toBe(0);
  return db;
};

/** What both front ends say of user 3: the lines of a command, the body of an answer. */
async function both(db: string, words: readonly string[], path: string) {
  const { code, stdout, stderr } = await run([...words], { db });
  const store = openStore(db);
  onTestFinished(() => store.close());
  const { url } = await served(store);
  const response = await fetch(url + path);
  return { code, said: stdout, complaint: stderr, status: response.status, text: await response.text() };
}

/** Flags as the query that asks for the same. */
function queryOf(flags: readonly string[]): string {
  const query = new URLSearchParams();
  for (const [i, flag] of flags.entries()) {
    if (!flag.startsWith('--')) continue;
    const value = flags[i + 1];
    const name = flag === '--type' ? 'exerciseType' : flag.slice(2);
    query.set(name, value === undefined || value.startsWith('--') ? 'true' : value);
  }
  return `?${query}`;
}

describe('the command line and the service say the same', () => {
  let db = '';
  beforeAll(async () => {
    db = await withGoal(join(mkdtempSync(join(tmpdir(), 'sciatica-')), 'practice.db'));
  });
  afterAll(() => rmSync(dirname(db), { recursive: true, force: true }));

  const period = ['--since', '2026-02-01', '--until', '2026-05-31'];

  test.each<[...string[]][]>([
    [[]],
    [period],
    [['--rule', 'radicular']],
    [['--target', '2']],
    [['--type', 'stretch', '--since', '2026-03-01']],
    [['--since', '2030-01-01']],
  ])('summary %j', async (flags) => {
    const { said, text } = await both(
      db,
      ['summary', '--user', '3', '--json', ...flags],
      `/users/3/summary${queryOf(flags)}`,
    );
    expect(JSON.parse(said)).toEqual(JSON.parse(text));
  });

  test.each<[...string[]][]>([
    [[]],
    [period],
    [['--since', '2026-04-01']],
    [['--until', '2026-04-01']],
    [['--before', '2026-04-01', '--rule', 'radicular']],
    [['--type', 'stretch']],
    [['--since', '2020-01-01', '--until', '2020-01-31']],
  ])('compare %j', async (flags) => {
    const { said, text } = await both(
      db,
      ['compare', '--user', '3', '--json', ...flags],
      `/users/3/compare${queryOf(flags)}`,
    );
    expect(JSON.parse(said)).toEqual(JSON.parse(text));
  });

  test.each<[...string[]][]>([
    [['--format', 'md']],
    [['--format', 'html']],
    [['--format', 'md', ...period, '--previous', '2026-04-01']],
    [['--format', 'md', '--rule', 'radicular', '--target', '6']],
    [['--format', 'md', '--anonymous']],
    [['--format', 'md', '--full']],
    [['--format', 'md', '--since', '2030-01-01']],
  ])('report %j', async (flags) => {
    const { said, text } = await both(
      db,
      ['report', '--user', '3', ...flags],
      `/users/3/report${queryOf(flags)}`,
    );
    expect(said.trimEnd()).toBe(text.trimEnd());
  });

  test.each([
    ['summary', 'summary'],
    ['compare', 'compare'],
    ['report', 'report'],
    ['goal', 'goal'],
  ])('%s of nobody is not found', async (command, path) => {
    const { code, status } = await both(db, [command, '--user', '99'], `/users/99/${path}`);
    expect([code, status]).toEqual([3, 404]);
  });

  test.each<[string, string[], RegExp]>([
    ['compare', ['--before', '2026-04-01', '--since', '2026-03-01'], /leave out (--)?since and (--)?until/],
    ['compare', ['--since', '2026-04-02', '--until', '2026-04-01'], /begins an empty period/],
    [
      'compare',
      ['--since', '2090-01-01', '--until', '2090-01-31'],
      /begins an empty period: from 2090-01-01/,
    ],
    ['summary', ['--target', '0'], /must be a whole number from 1 to 100/],
    ['report', ['--rule', 'strict'], /must be one of default, radicular|Allowed choices/],
  ])('%s refuses %j', async (command, flags, fault) => {
    const { code, complaint, status, text } = await both(
      db,
      [command, '--user', '3', ...flags],
      `/users/3/${command}${queryOf(flags)}`,
    );
    expect([code, status]).toEqual([2, 400]);
    expect(complaint).toMatch(fault);
    expect(text).toMatch(fault);
  });
});

/** The page within an export as FHIR. */
function reportIn(bundle: string): string {
  const { entry } = JSON.parse(bundle) as {
    entry: { resource: { resourceType: string; content?: { attachment: { data: string } }[] } }[];
  };
  const document = entry.find(({ resource }) => resource.resourceType === 'DocumentReference');
  return Buffer.from(document?.resource.content?.[0]?.attachment.data ?? '', 'base64').toString();
}

describe('the report within an export as FHIR', () => {
  test.each<[...string[]][]>([[[]], [['--since', '2026-03-01', '--until', '2026-05-31']], [['--anonymous']]])(
    'is that of the report command, goal included: %j',
    async (flags) => {
      const db = await withGoal(freshPath());
      const { stdout: page } = await run(['report', '--user', '3', ...flags], { db });
      const { stdout: bundle } = await run(
        ['export', '--user', '3', '--format', 'fhir', '--with-report', ...flags],
        { db },
      );
      expect(page).toContain('target of 4 a week');
      expect(reportIn(bundle)).toBe(page);
    },
  );
});

describe('a goal', () => {
  const path = () =>
    prepared((store) => {
      store.users.create(nora);
      store.logs.create(session);
    });

  test('that one sets, the other reads, replaces and removes', async () => {
    const db = path();
    await run(['goal', '4'], { db });
    const store = openStore(db);
    onTestFinished(() => store.close());
    const { url } = await served(store);
    const goal = `${url}/users/1/goal`;
    expect(await (await fetch(goal)).json()).toEqual({ id: 1, userId: 1, sessionsPerWeek: 4 });
    const headers = { 'content-type': 'application/json' };
    const put = await fetch(goal, { method: 'PUT', headers, body: '{"sessionsPerWeek":2}' });
    expect(put.status).toBe(200);
    expect((await run(['goal', '--json'], { db })).stdout).toBe(`${await put.text()}\n`);
    await run(['goal', 'none'], { db });
    expect((await fetch(goal)).status).toBe(404);
  });
});
