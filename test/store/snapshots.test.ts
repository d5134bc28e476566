import { readdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { watchLog } from '../../src/http/server.ts';
import { TEMPORARY } from '../../src/lib/files.ts';
import { examine } from '../../src/store/maintenance/doctor.ts';
import { openSnapshot } from '../../src/store/sqlite/open.ts';
import { BoundedSnapshot, logBytesOf } from '../../src/store/sqlite/snapshot.ts';
import type { Store } from '../../src/store/store.ts';
import { dbOf, failure, freshStore, log, user } from './helpers.ts';

afterEach(() => void vi.useRealTimers());

/** A store with 600 logs: three chunks. */
function filled() {
  const store = freshStore();
  store.users.create(user());
  store.users.create(user());
  store.change(() => {
    for (let i = 0; i < 600; i++) store.logs.create(log());
  });
  return store;
}

/** Reads a list whose reader pauses after the first chunk, for a time and for what happens meanwhile. */
function slowly(sort: string, ms: number, meanwhile: (store: ReturnType<typeof filled>) => void): number[] {
  const store = filled();
  vi.useFakeTimers();
  const chunks = store.logs.chunks({ sort });
  const ids = (chunks.next().value ?? []).map(({ id }: { id: number }) => id);
  meanwhile(store);
  vi.advanceTimersByTime(ms);
  for (const chunk of chunks) ids.push(...chunk.map(({ id }) => id));
  return ids;
}

const all = Array.from({ length: 600 }, (_, i) => i + 1);

describe('a list whose reader takes', () => {
  test.each(['id', '-id', '-date,id'])('less than a minute is of one moment: %s', (sort) => {
    const ids = slowly(sort, 59_000, (store) => {
      store.logs.delete(sort === '-id' ? 1 : 600);
      store.logs.update(300, { date: '2001-01-01' });
      store.logs.create(log());
    });
    expect(ids).toEqual(sort === '-id' ? all.toReversed() : all);
  });

  test('longer, goes on by id with what is there then', () => {
    const ids = slowly('id', 61_000, (store) => {
      store.logs.delete(2);
      store.logs.delete(599);
      store.logs.update(300, { painAfter: 1 });
      store.logs.create(log());
    });
    expect(ids).toEqual([...all.filter((id) => id !== 599), 601]);
  });

  test('longer, goes on in another order while that can be kept', () => {
    const ids = slowly('-id', 61_000, (store) => {
      store.logs.delete(2);
      // The first and the last of those that were read.
      for (const id of [600, 351]) store.logs.update(id, { painAfter: 1 });
      store.users.update(2, { age: 50 });
      store.logs.create(log());
    });
    expect(ids).toEqual(all.filter((id) => id !== 2).toReversed());
  });

  test('longer, ends with a fault in another order when a record to come was changed', () => {
    const change = (store: ReturnType<typeof filled>) => store.logs.update(3, { date: '2001-01-01' });
    const move = (store: ReturnType<typeof filled>) => {
      store.logs.delete(3);
      store.restore({ record: 'log', id: 3, owner: 2 });
    };
    for (const act of [change, move]) {
      expect(() => slowly('-date,-id', 61_000, act)).toThrow('read it again');
      expect(() => slowly('-date,-id', 59_000, act)).not.toThrow();
    }
  });
});

function bounded(store: Store, bounds: { ms: number; logBytes: number }): BoundedSnapshot {
  const { db, close } = openSnapshot(dbOf(store));
  return new BoundedSnapshot(db, close, bounds);
}

describe('a snapshot', () => {
  test.each([
    ['of a minute', { ms: 60_000, logBytes: 1e9 }, 61_000],
    ['while the log is large', { ms: 60_000, logBytes: 100_000 }, 1_000],
  ])('%s is given up while nobody reads, so that the log can shrink', (_, bounds, ms) => {
    const store = filled();
    store.checkpoint();
    vi.useFakeTimers();
    const snapshot = bounded(store, bounds);
    const count = () => snapshot.read((db) => db.value('SELECT count(*) FROM logs'));
    expect(count()).toBe(600);
    store.change(() => {
      for (let i = 0; i < 100; i++) store.logs.create(log({ notes: 'x'.repeat(9_000) }));
    });
    expect(store.checkpoint()).toBe(false);
    vi.advanceTimersByTime(ms);
    expect(store.checkpoint()).toBe(true);
    expect([count(), count(), snapshot.renewals]).toEqual([700, 700, 1]);
    snapshot.close();
  });

  test('is given up after each read while the log is large', () => {
    const store = filled();
    const snapshot = bounded(store, { ms: 60_000, logBytes: 0 });
    snapshot.read((db) => db.value('SELECT count(*) FROM logs'));
    expect(store.checkpoint()).toBe(true);
    snapshot.close();
  });

  test('is of the file that is open, not of one that has taken its place', () => {
    const store = filled();
    renameSync(store.path, `${store.path}.moved`);
    writeFileSync(store.path, '');
    expect(failure(() => store.snapshot()).code).toBe('gone');
    expect(store.isShareable).toBe(false);
  });

  test('keeps few pages in memory, and sorts in a folder that is there while one is open', () => {
    const store = filled();
    const folders = () => readdirSync(dirname(store.path)).filter((name) => TEMPORARY.test(name)).length;
    const [one, other] = [openSnapshot(dbOf(store)), openSnapshot(dbOf(store))];
    expect(['cache_size', 'temp_store'].map((name) => one.db.pragma(name))).toEqual([-2000, 1]);
    one.close();
    expect(folders()).toBe(1);
    other.close();
    expect(folders()).toBe(0);
  });

  test.each([
    ['less than a minute', 59_000, [1200, false]],
    ['longer', 61_000, [1201, true]],
  ])('of sessions whose reader takes %s', (_, ms, outcome) => {
    const store = filled();
    store.change(() => {
      for (let i = 0; i < 600; i++) store.logs.create(log());
    });
    store.checkpoint();
    vi.useFakeTimers();
    const blocks = store.logs.sessions({});
    let count = blocks.next().value?.length ?? 0;
    store.logs.create(log());
    vi.advanceTimersByTime(ms);
    const canShrink = store.checkpoint();
    for (const block of blocks) count += block.length;
    expect([count, canShrink]).toEqual(outcome);
  });

  test('is held by no timer once it is closed', () => {
    vi.useFakeTimers();
    const store = filled();
    const chunks = store.logs.chunks({});
    chunks.next();
    expect(vi.getTimerCount()).toBe(1);
    chunks.return(undefined);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a log that cannot shrink', () => {
  test('is reported once each time', () => {
    const store = filled();
    store.checkpoint();
    vi.useFakeTimers();
    const said: string[] = [];
    const stop = watchLog(store, (line) => said.push(line), { every: 1_000, large: 100_000 });
    const grow = () => store.logs.createAll(Array(100).fill(log({ notes: 'x'.repeat(9_000) })));
    const { db: other, close } = openSnapshot(dbOf(store));
    for (let time = 1; time <= 2; time++) {
      if (time === 2) other.run('BEGIN');
      other.value('SELECT count(*) FROM logs');
      grow();
      vi.advanceTimersByTime(5_000);
      expect(said).toHaveLength(time);
      other.run('COMMIT');
      vi.advanceTimersByTime(1_000);
      expect(logBytesOf(store.path)).toBe(0);
    }
    expect(said[0]).toMatch(/has [\d.]+ MB and cannot shrink/);
    stop();
    close();
  });

  test('is named by doctor', () => {
    const store = filled();
    const found = () => examine(store.path).checks.find(({ name }) => name === 'Write-ahead log');
    expect(found()).toMatchObject({ ok: true });
    const other = store.snapshot();
    other.logs.count({});
    store.logs.createAll(Array(3_600).fill(log({ notes: '€'.repeat(10_000) })));
    expect(found()).toMatchObject({ ok: false, detail: expect.stringContaining('from shrinking') });
    other.close();
    store.checkpoint();
    expect(found()).toMatchObject({ ok: true });
  });
});
