import { describe, expect, test } from 'vitest';
import { run as runProgram } from '../../src/cli/program.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { keys, nora, prepared, records, run, session, started, TODAY, userFlags } from '../helpers.ts';

const { enter, down, ctrlC, ctrlD, backspace, tab } = keys;

const logged = () =>
  prepared((store) => {
    store.users.create(nora);
    store.logs.create({
      ...session,
      exerciseName: 'Glute Bridge',
      exerciseType: 'strengthening',
      date: '2026-01-01',
    });
    store.logs.create(session);
  });

describe('log add', () => {
  test('a session like an earlier one takes a few keys', async () => {
    const db = logged();
    const { code, stdout } = await run(['log', 'add'], {
      db,
      answers: [
        ['Piriformis Stretch', `glu${enter}`],
        ['Day of the exercise', enter],
        ['Pain before', `6/10${enter}`],
        ['Pain after', `3${enter}`],
        ['Did it help? (Y/n)', enter],
        ['Notes', enter],
      ],
    });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'Added log 3: Glute Bridge today, 6 → 3 (↓3), helped. Wrong? sciatica undo 4\n',
    });
    expect(records(db).logs[2]).toEqual({
      ...session,
      id: 3,
      exerciseName: 'Glute Bridge',
      exerciseType: 'strengthening',
      date: TODAY,
      painAfter: 3,
    });
  });

  test('what was chosen is shown in lines that are broken at spaces', async () => {
    const { stderr } = await run(['log', 'edit'], {
      db: logged(),
      columns: 40,
      answers: [
        ['Change which log?', enter],
        ['✔ Change which log? 2  Piriformis', ctrlC],
      ],
    });
    expect(stderr).toContain(
      '✔ Change which log? 2  Piriformis\nStretch on 2026-03-01, pain 6 → 4\n(↓2), effective\n',
    );
  });

  test('suggests that it did not help when the pain is the same', async () => {
    const db = logged();
    await run(['log', 'add', '--name', 'Glute Bridge', '--before', '5', '--after', '5'], {
      db,
      answers: [
        ['Day of the exercise', `-1d${enter}`],
        ['Did it help? (y/N)', enter],
        ['Notes', `3 sets${enter}`],
      ],
    });
    expect(records(db).logs[2]).toMatchObject({ effective: false, date: '2026-03-01', notes: '3 sets' });
  });

  test('a wrong answer is asked again, that one only', async () => {
    const db = logged();
    const { code, stderr } = await run(['log', 'add', '--name', 'Glute Bridge'], {
      db,
      answers: [
        ['Day of the exercise', `tomorrow${enter}`],
        ['It must be a calendar day', `${backspace.repeat(8)}today${enter}`],
        ['Pain before', `11${enter}`],
        ['It must be a whole number from 1 to 10', `${backspace}${enter}`],
        ['Pain after', `1${enter}`],
        ['Did it help?', `n${enter}`],
        ['Notes', enter],
      ],
    });
    expect(code).toBe(0);
    expect(stderr).not.toContain('Name of the exercise');
    expect(records(db).logs[2]).toMatchObject({ date: TODAY, painBefore: 1, painAfter: 1, effective: false });
  });

  test('asks whether a name close to a known one was meant', async () => {
    const db = logged();
    const flags = ['--date', 'today', '--before', '6', '--after', '4', '--effective', '--notes', ''];
    const meant = (typed: string) =>
      run(['log', 'add', '--name', 'Piriformis strech', ...flags], {
        db,
        answers: [
          ['Did you mean Piriformis Stretch?', typed + enter],
          ...(typed ? [['Kind of', enter] as const] : []),
        ],
      });
    await meant('');
    await meant('n');
    expect(
      records(db)
        .logs.slice(2)
        .map(({ exerciseName }) => exerciseName),
    ).toEqual(['Piriformis Stretch', 'Piriformis strech']);
  });

  test('a new exercise is typed, and its type is asked for', async () => {
    const db = logged();
    await run(['log', 'add', '--before', '6', '--after', '4', '--effective'], {
      db,
      answers: [
        ['Name of the exercise', 'Walk'],
        ['of the exercise Walk', enter],
        ['Kind of exercise', `${down}`],
        ['❯ strengthening', enter],
        ['Day', enter],
        ['Notes', enter],
      ],
    });
    expect(records(db).logs[2]).toMatchObject({ exerciseName: 'Walk', exerciseType: 'strengthening' });
  });

  test('asks whose log it is among several users', async () => {
    const db = logged();
    await run(['user', 'add', ...userFlags({ firstName: 'Ole' })], { db });
    await run(['log', 'add', '--name', 'Walk', '--type', 'stretch', '--before', '2', '--after', '2'], {
      db,
      answers: [
        ['Which user?', down],
        ['❯ Ole Lind (user 2)', enter],
        ['Day', enter],
        ['Did it help?', enter],
        ['Notes', enter],
      ],
    });
    expect(records(db).logs[2]).toMatchObject({ userId: 2 });
  });

  test('takes the kind of an exercise from the logs of the user who was chosen', async () => {
    const db = logged();
    await run(['user', 'add', ...userFlags({ firstName: 'Ole' })], { db });
    await run(['log', 'add', session.exerciseName, '2', '2'], {
      db,
      answers: [
        ['Which user?', down],
        ['❯ Ole Lind (user 2)', enter],
        ['Kind of Piriformis Stretch, a new exercise', down],
        ['❯ strengthening', enter],
      ],
    });
    expect(records(db).logs[2]).toMatchObject({ userId: 2, exerciseType: 'strengthening' });
  });

  test('wrong flags are refused before the first question', async () => {
    const { code, stderr } = await run(['log', 'add', '--before', '99'], { db: logged(), columns: 80 });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'sciatica: --before must be a whole number from 1 to 10\n',
    });
  });

  test('what is wrong with an answer is broken between words', async () => {
    const answers = [
      ['Pain before', `11${enter}`],
      ['a whole', ctrlC],
    ] as const;
    const flags = ['--name', 'Glute Bridge', '--date', 'today'];
    const { stderr } = await run(['log', 'add', ...flags], { db: logged(), columns: 30, answers });
    expect(stderr).toContain('> It must be a whole number\nfrom 1 to 10');
  });

  test.each<[string, string[], string]>([
    [
      'yes or no',
      ['log', 'rm', '1'],
      'Delete log 1: Glute\nBridge on 2026-01-01,\npain 6 → 4 (↓2),\neffective? (y/N)',
    ],
    [
      'which one',
      ['log', 'edit'],
      'Change which log?\n❯ 2  Piriformis Stretch on\n  2026-03-01, pain 6 → 4 (↓2),\n  effective\n',
    ],
    ['one of many', ['log', 'add'], 'strengthening, 1 session, the\nlatest on 2026-01-01'],
    ['an answer', ['user', 'edit', '1'], '(it stays on\nthis computer; nothing is ever\nsent to it)'],
  ])('so is a question for %s', async (_, words, shown) => {
    const isUser = words[0] === 'user';
    const answers: [string, string][] = isUser
      ? [
          ['First name', enter],
          ['Last name', enter],
          ['E-mail', ctrlC],
        ]
      : words[1] === 'add'
        ? [
            ['❯', down],
            ['latest on', ctrlC],
          ]
        : [['?', ctrlC]];
    const { stderr } = await run(words, { db: logged(), columns: 32, answers });
    expect(stderr).toContain(shown);
  });

  test('what is typed ahead waits for its question', async () => {
    const db = logged();
    const { context, written } = started({ db, columns: 80, answers: [['three', enter]] });
    const done = runProgram(['log', 'add', '--name', 'Glute Bridge'], context);
    context.stdin.push(`${enter}6${enter}4${enter}${enter}`);
    context.stdin.push(`one\r\ntwo\rthree${enter}`);
    expect({ code: await done, ...written() }).toMatchObject({ code: 0 });
    expect(records(db).logs[2]).toMatchObject({ painBefore: 6, painAfter: 4, notes: 'one\ntwo\nthree' });
  });

  test.each([
    ['Ctrl-C', ctrlC],
    ['Ctrl-D', ctrlD],
  ])('%s leaves nothing half written', async (_, key) => {
    const db = logged();
    const before = records(db);
    const { code, stdout } = await run(['log', 'add', '--name', 'Glute Bridge'], {
      db,
      answers: [
        ['Day', enter],
        ['Pain before', key],
      ],
    });
    expect({ code, stdout }).toEqual({ code: 130, stdout: '' });
    expect(records(db)).toEqual(before);
  });

  test('--no-input never asks', async () => {
    const { code, stderr } = await run(['log', 'add', '--no-input'], { db: logged(), columns: 80 });
    expect(code).toBe(2);
    expect(stderr).toContain('values are missing or wrong');
  });

  test('with all that is needed, nothing is asked', async () => {
    const flags = ['--name', 'Glute Bridge', '--before', '6', '--after', '4', '--effective'];
    expect((await run(['log', 'add', ...flags], { db: logged(), columns: 80 })).code).toBe(0);
  });
});

