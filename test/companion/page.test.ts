import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { armsOf, trialFields } from '../../src/domain/trial.ts';
import { companionFiles } from '../../src/http/companion.ts';
import { startServer } from '../../src/http/server.ts';
import { prepareRestore } from '../../src/store/maintenance/restore.ts';
import { openStore } from '../../src/store/store.ts';
import { DEADLINE_MS } from '../deadline.mts';
import { freshFolder, freshPath, nora, prepared, records, session } from '../helpers.ts';
import { missing, openBrowser } from '../insights/report/browser.ts';
import { exampleOf } from '../samples.ts';
import { root } from '../store/helpers.ts';

const folder = join(root, 'dist/app');
const axe = readFileSync(join(root, 'node_modules/axe-core/axe.min.js'), 'utf8');

test('script and style have at most 30 kB gzipped', () => {
  const sizes = readdirSync(folder)
    .filter((name) => /\.(js|css)$/.test(name))
    .map((name) => gzipSync(readFileSync(join(folder, name)), { level: 9 }).length);
  expect(sizes.length).toBe(3);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(30_000);
});

/** A service with Nora and one session, which can be stopped, restored and started again on the same port. */
async function service(options: { auth?: boolean; app?: string | null } = {}) {
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

test('its files are served by their exact names only, and those with a hash never change', async () => {
  const { url } = await service({ auth: true });
  const page = await fetch(url);
  const policy = page.headers.get('content-security-policy') ?? '';
  expect([page.status, policy]).toEqual([200, expect.stringContaining("default-src 'none'")]);
  expect(policy).toContain("require-trusted-types-for 'script'");
  const [script = ''] = /app-[\da-f]{12}\.js/.exec(await page.text()) ?? [];
  expect((await fetch(url + script)).headers.get('cache-control')).toContain('immutable');
  const tag = page.headers.get('etag') ?? '';
  expect((await fetch(url, { headers: { 'If-None-Match': tag } })).status).toBe(304);
  const icon = new Uint8Array(await (await fetch(`${url}icon-192.png`)).arrayBuffer());
  expect(Buffer.from(icon).equals(readFileSync(join(folder, 'icon-192.png')))).toBe(true);
  for (const path of ['index.html', '../package.json', '%2e%2e/package.json', 'worker.js/', 'x'])
    expect([path, (await fetch(url + path)).status]).toEqual([path, 404]);
  const without = await service({ app: null });
  expect((await fetch(without.url)).status).toBe(404);
});

/** `sciatica serve` as it was built, on a database. */
async function program(db: string, port = '0') {
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

// A busy machine draws late: what fails is tried once more, on a service and in a context of its own.
const name = `in a browser${missing ? `: skipped, ${missing}` : ''}`;
describe.skipIf(missing !== undefined)(name, { retry: 2 }, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  /** A phone that has opened an address. What breaks the page's own policy, or throws, fails the test. */
  async function phone(options: BrowserContextOptions = {}) {
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

  /** A phone whose service worker is left out, so that the test decides what reaches the service. */
  const bare = () => phone({ serviceWorkers: 'block' });

  const beNora = (page: Page) => page.getByRole('button', { name: nora.firstName }).click();

  const record = async (page: Page, before: number, after: number) => {
    await page.getByRole('button', { name: session.exerciseName }).first().click();
    await page.getByRole('button', { name: `Pain before ${before}`, exact: true }).click();
    await page.getByRole('button', { name: `Pain after ${after}`, exact: true }).click();
    await page.getByText(`Saved: ${before} → ${after}`).waitFor();
  };

  /** Opens the session in the diary. */
  const inDiary = async (page: Page) => {
    await page.getByRole('link', { name: 'Diary' }).click();
    await page.getByRole('button', { name: session.exerciseName }).first().click();
  };

  const allSent = (page: Page) => expect.poll(() => page.getByText('not sent yet').count()).toBe(0);

  /** What the browser has of the page, as text. */
  const stored = (page: Page): Promise<string> =>
    page.evaluate(
      `new Promise((done) => { const asked = indexedDB.open('sciatica'); asked.onsuccess = () => {
        const all = asked.result.transaction('notebook').objectStore('notebook').getAll();
        all.onsuccess = () => done(JSON.stringify(all.result)); }; })`,
    );

  test('records in three taps, opens without the service, records again, and sends it exactly once', async () => {
    const db = prepared((store) => {
      store.users.create(nora);
      store.logs.create({ ...session, notes: 'not for others' });
    });
    const { port, stop } = await program(db);
    const url = `http://localhost:${port}/app/`;
    const { open } = await phone();
    const page = await open(url);
    await beNora(page);
    await record(page, 6, 4);
    await allSent(page);
    // Whatever else runs on this port later finds no records.
    expect(await stored(page)).not.toContain('not for others');
    await page.evaluate('navigator.serviceWorker.ready');
    await stop();
    await page.close();
    const offline = await open(url);
    await record(offline, 3, 7);
    expect(await offline.getByText('1 not sent yet').isVisible()).toBe(true);
    // A rise of 3 or more: the signs of an emergency in full.
    await offline.getByText('Call an ambulance').waitFor();
    await offline.close();
    const again = await program(db, port);
    const online = await open(url);
    await expect.poll(() => records(db).logs.length).toBe(3);
    await allSent(online);
    await again.stop();
    expect(records(db).logs.slice(1)).toMatchObject([
      { painBefore: 6, painAfter: 4 },
      { painBefore: 3, painAfter: 7 },
    ]);
  });

  test('takes how it is today in one tap, offline too, and shows what a trial drew for today', async () => {
    const { store, url } = await service();
    const today = new Date().toLocaleDateString('sv');
    store.of('trial').create({
      ...exampleOf(trialFields),
      userId: 1,
      exerciseName: 'Bird Dog',
      start: today,
      state: 'running',
      seed: [...Array(99).keys()].find((seed) => armsOf(seed, 28)[0] === 'a') ?? 0,
    });
    const { open, context } = await phone();
    const page = await open(url);
    await beNora(page);
    await page.getByText('Trial, day 1 of 28: Bird Dog.').waitFor();
    await page.getByRole('button', { name: 'How is it today? 6', exact: true }).click();
    await page.getByText(/^Saved: 6/).waitFor();
    await expect
      .poll(() => store.of('painEntry').list())
      .toMatchObject([{ userId: 1, date: today, pain: 6 }]);
    await page.getByRole('button', { name: 'Take back' }).click();
    await expect.poll(() => store.of('painEntry').count()).toBe(0);
    await context.setOffline(true);
    await page.getByRole('button', { name: 'How is it today? 9', exact: true }).click();
    await page.getByText('1 not sent yet').waitFor();
    await page.getByText('Call an ambulance').waitFor();
    await page.getByText('Trial, day 1 of 28: Bird Dog.').waitFor();
    await context.setOffline(false);
    await expect.poll(() => store.of('painEntry').count()).toBe(1);
    await allSent(page);
    await page.getByRole('link', { name: 'Diary' }).click();
    await page.getByRole('button', { name: 'Pain 9' }).click();
    await page.getByRole('button', { name: 'Pain 4', exact: true }).click();
    await expect.poll(() => store.of('painEntry').list()).toMatchObject([{ pain: 4 }]);
    await page.getByRole('button', { name: 'Delete' }).click();
    await expect.poll(() => store.of('painEntry').count()).toBe(0);
    await page.getByRole('button', { name: 'Bring back' }).click();
    await expect.poll(() => store.of('painEntry').list()).toMatchObject([{ pain: 4 }]);
    await allSent(page);
    await context.setOffline(true);
    await page.getByRole('link', { name: 'Today' }).click();
    await page.getByText('Trial, day 1').waitFor();
    await page.getByText('Today so far: 4').waitFor();
    // As the service worker says what it knows, which sends for a page in the background.
    await page.evaluate(
      `new BroadcastChannel('sciatica').postMessage({ since: ${store.history.last()}, records: {} })`,
    );
    await page.getByText('Today so far: 4').waitFor({ state: 'detached' });
    expect(await page.getByText('Trial, day 1').isVisible()).toBe(true);
    // What was drawn for one day is not shown on the next.
    await page.clock.setFixedTime(Date.now() + 24 * 60 * 60 * 1000);
    await page.getByRole('link', { name: 'Diary' }).click();
    await page.getByRole('link', { name: 'Today' }).click();
    await page.getByRole('button', { name: 'How is it today? 1', exact: true }).waitFor();
    expect(await page.getByText('Trial, day').count()).toBe(0);
  });

  test('a lost answer and a second tab make no second record, and both tabs show it', async () => {
    const { store, url } = await service();
    const { open, context } = await bare();
    const [page, other] = [await open(url), await open(url)];
    await beNora(page);
    await other.getByRole('heading', { name: 'Today' }).waitFor();
    let lost = 0;
    await context.route('**/userExerciseLogs', async (route) => {
      if (route.request().method() !== 'POST' || lost++ > 0) return route.continue();
      await route.fetch();
      return route.abort();
    });
    // A browser draws only what is in front, and takes its time with the rest.
    await page.bringToFront();
    await record(page, 5, 4);
    await expect.poll(() => lost).toBe(1);
    await page.evaluate("dispatchEvent(new Event('online'))");
    await allSent(page);
    await other.bringToFront();
    await other.getByRole('link', { name: 'Diary' }).click();
    await other.getByRole('button', { name: '5 → 4' }).waitFor();
    expect([lost > 1, store.logs.count()]).toEqual([true, 2]);
    // Taken back: on its card, and in the diary of the other tab.
    await page.bringToFront();
    await page.getByRole('button', { name: 'Take back' }).click();
    await other.getByRole('button', { name: '5 → 4' }).waitFor({ state: 'detached' });
    await expect.poll(() => store.logs.count()).toBe(1);
  });

  test('an edit that meets another of the same field asks, one of another field does not', async () => {
    const { store, url } = await service();
    const { open, context } = await bare();
    const page = await open(url);
    await beNora(page);
    await page.getByRole('button', { name: session.exerciseName }).waitFor();
    await context.setOffline(true);
    await inDiary(page);
    await page.getByLabel('Notes, medication').fill('two tablets');
    await page.getByRole('button', { name: 'Pain after 1', exact: true }).click();
    await page.getByText('1 not sent yet').waitFor();
    store.logs.update(1, { date: '2026-02-28' });
    await context.setOffline(false);
    await expect.poll(() => store.logs.get(1)).toMatchObject({ painAfter: 1, date: '2026-02-28' });
    await page.getByText('1 not sent yet').waitFor({ state: 'detached' });
    await page.getByText('Feb 28, 2026').waitFor();
    await context.setOffline(true);
    await page.getByLabel('Notes, medication').fill('three tablets');
    await page.getByRole('heading', { name: 'Diary' }).click();
    await page.getByText('1 not sent yet').waitFor();
    store.logs.update(1, { notes: 'none' });
    await context.setOffline(false);
    await page.getByText('notes: three tablets here, none there').waitFor();
    await page.getByRole('button', { name: 'Save what is here' }).click();
    await expect.poll(() => store.logs.get(1)?.notes).toBe('three tablets');
  });

  test('deleted in the diary, brought back, and found by a search', async () => {
    const { store, url } = await service();
    store.change(() => {
      for (let i = 0; i < 2_000; i++)
        store.logs.create({ ...session, exerciseName: `Exercise ${i}`, date: '2026-02-11' });
    });
    const { open } = await bare();
    const page = await open(url);
    await beNora(page);
    await page.getByRole('link', { name: 'Diary' }).click();
    await page.getByText('2001 entries').waitFor();
    // However many there are, only so many are drawn.
    expect(await page.locator('.card').count()).toBe(60);
    await page.getByLabel('Search').fill('exercise 1234');
    await page.getByText('1 entry of 2001').waitFor();
    await page.getByRole('button', { name: 'Exercise 1234' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await expect.poll(() => store.logs.count()).toBe(2_000);
    await page.getByRole('button', { name: 'Bring back' }).click();
    await expect.poll(() => store.logs.count()).toBe(2_001);
  });

  test('pairs by the link, records on while it is revoked, is paired again, and forgets an erased person', async () => {
    const { store, url, link } = await service({ auth: true });
    const { open, context } = await phone();
    const page = await open(link());
    await page.getByRole('heading', { name: 'Today' }).waitFor();
    expect(page.url()).toBe(`${url}#today`);
    await page.getByRole('button', { name: session.exerciseName }).waitFor();
    store.tokens.revoke('Linux');
    await page.getByText('This phone was unpaired at the computer.').waitFor();
    await record(page, 5, 5);
    expect([store.logs.count(), await page.getByText('1 not sent yet').isVisible()]).toEqual([1, true]);
    await page.close();
    const paired = await open(link());
    await expect.poll(() => store.logs.count()).toBe(2);
    await allSent(paired);
    store.erase(1);
    await paired.getByText('The diary was erased at the computer.').waitFor();
    expect(await stored(paired)).not.toContain(session.exerciseName);
    expect(await context.cookies()).toEqual([]);
  });

  test('says that a pairing has expired, and forgets this phone without a network', async () => {
    const { store, link } = await service({ auth: true });
    const { open, context } = await bare();
    const page = await open(link(1));
    await page.getByText('The pairing of this phone has expired.').waitFor();
    await page.getByRole('link', { name: 'More' }).click();
    await context.setOffline(true);
    await page.getByRole('button', { name: 'Forget this phone' }).click();
    await page.getByRole('button', { name: 'Forget', exact: true }).click();
    await page.getByText('take the pairing back there').waitFor();
    expect(await stored(page)).not.toContain('sciatica_');
    expect(store.tokens.list().length).toBe(1);
  });

  test('what was answered after a backup comes back after it is restored', async () => {
    const world = await service({ auth: true });
    const { open } = await bare();
    const page = await open(world.link());
    await page.getByRole('button', { name: session.exerciseName }).waitFor();
    world.backUp();
    await record(page, 6, 2);
    await allSent(page);
    expect(world.store.logs.count()).toBe(2);
    await world.restore();
    expect(world.store.logs.count()).toBe(1);
    await page.reload();
    await expect.poll(() => world.store.logs.list().map(({ painAfter }) => painAfter)).toEqual([4, 2]);
  });

  test('a provider sees how each patient is, and the reports, and keeps and writes nothing', async () => {
    const { store, url } = await service({ auth: true });
    const ole = store.users.create({ ...nora, firstName: 'Ole' });
    store.users.create({ ...nora, firstName: 'Somebody', lastName: 'Else' });
    const today = new Date().toLocaleDateString('sv');
    store.logs.create({ ...session, userId: ole.id, date: today, painBefore: 5, painAfter: 9 });
    const { token } = store.tokens.create({ name: 'p', role: 'provider', users: [1, 2], lifetime: null });
    const { open, context } = await bare();
    const page = await open(url);
    await page.getByLabel('Link, code or token').fill(token);
    await page.getByRole('button', { name: 'Pair' }).click();
    await page.getByText('Pain 5.0. 1 session, the last on').waitFor();
    // As in the terminal, who needs a call comes first; of others there is nothing.
    const lines = await page.locator('.exercise').allTextContents();
    expect(lines).toEqual([
      expect.stringMatching(/^Ole Lind Red: 1\. Pain 5\.0\. 1 session, the last on/),
      expect.stringMatching(/^Nora Lind 0 sessions, the last on .*Mar 1, 2026/),
    ]);
    await page.getByRole('button', { name: 'Nora' }).click();
    await page.getByText('In short').waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).toContain(nora.lastName);
    expect(await page.getByRole('link').count()).toBe(0);
    await page.getByRole('button', { name: 'All patients' }).click();
    // Looked at again, it says how things are now.
    store.logs.create({ ...session, userId: 1, date: today, painBefore: 6, painAfter: 6 });
    await page.evaluate("dispatchEvent(new Event('online'))");
    await page.getByText('Pain 6.0. 1 session').waitFor();
    await context.setOffline(true);
    await page.getByRole('button', { name: 'Ole' }).click();
    await page.getByText('The computer is not reached. Try again.').waitFor();
    expect(await stored(page)).not.toContain(session.exerciseName);
    expect(await stored(page)).not.toContain('Ole');
  });

  test('a new version waits until it is asked for, and leaves other tabs alone', async () => {
    const { url, stop, startAgain } = await service();
    const { open } = await phone();
    const page = await open(url);
    await page.evaluate('navigator.serviceWorker.ready');
    await page.reload();
    const next = freshFolder();
    cpSync(folder, next, { recursive: true });
    const change = (name: string, from: string | RegExp, to: string) =>
      writeFileSync(join(next, name), readFileSync(join(folder, name), 'utf8').replace(from, to));
    change('worker.js', /companion-/, 'companion-2-');
    change('index.html', '<title>', '<meta name="version" content="2"><title>');
    await stop();
    await startAgain(next);
    const other = await open(url);
    const isNew = (one: Page) => one.locator('meta[name=version]').count();
    await page.bringToFront();
    await page.getByRole('button', { name: 'Use it' }).waitFor();
    expect([await isNew(page), await isNew(other)]).toEqual([0, 0]);
    await page.getByRole('button', { name: 'Use it' }).click();
    await page.locator('meta[name=version]').waitFor({ state: 'attached' });
    expect(await isNew(other)).toBe(0);
    await other.bringToFront();
    await other.getByRole('button', { name: 'Use it' }).click();
    await other.locator('meta[name=version]').waitFor({ state: 'attached' });
  });

  test('a browser that stores nothing is told of, and records; a full one saves nothing that it cannot keep', async () => {
    const { store, url } = await service();
    const refusing = await bare();
    await refusing.context.addInitScript(
      "IDBFactory.prototype.open = () => { throw new DOMException('no', 'SecurityError'); }",
    );
    const page = await refusing.open(url);
    await page.getByText('This browser lets the page store nothing').waitFor();
    await beNora(page);
    await record(page, 6, 4);
    await expect.poll(() => store.logs.count()).toBe(2);
    const full = await bare();
    const second = await full.open(url);
    await beNora(second);
    await second.getByRole('button', { name: session.exerciseName }).first().waitFor();
    await second.evaluate(
      "window.put = IDBObjectStore.prototype.put; IDBObjectStore.prototype.put = () => { throw new DOMException('full', 'QuotaExceededError'); }",
    );
    await second.getByRole('button', { name: session.exerciseName }).first().click();
    await second.getByRole('button', { name: 'Pain before 2', exact: true }).click();
    await second.getByRole('button', { name: 'Pain after 2', exact: true }).click();
    await second.getByText('this phone has no room left').waitFor();
    await second.evaluate('IDBObjectStore.prototype.put = window.put');
    await second.getByRole('button', { name: 'Pain after 2', exact: true }).click();
    await second.getByText('Saved: 2 → 2').waitFor();
    await expect.poll(() => store.logs.count()).toBe(3);
  });

  test('records by the keyboard alone, and is announced', async () => {
    const { url } = await service();
    const { open } = await bare();
    const page = await open(url);
    const press = async (name: string) => {
      await page.getByRole('button', { name, exact: true }).waitFor();
      const isThere = `document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent`;
      for (let i = 0; i < 40 && (await page.evaluate(isThere)) !== name; i++)
        await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
    };
    await press(`${nora.firstName} ${nora.lastName}`);
    await press(session.exerciseName);
    await press('Pain before 4');
    await press('Pain after 3');
    await page.getByRole('status').filter({ hasText: 'Saved:' }).waitFor();
    // The focus is where the numbers were.
    expect(await page.evaluate('document.activeElement.textContent')).toContain('Saved: 4 → 3');
  });

  /** Practice for the eyes: a session on each of many days, with a note that is no markup. */
  async function practice() {
    const world = await service();
    world.store.change(() => {
      for (let day = 10; day < 28; day++)
        world.store.logs.create({
          ...session,
          notes: '<img src=x onerror=alert(1)>',
          date: `2026-02-${day}`,
          painAfter: 2,
        });
    });
    return world;
  }

  /** Opens one view after the other, each with what it folds away. */
  async function* views(context: BrowserContext, page: Page) {
    await beNora(page);
    for (const view of ['today', 'diary', 'helps', 'more']) {
      await page.click(`nav a[href="#${view}"]`);
      if (view === 'helps') await page.getByRole('heading', { name: 'Less pain after' }).waitFor();
      if (view === 'today' || view === 'diary')
        await page.getByRole('button', { name: session.exerciseName }).first().click();
      for (const summary of await page.locator('summary').all()) await summary.click();
      yield view;
    }
    await context.setOffline(true);
    await page.evaluate("location.hash = '#pair'");
    yield 'pair';
  }

  test('every view: nothing for axe to find, in both themes; nothing beyond the screen, nothing small', async () => {
    const { url } = await practice();
    const { open, context } = await bare();
    const page = await open(url);
    for await (const view of views(context, page)) {
      // The page's own policy allows no script but its own; axe comes past it.
      await page.evaluate(axe);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        const found = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
          // All but the colours is the same in both.
          colorScheme === 'light' ? 'axe.run()' : "axe.run({ runOnly: ['color-contrast'] })",
        );
        const faults = found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
        expect([view, colorScheme, faults]).toEqual([view, colorScheme, []]);
      }
      for (const [width, size] of [
        [320, 100],
        [390, 100],
        [390, 200],
        [768, 100],
        [1280, 100],
      ]) {
        await page.setViewportSize({ width: width as number, height: 844 });
        await page.evaluate(`document.documentElement.style.fontSize = '${size}%'`);
        const beyond = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        const small = await page.evaluate(
          `[...document.querySelectorAll('button, nav a, summary, select, textarea, input:not([type=checkbox]), label.check')]
            .filter((one) => one.checkVisibility())
            .filter((one) => { const { width, height } = one.getBoundingClientRect(); return width < 44 || height < 44; })
            .map((one) => one.outerHTML)`,
        );
        expect([view, width, size, beyond, small]).toEqual([view, width, size, 0, []]);
        if (process.env['SHOTS'])
          await page.screenshot({ path: join(process.env['SHOTS'], `${view}-${width}-${size}.png`) });
      }
      await page.setViewportSize({ width: 390, height: 844 });
      await page.evaluate("document.documentElement.style.fontSize = ''");
    }
  });
});
