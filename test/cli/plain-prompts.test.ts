import { describe, expect, test } from 'vitest';
import { run as runProgram } from '../../src/cli/program.ts';
import { keys, nora, prepared, records, run, session, started, TODAY } from '../helpers.ts';

/** Prompts of a terminal that cannot move its cursor: lines out, lines in. */

const { enter } = keys;
const env = { TERM: 'dumb' };

const filled = () =>
  prepared((store) => {
    store.users.create(nora);
    store.logs.create({ ...session, notes: 'sore' });
    store.logs.create({ ...session, exerciseName: 'Bird Dog', exerciseType: 'strengthening' });
  });

const rest = [
  ['Day of the exercise', enter],
  ['Pain before', `6${enter}`],
  ['Pain after', `4${enter}`],
  ['Did it help? (Y/n)', enter],
  ['Notes', enter],
] as const;

describe('TERM=dumb', () => {
  test.each<[string, readonly (readonly [string, string])[], string]>([
    ['Enter for the first', [['Number or name [Enter: 1]', enter]], 'Bird Dog'],
    ['a number', [['2) Piriformis Stretch', `2${enter}`]], 'Piriformis Stretch'],
    [
      'a number that is not there',
      [
        ['1) Bird Dog', `7${enter}`],
        ['There is none', `2${enter}`],
      ],
      'Piriformis Stretch',
    ],
    [
      'a part of a name',
      [
        ['1) Bird Dog', `piri${enter}`],
        ['2) piri (A new exercise)', `1${enter}`],
      ],
      'Piriformis Stretch',
    ],
    ['the whole name', [['1) Bird Dog', `bird dog${enter}`]], 'Bird Dog'],
  ])('an exercise is picked by %s', async (_, picked, exerciseName) => {
    const db = filled();
    const { code, stderr } = await run(['log', 'add'], { db, env, answers: [...picked, ...rest] });
    expect(code).toBe(0);
    expect(stderr).toContain('1) Bird Dog (strengthening, 1 session, the latest on 2026-03-01)\n');
    expect(records(db).logs[2]).toMatchObject({ exerciseName, date: TODAY, painBefore: 6, effective: true });
  });

  test('a new exercise asks for its kind by number, again if there is none', async () => {
    const db = filled();
    const kinds = [
      ['1) Bird Dog', `Plank${enter}`],
      ['1) stretch\n2) strengthening\nNumber [Enter: 1]', `3${enter}`],
      ['A number from 1 to 2.', `2${enter}`],
    ] as const;
    await run(['log', 'add'], { db, env, answers: [...kinds, ...rest] });
    expect(records(db).logs[2]).toMatchObject({ exerciseName: 'Plank', exerciseType: 'strengthening' });
  });

  test.each([
    ['strengthening', 'strengthening'],
    ['Stren', 'strengthening'],
    ['stretch', 'stretch'],
  ])('the kind is taken by its word too: %s', async (word, exerciseType) => {
    const db = filled();
    const kinds = [
      ['1) Bird Dog', `Plank${enter}`],
      ['Number [Enter: 1]', `str${enter}`],
      ['A number from 1 to 2.', `${word}${enter}`],
    ] as const;
    await run(['log', 'add'], { db, env, answers: [...kinds, ...rest] });
    expect(records(db).logs[2]).toMatchObject({ exerciseName: 'Plank', exerciseType });
  });

  test('yes and no are letters, asked again if it is another', async () => {
    const db = filled();
    const answers = [
      ['Delete log 1', `x${enter}`],
      ['y or n.', `N${enter}`],
    ] as const;
    expect((await run(['log', 'rm', '1'], { db, env, answers })).code).toBe(1);
    expect((await run(['log', 'rm', '1'], { db, env, answers: [['(y/N)', `ye${enter}`]] })).code).toBe(0);
    expect(records(db).logs).toHaveLength(1);
  });

  test('what is stored is kept by Enter, and taken away by -', async () => {
    const db = filled();
    const kept = [
      ['Number or name', enter],
      ['Number [Enter: 1]', enter],
      ['[Enter: 2026-03-01]', enter],
      ['[Enter: 6]', enter],
      ['[Enter: 4]', `-${enter}`],
      ['It must be a whole number', enter],
      ['Did it help? (Y/n)', enter],
      ['[Enter: sore, -: nothing]', `-${enter}`],
    ] as const;
    expect((await run(['log', 'edit', '1'], { db, env, answers: kept })).code).toBe(0);
    expect(records(db).logs[0]).toEqual({ ...session, id: 1, notes: '' });
  });

  test('Ctrl-C leaves without saving', async () => {
    const db = filled();
    const { context, written } = started({ db, env, answers: [['Pain before', `6${enter}`]] });
    const left = runProgram(['log', 'add', 'piri'], context);
    await expect.poll(() => written().stderr).toContain('Pain after');
    process.emit('SIGINT', 'SIGINT');
    expect(await left).toBe(130);
    expect(records(db).logs).toHaveLength(2);
  });
});
