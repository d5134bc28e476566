import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LogInput } from '../../src/domain/log.ts';
import type { UserInput } from '../../src/domain/user.ts';
import type { Store } from '../../src/store/store.ts';
import { freshFolder, freshPath, nora, noraWith, prepared, records, run, session } from '../helpers.ts';
import { freshApp } from '../http/helpers.ts';
import { newDatabase } from '../new-database.ts';

const person = (firstName: string, more: Partial<UserInput> = {}): UserInput => ({
  ...nora,
  firstName,
  lastName: 'Berg',
  email: `${firstName.toLowerCase()}@example.org`,
  diagnosisDate: '2025-05-05',
  ...more,
});

/** The notes say whose a log is. */
const logOf = (userId: number, whose: string, more: Partial<LogInput> = {}): LogInput => ({
  ...session,
  userId,
  notes: whose,
  ...more,
});

/** Zoe's own diary, in which she is user 1 as in every diary of one, in all the shapes that a file can have. */
const ZOE = person('Zoe');
const zoesLogs = [1, 2, 3, 4, 5, 6].map((id) => ({
  id,
  ...logOf(1, 'Zoe', { painBefore: 9, painAfter: 10 - id }),
}));

async function zoeOverHttp(accept: string): Promise<string> {
  const { call } = freshApp();
  await call('PUT', '/users/1', { body: ZOE });
  await call('PUT', '/userExerciseLogs/1', { body: logOf(1, 'Zoe', { painBefore: 9, painAfter: 9 }) });
  for (const { id: _, ...log } of zoesLogs.slice(1)) await call('POST', '/userExerciseLogs', { body: log });
  return (await call('GET', '/userExerciseLogs', { headers: { accept } })).text;
}

const diary = (store: Store) => {
  store.users.create(ZOE);
  for (const { id: _, ...log } of zoesLogs) store.logs.create(log);
};

async function exported(...argv: string[]): Promise<string> {
  return (await run(['export', ...argv], { db: prepared(diary) })).stdout;
}

const jsonServer = JSON.stringify({ users: [{ id: 1, ...ZOE }], userExerciseLogs: zoesLogs });

const FILES: Record<string, [name: string, content: () => Promise<string>]> = {
  'CSV of logs': ['zoe.csv', () => exported('logs', '--format', 'csv')],
  JSON: ['zoe.json', () => exported()],
  'CSV of the service': ['zoe.csv', () => zoeOverHttp('text/csv')],
  'NDJSON of the service': ['zoe.ndjson', () => zoeOverHttp('application/x-ndjson')],
  'JSON of the service': ['zoe.json', () => zoeOverHttp('application/json')],
  NDJSON: ['zoe.ndjson', () => exported('--format', 'ndjson')],
  'db.json of json-server': ['db.json', async () => jsonServer],
};

const POLICIES = [undefined, 'skip', 'overwrite', 'renumber'] as const;

const PAT1 = person('Pat', { lastName: 'One' });
const PAT2 = person('Pat', { lastName: 'Two', email: 'two@example.org' });

const OTHERS = ['Ann', 'Ben', 'Cem'].map((name) => person(name));

/** What makes a practice of so many, with two logs of each. */
const practices = Object.fromEntries(
  [1, 2, 5].map((size) => [
    size,
    (store: Store) => {
      for (const user of [PAT1, PAT2, ...OTHERS].slice(0, size)) {
        const { id } = store.users.create(user);
        for (const _ of [1, 2]) store.logs.create(logOf(id, `Pat${id}`));
      }
    },
  ]),
);

const practice = (size = 2) => newDatabase(practices[size]);

const contents = new Map<string, string>();

async function fileOf(kind: string): Promise<string> {
  const [name, content] = FILES[kind] ?? ['', async () => ''];
  const path = join(freshFolder(), name);
  const text = contents.get(kind) ?? (await content());
  contents.set(kind, text);
  writeFileSync(path, text);
  return path;
}

