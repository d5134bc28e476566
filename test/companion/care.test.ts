import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { trialFields } from '../../src/domain/trial.ts';
import { nora, session } from '../helpers.ts';
import { exampleOf } from '../samples.ts';
import {
  allSent,
  beNora,
  dayThere,
  inBrowser,
  inDiary,
  pageOfNora,
  record,
  service,
  stored,
  timezoneId,
} from './phone.ts';

inBrowser((_, bare) => {
  const asksAgain = "dispatchEvent(new Event('online'))";
  /** Nothing where the focus is nowhere. */
  const focused = "document.activeElement.matches('body') ? '' : document.activeElement.textContent";
  /** Two taps, the second before anything is drawn. */
  const twice = (page: Page, name: string) =>
    page.getByRole('button', { name, exact: true }).evaluate((button: { click(): void }) => {
      button.click();
      button.click();
    });

  test('what was refused stays until it is noted anew, and what is brought back by two taps is there once', async () => {
    const { store, url } = await service();
    const { open, context } = await bare();
    const page = await open(url);
    await beNora(page);
    await inDiary(page);
    await context.setOffline(true);
    await page.getByLabel('Notes').fill('mine');
    await page.getByRole('heading', { name: 'Diary' }).click();
    await page.getByText('1 not sent yet').waitFor();
    store.logs.update(1, { notes: 'theirs' });
    await context.setOffline(false);
    await page.getByText('notes: mine here, theirs there').waitFor();
    // A screen reader says so.
    expect(await page.locator('[aria-live] [aria-label="Not saved"]').count()).toBe(1);
    for (const [fault, said] of [
      ['QuotaExceededError', 'no room left'],
      ['UnknownError', 'could not store it'],
    ]) {
      await page.evaluate(
        `window.put ??= IDBObjectStore.prototype.put; IDBObjectStore.prototype.put = function (value, key) {
          if (key === 'waiting') throw new DOMException('', '${fault}');
          return window.put.call(this, value, key); }`,
      );
      await page.getByRole('button', { name: 'Save what is here' }).click();
      await page
        .getByRole('alert')
        .getByText(`Not saved. This`)
        .getByText(said ?? '')
        .waitFor();
    }
    await page.evaluate('IDBObjectStore.prototype.put = window.put');
    await page.getByRole('button', { name: 'Save what is here' }).click();
    await expect.poll(() => store.logs.get(1).notes).toBe('mine');
    await expect.poll(() => page.evaluate(focused)).toBe('Diary');
    await allSent(page);
    await page.getByRole('link', { name: 'Today' }).click();
    await context.setOffline(true);
    await page.getByRole('button', { name: session.exerciseName }).first().click();
    await page.getByRole('button', { name: 'Pain before 5', exact: true }).click();
    await twice(page, 'Pain after 3');
    await page.getByText('Saved: 5 → 3').waitFor();
    await page.getByRole('link', { name: 'Diary' }).click();
    await page.getByRole('button', { name: '5 → 3' }).click();
    await twice(page, 'Delete');
    await twice(page, 'Bring back');
    await page.getByText('2 entries').waitFor();
    await expect.poll(() => page.evaluate(focused)).toBe('Diary');
    await context.setOffline(false);
    await allSent(page);
    expect(store.logs.count()).toBe(2);
    // What is read while a browser empties the store is aborted, and read again.
    await page.evaluate(
      `const { getAll } = IDBObjectStore.prototype; window.aborted = 0;
       IDBObjectStore.prototype.getAll = function () {
         const asked = getAll.call(this); if (window.aborted++ < 3) this.transaction.abort(); return asked; };
       ${asksAgain}; new BroadcastChannel('sciatica').postMessage({});`,
    );
    await expect
      .poll(async () => {
        await page.evaluate(asksAgain);
        return page.evaluate('window.aborted');
      })
      .toBeGreaterThan(3);
    await expect.poll(() => page.getByText('could not store').count()).toBe(0);
  });

  test('what was saved can be taken back for ten seconds, however soon after another', async () => {
    const { url } = await service();
    const { open, context } = await bare();
    await context.clock.install();
    const page = await open(url);
    await beNora(page);
    // The first one brings its card among those of the last days.
    for (const after of [3, 4]) {
      await record(page, 5, after);
      await page.getByRole('button', { name: 'Done' }).click();
    }
    const back = page.getByRole('button', { name: 'Take back' });
    const pain = (level: number) =>
      page.getByRole('button', { name: `How is it today? ${level}`, exact: true }).click();
    await pain(3);
    await back.click();
    await context.clock.runFor(7_000);
    await pain(2);
    await record(page, 6, 5);
    await expect.poll(() => back.count()).toBe(2);
    // What a timer has said is drawn with the next turn.
    for (const ms of [5_000, 100]) await context.clock.runFor(ms);
    expect(await back.count()).toBe(2);
    await context.clock.runFor(6_000);
    await expect.poll(() => back.count()).toBe(0);
  });

  test('of two quick taps the second takes nothing back, and records nothing', async () => {
    const { store, url } = await service();
    const { open } = await bare({ hasTouch: true, viewport: { width: 667, height: 375 } });
    const page = await open(url);
    await beNora(page);
    const pains = store.of('painEntry');
    /** The second where the first was, once something else is there. */
    const tapTwice = async (button: Locator) => {
      await button.scrollIntoViewIfNeeded();
      const { x, y, width, height } = (await button.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
      const tap = () => page.touchscreen.tap(x + width / 2, y + height / 2);
      await tap();
      await button.waitFor({ state: 'detached' });
      await tap();
    };
    const two = page.getByRole('button', { name: 'How is it today? 2', exact: true });
    const takeBack = page.getByRole('button', { name: 'Take back' });
    await tapTwice(two);
    // Waits until it can be pressed.
    await takeBack.click({ trial: true });
    await allSent(page);
    expect(pains.count()).toBe(1);
    await tapTwice(takeBack);
    await two.click({ trial: true });
    await allSent(page);
    expect(pains.count()).toBe(0);
    await page.getByRole('button', { name: session.exerciseName }).tap();
    await page.getByRole('button', { name: 'Pain before 8', exact: true }).tap();
    await tapTwice(page.getByRole('button', { name: 'Pain after 3', exact: true }));
    await takeBack.click({ trial: true });
    await allSent(page);
    expect(store.logs.count()).toBe(2);
  });

  test('when to get help stays to be read after a severe pain', async () => {
    const { store, url } = await service();
    const { open, context } = await bare({ timezoneId });
    await context.clock.install();
    const page = await open(url);
    await beNora(page);
    await twice(page, 'How is it today? 9');
    await page.getByText('Call an ambulance').waitFor();
    await context.clock.runFor(11_000);
    await page
      .locator('#pain:focus')
      .getByRole('button', { name: 'How is it today? 2', exact: true })
      .waitFor();
    expect(await page.getByText('Call an ambulance').count()).toBe(1);
    await page.getByRole('button', { name: 'How is it today? 2', exact: true }).click();
    await page.getByText('Saved: 2').waitFor();
    expect(await page.getByText('Call an ambulance').count()).toBe(0);
    // Who is somewhere else by now stays there.
    await page.getByLabel('Type').focus();
    await context.clock.runFor(11_000);
    await page.getByRole('button', { name: 'How is it today? 2', exact: true }).waitFor();
    expect(await page.evaluate('document.activeElement.tagName')).toBe('SELECT');
    const date = dayThere(new Date());
    await expect
      .poll(() => store.of('painEntry').list())
      .toMatchObject([
        { date, pain: 9 },
        { date, pain: 2 },
      ]);
  });

  test('who is not asked whose diary it is, because nobody could be read, tries again', async () => {
    const { url } = await service();
    const { open, context } = await bare();
    let answer: 'nothing' | 'nobody' | undefined = 'nothing';
    await context.route('**/users?*', (route) =>
      answer === 'nothing'
        ? route.abort()
        : answer === 'nobody'
          ? route.fulfill({ json: [] })
          : route.continue(),
    );
    await context.addInitScript("localStorage.setItem('notebook', '2')");
    const page = await open(url);
    await page.getByText('The computer is not reached.').waitFor();
    await page.getByText('what was not sent yet (2) is lost').waitFor();
    answer = 'nobody';
    await page.getByRole('button', { name: 'Try now' }).click();
    await page.getByText('There is nobody yet.').waitFor();
    await page.getByText('The computer is not reached.').waitFor({ state: 'detached' });
    // Somebody was added.
    answer = undefined;
    await page.evaluate(asksAgain);
    await beNora(page);
    await page.getByRole('heading', { name: 'Today' }).waitFor();
  });

  test('a trial that is read while the phone becomes somebody else’s is not shown', async () => {
    const { store, url } = await service();
    store.users.create({ ...nora, firstName: 'Ole' });
    const start = new Date().toLocaleDateString('sv');
    store.of('trial').create({ ...exampleOf(trialFields), userId: 1, start, state: 'running' });
    const { open, context } = await bare();
    const reading = new Promise<() => void>((asked) =>
      context.route('**/status?*', (route) => asked(() => void route.continue())),
    );
    // What is read next would hide it.
    await context.route('**/trials?userId=2*', (route) => route.abort());
    const page = await open(url);
    await beNora(page);
    const goOn = await reading;
    await page.getByRole('link', { name: 'More' }).click();
    await page.getByRole('button', { name: 'Forget this phone' }).click();
    await page.getByRole('button', { name: 'Forget', exact: true }).click();
    await page.getByRole('button', { name: 'Ole' }).click();
    await page.getByRole('link', { name: 'Today' }).click();
    const answered = page.waitForResponse('**/status?*');
    goOn();
    await answered;
    await page.getByRole('button', { name: 'How is it today? 3', exact: true }).click();
    await page.getByText('Saved: 3').waitFor();
    expect(await page.getByText('Trial, day').count()).toBe(0);
  });

  test('a service that begins to ask for tokens, or ends to, is told of and goes on', async () => {
    const options = { auth: false };
    const world = await service(options);
    const { open } = await bare();
    const page = await open(world.url);
    await beNora(page);
    const restart = async (auth: boolean) => {
      options.auth = auth;
      await world.stop();
      await world.startAgain();
    };
    /** Whether the page says something soon. It is told again and again: while it asks already, that counts for nothing. */
    const says = (text: string, isSaid: boolean) =>
      expect
        .poll(async () => {
          await page.evaluate(asksAgain);
          return page.getByText(text).isVisible();
        })
        .toBe(isSaid);
    const refused = 'This phone is not paired. What you record stays';
    await restart(true);
    await says(refused, true);
    await restart(false);
    await says(refused, false);
    await restart(true);
    await says(refused, true);
    await page.getByRole('link', { name: 'Pair again' }).click();
    await page.getByLabel('Link, code or token').fill(world.link());
    await page.getByRole('button', { name: 'Pair' }).click();
    await record(page, 5, 4);
    await expect.poll(() => world.store.logs.count()).toBe(2);
    await allSent(page);
    await page.getByRole('button', { name: 'Done' }).click();
    world.store.users.create({ ...nora, firstName: 'Ole' });
    await restart(false);
    await page.getByRole('link', { name: 'More' }).click();
    await page.getByRole('link', { name: 'Today' }).click();
    await says('The computer is not reached', false);
    await record(page, 3, 2);
    await expect.poll(() => world.store.logs.list({ userId: 1 }).length).toBe(3);
  });

  test('a token that is not one takes the place of none, and a phone that is not paired lets the processor sleep', async () => {
    const { store, link } = await service({ auth: true });
    const { open, context } = await bare();
    await context.addInitScript(
      'const { request } = LockManager.prototype; window.asked = 0; LockManager.prototype.request = function (...all) { window.asked++; return request.apply(this, all); }',
    );
    await context.clock.install();
    const page = await open(link());
    await page.getByRole('heading', { name: 'Today' }).waitFor();
    await page.evaluate("location.hash = '#pair'");
    await page.getByLabel('Link, code or token').fill('sciatica_wrong');
    await page.getByRole('button', { name: 'Pair' }).click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('heading', { name: 'Pair this phone' }).count()).toBe(1);
    await page.evaluate("location.hash = '#today'");
    await record(page, 5, 4);
    await expect.poll(() => store.logs.count()).toBe(2);
    store.tokens.revoke('Linux');
    await page.evaluate(asksAgain);
    await page.getByText('This phone was unpaired at the computer.').waitFor();
    // The stream ends with the next change: what came before that is over.
    store.logs.update(1, { notes: 'later' });
    const locks = 'navigator.locks.query().then(({ held, pending }) => held.length + pending.length)';
    await expect.poll(() => page.evaluate(locks)).toBe(0);
    await page.clock.runFor(3_000);
    await page.evaluate('window.asked = 0');
    await page.clock.runFor(60_000);
    expect(await page.evaluate('window.asked')).toBe(0);
  });

  test.each<[string, (store: Awaited<ReturnType<typeof service>>['store']) => unknown]>([
    ['was deleted', (store) => store.users.delete(1)],
    ['was merged', async (store) => (await store.replication()).mergeUsers(1, 2, Date.now())],
  ])('says that the person %s at the computer, where the diary would be empty', async (_, end) => {
    const { store, link } = await service({ auth: true });
    store.users.create(nora);
    const { open } = await bare();
    const page = await open(link());
    await page.getByRole('button', { name: session.exerciseName }).waitFor();
    const said = page.getByText('deleted at the computer, or merged into another');
    expect(await said.count()).toBe(0);
    await end(store);
    await page.evaluate(asksAgain);
    await said.waitFor();
  });

  test('goes on where the browser has closed the store under it', async () => {
    const { store, url } = await service();
    const { open, context } = await bare();
    const page = await open(url);
    await beNora(page);
    await page.getByRole('button', { name: session.exerciseName }).click();
    await page.getByRole('button', { name: 'Pain before 6', exact: true }).click();
    const devtools = await context.newCDPSession(page);
    const origin = new URL(url).origin;
    // A connection of later hears of it after that of the page.
    await page.evaluate(
      `new Promise((opened) => { indexedDB.open('sciatica').onsuccess = ({ target: { result } }) => {
        window.ended = new Promise((ended) => { result.onclose = () => ended(); });
        opened(); }; })`,
    );
    await devtools.send('Storage.clearDataForOrigin', { origin, storageTypes: 'indexeddb' });
    await page.evaluate('window.ended');
    await page.getByRole('button', { name: 'Pain after 5', exact: true }).click();
    await beNora(page);
    await expect.poll(() => store.logs.list()).toMatchObject([{ id: 1 }, { painBefore: 6, painAfter: 5 }]);
  });

  test('what the service worker has read leaves an open card what it is', async () => {
    const { store, url } = await service();
    const { open } = await bare();
    const page = await open(url);
    await beNora(page);
    await record(page, 6, 4);
    await allSent(page);
    const log = Object.fromEntries(store.logs.list().map((one) => [one.id, one]));
    const told = { since: store.history.last(), records: { log }, answered: [] };
    await page.evaluate(`new BroadcastChannel('sciatica').postMessage(${JSON.stringify(told)})`);
    await page.waitForTimeout(300);
    await page.getByRole('button', { name: 'Take back' }).click();
    await expect.poll(() => store.logs.count()).toBe(1);
  });

  test('the focus goes to what has come, and a day that is typed is saved when it is whole', async () => {
    const { store, url } = await service();
    const { open, context } = await bare();
    // As on an iPhone of 2017.
    await context.addInitScript('delete Map.groupBy');
    const page = await open(url);
    await beNora(page);
    await record(page, 5, 4);
    await page.getByRole('button', { name: 'Take back' }).click();
    await expect.poll(() => store.logs.count()).toBe(1);
    await expect.poll(() => page.evaluate(focused)).toBe(session.exerciseName);
    await page.getByRole('button', { name: 'How is it today? 4', exact: true }).click();
    await page.getByRole('button', { name: 'Take back' }).click();
    await page.locator('#pain:focus').waitFor();
    await page.getByLabel('Type').selectOption('strengthening');
    await page.getByRole('textbox', { name: 'Another exercise' }).fill(' Bird Dog ');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate(focused)).toContain('Bird Dog');
    for (const name of ['Pain before 5', 'Pain after 5'])
      await page.getByRole('button', { name, exact: true }).click();
    // Until it is done, nothing moves: the exercise comes to no other place.
    await page.getByText('Saved: 5 → 5').waitFor();
    expect(await page.getByRole('button', { name: 'Bird Dog' }).count()).toBe(1);
    await page.getByRole('button', { name: 'Done', exact: true }).click();
    const another = { exerciseName: 'Bird Dog', exerciseType: 'strengthening', effective: false };
    await expect.poll(() => store.logs.list()[1]).toMatchObject(another);
    await page.getByLabel('Type').waitFor();
    await expect.poll(() => page.evaluate(focused)).toContain('Another exercise');
    await page.getByRole('region', { name: 'days' }).getByText('Bird Dog').waitFor();
    await inDiary(page);
    await page.getByLabel('Day').focus();
    await page.keyboard.type('02152026', { delay: 30 });
    await expect.poll(() => store.logs.get(1).date).toBe('2026-02-15');
    await allSent(page);
    // A year that is typed begins as another one, which is not saved.
    const days = store.history.list({ log: 1 }).map(({ after }) => (after as typeof session).date);
    expect(days.filter((day) => day < '2026')).toEqual([]);
    expect(await page.getByText('Not saved').count()).toBe(0);
    await page.getByRole('button', { name: 'Delete' }).click();
    await expect.poll(() => page.evaluate(focused)).toContain('Bring back');
    await page.getByRole('link', { name: 'More' }).click();
    await page.getByRole('button', { name: 'Forget this phone' }).click();
    await expect.poll(() => page.evaluate(focused)).toContain('Forget everything on this phone?');
    await page.getByRole('button', { name: 'Keep' }).click();
    await expect.poll(() => page.evaluate(focused)).toBe('Forget this phone');
  });

  test('a tab that asks for a new token after another has one does not end that', async () => {
    const { store, url, link } = await service({ auth: true });
    const { open } = await bare();
    const page = await open(link());
    await page.getByRole('button', { name: session.exerciseName }).waitFor();
    const other = await open(url);
    await other.getByRole('button', { name: session.exerciseName }).waitFor();
    const asks = async (one: Page, held: Promise<unknown>) => {
      const expiresAt = new Date(Date.now() + 60_000).toISOString();
      const due = { createdAt: '2026-01-01T00:00:00.000Z', expiresAt };
      const isAsked = new Promise((done) =>
        one.route(
          '**/me',
          async (route) => {
            const response = await route.fetch();
            done(undefined);
            await held;
            await route.fulfill({ response, json: { ...(await response.json()), ...due } });
          },
          { times: 1 },
        ),
      );
      await one.evaluate(asksAgain);
      await isAsked;
    };
    // Nobody uses the new token for now.
    await other.evaluate(
      `new Promise((got) => void navigator.locks.request('sciatica-sync', () => {
        got(); return new Promise((free) => { window.free = free; }); }))`,
    );
    const before = await stored(page);
    let release = () => {};
    const held = new Promise<void>((done) => {
      release = done;
    });
    await asks(other, held);
    await asks(page, Promise.resolve());
    await expect
      .poll(async () => (await stored(page)).match(/sciatica_[\w-]+/)?.[0])
      .not.toBe(before.match(/sciatica_[\w-]+/)?.[0]);
    release();
    // It is past the renewal when it waits to sync.
    await expect
      .poll(() =>
        other.evaluate(
          `navigator.locks.query().then(({ held, pending }) => {
            const { clientId } = held.find(({ name }) => name === 'sciatica-sync');
            return pending.some((one) => one.name === 'sciatica-sync' && one.clientId === clientId); })`,
        ),
      )
      .toBe(true);
    await other.evaluate('window.free()');
    await page.bringToFront();
    await record(page, 5, 4);
    await expect.poll(() => store.logs.count()).toBe(2);
    await allSent(page);
  });

  test('what was typed up to the last pause outlives the page', async () => {
    const { store, url } = await service();
    const { open } = await bare();
    const page = await open(url);
    await beNora(page);
    await inDiary(page);
    const notes = page.getByLabel('Notes');
    await page.clock.install();
    await notes.pressSequentially('slept badly ');
    await page.clock.fastForward(500);
    await expect.poll(() => store.logs.get(1).notes.trim()).toBe('slept badly');
    // What was typed goes on where it was.
    await page.keyboard.type('again');
    expect(await notes.inputValue()).toBe('slept badly again');
    await page.clock.fastForward(500);
    await expect.poll(() => store.logs.get(1).notes).toBe('slept badly again');
    await page.reload();
    await expect.poll(() => store.logs.get(1).notes).toBe('slept badly again');
  });

  test('what is typed without a pause is saved meanwhile', async () => {
    const { store, page } = await pageOfNora(bare);
    await inDiary(page);
    const notes = page.getByLabel('Notes');
    await notes.focus();
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 1_000);
    const type = async (text: string) => {
      for (const letter of text) {
        await page.keyboard.type(letter);
        await page.clock.runFor(400);
      }
    };
    await type('slept b');
    expect(store.logs.get(1).notes).toBe(session.notes);
    await type('adly');
    await expect.poll(() => store.logs.get(1).notes).toMatch(/^slept b/);
    expect(await notes.inputValue()).toBe('slept badly');
    // What came after that is saved at the next pause.
    await page.clock.runFor(500);
    await expect.poll(() => store.logs.get(1).notes).toBe('slept badly');
  });

  test('whether it helped follows a corrected pain, unless the person said otherwise', async () => {
    const { store, url } = await service();
    const { open } = await bare();
    const page = await open(url);
    await beNora(page);
    await record(page, 6, 4);
    await inDiary(page);
    await page.getByRole('button', { name: 'Pain after 8', exact: true }).click();
    await expect.poll(() => store.logs.get(2)).toMatchObject({ painAfter: 8, effective: false });
    await page.getByLabel('It helped').check();
    await page.getByRole('button', { name: 'Pain after 7', exact: true }).click();
    await expect.poll(() => store.logs.get(2)).toMatchObject({ painAfter: 7, effective: true });
  });

  test('what is ticked stays ticked while it is stored, and not where it could not be', async () => {
    const { store, page } = await pageOfNora(bare);
    await inDiary(page);
    const box = page.getByLabel('It helped');
    expect(await box.isChecked()).toBe(true);
    // The store is busy, and what else changes on the page draws it anew.
    await page.evaluate(
      `new Promise((held) => { const asked = indexedDB.open('sciatica'); asked.onsuccess = () => {
        const store = asked.result.transaction('notebook', 'readwrite').objectStore('notebook');
        const again = () => { if (!window.isFree) store.count().onsuccess = again; held(); };
        again(); }; })`,
    );
    await box.uncheck();
    await page.getByLabel('Day').evaluate((day: EventTarget) => day.dispatchEvent(new Event('input')));
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
    expect(await box.isChecked()).toBe(false);
    // What is typed while what was typed before is stored, too.
    const notes = page.getByLabel('Notes');
    await notes.fill('old');
    await page.getByRole('heading', { name: 'Diary' }).click();
    await notes.fill('old and new');
    await page.evaluate('window.isFree = true');
    await expect
      .poll(() => store.logs.get(1))
      .toMatchObject({ effective: false, notes: expect.stringMatching(/^old/) });
    expect([await box.isChecked(), await notes.inputValue()]).toEqual([false, 'old and new']);
    await page.evaluate(
      "IDBObjectStore.prototype.put = () => { throw new DOMException('', 'UnknownError'); }",
    );
    await box.click();
    await page.getByRole('alert').getByText('Not saved.').waitFor();
    await expect.poll(() => box.isChecked()).toBe(false);
  });

  test('an exercise whose name is written another way is offered as the one that it is', async () => {
    const { store, url } = await service();
    // As it was recorded last.
    for (const exerciseType of ['stretch', 'strengthening'] as const)
      store.logs.create({ ...session, exerciseName: 'Bird dog', exerciseType });
    store.logs.create({ ...session, exerciseName: '\u00c9tirement' });
    const { open } = await bare();
    const page = await open(url);
    await beNora(page);
    const save = async () => {
      for (const name of ['Pain before 5', 'Pain after 4', 'Done'])
        await page.getByRole('button', { name, exact: true }).click();
    };
    const field = page.getByRole('textbox', { name: 'Another exercise' });
    await page.getByRole('button', { name: 'Bird dog', exact: true }).waitFor();
    // A space is no name.
    await field.fill(' ');
    await page.keyboard.press('Enter');
    // Nor is what is longer than the service takes.
    await page.keyboard.insertText('x'.repeat(100));
    expect((await field.inputValue()).length).toBe(100);
    // The type that stands there is that of something else.
    for (const typed of ['BIRD-DOG', 'Birddog ', 'Bird dog']) {
      await field.fill(typed);
      await page.getByText('Bird dog is there already.').waitFor();
      await page.keyboard.press('Enter');
      await save();
      expect(await field.inputValue()).toBe('');
    }
    await field.fill('Bird-dog');
    await page.getByRole('button', { name: 'Record Bird-dog as another' }).click();
    await save();
    const form = page.getByRole('region', { name: 'Another exercise' });
    for (const [typed, buttons] of [
      ['PIRIFORMIS STRETCH', ['Record Piriformis Stretch', 'Record PIRIFORMIS STRETCH as another']],
      ['Bird dogs', ['Record it']],
      // Composed in another way, as by another keyboard.
      ['E\u0301tirement', ['Record \u00c9tirement', 'Record E\u0301tirement as another']],
      ['bird dog', ['Record Bird dog', 'Record bird dog as another']],
      // Of several ways to write it the one that is typed.
      ['Bird-dog', ['Record Bird-dog']],
    ] as const) {
      await field.fill(typed);
      await expect.poll(() => form.getByRole('button').allTextContents()).toEqual(buttons);
      const isThere = buttons[0] !== 'Record it';
      expect(await form.getByText('is there already.').count()).toBe(isThere ? 1 : 0);
    }
    const known = { exerciseName: 'Bird dog', exerciseType: 'strengthening' };
    const another = { exerciseName: 'Bird-dog', exerciseType: 'stretch' };
    await expect
      .poll(() => store.logs.list().slice(4))
      .toMatchObject([{ ...known, painAfter: 4 }, known, known, another]);
  });
});
