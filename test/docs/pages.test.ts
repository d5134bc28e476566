import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { kindNames, kindOf, commandsOf as wordsOf } from '../../src/domain/kinds.ts';
import { freshFolder, keys, nora, prepared, run } from '../helpers.ts';
import { commandsOf, helpOf, leaves, operations, program, sources, withBlocks } from './blocks.ts';
import { anchorOf, linksOf, type Page, pages, root } from './pages.ts';
import { PAGES_NOW, replayed, Terminal, withoutProgress, words } from './replay.ts';

/**
 * The pages are part of the program: what they show is run, what they list is made from the code. When a page is not
 * as it is generated after a change that is right, `npm run docs` writes all pages anew; look at the difference.
 */
test.each(pages.map(({ path, text }) => [path, text]))('%s is generated', async (path, text) => {
  const again = await replayed(withBlocks(text), () => new Terminal(freshFolder()));
  await expect(again).toMatchFileSnapshot(join(root, path));
});

/** README.md is read from top to bottom, so it has to be short; what does not fit is on a page under docs. */
const README_LINES = 220;

test(`README.md has at most ${README_LINES} lines`, () => {
  const lines = pageAt('README.md').text.trimEnd().split('\n').length;
  expect(lines).toBeLessThanOrEqual(README_LINES);
});

test.each(kindNames)('a %s has the commands that hints and exports name', (kind) => {
  const { one, many } = wordsOf(kind);
  const named = kindOf(kind).verbs.includes('list') ? [one, many] : [one];
  expect(program.commands.map((command) => command.name())).toEqual(expect.arrayContaining(named));
});

const commands = commandsOf().filter(([, command]) => command.commands.length === 0);
const helps = [program, ...commandsOf().map(([, command]) => command)].map(helpOf).join('\n');
const options = new Set([program, ...commandsOf().map(([, command]) => command)].flatMap(optionsOf));

describe('on one page, and only one, is', () => {
  const status = /\bproblem\((\d{3})|\bstatus: (\d{3})|\bjson\((\d{3})|'?[\w-]+'?: ([45]\d\d),/gi;
  const statuses = [
    ...operations().flatMap(({ responses }) => Object.keys(responses).filter((key) => key !== 'default')),
    ...inSources('src/http', status),
  ];
  const variables = inSources('src', /\benv\[?\.?'?([A-Z][A-Z_]+)'?\]?/g);
  const codes = inSources('src/cli', /\b(?:return|INTERRUPTED =|'?[\w-]+'?:) (\d{1,3})[,;]/g);
  const exitCodes = ['0', '1', '2', '3', '4', '130'].filter((code) => codes.includes(code));

  test.each([
    ['command', commands.map(([name]) => name), (name) => `\n## ${name}\n`, 20],
    ['route', operations().map(({ method, path }) => `${method} ${path}`), (name) => `| \`${name}\` |`, 20],
    ['status', statuses, (code) => `\n| ${code} |`, 20],
    ['exit code', exitCodes, (code) => `\n| ${code} |`, 6],
    ['variable', variables, (name) => `\n| \`${name}\` |`, 9],
  ] satisfies [string, string[], (name: string) => string, number][])('every %s', (_, names, row, least) => {
    expect(new Set(names).size).toBeGreaterThanOrEqual(least);
    const found = names.map((name) => [name, pages.filter(({ text }) => text.includes(row(name))).length]);
    expect(found.filter(([, count]) => count !== 1)).toEqual([]);
  });

  const sectionOf = (name: string) => {
    const page = pages.find(({ text }) => text.includes(`\n## ${name}\n`));
    return page?.text.split(`## ${name}\n`)[1]?.split('\n## ')[0] ?? '';
  };

  test('an example of every command, in its section', () => {
    const without = leaves().filter(([name]) => !new RegExp(`\`\`\`sh\n[^\`]*${name}`).test(sectionOf(name)));
    expect(without.map(([name]) => name)).toEqual([]);
  });

  test('every flag of a command, in its section', () => {
    const missing = commands.flatMap(([name, command]) => {
      const section = sectionOf(name);
      return command.options
        .filter(({ long }) => !section.includes(`${long}`))
        .map(({ long }) => [name, long]);
    });
    expect(missing).toEqual([]);
  });
});

describe('nothing is made up', () => {
  const typed = /^ {2}\$ |^\$ /;

  test('every command on a page or in a help exists with its flags', () => {
    const shown = pages.flatMap(({ fenced }) =>
      fenced
        .filter(({ language }) => language !== 'text')
        .flatMap(({ language, text }) => commandLines(text, language === 'console' ? typed : /^/)),
    );
    const inSentences = pages.flatMap(({ prose }) =>
      [...prose.matchAll(/`(sciatica [a-z-][^`]*)`/g)].map(([, line = '']) => line),
    );
    const lines = [...shown, ...inSentences, ...commandLines(helps, typed)].flatMap((line) =>
      [...line.matchAll(/(?:^|[\s(])(?:sciatica|node bin\/sciatica\.js) ([a-z-][^|;&>)#]*)/g)].map(
        ([, words = '']) => words.trim(),
      ),
    );
    expect(lines.length).toBeGreaterThan(100);
    // A slip on purpose, to show what is said then.
    expect(lines.filter((line) => !isCommand(line))).toEqual(['log ad']);
  });

  test('every flag in the prose is one of some command', () => {
    const foreign = ['--help', '--version', '--link', '--json', '--coverage', '--strict'];
    const named = pages.flatMap(({ path, prose }) =>
      [...prose.matchAll(/`(--[a-z-]+)[^`]*`/g)].map(([, flag = '']) => [path, flag] as const),
    );
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter(([, flag]) => !options.has(flag) && !foreign.includes(flag))).toEqual([]);
  });

  test('every link leads to a file, and every anchor to a heading', () => {
    const links = pages.flatMap((page) => linksOf(page).map((link) => ({ from: page.path, ...link })));
    expect(links.length).toBeGreaterThan(40);
    const dead = links.filter(({ path, anchor }) => {
      if (!existsSync(join(root, path))) return true;
      return anchor !== '' && !anchorsOf(pageAt(path)).includes(anchor);
    });
    expect(dead).toEqual([]);
  });

  test('every page can be reached from README.md', () => {
    const reached = new Set(['README.md']);
    for (const path of reached)
      if (path.endsWith('.md')) for (const link of linksOf(pageAt(path))) reached.add(link.path);
    expect(pages.filter(({ path }) => !reached.has(path)).map(({ path }) => path)).toEqual([]);
  });

  test('no two headings of a page have one anchor', () => {
    const doubled = pages
      .filter(({ path }) => path !== 'docs/CHANGELOG.md')
      .map(
        (page) => [page.path, anchorsOf(page).filter((anchor, i, all) => all.indexOf(anchor) < i)] as const,
      );
    expect(doubled.filter(([, anchors]) => anchors.length > 0)).toEqual([]);
  });

  test('every path named in the repository is there', () => {
    const named = pages.flatMap(({ path, text }) =>
      [...text.matchAll(/`((?:src|test|bin|docs)\/[\w./-]*)`/g)].map(
        ([, name = '']) => [path, name] as const,
      ),
    );
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter(([, name]) => !existsSync(join(root, name)))).toEqual([]);
  });
});

