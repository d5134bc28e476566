import { describe, expect, test } from 'vitest';
import { trialFields } from '../../src/domain/trial.ts';
import { openStore } from '../../src/store/store.ts';
import { keys, nora, noraWith, prepared, records, run, session } from '../helpers.ts';
import { exampleOf } from '../samples.ts';

/** User 1 spells an exercise in three ways, user 2 has one of the same name. */
const misspelt = (more?: Parameters<typeof prepared>[0]) =>
  prepared((store) => {
    store.users.create(nora);
    store.users.create({ ...nora, firstName: 'Ole' });
    store.logs.create({ ...session, date: '2026-01-01' });
    store.logs.create({ ...session, date: '2026-01-02' });
    store.logs.create({ ...session, exerciseName: 'Piriformis Strech', date: '2026-01-03' });
    store.logs.create({ ...session, exerciseName: 'piriformis stretch', date: '2026-01-04' });
    store.logs.create({ ...session, exerciseName: 'Bird Dog', exerciseType: 'strengthening' });
    store.logs.create({ ...session, userId: 2, exerciseName: 'Piriformis Strech' });
    more?.(store);
  });

const named = (db: string) => records(db).logs.map(({ exerciseName }) => exerciseName);

const [right, wrong, small, dog] = [
  'Piriformis Stretch',
  'Piriformis Strech',
  'piriformis stretch',
  'Bird Dog',
];
const as = (words: string[], user = '1') => ['exercise', 'rename', ...words, '--user', user];

describe('exercises', () => {
  test('are tab-separated lines in a pipe, the latest first', async () => {
    const { code, stdout, stderr } = await run(['exercises', '--user', '1'], { db: misspelt() });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n')).toEqual([
      'exerciseName\texerciseType\tsessions\tdate',
      'Bird Dog\tstrengthening\t1\t2026-03-01',
      'piriformis stretch\tstretch\t1\t2026-01-04',
      'Piriformis Strech\tstretch\t1\t2026-01-03',
      'Piriformis Stretch\tstretch\t2\t2026-01-02',
      '',
    ]);
  });

  test('are a table in a terminal', async () => {
    const { stdout } = await run(['exercises', '--user', '2'], { db: misspelt(), columns: 80 });
    expect(stdout.split('\n')).toEqual([
      'Exercise           Type     Sessions  Last day',
      'Piriformis Strech  stretch         1  2026-03-01',
      '',
    ]);
  });

  test.each<[string[], string]>([
    [['--json', 'exerciseName,sessions'], '[{"exerciseName":"Piriformis Strech","sessions":1}]\n'],
    [['--csv'], 'exerciseName,exerciseType,sessions,date\nPiriformis Strech,stretch,1,2026-03-01\n'],
  ])('with %j', async (words, stdout) => {
    const answer = await run(['exercises', '--user', '2', ...words], { db: misspelt() });
    expect({ ...answer, stdout: answer.stdout.replaceAll('\r', '') }).toEqual({
      code: 0,
      stdout,
      stderr: '',
    });
  });

  test('of all users are counted together', async () => {
    const { stdout } = await run(['exercises', '--user', 'all', '--json'], { db: misspelt() });
    expect(JSON.parse(stdout)).toContainEqual({
      exerciseName: wrong,
      exerciseType: 'stretch',
      sessions: 2,
      date: '2026-03-01',
    });
  });

  test.each<[string[], string, string]>([
    [[], '', 'Nothing is recorded yet. Start with: sciatica user add, then sciatica log add\n'],
    [['--json'], '[]\n', ''],
  ])('where there are none, with %j', async (words, stdout, stderr) => {
    expect(await run(['exercises', ...words])).toEqual({ code: 0, stdout, stderr });
  });

  test.each<[string[], number, string]>([
    [['--user', '9'], 3, 'sciatica: There is no user 9.\n'],
    [
      ['--user', 'x'],
      2,
      'sciatica: --user must be a whole number, 1 or more, not "x". See: sciatica users\n',
    ],
    [['--json', 'name'], 2, '"name" is not a field'],
  ])('%j', async (words, code, message) => {
    const answer = await run(['exercises', ...words], { db: misspelt() });
    expect(answer).toMatchObject({ code, stdout: '' });
    expect(answer.stderr).toContain(message);
  });
});

