import { describe, expect, test } from 'vitest';
import { openStore } from '../../src/store/store.ts';
import { keys, nora, noraWith, prepared, records, run, session, TODAY } from '../helpers.ts';

const { enter, ctrlC } = keys;
const [stretch, dog] = [
  { exerciseName: 'Piriformis Stretch', exerciseType: 'stretch' as const },
  { exerciseName: 'Bird Dog', exerciseType: 'strengthening' as const },
];

/** Nora, who has done two exercises, and has the routine "morning" of both unless told otherwise. */
const done = (hasRoutine = true) =>
  prepared((store) => {
    store.users.create(nora);
    store.logs.create(session);
    store.logs.create({ ...session, ...dog });
    if (hasRoutine) store.routines.create({ userId: 1, name: 'morning', exercises: [stretch, dog] });
  });

const routinesOf = (db: string) => {
  const store = openStore(db);
  try {
    return store.routines.list();
  } finally {
    store.close();
  }
};

describe('routine add', () => {
  test.each<[string, string[], object[]]>([
    ['known names', ['Piriformis Stretch', 'Bird Dog'], [stretch, dog]],
    ['known names in other letters', ['bird dog', 'PIRIFORMIS STRETCH'], [dog, stretch]],
    ['parts and initials of known names', ['piri', 'bd'], [stretch, dog]],
    [
      'a part of a known name as a new one',
      ['dog=stretch'],
      [{ exerciseName: 'dog', exerciseType: 'stretch' }],
    ],
    ['a type for a new one', ['Cat-Cow=stretch'], [{ exerciseName: 'Cat-Cow', exerciseType: 'stretch' }]],
    [
      'a type for all new ones',
      ['Bird Dog', 'x', '--type', 'stretch'],
      [dog, { exerciseName: 'x', exerciseType: 'stretch' }],
    ],
    [
      'the beginning of a type',
      ['Plank=Strength'],
      [{ exerciseName: 'Plank', exerciseType: 'strengthening' }],
    ],
    ['another type than before', ['bird dog=stretch'], [{ ...dog, exerciseType: 'stretch' }]],
  ])('takes %s', async (_, words, exercises) => {
    const db = done(false);
    const answer = await run(['routine', 'add', 'morning', ...words], { db });
    expect(answer).toMatchObject({ code: 0, stderr: 'To record it: sciatica log routine morning\n' });
    expect(routinesOf(db)).toEqual([{ id: 1, userId: 1, name: 'morning', exercises }]);
  });

  test('names it in the command to go on with as a shell reads it', async () => {
    const { stderr } = await run(['routine', 'add', "Nora's", 'bird dog'], { db: done() });
    expect(stderr).toBe("To record it: sciatica log routine 'Nora'\\''s'\n");
  });

  test('says what was added, and how to record it', async () => {
    expect(await run(['routine', 'add', 'my morning', 'bird dog'], { db: done() })).toEqual({
      code: 0,
      stdout: 'Added routine 2: my morning (Bird Dog). Wrong? sciatica undo 5\n',
      stderr: "To record it: sciatica log routine 'my morning'\n",
    });
  });

  test.each<[string[], string]>([
    [[], "Say the name and the exercises: sciatica routine add morning 'Bird Dog' 'Cat-Cow'"],
    [['x'], 'Say the exercises after the name, in order.'],
    [
      ['x', 'Bird Dgo', 'Cat-Cow'],
      "'Bird Dgo' is a new exercise (did you mean Bird Dog?): say its type, as in 'Bird Dgo=stretch', or --type for all of them\n  Cat-Cow is a new exercise: say its type, as in Cat-Cow=stretch, or --type",
    ],
    [['x', 'Bird=yoga'], 'Bird=yoga must have one of stretch, strengthening after the ='],
    [['x', 'a', '--type', 'yoga'], '--type must be one of stretch, strengthening'],
    [['x', 'Bird Dog', 'bird dog'], "'bird dog' is in the routine already"],
    [
      ['MORNING', 'Bird Dog'],
      'There is a routine morning already. To change it: sciatica routine edit morning',
    ],
    [[' ', 'Bird Dog'], 'name must be text of 1 to 100 characters, not only spaces'],
    [['x'.repeat(101), 'Bird Dog'], 'name is 101 characters long: at most 100 are allowed'],
    [
      ['x', ...Array.from({ length: 51 }, (_, i) => `e${i}=stretch`)],
      'exercises must be a list of 1 to 50 objects',
    ],
    [['x', 'Bird Dog', '--json', 'title'], '"title" is not a field'],
  ])('refuses %j', async (words, message) => {
    const db = done();
    const answer = await run(['routine', 'add', ...words], { db });
    expect(answer).toMatchObject({ code: 2, stdout: '' });
    expect(answer.stderr).toContain(message);
    expect(routinesOf(db)).toHaveLength(1);
  });

  test('names what each ambiguous part can mean, and each name without a type', async () => {
    const db = noraWith({}, { exerciseName: 'Calf Stretch' }, { ...dog }, { exerciseName: 'Dog Walk' });
    expect(await run(['routine', 'add', 'x', 'stretch', 'Plank', 'dog', 'bd'], { db })).toEqual({
      code: 2,
      stdout: '',
      stderr: [
        'sciatica: 3 values are missing or wrong:',
        '  stretch can mean Calf Stretch, Piriformis Stretch: say more of the name, or name a new exercise with its type, as in stretch=stretch',
        '  Plank is a new exercise: say its type, as in Plank=stretch, or --type for all of them',
        '  dog can mean Dog Walk, Bird Dog: say more of the name, or name a new exercise with its type, as in dog=stretch',
        '',
      ].join('\n'),
    });
    expect(routinesOf(db)).toEqual([]);
  });

  test('in a terminal asks which of several', async () => {
    const db = noraWith({}, { exerciseName: 'Calf Stretch' }, { ...dog }, { exerciseName: 'Dog Walk' });
    const { code, stdout } = await run(['routine', 'add', 'x', 'bird', 'stretch', 'dog'], {
      db,
      answers: [
        ['Which exercise is stretch?', keys.down],
        ['❯ Piriformis Stretch', enter],
        ['Which exercise is dog?', keys.down],
        ['❯ Bird Dog', keys.down],
        ['❯ dog (new)', enter],
        ['Kind of dog', keys.down],
        ['❯ strengthening', enter],
      ],
    });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'Added routine 1: x (Bird Dog, Piriformis Stretch, dog). Wrong? sciatica undo 3\n',
    });
    expect(routinesOf(db)[0]?.exercises[2]).toEqual({ ...dog, exerciseName: 'dog' });
  });

  test('takes --type for a new exercise that is a part of known names', async () => {
    const db = noraWith({}, { exerciseName: 'Calf Stretch' });
    const answers = [
      ['Which exercise is stretch?', keys.down],
      ['❯ Piriformis Stretch', keys.down],
      ['❯ stretch (new)', enter],
    ] as const;
    await run(['routine', 'add', 'x', 'stretch', '--type', 'strengthening'], { db, answers });
    expect(routinesOf(db)[0]?.exercises).toEqual([{ ...dog, exerciseName: 'stretch' }]);
  });

  test('in a terminal a part means an exercise that is not in the routine yet', async () => {
    const db = noraWith({}, { exerciseName: 'Calf Stretch' });
    const { code } = await run(['routine', 'add', 'x'], {
      db,
      answers: [
        ['Exercise 1', `calf${enter}`],
        ['Exercise 2', `stretch${enter}`],
        ['Exercise 3', enter],
      ],
    });
    expect(code).toBe(0);
    expect(routinesOf(db)[0]?.exercises.map(({ exerciseName }) => exerciseName)).toEqual([
      'Calf Stretch',
      'Piriformis Stretch',
    ]);
  });

  test('asks for what is missing, a type and a misspelt name included', async () => {
    const db = done(false);
    const { code } = await run(['routine', 'add'], {
      db,
      answers: [
        ['Name of the routine', `morning${enter}`],
        ['Exercise 1', `bird dog${enter}`],
        ['Exercise 2 (Enter: that is all)', `Piriformis Strech${enter}`],
        ['Did you mean Piriformis Stretch?', enter],
        ['Exercise 3', `dog${enter}`],
        ['in the routine already', `${keys.backspace.repeat(3)}Plank=yoga${enter}`],
        ['one of stretch, strengthening after the =', `${keys.backspace.repeat(5)}${enter}`],
        ['Kind of Plank', keys.down],
        ['strengthening', enter],
        ['Exercise 4', enter],
      ],
    });
    expect(code).toBe(0);
    expect(routinesOf(db)[0]?.exercises).toEqual([
      dog,
      stretch,
      { exerciseName: 'Plank', exerciseType: 'strengthening' },
    ]);
  });

  test('writes nothing when it is broken off', async () => {
    const db = done(false);
    const answers = [
      ['Exercise 1', `bird dog${enter}`],
      ['Exercise 2', ctrlC],
    ] as const;
    expect((await run(['routine', 'add', 'x'], { db, answers })).code).toBe(130);
    expect(routinesOf(db)).toEqual([]);
  });
});

