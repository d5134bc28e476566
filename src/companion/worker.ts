import { Offline } from './offline.ts';
import { openShelf } from './shelf.ts';

/** The service worker: the page starts without a network, and the writes that wait are sent when there is one again. */

interface Event {
  waitUntil(done: Promise<unknown>): void;
}

interface FetchEvent extends Event {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}

interface Worker {
  addEventListener(name: 'install' | 'activate' | 'sync', listener: (event: Event) => void): void;
  addEventListener(name: 'fetch', listener: (event: FetchEvent) => void): void;
  addEventListener(name: 'message', listener: (event: { data: unknown }) => void): void;
  skipWaiting(): Promise<void>;
}

/** Defined by worker.js, which the build writes: the paths of the page, and a name of the cache that changes with any of them. */
declare const FILES: readonly string[];
declare const CACHE: string;

export function startWorker(): void {
  const worker = self as unknown as Worker;

  worker.addEventListener('install', (event) => {
    const fresh = FILES.map((path) => new Request(path, { cache: 'reload', credentials: 'omit' }));
    event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(fresh)));
  });

  worker.addEventListener('activate', (event) => {
    const clear = async () => {
      for (const name of await caches.keys())
        if (name.startsWith('companion-') && name !== CACHE) await caches.delete(name);
    };
    event.waitUntil(clear());
  });

  // Only the page itself is answered from here; records come from the service or from the notebook.
  worker.addEventListener('fetch', (event) => {
    const { pathname, origin } = new URL(event.request.url);
    if (event.request.method !== 'GET' || origin !== location.origin || !FILES.includes(pathname)) return;
    const answer = async () => (await (await caches.open(CACHE)).match(pathname)) ?? fetch(event.request);
    event.respondWith(answer());
  });

  // A new version waits until the user activates it: no page is reloaded while it is in use.
  worker.addEventListener('message', ({ data }) => {
    if (data === 'use-update') void worker.skipWaiting();
  });

  worker.addEventListener('sync', (event) => {
    const send = async () => {
      const shelf = await openShelf();
      // With no write to send, nothing is read while no page is open.
      if ((await shelf.read()).waiting.length === 0) return;
      await new Offline(shelf, (name, work) => navigator.locks.request(name, work) as never).sync();
    };
    event.waitUntil(send());
  });
}
