import { copyFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { logRecord } from '../../src/domain/log.ts';
import { userRecord } from '../../src/domain/user.ts';
import { rowsOf } from '../../src/store/maintenance/rescue/cells.ts';
import { openPages } from '../../src/store/maintenance/rescue/pages.ts';
import { type Rescue, rescue } from '../../src/store/maintenance/rescue/rescue.ts';
import { dbOf, failure, freshFolder, freshPath, log, openStore, raw, user } from './helpers.ts';

const PAGE = 4096;

/** A file with many leaf pages, overflow chains, deleted rows, and a table of somebody else's with rows of our widths. */
function filled(path: string): void {
  const store = openStore(path);
  store.change(() => {
    for (let i = 0; i < 60; i++) store.users.create(user({ firstName: `Zoë ${i}`, age: i }));
    for (let i = 0; i < 600; i++)
      store.logs.create(
        log({
          userId: 1 + (i % 60),
          painBefore: 1 + (i % 10),
          effective: i % 3 === 0,
          notes: i % 50 ? `n${i}` : `ü🧘${i}`.repeat(1200),
        }),
      );
  });
  store.change(() => {
    for (let id = 100; id < 200; id++) store.logs.delete(id);
    for (let id = 300; id < 330; id++) store.logs.update(id, { notes: `changed ${id} `.repeat(20) });
  });
  dbOf(store).exec(`CREATE TABLE likeLogs (a INTEGER PRIMARY KEY, b, c, d, e, f, g, h, i);
    INSERT INTO likeLogs VALUES (9001, 'insert', 'log', '{"id":1}', '2026-03-02', 1, 2, 1, 'x'), (9002, 1, 'yoga', 'n', '2026-03-02', 1, 2, 1, '');
    CREATE TABLE likeUsers (a INTEGER PRIMARY KEY, b, c, d, e, f, g, h);
    INSERT INTO likeUsers VALUES (9070, 'x', 'y', 'z', 1, 'calf', 3, '2026-01-01')`);
  store.close();
}

let original = '';
let whole: Rescue;
beforeAll(() => {
  const folder = mkdtempSync(join(tmpdir(), 'sciatica-'));
  original = join(folder, 'original.db');
  filled(original);
  whole = rescue(original);
  return () => rmSync(folder, { recursive: true });
});

/** A copy of the original to be damaged. */
function copy(): string {
  const path = freshPath();
  copyFileSync(original, path);
  return path;
}

/** The records whose own pages, leaf and overflow, are the same in both files. */
function survivors(path: string): { users: string[]; logs: string[] } {
  const [before, after] = [openPages(original), openPages(path)];
  const same = (number: number) => {
    const page = before.pages(number);
    return page !== undefined && after.pages(number)?.equals(page) === true;
  };
  const found = { users: new Set<number>(), logs: new Set<number>() };
  for (let number = 2; number <= before.count; number++) {
    if (!same(number)) continue;
    const intact = rowsOf(number, (wanted) => (same(wanted) ? after.pages(wanted) : undefined));
    for (const { id, values } of intact.rows) {
      if (values.length === Object.keys(userRecord).length && String(values[1]).startsWith('Zoë'))
        found.users.add(id);
      if (values.length === Object.keys(logRecord).length && values[3] === 'Piriformis Stretch')
        found.logs.add(id);
    }
  }
  before.close();
  after.close();
  const among = (records: string[], ids: Set<number>) => records.filter((json) => ids.has(idOf(json)));
  return { users: among(whole.records.user, found.users), logs: among(whole.records.log, found.logs) };
}

const idOf = (json: string) => (JSON.parse(json) as { id: number }).id;

/** The ids of records that are not, just so, among the others. */
const missing = (records: string[], among: string[]) =>
  records.filter((json) => !among.includes(json)).map(idOf);

/** Everything that must be there is, and nothing that never was. */
function judge(path: string): Rescue {
  const before = readFileSync(path);
  const got = rescue(path);
  expect(readFileSync(path).equals(before)).toBe(true);
  const must = survivors(path);
  expect(missing(must.users, got.records.user)).toEqual([]);
  expect(missing(must.logs, got.records.log)).toEqual([]);
  expect(missing(got.records.user, whole.records.user)).toEqual([]);
  expect(missing(got.records.log, whole.records.log)).toEqual([]);
  return got;
}

test('a sound database is read whole', () => {
  const store = openStore(copy());
  expect(whole.records.user).toEqual(store.users.list().map((record) => JSON.stringify(record)));
  expect(whole.records.log).toEqual(store.logs.list().map((record) => JSON.stringify(record)));
  expect(whole).toMatchObject({ lostUsers: [], lostLogs: [], broken: 0 });
  store.close();
});

test('the pages alone give the same, and none that was deleted', () => {
  const path = copy();
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0, 0, PAGE));
  expect(rescue(path)).toMatchObject({ records: whole.records, lostUsers: [], broken: 0 });
});

