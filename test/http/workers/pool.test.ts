import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { RequestContext } from '../../../src/http/protocol/route.ts';
import { Workers } from '../../../src/http/workers/pool.ts';
import type { Store } from '../../../src/store/store.ts';
import { filledStore, freshFolder, log } from '../../store/helpers.ts';
import { workerFile } from '../helpers.ts';

interface Options {
  timeout?: number;
  idle?: number;
  file?: string;
}

function poolOf(store: Store, { timeout = 30_000, ...options }: Options = {}) {
  const errors: unknown[] = [];
  const workers = new Workers(store, {
    file: workerFile,
    timeout,
    onError: (error) => errors.push(error),
    ...options,
  });
  onTestFinished(() => workers.stop());
  const gone: (() => void)[] = [];
  const ask = (target: string, users?: readonly number[], id = 1) => {
    const onClose = (listener: () => void) => gone.push(listener);
    const context = {
      request: { method: 'GET', target, headers: {}, onClose },
      base: () => 'http://localhost:3000',
      caller: users && { id, name: 'anna', role: 'provider', users },
    };
    return workers.answer(context as unknown as RequestContext);
  };
  return { workers, ask, errors, leave: () => leaveAll(gone) };
}

function leaveAll(listeners: (() => void)[]): void {
  for (const listener of listeners.splice(0)) listener();
}

/** A worker that does something first with each message, and then its work, unless it is to do none. */
function working(first: string, isSilent = false): string {
  const file = join(freshFolder(), 'worker.cjs');
  writeFileSync(
    file,
    `require('node:worker_threads').parentPort.on('message', ({ ask }) => { ${first} });
     ${isSilent ? '' : `require(${JSON.stringify(workerFile)});`}`,
  );
  return file;
}

/** A worker that ends when it is asked for /crash. */
const crashing = () => working("if (ask?.request.target.endsWith('crash')) process.exit(1);");

/** A worker without records, which answers at once, with a stream or without; but not to a target that ends with `block`. */
function answering(isStreamed: boolean): string {
  const file = join(freshFolder(), 'worker.cjs');
  writeFileSync(
    file,
    `const { parentPort } = require('node:worker_threads');
     const response = { status: 200, headers: {} };
     parentPort.on('message', ({ id, ask, next }) => {
       if (ask?.request.target.endsWith('block')) return;
       const answer = ask ? { response, isStreamed: ${isStreamed} } : next ? { chunk: { text: 'x' } } : { ended: true };
       parentPort.postMessage({ id, ...answer });
     });`,
  );
  return file;
}

async function textOf(answer: ReturnType<Workers['answer']>): Promise<string> {
  const { body } = (await answer) ?? {};
  if (typeof body !== 'object') return body ?? '';
  let text = '';
  for await (const chunk of body) text += chunk.text;
  return text;
}

const folders = (store: Store) =>
  readdirSync(dirname(store.path)).filter((name) => !name.startsWith('test.db'));

