import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The pages that a reader gets: README.md and everything under docs. */

export const root = fileURLToPath(new URL('../..', import.meta.url));

const FENCED = /^```(\w*)\n([\s\S]*?)^```$/gm;

export interface Page {
  /** From the root of the repository, with slashes. */
  path: string;
  text: string;
  /** The text without its fenced blocks. */
  prose: string;
  fenced: { language: string; text: string }[];
  headings: string[];
}

function read(path: string): Page {
  const text = readFileSync(join(root, path), 'utf8');
  const prose = text.replace(FENCED, '');
  return {
    path,
    text,
    prose,
    fenced: [...text.matchAll(FENCED)].map(([, language = '', text = '']) => ({ language, text })),
    headings: [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading),
  };
}

export const pages: readonly Page[] = [
  'README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name.replaceAll('\\', '/')}`)
    .sort(),
].map(read);

/** A heading's anchor, as GitHub makes it. */
export const anchorOf = (heading: string) =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');

/** Where the links of a page lead: a path from the root, and an anchor there; links to other sites are left out. */
export function linksOf(page: Page): { target: string; path: string; anchor: string }[] {
  return [...page.prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !target.startsWith('https://'))
    .map((target) => {
      const [path = '', anchor = ''] = target.split('#');
      return { target, anchor, path: path ? posix.join(dirname(page.path), path) : page.path };
    });
}
