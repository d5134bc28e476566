import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { DEADLINE_MS } from '../../deadline.mts';

/** Debian's Chromium; without a window, as .ci/run installs it, it takes two thirds of the processor time. */
const PATHS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'] as const;
export const PATH = PATHS.find((path) => existsSync(path)) ?? PATHS[0];
export const ARGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** What keeps the pages from being looked at, if anything does. */
export const missing = existsSync(PATH)
  ? undefined
  : `there is no ${PATH} (apt-get install chromium-headless-shell)`;

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: PATH, args: ARGS, timeout: DEADLINE_MS });

const inPage = readFileSync(new URL('./in-page.js', import.meta.url), 'utf8');
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** A page of a browser, and how it is measured. */
export class Sheet {
  /** What the page asked for, or said. */
  readonly requests: string[] = [];

  private constructor(readonly page: Page) {
    page.setDefaultTimeout(DEADLINE_MS);
    page.on('request', (request) => this.requests.push(request.url()));
    page.on('dialog', (dialog) => this.requests.push(dialog.message()));
  }

  static async open(context: BrowserContext, html: string): Promise<Sheet> {
    const sheet = new Sheet(await context.newPage());
    await sheet.page.setContent(html);
    await sheet.page.evaluate(axe);
    await sheet.page.evaluate(inPage);
    return sheet;
  }

  async resize(width: number, height = 844): Promise<void> {
    await this.page.setViewportSize({ width, height });
  }

  /** Calls a function of in-page.js. */
  measure<T = string[]>(name: string, argument?: number): Promise<T> {
    return this.page.evaluate(`measure.${name}(${argument ?? ''})`);
  }

  /** @returns how many pages of A4 it fills */
  async pages(): Promise<number> {
    const pdf = await this.page.pdf({ preferCSSPageSize: true });
    return pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0;
  }
}
