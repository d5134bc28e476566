import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { freshFolder, nora, records, run, session } from '../helpers.ts';
import { openStore, raw } from '../store/helpers.ts';
import { damagedCopy } from './damage.ts';

/** `npm run faults` takes all of them. */
const FILES = process.env['ALL_FAULTS'] ? 1_200 : 20;

/** A database that was closed, and one that a crash left with its log. */
const closed = { db: Buffer.alloc(0), log: Buffer.alloc(0) };
const crashed = { ...closed };

beforeAll(() => {
  const folder = mkdtempSync(join(tmpdir(), 'sciatica-'));
  const path = join(folder, 'whole.db');
  const store = openStore(path);
  store.change(() => {
    for (let i = 0; i < 20; i++) store.users.create({ ...nora, firstName: `Nora ${i}` });
    for (let i = 0; i < 200; i++)
      store.logs.create({ ...session, userId: 1 + (i % 20), notes: i % 9 ? `n${i}` : 'long '.repeat(900) });
  });
  for (let id = 1; id < 9; id++) store.logs.delete(id);
  [crashed.db, crashed.log] = [readFileSync(path), readFileSync(`${path}-wal`)];
  store.close();
  closed.db = readFileSync(path);
  rmSync(folder, { recursive: true });
});

/** Writes the damaged files. @returns the path of the database */
function damaged(seed: number): string {
  const path = join(freshFolder(), 'test.db');
  if (seed % 3 > 0) writeFileSync(path, damagedCopy(closed.db, seed), { mode: 0o600 });
  else {
    const both = seed % 2 === 0;
    writeFileSync(path, both ? damagedCopy(crashed.db, seed) : crashed.db, { mode: 0o600 });
    writeFileSync(`${path}-wal`, damagedCopy(crashed.log, seed + 1), { mode: 0o600 });
  }
  return path;
}

const bytesIn = (folder: string) =>
  readdirSync(folder).map((name) => readFileSync(join(folder, name), 'hex'));

test(`whatever is wrong with a file, every command says it in its own words (${FILES} files)`, {
  timeout: 1_200_000,
}, async () => {
  let found = 0;
  const backup = join(freshFolder(), 'good.db');
  writeFileSync(backup, closed.db);
  for (let seed = 0; seed < FILES; seed++) {
    const db = damaged(seed);
    const folder = join(db, '..');
    const before = bytesIn(folder);
    const output = join(freshFolder(), 'r.ndjson');
    const said: string[] = [];
    const command = async (line: string, files: string[] = [], path = db) => {
      const result = await run([...line.split(' '), ...files], { db: path });
      said.push(`${line}: ${result.code} ${result.stderr}`);
      return result;
    };
    // First what promises to change nothing.
    await command('doctor');
    const rescued = await command('doctor --rescue', [output]);
    if (seed % 3 > 0) expect({ seed, bytes: bytesIn(folder) }).toEqual({ seed, bytes: before });
    if (existsSync(output)) {
      expect(rescued.code).toBe(0);
      found += 1;
      const fresh = join(freshFolder(), 'new.db');
      const imported = await command('import', [output], fresh);
      // Logs whose user could not be read are the one thing that import refuses.
      if (imported.code === 0) {
        const lines = readFileSync(output, 'utf8').trimEnd().split('\n');
        const { users, logs } = records(fresh);
        expect(users.length + logs.length).toBe(lines.length);
      } else
        expect({ seed, said }).toEqual({
          seed,
          said: expect.arrayContaining([expect.stringContaining('Lost: ')]),
        });
    }
    for (const line of [
      'users',
      'logs --json',
      'summary --user 1',
      'export',
      'log add --user 1 Cat 5 4',
      'history',
    ])
      await command(line);
    await command('backup', [join(folder, 'copy.db')]);
    await command('restore --yes', [db], join(freshFolder(), 'other.db'));
    const restored = await command('restore --yes', [backup]);
    // What no longer says that it is ours may be another program's, and is left alone.
    if (restored.code !== 0)
      expect({ seed, said: restored.stderr }).toMatchObject({
        said: expect.stringMatching(/is not a sciatica database; it was left as it is/),
      });
    else
      expect([seed, (await run(['logs', '--all', '--json'], { db })).stdout.match(/"id"/g)?.length]).toEqual([
        seed,
        192,
      ]);
    expect({ seed, said: said.filter((text) => /unforeseen|SQLITE_|\n\s+at /.test(text)) }).toEqual({
      seed,
      said: [],
    });
  }
  expect(found).toBeGreaterThan(FILES / 3);
});

test('a value that SQLite reads without a word is damage as well', async () => {
  const path = join(freshFolder(), 'test.db');
  const store = openStore(path);
  store.users.create(nora);
  store.logs.create(session);
  store.close();
  const sqlite = raw(path);
  sqlite.pragma('ignore_check_constraints = ON');
  sqlite.exec("DROP TRIGGER logs_updated; UPDATE logs SET date = '2026-01-00'");
  expect(await run(['summary', '--user', '1'], { db: path })).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/test\.db is damaged\. To see how: sciatica doctor/),
  });
});

test.each([
  [
    'a CHECK calls no function',
    'length',
    'leneth',
    ['doctor', 'doctor --rescue FILE', 'backup FILE', 'user erase 1 --yes'],
  ],
  ['a column has another name', 'exerciseName', 'exercIseName', ['doctor', 'summary --user 1']],
  ['a reference leads to no key', 'users (id)', 'users (ie)', ['doctor', 'backup FILE']],
])('a schema of which one letter changed is damage: %s', async (_, text, other, lines) => {
  const path = join(freshFolder(), 'test.db');
  const store = openStore(path);
  store.users.create(nora);
  store.logs.create(session);
  store.close();
  const bytes = readFileSync(path);
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) bytes.write(other, at);
  writeFileSync(path, bytes);
  for (const line of lines) {
    const words = line.split(' ').map((word) => (word === 'FILE' ? join(freshFolder(), 'file') : word));
    const { code, stdout, stderr } = await run(words, { db: path });
    if (line.includes('--rescue')) expect([line, code]).toEqual([line, 0]);
    else expect([line, code, stdout + stderr]).toEqual([line, 1, expect.stringMatching(/damaged/)]);
  }
});
