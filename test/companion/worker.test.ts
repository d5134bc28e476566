import { afterEach, expect, test, vi } from 'vitest';

/** The service worker, in a browser that does what it is told at once. */

// By its name in a variable: the compiler of the tests knows no types of a browser.
const file = '../../src/companion/worker.ts';
const { startWorker } = (await import(file)) as { startWorker: () => void };

afterEach(() => void vi.unstubAllGlobals());

/** @param kept the caches that there are, by name, each with what it has by path */
function started(kept: Record<string, Record<string, string>> = {}) {
  const listeners = new Map<string, (event: object) => unknown>();
  const worker = {
    addEventListener: (name: string, listener: (event: object) => unknown) => listeners.set(name, listener),
    skipWaiting: vi.fn(async () => {}),
  };
  const asked: unknown[] = [];
  const globals = {
    self: worker,
    FILES: ['/app/', '/app/a.js'],
    CACHE: 'companion-2',
    location: { origin: 'https://pc:3000' },
    fetch: async (what: Request) => `network: ${new URL(what.url).pathname}`,
    Request: class {
      constructor(
        readonly path: string,
        readonly init: RequestInit,
      ) {}
    },
    caches: {
      keys: async () => Object.keys(kept),
      delete: async (name: string) => delete kept[name],
      open: async (name: string) => {
        kept[name] ??= {};
        return {
          match: async (path: string) => kept[name]?.[path],
          addAll: async (all: unknown[]) => asked.push(...all),
        };
      },
    },
  };
  for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
  startWorker();
  /** Resolves to what the event is answered with, when all that it waits for is done. */
  const dispatch = async (name: string, event: object = {}) => {
    const [answers, waits]: [unknown[], unknown[]] = [[], []];
    listeners.get(name)?.({
      ...event,
      respondWith: (answer: unknown) => answers.push(answer),
      waitUntil: (done: unknown) => waits.push(done),
    });
    // What a browser does not wait for, it may stop halfway, and does not try again.
    if (['install', 'activate', 'sync'].includes(name)) expect(waits).toEqual([expect.any(Promise)]);
    await Promise.all(waits);
    return (await Promise.all(answers))[0];
  };
  return { dispatch, worker, asked, kept };
}

const ITS_OWN = { 'companion-2': { '/app/': 'kept page' } };

test.each([
  ['GET', 'https://pc:3000/app/', 'kept page'],
  ['GET', 'https://pc:3000/app/?utm=1#today', 'kept page'],
  ['GET', 'https://pc:3000/app/a.js', 'network: /app/a.js'],
  ['HEAD', 'https://pc:3000/app/', undefined],
  ['GET', 'https://pc:3001/app/', undefined],
  ['GET', 'https://pc:3000/userExerciseLogs', undefined],
])('%s %s is answered with: %s', async (method, url, answer) => {
  const { dispatch } = started(structuredClone(ITS_OWN));
  expect(await dispatch('fetch', { request: { method, url } })).toBe(answer);
});

test('it takes all files from the service and no cache, as nobody', async () => {
  const { dispatch, asked } = started();
  await dispatch('install');
  const init = { cache: 'reload', credentials: 'omit' };
  expect(asked).toEqual([
    { path: '/app/', init },
    { path: '/app/a.js', init },
  ]);
});

test('it clears the files of earlier versions, and nothing of other programs', async () => {
  const { dispatch, kept } = started({ 'companion-1': {}, 'companion-2': {}, other: {} });
  await dispatch('activate');
  expect(Object.keys(kept)).toEqual(['companion-2', 'other']);
});

test.each([
  ['use-update', 1],
  ['hello', 0],
])('told %s, it takes over %i times', async (data, times) => {
  const { dispatch, worker } = started();
  await dispatch('message', { data });
  expect(worker.skipWaiting).toHaveBeenCalledTimes(times);
});

test('while nobody looks, it asks for nothing where nothing waits', async () => {
  const { dispatch } = started();
  const asked = vi.fn();
  vi.stubGlobal('navigator', { locks: { request: asked } });
  vi.stubGlobal('fetch', asked);
  await dispatch('sync');
  expect(asked).not.toHaveBeenCalled();
});
