import { renameSync } from 'node:fs';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SciaticaError } from '../../src/domain/errors.ts';
import { WRITE_TIMEOUT_MS, Writer } from '../../src/store/sqlite/writer.ts';
import { dbOf, freshStore, log, raw, user } from './helpers.ts';

// Time stands still but for what a test lets pass: five seconds of patience take none.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Lets time pass, and the event loop come round. */
async function pass(ms = 1): Promise<void> {
  await new Promise(setImmediate);
  await vi.advanceTimersByTimeAsync(ms);
  await new Promise(setImmediate);
}

function serving() {
  const store = freshStore();
  const writer = new Writer(dbOf(store));
  store.users.create(user());
  return { store, writer, other: raw(store.path) };
}

const commits = (sqlite: ReturnType<typeof raw>) => sqlite.pragma('data_version', { simple: true }) as number;

test('writes that arrive together are one commit, and answered after it', async () => {
  const { store, writer, other } = serving();
  const before = commits(other);
  const answered: number[] = [];
  const writes = Array.from({ length: 20 }, () =>
    writer
      .write(() => {
        expect(other.prepare('SELECT count(*) FROM logs').pluck().get()).toBe(0);
        return store.logs.create(log());
      })
      .then(({ id }) => {
        expect(other.prepare('SELECT 1 FROM logs WHERE id = ?').pluck().get(id)).toBe(1);
        answered.push(id);
      }),
  );
  expect(store.logs.count()).toBe(0);
  await pass();
  await Promise.all(writes);
  expect(answered).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
  expect(commits(other)).toBe(before + 1);
});

test('one that fails leaves no trace, and the others stay', async () => {
  const { store, writer } = serving();
  const create = (notes: string, fail?: string) =>
    writer.write(() => {
      const { id } = store.logs.create(log({ notes }));
      if (fail) throw new Error(fail);
      return id;
    });
  const results = Promise.allSettled([
    create('a'),
    create('b', 'broken'),
    writer.write(() => store.logs.update(99, {})),
    writer.write(() => dbOf(store).run("UPDATE users SET age = 'old'")),
    create('c'),
  ]);
  await pass();
  const [a, broken, missing, constraint, c] = await results;
  expect([a, c]).toMatchObject([{ status: 'fulfilled' }, { status: 'fulfilled' }]);
  expect(broken).toMatchObject({ reason: { message: 'broken' } });
  expect(missing).toMatchObject({ reason: { code: 'not-found' } });
  expect(constraint).toMatchObject({ reason: { code: expect.stringMatching('SQLITE_CONSTRAINT') } });
  expect(store.logs.list().map(({ notes }) => notes)).toEqual(['a', 'c']);
});

test('after one has failed, a lock that another process takes at that moment is waited for by all', async () => {
  const { store, writer, other } = serving();
  const create = () => writer.write(() => store.logs.create(log()).id);
  const failing = () =>
    writer.write(() => {
      setImmediate(() => other.inTransaction || other.exec('BEGIN IMMEDIATE'));
      throw new Error('broken');
    });
  const results = Promise.allSettled([create(), failing(), create()]);
  await pass(WRITE_TIMEOUT_MS - 100);
  expect(other.inTransaction).toBe(true);
  expect(store.logs.count()).toBe(0);
  other.exec('COMMIT');
  await pass(2);
  expect(await results).toMatchObject([{ value: 1 }, { reason: { message: 'broken' } }, { value: 2 }]);
  expect(store.logs.count()).toBe(2);
});

test('a write sees those before it in its batch', async () => {
  const { store, writer } = serving();
  const results = Promise.all([
    writer.write(() => store.logs.create(log()).id),
    writer.write(() => store.logs.update(1, { notes: 'seen' }).notes),
    writer.write(() => store.logs.delete(1).notes),
  ]);
  await pass();
  expect(await results).toEqual([1, 'seen', 'seen']);
});

test('one that arrives during a batch goes with the next', async () => {
  const { store, writer } = serving();
  let second: Promise<number> | undefined;
  const first = writer.write(() => {
    second = writer.write(() => store.logs.count());
    store.logs.create(log());
  });
  await pass();
  await first;
  await pass();
  expect(await second).toBe(1);
});

test("another's lock is waited for, and reads go on", async () => {
  const { store, writer, other } = serving();
  other.exec('BEGIN IMMEDIATE');
  const answered = vi.fn();
  const write = writer.write(() => store.logs.create(log())).then(answered);
  await pass(WRITE_TIMEOUT_MS - 100);
  expect(answered).not.toHaveBeenCalled();
  expect(store.users.count()).toBe(1);
  expect([...store.users.jsonChunks()].flat()).toHaveLength(1);
  other.exec('COMMIT');
  await pass(2);
  await write;
  expect(answered).toHaveBeenCalledOnce();
  expect(store.logs.count()).toBe(1);
});