describe('routines', () => {
  test.each<[string[], number | undefined, string[]]>([
    [[], undefined, ['id\tuserId\tname\texercises', `1\t1\tmorning\t${JSON.stringify([stretch, dog])}`]],
    [[], 80, ['Id  Name     Exercises', ' 1  morning  Piriformis Stretch, Bird Dog']],
    [
      ['--user', 'all'],
      80,
      ['Id  Name     Exercises                     User', ' 1  morning  Piriformis Stretch, Bird Dog     1'],
    ],
    [
      ['--json'],
      undefined,
      [JSON.stringify([{ id: 1, userId: 1, name: 'morning', exercises: [stretch, dog] }])],
    ],
    [
      ['--csv'],
      undefined,
      ['id,userId,name,exercises', `1,1,morning,"${JSON.stringify([stretch, dog]).replaceAll('"', '""')}"`],
    ],
  ])('%j at %j columns', async (words, columns, lines) => {
    const { stdout, code } = await run(['routines', ...words], { db: done(), ...(columns && { columns }) });
    expect({ code, lines: stdout.replaceAll('\r', '').split('\n') }).toEqual({
      code: 0,
      lines: [...lines, ''],
    });
  });

  test('says how to begin where there is none', async () => {
    const db = done(false);
    const answer = await run(['routines', '--db', db]);
    expect(answer).toEqual({
      code: 0,
      stdout: '',
      stderr: `There is no routine yet. To add one: sciatica routine add --db ${db}\n`,
    });
  });
});

