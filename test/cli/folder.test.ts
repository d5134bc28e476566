import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { makeKey } from '../../src/sync/cipher.ts';
import { freshPath, NOW, records, run } from '../helpers.ts';
import { log, openStore, user } from '../store/helpers.ts';

const bin = fileURLToPath(new URL('../../bin/sciatica.js', import.meta.url));

/** Machines that sync through a folder which something else carries. */

let folder: string;
beforeEach(() => {
  folder = join(dirname(freshPath()), `diary-${Math.random().toString(36).slice(2)}`);
  mkdirSync(folder);
});

/** A database with users and a log each. */
function diary(...emails: string[]): string {
  const db = freshPath();
  const store = openStore(db);
  for (const email of emails) {
    const { id } = store.users.create(user({ email }));
    store.logs.create(log({ userId: id, notes: `secret of ${email}` }));
  }
  store.close();
  return db;
}

const OTHER_KEY = await makeKey();
const KEY = /AGE-SECRET-KEY-1\w+/;
const add = (db: string, ...more: string[]) => run(['remote', 'add', 'diary', folder, ...more], { db });
const sync = (db: string, ...more: string[]) => run(['sync', 'diary', ...more], { db });

/** Adds the folder to a first machine, and to others with its key. */
async function joined(first: string, ...others: string[]): Promise<string> {
  const [key = ''] = KEY.exec((await add(first)).stdout) ?? [];
  for (const db of others)
    expect(
      await run(['remote', 'add', 'diary', folder, '--key-file', '-'], { db, stdin: `${key}\n` }),
    ).toMatchObject({ code: 0 });
  return key;
}

const files = () =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());

