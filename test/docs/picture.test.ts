import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { companionFiles } from '../../src/http/companion.ts';
import { startServer } from '../../src/http/server.ts';
import { openStore } from '../../src/store/store.ts';
import { DEADLINE_MS } from '../deadline.mts';
import { freshFolder, practiceDb, run } from '../helpers.ts';
import { missing, openBrowser } from '../insights/report/browser.ts';
import { pages, root } from './pages.ts';
import { PAGES_NOW } from './replay.ts';

/**
 * The pictures that the pages show: the top of a report, and views of the page for phones, as Chromium draws them. Fonts
 * and browsers differ, so they are not compared pixel by pixel: a picture holds the hash of what it shows, and
 * `npm run docs` makes it anew when that is another one.
 */
const KEYWORD = 'shown-sha256';
const MOST_BYTES = 150_000;

/** What a picture shows, as a text, and the picture itself. */
interface Shown {
  content: string;
  draw(): Promise<Buffer>;
}

/** The pictures: where they are, how wide, and which page shows them. */
const pictures: readonly [
  file: string,
  width: number,
  page: string,
  show: (browser: Browser) => Promise<Shown>,
][] = [
  ['docs/report.png', 800, 'README.md', reportShown],
  ['docs/phone-today.png', 390, 'README.md', (browser) => phoneShown(browser, 'today')],
  ['docs/phone-helps.png', 390, 'docs/phone.md', (browser) => phoneShown(browser, 'helps')],
];

async function practiceReport(): Promise<string> {
  const file = join(freshFolder(), 'report.html');
  const { code, stderr } = await run(['report', '--user', '3', '-o', file], {
    db: await practiceDb(),
    now: PAGES_NOW,
  });
  if (code !== 0) throw new Error(stderr);
  return readFileSync(file, 'utf8');
}

/** The report from its top to the end of its first table. */
async function reportShown(browser: Browser): Promise<Shown> {
  const html = await practiceReport();
  const end = html.indexOf('</table>');
  if (end < 0) throw new Error('The report has no table');
  const draw = async () => {
    const page = await browser.newPage({ viewport: { width: 800, height: 1200 }, bypassCSP: true });
    await page.setContent(html);
    const table = await page.locator('table').first().boundingBox();
    if (!table) throw new Error('The report has no table');
    return page.screenshot({
      clip: { x: 0, y: 0, width: 800, height: Math.ceil(table.y + table.height) + 8 },
    });
  };
  return { content: html.slice(0, end), draw };
}

/** A view of the page for phones, with the practice records of Nora Patel. */
async function phoneShown(browser: Browser, view: 'today' | 'helps'): Promise<Shown> {
  const store = openStore(await practiceDb());
  const folder = join(root, 'dist/app');
  const server = await startServer(store, {
    host: '127.0.0.1',
    port: 0,
    origins: { allowHosts: [], allowOrigins: [] },
    companion: companionFiles(folder),
    log: () => {},
  });
  onTestFinished(async () => {
    await server.stop();
    store.close();
  });
  const viewport = { width: 390, height: 720 };
  const context = await browser.newContext({ viewport, locale: 'en-GB', serviceWorkers: 'block' });
  const page = await context.newPage();
  page.setDefaultTimeout(DEADLINE_MS);
  await page.clock.setFixedTime(PAGES_NOW);
  // The service has the clock of the page.
  await page.route('**', async (route) => {
    const response = await route.fetch();
    const headers = { ...response.headers(), date: new Date(PAGES_NOW).toUTCString() };
    await route.fulfill({ response, headers });
  });
  onTestFinished(async () => {
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await context.close();
  });
  await page.goto(`http://localhost:${server.port}/app/#${view}`);
  await page.getByRole('button', { name: 'Nora Patel' }).click();
  if (view === 'today') await page.locator('.exercise').first().click();
  else await page.getByRole('heading', { name: 'Less pain after' }).waitFor();
  const style = readdirSync(folder).find((name) => name.endsWith('.css'));
  const markup = () =>
    page.locator('#app').evaluate((element) => (element as unknown as { innerHTML: string }).innerHTML);
  // The parts of a view come one by one: it is whole once it stays as it is.
  let shown = '';
  for (let same = 0; same < 5; ) {
    const now = await markup();
    same = now === shown ? same + 1 : 0;
    shown = now;
    await page.waitForTimeout(100);
  }
  return { content: `${style}\n${shown}`, draw: () => page.screenshot({ animations: 'disabled' }) };
}

/** CRC-32 of ISO 3309, as PNG has it (https://www.w3.org/TR/png-3/#D-CRCAppendix); Node has one from 22.2 on. */
function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return ~crc >>> 0;
}

/** Where the first chunk, IHDR, ends: after the signature of 8 bytes, its length, type, 13 bytes of data and CRC. */
const AFTER_HEADER = 8 + 4 + 4 + 13 + 4;

/** The picture with a text in a chunk of the type tEXt. */
function withText(png: Buffer, text: string): Buffer {
  const content = Buffer.from(`tEXt${KEYWORD}\0${text}`, 'latin1');
  const [length, crc] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length - 4);
  crc.writeUInt32BE(crc32(content));
  return Buffer.concat([png.subarray(0, AFTER_HEADER), length, content, crc, png.subarray(AFTER_HEADER)]);
}

const textOf = (png: Buffer): string | undefined =>
  new RegExp(`tEXt${KEYWORD}\0(\\w{64})`).exec(png.toString('latin1'))?.[1];

describe.skipIf(missing !== undefined)(`in a browser${missing ? `: skipped, ${missing}` : ''}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  test.each(pictures)('%s is generated', async (file, _width, _page, show) => {
    const { content, draw } = await show(browser);
    const hash = createHash('sha256').update(content).digest('hex');
    const path = join(root, file);
    const isOld = () => !existsSync(path) || textOf(readFileSync(path)) !== hash;
    if (process.env['DRAW'] && isOld()) writeFileSync(path, withText(await draw(), hash));
    expect(isOld(), 'npm run docs draws it anew').toBe(false);
  });
});

test.each(pictures)(
  '%s loads quickly, and a page shows it with words for who cannot see it',
  (file, width, page) => {
    const png = readFileSync(join(root, file));
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    expect(png.readUInt32BE(16)).toBe(width);
    expect(png.length).toBeLessThan(MOST_BYTES);
    const link = page === 'README.md' ? file : file.replace('docs/', '');
    const prose = pages.find(({ path }) => path === page)?.prose;
    expect(prose).toMatch(new RegExp(`!\\[[^\\]]{20,}\\]\\(${link}\\)`));
  },
);
