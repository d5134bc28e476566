import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSqlite } from '../../src/store/sqlite/driver.ts';
import { freshFolder, freshPath, nora, records, run, session } from '../helpers.ts';

const idOf = async (db: string) => (await run(['identity'], { db })).stdout.trim();

/** Writes an export to a file of its own. */
async function exported(db: string, ...options: string[]): Promise<string> {
  const path = join(freshFolder(), 'file.json');
  expect((await run(['export', '-o', path, ...options], { db })).code).toBe(0);
  return path;
}

/** A database of a user and two logs. */
async function filled(): Promise<string> {
  const db = freshPath();
  const stdin = JSON.stringify({
    users: [{ ...nora, id: 1 }],
    userExerciseLogs: [
      { ...session, id: 1 },
      { ...session, id: 2, notes: 'second' },
    ],
  });
  expect((await run(['import', '-'], { db, stdin })).code).toBe(0);
  return db;
}

/** The same file without states, as versions before wrote it. */
async function withoutStates(path: string): Promise<string> {
  const { states: _, seal: __, ...lists } = JSON.parse(readFileSync(path, 'utf8'));
  const older = join(freshFolder(), 'older.json');
  writeFileSync(
    older,
    JSON.stringify({ ...lists, lastChanges: [{ record: 'log', id: 1, at: '2026-03-02T09:00:00Z' }] }),
  );
  return older;
}

/** The states in a file, those too that stand together. */
const statesIn = (text: string): { k: string; i?: number; l: number }[] =>
  JSON.parse(text).states.flatMap(({ k, s }: { k: string; s: (object | number[])[] }) =>
    s.flatMap((state) =>
      Array.isArray(state)
        ? Array.from({ length: state[4] ?? 0 }, (_, i) => ({ k, i: (state[0] ?? 0) + i, l: 1 }))
        : { k, ...state },
    ),
  );

const flags = {
  '--first-name': 'Zoe',
  '--last-name': 'Berg',
  '--email': 'zoe@example.org',
  '--age': '30',
  '--pain-location': 'calf-left',
  '--pain-level': '5',
  '--diagnosis-date': '2025-05-05',
};

/** A database with a user of its own, so that the ids of others are taken. */
async function other(): Promise<string> {
  const db = freshPath();
  await run(['import', '-'], { db, stdin: JSON.stringify({ ...nora, firstName: 'Ole', id: 1 }) });
  return db;
}

describe('identity', () => {
  it('is shown, by doctor too', async () => {
    const db = await filled();
    const id = await idOf(db);
    expect(JSON.parse((await run(['identity', '--json'], { db })).stdout)).toEqual({ id });
    expect((await run(['doctor'], { db })).stdout).toContain(`Identity: ${id}`);
    expect(JSON.parse((await run(['doctor', '--json'], { db })).stdout).identity).toBe(id);
  });

  it('is new for a copy that is told so, after asking', async () => {
    const db = await filled();
    const copy = freshPath();
    copyFileSync(db, copy);
    const id = await idOf(db);
    expect(await idOf(copy)).toBe(id);
    const refused = await run(['identity', 'new'], { db: copy });
    expect([refused.code, await idOf(copy)]).toEqual([2, id]);
    expect(refused.stderr).toContain('--yes');
    const asked = await run(['identity', 'new', '-q'], {
      db: copy,
      answers: [
        ['FHIR', ''],
        ['Give this', 'n\r'],
      ],
    });
    expect(asked.code).toBe(1);
    const { code, stdout, stderr } = await run(['identity', 'new', '--yes'], { db: copy });
    expect([code, stdout.trim() === id, stdout.trim()]).toEqual([0, false, await idOf(copy)]);
    expect(stderr).toContain('FHIR');
    expect(await idOf(db)).toBe(id);
  });

  it('of a copy knows the records of the other', async () => {
    const db = await filled();
    const copy = freshPath();
    copyFileSync(db, copy);
    await run(['identity', 'new', '--yes'], { db: copy });
    await run(['log', 'edit', '1', '--notes', 'there'], { db });
    await run(['log', 'edit', '2', '--notes', 'here'], { db: copy });
    const { code, stderr } = await run(['import', await exported(db)], { db: copy });
    expect([code, stderr]).toEqual([
      0,
      '1 user: 1 already there\n2 logs: 1 already there, 1 changed there\nChanged records of: Nora Lind (user 1)\n',
    ]);
    expect(records(copy).logs.map(({ notes }) => notes)).toEqual(['there', 'here']);
  });

  it('may be shared by a copy that was used too: its file doubles and loses nothing', async () => {
    const db = await filled();
    const copy = freshPath();
    copyFileSync(db, copy);
    for (const path of [db, copy])
      await run(['log', 'add', 'Own', '5', '3', path, '--type', 'stretch'], { db: path });
    for (const _ of [1, 2]) {
      const { code, stderr } = await run(['import', await exported(copy)], { db });
      expect([code, stderr]).toEqual([0, expect.stringContaining('logs: ')]);
      expect(records(db).logs.map(({ notes }) => notes)).toEqual([session.notes, 'second', db, copy]);
    }
  });

  it('that was lost is found missing by doctor, and can be given anew', async () => {
    const db = await filled();
    const sqlite = openSqlite(db);
    sqlite.exec("DELETE FROM settings WHERE name = 'id'");
    sqlite.close();
    expect((await run(['doctor'], { db })).stdout).toContain('sciatica identity new');
    expect((await run(['identity', 'new', '--yes'], { db })).code).toBe(0);
    expect((await run(['doctor'], { db })).stdout).not.toContain('it has none');
  });

  it('is kept by a restored backup, which says so', async () => {
    const db = await filled();
    const backup = join(freshFolder(), 'backup.db');
    await run(['backup', backup], { db });
    const elsewhere = freshPath();
    const { stderr } = await run(['restore', backup, '--yes'], { db: elsewhere });
    expect(stderr).toContain(`It keeps its identity, ${await idOf(db)}.`);
    expect(await idOf(elsewhere)).toBe(await idOf(db));
  });
});