describe('routine show', () => {
  test.each(['morning', 'MORNING', '1'])('%s', async (name) => {
    const { stdout } = await run(['routine', 'show', name], { db: done() });
    expect(stdout).toBe(
      'Id          1\nName        morning\nExercise 1  Piriformis Stretch (stretch)\nExercise 2  Bird Dog (strengthening)\n',
    );
  });

  test.each<[string, boolean, string]>([
    ['mornign', true, 'There is no routine mornign (did you mean morning?). See: sciatica routines'],
    ['2', true, 'There is no routine 2. See: sciatica routines'],
    ['x', false, 'There is no routine yet. To add one: sciatica routine add'],
  ])('%s is not there', async (name, hasRoutine, message) => {
    const answer = await run(['routine', 'show', name], { db: done(hasRoutine) });
    expect(answer).toEqual({ code: 3, stdout: '', stderr: `sciatica: ${message}\n` });
  });

  test('as JSON', async () => {
    const { stdout } = await run(['routine', 'show', 'morning', '--json', 'name'], { db: done() });
    expect(stdout).toBe('{"name":"morning"}\n');
  });
});

describe('routine edit', () => {
  test.each<[string[], object]>([
    [['--name', 'daily'], { name: 'daily', exercises: [stretch, dog] }],
    [['Bird Dog'], { name: 'morning', exercises: [dog] }],
    [
      ['bird dog', 'x=stretch', '--name', 'Morning'],
      { name: 'Morning', exercises: [dog, { exerciseName: 'x', exerciseType: 'stretch' }] },
    ],
  ])('%j', async (words, after) => {
    const db = done();
    expect(await run(['routine', 'edit', 'morning', ...words], { db })).toMatchObject({ code: 0 });
    expect(routinesOf(db)).toEqual([{ id: 1, userId: 1, ...after }]);
    await run(['undo', '--yes'], { db });
    expect(routinesOf(db)[0]).toMatchObject({ name: 'morning', exercises: [stretch, dog] });
  });

  test('asks for name and exercises', async () => {
    const db = done();
    const { stdout } = await run(['routine', 'edit', 'morning'], {
      db,
      answers: [
        ['Name of the routine', enter],
        ['Keep the exercises (Piriformis Stretch, Bird Dog)?', `n${enter}`],
        ['Exercise 1', `Bird Dog${enter}`],
        ['Exercise 2', enter],
      ],
    });
    expect(stdout).toBe('Changed routine 1 (exercises): morning (Bird Dog). Wrong? sciatica undo 5\n');
  });

  test('that changes nothing is no change', async () => {
    const db = done();
    const { stdout } = await run(['routine', 'edit', 'morning', '--name', 'morning'], { db });
    expect(stdout).toBe('Nothing changed.\n');
    expect((await run(['history', '--limit', '1'], { db })).stdout).toContain('routine\t1\tcreate');
  });

  test('that changes nothing answers --json with the routine', async () => {
    const { code, stdout } = await run(
      ['routine', 'edit', 'morning', '--name', 'morning', '--json', 'name'],
      {
        db: done(),
      },
    );
    expect({ code, stdout }).toEqual({ code: 0, stdout: '{"name":"morning"}\n' });
  });

  test('keeps what was changed elsewhere while it asked', async () => {
    const db = done();
    const rename = () => {
      const store = openStore(db);
      store.routines.update(1, { name: 'daily' });
      store.close();
      return enter;
    };
    const { stdout } = await run(['routine', 'edit', 'morning'], {
      db,
      answers: [
        ['Name of the routine', rename],
        ['Keep the exercises', `n${enter}`],
        ['Exercise 1', `Bird Dog${enter}`],
        ['Exercise 2', enter],
      ],
    });
    expect(stdout).toContain('Changed routine 1 (exercises): daily (Bird Dog).');
    expect(routinesOf(db)).toMatchObject([{ name: 'daily', exercises: [dog] }]);
  });

  test('overwrites no exercises that were changed elsewhere while it asked', async () => {
    const db = done();
    const change = () => {
      const store = openStore(db);
      store.routines.update(1, { exercises: [stretch] });
      store.close();
      return enter;
    };
    const { code, stderr } = await run(['routine', 'edit', 'morning'], {
      db,
      answers: [
        ['Name of the routine', change],
        ['Keep the exercises', `n${enter}`],
        ['Exercise 1', `Bird Dog${enter}`],
        ['Exercise 2', enter],
      ],
    });
    expect([code, stderr]).toEqual([4, expect.stringContaining('routine 1 was changed meanwhile')]);
    expect(routinesOf(db)).toMatchObject([{ exercises: [stretch] }]);
  });

  test('needs something to change', async () => {
    const answer = await run(['routine', 'edit', 'morning'], { db: done() });
    expect(answer).toMatchObject({ code: 2, stderr: expect.stringContaining('Say what to change') });
  });
});

