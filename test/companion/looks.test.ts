import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { session } from '../helpers.ts';
import { root } from '../store/helpers.ts';
import { beNora, inBrowser, service } from './phone.ts';

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

inBrowser((_phone, bare) => {
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
