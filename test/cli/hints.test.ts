import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { keys, nora, prepared, run, session } from '../helpers.ts';

/** One user with a session, or two. */
const diaries = (users: number) =>
  prepared((store) => {
    for (let i = 1; i <= users; i++) {
      store.users.create({ ...nora, email: `${i}@example.org` });
      store.logs.create({ ...session, userId: i });
    }
  });

/** The commands that a command line tells to go on with. */
async function hintsOf(line: string, db: string, before: readonly string[] = []): Promise<string[]> {
  for (const words of before) await run(words.split(' '), { db });
  const { stdout, stderr } = await run(line.split(' '), { db });
  return (stdout + stderr).match(/sciatica (?=[a-z]).*?(?=[,.;]? \(|[,.;] |\.?$)/gm) ?? [];
}

describe('a command to go on with', () => {
  const start = 'trial start Cobra --against rest --yes --user 2';
  test.each<[line: string, before: string[], hint: string]>([
    ['pain', ['log rm 2 --yes'], 'sciatica pain add'],
    ['pain 15 jan 6', [], "sciatica pain 6 --date '15 jan'"],
    ['pain bad', [], 'sciatica pain 7'],
    ['routine add morning Cat-Cow=stretch', [], 'sciatica log routine morning'],
    [
      'routine add morning Plank=stretch',
      ['routine add morning Cat-Cow=stretch --user 2'],
      'sciatica routine edit morning',
    ],
    ['routine show evening', ['routine add morning Cat-Cow=stretch --user 2'], 'sciatica routines'],
    ['routine show morning', [], 'sciatica routine add'],
    ['routines', [], 'sciatica routine add'],
    ['pains', [], 'sciatica pain add'],
    ['exercise rename Other New', [], 'sciatica exercises'],
    ['goal', [], 'sciatica goal 4'],
    ['trial', [], 'sciatica trial start EXERCISE --against rest'],
    ['log again', ['log rm 2 --yes'], 'sciatica log add'],
    ['log add sat 6 4', [], 'sciatica log add NAME 6 4'],
    ['trial', [start], 'sciatica trial PAIN'],
    ['trial bad', [start], 'sciatica trial 6 3'],
    ['routine add', [], "sciatica routine add morning 'Bird Dog' 'Cat-Cow'"],
  ])('after %s is about the user that it is about', async (line, before, hint) => {
    expect(await hintsOf(`${line} --user 2`, diaries(2), before)).toContain(`${hint} --user 2`);
  });

  test.each(['log edit 2 --after 1 --user 2', 'log add Plank 6 4 --type stretch --user 2'])(
    'after %s is about a record, whosever it is',
    async (line) => expect((await hintsOf(line, diaries(2))).join()).toMatch(/^sciatica undo \d+$/),
  );

  test('names whom SCIATICA_USER means, which may stand before one command only', async () => {
    const { stderr } = await run(['goal'], { db: diaries(2), env: { SCIATICA_USER: '2' } });
    expect(stderr).toContain('sciatica goal 4 --user 2');
  });

  test('names nobody where there is one user only, or the usual one is meant', async () => {
    expect(await hintsOf('goal --user 1', diaries(1))).toEqual(['sciatica goal 4']);
    expect(await hintsOf('goal', diaries(2), ['user use 2'])).toEqual(['sciatica goal 4']);
  });

  test('names whom a person has chosen', async () => {
    const { stderr } = await run(['goal'], {
      db: diaries(2),
      answers: [
        ['Which user?', keys.down],
        ['Nora Lind (user 2)', keys.enter],
      ],
    });
    expect(stderr).toContain('sciatica goal 4 --user 2');
  });

  test('is about the same database too', async () => {
    const db = diaries(2);
    const { stderr } = await run(['goal', '--user', '2', '--db', db]);
    expect(stderr).toContain(`sciatica goal 4 --user 2 --db ${db}`);
    for (const line of ['sync', 'remote add home', 'audit'])
      expect(await hintsOf(`${line} --db ${db}`, db)).toContainEqual(expect.stringMatching(` --db ${db}$`));
  });

  test.each([
    ['is none', (db: string) => writeFileSync(db, 'no database'), 'doctor'],
    ['is damaged', (db: string) => writeFileSync(db, readFileSync(db).fill(1, 8192)), 'doctor --rescue FILE'],
    ['has only its log left', (db: string) => renameSync(db, `${db}-wal`), 'doctor --rescue FILE'],
  ])('is about the same database where it %s', async (_, harm, hint) => {
    const db = diaries(1);
    harm(db);
    expect((await run(['logs', '--db', db])).stderr).toContain(`sciatica ${hint} --db ${db}`);
  });
});