describe('completion of', () => {
  const EXERCISES = ['Bird Dog', 'Piriformis Stretch'];
  test.each<[string[], string[]]>([
    [['routine', 'add', ''], []],
    [['routine', 'add', 'x', ''], EXERCISES],
    [['routine', 'add', 'x', 'Bird Dog', 'p'], ['Piriformis Stretch']],
    [['routine', 'edit', ''], ['morning']],
    [['routine', 'edit', 'morning', ''], EXERCISES],
    [['routine', 'show', ''], ['morning']],
    [['log', 'routine', ''], ['morning']],
    [['log', 'add', ''], EXERCISES],
    [['log', 'add', 'Bird Dog', ''], []],
  ])('%j', async (words, values) => {
    const { stdout } = await run(['complete', 'zsh', '--', ...words], { db: done() });
    const offered = stdout.trimEnd().split('\n').slice(1);
    expect(offered.map((line) => line.split('\t')[0]).sort()).toEqual(values);
  });
});

test('routine rm asks, and keeps the logs', async () => {
  const db = done();
  expect(await run(['routine', 'rm', 'morning'], { db })).toMatchObject({ code: 2 });
  const { stdout } = await run(['routine', 'rm', 'morning', '--yes'], { db });
  expect(stdout).toBe('Deleted routine 1: morning (Piriformis Stretch, Bird Dog). Wrong? sciatica undo 5\n');
  expect([routinesOf(db), records(db).logs]).toEqual([[], expect.objectContaining({ length: 2 })]);
});

test('routines shows what fits of the exercises in a narrow terminal', async () => {
  const { stdout, stderr } = await run(['routines'], { db: done(), columns: 40 });
  expect(stderr).toBe('');
  expect(stdout).toContain('Piriformis Stretch, Bird D…');
});

