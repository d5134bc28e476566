import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, CDPSession, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { nora, session } from '../helpers.ts';
import { root } from '../store/helpers.ts';
import { beNora, inBrowser, inDiary, pageOfNora, record, service, stored } from './phone.ts';

const axe = readFileSync(join(root, 'node_modules/axe-core/axe.min.js'), 'utf8');

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
async function* views(context: BrowserContext, page: Page, store: Store) {
  await beNora(page);
  const titles = { today: 'Today', diary: 'Diary', helps: 'What helps', more: 'More' };
  for (const [view, name] of Object.entries(titles)) {
    await page.click(`nav a[href="#${view}"]`);
    await page.getByRole('heading', { level: 1, name }).waitFor();
    if (view === 'helps') await page.getByRole('heading', { name: 'Less pain after' }).waitFor();
    if (view === 'today' || view === 'diary')
      await page.getByRole('button', { name: session.exerciseName }).first().click();
    for (const summary of await page.locator('summary').all()) await summary.click();
    if (view === 'more') await page.getByRole('button', { name: 'Forget this phone' }).click();
    yield view;
  }
  // The figures are as confidential as the records.
  expect(await stored(page)).not.toContain('meanChange');
  // What is saved, refused, waits, and calls for help.
  await page.getByRole('link', { name: 'Diary' }).click();
  await context.setOffline(true);
  await page.getByRole('button', { name: session.exerciseName }).first().click();
  await page.getByRole('button', { name: 'Pain after 9', exact: true }).click();
  await page.getByText('1 not sent yet').waitFor();
  store.logs.update(1, { painAfter: 2 });
  await context.setOffline(false);
  await page.getByText('it was changed elsewhere, too').waitFor();
  await page.getByRole('link', { name: 'Today' }).click();
  await context.setOffline(true);
  // When to call an ambulance is there to be read on a small phone, too, whatever stands at the foot.
  await page.setViewportSize({ width: 390, height: 600 });
  await page.evaluate(`new MutationObserver((_, observer) => {
    const alert = document.querySelector('main [role=alert]');
    if (!alert) return;
    window.above = alert.previousElementSibling.textContent;
    observer.disconnect();
  }).observe(document.querySelector('main'), { childList: true, subtree: true })`);
  await record(page, 5, 9);
  // What came above it later would move it behind the foot.
  expect(await page.evaluate('window.above')).toContain('Take back');
  const bottomOf = (selector: string) =>
    `document.querySelector('${selector}').getBoundingClientRect().bottom`;
  const top = "document.querySelector('.said').getBoundingClientRect().top";
  expect(await page.evaluate(`${bottomOf('[role=alert]')} <= ${top}`)).toBe(true);
  // What was done is said over what can be tapped, and takes no tap away.
  const { x, y, width } = (await page.locator('.said').boundingBox()) ?? { x: 0, y: 0, width: 0 };
  const hit = `document.elementFromPoint(${x + width / 2}, ${y + 1}).className`;
  expect(await page.evaluate(hit)).not.toBe('said');
  yield 'alerts';
  await page.evaluate("location.hash = '#pair'");
  yield 'pair';
}

/** Nothing for axe to find in either theme; nothing beyond the screen, nothing small, however wide it is and large the text. */
async function expectFine(view: string, page: Page): Promise<void> {
  // The page's own policy allows no script but its own; axe comes past it.
  await page.evaluate(axe);
  const shot = (name: string) =>
    process.env['SHOTS'] && page.screenshot({ path: join(process.env['SHOTS'], `${view}-${name}.png`) });
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    const found = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
      // All but the colours is the same in both.
      colorScheme === 'light' ? 'axe.run()' : "axe.run({ runOnly: ['color-contrast'] })",
    );
    const faults = found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
    expect([view, colorScheme, faults]).toEqual([view, colorScheme, []]);
    await shot(colorScheme);
  }
  const sizes = [
    [320, 100],
    [320, 200],
    [390, 100],
    [390, 200],
    [768, 100],
    [1280, 100],
  ] as const;
  for (const [width, size] of sizes) {
    await page.setViewportSize({ width, height: 844 });
    await page.evaluate(`document.documentElement.style.fontSize = '${size}%'`);
    const beyond = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    const small = await page.evaluate(
      `[...document.querySelectorAll('button, nav a, a.target, summary, select, textarea, input:not([type=checkbox]), label.check')]
        .filter((one) => one.checkVisibility())
        .filter((one) => { const { width, height } = one.getBoundingClientRect(); return width < 44 || height < 44; })
        .map((one) => one.outerHTML)`,
    );
    expect([view, width, size, beyond, small]).toEqual([view, width, size, 0, []]);
    await shot(`${width}-${size}`);
  }
  await page.setViewportSize({ width: 390, height: 844 });
  await page.evaluate("document.documentElement.style.fontSize = ''");
}