describe('user add', () => {
  test('asks for what is missing', async () => {
    const { code, stdout } = await run(['user', 'add', '--age', '44', '--last-name', 'Lind'], {
      answers: [
        ['First name', enter],
        ['It must be text of 1 to 100 characters', `Nora${enter}`],
        ['E-mail', `nora@example.org${enter}`],
        ['Where it hurts', down],
        ['❯ lower back, right', enter],
        ['Current pain', `6${enter}`],
        ['Day of the diagnosis', `2026-01-15${enter}`],
      ],
    });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'Added Nora Lind (user 1). Wrong? sciatica undo 1\n',
    });
  });
});

describe('edit without flags', () => {
  test('offers what is stored', async () => {
    const db = logged();
    await run(['log', 'edit', '2', '--notes', 'sore'], { db });
    const { code } = await run(['log', 'edit', '2'], {
      db,
      answers: [
        ['❯ Piriformis Stretch', enter],
        ['Kind', enter],
        ['Day', enter],
        ['before', enter],
        ['after', `2${enter}`],
        ['Did it help?', enter],
        ['Notes about the session (sore)', `${tab}${backspace.repeat(4)}${enter}`],
      ],
    });
    expect(code).toBe(0);
    expect(records(db).logs[1]).toEqual({ ...session, id: 2, painAfter: 2, notes: '' });
  });

  test('offers the exercise of the log first, also where another was done since', async () => {
    const db = logged();
    const before = records(db);
    await run(['log', 'edit', '1'], { db, answers: [['❯ Glute Bridge', ctrlC]] });
    expect(records(db)).toEqual(before);
  });

  test('keeps the lines of notes that are changed', async () => {
    const db = logged();
    await run(['log', 'edit', '2', '--notes', 'sore\nstiff'], { db });
    await run(['log', 'edit', '2'], {
      db,
      answers: [
        ['❯ Piriformis Stretch', enter],
        ['Kind', enter],
        ['Day', enter],
        ['before', enter],
        ['after', enter],
        ['Did it help?', enter],
        ['Notes about the session (sore', `${tab} too${enter}`],
      ],
    });
    expect(records(db).logs[1]).toMatchObject({ notes: 'sore\nstiff too' });
  });

  test('keeps what a terminal cannot show', async () => {
    const db = prepared((store) => void store.users.create({ ...nora, firstName: 'No\u001bra' }));
    const answers = ['First', 'Last', 'E-mail', 'Age', 'Where', 'Current', 'Day'].map(
      (text) => [text, enter] as const,
    );
    await run(['user', 'edit'], { db, answers });
    expect(records(db).users).toEqual([{ ...nora, id: 1, firstName: 'No\u001bra' }]);
  });
});

