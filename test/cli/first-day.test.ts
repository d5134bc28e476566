import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { RED_FLAGS } from '../../src/domain/red-flags.ts';
import { freshFolder, keys, prepared, records, run, TODAY } from '../helpers.ts';

const { enter, down, ctrlC } = keys;

/** The answers of somebody who takes what is offered. */
const who: [string, string][] = [
  ['First name', `Nora${enter}`],
  ['Last name', `Lind${enter}`],
  ['E-mail address', `n@lind.no${enter}`],
  ['Age in years', `44${enter}`],
  ['Where it hurts', `${down}`],
  ['lower back, right', enter],
  ['Current pain', `6${enter}`],
  ['Day of the diagnosis', enter],
];
const exercise: [string, string][] = [
  ['Name of the exercise', `Cat-Cow${enter}`],
  ['Kind of Cat-Cow', enter],
  ['Pain before', enter],
  ['Pain after', `4${enter}`],
];

const home = () => {
  const XDG_DATA_HOME = freshFolder();
  return { folder: XDG_DATA_HOME, db: join(XDG_DATA_HOME, 'sciatica/sciatica.db'), env: { XDG_DATA_HOME } };
};

describe('sciatica alone, on the first day', () => {
  test('says in a few lines what it is for, and the one next step; it makes nothing', async () => {
    const { folder, env } = home();
    const { code, stdout, stderr } = await run([], { env });
    expect({ code, stderr, lines: stdout.split('\n').slice(4) }).toEqual({
      code: 0,
      stderr: '',
      lines: ['', 'Next: sciatica user add', ''],
    });
    expect(stdout).not.toContain('Usage');
    expect(readdirSync(folder)).toEqual([]);
  });

  test('asks in a terminal who is there, and goes on to the first exercise', async () => {
    const { db, env } = home();
    const { code, stdout } = await run([], { env, answers: [...who, ...exercise] });
    expect(code).toBe(0);
    expect(stdout).toContain('Added Nora Lind (user 1)');
    expect(stdout).toContain('Added log 1: Cat-Cow today, 6 → 4 (↓2), helped.');
    const { users, logs } = records(db);
    expect(users).toMatchObject([{ painLocation: 'lower-back-right', painLevel: 6, diagnosisDate: TODAY }]);
    expect(logs).toMatchObject([
      { exerciseName: 'Cat-Cow', date: TODAY, painBefore: 6, painAfter: 4, effective: true, notes: '' },
    ]);
  });

  test('takes at most 40 keys beside the names', () => {
    const typed = [...who, ...exercise].map(([question, text]) =>
      /name/i.test(question) ? 1 : text.startsWith('\u001b') ? 1 : text.length,
    );
    expect(typed.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(40);
  });

  test('left before the first answer, it makes nothing', async () => {
    const { db, env } = home();
    expect((await run([], { env, answers: [['First name', ctrlC]] })).code).toBe(130);
    expect(existsSync(db)).toBe(false);
  });

  test('left at the exercise, it keeps who is there', async () => {
    const { db, env } = home();
    const answers: [string, string][] = [...who, ['Name of the exercise', ctrlC]];
    expect((await run([], { env, answers })).code).toBe(130);
    expect(records(db)).toMatchObject({ users: [{ firstName: 'Nora' }], logs: [] });
  });

  test('goes on in a database without users', async () => {
    const db = prepared(() => {});
    await run([], { db, answers: [...who, ...exercise] });
    expect(records(db).logs).toHaveLength(1);
  });

  test.each([['--no-input'], ['--no-input', '-q']])('%j asks nothing in a terminal', async (...words) => {
    const { folder, env } = home();
    const { code, stdout } = await run(words, { env, columns: 80 });
    expect({ code, last: stdout.trim().split('\n').at(-1) }).toEqual({
      code: 0,
      last: 'Next: sciatica user add',
    });
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('log add, where nobody has recorded anything', () => {
  test('asks first who is there, and then only what the line does not say', async () => {
    const { db, env } = home();
    const words = ['log', 'add', 'Cat-Cow', '6', '4', '--type', 'stretch'];
    const { code } = await run(words, { env, answers: who });
    expect(code).toBe(0);
    expect(records(db).logs).toMatchObject([{ exerciseName: 'Cat-Cow', painBefore: 6, painAfter: 4 }]);
  });

  test.each<[string, string[], [string, string][]]>([
    ['sciatica', [], [...who, ...exercise]],
    ['sciatica, left at the exercise', [], [...who, ['Name of the exercise', ctrlC]]],
    ['log add', ['log', 'add', 'Cat-Cow', '6', '4', '--type', 'stretch'], who],
  ])('tells who begins with %s once when to get help', async (_, words, answers) => {
    const { stderr } = await run(words, { env: home().env, answers });
    expect(stderr.replace(/\s+/g, ' ').split(RED_FLAGS)).toHaveLength(2);
  });

  test('says without a terminal how to begin', async () =>
    expect(await run(['log', 'add', 'Cat-Cow', '6', '4'])).toMatchObject({
      code: 2,
      stderr: 'sciatica: There is no user yet. Start with: sciatica user add\n',
    }));
});

describe('what a question says', () => {
  const asked = async () => (await run(['user', 'add'], { answers: who, columns: 200 })).stderr;

  test.each([
    'E-mail address (it stays on this computer',
    'Where it hurts (glute: the buttock)',
    'Day of the diagnosis (2024 or march 2025 is enough; Enter: today)',
  ])('%s', async (text) => expect(await asked()).toContain(text));

  test.each([
    ['2024', '2024-01-01'],
    ['march 2025', '2025-03-01'],
    ['last month', '2026-02-01'],
  ])('%s is a diagnosis on %s', async (text, day) => {
    const { db, env } = home();
    await run(['user', 'add'], { env, answers: [...who.slice(0, -1), ['Day of the', `${text}${enter}`]] });
    expect(records(db).users[0]?.diagnosisDate).toBe(day);
  });
});