/** Whose each log is, by the name of its user, and by its notes. */
function ownersIn({ users, logs }: ReturnType<typeof records>): [user: string, notes: string][] {
  const nameOf = (id: number) => {
    const user = users.find((user) => user.id === id);
    return user?.firstName === 'Zoe' ? 'Zoe' : `Pat${id}`;
  };
  return logs.map(({ userId, notes }) => [nameOf(userId), notes]);
}

const cases = Object.keys(FILES).flatMap((kind) =>
  POLICIES.flatMap((policy) => [1, 2, 5].map((size) => [kind, policy, size] as const)),
);

describe('a file of Zoe, who is user 1 there', () => {
  it.each(cases)(
    '%s, --on-conflict %s, into a practice of %i: no record comes to somebody unsaid',
    async (kind, policy, size) => {
      const path = await fileOf(kind);
      for (const said of ['', '--as 1', '--as 2', '--same-ids'] as const) {
        const db = practice(size);
        const how = policy ? ['--on-conflict', policy] : [];
        const before = records(db);
        const { code, stderr } = await run(['import', path, ...how, ...said.split(' ').filter(Boolean)], {
          db,
        });
        const after = records(db);
        // Without a word, what is Zoe's is Zoe's, or of the only person there; with one, it is where the word says.
        const unsaid = size === 1 && after.users.length === 1 ? ['Pat1'] : ['Zoe'];
        const allowed = { '': unsaid, '--as 1': ['Pat1'], '--as 2': ['Pat2'], '--same-ids': ['Pat1', 'Zoe'] };
        for (const [owner, notes] of ownersIn(after)) {
          if (notes === 'Zoe') expect(allowed[said]).toContain(owner);
          else if (said !== '--same-ids') expect(owner).toBe(notes);
        }
        // No log changes its owner, and unless it was said, nobody becomes another.
        for (const { id, userId } of before.logs)
          expect(after.logs.find((log) => log.id === id)?.userId).toBe(userId);
        if (said !== '--same-ids') expect(after.users.slice(0, size)).toEqual(before.users);
        if (code === 0) continue;
        expect([2, 3, 4]).toContain(code);
        expect(after).toEqual(before);
        if (code === 4) expect(stderr).toMatch(/Pat (One|Two)/);
      }
    },
  );

  it.each([
    ['CSV of logs', [], 'line 2: userId 1 is Pat One here', '--as ID'],
    ['CSV of the service', ['--on-conflict', 'overwrite'], 'Pat One', '--same-ids'],
    [
      'db.json of json-server',
      ['--on-conflict', 'overwrite'],
      'users[0]: id is taken by a different user: Pat One here, Zoe Berg in the file',
      '--on-conflict renumber',
    ],
    ['db.json of json-server', ['--on-conflict', 'skip'], 'Pat One here, Zoe Berg in the file', 'renumber'],
    [
      'CSV of logs',
      ['--as', '2', '--on-conflict', 'overwrite'],
      'would move log 1 from Pat One to Pat Two',
      '--on-conflict renumber',
    ],
  ])('%s %j: refused with the names and the way', async (kind, how, names, way) => {
    const db = practice();
    const { code, stderr } = await run(['import', await fileOf(kind), ...how], { db });
    expect(code).toBe(4);
    expect(stderr).toContain(names);
    expect(stderr).toContain(way);
  });

  it.each([
    ['CSV of logs', ['--as', '2', '--on-conflict', 'renumber'], 'For: Pat Two (user 2)\n'],
    ['db.json of json-server', ['--on-conflict', 'renumber'], 'New: Zoe Berg (user 3)\n'],
    ['CSV of logs', ['--as', '1', '--on-conflict', 'renumber'], 'For: Pat One (user 1)\n'],
  ])('%s %j comes in, and says to whom', async (kind, how, words) => {
    const db = practice();
    const path = await fileOf(kind);
    const first = await run(['import', path, ...how], { db });
    expect([first.code, first.stderr]).toEqual([0, expect.stringContaining(words)]);
    expect((await run(['import', path, ...how], { db })).stderr).not.toContain(' new');
  });
});

