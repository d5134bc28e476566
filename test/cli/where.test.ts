import { describe, expect, test } from 'vitest';
import { nora, prepared, run, session } from '../helpers.ts';

const filled = () =>
  prepared((store) => {
    store.users.create(nora);
    store.users.create({ ...nora, firstName: 'Åse', age: 70 });
    for (const [i, notes] of ['Tingling', 'no TINGLING', 'stiff', 'größer', ''].entries())
      store.logs.create({
        ...session,
        userId: (i % 2) + 1,
        date: `2026-01-0${i + 1}`,
        painAfter: i + 5,
        notes,
      });
  });

const ids = async (...words: string[]) => {
  const { stdout, stderr } = await run(words, { db: filled() });
  expect(stderr).toBe('');
  return (JSON.parse(stdout) as { id: number }[]).map(({ id }) => id);
};

describe('conditions', () => {
  test.each<[string[], number[]]>([
    [['painAfter>=7'], [3, 4, 5]],
    [['painAfter>7'], [4, 5]],
    [['painAfter<=5'], [1]],
    [['painAfter < 6'], [1]],
    [
      ['painAfter=5', 'painAfter=9'],
      [1, 5],
    ],
    [
      ['painAfter!=5', 'painAfter!=9'],
      [2, 3, 4],
    ],
    [['notes~tingling'], [1, 2]],
    [['notes~GRÖSSER'], [4]],
    [['notes='], [5]],
    [['painAfter>=6', 'notes~tingling'], [2]],
    [['userId=2'], [2, 4]],
    [['effective=false'], []],
    [
      ['date>2026-01-02', 'date<=2026-01-04'],
      [3, 4],
    ],
    [['date>=-3d'], []],
    [['date~2026-01'], [1, 2, 3, 4, 5]],
  ])('%j', async (conditions, expected) => {
    const flags = conditions.flatMap((condition) => ['--where', condition]);
    expect(await ids('logs', '--json', 'id', '--user', 'all', ...flags)).toEqual(expected);
    expect(await ids('export', 'logs', '--format', 'json', ...flags)).toEqual(expected);
  });

  test('of users, and a search', async () => {
    expect(await ids('users', '--json', 'id', '--where', 'age>=70')).toEqual([2]);
    expect(await ids('users', '--json', 'id', '--search', 'åSE')).toEqual([2]);
    expect(await ids('logs', '--user', 'all', '--json', 'id', '--search', 'STIFF')).toEqual([3]);
    expect(await ids('export', 'logs', '--format', 'json', '--search', 'stiff')).toEqual([3]);
  });

  test.each([
    ['are not narrowed to the usual one', [], [2, 4]],
    ['are narrowed to the one of --user', ['--user', '1'], []],
  ])('that name users %s', async (_, flags, ids) => {
    const { stdout } = await run(['logs', '--json', 'id', '--where', 'userId=2', ...flags], {
      db: filled(),
      env: { SCIATICA_USER: '1' },
    });
    expect(JSON.parse(stdout)).toEqual(ids.map((id) => ({ id })));
  });

  test('that name users are not narrowed in other lists either', async () => {
    const db = prepared((store) => {
      for (const userId of [store.users.create(nora).id, store.users.create(nora).id])
        store.of('painEntry').create({ userId, date: '2026-01-01', pain: 5 });
    });
    const words = ['pains', '--json', 'id,userId', '--where', 'userId=2'];
    const { stdout } = await run(words, { db, env: { SCIATICA_USER: '1' } });
    expect(JSON.parse(stdout)).toEqual([{ id: 2, userId: 2 }]);
  });

  test.each<[string, RegExp]>([
    ['pain_after>=7', /"pain_after" is not a field \(did you mean painAfter\?\)\. The fields are id, userId/],
    ['painAfter', /is no condition: it must be like 'id>=7'/],
    ['', /is no condition/],
    ['painAfter>=x', /'painAfter>=x': painAfter must be a whole number from 1 to 10/],
    ['painAfter>=11', /must be a whole number from 1 to 10/],
    ['painAfter~1', /painAfter cannot be compared with ~, only with = != >= <= > </],
    ['notes>a', /notes cannot be compared with >, only with = != ~/],
    ['constructor=1', /"constructor" is not a field/],
    ['notes~\u001b[31m', /^(?!.*\u001b)/],
  ])('%j is refused', async (condition, words) => {
    const { code, stdout, stderr } = await run(['logs', '--user', 'all', '--where', condition], {
      db: filled(),
    });
    if (condition.startsWith('notes~')) return expect(stderr).toMatch(words);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(words);
  });

  test('a range twice is refused', async () => {
    const words = ['logs', '--where', 'id>1', '--where', 'id>2'];
    expect((await run(words, { db: filled() })).stderr).toMatch(/'id>2': id is given twice/);
  });

  test('nothing that matches is said', async () => {
    expect((await run(['users', '--where', 'age>100'], { db: filled() })).stderr).toBe('No user matches.\n');
  });

  test('completion suggests them', async () => {
    const words = ['complete', 'zsh', '--', 'logs', '--where', 'painA'];
    const lines = (await run(words, { db: filled() })).stdout.split('\n');
    const signs = lines.flatMap((line) => /^painAfter(\W+?)\s*$/.exec(line)?.[1] ?? []);
    expect(signs).toEqual(['=', '!=', '>=', '<=', '>', '<']);
  });
});
