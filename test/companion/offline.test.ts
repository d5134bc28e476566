import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { nora, session } from '../helpers.ts';
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

inBrowser((phone, bare) => {
  /** Waits for a text without the pauses between two tries of the page, whose clock is installed. */
  const inPauses = (page: Page, text: string) =>
    expect
      .poll(async () => {
        await page.clock.fastForward(2_000);
        return page.getByText(text).isVisible();
      })
      .toBe(true);

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
    await page.getByRole('link', { name: 'Diary' }).click();
    await page.getByRole('button', { name: 'Bring back' }).click();
    await expect.poll(() => store.logs.count()).toBe(2);
  });

  test('the first failure after the network is back is tried again soon, however many tries failed before', async () => {
    const { store, context, page } = await pageOfNora(bare);
    await page.clock.install();
    let failed = 0;
    await context.route('**/me', (route) => {
      failed++;
      return route.abort();
    });
    await record(page, 5, 4);
    for (let tries = 1; tries <= 6; tries++) {
      await expect.poll(() => failed).toBeGreaterThanOrEqual(tries);
      await page.evaluate("dispatchEvent(new Event('online'))");
    }
    await page.getByText('The computer is not reached').waitFor();
    await context.unroute('**/me');
    await page.clock.fastForward(2_000);
    // Less than the longest pause.
    await expect.poll(() => store.logs.count(), { timeout: 30_000 }).toBe(2);
  });

  test('an edit that meets another of the same field asks, one of another field does not', async () => {
    const { store, context, page } = await pageOfNora(bare);
    await context.setOffline(true);
    await inDiary(page);
    await page.getByLabel('Notes').fill('two tablets');
    await page.getByRole('button', { name: 'Pain after 1', exact: true }).click();
    await page.getByText('1 not sent yet').waitFor();
    store.logs.update(1, { date: '2026-02-28' });
    await context.setOffline(false);
    await expect.poll(() => store.logs.get(1)).toMatchObject({ painAfter: 1, date: '2026-02-28' });
    await page.getByText('1 not sent yet').waitFor({ state: 'detached' });
    await expect.poll(() => page.getByLabel('Day').inputValue()).toBe('2026-02-28');
    await context.setOffline(true);
    await page.getByLabel('Notes').fill('three tablets');
    await page.getByRole('heading', { name: 'Diary' }).click();
    await page.getByText('1 not sent yet').waitFor();
    store.logs.update(1, { notes: 'none' });
    await context.setOffline(false);
    await page.getByText('notes: three tablets here, none there').waitFor();
    await page.getByRole('button', { name: 'Save what is here' }).click();
    await expect.poll(() => store.logs.get(1)?.notes).toBe('three tablets');
    // A field that neither had before.
    await allSent(page);
    await context.setOffline(true);
    await page.getByLabel('Medication').fill('ibuprofen 400');
    await page.getByRole('heading', { name: 'Diary' }).click();
    await page.getByText('1 not sent yet').waitFor();
    store.logs.update(1, { medication: 'paracetamol' });
    await context.setOffline(false);
    await page.getByText('medication: ibuprofen 400 here, paracetamol there').waitFor();
    const keep = page.getByRole('button', { name: 'Keep what is there' });
    // Who is in a field before that is noted stays there.
    await keep.waitFor();
    await page.evaluate(
      "document.querySelector('[aria-label=\"Not saved\"] button:last-child').click(); document.querySelector('textarea').focus()",
    );
    await keep.waitFor({ state: 'detached' });
    await expect.poll(() => page.getByLabel('Medication').inputValue()).toBe('paracetamol');
    expect(await page.evaluate('document.activeElement.tagName')).toBe('TEXTAREA');
    for (const field of ['Medication', 'Notes']) await page.getByLabel(field).fill('');
    await page.getByRole('heading', { name: 'Diary' }).click();
    const words = () => [store.logs.get(1).medication, store.logs.get(1).notes];
    await expect.poll(words).toEqual([undefined, '']);
  });

  test('notes are not lost while they are typed: the day is changed elsewhere, or what waited is sent', async () => {
    const { store, url } = await service();
    store.logs.create({ ...session, exerciseName: 'Bird Dog' });
    const { open, context } = await bare();
    const page = await open(url);
    await beNora(page);
    await inDiary(page);
    const notes = page.getByLabel('Notes');
    await notes.pressSequentially('two');
    store.logs.update(1, { date: '2026-02-28' });
    await expect.poll(() => page.getByLabel('Day').inputValue()).toBe('2026-02-28');
    // The card stays where it is, and so does the caret.
    await page.keyboard.type(' tablets');
    await page.getByRole('heading', { name: 'Diary' }).click();
    await expect.poll(() => store.logs.get(1)).toMatchObject({ date: '2026-02-28', notes: 'two tablets' });
    await page.getByRole('link', { name: 'Today' }).click();
    await context.setOffline(true);
    await record(page, 8, 7);
    await page.getByRole('link', { name: 'Diary' }).click();
    await page.getByRole('button', { name: '8 → 7' }).click();
    await notes.pressSequentially('three');
    await context.setOffline(false);
    await expect.poll(() => store.logs.count()).toBe(3);
    await allSent(page);
    // Nothing waits for a pause from now on.
    await page.evaluate(
      `const { setTimeout } = window; window.setTimeout = (work, ms) => (ms === 500 ? 0 : setTimeout(work, ms));`,
    );
    await page.keyboard.type(' tablets');
    await page.getByRole('heading', { name: 'Diary' }).click();
    await expect.poll(() => store.logs.get(3).notes).toBe('three tablets');
    // Back to the view before, with no click anywhere that would end the typing.
    await notes.pressSequentially(' and');
    await page.goBack();
    await page.getByRole('heading', { name: 'Today' }).waitFor();
    await expect.poll(() => store.logs.get(3).notes).toBe('three tablets and');
    // In the same moment as the last letter.
    await page.getByRole('link', { name: 'Diary' }).click();
    await page.getByRole('button', { name: '8 → 7' }).click();
    await notes.focus();
    await page.evaluate(`
      document.activeElement.value = 'three tablets and water';
      document.activeElement.dispatchEvent(new Event('input', { bubbles: true }));
      location.hash = '#today';
    `);

    await page.getByRole('heading', { name: 'Today' }).waitFor();
    await expect.poll(() => store.logs.get(3).notes).toBe('three tablets and water');
  });

  test.each([
    ['a day ahead', 1],
    ['a day behind', -1],
    ['five years ahead', 5 * 365],
    ['five years behind', -5 * 365],
  ])('a clock that is %s loses and doubles nothing, and is told of', async (_, days) => {
    const world = await service({ auth: true });
    const { open, context } = await bare({ timezoneId });
    const wrong = new Date(Date.now() + days * 24 * 60 * 60 * 1000);
    await context.clock.setFixedTime(wrong);
    let lost = 0;
    await context.route('**/userExerciseLogs', async (route) => {
      if (route.request().method() !== 'POST' || lost++ > 0) return route.continue();
      await route.fetch();
      return route.abort();
    });
    const page = await open(world.link());
    await page.getByText('The clocks of this phone and of the computer differ.').waitFor();
    world.backUp();
    await record(page, 6, 4);
    await expect.poll(() => lost).toBe(1);
    await page.evaluate("dispatchEvent(new Event('online'))");
    await allSent(page);
    // The day is the one that the phone shows to the person.
    const day = dayThere(wrong);
    await expect.poll(() => world.store.logs.list()).toMatchObject([{ id: 1 }, { date: day, painAfter: 4 }]);
    // What was answered is kept by the clock of the service, and comes back after a restore.
    await world.restore();
    await page.reload();
    await expect.poll(() => world.store.logs.list().map(({ date }) => date)).toEqual([session.date, day]);
    await context.clock.setFixedTime(new Date());
    await page.reload();
    await page.getByRole('heading', { name: 'Today' }).waitFor();
    await record(page, 3, 2);
    await allSent(page);
    expect(await page.getByText('The clocks of this phone').count()).toBe(0);
    expect(world.store.logs.count()).toBe(3);
    expect(world.store.logs.list().at(-1)).toMatchObject({
      date: dayThere(new Date()),
      painAfter: 2,
    });
  });

  test('a store that the browser has emptied is told of, with what is lost, and nothing is doubled', async () => {
    const { store, url, link } = await service({ auth: true });
    const { open, context } = await bare();
    const empty = async () => {
      const other = await open(`${url}licences.txt`);
      await other.evaluate(
        "new Promise((done, failed) => { const asked = indexedDB.deleteDatabase('sciatica'); asked.onsuccess = done; asked.onblocked = failed; })",
      );
      await other.close();
    };
    const page = await open(link());
    await record(page, 6, 4);
    await allSent(page);
    await page.getByRole('button', { name: 'Done' }).click();
    await context.setOffline(true);
    await record(page, 5, 3);
    await page.getByText('1 not sent yet').waitFor();
    await page.close();
    await context.setOffline(false);
    await empty();
    const again = await open(url);
    await again.getByText('what was not sent yet (1) is lost').waitFor();
    await again.getByRole('heading', { name: 'Pair this phone' }).waitFor();
    await again.close();
    // Until it is paired again.
    const paired = await open(link());
    await paired.getByRole('heading', { name: 'Today' }).waitFor();
    await record(paired, 2, 1);
    await allSent(paired);
    expect(store.logs.list().map(({ painAfter }) => painAfter)).toEqual([session.painAfter, 4, 1]);
    await paired.getByRole('link', { name: 'Diary' }).click();
    await paired.getByText('3 entries').waitFor();
    await paired.close();
    await empty();
    const third = await open(url);
    await third.getByText('and nothing is lost').waitFor();
    // A phone that forgot on purpose says nothing of it.
    const last = await open(link());
    await last.getByRole('link', { name: 'More' }).click();
    await last.getByRole('button', { name: 'Forget this phone' }).click();
    await last.getByRole('button', { name: 'Forget', exact: true }).click();
    await last.getByRole('heading', { name: 'Pair this phone' }).waitFor();
    await last.reload();
    await last.getByRole('heading', { name: 'Pair this phone' }).waitFor();
    expect(await last.getByText('has emptied').count()).toBe(0);
    expect(store.logs.count()).toBe(3);
  });

  test('pairs by the link, records on while it is revoked, is paired again, and forgets an erased person', async () => {
    const { store, url, link } = await service({ auth: true });
    const { open, context } = await phone();
    const page = await open(link());
    await page.getByRole('heading', { name: 'Today' }).waitFor();
    expect(page.url()).toBe(`${url}#today`);
    await page.getByRole('button', { name: session.exerciseName }).waitFor();
    store.tokens.revoke('Linux');
    // An idle stream learns of it with its next heartbeat; somebody who looks, at once.
    await page.evaluate("dispatchEvent(new Event('online'))");
    await page.getByText('This phone was unpaired at the computer.').waitFor();
    await record(page, 5, 5);
    expect([store.logs.count(), await page.getByText('1 not sent yet').isVisible()]).toEqual([1, true]);
    await page.close();
    const paired = await open(link());
    await expect.poll(() => store.logs.count()).toBe(2);
    await allSent(paired);
    await paired.clock.install();
    store.erase(1);
    // The stream ends, and the page tries again after a pause.
    await inPauses(paired, 'The diary was erased at the computer.');
    expect(await stored(paired)).not.toContain(session.exerciseName);
    await paired.reload();
    await paired.getByText('The diary was erased at the computer.').waitFor();
    expect(await paired.getByText('has emptied').count()).toBe(0);
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

  test('a code that did not arrive is sent again; what refuses without a reason ends no pairing, and hides no erasure', async () => {
    const { store, link } = await service({ auth: true });
    const { open, context } = await bare();
    let asked = 0;
    let tries = 0;
    await context.route('**/pair', (route) => (tries++ === 0 ? route.abort() : route.continue()));
    await context.route('**/me', (route) =>
      asked++ === 0 ? route.fulfill({ status: 401, body: 'Who are you?' }) : route.continue(),
    );
    // The answer to HEAD has no body.
    await context.route('**/changes', (route) => {
      if (route.request().method() === 'HEAD') store.erase(1);
      return route.continue();
    });
    await context.clock.install();
    const page = await open(link());
    await page.getByText('The computer is not reached.').waitFor();
    await page.getByRole('button', { name: 'Pair' }).click();
    await inPauses(page, 'The diary was erased at the computer.');
    expect(asked).toBeGreaterThan(2);
    expect(await stored(page)).not.toContain(nora.firstName);
  });

  test('a request that is never answered ends with the network, and delays nothing once there is one', async () => {
    const { store, context, page } = await pageOfNora(bare);
    // It would end after a minute.
    await page.evaluate('AbortSignal.timeout = () => new AbortController().signal');
    let isLost = false;
    await context.route('**/userExerciseLogs', (route) => {
      if (isLost) return route.continue();
      // Nobody answers.
      isLost = true;
    });
    await record(page, 6, 4);
    await expect.poll(() => isLost).toBe(true);
    for (const event of ['offline', 'online']) await page.evaluate(`dispatchEvent(new Event('${event}'))`);
    await expect.poll(() => store.logs.count()).toBe(2);
    await allSent(page);
  });

  test('what is read while this phone is forgotten is forgotten, too', async () => {
    const { store, link } = await service({ auth: true });
    const ole = store.users.create({ ...nora, firstName: 'Ole' });
    const { open, context } = await bare();
    let release = () => {};
    const forgotten = new Promise<void>((done) => {
      release = done;
    });
    const reading = new Promise<void>((asked) =>
      context.route('**/users/1/painEntries?*', async (route) => {
        const response = await route.fetch();
        asked();
        await forgotten;
        await route.fulfill({ response });
      }),
    );
    const page = await open(link());
    await page.getByRole('link', { name: 'More' }).click();
    await reading;
    await page.getByRole('button', { name: 'Forget this phone' }).click();
    await page.getByRole('button', { name: 'Forget', exact: true }).click();
    await page.getByRole('heading', { name: 'Pair this phone' }).waitFor();
    release();
    // Until the last lists are read, and would be kept.
    await page.evaluate("navigator.locks.request('sciatica-sync', () => {})");
    expect(await stored(page)).not.toContain('sciatica_');
    // Nor does it come to light when the phone is somebody else's.
    const { code } = store.tokens.pairing.open(ole.id, 86_400_000);
    await page.getByLabel('Link, code or token').fill(code);
    await page.getByRole('button', { name: 'Pair' }).click();
    await page.getByRole('button', { name: 'How is it today? 3', exact: true }).click();
    await allSent(page);
    await page.getByRole('link', { name: 'Diary' }).click();
    await page.getByText('1 entry').waitFor();
    expect(await stored(page)).toContain('Ole');
    expect(await stored(page)).not.toContain(session.exerciseName);
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
    const fill =
      "window.put ??= IDBObjectStore.prototype.put; IDBObjectStore.prototype.put = () => { throw new DOMException('full', 'QuotaExceededError'); }";
    await second.evaluate(fill);
    await second.getByRole('button', { name: session.exerciseName }).first().click();
    await second.getByRole('button', { name: 'Pain before 2', exact: true }).click();
    await second.getByRole('button', { name: 'Pain after 2', exact: true }).click();
    await second.getByText('Not saved. This phone has no room left').waitFor();
    await second.evaluate('IDBObjectStore.prototype.put = window.put');
    await second.getByRole('button', { name: 'Pain after 2', exact: true }).click();
    await second.getByText('Saved: 2 → 2').waitFor();
    await expect.poll(() => store.logs.count()).toBe(3);
    // What is typed is tried again when the page is put away.
    await second.evaluate(fill);
    await second.getByLabel('Notes').fill('written');
    await second.getByRole('heading', { name: 'Today' }).click();
    await second.getByText('Not saved. This phone has no room left').waitFor();
    expect(await second.getByLabel('Notes').inputValue()).toBe('written');
    await second.evaluate(
      "IDBObjectStore.prototype.put = window.put; document.dispatchEvent(new Event('visibilitychange'))",
    );
    await expect.poll(() => store.logs.get(3).notes).toBe('written');
  });
});