describe('log routine', () => {
  describe('--shuffle', () => {
    const names = [...'ABCDEFGH'];
    const long = () =>
      prepared((store) => {
        store.users.create(nora);
        const exercises = names.map((exerciseName) => ({ ...stretch, exerciseName }));
        store.routines.create({ userId: 1, name: 'long', exercises });
      });
    const asked = (stderr: string) => /Today in this order: (.*)\./.exec(stderr)?.[1]?.split(', ') ?? [];
    const recorded = (db: string) => records(db).logs.map(({ exerciseName }) => exerciseName);

    test('asks in an order drawn for the day, and records in it', async () => {
      const db = long();
      const answers = names.map((_, i): [string, string] => [`${i + 1}/8`, `6 4${enter}`]);
      const { stderr } = await run(['log', 'routine', 'long', '--shuffle'], { db, answers });
      const order = asked(stderr);
      expect(order).not.toEqual(names);
      expect(order.toSorted()).toEqual(names);
      expect(recorded(db)).toEqual(order);
      const again = await run(['log', 'routine', 'long', '--shuffle'], { db, answers });
      expect(asked(again.stderr)).toEqual(order);
      const tomorrow = { db, answers, now: new Date(2026, 2, 3, 12) };
      const other = await run(['log', 'routine', 'long', '--shuffle'], tomorrow);
      expect(asked(other.stderr)).not.toEqual(order);
    });

    test('does not say that the order of another day is that of today', async () => {
      const answers: [string, string][] = [['1/8', keys.ctrlC]];
      const words = ['log', 'routine', 'long', '--shuffle', '--date', 'yesterday'];
      const { stderr } = await run(words, { db: long(), answers });
      expect(stderr).toMatch(/^In this order: /);
    });

    test('takes the order of --set as the order in which they were done', async () => {
      const sets = names.toReversed().flatMap((name) => ['--set', `${name}=6,4`]);
      const [shuffled, asPrescribed] = [long(), long()];
      await run(['log', 'routine', 'long', '--shuffle', ...sets], { db: shuffled });
      await run(['log', 'routine', 'long', ...sets], { db: asPrescribed });
      expect([recorded(shuffled), recorded(asPrescribed)]).toEqual([names.toReversed(), names]);
    });

    test.each([
      ['the routine', [], names],
      ['two exercises, which change places', ['A', 'B'], ['B', 'A']],
    ])('of routine edit puts in another order: %s', async (_, words, before) => {
      const db = long();
      const typed = words.map((name) => `${name}=stretch`);
      await run(['routine', 'edit', 'long', ...typed, '--shuffle'], { db });
      const after = routinesOf(db)[0]?.exercises.map(({ exerciseName }) => exerciseName) ?? [];
      if (words.length > 0) expect(after).toEqual(before);
      else expect(after).not.toEqual(before);
      expect(after.toSorted()).toEqual(before.toSorted());
    });
  });

  const logged = (db: string) =>
    records(db)
      .logs.slice(2)
      .map(({ exerciseName, painBefore, painAfter, effective, date }) => [
        exerciseName,
        painBefore,
        painAfter,
        effective,
        date,
      ]);
  const both = ['--set', 'Piriformis Stretch=6,4', '--set', 'bird dog=5 5'];

  test('in a script: one change, which one undo takes back', async () => {
    const db = done();
    const answer = await run(['log', 'routine', 'morning', ...both], { db });
    expect(answer).toEqual({
      code: 0,
      stdout:
        'Added log 3: Piriformis Stretch today, 6 → 4 (↓2), helped.\nAdded log 4: Bird Dog today, 5 → 5, did not help.\n',
      stderr: 'Wrong? sciatica undo 5\n',
    });
    expect(logged(db)).toEqual([
      ['Piriformis Stretch', 6, 4, true, TODAY],
      ['Bird Dog', 5, 5, false, TODAY],
    ]);
    await run(['undo', '5', '--yes'], { db });
    expect(logged(db)).toEqual([]);
  });

  test('in a terminal: skips, goes back, and asks a wrong answer again', async () => {
    const db = done();
    const { code } = await run(['log', 'routine', 'morning'], {
      db,
      answers: [
        ['1/2 Piriformis Stretch, pain before and after (6 4; s skips)', `6 11${enter}`],
        ['Two numbers from 1 to 10', `${keys.backspace.repeat(2)}4${enter}`],
        ['2/2 Bird Dog, pain before and after (6 4; s skips, b goes back)', `b${enter}`],
        ['1/2 Piriformis Stretch', `6,3${enter}`],
        ['2/2 Bird Dog', `s${enter}`],
      ],
    });
    expect(code).toBe(0);
    expect(logged(db)).toEqual([['Piriformis Stretch', 6, 3, true, TODAY]]);
  });

  test('saves nothing before the last answer', async () => {
    const db = done();
    const answers = [
      ['1/2', `6 4${enter}`],
      ['2/2', ctrlC],
    ] as const;
    expect((await run(['log', 'routine', 'morning'], { db, answers })).code).toBe(130);
    expect(logged(db)).toEqual([]);
  });

  test('asks only for what --set does not say, on the day that was said', async () => {
    const db = done();
    await run(['log', 'routine', 'morning', '--set', 'Bird Dog=s', '--date', 'yesterday'], {
      db,
      answers: [['1/1 Piriformis Stretch', `6 4${enter}`]],
    });
    expect(logged(db)).toEqual([['Piriformis Stretch', 6, 4, true, '2026-03-01']]);
  });

  test('answers --json with an empty list when all is skipped', async () => {
    const skipped = ['--set', 'piri=s', '--set', 'dog=s', '--json'];
    expect((await run(['log', 'routine', 'morning', ...skipped], { db: done() })).stdout).toBe('[]\n');
  });

  test('records nothing when all is skipped', async () => {
    const db = done();
    const words = ['--set', 'Bird Dog=s', '--set', 'Piriformis Stretch=skip'];
    expect(await run(['log', 'routine', 'morning', ...words], { db })).toEqual({
      code: 0,
      stdout: '',
      stderr: 'Every exercise was skipped: nothing was recorded.\n',
    });
  });

  test.each([
    '6/10 4/10 stiff',
    '6/10,4/10 stiff',
    '6->4 stiff',
    '6-4 stiff',
    '6–4 stiff',
    '6 → 4 stiff',
    '6 to 4 stiff',
    '６，４ stiff',
    '٦ ٤ stiff',
  ])('takes %s', async (said) => {
    const db = done();
    await run(['log', 'routine', 'morning', '--set', `Bird Dog=${said}`, '--set', 'piri=s'], { db });
    expect(records(db).logs.slice(2)).toMatchObject([{ painBefore: 6, painAfter: 4, notes: 'stiff' }]);
  });

  test('takes a note after the numbers', async () => {
    const db = done();
    await run(['log', 'routine', 'morning', '--set', 'Bird Dog=6,4 stiff, x = y'], {
      db,
      answers: [['1/1', `6 4 after the drive${enter}`]],
    });
    expect(records(db).logs.slice(2)).toMatchObject([
      { exerciseName: 'Piriformis Stretch', notes: 'after the drive' },
      { exerciseName: 'Bird Dog', painAfter: 4, notes: 'stiff, x = y' },
    ]);
  });

  test('finds exercises of the routine by a part of the name, or initials', async () => {
    const db = done();
    const words = ['log', 'routine', 'morning', '--set', 'piri=6,4', '--set', 'BD=s'];
    expect((await run(words, { db })).code).toBe(0);
    expect(logged(db)).toEqual([['Piriformis Stretch', 6, 4, true, TODAY]]);
  });

  test('tells names apart that differ in marks only', async () => {
    const db = done();
    await run(['routine', 'add', 'x', 'Dehnung=stretch', 'Dehnüng=stretch'], { db });
    const words = ['log', 'routine', 'x', '--set', 'DEHNÜNG=6,4', '--set', 'dehnung=s'];
    expect(await run(words, { db })).toMatchObject({ code: 0 });
    expect(logged(db)).toMatchObject([['Dehnüng', 6, 4, true, TODAY]]);
  });

  test('knows an exercise whose name has = in it', async () => {
    const db = done();
    await run(['routine', 'add', 'odd', 'a=stretch', 'a=b=stretch'], { db });
    await run(['log', 'routine', 'odd', '--set', 'A=B=6,4', '--set', 'a=5,5'], { db });
    expect(logged(db).map(([name, before]) => [name, before])).toEqual([
      ['a', 5],
      ['a=b', 6],
    ]);
  });

  test.each(['mor', 'MORNING', '1'])('finds the routine %s', async (name) => {
    const db = done();
    expect((await run(['log', 'routine', name, ...both], { db })).code).toBe(0);
    expect((await run(['routine', 'show', name], { db })).stdout).toContain('morning');
    expect(logged(db)).toHaveLength(2);
  });

  test('asks which one a part of a name means, and names them in a script', async () => {
    const db = done();
    await run(['routine', 'add', 'moor', 'Bird Dog'], { db });
    expect(await run(['log', 'routine', 'mo', ...both], { db })).toMatchObject({
      code: 2,
      stderr: 'sciatica: mo can mean morning, moor: say more of the name.\n',
    });
    const answers = [
      ['Which routine?', keys.down],
      ['❯ moor (Bird Dog)', enter],
      ['1/1 Bird Dog', `6 4${enter}`],
    ] as const;
    expect((await run(['log', 'routine', 'mo'], { db, answers })).code).toBe(0);
    expect(logged(db)).toHaveLength(1);
  });

  test('the whole name in other letters is enough to change one', async () => {
    const db = done();
    expect((await run(['routine', 'edit', 'MORNING', '--name', 'dawn'], { db })).code).toBe(0);
    expect(routinesOf(db)).toMatchObject([{ name: 'dawn' }]);
  });

  test('the type of a new exercise may be in other letters', async () => {
    const db = done();
    await run(['routine', 'add', 'x', 'Plank= Strengthening '], { db });
    expect(routinesOf(db)[1]?.exercises).toEqual([{ exerciseName: 'Plank', exerciseType: 'strengthening' }]);
  });

  test('a routine does not come back beside another of its name', async () => {
    const db = done();
    await run(['routine', 'rm', 'morning', '--yes'], { db });
    await run(['routine', 'add', 'Morning', 'Bird Dog'], { db });
    const before = routinesOf(db);
    const { code, stderr } = await run(['undo', '5', '--yes'], { db });
    expect(code).toBe(4);
    expect(stderr).toContain('Change 5 cannot be undone: routine 2 has taken its place.');
    expect(routinesOf(db)).toEqual(before);
  });

  test('a part of a name is not enough to change or remove one', async () => {
    const db = done();
    expect((await run(['routine', 'rm', 'morn', '--yes'], { db })).code).toBe(3);
    expect((await run(['routine', 'edit', 'morn', '--name', 'x'], { db })).code).toBe(3);
  });

  test('going back keeps what was answered', async () => {
    const db = done();
    const answers = [
      ['1/2', `6 4 tight${enter}`],
      ['2/2', `b${enter}`],
      ['(6 4 tight)', enter],
      ['2/2', `5 5${enter}`],
    ] as const;
    expect((await run(['log', 'routine', 'morning'], { db, answers })).code).toBe(0);
    expect(records(db).logs[2]).toMatchObject({ painBefore: 6, painAfter: 4, notes: 'tight' });
  });

  test('a day in the future is pointed out, and a note that is too long is refused', async () => {
    const db = done();
    const { stderr } = await run(['log', 'routine', 'morning', ...both, '--date', '2026-03-03'], { db });
    expect(stderr).toContain('Note: 2026-03-03 is in the future.');
    const long = ['--set', `Bird Dog=6,4 ${'x'.repeat(10_001)}`, '--set', 'Piriformis Stretch=s'];
    const refused = await run(['log', 'routine', 'morning', ...long], { db });
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('a note of at most 10,000 characters');
    expect(records(db).logs).toHaveLength(4);
  });

  test('gives the logs as JSON', async () => {
    const { stdout } = await run(['log', 'routine', 'morning', ...both, '--json', 'id,painAfter'], {
      db: done(),
    });
    expect(stdout).toBe('[{"id":3,"painAfter":4},{"id":4,"painAfter":5}]\n');
  });

  test.each<[string[], number, string]>([
    [
      ['morning'],
      2,
      "--set is missing for 'Piriformis Stretch': add --set 'Piriformis Stretch=6,4', or =s to skip it",
    ],
    [['morning', '--set', 'Bird Dog=6,4'], 2, "--set is missing for 'Piriformis Stretch'"],
    [
      ['morning', ...both, '--set', 'Bird Dgo=6,4'],
      2,
      "--set 'Bird Dgo=6,4' is not about an exercise of the routine (did you mean Bird Dog?)",
    ],
    [
      ['morning', ...both, '--set', 'zzz=6,4'],
      2,
      '--set zzz=6,4 is not about an exercise of the routine (it has Piriformis Stretch, Bird Dog)',
    ],
    [
      ['morning', '--set', 'ir=6,4'],
      2,
      '--set ir=6,4 can mean Piriformis Stretch, Bird Dog: say more of the name',
    ],
    [['morning', ...both, '--set', 'bird=1,1'], 2, 'comes a second time for this exercise'],
    [['morning', ...both, '--set', 'Bird Dog=1,1'], 2, 'comes a second time for this exercise'],
    [['morning', '--set', 'Bird Dog'], 2, 'must be an exercise and two numbers'],
    [['morning', '--set', 'Bird Dog=0,4'], 2, 'must end in two numbers from 1 to 10, as in =6,4'],
    [['morning', '--set', 'Bird Dog=6'], 2, 'must end in two numbers'],
    [['morning', '--set', 'Bird Dog=64'], 2, 'must end in two numbers'],
    [['morning', ...both, '--date', '2026-02-30'], 2, '--date is no day: 30 February 2026 does not exist'],
    [['evening', ...both], 3, 'There is no routine evening'],
    [['morning', ...both, '--user', '9'], 3, 'There is no user 9.'],
  ])('refuses %j', async (words, code, message) => {
    const db = done();
    const answer = await run(['log', 'routine', ...words], { db });
    expect(answer).toMatchObject({ code, stdout: '' });
    expect(answer.stderr).toContain(message);
    expect(logged(db)).toEqual([]);
  });
});