test("after 5 s of another's lock a write is refused, and one that came later waits its own 5 s", async () => {
  const { store, writer, other } = serving();
  other.exec('BEGIN IMMEDIATE');
  const work = vi.fn();
  const early = writer.write(work).catch((error: unknown) => error);
  await pass(WRITE_TIMEOUT_MS - 1000);
  const late = writer.write(() => store.logs.create(log()));
  await pass(1100);
  expect(await early).toMatchObject({ name: 'SciaticaError', code: 'busy' });
  expect(work).not.toHaveBeenCalled();
  other.exec('ROLLBACK');
  await pass(2);
  expect((await late).id).toBe(1);
});

test('while another thread writes for long, no write is refused; then each waits for 5 s', async () => {
  const { store, writer, other } = serving();
  other.exec('BEGIN IMMEDIATE');
  const over = writer.expectLongWrite();
  const answered = vi.fn();
  writer.write(() => store.logs.create(log())).catch(answered);
  await pass(WRITE_TIMEOUT_MS + 1000);
  over();
  await pass(WRITE_TIMEOUT_MS - 100);
  expect(answered).not.toHaveBeenCalled();
  await pass(200);
  expect(answered).toHaveBeenCalledWith(expect.objectContaining({ code: 'busy' }));
});

test('what will not pass is told at once: the file was moved away', async () => {
  const { store, writer } = serving();
  await pass();
  renameSync(store.path, `${store.path}.moved`);
  const write = writer.write(() => store.logs.create(log())).catch((error: unknown) => error);
  await pass();
  expect(await Promise.race([write, 'waiting'])).toMatchObject({ code: 'gone' });
});

test('a commit that fails refuses the whole batch', async () => {
  const { store, writer } = serving();
  const spy = vi.spyOn(dbOf(store), 'commit').mockImplementation(() => {
    throw new Error('the disk is gone');
  });
  const results = Promise.allSettled([
    writer.write(() => store.logs.create(log())),
    writer.write(() => store.logs.get(99)),
  ]);
  await pass();
  for (const result of await results)
    expect(result).toMatchObject({ reason: { message: 'the disk is gone' } });
  expect(dbOf(store).inTransaction).toBe(false);
  spy.mockRestore();
  expect(store.logs.count()).toBe(0);
  const next = writer.write(() => store.logs.create(log()));
  await pass();
  expect((await next).id).toBe(1);
});

test('a full disk refuses the whole batch, and room is all it takes to go on', async () => {
  const { store, writer } = serving();
  dbOf(store).exec('VACUUM');
  const pages = dbOf(store).pragma<number>('page_count');
  dbOf(store).pragma(`max_page_count = ${pages + 1}`);
  const big = () => writer.write(() => store.logs.create(log({ notes: 'x'.repeat(9_000) })));
  const results = Promise.allSettled([big(), big(), big()]);
  await pass();
  for (const result of await results) expect(result).toMatchObject({ reason: { code: 'full' } });
  expect(dbOf(store).inTransaction).toBe(false);
  expect(store.logs.count()).toBe(0);
  dbOf(store).pragma(`max_page_count = ${pages + 100}`);
  const next = big();
  await pass();
  expect((await next).id).toBe(1);
});

test('when SQLite drops the transaction, no write of the batch is stored, and each is told why', async () => {
  const { store, writer } = serving();
  const create = () => writer.write(() => store.logs.create(log()));
  const before = create();
  // As SQLite does after some errors (https://sqlite.org/lang_transaction.html#response_to_errors_within_a_transaction).
  const dropping = writer.write(() => {
    dbOf(store).run('ROLLBACK');
    throw new SciaticaError('full', 'The disk is full.');
  });
  const results = Promise.allSettled([before, dropping, create()]);
  await pass();
  for (const result of await results) expect(result).toMatchObject({ reason: { code: 'full' } });
  expect(store.logs.count()).toBe(0);
});

test('a full disk is told of a single write too, and leaves no trace', () => {
  const { store } = serving();
  dbOf(store).exec('VACUUM');
  dbOf(store).pragma(`max_page_count = ${dbOf(store).pragma<number>('page_count')}`);
  expect(() => store.logs.create(log({ notes: 'x'.repeat(9_000) }))).toThrow('The disk is full');
  expect(dbOf(store).inTransaction).toBe(false);
  expect(store.logs.count()).toBe(0);
});
