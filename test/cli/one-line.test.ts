import { describe, expect, test } from 'vitest';
import { keys, nora, noraWith, prepared, records, run, session, TODAY } from '../helpers.ts';

const { enter, down } = keys;

const NAMES = ['Piriformis Stretch', 'Cat-Cow', 'Side Plank', 'Plank', 'Straight Leg Raise', 'Cat Stretch'];

/** A database with a session of each exercise; the last is of Cat Stretch. */
const practised = () => noraWith(...NAMES.map((exerciseName) => ({ exerciseName })));

const add = (words: string[], db = practised()) =>
  run(['log', 'add', ...words], { db }).then((result) => ({ ...result, log: records(db).logs[6] }));

describe('log add in one line', () => {
  test('says what it recorded, and how to take it back', async () => {
    const { code, stdout, stderr, log } = await add(['piri', '6', '4']);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: 'Added log 7: Piriformis Stretch today, 6 → 4 (↓2), helped. Wrong? sciatica undo 3\n',
      stderr: '',
    });
    expect(log).toEqual({ ...session, id: 7, date: TODAY });
  });

  test.each<[string[], object]>([
    [['plank', '5', '5'], { exerciseName: 'Plank', effective: false }],
    [['slr', '5', '6'], { exerciseName: 'Straight Leg Raise', effective: false }],
    [['cat', 'cow', '5', '4'], { exerciseName: 'Cat-Cow', effective: true }],
    [['piri', '6', '4', '2', 'sets', 'of 10'], { notes: '2 sets of 10' }],
    [['March', '6', '4', '2', 'sets', '--type', 'strengthening'], { exerciseName: 'March', notes: '2 sets' }],
    [['piri', '6', '4', '--date', 'last friday'], { date: '2026-02-27' }],
    [['piri', '6', '4', '--no-effective'], { effective: false }],
    [['6', '4', '--name', 'Plank'], { exerciseName: 'Plank' }],
    [['6', '4', 'slr'], { exerciseName: 'Straight Leg Raise', painBefore: 6, notes: '' }],
    [['6', '4', 'piri', '--name', 'Plank'], { exerciseName: 'Plank', notes: 'piri' }],
    [['piri', '6', '--after', '4'], { painAfter: 4 }],
    [['piri', '--before', '6/10', '--after', 'four'], { painBefore: 6, painAfter: 4 }],
    [['piri', '6,4'], { painBefore: 6, painAfter: 4, effective: true }],
    [['piri', '4,6', 'after', 'the', 'drive'], { painAfter: 6, effective: false, notes: 'after the drive' }],
    [['Yoga', '3', '2', '--type', 'stretch'], { exerciseName: 'Yoga' }],
    [['plank', '3', '2', '--type', 'stretch'], { exerciseName: 'Plank' }],
    [['6', '4', '--name', 'plan', '--type', 'stretch'], { exerciseName: 'plan' }],
  ])('%j', async (words, part) => expect((await add(words)).log).toMatchObject(part));

  test.each<[string[], string]>([
    [
      ['cat', '6', '4'],
      'cat can mean Cat Stretch, Cat-Cow: say more of the name, or name a new exercise with --name cat.',
    ],
    [['6', '4', 'cat'], 'cat can mean Cat Stretch, Cat-Cow'],
    [['yoga', '6', '4'], '--type is missing: yoga is a new exercise'],
    [
      ['planc', '6', '4'],
      '--type is missing: planc is a new exercise (did you mean Plank?). Add --type stretch or --type strengthening',
    ],
    [['pjri', '6', '4'], 'pjri is a new exercise (did you mean Piriformis Stretch?)'],
    [['straigt', '6', '4'], 'straigt is a new exercise (did you mean Straight Leg Raise?)'],
    [['piri', '11', '4'], '--before must be a whole number from 1 to 10'],
    [['piri', '6.5', '4'], '--before must be a whole number from 1 to 10'],
    ...[
      ['64', '6 4'],
      ['610', '6 10'],
    ].map(([together, levels]): [string[], string] => [
      ['piri', `${together}`],
      `--before must be a whole number from 1 to 10 (did you mean ${levels}?)\n  --after is missing`,
    ]),
    [['piri', '64', '3'], '--before must be a whole number from 1 to 10\n'],
    [['piri', '6'], 'sciatica: --after is missing: it must be a whole number from 1 to 10\n'],
    [['piri', '--before', '6,5', '--after', '4'], '--before must be a whole number from 1 to 10'],
    [['piri', '6,5', '4'], '--before must be a whole number from 1 to 10'],
    [['piri', '6,'], '--after is missing'],
    [['piri', '6', '4', '--before', '5'], '6 and --before say the same: give one of them.'],
    [['piri', '6', '4', '--name', 'Plank'], 'piri and --name say the same: give one of them.'],
    [['6', '4'], '--name is missing: it comes first, as in sciatica log add NAME 6 4'],
    [['6', '4', 'bird', 'dog'], "--name is missing: it comes first, as in sciatica log add 'bird dog' 6 4"],
    [
      ['15', 'jan', '6', '4'],
      "sciatica: '15 jan' is a day: give it with --date, as in sciatica log add NAME 6 4 --date '15 jan'\n",
    ],
    [['piri', '15', 'jan', '6', '4'], "'15 jan' is a day"],
    [['jan', '15', '6', '4'], "'jan 15' is a day"],
    [['15.', 'jan', '2026', 'piri', '6->4', 'sore'], "'15. jan 2026' is a day"],
    [['15.1.', 'piri', '6', '4'], '15.1. is a day'],
    [['3', 'days', 'ago', 'plank', '6', '4'], "'3 days ago' is a day"],
    [
      ['piri', 'yesterday', '6', '4', '--type', 'stretch'],
      "sciatica: yesterday is a day: give it with --date, as in sciatica log add NAME 6 4 --date yesterday. If it is part of the name: --name 'piri yesterday'\n",
    ],
    [['last', 'friday', 'piri', '6', '4'], "'last friday' is a day"],
    [['piri', '2026-01-15', '6', '4'], '2026-01-15 is a day'],
    [['piri', '6', 'may', 'be', 'better'], 'sciatica: --after is missing'],
    [
      ['piri', '6', '4', '--date', '03/04'],
      '--date can mean 3 April or 4 March: write 2025-04-03 or 2025-03-04',
    ],
    [['piri', '6', '4', '--date', '30 feb 2026'], '--date is no day: 30 February 2026 does not exist'],
  ])('%j is refused', async (words, message) => {
    const { code, stdout, stderr, log } = await add(words);
    expect({ code, stdout, log }).toEqual({ code: 2, stdout: '', log: undefined });
    expect(stderr).toContain(message);
  });

  test.each<[string, object]>([
    ['plank 30 s 5 4', { exerciseName: 'Plank 30 s', painBefore: 5, painAfter: 4, notes: '' }],
    ['cobra 2 6 4 stiff', { exerciseName: 'Cobra 2', painBefore: 6, painAfter: 4, notes: 'stiff' }],
    ['cobra 2 6', { exerciseName: 'Cobra 2', painBefore: 2, painAfter: 6, notes: '' }],
    ['cobra 2 3 4 times', { exerciseName: 'Cobra 2', painBefore: 3, painAfter: 4, notes: 'times' }],
    ['cob 2 3 4 times', { exerciseName: 'Cobra 2', painBefore: 2, painAfter: 3, notes: '4 times' }],
  ])('%s, where a known name has a number', async (words, part) => {
    const db = noraWith({ exerciseName: 'Cobra 2' }, { exerciseName: 'Plank 30 s' });
    expect((await run(['log', 'add', ...words.split(' ')], { db })).code).toBe(0);
    expect(records(db).logs[2]).toMatchObject(part);
  });

  test('prints weekday and date of another day', async () =>
    expect((await add(['piri', '4', '6', '--date', 'fri'])).stdout).toBe(
      'Added log 7: Piriformis Stretch on Friday 2026-02-27, 4 → 6 (↑2), did not help. Wrong? sciatica undo 3\n',
    ));

  test.each<[number, string]>([
    [68, ' '],
    [67, '\n'],
  ])('in a terminal of %i columns the hint is not broken', async (columns, between) =>
    expect((await run(['log', 'add', 'plank', '5', '4'], { db: practised(), columns })).stdout).toBe(
      `Added log 7: Plank today, 5 → 4 (↓1), helped.${between}Wrong? sciatica undo 3\n`,
    ),
  );

  test('points out the same session twice, and a day in the future', async () => {
    const db = practised();
    await add(['piri', '6', '4'], db);
    expect((await add(['piri', '6', '4'], db)).stderr).toBe('Note: log 7 says the same of that day.\n');
    expect((await add(['piri', '6', '5'], db)).stderr).toBe('');
    expect((await add(['piri', '6', '4', 'after', 'work'], db)).stderr).toBe('');
    expect((await add(['piri', '6', '4', '--date', '2026-03-03'], db)).stderr).toContain('in the future');
  });

  test('suggests two levels for two digits before the first question, too', async () => {
    const { code, stderr } = await run(['log', 'again', '64'], { db: noraWith({}), columns: 80 });
    expect([code, stderr]).toEqual([2, expect.stringContaining('10 (did you mean 6 4?)')]);
  });

  test('points out that a third number became a note, but not a note from a flag', async () => {
    expect((await add(['piri', '6', '4', '3'])).stderr).toBe('Note: 3 was kept as a note.\n');
    expect((await add(['piri', '6', '4', '3', 'sets'])).stderr).toBe('');
    expect((await add(['piri', '6', '4', '--notes', '3'])).stderr).toBe('');
  });

  test.each(['yesterday', 'yestrday', '2026-03-01'])('points out that %s became a note', async (day) => {
    const { code, stderr, log } = await add(['piri', '6', '4', day]);
    expect([code, log?.notes, log?.date]).toEqual([0, day, TODAY]);
    expect(stderr).toBe(
      `Note: ${day} was kept as a note.\nIf it is the day: sciatica log edit 7 --date 2026-03-01 --notes ''\n`,
    );
  });

  test('points out that a day with its time of day became a note', async () => {
    expect((await add(['piri', '6', '4', 'yesterday', 'evening'])).stderr).toBe(
      "Note: 'yesterday evening' was kept as a note.\nIf it is the day: sciatica log edit 7 --date 2026-03-01 --notes evening\n",
    );
  });

  test.each<[string, string[][]]>([
    ['a routine repeats', [['routine', 'add', 'morning', 'Piriformis Stretch']]],
    [
      'was done several times on a day before',
      [
        ['log', 'add', 'piri', '5', '4', '--date', '-9d'],
        ['log', 'add', 'piri', '5', '3', '--date', '-9d'],
      ],
    ],
  ])('what %s is not pointed out', async (_, lines) => {
    const db = practised();
    for (const line of lines) await run(line, { db });
    await add(['piri', '6', '4'], db);
    expect((await add(['piri', '6', '4'], db)).stderr).toBe('');
  });

  test('in a terminal asks which of several', async () => {
    const db = practised();
    const answers = [
      ['Which exercise is cat?', down],
      ['❯ Cat-Cow', enter],
    ] as const;
    expect((await run(['log', 'add', 'cat', '5', '4'], { db, answers })).code).toBe(0);
    expect(records(db).logs[6]).toMatchObject({ exerciseName: 'Cat-Cow', notes: '', date: TODAY });
  });

  test('in a terminal asks for the type of a new exercise, and for the numbers', async () => {
    const db = practised();
    const answers = [
      ['Kind of Nordic walk, a new exercise', down],
      ['❯ strengthening', enter],
      ['Pain before', `5${enter}`],
      ['Pain after', `3${enter}`],
    ] as const;
    expect((await run(['log', 'add', 'Nordic', 'walk'], { db, answers })).code).toBe(0);
    expect(records(db).logs[6]).toMatchObject({
      exerciseName: 'Nordic walk',
      exerciseType: 'strengthening',
      effective: true,
    });
  });
});