describe('a file without users', () => {
  it('needs no word where nobody else is here', async () => {
    const db = prepared((store) => store.users.create(PAT1));
    const { code, stderr } = await run(['import', await fileOf('CSV of logs')], { db });
    expect([code, stderr]).toEqual([0, '0 users\n6 logs: 6 new\nFor: Pat One (user 1)\n']);
  });

  it('goes back into its own database when that is said, and unasked where it changes nothing', async () => {
    const db = practice();
    const path = join(freshFolder(), 'all.csv');
    await run(['export', 'logs', '-o', path], { db });
    expect((await run(['import', path], { db })).stderr).toContain('4 already there');
    await run(['log', 'rm', '2', '4', '--yes'], { db });
    expect((await run(['import', path], { db })).code).toBe(4);
    const { code, stderr } = await run(['import', path, '--same-ids'], { db });
    expect([code, stderr]).toEqual([
      0,
      '0 users\n4 logs: 2 new, 2 already there\nFor: Pat One (user 1), Pat Two (user 2)\n',
    ]);
  });

  it.each([
    [['--as', '2', '--same-ids'], 'cannot both be given'],
    [['--same-ids'], 'is for files that do not say'],
  ])('%j of a file with an origin, or twice said, is refused', async (how, message) => {
    const path = join(freshFolder(), 'zoe.json');
    writeFileSync(path, await exported());
    const { code, stderr } = await run(['import', path, ...how], { db: practice() });
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});

it('names a record that was moved at its origin', async () => {
  const [there, here] = [practice(), practice()];
  const path = join(freshFolder(), 'practice.json');
  await run(['identity', 'new', '--yes'], { db: here });
  await run(['export', '-o', path], { db: there });
  expect((await run(['import', path], { db: here })).code).toBe(0);
  await run(['log', 'edit', '1', '--user', '2'], { db: there });
  await run(['export', '-o', path, '--force'], { db: there });
  const { code, stderr } = await run(['import', path], { db: here });
  expect([code, stderr]).toEqual([0, expect.stringContaining('Moved: log 5 from Pat One to Pat Two\n')]);
});

it('takes an import back by the name of its file', async () => {
  const db = practice();
  const path = await fileOf('CSV of logs');
  await run(['import', path, '--as', '2', '--on-conflict', 'renumber'], { db });
  await run(['log', 'add', 'Bird Dog', '5', '4', '--type', 'stretch', '--user', '1'], { db });
  expect((await run(['undo', 'bea.csv', '--yes'], { db })).stderr).toContain(
    'No import of a file named bea.csv',
  );
  const { code, stderr } = await run(['undo', path, '--yes'], { db });
  expect([code, stderr]).toEqual([0, expect.stringContaining('by import (zoe.csv), of Pat Two')]);
  expect(records(db).logs.map(({ notes }) => notes)).not.toContain('Zoe');
  expect((await run(['undo', 'zoe.csv', '--yes'], { db })).code).toBe(3);
});

describe('who came with a file', () => {
  const file = (...people: UserInput[]) =>
    JSON.stringify({ users: people.map((user, i) => ({ id: i + 1, ...user })), userExerciseLogs: [] });

  it('is named, the first of all too', async () => {
    const db = prepared(() => {});
    const { stderr } = await run(['import', '-'], { db, stdin: file(ZOE, person('Ann')) });
    expect(stderr).toContain('New: Zoe Berg (user 1), Ann Berg (user 2)\n');
  });

  it('is pointed out if a user has the same e-mail address', async () => {
    const db = prepared((store) => void store.users.create(person('Zoé', { email: ZOE.email })));
    const { stderr } = await run(['import', '-', '--on-conflict', 'renumber'], { db, stdin: file(ZOE) });
    expect(stderr).toContain('Note: Zoé Berg (user 1) has the same e-mail address as user 2.\n');
  });

  it('is not pointed out for an e-mail address that is shared by two of the file', async () => {
    const couple = file(ZOE, person('Ole', { email: ZOE.email }));
    const { code, stderr } = await run(['import', '-'], { db: freshPath(), stdin: couple });
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('same e-mail')]);
  });
});

