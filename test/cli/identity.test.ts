import { copyFileSync, writeFileSync } from 'node:fs';
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
      '1 user: 1 already there\n2 logs: 1 changed there, 1 changed here\nChanged records of: Nora Lind (user 1)\n',
    ]);
    expect(records(copy).logs.map(({ notes }) => notes)).toEqual(['there', 'here']);
  });

  it('that a copy shares is named where its file does not fit', async () => {
    const db = await filled();
    const copy = freshPath();
    copyFileSync(db, copy);
    for (const path of [db, copy])
      await run(['log', 'add', 'Own', '5', '3', path, '--type', 'stretch'], { db: path });
    const { code, stderr } = await run(['import', await exported(copy)], { db });
    expect([code, stderr]).toEqual([4, expect.stringContaining('or from a copy of it')]);
    expect(stderr).toContain('sciatica identity new');
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
    expect(JSON.parse(first)).toEqual({ origin: { id: await idOf(db), seq: 3, complete: false } });
    expect(others).toEqual(await lines());
  });

  it.each([
    ['--origin'],
    ['--format', 'csv', '--origin', 'logs'],
    ['--format', 'ndjson', '--origin', '--anonymous'],
  ])('elsewhere --origin is wrong: %s', async (...argv) => {
    expect((await run(['export', ...argv], { db: await filled() })).code).toBe(2);
  });

  it('when a record was changed or deleted after it had been made', async () => {
    const db = await filled();
    await run(['log', 'edit', '1', '--notes', 'x'], { db });
    await run(['log', 'rm', '2', '--yes'], { db });
    const { lastChanges } = JSON.parse((await run(['export'], { db })).stdout);
    const entry = (id: number) => ({ record: 'log', id, at: expect.stringMatching(/^\d{4}-.*Z$/) });
    expect(lastChanges).toEqual([entry(1), entry(2)]);
  });

  it.each([
    ['{"origin":{"id":"x","seq":1,"complete":true},"users":[]}', 'origin must be an object with id'],
    ['{"origin":5,"users":[]}', 'origin'],
    ['{"users":[],"lastChanges":[{"record":"log"}]}', 'lastChanges must be'],
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
      '1 user: 1 new under another id\n2 logs: 2 new\nNew: Nora Lind (user 2)\nNote: Ole Lind (user 1) has the same e-mail address as user 2.\n',
    );
    expect((await run(['import', path], { db: here })).stderr).toBe(
      '1 user: 1 already there\n2 logs: 2 already there\n',
    );
    const { stdout } = await run(['export', '--format', 'ndjson', '--origin'], { db: there });
    expect((await run(['import', '-'], { db: here, stdin: stdout })).stderr).toContain('2 already there');
    expect([records(here).users.length, records(here).logs.length]).toEqual([2, 2]);
    expect(records(here).logs.map(({ userId }) => userId)).toEqual([2, 2]);
  });

  it('shows a conflict field by field, and does as it is told', async () => {
    const [there, here] = [await filled(), await other()];
    await run(['import', await exported(there)], { db: here });
    await run(['log', 'edit', '1', '--notes', 'there', '--after', '1'], { db: there });
    await run(['log', 'edit', '1', '--notes', 'here', '--after', '1'], { db: here });
    const path = await exported(there);
    const refused = await run(['import', path], { db: here });
    expect(refused.code).toBe(4);
    expect(refused.stderr).toBe(
      `log 1 (1 there): changed here and there
  notes: was ${session.notes ? `"${session.notes}"` : 'empty'}, is "here" here and "there" there
1 user: 1 already there
2 logs: 1 already there, 1 in conflict
sciatica: 1 record of Nora Lind (user 2) is in conflict: nothing was imported. See --on-conflict theirs, ours and newest.
`,
    );
    const json = await run(['import', path, '--json', '--dry-run'], { db: here });
    expect(JSON.parse(json.stdout).conflicts).toMatchObject([
      {
        record: 'log',
        id: 1,
        theirId: 1,
        fields: ['notes'],
        here: { notes: 'here' },
        there: { notes: 'there' },
      },
    ]);
    expect((await run(['import', path, '--on-conflict', 'theirs'], { db: here })).code).toBe(0);
    expect(records(here).logs[0]?.notes).toBe('there');
    // One change, one undo; and the conflict is one again.
    await run(['undo', '--yes'], { db: here });
    expect(records(here).logs[0]?.notes).toBe('here');
    expect((await run(['import', path], { db: here })).code).toBe(4);
    // Changed here last.
    await run(['import', path, '--on-conflict', 'newest'], { db: here });
    expect(records(here).logs[0]?.notes).toBe('here');
    expect((await run(['import', path], { db: here })).stderr).toContain('1 changed here');
  });

  it('names what was deleted there, and deletes it with --mirror', async () => {
    const [there, here] = [await filled(), await other()];
    await run(['import', await exported(there)], { db: here });
    await run(['log', 'rm', '2', '--yes'], { db: there });
    const path = await exported(there);
    const named = await run(['import', path], { db: here });
    expect(named.stderr).toContain('Deleted there, and still here: log 2.');
    expect(records(here).logs).toHaveLength(2);
    const unasked = await run(['import', path, '--mirror'], { db: here });
    expect([unasked.code, records(here).logs.length]).toEqual([2, 2]);
    expect(unasked.stderr).toBe(
      'To be deleted: log 2: Piriformis Stretch on 2026-03-01, pain 6 → 4 (↓2), effective\nsciatica: This would delete 1 record. To do it unasked, add --yes.\n',
    );
    const { code, stdout } = await run(['import', path, '--mirror', '--yes', '--json'], { db: here });
    expect([code, records(here).logs.length]).toEqual([0, 1]);
    expect(JSON.parse(stdout)).toMatchObject({
      userExerciseLogs: { deleted: 1 },
      deletedThere: [{ record: 'log', id: 2 }],
    });
    await run(['undo', '--yes'], { db: here });
    expect(records(here).logs).toHaveLength(2);
    expect((await run(['import', path, '--mirror', '--yes'], { db: here })).stderr).toContain(
      '1 deleted here too',
    );
  });

  it.each([
    ['its own file', async (db: string) => [await exported(db), '--mirror', '--yes']],
    ['a part', async () => [await exported(await filled(), '--user', '1'), '--mirror', '--yes']],
    ['newest of its own', async (db: string) => [await exported(db), '--on-conflict', 'newest']],
    [
      'several users',
      async (db: string) => {
        const there = await filled();
        await run(['import', '-'], { db: there, stdin: JSON.stringify({ ...nora, firstName: 'Zoe' }) });
        return [await exported(there), '--as', '1', '--db', db];
      },
    ],
  ])('refuses what it cannot do: %s', async (_, argv) => {
    const db = await filled();
    const { code, stderr } = await run(['import', ...(await argv(db))], { db });
    expect([code, stderr]).toEqual([2, expect.stringMatching(/--(mirror|on-conflict|as)/)]);
  });

  it('takes an older file for no news', async () => {
    const [there, here] = [await filled(), await other()];
    const older = await exported(there);
    await run(['log', 'edit', '1', '--notes', 'newer'], { db: there });
    await run(['log', 'rm', '2', '--yes'], { db: there });
    await run(['import', await exported(there)], { db: here });
    const { code, stderr } = await run(['import', older], { db: here });
    expect([code, records(here).logs.map(({ notes }) => notes)]).toEqual([4, ['newer']]);
    expect(stderr).toBe(`log 1 (1 there): not the same here and in this older file
  notes: is "newer" here and ${session.notes ? `"${session.notes}"` : 'empty'} there
1 user: 1 already there
2 logs: 1 new, 1 in conflict
sciatica: 1 record of Nora Lind (user 2) is in conflict: nothing was imported. The file is older than one from there that was imported before. See --on-conflict theirs, ours and newest.
`);
  });

  it('says of an older file that it is, and not that what came later was deleted', async () => {
    const [there, here] = [await filled(), await other()];
    const older = await exported(there);
    await run(['log', 'add', 'Own', '5', '3', '--type', 'stretch'], { db: there });
    await run(['import', await exported(there)], { db: here });
    const { code, stderr } = await run(['import', older], { db: here });
    expect([code, stderr]).toEqual([
      0,
      '1 user: 1 already there\n2 logs: 2 already there\nThe file is older than one from there that was imported before.\n',
    ]);
    const { stdout } = await run(['import', older, '--json'], { db: here });
    expect(JSON.parse(stdout)).toMatchObject({ deletedThere: [], older: true });
  });

  it('brings nobody back who was erased here, unless that is said', async () => {
    const [there, here] = [await filled(), await other()];
    const path = await exported(there);
    await run(['import', path], { db: here });
    await run(['user', 'erase', '2', '--yes'], { db: here });
    const { code, stderr } = await run(['import', path], { db: here });
    expect([code, records(here).users.length]).toEqual([4, 1]);
    expect(stderr).toBe(`users[0]: was erased here
1 user: 1 in conflict
2 logs: 2 in conflict
sciatica: 1 user of the file was erased here: nothing was imported. To bring them back: --on-conflict theirs. To leave them out: --on-conflict ours.
`);
    expect((await run(['import', path, '--on-conflict', 'ours'], { db: here })).code).toBe(0);
    expect(records(here).users).toHaveLength(1);
    expect((await run(['import', path, '--on-conflict', 'theirs'], { db: here })).code).toBe(0);
    expect(records(here).logs.map(({ userId }) => userId)).toEqual([3, 3]);
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

  it('leaves deleted what was deleted here', async () => {
    const [there, here] = [await filled(), await other()];
    const path = await exported(there);
    await run(['import', path], { db: here });
    await run(['log', 'rm', '2', '--yes'], { db: here });
    expect((await run(['import', path], { db: here })).code).toBe(0);
    expect(records(here).logs).toHaveLength(1);
    await run(['log', 'edit', '2', '--notes', 'after all'], { db: there });
    const changed = await exported(there);
    const { code, stderr } = await run(['import', changed], { db: here });
    expect([code, stderr]).toEqual([4, expect.stringContaining('deleted here, and changed there')]);
    await run(['import', changed, '--on-conflict', 'theirs'], { db: here });
    expect(records(here).logs[1]?.notes).toBe('after all');
  });

  it('comes under a user that is here, and goes on there', async () => {
    const [there, here] = [await filled(), await other()];
    const { code, stderr } = await run(['import', await exported(there), '--as', '1'], { db: here });
    expect([code, stderr]).toEqual([0, '1 user: 1 already there\n2 logs: 2 new\n']);
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
      '--as cannot be 2: the records of this user have been coming under user 1\nsciatica: It is a different user. Nothing was imported.\n',
    ]);
  });

  it('links records that came before their origin was noted', async () => {
    const [there, here] = [await filled(), await other()];
    const { origin: _, ...lists } = JSON.parse((await run(['export'], { db: there })).stdout);
    const stdin = JSON.stringify(lists);
    await run(['import', '-', '--on-conflict', 'renumber'], { db: here, stdin });
    expect((await run(['import', await exported(there)], { db: here })).stderr).toBe(
      '1 user: 1 already there\n2 logs: 2 already there\n',
    );
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