test('the questions of docs/patient.md are those that are asked', async () => {
  const db = prepared((store) => store.users.create(nora));
  const block = /```text\n\$ sciatica log add\n([\s\S]*?)```/.exec(pageAt('docs/patient.md').text)?.[1] ?? '';
  const { stdout, stderr } = await run(['log', 'add'], {
    db,
    now: PAGES_NOW,
    answers: [
      ['Name of the exercise', `Piriformis Stretch${keys.enter}`],
      ['Kind of exercise', keys.enter],
      ['Day of the exercise', keys.enter],
      ['Pain before', `6${keys.enter}`],
      ['Pain after', `4${keys.enter}`],
      ['Did it help?', keys.enter],
      ['Notes', `2 x 30 s${keys.enter}`],
    ],
  });
  const done = stderr.split('\n').map((line) => line.replace(/^.*✔/, '✔'));
  expect(block).toBe([...done.filter((line) => line.startsWith('✔')), stdout].join('\n'));
});

function pageAt(path: string): Page {
  const page = pages.find((page) => page.path === path);
  if (!page) throw new Error(`There is no page ${path}`);
  return page;
}

const anchorsOf = ({ headings }: Page) => headings.map(anchorOf);

/** What a pattern's first group that matched finds in the source files of a folder. */
function inSources(folder: string, pattern: RegExp): string[] {
  const found = sources(folder).flatMap((source) => [...source.matchAll(pattern)]);
  return found.map((match) => match.slice(1).find(Boolean) ?? '');
}

/** The lines that are typed, those that go on after a backslash put together. */
function commandLines(text: string, typed: RegExp): string[] {
  const lines = text.replace(/\\\n/g, ' ').split('\n');
  return lines.filter((line) => typed.test(line)).map((line) => line.replace(typed, ''));
}

test('lines of progress are left out of the pages, however many there were', () => {
  const said = 'Reading.\n\r1 record read\r2 records read\rImported 2 records.\r\n';
  expect(withoutProgress(said)).toBe('Reading.\nImported 2 records.\r\n');
});

/** Whether there is such a command with such flags: `log add --before 6`. */
function isCommand(line: string): boolean {
  const given = words(line.replace(/^help /, ''));
  let command = program;
  for (const word of given) {
    if (command.commands.length === 0 || word.startsWith('-')) break;
    const next = command.commands.find((child) => child.name() === word);
    if (!next && command.registeredArguments.length > 0) break;
    if (!next) return false;
    command = next;
  }
  // A group that takes words itself means `add` by them.
  const meant = command.commands.find((child) => child.name() === 'add');
  if (meant && command.registeredArguments.length > 0) command = meant;
  const known = [...optionsOf(command), ...optionsOf(program), '-h', '--help', '--version'];
  return given
    .filter((word) => /^--?[a-z]/.test(word))
    .every((flag) => known.includes(flag.split('=')[0] ?? ''));
}

function optionsOf(command: typeof program): string[] {
  return command.options.flatMap(({ short, long }) => [short, long]).filter((flag) => flag !== undefined);
}