test('rows of a table whose first column is no key are no records', () => {
  const path = copy();
  const db = raw(path);
  db.exec('CREATE TABLE copied AS SELECT * FROM logs ORDER BY id DESC');
  db.close();
  writeFileSync(path, readFileSync(path).fill(0, 0, 100));
  expect(rescue(path).records).toEqual(whole.records);
});

test('what SQLite reads counts before a like row elsewhere in a damaged file', () => {
  const path = copy();
  const db = raw(path);
  const names = db.prepare('SELECT name FROM pragma_table_info(?)').pluck().all('logs') as string[];
  const others = names.slice(1).map((name) => (name === 'notes' ? "'of another table'" : name));
  const index = db.prepare(
    "SELECT max(rootpage) FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'logs'",
  );
  const root = index.pluck().get() as number;
  db.exec(`CREATE TABLE kept (id INTEGER PRIMARY KEY, ${names.slice(1)});
    INSERT INTO kept SELECT id, ${others} FROM logs`);
  db.close();
  writeFileSync(path, readFileSync(path).fill(0xee, (root - 1) * PAGE, root * PAGE));
  expect(rescue(path).records).toEqual(whole.records);
});

test('the pages alone give rows of every length from less than a page to more', () => {
  const path = freshPath();
  const store = openStore(path);
  store.users.create(user());
  store.change(() => {
    for (let length = PAGE - 200; length < PAGE; length++)
      store.logs.create(log({ notes: 'n'.repeat(length) }));
  });
  store.close();
  const { log: logs } = rescue(path).records;
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0, 0, PAGE));
  expect([rescue(path).records.log, logs.length]).toEqual([logs, 200]);
});

test.each([512, 65_536])('pages of %i bytes are found by the header', (size) => {
  const path = copy();
  const db = raw(path);
  db.pragma('journal_mode = DELETE');
  db.pragma(`page_size = ${size}`);
  db.exec('VACUUM');
  db.close();
  const bytes = readFileSync(path);
  // All that the schema is read from but the header.
  writeFileSync(path, bytes.fill(0xff, 100, 512));
  expect(rescue(path).records).toEqual(whole.records);
});

test.each<[string, (bytes: Buffer) => unknown]>([
  ['an older format', (bytes) => bytes.writeUInt32BE(1, 60)],
  ['pages of another size', (bytes) => bytes.writeUInt16BE(512, 16)],
])('a header that wrongly names %s costs no user or log', (_, change) => {
  const path = copy();
  const bytes = readFileSync(path);
  change(bytes);
  writeFileSync(path, bytes);
  const { records } = rescue(path);
  expect([records.user, records.log]).toEqual([whole.records.user, whole.records.log]);
});

test('a file that is not there is said to be missing', () => {
  expect(failure(() => rescue(freshPath())).code).toBe('unusable');
});