describe('log again', () => {
  test.each<[string[], object]>([
    [['5', '4'], { exerciseName: 'Cat Stretch', painBefore: 5, painAfter: 4, date: TODAY, notes: '' }],
    [['slr', '5', '4'], { exerciseName: 'Straight Leg Raise' }],
    [['slr', '5', '4', 'easy'], { notes: 'easy' }],
    [['--before', '5', '--after', '5', '--date', '-1d'], { effective: false, date: '2026-03-01' }],
  ])('%j', async (words, part) => {
    const db = practised();
    expect((await run(['log', 'again', ...words], { db })).code).toBe(0);
    expect(records(db).logs[6]).toMatchObject(part);
  });

  test.each([
    ['of another user', { userId: 2, exerciseName: 'Bird Dog' }, 'Cat Stretch'],
    ['of tomorrow, where it is tomorrow already', { exerciseName: 'Plank', date: '2026-03-03' }, 'Plank'],
    ['of a later day', { exerciseName: 'Plank', date: '2026-03-04' }, 'Cat Stretch'],
  ])('and a session %s', async (_, given, exerciseName) => {
    const db = prepared((store) => {
      for (let id = 1; id <= 2; id++) store.users.create(nora);
      for (const part of [{ exerciseName: 'Cat Stretch' }, given]) store.logs.create({ ...session, ...part });
    });
    await run(['log', 'again', '5', '4', '--user', '1'], { db });
    expect(records(db).logs[2]).toMatchObject({ userId: 1, exerciseName });
  });

  test('asks only the two numbers', async () => {
    const db = practised();
    const answers = [
      ['Pain before', `5${enter}`],
      ['Pain after', `3${enter}`],
    ] as const;
    expect((await run(['log', 'again'], { db, answers })).stdout).toContain('Cat Stretch today, 5 → 3 (↓2)');
  });

  test.each<[string[], number, string]>([
    [['yoga', '5', '4'], 3, 'No exercise done before is called yoga.'],
    [['cat', '5', '4'], 2, 'cat can mean Cat Stretch, Cat-Cow: say more of the name.'],
    [[], 2, '--before is missing'],
  ])('%j is refused', async (words, code, message) => {
    const result = await run(['log', 'again', ...words], { db: practised() });
    expect([result.code, result.stderr]).toEqual([code, expect.stringContaining(message)]);
  });

  test('with nothing to repeat', async () => {
    const db = prepared((store) => void store.users.create(nora));
    const { code, stderr } = await run(['log', 'again', '--db', db]);
    expect([code, stderr]).toEqual([
      3,
      `sciatica: There is no session to repeat. Start with: sciatica log add --db ${db}\n`,
    ]);
  });
});

describe('notes', () => {
  test('from stdin, whole', async () => {
    const db = practised();
    const { code } = await run(['log', 'add', 'piri', '6', '4', '--notes', '-'], {
      db,
      stdin: 'one\n\ntwo\n',
    });
    expect([code, records(db).logs[6]?.notes]).toEqual([0, 'one\n\ntwo']);
  });

  test('from stdin and from an editor are refused', async () => {
    const words = ['log', 'add', 'piri', '6', '4', '--notes', '-', '--edit'];
    expect(await run(words, { db: practised() })).toMatchObject({
      code: 2,
      stderr: 'sciatica: --notes - and --edit cannot both be given.\n',
    });
  });
});
