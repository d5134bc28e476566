import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { freshFolder, practiceDb, run } from '../helpers.ts';
import { missing, openBrowser } from '../insights/report/browser.ts';
import { pages, root } from './pages.ts';
import { PAGES_NOW } from './replay.ts';

/**
 * docs/report.png, which README.md shows: the top of a report as Chromium draws it. Fonts and browsers differ, so it is
 * not compared pixel by pixel: the picture holds the hash of what it shows, and `npm run docs` makes it anew when that
 * is another one.
 */
const PICTURE = join(root, 'docs/report.png');
const KEYWORD = 'report-sha256';
const WIDTH = 800;
const MOST_BYTES = 150_000;

async function practiceReport(): Promise<string> {
  const file = join(freshFolder(), 'report.html');
  const { code, stderr } = await run(['report', '--user', '3', '-o', file], {
    db: await practiceDb(),
    now: PAGES_NOW,
  });
  if (code !== 0) throw new Error(stderr);
  return readFileSync(file, 'utf8');
}

/** Of the report down to its first table, where the picture ends. */
function hashOf(html: string): string {
  const end = html.indexOf('</table>');
  if (end < 0) throw new Error('The report has no table');
  return createHash('sha256').update(html.slice(0, end)).digest('hex');
}

/** The report from its top to the end of its first table, as PNG. */
async function screenshot(html: string): Promise<Buffer> {
  const browser = await openBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: WIDTH, height: 1200 }, bypassCSP: true });
    await page.setContent(html);
    const table = await page.locator('table').first().boundingBox();
    if (!table) throw new Error('The report has no table');
    const height = Math.ceil(table.y + table.height) + 8;
    return await page.screenshot({ clip: { x: 0, y: 0, width: WIDTH, height } });
  } finally {
    await browser.close();
  }
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
  test('docs/report.png is generated', async () => {
    const html = await practiceReport();
    const hash = hashOf(html);
    const isOld = () => !existsSync(PICTURE) || textOf(readFileSync(PICTURE)) !== hash;
    if (process.env['DRAW'] && isOld()) writeFileSync(PICTURE, withText(await screenshot(html), hash));
    expect(isOld(), 'npm run docs draws it anew').toBe(false);
  });
});

test('docs/report.png is a picture that loads quickly, and README.md shows it with words for who cannot see it', () => {
  const png = readFileSync(PICTURE);
  expect(png.subarray(1, 4).toString()).toBe('PNG');
  expect(png.readUInt32BE(16)).toBe(WIDTH);
  expect(png.length).toBeLessThan(MOST_BYTES);
  const readme = pages.find(({ path }) => path === 'README.md')?.prose;
  expect(readme).toMatch(/!\[[^\]]{20,}\]\(docs\/report\.png\)/);
});