describe('exercise rename', () => {
  test('renames the logs of one user, and one undo takes it back', async () => {
    const db = misspelt();
    const before = records(db).logs;
    const done = await run(as([dog, 'Dead Bug']), { db });
    expect(done).toEqual({
      code: 0,
      stdout: 'Renamed "Bird Dog" to "Dead Bug" for Nora Lind: 1 log.\n',
      stderr: 'Wrong? sciatica undo 9\n',
    });
    expect(named(db)).toEqual([right, right, wrong, small, 'Dead Bug', wrong]);
    await run(['undo', '9', '--yes'], { db });
    expect(records(db).logs).toEqual(before);
  });

  test('merges after a question, and one undo takes all of it back', async () => {
    const db = misspelt();
    const before = records(db).logs;
    const question = 'Merge 1 session of "Piriformis Strech" into "Piriformis Stretch", which\nhas 2?';
    const no = await run(as([wrong, right]), { db, answers: [[question, keys.enter]] });
    expect(no).toMatchObject({ code: 1, stdout: '' });
    expect(no.stderr).toContain('Nothing was renamed.');
    expect(records(db).logs).toEqual(before);
    const yes = await run(as([wrong, right]), { db, answers: [[question, `y${keys.enter}`]] });
    expect(yes).toMatchObject({
      code: 0,
      stdout: `Renamed "${wrong}" to "${right}" for Nora Lind: 1 log.\n`,
    });
    expect(named(db)).toEqual([right, right, right, small, dog, wrong]);
    await run(['undo', '--yes'], { db });
    expect(records(db).logs).toEqual(before);
  });

  test('what becomes another exercise has its type, and its name in routines and trials', async () => {
    const trial = { ...exampleOf(trialFields), against: 'exercise' as const, otherExercise: dog };
    const exercises = [{ exerciseName: dog, exerciseType: 'strengthening' as const }];
    const db = misspelt((store) => {
      store.routines.create({ userId: 1, name: 'Morning', exercises });
      store.of('trial').create({ ...trial, exerciseName: 'Cobra' });
      const others = { ...trial, state: 'given-up' as const, otherExercise: 'Cobra' };
      store.of('trial').create({ ...others, exerciseName: dog });
      store.of('trial').create({ ...others, seed: 1, exerciseName: 'Plank' });
    });
    expect((await run(as([dog, right]), { db })).stderr).toContain(
      'merge 1 session of "Bird Dog" into "Piriformis Stretch" (stretch), which has 2',
    );
    const { stdout } = await run([...as([dog, right]), '--yes'], { db });
    expect(stdout).toBe(
      'Renamed "Bird Dog" to "Piriformis Stretch" for Nora Lind: 1 log, 1 routine, 2 trials.\n',
    );
    const store = openStore(db);
    const [log, routines, trials] = [store.logs.get(5), store.routines.list(), store.of('trial').list()];
    store.close();
    const stretch = { exerciseName: right, exerciseType: 'stretch' };
    expect(log).toMatchObject(stretch);
    expect(routines).toMatchObject([{ exercises: [stretch] }]);
    expect(trials.map((one) => [one.exerciseName, one.otherExercise])).toEqual([
      ['Cobra', right],
      [right, 'Cobra'],
      ['Plank', 'Cobra'],
    ]);
  });

  test('asks about an exercise that only a routine has, of which the sessions get the type', async () => {
    const db = misspelt((store) => {
      const exercises = [{ exerciseName: 'Plank', exerciseType: 'strengthening' as const }];
      store.routines.create({ userId: 1, name: 'Morning', exercises });
    });
    const { code, stderr } = await run(as([wrong, 'plank']), { db });
    expect([code, stderr]).toEqual([
      2,
      'sciatica: This would merge 1 session of "Piriformis Strech" into "Plank" (strengthening), which has 0. To do it unasked, add --yes.\n',
    ]);
    expect(named(db)).toContain(wrong);
  });

  test('knows an exercise that only a trial has', async () => {
    const db = misspelt((store) => {
      const trial = { ...exampleOf(trialFields), exerciseName: 'Plnk', otherExercise: 'Cobar' };
      store.of('trial').create({ ...trial, against: 'exercise' });
    });
    const done = await run(as(['plnk', 'Plank']), { db });
    expect([done.code, done.stdout]).toEqual([
      0,
      'Renamed "Plnk" to "Plank" for Nora Lind: 0 logs, 1 trial.\n',
    ]);
    expect((await run(as(['Cobar', dog, '--yes']), { db })).code).toBe(0);
    const store = openStore(db);
    const [trial] = store.of('trial').list();
    store.close();
    expect(trial).toMatchObject({ exerciseName: 'Plank', otherExercise: dog });
  });

  test('leaves a trial that compares the two as it is', async () => {
    const trial = { ...exampleOf(trialFields), against: 'exercise' as const };
    const db = misspelt((store) => {
      store.of('trial').create({ ...trial, exerciseName: right, otherExercise: dog });
      store.of('trial').create({ ...trial, state: 'given-up', exerciseName: dog, otherExercise: right });
    });
    const { stdout } = await run([...as([dog, right]), '--yes'], { db });
    expect(stdout).toBe('Renamed "Bird Dog" to "Piriformis Stretch" for Nora Lind: 1 log.\n');
    const store = openStore(db);
    const trials = store.of('trial').list();
    store.close();
    expect(trials.map((one) => [one.exerciseName, one.otherExercise])).toEqual([
      [right, dog],
      [dog, right],
    ]);
  });

  test("leaves another user's routines and trials as they are", async () => {
    const db = misspelt((store) => {
      const exercises = [{ exerciseName: dog, exerciseType: 'strengthening' as const }];
      store.routines.create({ userId: 2, name: 'Morning', exercises });
      store.of('trial').create({ ...exampleOf(trialFields), userId: 2, exerciseName: dog });
    });
    const { stdout } = await run(as([dog, 'Dead Bug']), { db });
    expect(stdout).toBe('Renamed "Bird Dog" to "Dead Bug" for Nora Lind: 1 log.\n');
    const store = openStore(db);
    const [routines, trials] = [store.routines.list(), store.of('trial').list()];
    store.close();
    expect(routines).toMatchObject([{ exercises: [{ exerciseName: dog }] }]);
    expect(trials).toMatchObject([{ exerciseName: dog }]);
  });

  test('keeps every record as it is when the question is broken off', async () => {
    const db = misspelt();
    expect((await run(as([wrong, right]), { db, answers: [['Merge', keys.ctrlC]] })).code).toBe(130);
    expect(named(db)).toEqual([right, right, wrong, small, dog, wrong]);
  });

  /** What the logs are called afterwards. */
  test.each<[string, string, string[], string[]]>([
    ['a merge unasked', wrong, [right, '--yes'], [right, right, right, small, dog, wrong]],
    [
      'the other letters are the known name',
      dog,
      [right.toUpperCase(), '--yes'],
      [right, right, wrong, small, right, wrong],
    ],
    [
      'the old name in other letters',
      'BIRD DOG',
      ['Dead Bug'],
      [right, right, wrong, small, 'Dead Bug', wrong],
    ],
    [
      'all spellings at once',
      right.toUpperCase(),
      ['Piri', '--yes'],
      ['Piri', 'Piri', wrong, 'Piri', dog, wrong],
    ],
    ['one spelling into another', small, [right, '--yes'], [right, right, wrong, right, dog, wrong]],
    ['the letters of the name itself', dog, ['bird dog'], [right, right, wrong, small, 'bird dog', wrong]],
  ])('%s', async (_, from, words, names) => {
    const db = misspelt();
    const [to = '', ...flags] = words;
    expect(await run([...as([from, to]), ...flags], { db })).toMatchObject({ code: 0 });
    expect(named(db)).toEqual(names);
  });

  test.each<[string, string[], number, string]>([
    [
      'a merge that nobody can be asked about',
      [wrong, right],
      2,
      'This would merge 1 session of "Piriformis Strech" into "Piriformis Stretch", which has 2. To do it unasked, add --yes.',
    ],
    [
      'an unknown name',
      ['Bird Dgo', 'x'],
      3,
      'There is no exercise "Bird Dgo" (did you mean Bird Dog?). See: sciatica exercises',
    ],
    [
      'a part of a name',
      ['dog', 'x'],
      3,
      'There is no exercise "dog" (did you mean Bird Dog?). See: sciatica exercises',
    ],
    ['the same name', [dog, dog], 2, 'The exercise is called "Bird Dog" already.'],
    ['the same name in other letters', ['bird dog', dog], 2, 'The exercise is called "Bird Dog" already.'],
    ['a blank name', [dog, ' '], 2, 'name must be text of 1 to 100 characters, not only spaces'],
    ['a long name', [dog, 'x'.repeat(101)], 2, 'name is 101 characters long: at most 100 are allowed'],
    ['one name', [dog], 2, '<new> is missing. Usage: sciatica exercise rename [options] <old> <new>'],
  ])('refuses %s', async (_, words, code, message) => {
    const db = misspelt();
    const answer = await run(as(words), { db });
    expect(answer).toMatchObject({ code, stdout: '' });
    expect(answer.stderr).toContain(message);
    expect(named(db)).toEqual([right, right, wrong, small, dog, wrong]);
  });

  test('a control character of a name does not reach the terminal', async () => {
    const db = noraWith({ exerciseName: 'a\u001b[31m' });
    const { stdout } = await run(['exercise', 'rename', 'a\u001b[31m', 'b'], { db });
    expect(stdout).toBe('Renamed "a\\u001b[31m" to "b": 1 log.\n');
  });
});