describe('a folder', () => {
  test('says what went there in lines that fit', async () => {
    const db = diary('nora@example.org');
    await add(db);
    const { stdout } = await run(['sync', 'diary'], { db, columns: 30 });
    expect(stdout).toBe('Put into the folder: 1 user, 1\nlog.\n');
  });

  test('carries what is recorded between two machines, and nobody without the key can read it', async () => {
    const [a, b] = [diary('nora@example.org'), freshPath()];
    const added = await add(a);
    expect(added.stdout).toMatch(
      new RegExp(
        `^Remote diary is ${folder}, encrypted\\.\nIts key, .*:\n${KEY.source}\nNext: sciatica sync diary`,
      ),
    );
    const [key = ''] = KEY.exec(added.stdout) ?? [];
    expect((await sync(a)).stdout).toBe('Put into the folder: 1 user, 1 log.\n');
    expect(await run(['remote', 'add', folder, '--key-file', '-'], { db: b, stdin: key })).toMatchObject({
      code: 0,
    });
    expect((await run(['sync'], { db: b })).stdout).toMatch(/^Taken over: 1 user new; 1 log new\./);
    expect(records(b).users).toEqual(records(a).users);
    await run(['log', 'add', 'Bird Dog', '6', '3', '--type', 'strengthening'], { db: b });
    await run(['sync'], { db: b });
    await sync(a);
    expect(records(a)).toEqual(records(b));
    expect((await sync(a)).stdout).toBe('Nothing to do: diary holds the same.\n');
    expect((await run(['sync', folder], { db: a })).stdout).toBe('Nothing to do: diary holds the same.\n');
    for (const path of files()) {
      const text = readFileSync(path, 'latin1');
      expect([text.includes('secret'), text.includes('nora'), text.includes(key)]).toEqual([
        false,
        false,
        false,
      ]);
    }
  });

  test('does not say that it holds the same while a machine cannot be read', async () => {
    const [a, b] = [diary('nora@example.org'), freshPath()];
    await add(a, '--plain');
    await sync(a);
    for (const file of files()) if (file.endsWith('.json')) writeFileSync(file, '{');
    await add(b, '--plain');
    expect(await sync(b)).toMatchObject({
      stdout: 'Nothing else differs from diary.\n',
      stderr: expect.stringContaining('its list of files is not whole yet'),
    });
  });

  test('says how far ahead the clock is by which something was recorded', async () => {
    const [a, b] = [diary('nora@example.org'), freshPath()];
    await add(a, '--plain');
    await sync(a);
    await add(b, '--plain');
    const now = new Date('2020-01-01T12:00:00Z');
    expect((await run(['sync'], { db: b, now })).stderr).toMatch(
      /recorded by a clock that is [\d,]+ days ahead of this one/,
    );
  });

  test('of several has to be named', async () => {
    const a = diary('nora@example.org');
    await joined(a);
    await run(['remote', 'add', 'stick', join(dirname(a), 'stick')], { db: a });
    const { code, stderr } = await run(['sync'], { db: a });
    expect([code, stderr]).toEqual([2, expect.stringContaining('say which one (diary, stick)')]);
  });

  test('without encryption has no key, and says that the other machines have none', async () => {
    const [a, b] = [diary('nora@example.org'), freshPath()];
    expect((await add(a, '--plain')).stdout).toContain('not encrypted');
    await sync(a);
    expect(await add(b)).toMatchObject({ code: 2, stderr: expect.stringContaining('add --plain') });
    expect(await add(b, '--plain')).toMatchObject({ code: 0 });
    await sync(b);
    expect(records(b).users).toEqual(records(a).users);
  });

  test.each([
    ['no key where nobody can be asked', [], '', 2, '--key-file'],
    ['a text that is no key', ['--key-file', '-'], 'hello', 2, 'AGE-SECRET-KEY-1'],
    ['another key', ['--key-file', '-'], OTHER_KEY, 2, 'not the key of this folder'],
    ['no encryption', ['--plain'], '', 2, 'leave out --plain'],
    ['a token', ['--token-file', 'x'], '', 2, 'goes with a service'],
  ])('refuses %s', async (_, flags, stdin, code, message) => {
    const [a, b] = [diary('nora@example.org'), freshPath()];
    await joined(a);
    const result = await run(['remote', 'add', 'diary', folder, ...flags], { db: b, stdin });
    expect([result.code, result.stderr.includes(message)], result.stderr).toEqual([code, true]);
    expect(['', '[]']).toContain((await run(['remotes', '--json'], { db: b })).stdout.trim());
  });

  test('of several users says whose records go there', async () => {
    const [a, b] = [diary('nora@example.org', 'tom@example.org'), freshPath()];
    expect(await add(a)).toMatchObject({ code: 2, stderr: expect.stringMatching(/--user 1.*--all/) });
    expect(await add(a, '--user', '2,9')).toMatchObject({ code: 3 });
    const [key = ''] = KEY.exec((await add(a, '--user', '2')).stdout) ?? [];
    await sync(a);
    await run(['remote', 'add', 'diary', folder, '--key-file', '-'], { db: b, stdin: key });
    await sync(b);
    expect(records(b).users.map(({ email }) => email)).toEqual(['tom@example.org']);
  });

  test('of one user gets no records of others who come later', async () => {
    const [a, b] = [diary('nora@example.org'), freshPath()];
    const key = await joined(a);
    const store = openStore(a);
    store.users.create(user({ email: 'tom@example.org' }));
    store.close();
    await sync(a);
    await run(['remote', 'add', 'diary', folder, '--key-file', '-'], { db: b, stdin: key });
    await sync(b);
    expect(records(b).users.map(({ email }) => email)).toEqual(['nora@example.org']);
  });

  test('says once of which users added later it has nothing, until it is said whether they belong there', async () => {
    const [a, b] = [diary('nora@example.org', 'ole@example.org'), freshPath()];
    await add(a, '--user', '1', '--plain');
    // Left out when it was named.
    expect(await sync(a)).toMatchObject({ stderr: '' });
    const store = openStore(a);
    for (const email of ['tom@example.org', 'zoe@example.org']) store.users.create(user({ email }));
    store.close();
    const line = `Users 3, 4 were added since diary was named, and are not in it. To have those records there too: sciatica remote add diary --user 3,4\n`;
    const held = 'Nothing else differs from diary.\n';
    expect(await sync(a)).toEqual({ code: 0, stdout: held, stderr: line });
    expect(await sync(a)).toEqual({ code: 0, stdout: held + line, stderr: '' });
    expect((await run(['remotes'], { db: a })).stderr).toBe(line);
    const doctor = await run(['doctor'], { db: a });
    expect(doctor.stdout).toMatch(
      /Sync: diary last in step [^;]*; user 3 not in diary; user\s+4 not in diary/,
    );
    const choose = (...words: string[]) => run(['remote', 'add', ...words], { db: a });
    expect(await choose('diary', '--user', '9')).toMatchObject({ code: 3 });
    expect(await choose('diary', folder, '--user', '3', '--key-file', '-')).toMatchObject({ code: 4 });
    expect(await choose('other', folder, '--user', '3')).toMatchObject({ code: 2 });
    for (const words of [['diary'], ['diary', folder], [folder, '--plain']])
      expect(await choose(...words, '--user', '3')).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('The records of user 1 and user 3 go to diary.'),
      });
    expect(await sync(a)).toMatchObject({ code: 0, stderr: '' });
    await run(['remote', 'add', 'diary', folder, '--plain'], { db: b });
    await sync(b);
    expect(records(b).users.map(({ email }) => email)).toEqual(['nora@example.org', 'tom@example.org']);
    await run(['remote', 'add', 'diary', '--all'], { db: a });
    await sync(a);
    await sync(b);
    expect(records(b).users).toHaveLength(4);
  });

  test('takes along who is one with a user whose records go there', async () => {
    const [a, b] = [diary('nora@example.org', 'norah@example.org'), freshPath()];
    await add(a, '--user', '1', '--plain');
    await sync(a);
    await run(['user', 'merge', '1', '--into', '2', '--yes'], { db: a });
    const store = openStore(a);
    store.logs.create(log({ userId: 2, notes: 'later' }));
    store.close();
    await sync(a);
    await run(['remote', 'add', 'diary', folder, '--plain'], { db: b });
    await sync(b);
    expect(records(b).users.map(({ email }) => email)).toEqual(['norah@example.org']);
    expect(
      records(b)
        .logs.map(({ notes }) => notes)
        .sort(),
    ).toEqual(['later', 'secret of nora@example.org', 'secret of norah@example.org']);
  });

  test('whose key is lost here is not written to plainly', async () => {
    const a = diary('nora@example.org');
    await joined(a);
    rmSync(`${a}.token-diary`);
    const before = files();
    expect(await sync(a)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('remote key diary --key-file'),
    });
    expect(files()).toEqual(before);
  });

  test('that was forgotten and is named again brings everything back', async () => {
    const [a, b] = [diary('nora@example.org'), diary('tom@example.org')];
    const key = await joined(a, b);
    await sync(a);
    await sync(b);
    expect((await run(['remote', 'rm', 'diary', '--forget', '--yes', '-q'], { db: b })).stdout).toBe('');
    await run(['remote', 'add', 'diary', folder, '--key-file', '-'], { db: b, stdin: key });
    await sync(b);
    expect(
      records(b)
        .users.map(({ email }) => email)
        .sort(),
    ).toEqual(['nora@example.org', 'tom@example.org']);
  });

  test('that is not there, or cannot be written to, is said in a line, and nothing is lost', async () => {
    const a = diary('nora@example.org');
    await joined(a);
    const before = records(a);
    rmSync(folder, { recursive: true });
    expect(await sync(a)).toMatchObject({
      code: 1,
      stderr: `sciatica: There is no folder ${folder}: is the stick or the share connected?\n`,
    });
    expect(records(a)).toEqual(before);
    expect(existsSync(folder)).toBe(false);
    const absent = await run(['remote', 'add', join(folder, 'a', 'b')], { db: a });
    expect(absent).toMatchObject({ code: 1, stderr: expect.stringContaining('is the stick') });
    mkdirSync(folder);
    if (process.getuid?.() === 0) return;
    chmodSync(folder, 0o500);
    expect(await sync(a)).toMatchObject({ code: 1, stderr: expect.stringContaining('(EACCES)') });
    chmodSync(folder, 0o700);
  });

  test.skipIf(process.platform === 'win32')('that is not there yet is made for its owner alone', async () => {
    const path = join(folder, 'new');
    await run(['remote', 'add', path], { db: diary('nora@example.org') });
    expect(statSync(path).mode & 0o777).toBe(0o700);
  });

  test('where this machine cannot write is no remote, and its key is not kept', async () => {
    const a = diary('nora@example.org');
    const store = openStore(a);
    writeFileSync(join(folder, store.id), '');
    store.close();
    expect((await add(a)).code).toBe(1);
    expect((await run(['remotes', '--json'], { db: a })).stdout).toBe('[]\n');
    expect(existsSync(`${a}.token-diary`)).toBe(false);
  });

  test('does not hold the database itself', async () => {
    const a = diary('nora@example.org');
    symlinkSync(dirname(a), join(folder, 'link'));
    for (const path of [dirname(a), join(folder, 'link')])
      expect(await run(['remote', 'add', path], { db: a })).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('must not lie'),
      });
  });

  test('can change its key: whoever has the former one reads nothing new', async () => {
    const [a, b] = [diary('nora@example.org'), freshPath()];
    await joined(a, b);
    await sync(a);
    await sync(b);
    const [renewed = ''] =
      KEY.exec((await run(['remote', 'key', 'diary', '--new', '--yes'], { db: a })).stdout) ?? [];
    expect((await run(['remote', 'key', 'diary'], { db: a })).stdout).toBe(`${renewed}\n`);
    await run(['log', 'add', 'Bird Dog', '6', '3', '--type', 'strengthening'], { db: a });
    await sync(a);
    const { stderr } = await sync(b);
    expect(stderr).toMatch(/Machine [0-9a-f]{8}: it has another key/);
    expect(records(b).logs).toHaveLength(1);
    // A lost laptop leaves its files, with the former key.
    const laptop = ['remote', 'add', 'diary', folder, '--key-file', '-'];
    expect(await run(laptop, { db: freshPath(), stdin: renewed })).toMatchObject({ code: 0 });
    await run(['remote', 'key', 'diary', '--key-file', '-'], { db: b, stdin: renewed });
    await sync(b);
    expect(records(b)).toEqual(records(a));
  });

  test('has everything that a lost laptop wrote before its key changes', async () => {
    const [a, laptop] = [diary('nora@example.org'), freshPath()];
    await joined(a, laptop);
    await sync(a);
    await sync(laptop);
    for (const db of [laptop, a])
      await run(['log', 'add', 'Bird Dog', '6', '3', '--type', 'strengthening'], { db });
    await sync(laptop);
    await run(['remote', 'key', 'diary', '--new', '--yes'], { db: a });
    expect(records(a).logs).toHaveLength(3);
    // What is new here is not written with the former key on the way.
    await sync(laptop);
    expect(records(laptop).logs).toHaveLength(2);
    const left = /[^ ]*\/[0-9a-f-]{36}(?=\.\n)/.exec((await sync(a)).stderr)?.[0] ?? '';
    expect(dirname(left)).toBe(folder);
    rmSync(left, { recursive: true });
    expect((await sync(a)).stdout).toBe('Nothing to do: diary holds the same.\n');
  });

  test('has what came late from a lost laptop, where the new key of another machine is taken', async () => {
    const [a, b, laptop] = [diary('nora@example.org'), freshPath(), freshPath()];
    await joined(a, b, laptop);
    for (const db of [a, b, laptop]) await sync(db);
    const [renewed = ''] =
      KEY.exec((await run(['remote', 'key', 'diary', '--new', '--yes'], { db: a })).stdout) ?? [];
    for (const db of [laptop, b])
      await run(['log', 'add', 'Bird Dog', '6', '3', '--type', 'strengthening'], { db });
    await sync(laptop);
    const take = () => run(['remote', 'key', 'diary', '--key-file', '-'], { db: b, stdin: renewed });
    expect((await take()).stderr).toContain('Taken over: 1 log new.');
    for (const db of [b, a]) await sync(db);
    for (const db of [b, a]) expect(records(db).logs).toHaveLength(3);
    // A key that is no key cannot keep the right one out.
    for (const broken of ['', 'no-key-at-all']) {
      writeFileSync(`${b}.token-diary`, broken);
      expect(await take()).toMatchObject({ code: 0 });
    }
  });

  test('lets two who were one person all along be one', async () => {
    const [a, b] = [diary('nora@example.org'), diary('nora@home.example')];
    const [key = ''] = KEY.exec((await add(a)).stdout) ?? [];
    await sync(a);
    await run(['remote', 'add', 'diary', folder, '--key-file', '-', '--as', '1'], { db: b, stdin: key });
    await sync(b);
    await sync(a);
    for (const db of [a, b])
      expect([
        records(db).users.length,
        records(db)
          .logs.map(({ notes }) => notes)
          .sort(),
      ]).toEqual([1, ['secret of nora@example.org', 'secret of nora@home.example']]);
  });

  test('a merge elsewhere brings the user along who was chosen here', async () => {
    const [a, b] = [diary('nora@example.org', 'norah@example.org', 'tom@example.org'), freshPath()];
    await add(a, '--all', '--plain');
    await sync(a);
    await run(['remote', 'add', 'diary', folder, '--plain'], { db: b });
    await sync(b);
    await run(['user', 'use', '2'], { db: b });
    await run(['user', 'merge', '2', '--into', '1', '--yes'], { db: a });
    await sync(a);
    await sync(b);
    const shown = await run(['user', 'show', '--json', 'id'], { db: b });
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining('1') });
  });

  test('a dry run changes nothing, here or there', async () => {
    const [a, b] = [diary('nora@example.org'), freshPath()];
    await joined(a, b);
    await sync(a);
    const before = files().map((path) => [path, readFileSync(path, 'latin1')]);
    const { stdout, stderr } = await sync(b, '--dry-run');
    expect(stdout).toContain('To be taken over: 1 user new; 1 log new.');
    expect(stderr).toContain('dry run');
    expect(records(b).users).toEqual([]);
    expect(files().map((path) => [path, readFileSync(path, 'latin1')])).toEqual(before);
  });

  /** Two machines in step, the first of which has deleted a user since, and has told the folder so. */
  async function withDeletedUser(): Promise<[first: string, second: string]> {
    const [a, b] = [diary('nora@example.org', 'tom@example.org'), freshPath()];
    const [key = ''] = KEY.exec((await add(a, '--all')).stdout) ?? [];
    await sync(a);
    await run(['remote', 'add', 'diary', folder, '--key-file', '-'], { db: b, stdin: key });
    await sync(b);
    await run(['user', 'rm', '2', '--yes'], { db: a });
    await sync(a);
    return [a, b];
  }

  test('the deletion of a user is held back, and accepted', async () => {
    const [a, b] = await withDeletedUser();
    expect(await sync(b)).toMatchObject({ code: 4, stderr: expect.stringContaining('Held back') });
    expect(records(b).users).toHaveLength(2);
    const { stderr } = await run(['remotes', '--db', b], { db: a });
    for (const way of ['accept', 'restore'])
      expect(stderr).toContain(`sciatica remotes --${way}-deletions --db ${b}.`);
    await run(['remotes', '--accept-deletions'], { db: b });
    expect(records(b).users).toHaveLength(1);
  });

  test('what waits, and why a sync fails, is on stderr once, and on stdout while it stays the same', async () => {
    const [, b] = await withDeletedUser();
    const held = 'sciatica: Left as they are: 1 deletion held back (see sciatica remotes).\n';
    const first = await sync(b);
    expect(first).toMatchObject({ code: 4, stderr: expect.stringContaining(held) });
    const second = await sync(b);
    expect(second).toMatchObject({ code: 4, stdout: expect.stringContaining(held), stderr: '' });
    expect(second.stdout).toContain('Held back: 1 deletion');
    rmSync(folder, { recursive: true });
    const gone = await sync(b);
    expect(gone).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('is the stick') });
    expect(await sync(b)).toEqual({ code: 1, stdout: gone.stderr, stderr: '' });
    expect(await run(['sync', 'diary', '--json'], { db: b })).toEqual(gone);
    await run(['remotes', '--accept-deletions'], { db: b });
    expect(await sync(b, '--dry-run')).toEqual(gone);
  });

  test('who may be one person is said, and how to make one of two', async () => {
    const [a, b] = [diary('nora@example.org'), diary('nora@example.org')];
    await joined(a, b);
    await sync(a);
    expect((await run(['sync', 'diary', '--db', b], { db: a })).stderr).toMatch(
      / have the same e-mail address\. If they are one person: sciatica user merge \d --into \d --db \S+\.db$/m,
    );
  });

  test('what both sides changed stays visible until it is undone', async () => {
    const [a, b] = [diary('nora@example.org'), freshPath()];
    await joined(a, b);
    for (const db of [a, b]) await sync(db);
    await run(['log', 'edit', '1', '--notes', 'said at a'], { db: a });
    for (const more of ['', ', twice', ', the latest'])
      await run(['log', 'edit', '1', '--notes', `said at b${more}`], { db: b });
    for (const db of [b, a]) await sync(db);
    const told = async () => {
      const shown = [
        await run(['remotes', '--db', a], { db: b }),
        await run([], { db: a }),
        await run(['doctor'], { db: a }),
      ];
      return shown.map(({ stdout, stderr }) => stdout + stderr);
    };
    const [remotes = '', home, doctor] = await told();
    expect(remotes).toMatch(
      /^log 1: notes; the value there counts\. To choose the other: sciatica undo \d+ --db \S+$/m,
    );
    expect(home).toContain('Both sides changed 1 record: sciatica remotes');
    const aWeekAfter = async (time: number) =>
      (await run([], { db: a, now: new Date(time + 7 * 86_400_000) })).stdout;
    expect(await aWeekAfter(Date.now() - 60_000)).toContain('Both sides');
    expect(await aWeekAfter(Date.now())).not.toContain('Both sides');
    expect(await aWeekAfter(NOW.getTime())).not.toContain('Sync');
    expect(await aWeekAfter(NOW.getTime() + 1)).toContain('\nSync       diary: last in step 2026-03-02\n');
    // The clock was ahead at the time, by more than some days.
    expect(await aWeekAfter(NOW.getTime() - 15 * 86_400_000)).toContain(
      '\nSync       diary: last in step 2026-03-02, which has not come yet: is the clock right?\n',
    );
    // The clock was ahead at the time, by more than some days.
    expect(await aWeekAfter(NOW.getTime() - 15 * 86_400_000)).toContain(
      '\nSync       diary: last in step 2026-03-02, which has not come yet: is the clock right?\n',
    );
    expect(doctor).toContain('1 record changed on two machines');
    await run(['undo', /undo (\d+)/.exec(remotes)?.[1] ?? '', '--yes', '--everywhere'], { db: a });
    for (const text of await told()) expect(text).not.toMatch(/both sides/i);
  });

  test('an undo asks again if the change has reached others while the question stood', async () => {
    const [a, b] = [diary('nora@example.org'), freshPath()];
    await joined(a, b);
    for (const db of [a, b]) await sync(db);
    await run(['log', 'edit', '1', '--notes', 'said at a'], { db: a });
    const exchange = () => {
      for (const db of [a, b, a]) spawnSync(process.execPath, [bin, 'sync', 'diary', '--db', db]);
      return 'y\r';
    };
    const { code } = await run(['undo'], {
      db: a,
      answers: [
        ['Undo change', exchange],
        ['here and at', 'n\r'],
      ],
    });
    expect([code, records(a).logs[0]?.notes]).toEqual([1, 'said at a']);
  });

  test('of who was erased nothing is left in the files of that machine, and the other erases after a yes', async () => {
    const [a, b] = [diary('nora@example.org', 'tom@example.org'), freshPath()];
    await add(a, '--all', '--plain');
    await sync(a);
    await run(['remote', 'add', 'diary', folder, '--plain'], { db: b });
    await sync(b);
    const erased = await run(['user', 'erase', '2', '--yes'], { db: a });
    expect([erased.code, erased.stderr]).toEqual([
      0,
      expect.stringContaining(`Erased from the files of this machine in ${folder}.`),
    ]);
    expect(await sync(b)).toMatchObject({ code: 4, stderr: expect.stringContaining('--accept-erase') });
    const said = async (...command: string[]) => {
      const { stdout, stderr } = await run(command, { db: b });
      return stdout + stderr;
    };
    expect(await said('remotes')).toContain('User 2 was erased elsewhere, for good.');
    expect(await said('doctor')).toContain('user 2 erased elsewhere, and still here');
    expect(await said()).toContain('Erased     user 2, elsewhere: sciatica remotes');
    expect((await sync(b, '--accept-erase')).stdout).toContain('User 2 was erased here');
    const again = await run(['remotes', '--accept-erase'], { db: b });
    expect(again).toMatchObject({ stdout: 'Nothing is here that was erased elsewhere.\n', stderr: '' });
    await sync(a);
    for (const db of [a, b])
      expect(records(db).users.map(({ email }) => email)).toEqual(['nora@example.org']);
    const { gunzipSync } = await import('node:zlib');
    for (const path of files().filter((name) => name.endsWith('.sciatica')))
      expect(gunzipSync(readFileSync(path)).includes('tom@')).toBe(false);
  });

  test('a sync that erases says what is left as an erasing does, and rewrites the other folders too', async () => {
    const [a, b, other] = [diary('nora@example.org', 'tom@example.org'), freshPath(), `${folder}-other`];
    mkdirSync(other);
    await add(a, '--all', '--plain');
    await sync(a);
    await run(['remote', 'add', 'diary', folder, '--plain'], { db: b });
    await sync(b);
    await run(['remote', 'add', 'other', other, '--plain', '--all'], { db: b });
    await run(['sync', 'other'], { db: b });
    const kept = `${b}.replaced-2026-03-01`;
    writeFileSync(kept, '');
    await run(['user', 'erase', '2', '--yes'], { db: a });
    const { code, stdout, stderr } = await run(['sync', 'diary', '--accept-erase'], { db: b });
    expect([code, stdout]).toEqual([1, expect.stringContaining('User 2 was erased here')]);
    expect(stderr).toContain(`Erased from the files of this machine in ${other}.`);
    expect(stderr).toContain(`This copy may still hold them: ${kept}`);
    const again = await run(['sync', 'diary'], { db: b });
    expect([again.code, again.stdout]).toEqual([
      1,
      expect.stringContaining(`${kept}\nsciatica: User 2 is erased, but not everywhere`),
    ]);
    const quiet = await run(['sync', 'diary', '--quiet'], { db: b });
    expect(quiet.stderr).toContain(`This copy may still hold them: ${kept}`);
    expect((await run(['sync', 'diary', '--dry-run'], { db: b })).code).toBe(0);
    rmSync(kept);
    expect((await run(['sync', 'diary'], { db: b })).code).toBe(0);
    const { gunzipSync } = await import('node:zlib');
    const there = readdirSync(other, { recursive: true, encoding: 'utf8' });
    for (const path of there.filter((name) => name.endsWith('.sciatica')))
      expect(gunzipSync(readFileSync(join(other, path))).includes('tom@')).toBe(false);
  });

  test('an erasing names the folder that cannot be rewritten, and ends with 1', async () => {
    const a = diary('nora@example.org', 'tom@example.org');
    await add(a, '--all');
    await sync(a);
    rmSync(folder, { recursive: true });
    const { code, stderr } = await run(['user', 'erase', '2', '--yes'], { db: a });
    expect([code, stderr]).toEqual([1, expect.stringContaining(`This copy may still hold them: ${folder}`)]);
  });

  test('forgotten, it takes away what came from there, and sends nothing', async () => {
    const [a, b] = [diary('nora@example.org'), diary('tom@example.org')];
    await joined(a, b);
    await sync(a);
    await sync(b);
    const before = files();
    expect(await run(['remote', 'rm', 'diary', '--forget', '--yes'], { db: b })).toMatchObject({ code: 0 });
    expect(records(b).users.map(({ email }) => email)).toEqual(['tom@example.org']);
    expect(files()).toEqual(before);
    expect(await run(['remote', 'key', 'diary'], { db: b })).toMatchObject({ code: 3 });
    expect(existsSync(`${b}.token-diary`)).toBe(false);
  });

  test('is listed by its path, with when both were last in step', async () => {
    const a = diary('nora@example.org');
    await joined(a);
    expect((await run(['remotes'], { db: a, columns: 200 })).stdout).toMatch(/never/);
    await sync(a);
    vi.stubEnv('TZ', 'Asia/Kolkata');
    onTestFinished(() => void vi.unstubAllEnvs());
    const { stdout } = await run(['remotes'], { db: a, columns: 200 });
    const { inStepAt } = JSON.parse((await run(['remotes', '--json'], { db: a })).stdout)[0];
    expect(stdout).toContain(folder);
    // The day and the time of the person, five and a half hours ahead.
    expect(stdout).toContain(
      new Date(Date.parse(inStepAt) + 19_800_000).toISOString().slice(0, 16).replace('T', ' '),
    );
    expect((await run(['remotes'], { db: a, columns: 30 })).stdout).not.toMatch(/^(As user|Pin)/m);
    const undo = await run(['undo', '--yes'], { db: a });
    expect(undo.stderr).toContain('diary');
  });

  test('copied and used twice, a database gets a name of its own before it writes there', async () => {
    const a = diary('nora@example.org');
    await joined(a);
    await sync(a);
    const copy = freshPath();
    await run(['backup', copy], { db: a });
    writeFileSync(`${copy}.token-diary`, readFileSync(`${a}.token-diary`), { mode: 0o600 });
    await run(['log', 'add', 'Bird Dog', '6', '3', '--type', 'strengthening'], { db: a });
    await sync(a);
    expect(
      await run(['log', 'add', 'Plank', '6', '3', '--type', 'strengthening'], { db: copy }),
    ).toMatchObject({
      code: 0,
    });
    expect((await sync(copy)).stdout).toContain('set back to an earlier state, or is a copy');
    await sync(a);
    expect(records(a).logs).toHaveLength(3);
    expect(records(copy).logs.length).toBe(3);
  });
});
