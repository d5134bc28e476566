import { describe, expect, test } from 'vitest';
import { freshPath, nora, prepared, run, session } from '../helpers.ts';

describe('--quiet', () => {
  const ADDED = 'log add piri 6 4 --type stretch'.split(' ');
  const withLog = () =>
    prepared((store) => {
      store.users.create(nora);
      store.logs.create(session);
      store.goals.create({ userId: 1, sessionsPerWeek: 4 });
    });

  test.each([
    [ADDED],
    [['log', 'add', 'Piriformis Strech', '6', '4', '--type', 'stretch', '--date', '2026-03-03']],
    [['log', 'rm', '1', '--yes']],
    [['log', 'edit', '1', '--after', '2']],
    [['undo', '--yes']],
    [['goal', 'none']],
    [['user', 'edit', '1', '--age', '45']],
    [['user', 'use', '1']],
    [['routine', 'add', 'morning', 'Piriformis Stretch']],
    [['exercise', 'rename', 'Piriformis Stretch', 'Piri', '--yes']],
    [['logs', '--name', 'nothing']],
  ])('%j says nothing', async (words) => {
    const db = withLog();
    expect(await run(['--quiet', ...words], { db })).toEqual({ code: 0, stdout: '', stderr: '' });
    expect((await run([...words, '-q'], { db: withLog() })).stdout).toBe('');
  });

  test('demo says nothing', async () =>
    expect(await run(['-q', 'demo', '--db', freshPath()], { env: { SCIATICA_DB: '' } })).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    }));

  test.each<[string[], string]>([
    [['log', 'show', '1', '-q'], 'Piriformis Stretch'],
    [['-q', 'logs'], 'Piriformis Stretch'],
    [['-q', 'goal'], '4 sessions a week'],
    [['-q', ...ADDED, '--json'], '"id":2'],
    [['-q'], 'Nora Lind'],
  ])('%j gives what was asked for', async (words, text) => {
    const { code, stdout, stderr } = await run(words, { db: withLog() });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(text);
  });

  test('errors are said, and what a question is about', async () => {
    expect(await run(['-q', 'log', 'show', '9'])).toMatchObject({
      code: 3,
      stderr: 'sciatica: There is no log 9.\n',
    });
    const asked = await run(['-q', 'undo'], { db: withLog(), answers: [['Undo change 3?', 'n\r']] });
    expect(asked.stderr).toContain('delete goal 1');
  });

  test.each<[string[], [string, string][]]>([
    [
      ['log', 'again'],
      [
        ['Piriformis Stretch, once more:', ''],
        ['before', '\u0003'],
      ],
    ],
    [['pain', 'add', '6', '--date', '2010-03-02'], [['16 years ago', '\u0003']]],
    [
      ['trial', 'start', 'piri', '--against', 'rest'],
      [
        ['Tell your', ''],
        ['Start it?', 'n\r'],
      ],
    ],
  ])('%j says what it asks about', async (words, answers) => {
    expect((await run(['-q', ...words], { db: withLog(), answers })).code).toBeGreaterThan(0);
  });
});
