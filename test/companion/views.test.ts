import { expect, test } from 'vitest';
import { trialFields } from '../../src/domain/trial.ts';
import { addDays } from '../../src/domain/words/day.ts';
import { nora, session } from '../helpers.ts';
import { exampleOf } from '../samples.ts';
import {
  beNora,
  dayThere,
  inBrowser,
  inDiary,
  timezoneId as otherDay,
  pageOfNora,
  record,
  service,
  stored,
} from './phone.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

inBrowser((_, bare) => {
  const timezoneId = 'America/New_York';
  /** By the calendar there: days are not always 24 hours. */
  const dayAgo = (days: number) => {
    const today = new Date().toLocaleDateString('sv', { timeZone: timezoneId });
    return new Date(Date.parse(today) - days * DAY_MS).toISOString().slice(0, 10);
  };

  test('a search finds notes and keeps what is open; what is not sent yet stands first on its day, and says so', async () => {
    const { store, url } = await service();
    store.logs.update(1, { notes: 'After a walk' });
    for (const exerciseName of ['Bird Dog', 'Cobra'])
      store.logs.create({ ...session, exerciseName, date: dayAgo(0) });
    const { open, context } = await bare({ timezoneId, locale: 'en' });
    const page = await open(url);
    await beNora(page);
    await page.getByRole('link', { name: 'Diary' }).click();
    await page.getByRole('heading', { name: 'Sun, Mar 1, 2026' }).waitFor();
    await page.getByLabel('Search').fill('WALK');
    await page.getByText('1 entry of 3').waitFor();
    await page.getByLabel('Search').fill('');
    await page.getByRole('button', { name: 'Bird Dog' }).click();
    await page.getByLabel('Search').fill('walk');
    await page.getByText('2 entries of 3').waitFor();
    await page.getByRole('button', { name: 'Bird Dog', expanded: true }).click();
    await page.getByRole('button', { name: 'After a walk' }).click();
    await page.getByLabel('Notes').fill('  ');
    await page.getByRole('heading', { name: 'Diary' }).click();
    await expect.poll(() => store.logs.get(1).notes).toBe('');
    // The answer has come too.
    await expect.poll(() => page.getByText('not sent yet').count()).toBe(0);
    await context.setOffline(true);
    await page.getByRole('link', { name: 'Today' }).click();
    await page.getByText('Other exercises (1)').click();
    await record(page, 5, 4);
    await page.getByRole('link', { name: 'Diary' }).click();
    await page.getByText('5 → 4, not sent yet').waitFor();
    const names = await page.locator('section').first().locator('.exercise').allTextContents();
    expect(names.map((name) => name.replace(/ \d.*/, ''))).toEqual([
      session.exerciseName,
      'Cobra',
      'Bird Dog',
    ]);
    // Of the session, and of all.
    await expect.poll(() => page.getByText('not sent yet').count()).toBe(2);
    // The latest first, whether it was sent or not.
    await page.getByRole('link', { name: 'Today' }).click();
    await page.getByRole('button', { name: 'How is it today? 7', exact: true }).click();
    await page.getByRole('link', { name: 'Diary' }).click();
    const first = page.locator('section').first().locator('.exercise').first();
    await expect.poll(() => first.textContent()).toContain('Pain 7');
  });

  test('the figures stand by name and type on a scale that ends, and the course has the pain of each day up to today', async () => {
    const { store, url } = await service();
    store.logs.delete(1);
    const figures = [
      ['stretch', 10, 2],
      ['strengthening', 3, 6],
    ] as const;
    store.change(() => {
      for (let i = 1; i <= 10; i++)
        for (const [exerciseType, painBefore, painAfter] of figures)
          store.logs.create({
            ...session,
            exerciseName: 'Bird Dog',
            date: dayAgo(i),
            exerciseType,
            painBefore,
            painAfter,
          });
      // After today for the service too, where it is another day.
      store.logs.create({
        ...session,
        exerciseName: 'Bird Dog',
        date: dayAgo(-2),
        painBefore: 9,
        painAfter: 9,
      });
      store.of('painEntry').create({ userId: 1, date: dayAgo(1), pain: 2 });
      for (const [ago, timeOfDay, pain] of [
        [12, 'night', 9],
        [12, 'morning', 4],
        [11, undefined, 7],
        [11, undefined, 2],
      ] as const)
        store.of('painEntry').create({ userId: 1, date: dayAgo(ago), pain, ...(timeOfDay && { timeOfDay }) });
    });
    const { open, context } = await bare({ timezoneId, locale: 'en' });
    const page = await open(url);
    await beNora(page);
    await page.getByRole('link', { name: 'What helps' }).click();
    const bars = page.locator('.bar');
    await bars.first().waitFor();
    const seen = await bars.evaluateAll(
      (all: { querySelector(one: string): { textContent: string; getAttribute(name: string): string } }[]) =>
        all.map((bar) => [
          bar.querySelector('.figures').textContent,
          ...['class', 'x', 'width'].map((name) => bar.querySelector('rect').getAttribute(name)),
        ]),
    );
    expect(seen).toEqual([
      ['−8.0 · 10 sessions', 'less', '0', '50'],
      ['+3.0 · 10 sessions', 'more', '50', '30'],
    ]);
    // Of each day what the summary counts: what is done later in the day, after relief, is none of it.
    const read = await fetch(new URL('/users/1/summary', url));
    const { pain } = (await read.json()) as { pain: { months: { days: number; mean: number }[] } };
    expect(pain.months.reduce((sum, { days, mean }) => sum + days * mean, 0)).toBeCloseTo(4 + 7 + 10 * 10, 0);
    const course = page.getByRole('region', { name: 'Pain of the last 90 days' });
    await course.getByRole('heading', { name: 'Pain before or without exercise' }).waitFor();
    const label = await course.locator('svg').getAttribute('aria-label');
    expect(label).toMatch(/on 12 days: 4 on .*, 10 on /);
    await course.getByText('As a table').click();
    expect(await course.locator('td').allTextContents()).toEqual(['4', '7', ...Array(10).fill('10')]);
    const old = page.getByText('what was recorded since is not in them');
    await expect.poll(() => old.count()).toBe(0);
    store.logs.create({
      ...session,
      exerciseName: 'Bird Dog',
      date: dayAgo(1),
      painBefore: 10,
      painAfter: 2,
    });
    await bars.getByText('11 sessions').waitFor();
    await context.setOffline(true);
    await page.evaluate("dispatchEvent(new Event('online'))");
    await old.waitFor();
  });

  test('the figures are those up to the day of the phone, where its clock is right', async () => {
    const { store, url } = await service();
    store.logs.delete(1);
    const there = dayThere(new Date());
    for (const date of [there, addDays(there, 1)]) store.logs.create({ ...session, date });
    const { open } = await bare({ timezoneId: otherDay });
    const page = await open(`${url}#helps`);
    await beNora(page);
    await page.locator('.bar').getByText('1 session').waitFor();
    await page.getByText('1 record is left out').waitFor();
    await page.clock.setFixedTime(Date.now() + 30 * DAY_MS);
    store.logs.create({ ...session, exerciseName: 'Bird Dog', date: addDays(there, -1) });
    await page.evaluate("dispatchEvent(new Event('online'))");
    await page.locator('.bar').getByText('Bird Dog').waitFor();
  });

  test('with pain only, the sentences on pain are there', async () => {
    const { store, url } = await service();
    store.logs.delete(1);
    store.of('painEntry').create({ userId: 1, date: dayAgo(1), pain: 6 });
    const { open } = await bare();
    const page = await open(`${url}#helps`);
    await beNora(page);
    await page.getByText('Pain: 6. ').waitFor();
    expect(await page.getByText('Nothing is recorded yet.').count()).toBe(0);
    store.of('painEntry').delete(1);
    await page.evaluate("dispatchEvent(new Event('online'))");
    await page.getByText('Nothing is recorded yet.').waitFor();
  });

  test('an end of an interval that is not 0 says on which side of it it lies', async () => {
    const { store, url } = await service();
    for (let i = 1; i < 5; i++) store.logs.create({ ...session, date: dayAgo(i) });
    const { open, context } = await bare();
    await context.route('**/summary?*', async (route) => {
      const response = await route.fetch();
      const { exercises, ...others } = await response.json();
      const [found] = exercises as object[];
      const json = { ...others, exercises: [{ ...found, meanChange: -0.03, interval: [-0.04, 0.002] }] };
      return route.fulfill({ response, json });
    });
    const page = await open(url);
    await beNora(page);
    await page.getByRole('link', { name: 'What helps' }).click();
    await page.locator('.figures').getByText('0.0 · 5 sessions', { exact: true }).waitFor();
    const bar = await page.locator('.bar svg').getAttribute('aria-label');
    expect(bar).toBe('Piriformis Stretch: 0.0 points, 95 % interval −0.04 to +0.002');
    await page.getByText('As a table').first().click();
    const row = page.getByRole('row', { name: session.exerciseName }).locator('td');
    expect(await row.allTextContents()).toEqual(['0.0', '−0.04 to +0.002', '5']);
  });

  test('a provider sees how pain was and has changed, and what could not be read', async () => {
    const { store, url } = await service({ auth: true });
    const people = ['Ann', 'Ben'].map((firstName) => store.users.create({ ...nora, firstName }).id);
    const [ann = 0] = people;
    store.change(() => {
      for (let i = 1; i <= 10; i++)
        for (const [ago, painBefore] of [
          [i, 4],
          [i + 16, 6],
        ] as const)
          store.logs.create({ ...session, userId: ann, date: dayAgo(ago), painBefore, painAfter: 4 });
      store.logs.update(1, { date: dayAgo(20), painBefore: 7 });
      const { id: userId } = store.users.create({ ...nora, firstName: 'Cy' });
      for (const [ago, pain] of [
        [1, 9],
        [20, 4],
      ] as const)
        store.of('painEntry').create({ userId, date: dayAgo(ago), pain });
    });
    const { token } = store.tokens.create({ name: 'p', role: 'provider', users: null, lifetime: null });
    const { open, context } = await bare({ timezoneId });
    await context.route('**/overviews', (route) => route.fulfill({ json: [] }), { times: 1 });
    const page = await open(url);
    // As it is pasted.
    await page.getByLabel('Link, code or token').fill(` ${token} `);
    await page.getByRole('button', { name: 'Pair' }).click();
    await page.getByText('There is no patient yet.').waitFor();
    expect(await page.getByText('The most urgent').count()).toBe(0);
    await page.evaluate("dispatchEvent(new Event('online'))");
    await page.getByText('Ben Lind No session yet.').waitFor();
    const lines = await page.locator('.exercise').allTextContents();
    expect(lines.sort()).toEqual([
      expect.stringMatching(/^Ann Lind Pain 4\.0 \(−2\.0\)\. \d+ sessions, the last on/),
      'Ben Lind No session yet.',
      'Cy Lind Red: 1. Pain 9.0 (+5.0). No session yet.',
      expect.stringMatching(/^Nora Lind Pain earlier 7\.0\. /),
    ]);
    const said = page.locator('.said');
    let meanwhile: string | null = null;
    await context.route('**/report?*', async (route) => {
      meanwhile = await said.textContent();
      return route.continue();
    });
    await page.getByRole('button', { name: 'Nora' }).click();
    await page.getByText('In short').waitFor();
    expect([meanwhile, await said.textContent()]).toEqual(['Reading…', '']);
    await page.getByRole('button', { name: 'All patients' }).click();
    await context.setOffline(true);
    await page.getByRole('button', { name: 'Ben' }).click();
    await said.getByText('The computer is not reached. Try again.').waitFor();
    await page.getByRole('button', { name: 'Forget this phone' }).click();
    await page.getByRole('button', { name: 'Forget', exact: true }).click();
    await page.getByRole('heading', { name: 'Pair this phone' }).waitFor();
  });

  test('a provider is told of a patient who is gone, and of a token that was taken back', async () => {
    const { store, url } = await service({ auth: true });
    store.users.create({ ...nora, firstName: 'Ben' });
    const { token } = store.tokens.create({ name: 'p', role: 'provider', users: null, lifetime: null });
    const { open } = await bare();
    const page = await open(url);
    await page.getByLabel('Link, code or token').fill(token);
    await page.getByRole('button', { name: 'Pair' }).click();
    const patient = (name: string) => page.getByRole('button', { name });
    await patient('Ben').waitFor();
    store.users.delete(2);
    await patient('Ben').click();
    await page.getByText('Ben Lind is not among your patients any more.').waitFor();
    await patient('Ben').waitFor({ state: 'detached' });
    store.tokens.revoke('p');
    await patient('Nora').click();
    await page.getByText('This phone was unpaired at the computer. Pair again').waitFor();
    await patient('Nora').waitFor({ state: 'detached' });
    // Nothing is recorded here.
    expect(await page.getByText(/not reached|record/).count()).toBe(0);
  });

  test('what is done often stands first, what is in a routine there only, and the pain of today is that of today', async () => {
    const { store, url } = await service();
    store.logs.delete(1);
    const done = { Rare: [3], Often: [2, 4], Edge: [14], Morning: [1], Gone: [15] };
    store.change(() => {
      for (const [exerciseName, days] of Object.entries(done))
        for (const ago of days) store.logs.create({ ...session, exerciseName, date: dayAgo(ago) });
      const exercises = [{ exerciseName: 'Morning', exerciseType: session.exerciseType }];
      for (const name of ['Before work', 'Late']) store.routines.create({ userId: 1, name, exercises });
      for (const [ago, pain] of [
        [1, 8],
        [0, 3],
      ] as const)
        store.of('painEntry').create({ userId: 1, date: dayAgo(ago), pain });
    });
    const { open } = await bare({ timezoneId });
    const page = await open(url);
    await beNora(page);
    await page.getByText('Today so far: 3', { exact: true }).waitFor();
    const groups = ['Before work', 'The last 14 days'].map((name) => page.getByRole('region', { name }));
    await page.getByText('Other exercises (1)').click();
    const names = [...groups, page.locator('details')].map((group) =>
      group.locator('.exercise').allTextContents(),
    );
    expect(await Promise.all(names)).toEqual([['Morning'], ['Often', 'Edge', 'Rare'], ['Gone']]);
    await page.getByRole('button', { name: 'Morning' }).first().click();
    expect(await page.getByRole('button', { name: 'Morning', expanded: true }).count()).toBe(1);
  });

  test('an exercise that has no session any more, and is in no routine, is not offered', async () => {
    const { store, link } = await service({ auth: true });
    const { open, context } = await bare();
    const page = await open(link());
    const offers = (...names: string[]) =>
      expect.poll(() => page.locator('.exercise').allTextContents()).toEqual(names);
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
    await offers(session.exerciseName);
    store.logs.update(1, { exerciseName: 'Bird Dog' });
    await offers('Bird Dog');
    // What is not sent yet is there as long as it is.
    await context.setOffline(true);
    await page.getByRole('textbox', { name: 'Another exercise' }).fill('Cobra');
    for (const name of ['Record it', 'Pain before 5', 'Pain after 4', 'Done']) await press(name);
    await offers('Cobra', 'Bird Dog');
    await page.getByRole('link', { name: 'Diary' }).click();
    await page.getByRole('button', { name: 'Cobra' }).click();
    await press('Delete');
    await page.getByRole('link', { name: 'Today' }).click();
    await offers('Bird Dog');
    await context.setOffline(false);
    store.logs.delete(1);
    await offers();
    // Nor is it before the records are read.
    await expect.poll(() => stored(page)).not.toContain('Bird Dog');
  });

  test('a trial is at the day of the phone, late at night at the day before', async () => {
    /** Where it is between one and two in the morning. */
    const ahead = ((1 - new Date().getUTCHours() + 33) % 24) - 9;
    const night = `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`;
    for (const zone of [night, otherDay]) {
      const { store, url } = await service();
      const there = new Date().toLocaleDateString('sv', { timeZone: zone });
      const [start, yesterday] = [addDays(there, -2), addDays(there, -1)];
      store.of('trial').create({ ...exampleOf(trialFields), userId: 1, start });
      const { id } = store.of('trialDay').create({ userId: 1, date: yesterday, first: 6, done: true });
      const { open, context } = await bare({ timezoneId: zone });
      const page = await open(url);
      await beNora(page);
      if (zone === night) {
        const drawn = page.getByText('Trial, day 2 of 28');
        await drawn.waitFor();
        // In the morning it is not what is drawn for the new day, of which nothing is known without a network.
        await context.setOffline(true);
        const now = Date.now();
        await page.clock.setFixedTime(now + 4 * 3_600_000);
        await page.getByRole('link', { name: 'Diary' }).click();
        await page.getByRole('link', { name: 'Today' }).click();
        await page.getByRole('button', { name: 'How is it today? 1', exact: true }).waitFor();
        expect(await drawn.count()).toBe(0);
        await page.clock.setFixedTime(now);
        await context.setOffline(false);
      }
      store.of('trialDay').update(id, { second: 4 });
      await page.getByText('Trial, day 3 of 28').waitFor();
    }
  });

  test('a page that stays open shows the next day once it has begun', async () => {
    const { store, url } = await service();
    const { open, context } = await bare({ timezoneId });
    await context.clock.install();
    const page = await open(url);
    await beNora(page);
    store.of('painEntry').create({ userId: 1, date: dayAgo(0), pain: 5 });
    const soFar = page.getByText('Today so far: 5');
    await soFar.waitFor();
    await page.clock.setSystemTime(Date.now() + (26 / 24) * DAY_MS);
    await page.clock.runFor(60_000);
    await soFar.waitFor({ state: 'detached' });
  });

  test('what is wrong with a code is said, and what is lost where a phone forgets', async () => {
    const { url, link } = await service({ auth: true });
    const { open, context } = await bare();
    const page = await open(url);
    const pair = async (text: string) => {
      await page.getByLabel('Link, code or token').fill(text);
      await page.getByRole('button', { name: 'Pair' }).click();
    };
    /** Holds what is asked for until it is told to go on. */
    const hold = (path: string) =>
      new Promise<() => void>((asked) =>
        context.route(path, (route) => asked(() => void route.continue()), { times: 1 }),
      );
    await pair('hello');
    await page.getByRole('alert').getByText('This is neither the link or code').waitFor();
    expect(await page.getByText(/not paired|stays here/).count()).toBe(0);
    const exchange = hold('**/pair');
    await pair(` ${'A'.repeat(22)} `);
    const asking = page.getByRole('main').getByText('Asking the computer…');
    await asking.waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    (await exchange)();
    await page.getByRole('alert').getByText('No code is open').waitFor();
    expect(await asking.count()).toBe(0);
    // Who looks at something else before all is read is left there.
    const reading = hold('**/painEntries?*');
    await pair(link().replace('localhost', 'the-computer-of-all-of-us.local'));
    await page.getByRole('link', { name: 'More' }).click();
    (await reading)();
    await page.getByText('Paired.').waitFor();
    await page.getByText(/^Nora Lind\. The records are on .* paired until .* as Linux,/).waitFor();
    await page.getByRole('link', { name: 'Today' }).click();
    await page.getByRole('button', { name: session.exerciseName }).waitFor();
    await context.setOffline(true);
    await record(page, 5, 4);
    await page.getByRole('link', { name: 'More' }).click();
    await page.getByRole('button', { name: 'Save a copy as a file' }).click();
    await page
      .getByText('Saved as sciatica.json, without 1 not sent yet. Goal and trials are not in it')
      .waitFor();
    await page.getByRole('button', { name: 'Forget this phone' }).click();
    await page.getByText('1 not sent yet will be lost.').waitFor();
    await page.evaluate("location.hash = '#pair'");
    await page.getByText('What is not sent yet stays here').waitFor();
  });

  test('a token is renewed in the last quarter of its life, and not before', async () => {
    const { link } = await service({ auth: true });
    const { open, context } = await bare();
    let left = 26;
    let asked = 0;
    const renewed: number[] = [];
    const keys: string[] = [];
    await context.route('**/me', async (route) => {
      const response = await route.fetch();
      const at = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
      asked++;
      const json = { ...(await response.json()), createdAt: at(left - 100), expiresAt: at(left) };
      return route.fulfill({ response, json });
    });
    await context.route('**/me/token', (route) => {
      renewed.push(left);
      keys.push(route.request().headers()['idempotency-key'] ?? '');
      return route.continue();
    });
    const page = await open(link());
    await page.getByRole('button', { name: session.exerciseName }).waitFor();
    await expect.poll(() => asked).toBeGreaterThan(0);
    left = 24;
    await page.evaluate("dispatchEvent(new Event('online'))");
    await expect.poll(() => renewed.length).toBeGreaterThan(0);
    expect(renewed[0]).toBe(24);
    // The next time it is another renewal.
    await expect
      .poll(async () => {
        await page.evaluate("dispatchEvent(new Event('online'))");
        return new Set(keys).size;
      })
      .toBeGreaterThan(1);
    await context.unrouteAll({ behavior: 'wait' });
  });

  test('an entry that is opened says when to get help once it is changed only', async () => {
    const { store, page } = await pageOfNora(bare);
    store.logs.update(1, { painBefore: 3, painAfter: 9 });
    await inDiary(page);
    await page.getByRole('button', { name: 'Pain after 9', exact: true, pressed: true }).waitFor();
    expect(await page.getByText('Call an ambulance').count()).toBe(0);
    await page.getByRole('button', { name: 'Pain after 10', exact: true }).click();
    await page.getByText('Call an ambulance').waitFor();
  });

  test('what the store refuses is not said to be done', async () => {
    const { store, page } = await pageOfNora(bare);
    const refuse = () =>
      page.evaluate(
        'window.put ??= IDBObjectStore.prototype.put; IDBObjectStore.prototype.put = () => { throw new DOMException("", "UnknownError"); };',
      );
    const work = () => page.evaluate('IDBObjectStore.prototype.put = window.put');
    const notSaved = page.getByRole('alert').getByText('Not saved.');
    /** Does what the store refuses, then what it takes. */
    const twice = async (name: string, said: string) => {
      const button = page.getByRole('button', { name }).first();
      await refuse();
      await button.click();
      await notSaved.waitFor();
      expect(await page.getByText(said).count()).toBe(0);
      await work();
      await button.click();
      await notSaved.waitFor({ state: 'detached' });
    };
    await twice('How is it today? 4', 'Saved: pain');
    await expect.poll(() => store.of('painEntry').count()).toBe(1);
    await twice('Take back', 'Taken back.');
    await expect.poll(() => store.of('painEntry').count()).toBe(0);
    await page.getByRole('button', { name: session.exerciseName }).click();
    // In either order.
    await page.getByRole('button', { name: 'Pain after 4', exact: true }).click();
    await twice('Pain before 5', 'Saved: 5');
    await expect.poll(() => store.logs.count()).toBe(2);
    await twice('Take back', 'Taken back.');
    await expect.poll(() => store.logs.count()).toBe(1);
  });

  test('a card that is opened again asks anew, and help is not told of what was taken back', async () => {
    const { store, page } = await pageOfNora(bare);
    await page.getByRole('button', { name: 'How is it today? 10', exact: true }).click();
    await page.getByText('Call an ambulance').waitFor();
    await page.getByRole('button', { name: 'Take back' }).click();
    await page.getByText('Call an ambulance').waitFor({ state: 'detached' });
    // The first one brings the card among those of the last days.
    for (const after of [4, 3]) {
      await record(page, 5, after);
      await page.getByRole('button', { name: 'Done' }).click();
    }
    await page.getByRole('button', { name: session.exerciseName }).first().click();
    await page.getByRole('button', { name: 'Pain before 5', exact: true }).waitFor();
    expect(await page.getByRole('button', { pressed: true }).count()).toBe(0);
    await page.getByRole('button', { name: session.exerciseName, expanded: true }).click();
    await page.getByRole('button', { name: 'Pain before 5', exact: true }).waitFor({ state: 'detached' });
    // An entry and a session of one id are two.
    const { id } = store.of('painEntry').create({ userId: 1, date: session.date, pain: 4 });
    await expect.poll(() => store.logs.count()).toBe(3);
    expect(store.logs.get(id)).toBeDefined();
    await page.getByRole('link', { name: 'Diary' }).click();
    await page.getByRole('button', { name: 'Pain 4' }).click();
    expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(1);
  });

  test('a service that does not answer in time is not reached, and what was lost is told until the phone forgets', async () => {
    const { link } = await service({ auth: true });
    const { open, context } = await bare();
    await context.addInitScript("localStorage.setItem('notebook', '2')");
    const page = await open(link().replace(/#.*/, ''));
    await page.getByText('what was not sent yet (2) is lost').waitFor();
    await page.getByLabel('Link, code or token').fill(link());
    await page.getByRole('button', { name: 'Pair' }).click();
    await page.getByRole('button', { name: session.exerciseName }).waitFor();
    await page.evaluate(
      `AbortSignal.timeout = () => AbortSignal.abort(new DOMException('', 'TimeoutError'));
       dispatchEvent(new Event('online'));`,
    );
    await page.getByText('The computer is not reached; it is tried again.').waitFor();
    await page.getByRole('link', { name: 'More' }).click();
    await page.getByRole('button', { name: 'Forget this phone' }).click();
    await page.getByRole('button', { name: 'Forget', exact: true }).click();
    await page.getByRole('heading', { name: 'Pair this phone' }).waitFor();
    expect(await page.getByText('has emptied').count()).toBe(0);
  });
});
