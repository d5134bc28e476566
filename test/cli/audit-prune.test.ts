import { expect, test } from 'vitest';
import { addDays } from '../../src/domain/words/day.ts';
import { openStore } from '../../src/store/store.ts';
import { NOW, prepared, run } from '../helpers.ts';
import { auditRecord } from '../samples.ts';
import { dbOf, freshStore } from '../store/helpers.ts';

const DAY_MS = 86_400_000;
const record = (daysAgo: number) => ({ ...auditRecord, at: NOW.getTime() - daysAgo * DAY_MS });

/** An audit with one row for each of these batches. */
const audited = (...batches: number[][]) =>
  prepared(({ audit }) => {
    for (const batch of batches) audit.add(batch.map(record));
  });

function entries(path: string) {
  const store = openStore(path);
  try {
    return store.audit.list({ limit: 1000 });
  } finally {
    store.close();
  }
}

const daysAgo = (path: string) =>
  entries(path).map(({ at, method }) =>
    method === 'PRUNE' ? 'PRUNE' : Math.round((NOW.getTime() - Date.parse(at)) / DAY_MS),
  );

const prune = (db: string, before: string, ...more: string[]) =>
  run(['audit', 'prune', '--before', before, ...more], { db });

test('whole oldest batches go, and an entry says how many and from when', async () => {
  const db = audited([400, 399], [390, 100], [101], [100, 5], [102], [1]);
  const { code, stdout } = await prune(db, '-90d');
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^Removed 5 requests, \S+ to \S+ \(UTC\)\./)]);
  expect(daysAgo(db)).toEqual(['PRUNE', 1, 102, 5, 100]);
  const [from, to] = [400, 100].map((days) => new Date(NOW.getTime() - days * DAY_MS).toISOString());
  expect(entries(db)[0]).toMatchObject({ count: 5, record: 'audit', route: `${from}/${to}`, who: null });
  const table = await run(['audit', '--limit', '1'], { db, columns: 150 });
  expect(table.stdout).toMatch(/command line +PRUNE .* 5 requests/);
  expect(entries(db).filter(({ record }) => record === 'audit')).toHaveLength(1);
  expect((await run(['audit', '--since', '2126-01-01'], { db })).stderr).not.toContain('Nobody asked');
  const about = await run(['audit', '--user', '1', '--json'], { db });
  expect(JSON.parse(about.stdout)[0]).toMatchObject({ method: 'PRUNE', count: 5 });
});

test('what says so is never removed, and the audit stays append-only', async () => {
  const db = audited([400], [1]);
  await prune(db, '-90d');
  const store = freshStore(db);
  const before = dbOf(store).all('SELECT * FROM sqlite_schema ORDER BY name');
  store.audit.add([record(0)]);
  // Two years on.
  const later = NOW.getTime() + 730 * DAY_MS;
  expect(store.audit.prune(later, later)).toMatchObject({ count: 2 });
  expect(store.audit.prune(later, later)).toBeUndefined();
  expect(store.audit.list({ limit: 10 }).map(({ method, count }) => [method, count])).toEqual([
    ['PRUNE', 2],
    ['PRUNE', 1],
  ]);
  expect(
    dbOf(store)
      .all('SELECT * FROM sqlite_schema ORDER BY name')
      .map((row) => (row as { sql: string }).sql),
  ).toEqual(before.map((row) => (row as { sql: string }).sql));
  for (const sql of ['DELETE FROM audit', 'UPDATE audit SET at = 0'])
    expect(() => dbOf(store).run(sql)).toThrow('append-only');
});

test('what is of the very time stays', () => {
  const { audit } = freshStore(audited([91], [90]));
  const at = NOW.getTime() - 90 * DAY_MS;
  expect(audit.prune(at, NOW.getTime())).toMatchObject({ count: 1 });
  expect(audit.list({ limit: 10, since: at }).map(({ method }) => method)).toEqual([
    'PRUNE',
    auditRecord.method,
  ]);
});

test('a pruning that fails changes nothing', () => {
  const db = audited([400], [1]);
  const store = freshStore(db);
  store.audit.add = () => {
    throw new Error('no');
  };
  expect(() => store.audit.prune(NOW.getTime() - 90 * DAY_MS, NOW.getTime())).toThrow('no');
  expect(() => dbOf(store).run('DELETE FROM audit')).toThrow('append-only');
  expect(daysAgo(db)).toEqual([1, 400]);
});

test('says nothing with --quiet', async () => {
  for (const before of ['-30d', '-9999d'])
    expect((await prune(audited([400], [1]), before, '-q')).stdout).toBe('');
});

const today = NOW.toISOString().slice(0, 10);
test.each([
  ['-29d', 2, 'at least 30 days back'],
  ['today', 2, 'at least 30 days back'],
  [addDays(today, 1), 2, 'at least 30 days back'],
  ['soon', 2, 'calendar day'],
  ['2026-02-30', 2, 'is no day: 30 February 2026 does not exist'],
  ['-30d', 0, 'Removed 1 request'],
  ['-9999d', 0, 'Nothing was removed'],
])('--before %s', async (before, code, told) => {
  const db = audited([400], [1]);
  const result = await prune(db, before);
  expect(result.stdout + result.stderr).toContain(told);
  expect(result.code).toBe(code);
  expect(daysAgo(db)).toHaveLength(2);
});

test('without --before it is refused; as JSON it says what it did', async () => {
  const db = audited([400], [1]);
  expect((await run(['audit', 'prune'], { db })).code).toBe(2);
  const { stdout } = await prune(db, '-90d', '--json');
  const at = new Date(NOW.getTime() - 400 * DAY_MS).toISOString();
  expect(JSON.parse(stdout)).toEqual({ removed: 1, from: at, to: at });
});

test('doctor says what takes the room', async () => {
  const { stdout } = await run(['doctor', '--json'], { db: audited(Array(2_000).fill(400)) });
  const check = JSON.parse(stdout).checks.find(({ name }: { name: string }) => name === 'Room');
  expect(check).toMatchObject({
    ok: true,
    detail: expect.stringMatching(/^audit \d+ %(, \w+ \d+ %){4}, others \d+ %$/),
  });
});

test.each([
  [['audit', 'prune', '--before', '-90d', '--user', '1'], '--user'],
  [['audit', '--since', '-1y', 'prune', '--before', '-90d'], '--since'],
  [['backup', 'key', 'identity.txt', '--auto', 'off'], '--auto'],
])('%j is refused: the option is that of the command above', async (words, flag) => {
  const db = audited([400], [1]);
  const { code, stderr } = await run(words, { db });
  expect([code, stderr]).toEqual([2, expect.stringContaining(`takes no ${flag}.`)]);
  expect(daysAgo(db)).toEqual([1, 400]);
  expect((await run([...words, '--help'])).stdout).not.toContain(`  ${flag} `);
});