describe('worker threads', () => {
  test.each(['', '?sort=-date', '?sort=painAfter&limit=5', '?_page=2&_limit=3', '?q=cat'])(
    'read /userExerciseLogs%s, of all and of some users',
    async (search) => {
      const store = filledStore(700);
      const { ask } = poolOf(store);
      const [all, some] = await Promise.all(
        [undefined, [2]].map(async (users) =>
          JSON.parse(await textOf(ask(`/userExerciseLogs${search}`, users))),
        ),
      );
      expect(all.length).toBeGreaterThan(0);
      expect(some.length).toBeGreaterThan(0);
      expect(some.every(({ userId }: { userId: number }) => userId === 2)).toBe(true);
      if (search === '') expect(all).toEqual(store.logs.list());
      if (search === '?sort=-date') expect(all).toEqual(store.logs.list({ sort: '-date' }));
    },
  );

  test('see what was saved before', async () => {
    const store = filledStore(1);
    const { ask } = poolOf(store);
    for (let count = 1; count < 4; count++) {
      expect(JSON.parse(await textOf(ask('/userExerciseLogs')))).toHaveLength(count);
      await store.submit(() => store.logs.create(log()));
    }
  });

  test('that crash fail what they answer, and no more', async () => {
    const store = filledStore(10);
    const { ask } = poolOf(store, { file: crashing() });
    await expect(ask('/users?crash')).rejects.toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    expect(JSON.parse(await textOf(ask('/users')))).toHaveLength(2);
    const both = [ask('/users?crash'), ask('/users?q=o')];
    const settled = await Promise.allSettled(both);
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    expect(JSON.parse(await textOf(ask('/users')))).toHaveLength(2);
  });

  test('that crash are replaced for what waits, though nothing else is asked', async () => {
    const { ask } = poolOf(filledStore(10), { file: crashing() });
    // As many as there may be threads, or more.
    const crashed = Array.from({ length: 4 }, () => ask('/users?crash'));
    const waiting = ask('/users?q=o');
    const settled = await Promise.allSettled([...crashed, waiting]);
    expect(settled.map(({ status }) => status)).toEqual([...Array(4).fill('rejected'), 'fulfilled']);
  });

  test('are one where one query comes after the other', async () => {
    const started = join(freshFolder(), 'started');
    const file = join(freshFolder(), 'worker.cjs');
    writeFileSync(
      file,
      `require('node:fs').appendFileSync(${JSON.stringify(started)}, 'one,'); require(${JSON.stringify(workerFile)});`,
    );
    const { ask } = poolOf(filledStore(1), { file });
    for (let i = 0; i < 3; i++) await textOf(ask('/users'));
    expect(readFileSync(started, 'utf8')).toBe('one,');
  });

  test('that cannot be started fail each read, and tell why', async () => {
    const { ask, errors } = poolOf(filledStore(1), { file: '/proc/nowhere/worker.js' });
    await expect(ask('/users')).rejects.toMatchObject({ status: 503 });
    expect(String(errors[0])).toContain('/proc/nowhere/worker.js');
  });

  test('let only so many wait', async () => {
    const { ask, leave } = poolOf(filledStore(1));
    const asked: (Promise<unknown> | undefined)[] = [];
    const more = () => asked.push(ask('/users')?.catch(() => {}));
    expect(() => {
      for (let i = 0; i < 50; i++) more();
    }).toThrow(expect.objectContaining({ status: 503, headers: { 'retry-after': '1' } }));
    // 32 beside those that each thread has begun.
    expect(asked.length).toBe(32 + Math.min(4, Math.max(2, availableParallelism() - 1)));
    leave();
    more();
    await Promise.all(asked);
  });

  test('give each caller turns and places of its own', async () => {
    const { ask } = poolOf(filledStore(300));
    // Both threads are there before anything is counted: one takes long to start on a busy machine.
    await Promise.all([1, 2].map((caller) => ask('/users?q=o', [1, 2], caller)));
    const ended: number[] = [];
    const asked: (Promise<unknown> | undefined)[] = [];
    const more = (caller: number) =>
      asked.push(ask('/userExerciseLogs?q=zzzz', [1, 2], caller)?.then(() => ended.push(caller)));
    expect(() => {
      for (let i = 0; i < 50; i++) more(1);
    }).toThrow(expect.objectContaining({ status: 503 }));
    for (let i = 0; i < 3; i++) more(2);
    await Promise.all(asked);
    // After all of the other caller without turns: 32 waited.
    expect(ended.lastIndexOf(2)).toBeLessThan(24);
  });

  test('let only so many writes of one caller wait, so that others come to theirs', async () => {
    const { workers } = poolOf(filledStore(1));
    const write = (id: number) => {
      const request = { method: 'POST', target: '/undo', headers: {} };
      const asked = { request, base: () => 'http://localhost:3000', caller: { id }, store: {} };
      return workers.write(asked as never);
    };
    const waiting = Array.from({ length: 32 }, () => write(1));
    expect(() => write(1)).toThrow(expect.objectContaining({ status: 503 }));
    waiting.push(write(2));
    await workers.stop();
    for (const { status } of await Promise.allSettled(waiting)) expect(status).toBe('rejected');
    // Those that are over are not counted.
    await expect(write(1)).rejects.toThrow('The service stops.');
  });

  test('finish a write that has begun before they end', async () => {
    const { workers } = poolOf(filledStore(1), { file: answering(false) });
    const done: string[] = [];
    const request = { method: 'POST', target: '/undo', headers: {} };
    const asked = { request, base: () => 'http://localhost:3000', caller: { id: 1 }, store: {} };
    const written = workers.write(asked as never)?.then(() => done.push('written'));
    await new Promise(setImmediate);
    await workers.stop();
    done.push('stopped');
    await written;
    expect(done).toEqual(['written', 'stopped']);
  });

  test('hold only so many lists open, of one caller and of all', async () => {
    const { ask } = poolOf(filledStore(1), { file: answering(true) });
    const open = async (caller: number) => {
      const { body } = (await ask('/users', [1], caller)) ?? {};
      if (typeof body === 'object') await body.next();
    };
    const refused = expect.objectContaining({ status: 503 });
    for (let i = 0; i < 128; i++) await open(1);
    expect(() => ask('/users', [1], 1)).toThrow(refused);
    for (let i = 0; i < 128; i++) await open(2);
    expect(() => ask('/users', [1], 3)).toThrow(refused);
  });

  test('are not all of them for one caller', async () => {
    const { ask, workers } = poolOf(filledStore(1), { file: answering(false), timeout: 600_000 });
    const blocked = Array.from({ length: 8 }, () => ask('/users?block', [1], 1)?.catch(() => 'gone'));
    expect(await ask('/users', [1], 2)).toMatchObject({ status: 200 });
    await workers.stop();
    expect(await Promise.all(blocked)).toEqual(Array(8).fill('gone'));
  });

  test('are given to callers in turn, where one thread is left', async () => {
    const { ask, workers } = poolOf(filledStore(1), { file: answering(false), timeout: 600_000 });
    const others = Math.min(4, Math.max(2, availableParallelism() - 1)) - 1;
    const blocked = Array.from({ length: others }, () => ask('/users?block')?.catch(() => {}));
    const ended: number[] = [];
    const asked = [1, 1, 1, 1, 2].map((caller) => ask('/users', [1], caller)?.then(() => ended.push(caller)));
    await Promise.all(asked);
    expect(ended).toEqual([1, 1, 2, 1, 1]);
    await workers.stop();
    await Promise.all(blocked);
  });

  test('that rest are not ended once they have something to do', async () => {
    const wait = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);';
    const file = working(`if (ask?.request.target.endsWith('slow')) ${wait}`);
    const { ask } = poolOf(filledStore(1), { file, idle: 20 });
    await textOf(ask('/users'));
    expect(JSON.parse(await textOf(ask('/users?_slow')))).toHaveLength(2);
  });

  test('that are being ended get nothing more to do', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { ask } = poolOf(filledStore(1), { idle: 20 });
    await textOf(ask('/users'));
    vi.advanceTimersByTime(20);
    expect(JSON.parse(await textOf(ask('/users')))).toHaveLength(2);
  });

  test('give up after a time', async () => {
    const { ask } = poolOf(filledStore(1), { timeout: 1 });
    await expect(ask('/users')).rejects.toMatchObject({ type: 'query-timeout' });
  });

  test('go on with others when callers leave', async () => {
    const store = filledStore(2_000);
    const { ask, leave } = poolOf(store);
    const left = ['', '?sort=date', '?limit=5'].map((search) =>
      ask(`/userExerciseLogs${search}`)?.catch(() => {}),
    );
    leave();
    await Promise.all(left);
    expect(JSON.parse(await textOf(ask('/userExerciseLogs?limit=3')))).toHaveLength(3);
  });

  test('that do not come to the end of what was given up get nothing else to do', async () => {
    const store = filledStore(1);
    const { ask, leave } = poolOf(store, {
      file: working("if (ask?.request.target.endsWith('slow')) for (;;);"),
    });
    const slow = ask('/users?slow')?.catch(() => {});
    leave();
    await slow;
    expect(JSON.parse(await textOf(ask('/users')))).toHaveLength(2);
  });

  test('that reply to nothing are ended, with their temporary folder', async () => {
    const store = filledStore(1);
    const { ask } = poolOf(store, { file: working('', true), timeout: 20 });
    await expect(ask('/users')).rejects.toMatchObject({ type: 'query-timeout' });
    await expect.poll(() => folders(store)).toEqual([]);
  });

  test('read lists side by side whose readers are slow', async () => {
    const store = filledStore(2_000);
    const { ask } = poolOf(store, { idle: 1 });
    const bodies = [];
    for (let i = 0; i < 10; i++) {
      const { body } = (await ask(`/userExerciseLogs?sort=${i % 2 ? 'id' : '-date'}`)) ?? {};
      if (typeof body !== 'object') throw new Error('not streamed');
      expect((await body.next()).value?.text).toContain('"id"');
      bodies.push(body);
    }
    // A thread that waits for readers is not idle.
    await new Promise((resolve) => setTimeout(resolve, 50));
    const counts = bodies.map(async (body) => {
      let chunks = 0;
      for await (const _ of body) chunks++;
      return chunks;
    });
    expect(new Set(await Promise.all(counts))).toEqual(new Set([8]));
  });

  test('end when there is nothing to do, with their temporary folder', async () => {
    const store = filledStore(10);
    const { ask } = poolOf(store, { idle: 20 });
    expect(folders(store)).toEqual([]);
    for (let time = 0; time < 2; time++) {
      const text = textOf(ask('/userExerciseLogs?sort=date'));
      expect(folders(store)).toHaveLength(1);
      expect(JSON.parse(await text)).toHaveLength(10);
      await expect.poll(() => folders(store)).toEqual([]);
    }
  });

  test('end with the service, in the middle of a list', async () => {
    const store = filledStore(2_000);
    const { ask, workers } = poolOf(store);
    const { body } = (await ask('/userExerciseLogs')) ?? {};
    if (typeof body !== 'object') throw new Error('not streamed');
    await body.next();
    await workers.stop();
    expect(store.checkpoint()).toBe(true);
    expect(folders(store).filter((name) => existsSync(join(dirname(store.path), name)))).toEqual([]);
    expect(() => ask('/users')).toThrow(expect.objectContaining({ status: 503 }));
  });
});