it('of users whom nobody knows, a CSV is refused with a line for each of them, and the way out', async () => {
  const rows = [7, 7, 8].map((id) => `${id},Bird Dog,stretch,2026-03-01,6,4,true,`);
  const stdin = ['userId,exerciseName,exerciseType,date,painBefore,painAfter,effective,notes', ...rows].join(
    '\n',
  );
  const { code, stderr } = await run(['import', '-'], { db: freshPath(), stdin });
  expect([code, stderr.split('\n')]).toEqual([
    2,
    [
      'line 2: userId must be the id of a user in the file or the database, and is 7; so in 1 more',
      'line 4: userId must be the id of a user in the file or the database, and is 8',
      'sciatica: stdin has 2 faults: nothing was imported. To put a file of one user under a user here: --as ID',
      '',
    ],
  ]);
});

it('without a column of users, a CSV is refused with the way out', async () => {
  const stdin = 'exerciseName,exerciseType,date,painBefore,painAfter,effective,notes\n';
  const { stderr } = await run(['import', '-'], { db: noraWith(), stdin });
  expect(stderr).toBe(
    'header: userId is missing\nsciatica: stdin has 1 fault: nothing was imported. To put a file of one user under a user here: --as ID\n',
  );
});

describe('a file that was imported for another patient', () => {
  const rows = [1, 2, 3, 4].map((day) => `stretch,Plank,2026-01-0${day},6,4,true,`);
  const csv = (...lines: string[]) =>
    ['exerciseType,exerciseName,date,painBefore,painAfter,effective,notes', ...lines].join('\n');

  it.each([
    ['all of it', rows, true],
    ['grown by as many rows', [...rows, ...rows.map((row) => row.replace('Plank', 'Cobra'))], true],
    ['of which a few rows are alike', [...rows.slice(0, 2), 'stretch,Cobra,2026-01-09,6,4,true,'], false],
    [
      'grown by twice as many',
      ['Plank', 'Cobra', 'Bridge'].flatMap((name) => rows.map((row) => row.replace('Plank', name))),
      false,
    ],
  ])('%s: that is pointed out', async (_, lines, isTold) => {
    const db = practice(2);
    await run(['import', '-', '--as', '1'], { db, stdin: csv(...rows) });
    const { stderr } = await run(['import', '-', '--as', '2'], { db, stdin: csv(...lines) });
    const note =
      /most of them stand under Pat One \(user 1\) already.*\nIf the file is not of user 2: sciatica undo \d+\n/;
    expect(note.test(stderr)).toBe(isTold);
    const again = await run(['import', '-', '--as', '1'], { db, stdin: csv(...rows) });
    expect(again.stderr).not.toContain('under Pat One');
    const dry = await run(['import', '-', '--as', '2', '--dry-run'], {
      db: practice(2),
      stdin: csv(...lines),
    });
    expect(dry.stderr).not.toContain('most of them');
  });

  it('names each of them once, whatever kinds of records it has', async () => {
    const db = practice(2);
    const days = [1, 2, 3].map((day) => `2026-01-0${day}`);
    const stdin = JSON.stringify({
      userExerciseLogs: days.map((date) => ({ ...session, userId: 7, date })),
      painEntries: days.map((date) => ({ userId: 7, date, pain: 4 })),
    });
    for (const as of ['1', '2']) {
      const { stderr } = await run(['import', '-', '--as', as], { db, stdin });
      expect(stderr.match(/Pat One \(user 1\)/g) ?? []).toHaveLength(1);
      expect(stderr.includes('stand under Pat One (user 1) already')).toBe(as === '2');
    }
  });
});