inBrowser((phone, bare) => {
  test('every view of a patient is fine', async () => {
    const { store, url } = await practice();
    const { open, context } = await bare();
    const page = await open(url);
    for await (const view of views(context, page, store)) await expectFine(view, page);
  });

  test('what is chosen is seen with the colours of the system, too', async () => {
    const { page } = await pageOfNora(bare);
    await page.emulateMedia({ forcedColors: 'active' });
    await inDiary(page);
    const colour = (isChosen: boolean) =>
      page.evaluate(
        `getComputedStyle(document.querySelector('.scale [aria-pressed=${isChosen}]')).backgroundColor`,
      );
    expect(await colour(true)).not.toBe(await colour(false));
  });

  test('every view of a provider is fine', async () => {
    const { store, url } = await service({ auth: true });
    const { id: userId } = store.users.create({
      ...nora,
      firstName: 'Maximiliane',
      lastName: 'von der Leyen-Ö'.repeat(4),
    });
    const date = new Date().toLocaleDateString('sv');
    for (const painAfter of [2, 9]) store.logs.create({ ...session, userId, date, painAfter });
    const { token } = store.tokens.create({ name: 'p', role: 'provider', users: null, lifetime: null });
    const page = await (await bare()).open(url);
    await page.getByLabel('Link, code or token').fill(token);
    await page.getByRole('button', { name: 'Pair' }).click();
    await page.getByText('Red: 1.').waitFor();
    await expectFine('patients', page);
    await page.getByRole('button', { name: 'Maximiliane' }).click();
    await page.getByText('In short').waitFor();
    await expectFine('report', page);
  });

  /** Processor time of the page's main thread for something, in milliseconds: what else the machine does counts little. */
  const processorTime = async (devtools: CDPSession, act: () => Promise<unknown>): Promise<number> => {
    const now = async () => {
      const { metrics } = await devtools.send('Performance.getMetrics');
      return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000;
    };
    const begin = await now();
    await act();
    return (await now()) - begin;
  };

  test('with 2,000 sessions it can be used within a second at a fourth of the speed, and answers each letter in 100 ms', async () => {
    const { store, link } = await service({ auth: true });
    store.change(() => {
      for (let i = 0; i < 2_000; i++)
        store.logs.create({
          ...session,
          exerciseName: `Exercise ${i % 40}`,
          date: new Date(Date.now() - (i % 30) * 86_400_000).toLocaleDateString('sv'),
          notes: `Note ${i} of a month with many sessions`,
        });
    });
    const { open, context } = await phone();
    const page = await open(link());
    await page.getByRole('button', { name: 'Exercise 1', exact: true }).first().waitFor();
    await page.evaluate('navigator.serviceWorker.ready');
    const devtools = await context.newCDPSession(page);
    await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
    const first = await processorTime(devtools, async () => {
      await page.reload();
      await page.locator('#pain .scale').waitFor();
    });
    expect(4 * first).toBeLessThan(1_000);
    await page.getByRole('link', { name: 'Diary' }).click();
    await page.getByText('2001 entries').waitFor();
    for (let i = 0; i < 5; i++) await page.getByRole('button', { name: 'Show earlier entries' }).click();
    const drawn = () => page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
    for (const letter of 'note 19') {
      const step = await processorTime(devtools, async () => {
        await page.getByLabel('Search').press(letter);
        await drawn();
      });
      expect(step).toBeLessThan(100);
    }
    await page.getByLabel('Search').fill('');
    await page.getByText(/^2001 entries$/).waitFor();
    const scroll = await processorTime(devtools, async () => {
      await page.mouse.wheel(0, 800);
      await drawn();
    });
    expect(scroll).toBeLessThan(100);
    if (process.env['SHOTS']) console.log({ first, scroll });
  });
});
