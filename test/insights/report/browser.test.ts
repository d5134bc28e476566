import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { reportHtml } from '../../../src/insights/report/page.ts';
import { buildReport } from '../../../src/insights/report/report.ts';
import { missing, openBrowser, Sheet } from './browser.ts';
import { samples } from './samples.ts';

/** Two phones, a tablet, a desk; and the room between the margins of A4 at 96 pixels an inch. */
const WIDTHS = [320, 390, 800, 1280];
const A4 = { width: Math.floor((180 / 25.4) * 96), height: Math.floor((270 / 25.4) * 96) };

describe.skipIf(missing !== undefined)(`in a browser${missing ? `: skipped, ${missing}` : ''}`, () => {
  let browser: Browser;
  const sheets = new Map<string, Sheet>();
  const names = Object.keys(samples);
  const sheetOf = (name: string) => sheets.get(name) as Sheet;

  beforeAll(async () => {
    browser = await openBrowser();
    const context = await browser.newContext({ bypassCSP: true });
    for (const [name, { user, logs, options }] of Object.entries(samples))
      sheets.set(name, await Sheet.open(context, reportHtml(buildReport(user, logs, options))));
  });
  afterAll(() => browser?.close());
  afterEach(async () => {
    for (const { page } of sheets.values())
      await page.emulateMedia({ media: 'screen', forcedColors: null, colorScheme: null });
  });

  test.each(names)('%s: nothing is off the screen or cut, nothing too small to read', async (name) => {
    const sheet = sheetOf(name);
    for (const width of WIDTHS) {
      await sheet.resize(width);
      for (const measure of ['beyondThePage', 'cutOff', 'collidingLabels'])
        expect([width, measure, await sheet.measure(measure)]).toEqual([width, measure, []]);
      expect([width, await sheet.measure('smallTexts', 11)]).toEqual([width, []]);
    }
  });

  test.each(names)('%s: axe finds nothing serious', async (name) => {
    const sheet = sheetOf(name);
    for (const width of name === '62 sessions' ? [390, 1280] : [390]) {
      await sheet.resize(width);
      expect(await sheet.measure('seriousFaults')).toEqual([]);
    }
  });

  test.each([
    ['3 sessions', 3],
    ['62 sessions', 5],
    ['300 sessions', 6],
    ['2,000 sessions', 12],
    ['40 exercises', 11],
    ['a full first page', 9],
    ['hostile notes', 12],
  ])('%s: fits %i pages of A4, and their width', async (name, most) => {
    const sheet = sheetOf(name);
    await sheet.page.emulateMedia({ media: 'print' });
    await sheet.resize(A4.width, A4.height);
    for (const measure of ['beyondThePage', 'cutOff', 'collidingLabels'])
      expect([measure, await sheet.measure(measure)]).toEqual([measure, []]);
    const pages = await sheet.pages();
    expect(pages).toBeGreaterThan(1);
    expect(pages).toBeLessThanOrEqual(most);
  });

  test.each(names.filter((name) => name !== 'hostile notes'))(
    '%s: page 1 holds the answer, and is no third empty',
    async (name) => {
      const sheet = sheetOf(name);
      await sheet.page.emulateMedia({ media: 'print' });
      await sheet.resize(A4.width, A4.height);
      const bottoms = await sheet.measure<number[]>('bottoms');
      expect(bottoms[0]).toBeLessThanOrEqual(A4.height);
      const filled = Math.max(...bottoms.filter((bottom) => bottom <= A4.height));
      expect(filled).toBeGreaterThan((2 / 3) * A4.height);
    },
  );

  test.each([
    ['3 sessions', true],
    ['62 sessions', true],
    ['300 sessions', true],
    ['a full first page with the chart', true],
    ['40 exercises', false],
    ['a full first page', false],
  ])('%s: the chart of the pain is on page 1: %s', async (name, expected) => {
    const { page } = sheetOf(name);
    const first = page.locator('section').first();
    expect(await first.locator('.plot[height="150"]').count()).toBe(expected ? 1 : 0);
    expect(await page.locator('#pain-title').count()).toBe(1);
  });

  test('on a phone a row of a table is a card, with a label to each figure', async () => {
    const sheet = sheetOf('62 sessions');
    await sheet.resize(390);
    const { label, width, head } = await sheet.measure<{ label: string; width: number; head: number }>(
      'card',
    );
    expect([label, head]).toEqual(['"Mean"', 1]);
    expect(width).toBeGreaterThan(350);
  });

  test.each(WIDTHS)('at %i pixels the bars stand where the axis says', async (width) => {
    const sheet = sheetOf('62 sessions');
    await sheet.resize(width);
    const [label = Number.NaN, ...lines] = await sheet.measure<number[]>('zeros');
    expect(lines).toHaveLength(8);
    for (const line of lines) expect(Math.abs(line - label)).toBeLessThan(1);
  });

  /** The marks whose contrast is too low, and all that were seen. */
  async function lowContrasts(name: string): Promise<{ low: unknown[]; seen: string[] }> {
    const all = await sheetOf(name).measure<[mark: string, contrast: number][]>('contrasts');
    const least = (mark: string) => (mark.startsWith('text') ? 4.5 : 3);
    return { low: all.filter(([mark, contrast]) => contrast < least(mark)), seen: all.map(([mark]) => mark) };
  }

  test('marks have a contrast of 3 to 1, letters of charts 4.5', async () => {
    const [some, many] = [await lowContrasts('62 sessions'), await lowContrasts('300 sessions')];
    expect([...some.low, ...many.low]).toEqual([]);
    const marks =
      'rect.less rect.more rect.open line.zero line.range circle.dot line.median rect.box rect.week line.target';
    expect([...some.seen, ...many.seen]).toEqual(expect.arrayContaining(marks.split(' ')));
  });

  test('a browser that makes pages dark leaves it as it is', async () => {
    const { page } = sheetOf('62 sessions');
    await page.setViewportSize({ width: 800, height: 844 });
    const light = await page.screenshot();
    const session = await page.context().newCDPSession(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    await session.send('Emulation.setAutoDarkModeOverride', { enabled: true });
    expect((await page.screenshot()).equals(light)).toBe(true);
    await session.send('Emulation.setAutoDarkModeOverride', {});
  });

  test.each(['.bars td svg', '.plot'])('with forced colours a chart keeps its own: %s', async (selector) => {
    const { page } = sheetOf('62 sessions');
    // High enough for nothing to scroll, which moves edges by parts of a pixel.
    await page.setViewportSize({ width: 1280, height: 2400 });
    const chart = page.locator(selector).first();
    const before = await chart.screenshot();
    await page.emulateMedia({ forcedColors: 'active', colorScheme: 'dark' });
    expect((await chart.screenshot()).equals(before)).toBe(true);
  });

  test('it asks for nothing, and nothing in it runs', () => {
    for (const { requests } of sheets.values()) expect(requests).toEqual([]);
  });
});
