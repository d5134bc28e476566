import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freshFolder, freshPath, nora, prepared, run, session } from '../helpers.ts';

/** Two people, and an exercise, a routine and a goal of each. */
const practice = (chosen?: number) =>
  prepared((store) => {
    for (const [i, name] of ['Hers', 'His'].entries()) {
      const userId = i + 1;
      store.users.create({ ...nora, firstName: name });
      store.logs.create({ ...session, userId, exerciseName: `${name} Stretch` });
      const exercises = [{ exerciseName: `${name} Plank`, exerciseType: 'strengthening' as const }];
      store.routines.create({ userId, name: `${name} Morning`, exercises });
    }
    if (chosen !== undefined) store.settings.set('user', String(chosen));
  });

const complete = async (words: readonly string[], db: string, env: Record<string, string> = {}) =>
  (await run(['complete', 'zsh', '--', ...words], { db, env })).stdout.split('\n').slice(1, -1);

/** Commands whose words are records. */
const RECORDS = [
  'log add',
  'log again',
  'log add --name',
  'log show',
  'log edit',
  'log rm',
  'log routine',
  'logs --name',
  'exercise rename',
  'trial start',
  'routine show',
  'routine add Evening',
  'history --log',
  'undo',
];

test.each(RECORDS)('%s offers nothing while it is not clear whose', async (words) =>
  expect(await complete([...words.split(' '), ''], practice())).toEqual([]),
);

test.each(RECORDS)('%s offers what is of the user chosen, and of nobody else', async (words) => {
  const offered = (await complete([...words.split(' '), ''], practice(2))).join('\n');
  expect(offered).toMatch(/His/);
  expect(offered).not.toMatch(/Hers/);
});

test.each<[string, string[], Record<string, string>]>([
  ['--user 1', ['log', 'add', '--user', '1', ''], {}],
  ['--user=1', ['log', 'add', '--user=1', ''], {}],
  ['SCIATICA_USER', ['log', 'add', ''], { SCIATICA_USER: '1' }],
])('%s says whose exercises are offered', async (_, words, env) =>
  expect(await complete(words, practice(2), env)).toEqual(['Hers Stretch\tstretch']),
);

test.each(['--user all', '--user 99', '--user x'])('%s is nobody in particular', async (flags) =>
  expect(await complete(['logs', ...flags.split(' '), '--name', ''], practice())).toEqual([]),
);

test('the value of a flag may hold an equals sign', async () => {
  const db = join(freshFolder(), 'a=b.db');
  copyFileSync(practice(2), db);
  expect(await complete([`--db=${db}`, 'log', 'add', ''], freshPath())).toEqual(['His Stretch\tstretch']);
});

test.each(['user use', 'user merge', 'user merge 1 --into'])(
  '%s: a user is chosen among all',
  async (words) => expect(await complete([...words.split(' '), ''], practice(2))).toHaveLength(2),
);

test('a trial is against rest, the usual, or an exercise', async () =>
  expect(await complete(['trial', 'start', 'plank', '--against', ''], practice(2))).toEqual([
    'rest\t',
    'usual\t',
    'His Stretch\tstretch',
  ]));