describe('exercise rename', () => {
  test('changes routines too, and one undo takes all of it back', async () => {
    const db = done();
    const before = [records(db), routinesOf(db)];
    const words = ['exercise', 'rename', 'Bird Dog', 'Piriformis Stretch', '--yes'];
    expect((await run(words, { db })).stdout).toBe(
      'Renamed "Bird Dog" to "Piriformis Stretch": 1 log, 1 routine.\n',
    );
    expect(routinesOf(db)[0]?.exercises).toEqual([stretch]);
    await run(['undo', '--yes'], { db });
    expect([records(db), routinesOf(db)]).toEqual(before);
  });

  test('names an exercise once that logs and routines have', async () => {
    const { stdout } = await run(['exercise', 'rename', 'bird dog', 'Dog'], { db: done() });
    expect(stdout).toBe('Renamed "Bird Dog" to "Dog": 1 log, 1 routine.\n');
  });

  test('knows an exercise that only a routine has', async () => {
    const db = done();
    await run(['routine', 'add', 'x', 'Plank=strengthening'], { db });
    expect((await run(['exercise', 'rename', 'plank', 'Side Plank'], { db })).code).toBe(0);
    expect(routinesOf(db)[1]?.exercises[0]?.exerciseName).toBe('Side Plank');
  });
});

