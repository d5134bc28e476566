import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { companionFiles } from '../../src/http/companion.ts';
import { startServer } from '../../src/http/server.ts';
import { openStore } from '../../src/store/store.ts';
import { DEADLINE_MS } from '../deadline.mts';
import { freshPath, nora, session } from '../helpers.ts';
import { missing, openBrowser } from '../insights/report/browser.ts';
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

/** A service with Nora and one session, which can be stopped and started again on the same port. */
async function service(options: { auth?: boolean; isPairing?: boolean } = {}) {
  const store = openStore(freshPath());
  store.users.create(nora);
  store.logs.create(session);
  let port = 0;
  const start = async () => {
    const server = await startServer(store, {
      host: '127.0.0.1',
      port,
      origins: { allowHosts: [], allowOrigins: [] },
      auth: options.auth ? { burst: 10_000, perSecond: 10_000 } : undefined,
      isPairing: options.isPairing ?? false,
      companion: companionFiles(folder),
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
    store,
    url: `http://localhost:${port}/app/`,
    stop: () => server.stop(),
    startAgain: async () => {
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
  for (const path of ['index.html', '../package.json', '%2e%2e/package.json', 'worker.js/', 'x'])
    expect([path, (await fetch(url + path)).status]).toEqual([path, 404]);
});

describe.skipIf(missing !== undefined)(`in a browser${missing ? `: skipped, ${missing}` : ''}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  /** A phone that has opened an address. What breaks the page's own policy, or throws, is a fault. */
  async function phone() {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
    onTestFinished(() => context.close());
    const faults: string[] = [];
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
    return { context, open, faults };
  }

  const record = async (page: Page, before: number, after: number) => {
    await page.getByRole('button', { name: session.exerciseName }).first().click();
    await page.getByRole('button', { name: `Pain before ${before}`, exact: true }).click();
    await page.getByRole('button', { name: `Pain after ${after}`, exact: true }).click();
    await page.getByText(`Saved: ${before} → ${after}`).waitFor();
  };

  test('records in three taps, opens without the service, records again, and sends it exactly once', async () => {
    const { store, url, stop, startAgain } = await service();
    const { open, faults } = await phone();
    const page = await open(url);
    await page.getByRole('button', { name: nora.firstName }).click();
    await record(page, 6, 4);
    await expect.poll(() => store.logs.count()).toBe(2);
    await page.evaluate('navigator.serviceWorker.ready');
    await stop();
    await page.close();
    const offline = await open(url);
    await record(offline, 3, 7);
    expect(await offline.getByText('1 not sent yet').isVisible()).toBe(true);
    // A rise of 3 or more: the signs of an emergency in full.
    expect(await offline.getByText('Call an ambulance').isVisible()).toBe(true);
    await offline.close();
    await startAgain();
    const again = await open(url);
    await expect.poll(() => store.logs.count()).toBe(3);
    await again.getByText('not sent yet').waitFor({ state: 'detached' });
    expect(store.logs.list().slice(1)).toMatchObject([
      { painBefore: 6, painAfter: 4 },
      { painBefore: 3, painAfter: 7 },
    ]);
    expect(faults).toEqual([]);
  });

  test('pairs by the link, is told that it was revoked, keeps what waits, and forgets an erased person', async () => {
    const { store, url } = await service({ auth: true, isPairing: true });
    const { open, faults, context } = await phone();
    const link = () => `${url}#code=${store.tokens.pairing.open(1, 86_400_000).code}&pin=sha256-x`;
    const page = await open(link());
    await page.getByRole('heading', { name: 'Today' }).waitFor();
    expect(page.url()).toBe(url);
    await page.getByRole('button', { name: session.exerciseName }).waitFor();
    store.tokens.revoke('Linux');
    await record(page, 5, 5);
    await page.getByText('This phone was unpaired at the computer.').waitFor();
    expect(store.logs.count()).toBe(1);
    await page.close();
    const paired = await open(link());
    await expect.poll(() => store.logs.count()).toBe(2);
    await paired.getByRole('button', { name: session.exerciseName }).waitFor();
    store.erase(1);
    await paired.getByText('The diary was erased at the computer.').waitFor();
    const kept = await paired.evaluate(
      `new Promise((done) => { const asked = indexedDB.open('sciatica'); asked.onsuccess = () => {
        const all = asked.result.transaction('notebook').objectStore('notebook').getAll();
        all.onsuccess = () => done(JSON.stringify(all.result)); }; })`,
    );
    expect(kept).not.toContain(session.exerciseName);
    expect([faults, await context.cookies()]).toEqual([[], []]);
  });

  test('every view: nothing for axe to find, in both themes; nothing beyond the screen from 320 pixels on', async () => {
    const { store, url } = await service();
    for (let day = 10; day < 28; day++)
      store.logs.create({
        ...session,
        notes: '<img src=x onerror=alert(1)>',
        date: `2026-02-${day}`,
        painAfter: 2,
      });
    const { open, faults } = await phone();
    const page = await open(url);
    await page.getByRole('button', { name: nora.firstName }).click();
    for (const view of ['today', 'diary', 'helps', 'more']) {
      await page.click(`nav a[href="#${view}"]`);
      if (view === 'helps') await page.getByRole('heading', { name: 'Less pain after' }).waitFor();
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        // The page's own policy allows no script but its own; axe comes past it.
        await page.evaluate(axe);
        const found = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
          'axe.run()',
        );
        const faults = found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
        expect([view, colorScheme, faults]).toEqual([view, colorScheme, []]);
      }
      for (const width of [320, 390, 768, 1280]) {
        await page.setViewportSize({ width, height: 844 });
        const beyond = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        expect([view, width, beyond]).toEqual([view, width, 0]);
        if (process.env['SHOTS'])
          await page.screenshot({ path: join(process.env['SHOTS'], `${view}-${width}.png`) });
      }
    }
    expect(faults).toEqual([]);
  });
});