describe('what somebody else did while a question stood', () => {
  /** Does it in another process, so to say, and types then. */
  const meanwhile = (db: string, act: (store: Store) => void, typed: string) => () => {
    const store = openStore(db);
    act(store);
    store.close();
    return typed;
  };
  const edit = (db: string, act: (store: Store) => void) =>
    run(['log', 'edit', '2'], {
      db,
      answers: [
        ['Name of the exercise', enter],
        ['Kind of exercise', enter],
        ['Day of the exercise', enter],
        ['Pain before', enter],
        ['Pain after', meanwhile(db, act, `${backspace}1${enter}`)],
        ['Did it help?', enter],
        ['Notes', enter],
      ],
    });

  test('is not overwritten by an answer that did not know of it', async () => {
    const db = logged();
    const { code, stdout, stderr } = await edit(db, (store) => store.logs.update(2, { painAfter: 9 }));
    expect([code, stdout]).toEqual([4, '']);
    expect(stderr.replace(/\s+/g, ' ')).toContain(
      'log 2 was changed meanwhile (after is 9): nothing was saved. To say it all the same: sciatica log edit 2 --after 1',
    );
    expect(records(db).logs[1]).toEqual({ ...session, id: 2, painAfter: 9 });
  });

  test('stays where the answers say nothing of it', async () => {
    const db = logged();
    const { code } = await edit(db, (store) => store.logs.update(2, { notes: 'from elsewhere' }));
    expect(code).toBe(0);
    expect(records(db).logs[1]).toMatchObject({ painAfter: 1, notes: 'from elsewhere' });
  });

  test('is not deleted with what was confirmed', async () => {
    const db = logged();
    const answers = [
      ['Delete log 2', meanwhile(db, (store) => store.logs.update(2, { painAfter: 9 }), `y${enter}`)],
    ] as const;
    expect(await run(['log', 'rm', '2'], { db, answers })).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('log 2 was changed meanwhile: nothing was deleted.'),
    });
    expect(records(db).logs).toHaveLength(2);
  });

  test('is not deleted with a user', async () => {
    const db = logged();
    const answers = [
      ['Delete Nora', meanwhile(db, (store) => store.logs.create(session), `y${enter}`)],
    ] as const;
    expect(await run(['user', 'rm', '1'], { db, answers })).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(/It would be .*and 3 logs by now: nothing was deleted\./),
    });
    expect(records(db).logs).toHaveLength(3);
  });
});

