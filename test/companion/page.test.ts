import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { armsOf, trialFields } from '../../src/domain/trial.ts';
import { DEADLINE_MS } from '../deadline.mts';
import { freshFolder, freshPath, nora, prepared, records, run, session } from '../helpers.ts';
import { exampleOf } from '../samples.ts';
import { allSent, beNora, folder, inBrowser, program, record, service, stored } from './phone.ts';

test('script and style have at most 30 kB gzipped', () => {
  const sizes = readdirSync(folder)
    .filter((name) => /\.(js|css)$/.test(name))
    .map((name) => gzipSync(readFileSync(join(folder, name)), { level: 9 }).length);
  expect(sizes.length).toBe(3);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(30_000);
});

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

inBrowser((phone, bare) => {
  test('records in three taps, opens without the service, records again, and sends it exactly once', async () => {
    const db = prepared((store) => {
      store.users.create(nora);
      store.logs.create({ ...session, notes: 'not for others' });
      store.logs.create({ ...session, exerciseName: 'Bird Dog' });
      const { exerciseName, exerciseType } = session;
      store.routines.create({ userId: 1, name: 'Before work', exercises: [{ exerciseName, exerciseType }] });
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
    await offline.getByRole('heading', { name: 'Before work' }).waitFor();
    await offline.getByText('Other exercises (1)').waitFor();
    await record(offline, 3, 7);
    expect(await offline.getByText('1 not sent yet').isVisible()).toBe(true);
    // A rise of 3 or more: the signs of an emergency in full.
    await offline.getByText('Call an ambulance').waitFor();
    await offline.close();
    const again = await program(db, port);
    const online = await open(url);
    await expect.poll(() => records(db).logs.length).toBe(4);
    await allSent(online);
    await again.stop();
    expect(records(db).logs.slice(2)).toMatchObject([
      { painBefore: 6, painAfter: 4, effective: true },
      { painBefore: 3, painAfter: 7, effective: false },
    ]);
  });

  test('sends what waits in the background, while no page is open', async () => {
    const { store, url } = await service();
    const { open, context } = await phone();
    const page = await open(url);
    await beNora(page);
    await page.getByRole('button', { name: session.exerciseName }).waitFor();
    await page.evaluate('navigator.serviceWorker.ready');
    await context.setOffline(true);
    await record(page, 5, 3);
    await page.getByText('1 not sent yet').waitFor();
    await page.close();
    await context.setOffline(false);
    // Chromium tells the worker in its own time that there is a network again; here at once.
    const other = await open(`${url}licences.txt`);
    const devtools = await context.newCDPSession(other);
    const registrationId = new Promise<string>((done) =>
      devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
        if (registrations[0]) done(registrations[0].registrationId);
      }),
    );
    await devtools.send('ServiceWorker.enable');
    // A page that is at it goes first.
    await other.evaluate(
      `new Promise((got) => void navigator.locks.request('sciatica-sync', () => {
        got(); return new Promise((free) => { window.free = free; }); }))`,
    );
    await devtools.send('ServiceWorker.dispatchSyncEvent', {
      origin: new URL(url).origin,
      registrationId: await registrationId,
      tag: 'send',
      lastChance: false,
    });
    await expect
      .poll(() => other.evaluate('navigator.locks.query().then((all) => all.pending.length)'))
      .toBe(1);
    expect(store.logs.count()).toBe(1);
    await other.evaluate('window.free()');
    await expect.poll(() => store.logs.list()).toMatchObject([{ id: 1 }, { painBefore: 5, painAfter: 3 }]);
    const again = await open(url);
    await again.getByRole('heading', { name: 'Today' }).waitFor();
    await allSent(again);
    expect(store.logs.count()).toBe(2);
  });

  test('an answer about a trial that comes late does not count', async () => {
    const { store, url } = await service();
    const start = new Date().toLocaleDateString('sv');
    const { id } = store.of('trial').create({ ...exampleOf(trialFields), userId: 1, start });
    const { open, context } = await bare();
    let [isGivenUp, isAskedAgain, isAsked, isAnswered, answer] = [false, false, false, false, () => {}];
    const isLate = new Promise<void>((done) => {
      answer = done;
    });
    let lists = 0;
    await context.route('**/trials?*', (route) => {
      isAskedAgain = isGivenUp;
      return ++lists === 1 ? route.continue() : route.abort();
    });
    await context.route('**/trials/*/status?*', async (route) => {
      const response = await route.fetch();
      isAsked = true;
      await isLate;
      await route.fulfill({ response });
    });
    const page = await open(url);
    page.on('requestfinished', (request) => {
      isAnswered ||= request.url().includes('/status?');
    });
    await beNora(page);
    await expect.poll(() => isAsked).toBe(true);
    isGivenUp = true;
    store.of('trial').update(id, { state: 'given-up' });
    await expect.poll(() => isAskedAgain).toBe(true);
    answer();
    await expect.poll(() => isAnswered).toBe(true);
    // What is kept is changed one after the other: by the end of this the answer has come.
    await page.getByRole('button', { name: 'How is it today? 6', exact: true }).click();
    await expect.poll(() => store.of('painEntry').count()).toBe(1);
    await page.getByRole('button', { name: 'Take back' }).click();
    await expect.poll(() => store.of('painEntry').count()).toBe(0);
    await allSent(page);
    expect(await page.getByText('Trial, day 1').count()).toBe(0);
  });

  test('takes how it is today in one tap, offline too, and shows what a trial drew for today', async () => {
    const { store, url } = await service();
    const today = new Date().toLocaleDateString('sv');
    const trial = { ...exampleOf(trialFields), userId: 1, exerciseName: 'Bird Dog' };
    store.of('trial').create({ ...trial, start: '2026-01-01', state: 'given-up' });
    const { id } = store.of('trial').create({
      ...trial,
      start: today,
      state: 'running',
      seed: [...Array(99).keys()].find((seed) => armsOf(seed, 28)[0] === 'a') ?? 0,
    });
    const { open, context } = await phone();
    const page = await open(url);
    await beNora(page);
    const drawn = page.getByText('Trial, day 1 of 28: Bird Dog.');
    await drawn.waitFor();
    store.of('trial').update(id, { state: 'given-up' });
    await drawn.waitFor({ state: 'detached' });
    store.of('trial').update(id, { state: 'running' });
    await drawn.waitFor();
    await page.reload();
    await drawn.waitFor();
    expect(await stored(page)).not.toContain('day 1 of 28');
    await page.getByRole('button', { name: 'How is it today? 6', exact: true }).click();
    await page.getByText(/^Saved: 6/).waitFor();
    await page.getByText('Saved: pain 6.').waitFor();
    expect(await page.getByText('Today so far').count()).toBe(0);
    await expect
      .poll(() => store.of('painEntry').list())
      .toMatchObject([{ userId: 1, date: today, pain: 6 }]);
    await page.getByRole('button', { name: 'Take back' }).click();
    await expect.poll(() => store.of('painEntry').count()).toBe(0);
    await context.setOffline(true);
    await page.getByRole('button', { name: 'How is it today? 9', exact: true }).click();
    await page.getByText('1 not sent yet').waitFor();
    await page.getByText('Call an ambulance').waitFor();
    await drawn.waitFor();
    await context.setOffline(false);
    await expect.poll(() => store.of('painEntry').count()).toBe(1);
    await allSent(page);
    await page.getByRole('link', { name: 'Diary' }).click();
    await page.getByRole('button', { name: 'Pain 9' }).click();
    await page.getByRole('button', { name: 'Pain 10', exact: true }).click();
    await page.getByText('Call an ambulance').waitFor();
    await page.getByRole('button', { name: 'Pain 4', exact: true }).click();
    expect(await page.getByLabel('It helped').count()).toBe(0);
    await page.getByLabel('Medication', { exact: true }).fill('ibuprofen 400');
    await page.getByLabel('Notes').fill('could not sleep');
    await page.getByRole('heading', { name: 'Diary' }).click();
    await expect
      .poll(() => store.of('painEntry').list())
      .toMatchObject([{ pain: 4, medication: 'ibuprofen 400', notes: 'could not sleep' }]);
    for (const field of ['Medication', 'Notes']) await page.getByLabel(field).fill('');
    await page.getByRole('heading', { name: 'Diary' }).click();
    await expect.poll(() => Object.keys(store.of('painEntry').list()[0] ?? {})).not.toContain('notes');
    expect(store.of('painEntry').list()[0]?.medication).toBeUndefined();
    await page.getByRole('button', { name: 'Delete' }).click();
    await expect.poll(() => store.of('painEntry').count()).toBe(0);
    await page.getByRole('button', { name: 'Bring back' }).first().click();
    await expect.poll(() => store.of('painEntry').list()).toMatchObject([{ pain: 4 }]);
    await allSent(page);
    await context.setOffline(true);
    await page.getByRole('link', { name: 'Today' }).click();
    await page.getByText('Trial, day 1').waitFor();
    await page.getByText('Today so far: 4').waitFor();
    // As the service worker says what it knows, which sends for a page in the background.
    const told = { since: store.history.last(), records: { log: { 1: store.logs.get(1) } } };
    await page.evaluate(`new BroadcastChannel('sciatica').postMessage(${JSON.stringify(told)})`);
    await page.getByText('Today so far: 4').waitFor({ state: 'detached' });
    expect(await page.getByText('Trial, day 1').isVisible()).toBe(true);
    // What was drawn for one day is not shown on the next.
    const inDays = (days: number) => new Date(Date.now() + days * 24 * 60 * 60 * 1000);
    await page.clock.setFixedTime(inDays(1));
    await page.getByRole('link', { name: 'Diary' }).click();
    await page.getByRole('link', { name: 'Today' }).click();
    await page.getByRole('button', { name: 'How is it today? 1', exact: true }).waitFor();
    expect(await page.getByText('Trial, day').count()).toBe(0);
    // The service has that day, too; the page stays open until the day after.
    const dates = [0, 1, 2].map((days) => inDays(days).toLocaleDateString('sv'));
    await context.route('**/status?*', (route) => {
      const date = new URL(route.request().url()).searchParams.get('today') ?? '';
      const today = { date, number: dates.indexOf(date) + 1, what: 'rest' };
      return route.fulfill({ json: { trial: { days: 28 }, today } });
    });
    await context.setOffline(false);
    await page.getByText('Trial, day 2 of 28: rest.').waitFor();
    await page.clock.setFixedTime(inDays(2));
    await page.getByRole('button', { name: session.exerciseName }).click();
    await page.getByText('Trial, day 3 of 28: rest.').waitFor();
  });

  test('the shortcuts of its icon lead where they say', async () => {
    const { url } = await service();
    const manifest = await (await fetch(`${url}manifest.webmanifest`)).json();
    const { shortcuts } = manifest as { shortcuts: { name: string; url: string }[] };
    const address = (wanted: string): string =>
      new URL(shortcuts.find(({ name }) => name === wanted)?.url ?? '', url).href;
    const { open } = await bare();
    const page = await open(url);
    await beNora(page);
    await page.getByRole('button', { name: session.exerciseName }).waitFor();
    await page.close();
    const pain = await open(address('How is it today?'));
    const focused = pain.locator('#pain:focus');
    await focused.getByRole('button', { name: 'How is it today? 1', exact: true }).waitFor();
    // The page was open, and looks at something else.
    await pain.getByRole('link', { name: 'Diary' }).click();
    await pain.goto(address('How is it today?'));
    await focused.waitFor();
    const diary = await open(address('Diary'));
    await diary.getByRole('heading', { name: 'Diary' }).waitFor();
    const today = await open(address('Record'));
    await today.getByRole('button', { name: session.exerciseName }).waitFor();
    expect(await today.locator('#pain:focus').count()).toBe(0);
  });

  test('deleted in the diary, brought back, and found by a search', async () => {
    const { store, url } = await service();
    store.change(() => {
      for (let i = 0; i < 2_000; i++)
        store.logs.create({
          ...session,
          exerciseName: i === 0 ? 'תרגיל' : `Exercise ${i}`,
          date: '2026-02-11',
        });
    });
    const { open } = await bare();
    const page = await open(url);
    await beNora(page);
    await page.getByRole('link', { name: 'Diary' }).click();
    await page.getByText('2001 entries').waitFor();
    // A name that is read from right to left turns no figures round.
    await page.getByLabel('Search').fill('תרגיל');
    await page.getByText('1 entry of 2001').waitFor();
    const leftOf = (at: string) =>
      `(() => { const range = new Range(); const { firstChild } = document.querySelector('.figures');
        range.setStart(firstChild, ${at}); range.setEnd(firstChild, ${at} + 1); return range.getBoundingClientRect().left; })()`;
    expect(await page.evaluate(`${leftOf('0')} < ${leftOf('firstChild.length - 1')}`)).toBe(true);
    await page.getByLabel('Search').fill('');
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

  test('saves a copy as a file that the terminal imports', async () => {
    const { store, url } = await service();
    store.of('painEntry').create({ userId: 1, date: '2026-03-01', pain: 7 });
    const { exerciseName, exerciseType } = session;
    store.routines.create({ userId: 1, name: 'Before work', exercises: [{ exerciseName, exerciseType }] });
    const trial = { ...exampleOf(trialFields), userId: 1 };
    store.of('trial').create(trial);
    store.of('trialDay').create({ userId: 1, date: trial.start, first: 6, done: true });
    // Of others nothing is there to be saved.
    store.logs.create({ ...session, userId: store.users.create({ ...nora, firstName: 'Ole' }).id });
    const { open, context } = await bare();
    const page = await open(url);
    await beNora(page);
    await page.getByRole('button', { name: session.exerciseName }).waitFor();
    await page.getByRole('link', { name: 'More' }).click();
    /** Imports a copy into a new database. */
    const copied = async (): Promise<string> => {
      const saved = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Save a copy as a file' }).click();
      const [file, db] = [join(freshFolder(), 'sciatica.json'), freshPath()];
      await (await saved).saveAs(file);
      expect(await run(['import', file, '--db', db])).toMatchObject({ code: 0 });
      return db;
    };
    const said = (text: string) => page.getByText(text, { exact: true }).waitFor();
    const goalIn = async (db: string) => (await run(['goal', '--json', '--db', db])).stdout;
    // Without a goal too.
    expect(await goalIn(await copied())).not.toContain('sessionsPerWeek');
    await said('Saved as sciatica.json.');
    store.of('goal').create({ userId: 1, sessionsPerWeek: 4 });
    const db = await copied();
    expect(await goalIn(db)).toContain('"sessionsPerWeek":4');
    expect((await run(['trials', '--json', '--db', db])).stdout).toContain(`"seed":${trial.seed}`);
    expect((await run(['trial-days', '--json', '--db', db])).stdout).toContain('"first":6');
    expect(records(db)).toMatchObject({ users: [{ ...nora }], logs: [{ ...session }] });
    expect((await run(['pains', '--json', '--db', db])).stdout).toContain('"pain":7');
    expect((await run(['routines', '--db', db])).stdout).toContain('Before work');
    await context.setOffline(true);
    expect((await run(['trials', '--json', '--db', await copied()])).stdout).not.toContain('seed');
    await said('Saved as sciatica.json. Goal and trials are not in it: only the computer has them.');
  });

  test('a provider sees how each patient is, and the reports, and keeps and writes nothing', async () => {
    const { store, url } = await service({ auth: true });
    const ole = store.users.create({ ...nora, firstName: 'Ole' });
    store.users.create({ ...nora, firstName: 'Somebody', lastName: 'Else' });
    const today = new Date().toLocaleDateString('sv');
    const notes = '<img src=x onerror=alert(1)> **not bold** \\ | # 1. *x*';
    store.logs.create({ ...session, userId: ole.id, date: today, painBefore: 5, painAfter: 9, notes });
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
    await page.locator('h1:focus').getByText(nora.lastName).waitFor();
    expect(await page.getByRole('link').count()).toBe(0);
    await page.getByRole('button', { name: 'All patients' }).click();
    await page.getByRole('heading', { name: 'Patients' }).waitFor();
    // As the Back of a phone does, for which nothing is left to go through.
    expect(await page.evaluate('navigation.canGoForward')).toBe(true);
    await page.getByRole('button', { name: 'Ole' }).click();
    await page.getByRole('heading', { name: 'In short' }).waitFor();
    // What was typed stands as it was typed.
    await page.locator('blockquote').getByText(notes, { exact: true }).waitFor();
    await page.getByRole('columnheader', { name: 'Verdict' }).first().waitFor();
    // The Back of a phone closes the report, and not the page.
    await page.goBack();
    await page.getByRole('heading', { name: 'Patients' }).waitFor();
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
    const { store, url, stop, startAgain } = await service();
    const { open } = await phone();
    const page = await open(url);
    await beNora(page);
    await page.getByRole('button', { name: session.exerciseName }).waitFor();
    await page.evaluate('navigator.serviceWorker.ready');
    await page.reload();
    const next = freshFolder();
    cpSync(folder, next, { recursive: true });
    const change = (name: string, from: string | RegExp, to: string) =>
      writeFileSync(join(next, name), readFileSync(join(folder, name), 'utf8').replace(from, to));
    change('worker.js', /companion-/, 'companion-2-');
    change('index.html', '<title>', '<meta name="version" content="2"><title>');
    await stop();
    // Noted with one version, and sent with the other.
    await record(page, 5, 3);
    await page.getByText('1 not sent yet').waitFor();
    await startAgain(next);
    const other = await open(url);
    const isNew = (one: Page) => one.locator('meta[name=version]').count();
    await page.bringToFront();
    const use = page.getByRole('button', { name: 'Use it' });
    // Chromium looks once for each time that a page is opened, and gives up where the service is not back yet.
    await use.waitFor({ timeout: DEADLINE_MS / 4 }).catch(() => other.reload());
    await use.waitFor();
    expect([await isNew(page), await isNew(other)]).toEqual([0, 0]);
    await use.click();
    await page.locator('meta[name=version]').waitFor({ state: 'attached' });
    expect(await isNew(other)).toBe(0);
    await allSent(page);
    expect(store.logs.list()).toMatchObject([{ id: 1 }, { painBefore: 5, painAfter: 3 }]);
    await other.bringToFront();
    await other.getByRole('button', { name: 'Use it' }).click();
    await other.locator('meta[name=version]').waitFor({ state: 'attached' });
  });

  test('a new version that is being installed while the page opens is offered, too', async () => {
    const { url } = await service();
    const { open, context } = await bare();
    await context.addInitScript(`
      const worker = new EventTarget();
      const registered = Object.assign(new EventTarget(), { installing: worker, waiting: null });
      const known = async () => registered;
      const workers = { controller: {}, register: known, getRegistration: known };
      Object.defineProperty(navigator, 'serviceWorker', { value: Object.assign(new EventTarget(), workers) });
      window.arrive = () => {
        registered.waiting = {};
        worker.dispatchEvent(new Event('statechange'));
      }`);
    const page = await open(url);
    await beNora(page);
    await page.getByRole('button', { name: session.exerciseName }).waitFor();
    await page.evaluate('window.arrive()');
    await page.getByRole('button', { name: 'Use it' }).waitFor();
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
    await page.locator('p:focus').getByText('Saved: 4 → 3').waitFor();
  });
});
