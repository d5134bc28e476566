import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { nora, prepared, run, session } from '../helpers.ts';

/** Days before today, pain before, pain after. */
type Entry = readonly [date: string, painBefore: number, painAfter: number];

const PATIENTS: readonly (readonly [firstName: string, ...entries: Entry[]])[] = [
  ['Never'],
  ['Worse', ['2026-02-01', 3, 3], ['2026-02-16', 3, 3], ['2026-02-17', 5, 4], ['2026-03-02', 6, 5]],
  ['Better', ['2026-01-19', 9, 9], ['2026-01-20', 8, 9], ['2026-03-01', 5, 4]],
  ['Red', ['2026-02-20', 4, 7], ['2026-03-01', 2, 9], ['2026-03-01', 4, 4]],
  ['Away', ['2025-11-05', 5, 4]],
  ['Odd years', ['2062-01-01', 10, 10], ['1926-01-01', 10, 10], ['2026-03-02', 4, 3]],
];

const practice = () =>
  prepared((store) => {
    for (const [firstName, ...entries] of PATIENTS) {
      const { id: userId } = store.users.create({ ...nora, firstName, lastName: 'Berg' });
      for (const [date, painBefore, painAfter] of entries)
        store.logs.create({ ...session, userId, date, painBefore, painAfter });
    }
  });

const summary = (...words: string[]) => run(['users', '--summary', ...words], { db: practice() });
const firstNames = async (...words: string[]) =>
  (JSON.parse((await summary('--json', ...words)).stdout) as { firstName: string }[]).map(
    ({ firstName }) => firstName,
  );

describe('users --summary', () => {
  it('puts who needs a call first, as tab-separated lines', async () =>
    expect(await summary()).toEqual({
      code: 0,
      stderr: '',
      stdout: `id	firstName	lastName	sessions	lastSession	pain	painEarlier	painChange	redEntries	leftOut
4	Red	Berg	3	2026-03-01	3			2	0
2	Worse	Berg	2	2026-03-02	5.5	3	2.5	0	0
1	Never	Berg	0					0	0
5	Away	Berg	0	2025-11-05				0	0
6	Odd years	Berg	1	2026-03-02	4			0	2
3	Better	Berg	1	2026-03-01	5	8	-3	0	0
`,
    }));

  it('says in a terminal of 80 columns what its columns are', async () => {
    const { stdout, stderr } = await run(['users', '--summary', '--limit', '3'], {
      db: practice(),
      columns: 80,
      env: { NO_COLOR: '1' },
    });
    expect(stdout).toBe(`Id  Name        Sessions  Last session  Pain  Earlier  Change  Red
 4  Red Berg           3  2026-03-01     3.0        –       –    2
 2  Worse Berg         2  2026-03-02     5.5      3.0    +2.5    0
 1  Never Berg         0  –                –        –       –    0
`);
    expect(stderr).toContain('of the last 14 days');
  });

  it('counts pain entries of 9 or 10 of the last 14 days as red', async () => {
    const db = prepared((store) => {
      for (const firstName of ['Well', 'Numb']) store.users.create({ ...nora, firstName });
      const felt = (userId: number, date: string, pain: number) =>
        store.of('painEntry').create({ userId, date, pain });
      for (const [date, pain] of [
        ['2026-02-16', 10],
        ['2026-02-17', 9],
        ['2026-03-02', 10],
        ['2026-03-02', 8],
        ['2062-01-01', 10],
        ['1926-01-01', 10],
      ] as const)
        felt(2, date, pain);
      felt(1, '2026-03-02', 8);
    });
    const { stdout } = await run(['users', '--summary', '--json', 'id,sessions,redEntries'], { db });
    expect(JSON.parse(stdout)).toEqual([
      { id: 2, sessions: 0, redEntries: 2 },
      { id: 1, sessions: 0, redEntries: 0 },
    ]);
  });

  it('counts days of trials of the last 14 days that call for the red flags', async () => {
    const db = prepared((store) => {
      for (const firstName of ['Well', 'Numb']) store.users.create({ ...nora, firstName });
      for (const [userId, date, first, second] of [
        [1, '2026-03-01', 8, 8],
        [2, '2026-02-16', 10, 10],
        [2, '2026-02-17', 9, 9],
        [2, '2026-02-18', 4, 7],
        [2, '2026-03-02', 10, undefined],
        [2, '2026-03-03', 10, undefined],
      ] as const)
        store.of('trialDay').create({ userId, date, first, done: true, ...(second && { second }) });
    });
    const { stdout } = await run(['users', '--summary', '--json', 'id,redEntries'], { db });
    expect(JSON.parse(stdout)).toEqual([
      { id: 2, redEntries: 3 },
      { id: 1, redEntries: 0 },
    ]);
  });

  it.each([30, 50])('fits %i columns', async (columns) => {
    const { stdout } = await run(['users', '--summary'], { db: practice(), columns });
    for (const line of stripVTControlCharacters(stdout).split('\n'))
      expect(line.length).toBeLessThanOrEqual(columns);
    expect(stdout).toContain('Worse');
  });

  it('explains no column that a narrow terminal has no room for', async () => {
    const { stdout, stderr } = await run(['users', '--summary'], { db: practice(), columns: 50 });
    expect(stripVTControlCharacters(stdout)).not.toMatch(/Earlier|Sessions|Pain/);
    expect(stderr.split('\n').slice(1).join(' ').trim()).toBe(
      'Red entries of the last 14 days. Change: of the mean pain of a day, against the 28 days before. Red: a rise of 3 or more, or pain of 9 or 10.',
    );
  });

  it.each([
    ['lastSession', ['Never', 'Away', 'Better', 'Red', 'Worse', 'Odd years']],
    ['-lastSession', ['Worse', 'Odd years', 'Better', 'Red', 'Away', 'Never']],
    ['painChange', ['Better', 'Never', 'Red', 'Away', 'Odd years', 'Worse']],
    ['pain', ['Red', 'Odd years', 'Better', 'Worse', 'Never', 'Away']],
    ['-pain', ['Worse', 'Better', 'Odd years', 'Red', 'Never', 'Away']],
    ['firstName', ['Away', 'Better', 'Never', 'Odd years', 'Red', 'Worse']],
  ])('--sort %s', async (sort, names) => expect(await firstNames('--sort', sort)).toEqual(names));

  it('takes the conditions of users, fields of JSON, and CSV', async () => {
    expect(await firstNames('--search', 'e', '--where', 'id>4')).toEqual(['Away', 'Odd years']);
    expect((await summary('--where', 'id=2', '--json', 'id,painChange')).stdout).toBe(
      '[{"id":2,"painChange":2.5}]\n',
    );
    expect((await summary('--where', 'id=5', '--csv')).stdout).toBe(
      'id,firstName,lastName,sessions,lastSession,pain,painEarlier,painChange,redEntries,leftOut\r\n5,Away,Berg,0,2025-11-05,,,,0,0\r\n',
    );
    expect((await summary('--where', 'id=9', '--json')).stdout).toBe('[]\n');
    expect((await summary('--where', 'id=9')).stderr).toBe('No user matches.\n');
  });

  it.each([
    ['--sort', 'age'],
    ['--json', 'age'],
    ['--where', 'pain>3'],
  ])('%s %s is refused', async (...words) => expect((await summary(...words)).code).toBe(2));
});