describe('without an id', () => {
  test('log edit offers the last ten', async () => {
    const db = logged();
    const { stdout } = await run(['log', 'edit', '--after', '2'], {
      db,
      answers: [
        ['Change which log?', down],
        ['❯ 1  Glute Bridge', enter],
      ],
    });
    expect(stdout).toContain('Changed log 1 (after): Glute Bridge on Thursday 2026-01-01');
  });

  test.each([['log'], ['user']])('%s edit rejects a wrong flag first', async (noun) => {
    const db = prepared((store) => {
      for (const firstName of ['Nora', 'Ben']) store.users.create({ ...nora, firstName });
      store.logs.create(session);
    });
    const flag = noun === 'log' ? '--after' : '--pain-level';
    const { code, stderr } = await run([noun, 'edit', flag, '99'], { db, columns: 80 });
    expect([code, stderr]).toEqual([2, `sciatica: ${flag} must be a whole number from 1 to 10\n`]);
  });

  test('log rm offers them, and asks', async () => {
    const db = logged();
    await run(['log', 'rm'], {
      db,
      answers: [
        ['Remove which log?', enter],
        ['Delete log 2', `y${enter}`],
      ],
    });
    expect(records(db).logs.map(({ id }) => id)).toEqual([1]);
  });

  test.each(['edit', 'rm'])('log %s in a script says how to name one', async (verb) => {
    const { code, stderr } = await run(['log', verb, '--yes'].slice(0, verb === 'rm' ? 3 : 2), {
      db: logged(),
    });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'sciatica: Say which log, by its id. To see them: sciatica logs\n',
    });
  });
});

describe('rm', () => {
  test.each([
    ['', 1, 'Nothing was deleted.', 2],
    ['y', 0, '', 1],
  ])('answered with "%s"', async (typed, code, message, left) => {
    const db = logged();
    const result = await run(['log', 'rm', '2'], {
      db,
      answers: [['Delete log 2: Piriformis', typed + enter]],
    });
    expect(result.code).toBe(code);
    expect(result.stderr).toContain(message);
    expect(records(db).logs).toHaveLength(left);
  });
});
