import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import { companionFiles } from '../../src/http/companion.ts';
import { startServer } from '../../src/http/server.ts';
import { prepareRestore } from '../../src/store/maintenance/restore.ts';
import { openStore } from '../../src/store/store.ts';
import { DEADLINE_MS } from '../deadline.mts';
import { freshPath, nora, session } from '../helpers.ts';
import { missing, openBrowser } from '../insights/report/browser.ts';
import { root } from '../store/helpers.ts';

/** Phones in Debian's Chromium, and services for them. */

/** The page as it was built. */
export const folder = join(root, 'dist/app');

/** A service with Nora and one session, which can be stopped, restored and started again on the same port. */
export async function service(options: { auth?: boolean; app?: string | null } = {}) {
  const path = freshPath();
  let store = openStore(path);
  store.users.create(nora);
  store.logs.create(session);
  let port = 0;
  let app = options.app === undefined ? folder : options.app;
  const start = async () => {
    const server = await startServer(store, {
      host: '127.0.0.1',
      port,
      origins: { allowHosts: [], allowOrigins: [] },
      auth: options.auth ? { burst: 10_000, perSecond: 10_000 } : undefined,
      isPairing: options.auth ?? false,
      companion: app === null ? undefined : companionFiles(app),
      workerFile: join(root, 'dist/worker.js'),
      log: () => {},
    });
    port = server.port;
    return server;
  };
  let server = await start();
  onTestFinished(async () => {
    await server.stop();
    store.close();
  });
  return {
    get store() {
      return store;
    },
    url: `http://localhost:${port}/app/`,
    link: (lifetime = 86_400_000) =>
      `http://localhost:${port}/app/#code=${store.tokens.pairing.open(1, lifetime).code}&pin=sha256-x`,
    stop: () => server.stop(),
    async startAgain(other = app) {
      app = other;
      server = await start();
    },
    backUp() {
      store.checkpoint();
      copyFileSync(path, `${path}.copy`);
    },
    async restore() {
      await server.stop();
      store.close();
      const copy = prepareRestore(`${path}.copy`, path);
      copy.apply('2026-03-02T12:00:00.000Z');
      copy.close();
      store = openStore(path);
      server = await start();
    },
  };
}

/** `sciatica serve` as it was built, on a database. */
export async function program(db: string, port = '0') {
  const bin = join(root, 'bin/sciatica.js');
  const child: ChildProcess = spawn(process.execPath, [bin, 'serve', '--port', port, '--db', db], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const gone = new Promise((done) => child.on('exit', done));
  const stop = async () => {
    child.kill('SIGTERM');
    await gone;
  };
  onTestFinished(stop);
  const line = await new Promise<string>((done) => child.stdout?.once('data', (text) => done(String(text))));
  return { port: /:(\d+)$/m.exec(line)?.[1] ?? '', stop };
}

/** A browser context, with what it stores, and a way to open pages in it. */
interface Phone {
  context: BrowserContext;
  open(address: string): Promise<Page>;
}

type NewPhone = (options?: BrowserContextOptions) => Promise<Phone>;

/**
 * Tests in a browser; skipped, and saying so, where there is none.
 * @param tests gets a way to make phones, and one to make phones without a service worker: then the test decides what reaches the service
 */
export function inBrowser(tests: (phone: NewPhone, bare: NewPhone) => void): void {
  const name = `in a browser${missing ? `: skipped, ${missing}` : ''}`;
  describe.skipIf(missing !== undefined)(name, () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await openBrowser();
    });
    afterAll(() => browser?.close());
    const phone: NewPhone = (options) => newPhone(browser, options);
    tests(phone, (options) => phone({ serviceWorkers: 'block', ...options }));
  });
}

/** What breaks the page's own policy, or throws, fails the test. */
async function newPhone(browser: Browser, options: BrowserContextOptions = {}): Promise<Phone> {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, ...options });
  const faults: string[] = [];
  onTestFinished(async () => {
    await context.close();
    expect(faults).toEqual([]);
  });
  const open = async (address: string): Promise<Page> => {
    const page = await context.newPage();
    page.setDefaultTimeout(DEADLINE_MS);
    page.on('pageerror', ({ message }) => faults.push(message));
    page.on('console', (said) => {
      if (/Content Security Policy|TrustedScript/.test(said.text())) faults.push(said.text());
    });
    await page.goto(address);
    return page;
  };
  return { context, open };
}

/** A time zone in which it is another day than in UTC. */
export const timezoneId = new Date().getUTCHours() < 12 ? 'Etc/GMT+12' : 'Pacific/Kiritimati';

/** The day of a moment there. */
export const dayThere = (moment: Date): string => moment.toLocaleDateString('sv', { timeZone: timezoneId });

export const beNora = (page: Page) => page.getByRole('button', { name: nora.firstName }).click();

/** A service without tokens, and its page on a phone that is Nora's, with the exercise that can be recorded. */
export async function pageOfNora(bare: NewPhone) {
  const { store, url } = await service();
  const { open, context } = await bare();
  const page = await open(url);
  await beNora(page);
  await page.getByRole('button', { name: session.exerciseName }).waitFor();
  return { store, context, page };
}

export const record = async (page: Page, before: number, after: number) => {
  await page.getByRole('button', { name: session.exerciseName }).first().click();
  await page.getByRole('button', { name: `Pain before ${before}`, exact: true }).click();
  await page.getByRole('button', { name: `Pain after ${after}`, exact: true }).click();
  await page.getByText(`Saved: ${before} → ${after}`).waitFor();
};

/** Opens the session in the diary. */
export const inDiary = async (page: Page) => {
  await page.getByRole('link', { name: 'Diary' }).click();
  await page.getByRole('button', { name: session.exerciseName }).first().click();
};

export const allSent = (page: Page) => expect.poll(() => page.getByText('not sent yet').count()).toBe(0);

/** What the browser has of the page, as text. */
export const stored = (page: Page): Promise<string> =>
  page.evaluate(
    `new Promise((done) => { const asked = indexedDB.open('sciatica'); asked.onsuccess = () => {
      const all = asked.result.transaction('notebook').objectStore('notebook').getAll();
      all.onsuccess = () => done(JSON.stringify(all.result)); }; })`,
  );