/** https://en.wikipedia.org/wiki/Linear_congruential_generator, so that a failure comes again. */
function randomly(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const damages: Record<string, (path: string, random: (below: number) => number) => void> = {
  'pages of zeros': (path, random) => {
    const bytes = readFileSync(path);
    for (let i = 0; i < 1 + random(6); i++) {
      const page = random(bytes.length / PAGE);
      bytes.fill(0, page * PAGE, (page + 1) * PAGE);
    }
    writeFileSync(path, bytes);
  },
  'pages of noise': (path, random) => {
    const bytes = readFileSync(path);
    for (let i = 0; i < 1 + random(6); i++) {
      const page = random(bytes.length / PAGE);
      for (let at = page * PAGE; at < (page + 1) * PAGE; at++) bytes[at] = random(256);
    }
    writeFileSync(path, bytes);
  },
  'an end that is missing': (path, random) => truncateSync(path, 1 + random(readFileSync(path).length - 1)),
  'garbage across pages': (path, random) => {
    const bytes = readFileSync(path);
    const start = random(bytes.length);
    // With a NUL in front: in the last letter of a note any other change could not be told from what was written.
    writeFileSync(path, bytes.fill('\0garbage', start, start + random(5 * PAGE)));
  },
  'a beginning and a middle that are gone': (path, random) => {
    const bytes = readFileSync(path);
    bytes.fill(0, 0, 1 + random(PAGE));
    const start = random(bytes.length);
    writeFileSync(path, bytes.fill(0xff, start, start + random(3 * PAGE)));
  },
};

describe.each(Object.entries(damages))('%s', (_, damage) => {
  for (let seed = 1; seed <= 12; seed++)
    test(`seed ${seed}`, () => {
      const path = copy();
      damage(path, randomly(seed));
      judge(path);
    });
});

/** A flipped bit in a text cannot be told: only that nothing breaks, and that other pages keep their records. */
test('single bytes that changed', () => {
  for (let seed = 1; seed <= 25; seed++) {
    const path = copy();
    const random = randomly(seed);
    const bytes = readFileSync(path);
    for (let i = 0; i < 8; i++) bytes[random(bytes.length)] = random(256);
    writeFileSync(path, bytes);
    const must = survivors(path);
    const got = rescue(path);
    expect(missing(must.users, got.records.user)).toEqual([]);
    expect(missing(must.logs, got.records.log)).toEqual([]);
  }
});

test('a log that an index still names is told as lost, and so is a user whom logs name', () => {
  const path = copy();
  const db = raw(path);
  const root = db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'users'").pluck().get() as number;
  db.close();
  const pages = openPages(path);
  const numbers = Array.from({ length: pages.count }, (_, i) => i + 1);
  const widths = { users: Object.keys(userRecord).length, logs: Object.keys(logRecord).length };
  const holds = (number: number, width: number) =>
    rowsOf(number, pages.pages).rows.some(
      ({ values }) =>
        values.length === width && (values[5] === 'glute-left' || values[3] === 'Piriformis Stretch'),
    );
  const leafOfLogs = numbers.find((number) => number > root && holds(number, widths.logs)) ?? 0;
  const leafOfUsers = numbers.find((number) => holds(number, widths.users)) ?? 0;
  pages.close();
  const bytes = readFileSync(path);
  for (const page of [leafOfLogs, leafOfUsers]) bytes.fill(0, (page - 1) * PAGE, page * PAGE);
  writeFileSync(path, bytes);
  const got = judge(path);
  expect(got.lostLogs.length).toBe(whole.records.log.length - got.records.log.length);
  expect(got.lostUsers.length).toBe(whole.records.user.length - got.records.user.length);
  expect(got.lostLogs.length * got.lostUsers.length).toBeGreaterThan(0);
});

describe('a write-ahead log beside it', () => {
  /** The two files as they lie there while somebody writes. @param isOld whether all but the last change is in the database */
  function crashed(isOld = false): string {
    const live = freshPath();
    const path = freshPath();
    const store = openStore(live);
    dbOf(store).pragma('wal_autocheckpoint = 0');
    store.users.create(user());
    for (let i = 0; i < 40; i++) store.logs.create(log({ notes: `${i} `.repeat(200) }));
    if (isOld) dbOf(store).pragma('wal_checkpoint(TRUNCATE)');
    store.logs.update(7, { notes: 'the newest' });
    for (const end of ['', '-wal']) copyFileSync(live + end, path + end);
    store.close();
    return path;
  }

  test.each([false, true])('is applied, page 1 of the file being gone, isOld: %s', (isOld) => {
    const path = crashed(isOld);
    const bytes = readFileSync(path);
    // SQLite reads a log that has every page; where page 1 is nowhere, only the rescue does.
    writeFileSync(path, bytes.fill(0, 0, isOld ? PAGE : bytes.length));
    const got = rescue(path);
    expect(got.records.user).toHaveLength(1);
    expect(got.records.log).toHaveLength(40);
    expect(JSON.parse(got.records.log[6] ?? '')).toMatchObject({ id: 7, notes: 'the newest' });
  });

  test('is not applied where it is spoiled', () => {
    const path = crashed(true);
    writeFileSync(path, readFileSync(path).fill(0, 0, PAGE));
    const bytes = readFileSync(`${path}-wal`);
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    writeFileSync(`${path}-wal`, bytes);
    expect(JSON.parse(rescue(path).records.log[6] ?? '').notes).toMatch(/^6 6/);
  });

  test('counts up to its last whole transaction, wherever it was cut or spoiled', () => {
    const made = crashed();
    const whole = readFileSync(`${made}-wal`);
    const random = randomly(3);
    let last = 0;
    const cuts = Array.from({ length: 25 }, () => random(whole.length)).sort((a, b) => a - b);
    for (const cut of cuts) {
      const path = join(freshFolder(), 'cut.db');
      writeFileSync(path, Buffer.alloc(PAGE));
      const spoiled = Buffer.from(whole);
      spoiled[cut] = (spoiled[cut] ?? 0) ^ 0x40;
      writeFileSync(`${path}-wal`, cut % 2 ? whole.subarray(0, cut) : spoiled);
      const got = rescue(path);
      const ids = got.records.log.map(idOf);
      expect(ids).toEqual(Array.from({ length: ids.length }, (_, i) => i + 1));
      expect(ids.length).toBeGreaterThanOrEqual(last);
      last = ids.length;
    }
    expect(last).toBeGreaterThan(20);
  });
});