test.each(['json', 'ndjson'])(
  'what is exported as %s is imported again, routines and goal too',
  async (format) => {
    const db = done();
    await run(['goal', '4'], { db });
    const { stdout } = await run(['export', '--format', format], { db });
    const into = prepared(() => {});
    const answer = await run(['import', '-'], { db: into, stdin: stdout });
    expect(answer).toMatchObject({ code: 0, stdout: '' });
    expect(answer.stderr).toContain('1 routine: 1 new\n1 goal: 1 new\n');
    expect(routinesOf(into)).toEqual(routinesOf(db));
    // JSON says which database it is, and of each that is another, on the first line and in the states.
    const records = (text: string) => text.replace(/^{"origin":.*\n|,"states":[\s\S]*/g, '');
    const back = await run(['export', '--format', format], { db: into });
    expect(records(back.stdout)).toBe(records(stdout));
    const again = await run(['import', '-', '--json'], { db: into, stdin: stdout });
    expect(JSON.parse(again.stdout)).toMatchObject({
      routines: { new: 0, equal: 1 },
      goals: { new: 0, equal: 1 },
    });
  },
);

test('the routines of another user give no name and no exercise', async () => {
  const db = prepared((store) => {
    for (let id = 1; id <= 2; id++) store.users.create(nora);
    const exercises = [{ exerciseName: 'Moon Walk', exerciseType: 'stretch' as const }];
    store.routines.create({ userId: 2, name: 'morning', exercises });
  });
  const add = (...words: string[]) =>
    run(['routine', 'add', 'morning', 'Moon Walk', '--user', '1', ...words], { db });
  expect([(await add()).code, (await add('--type', 'stretch')).code]).toEqual([2, 0]);
});
