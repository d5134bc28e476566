import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { docsHtml } from '../../src/http/docs/page.ts';
import { openApi } from '../../src/http/openapi/document.ts';
import { routes } from '../../src/http/routes/index.ts';
import { DEADLINE_MS } from '../deadline.mts';
import { missing, openBrowser } from '../insights/report/browser.ts';

describe.skipIf(missing)(`/docs in a browser${missing ? `: ${missing}` : ''}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  test.each([
    ['folded, and unfolds', 'on a phone', 390, [false, true]],
    ['folded, and unfolds', 'on a tablet', 800, [false, true]],
    ['beside the text', 'on a desk', 1280, [true]],
  ])('the contents are %s %s', async (_, __, width, shown) => {
    const page = await browser.newPage({ viewport: { width, height: 800 } });
    page.setDefaultTimeout(DEADLINE_MS);
    await page.setContent(docsHtml(JSON.parse(openApi(routes))));
    const contents = page.locator('nav > ul');
    const seen = [await contents.isVisible()];
    const fold = page.locator('nav summary');
    if (await fold.isVisible()) {
      await fold.press('Enter');
      seen.push(await contents.isVisible());
    }
    expect(seen).toEqual(shown);
    // Nothing has to be scrolled sideways.
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    await page.close();
  });

  test('on a phone it is ten screens at most to how an exercise log is created, and filters unfold', async () => {
    const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
    page.setDefaultTimeout(DEADLINE_MS);
    await page.setContent(docsHtml(JSON.parse(openApi(routes))));
    const heading = await page.locator('#createUserExerciseLog').boundingBox();
    expect((heading?.y ?? Number.NaN) / 844).toBeLessThan(10);
    const list = page.locator('section:has(> #listUserExerciseLogs)');
    const filters = list.getByText('exerciseName, ');
    expect(await filters.isVisible()).toBe(false);
    await list.getByText(/^Filters on \d+ fields$/).press('Enter');
    expect(await filters.isVisible()).toBe(true);
    await page.close();
  });
});