describe('exports say where they are from', () => {
  it('JSON: on its first line, and whether it has everything', async () => {
    const db = await filled();
    const id = await idOf(db);
    const originOf = async (...options: string[]) =>
      JSON.parse((await run(['export', ...options], { db })).stdout).origin;
    expect(await originOf()).toEqual({ id, seq: 3, complete: true });
    expect(await originOf('--user', '1')).toEqual({ id, seq: 3, complete: false });
    expect(await originOf('--limit', '1')).toEqual({ id, seq: 3, complete: false });
    expect(await originOf('--anonymous')).toBeUndefined();
  });

  it('NDJSON: with --origin only, as a line of its own', async () => {
    const db = await filled();
    const lines = async (...options: string[]) =>
      (await run(['export', '--format', 'ndjson', ...options], { db })).stdout.split('\n');
    const [first = '', ...others] = await lines('--origin');
    const records = (await lines()).filter(Boolean);
    expect(JSON.parse(first)).toEqual({ origin: { id: await idOf(db), seq: 3, complete: true } });
    expect(others.slice(0, records.length)).toEqual(records);
    const { stderr } = await run(['import', '-'], { db, stdin: records.join('\n') });
    expect(stderr).toBe('1 user: 1 already there\n2 logs: 2 already there\n');
    expect(others.slice(records.length).map((line) => line.slice(0, 10))).toEqual([
      '{"states":',
      '{"states":',
      '{"seal":{"',
      '',
    ]);
  });

  it.each([
    ['--origin'],
    ['--format', 'csv', '--origin', 'logs'],
    ['--format', 'ndjson', '--origin', '--anonymous'],
    ['--format', 'ndjson', '--origin', 'logs'],
  ])('elsewhere --origin is wrong: %s', async (...argv) => {
    expect((await run(['export', ...argv], { db: await filled() })).code).toBe(2);
  });

  it('with a state for each record, and no old value or deleted text', async () => {
    const db = await filled();
    await run(['log', 'edit', '1', '--notes', 'as it is'], { db });
    await run(['log', 'edit', '2', '--notes', 'deleted text'], { db });
    await run(['log', 'rm', '2', '--yes'], { db });
    const { stdout } = await run(['export'], { db });
    const { seal } = JSON.parse(stdout);
    expect(statesIn(stdout).map(({ k, i, l }) => [k, i, l])).toEqual([
      ['user', 1, 1],
      ['log', 1, 1],
      ['log', undefined, 2],
    ]);
    expect(seal).toEqual({
      databases: { 1: await idOf(db) },
      format: expect.any(Number),
      erased: [],
      sha256: expect.any(String),
    });
    expect(stdout).toContain('as it is');
    expect(stdout).not.toMatch(/second|deleted text/);
  });

  it.each([
    ['{"origin":{"id":"x","seq":1,"complete":true},"users":[]}', 'origin must be an object with id'],
    ['{"origin":5,"users":[]}', 'origin'],
    ['{"origin":{"id":"x"}}\n', 'origin must be an object'],
  ])('a file that says it wrongly is refused: %s', async (stdin, message) => {
    const { code, stderr } = await run(['import', '-'], { stdin });
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe('import of a file of another database', () => {
  it('keeps nothing twice, in JSON and NDJSON', async () => {
    const [there, here] = [await filled(), await other()];
    const path = await exported(there);
    expect((await run(['import', path], { db: here })).stderr).toBe(
      '1 user: 1 new\n2 logs: 2 new\nNew: Nora Lind (user 2)\nNote: Ole Lind (user 1) has the same e-mail address as user 2.\n',
    );
    expect((await run(['import', path], { db: here })).stderr).toBe(
      '1 user: 1 already there\n2 logs: 2 already there\n',
    );
    const { stdout } = await run(['export', '--format', 'ndjson', '--origin'], { db: there });
    expect((await run(['import', '-'], { db: here, stdin: stdout })).stderr).toContain('2 already there');
    expect([records(here).users.length, records(here).logs.length]).toEqual([2, 2]);
    expect(records(here).logs.map(({ userId }) => userId)).toEqual([2, 2]);
  });

  it('knows what came from a third one, in NDJSON too, and leaves out who was erased here', async () => {
    const [third, there, here] = [await filled(), await other(), await other()];
    const path = await exported(third);
    for (const db of [there, here]) await run(['import', path], { db });
    await run(['log', 'edit', '1', '--notes', 'changed there'], { db: there });
    const ndjson = async () =>
      (await run(['export', '--user', '2', '--format', 'ndjson', '--origin'], { db: there })).stdout;
    const { code, stderr } = await run(['import', '-'], { db: here, stdin: await ndjson() });
    expect([code, stderr]).toEqual([
      0,
      '1 user: 1 already there\n2 logs: 1 already there, 1 changed there\nChanged records of: Nora Lind (user 2)\n',
    ]);
    await run(['user', 'erase', '2', '--yes'], { db: here });
    expect((await run(['import', '-'], { db: here, stdin: await ndjson() })).code).toBe(0);
    expect([records(here).users.length, records(here).logs.length]).toEqual([1, 0]);
  });

  it.each<[string, (lines: string[]) => string[]]>([
    ['cut off', (lines) => lines.slice(0, -2)],
    ['cut off after a record', (lines) => lines.slice(0, 3)],
    ['with a line less', (lines) => lines.filter((_, i) => i !== 2)],
    ['with a record more', (lines) => [...lines, JSON.stringify({ ...session, id: 70 })]],
    ['with a changed record', (lines) => lines.map((line) => line.replace('second', 'other'))],
  ])('in NDJSON, %s, counts as one that does not say where it is from', async (_, change) => {
    const [there, here] = [await filled(), await other()];
    const { stdout } = await run(['export', '--format', 'ndjson', '--origin'], { db: there });
    const stdin = `${change(stdout.trimEnd().split('\n')).join('\n')}\n`;
    const { code, stderr } = await run(['import', '-', '--dry-run'], { db: here, stdin });
    expect([code, stderr]).toEqual([
      4,
      expect.stringContaining('was changed or cut off since it was exported'),
    ]);
  });

  it('lets the later of two changes count, tells both, and is one change', async () => {
    const [there, here] = [await filled(), await other()];
    await run(['import', await exported(there)], { db: here });
    await run(['log', 'edit', '1', '--notes', 'there', '--after', '1'], { db: there });
    await run(['log', 'edit', '1', '--notes', 'here'], { db: here });
    const path = await exported(there);
    const { code, stderr } = await run(['import', path], { db: here });
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(
        /^1 user: 1 already there\n2 logs: 1 already there, 1 changed there\nChanged records of: Nora Lind \(user 2\)\nlog 1: changed on two machines: notes here here, there there\. Here \d{4}-\d\d-\d\d \d\d:\d\d, there \d{4}-\d\d-\d\d \d\d:\d\d: the value here counts, because it is later\.\n$/,
      ),
    ]);
    expect(records(here).logs[0]).toMatchObject({ notes: 'here', painAfter: 1 });
    expect((await run(['import', path], { db: here })).stderr).toContain('2 logs: 2 already there');
    // The clock of tests stands still, and counts changes.
    for (const notes of ['once', 'once more', 'later'])
      await run(['log', 'edit', '1', '--notes', notes], { db: there });
    const json = await run(['import', await exported(there), '--json', '--dry-run'], { db: here });
    expect(JSON.parse(json.stdout).disputes).toMatchObject([
      { record: 'log', id: 1, counts: 'there', fields: [{ field: 'notes', here: 'here', there: 'later' }] },
    ]);
    expect(records(here).logs[0]?.notes).toBe('here');
    await run(['import', await exported(there)], { db: here });
    expect(records(here).logs[0]?.notes).toBe('later');
    await run(['undo', '--yes', '--everywhere'], { db: here });
    expect(records(here).logs[0]?.notes).toBe('here');
  });

  it('deletes what was deleted there, without a flag', async () => {
    const [there, here] = [await filled(), await other()];
    await run(['import', await exported(there)], { db: here });
    await run(['log', 'rm', '2', '--yes'], { db: there });
    const path = await exported(there);
    const { code, stdout, stderr } = await run(['import', path, '--json'], { db: here });
    expect([code, records(here).logs.length]).toEqual([0, 1]);
    expect(stderr).toBe(
      '1 user: 1 already there\n1 log: 1 already there; 1 deleted there, and here too\nChanged records of: Nora Lind (user 2)\n',
    );
    expect(JSON.parse(stdout)).toMatchObject({ userExerciseLogs: { deleted: 1, equal: 1 }, held: [] });
    await run(['undo', '--yes', '--everywhere'], { db: here });
    expect(records(here).logs).toHaveLength(2);
  });

  it('says who was erased there, and how to erase here too, and ends with 4 the first time', async () => {
    const [there, here] = [await filled(), freshPath()];
    await run(['import', await exported(there)], { db: here });
    await run(['user', 'erase', '1', '--yes'], { db: there });
    const path = await exported(there);
    const take = (...more: string[]) => run(['import', path, '--db', here, ...more], { db: there });
    const line = `User 1 was erased elsewhere, for good. To erase here too: sciatica user erase 1 --db ${here}\n`;
    const dry = await take('--dry-run');
    expect(dry).toMatchObject({ code: 4, stderr: expect.stringContaining(line) });
    expect(dry.stderr).toContain('sciatica: There would be 1 user or record still here, erased elsewhere.\n');
    const first = await take();
    expect(first).toMatchObject({ code: 4, stderr: expect.stringContaining(line) });
    expect(first.stderr).toContain(
      `sciatica: 1 user or record still here, erased elsewhere. See: sciatica remotes --db ${here}\n`,
    );
    expect(await take()).toMatchObject({ code: 0, stderr: '0 users\n0 logs\n' });
    expect((await run(['remotes'], { db: here })).stderr).toContain('User 1 was erased elsewhere');
  });

  it('holds back a deletion of a user, names it, and does the rest', async () => {
    const [there, here] = [await filled(), await other()];
    await run(['import', await exported(there)], { db: here });
    await run(['user', 'rm', '1', '--yes'], { db: there });
    await run(['user', 'add', ...Object.entries(flags).flat()], { db: there });
    const path = await exported(there);
    const dry = await run(['import', path, '--dry-run'], { db: here });
    expect([dry.code, dry.stderr]).toEqual([
      4,
      expect.stringContaining('There would be 1 deletion held back.'),
    ]);
    const { code, stderr } = await run(['import', path], { db: here });
    expect([code, stderr]).toEqual([
      4,
      expect.stringContaining('Held back: 1 deletion from elsewhere (user 2).'),
    ]);
    expect(records(here).users.map(({ firstName }) => firstName)).toEqual(['Ole', 'Nora', 'Zoe']);
    expect((await run(['remotes'], { db: here })).stderr).toContain('Held back: 1 deletion from elsewhere');
    expect((await run(['remotes', '--accept-deletions'], { db: here })).code).toBe(0);
    expect([records(here).users.length, records(here).logs.length]).toEqual([2, 0]);
  });

  it.each([
    ['a policy', async () => [await exported(await filled()), '--on-conflict', 'overwrite'], '--on-conflict'],
    [
      'a policy of its own file',
      async (db: string) => [await exported(db), '--on-conflict', 'ours'],
      '--on-conflict',
    ],
    [
      'several users',
      async (db: string) => {
        const there = await filled();
        await run(['import', '-'], { db: there, stdin: JSON.stringify({ ...nora, firstName: 'Zoe' }) });
        return [await exported(there), '--as', '1', '--db', db];
      },
      '--as',
    ],
  ])('refuses what it cannot do: %s', async (_, argv, message) => {
    const db = await filled();
    const { code, stderr } = await run(['import', ...(await argv(db))], { db });
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it('takes an older file for no news', async () => {
    const [there, here] = [await filled(), await other()];
    const older = await exported(there);
    await run(['log', 'edit', '1', '--notes', 'newer'], { db: there });
    await run(['log', 'rm', '2', '--yes'], { db: there });
    await run(['log', 'add', 'Own', '5', '3', 'third', '--type', 'stretch'], { db: there });
    await run(['import', await exported(there)], { db: here });
    const { code, stderr } = await run(['import', older], { db: here });
    expect([code, stderr]).toEqual([
      0,
      '1 user: 1 already there\n2 logs: 1 already there, 1 deleted or set aside here\n',
    ]);
    expect(records(here).logs.map(({ notes }) => notes)).toEqual(['newer', 'third']);
  });

  it('that was changed by hand goes by ids, which is said', async () => {
    const [there, here] = [await filled(), await filled()];
    await run(['log', 'edit', '1', '--notes', 'x'], { db: there });
    const { stdout } = await run(['export'], { db: there });
    // Another layout is no change.
    const layout = JSON.stringify(JSON.parse(stdout), null, 2);
    expect((await run(['import', '-'], { stdin: layout })).stderr).toContain('1 user: 1 new');
    const edited = stdout.replace('"notes":"x"', '"notes":"edited"');
    const refused = await run(['import', '-'], { db: here, stdin: edited });
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('See --on-conflict skip')]);
    expect(refused.stderr).toContain(
      'stdin was changed or cut off since it was exported, or is of an older version: it counts as a file that',
    );
    const longer = stdout.replace(/}\n$/, ',"goals":[]}');
    expect((await run(['import', '-'], { stdin: longer })).stderr).toContain('stdin was changed or cut off');
    const { code } = await run(['import', '-', '--on-conflict', 'theirs'], { db: here, stdin: edited });
    expect([code, records(here).logs.map(({ notes }) => notes)]).toEqual([0, ['edited', 'second']]);
  });

  it('brings nobody back who was erased here', async () => {
    const [there, here] = [await filled(), await other()];
    await run(['user', 'add', ...Object.entries(flags).flat()], { db: there });
    const path = await exported(there);
    await run(['import', path], { db: here });
    await run(['user', 'erase', '2', '--yes'], { db: here });
    for (const file of [path, await withoutStates(path)]) {
      const { code, stderr } = await run(['import', file], { db: here });
      expect([code, records(here).users.map(({ firstName }) => firstName)]).toEqual([0, ['Ole', 'Zoe']]);
      expect(stderr).toBe(
        '2 users: 1 already there, 1 skipped\n2 logs: 2 skipped\n1 user of the file was erased here, and left out.\n',
      );
    }
  });

  it('of this database itself brings back what was deleted, and changes nothing back', async () => {
    const db = await filled();
    const path = await exported(db);
    await run(['log', 'rm', '2', '--yes'], { db });
    await run(['log', 'edit', '1', '--notes', 'since'], { db });
    const { code, stderr } = await run(['import', path], { db });
    expect([code, stderr]).toEqual([
      0,
      '1 user: 1 already there\n2 logs: 1 new, 1 already there\nFor: Nora Lind (user 1)\n',
    ]);
    expect(records(db).logs.map(({ id, notes }) => [id, notes])).toEqual([
      [1, 'since'],
      [2, 'second'],
    ]);
  });

  it('of a part has its states only, and what was deleted of a user', async () => {
    const [there, here] = [await filled(), await other()];
    await run(['user', 'add', ...Object.entries(flags).flat()], { db: there });
    await run(['log', 'add', 'Own', '5', '3', 'of Zoe', '--type', 'stretch', '--user', '2'], { db: there });
    const path = await exported(there, '--user', '1');
    expect(readFileSync(path, 'utf8')).not.toMatch(/Zoe/);
    expect(statesIn(readFileSync(path, 'utf8'))).toHaveLength(3);
    expect((await run(['import', path], { db: here })).stderr).toContain('1 user: 1 new\n2 logs: 2 new');
    await run(['log', 'rm', '1', '3', '--yes'], { db: there });
    const latest = await exported(there, '--user', '1', '--since', '2026-03-01');
    expect(statesIn(readFileSync(latest, 'utf8'))).toHaveLength(2);
    expect((await run(['import', latest], { db: here })).stderr).toContain('1 log: 1 already there\n');
    const ofUser = await exported(there, '--user', '1');
    expect((await run(['import', ofUser], { db: here })).stderr).toContain(
      '1 already there; 1 deleted there',
    );
  });

  it('that ends in the middle changes nothing', async () => {
    const [there, here] = [await filled(), await other()];
    const { stdout } = await run(['export'], { db: there });
    const path = join(freshFolder(), 'half.json');
    writeFileSync(path, stdout.slice(0, stdout.length / 2));
    expect([(await run(['import', path], { db: here })).code, records(here).logs]).toEqual([2, []]);
  });

  it('brings back what an undo took, under the same id', async () => {
    const [there, here] = [await filled(), await other()];
    const path = await exported(there);
    await run(['import', path], { db: here });
    const before = records(here);
    await run(['undo', '--yes', '--everywhere'], { db: here });
    expect(records(here).logs).toEqual([]);
    await run(['import', path], { db: here });
    expect(records(here)).toEqual(before);
  });

  it('gives no id that was ever used here: what was deleted can come back', async () => {
    const [there, here] = [await filled(), await other()];
    await run(['log', 'add', 'Own', '5', '3', '--type', 'stretch', '--user', '1'], { db: here });
    const own = records(here).logs[0];
    await run(['log', 'rm', '1', '--yes'], { db: here });
    await run(['import', await exported(there)], { db: here });
    expect(records(here).logs.map(({ id }) => id)).not.toContain(1);
    expect((await run(['undo', '2', '--yes'], { db: here })).code).toBe(4);
    expect((await run(['undo', '3', '--yes'], { db: here })).code).toBe(0);
    expect(records(here).logs).toHaveLength(3);
    expect(records(here).logs[0]).toEqual(own);
  });

  it('brings back values that an undo took back, and what was deleted by it, each time', async () => {
    const [there, here] = [await filled(), await other()];
    await run(['goal', '4'], { db: there });
    await run(['import', await exported(there)], { db: here });
    await run(['log', 'edit', '1', '--notes', 'there'], { db: there });
    await run(['log', 'rm', '2', '--yes'], { db: there });
    await run(['log', 'add', 'Own', '5', '3', 'third', '--type', 'stretch'], { db: there });
    await run(['goal', '5'], { db: there });
    const path = await exported(there);
    await run(['import', path], { db: here });
    const after = (await run(['export', '--format', 'ndjson'], { db: here })).stdout;
    for (const _ of [1, 2]) {
      expect((await run(['undo', path, '--yes', '--everywhere'], { db: here })).code).toBe(0);
      expect(records(here).logs.map(({ notes }) => notes)).toEqual([session.notes, 'second']);
      expect((await run(['import', path], { db: here })).code).toBe(0);
      expect((await run(['export', '--format', 'ndjson'], { db: here })).stdout).toBe(after);
    }
  });

  it('leaves deleted what was deleted here', async () => {
    const [there, here] = [await filled(), await other()];
    const path = await exported(there);
    await run(['import', path], { db: here });
    await run(['log', 'rm', '2', '--yes'], { db: here });
    await run(['log', 'edit', '2', '--notes', 'after all'], { db: there });
    for (const file of [path, await exported(there), await withoutStates(path)]) {
      expect(await run(['import', file], { db: here })).toMatchObject({
        code: 0,
        stderr: '1 user: 1 already there\n2 logs: 1 already there, 1 deleted or set aside here\n',
      });
      expect(records(here).logs).toHaveLength(1);
    }
  });

  it('says of a user who was deleted here, with all that the user has, that nothing of it is there', async () => {
    const [there, here] = [await filled(), await other()];
    await run(['goal', '5'], { db: there });
    await run(['pain', '5'], { db: there });
    const path = await exported(there);
    await run(['import', path], { db: here });
    await run(['user', 'rm', '2', '--yes'], { db: here });
    for (const more of [['--dry-run'], []])
      expect((await run(['import', path, ...more], { db: here })).stderr).toMatch(
        /^1 user: 1 deleted or set aside here\n2 logs: 2 deleted or set aside here\n1 goal: 1 deleted or set aside here\n1 pain entry: 1 deleted or set aside here\n/,
      );
    const { stdout } = await run(['import', path, '--json'], { db: here });
    expect(JSON.parse(stdout).userExerciseLogs).toMatchObject({ equal: 0, absent: 2 });
  });

  it('says of a goal that was given up here that it is not there', async () => {
    const [there, here] = [await filled(), await other()];
    await run(['goal', '5'], { db: there });
    const path = await exported(there);
    await run(['import', path], { db: here });
    await run(['goal', 'none', '--user', '2'], { db: here });
    expect((await run(['import', path], { db: here })).stderr).toContain(
      '1 goal: 1 deleted or set aside here\n',
    );
  });

  it('comes under a user that is here, and goes on there', async () => {
    const [there, here] = [await filled(), await other()];
    const { code, stderr } = await run(['import', await exported(there), '--as', '1'], { db: here });
    expect([code, stderr]).toEqual([
      0,
      '1 user: 1 skipped\n2 logs: 2 new\nFor: Ole Lind (user 1)\nThe profile stays that of user 1, where the file differs.\n',
    ]);
    expect(records(here).users.map(({ firstName }) => firstName)).toEqual(['Ole']);
    await run(['log', 'edit', '1', '--notes', 'x'], { db: there });
    await run(['import', await exported(there)], { db: here });
    expect(records(here).logs.map(({ userId, notes }) => [userId, notes])).toEqual([
      [1, 'x'],
      [1, 'second'],
    ]);
    await run(['import', '-'], { db: here, stdin: JSON.stringify({ ...nora, firstName: 'Zoe' }) });
    const wrong = await run(['import', await exported(there), '--as', '2'], { db: here });
    expect([wrong.code, wrong.stderr]).toEqual([
      4,
      expect.stringContaining('--as cannot be 2: the records of this user have been coming under Ole Lind\n'),
    ]);
    expect(records(here).logs.map(({ userId }) => userId)).toEqual([1, 1]);
  });

  it.each([
    [undefined, '5 sessions a week', '1 goal: 1 new'],
    ['5', '5 sessions a week', '1 goal: 1 already there'],
    ['3', '3 sessions a week', '1 goal: 1 skipped'],
  ])(
    'brings its goal along where the user here has none, and not where it is %s',
    async (own, goal, said) => {
      const [there, here] = [await filled(), await other()];
      await run(['goal', '5'], { db: there });
      if (own) await run(['goal', own], { db: here });
      const { stderr } = await run(['import', await exported(there), '--as', '1'], { db: here });
      expect(stderr).toContain(said);
      expect((await run(['goal'], { db: here })).stdout).toContain(goal);
      expect((await run(['import', await exported(there), '--as', '1'], { db: here })).stderr).toContain(
        own === '3' ? said : '1 goal: 1 already there',
      );
      if (own) return;
      await run(['goal', 'none'], { db: here });
      await run(['import', await exported(there), '--as', '1'], { db: here });
      expect((await run(['goal'], { db: here })).stderr).toContain('no goal');
    },
  );

  it('says what stays as it is here, also of later files that go there by themselves', async () => {
    const [there, here] = [await filled(), await filled()];
    await run(['goal', '5'], { db: there });
    await run(['goal', '5'], { db: here });
    const take = async (...more: string[]) =>
      (await run(['import', await exported(there), ...more], { db: here })).stderr;
    expect(await take('--as', '1')).toBe(
      '1 user: 1 already there\n2 logs: 2 new\n1 goal: 1 already there\nFor: Nora Lind (user 1)\n',
    );
    await run(['user', 'edit', '--age', '45'], { db: there });
    await run(['goal', '6'], { db: there });
    const said = 'The profile and the goal stay those of user 1, where the file differs.\n';
    const counts = '1 user: 1 skipped\n2 logs: 2 already there\n1 goal: 1 skipped\n';
    expect([await take('--dry-run'), await take(), await take('--as', '1')]).toEqual([
      `${counts}${said}This was a dry run: nothing was written.\n`,
      counts + said,
      counts + said,
    ]);
    const older = await withoutStates(await exported(there));
    expect((await run(['import', older], { db: here })).stderr).toBe(counts + said);
    const { stdout } = await run(['import', older, '--json'], { db: here });
    expect(JSON.parse(stdout).staying).toEqual(['user', 'goal'].map((record) => ({ record, userId: 1 })));
    expect(records(here).users[0]?.age).toBe(44);
    expect((await run(['goal'], { db: here })).stdout).toContain('5 sessions');
    // Once nothing differs, nothing is said.
    await run(['user', 'edit', '--age', '45'], { db: here });
    await run(['goal', '6'], { db: here });
    expect(await take()).toBe('1 user: 1 already there\n2 logs: 2 already there\n1 goal: 1 already there\n');
  });

  it('that was put under the wrong user comes under another after an undo', async () => {
    const [there, here] = [await filled(), await other()];
    await run(['user', 'add', ...Object.entries(flags).flat()], { db: here });
    const path = await exported(there);
    await run(['import', path, '--as', '1'], { db: here });
    await run(['undo', '--yes', '--everywhere'], { db: here });
    expect((await run(['import', path, '--as', '2'], { db: here })).code).toBe(0);
    expect(records(here).logs.map(({ userId }) => userId)).toEqual([2, 2]);
  });

  it('of an older version, or NDJSON: new records come, values too unless they were changed here', async () => {
    const [there, here] = [await filled(), await other()];
    await run(['import', await withoutStates(await exported(there))], { db: here });
    await run(['log', 'edit', '1', '--notes', 'here'], { db: here });
    await run(['log', 'edit', '1', '--notes', 'there'], { db: there });
    await run(['log', 'edit', '2', '--notes', 'changed'], { db: there });
    await run(['log', 'add', 'Own', '5', '3', 'third', '--type', 'stretch'], { db: there });
    const older = await withoutStates(await exported(there));
    expect((await run(['import', older], { db: here })).stderr).toBe(
      '1 user: 1 already there\n3 logs: 1 new, 1 changed there, 1 changed here\nFor: Nora Lind (user 2)\nChanged records of: Nora Lind (user 2)\n',
    );
    const notes = () => records(here).logs.map((log) => log.notes);
    expect(notes()).toEqual(['here', 'changed', 'third']);
    // Its names are those of a file with states. The clock of tests stands still, and counts changes.
    await run(['log', 'edit', '1', '--notes', 'once more'], { db: there });
    await run(['log', 'edit', '1', '--notes', 'there'], { db: there });
    await run(['import', await exported(there)], { db: here });
    expect(notes()).toEqual(['there', 'changed', 'third']);
  });

  it('of an older version of users that are not in it is refused, unless they are known', async () => {
    const [there, here] = [await filled(), await other()];
    const { users: _, ...rest } = JSON.parse(
      readFileSync(await withoutStates(await exported(there)), 'utf8'),
    );
    const stdin = JSON.stringify(rest);
    const refused = await run(['import', '-'], { db: here, stdin });
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('in the file or the database, and is 1'),
    ]);
    expect((await run(['import', '-', '--as', '1'], { db: here, stdin })).code).toBe(0);
    expect(records(here).logs.map(({ userId }) => userId)).toEqual([1, 1]);
    expect((await run(['import', '-'], { db: here, stdin })).stderr).toContain('2 logs: 2 already there');
  });

  it('without users and an origin goes by ids, and says to whom', async () => {
    const here = await other();
    const stdin = JSON.stringify([{ ...session, userId: 1, id: 70 }]);
    expect((await run(['import', '-', '--dry-run'], { db: here, stdin })).stderr).toContain(
      'For: Ole Lind (user 1)\n',
    );
    const { stderr } = await run(['import', '-'], { db: here, stdin });
    expect(stderr).toBe('0 users\n1 log: 1 new\nFor: Ole Lind (user 1)\n');
    expect((await run(['import', '-'], { db: here, stdin })).stderr).toBe(
      '0 users\n1 log: 1 already there\n',
    );
  });

  it('without an origin comes under a user too', async () => {
    const here = await other();
    const stdin = JSON.stringify([{ ...session, userId: 7, id: 70 }]);
    expect((await run(['import', '-', '--as', '1'], { db: here, stdin })).code).toBe(0);
    expect(records(here).logs.map(({ id, userId }) => [id, userId])).toEqual([[70, 1]]);
  });
});
