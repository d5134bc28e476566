import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { freshFolder, keys, nora, prepared, run } from './helpers.ts';
import { anchorOf, commandsOf, operations, program, root, sources, withBlocks } from './readme/reference.ts';
import { README_NOW, replayed, Terminal, words } from './readme/replay.ts';

/**
 * The README is part of the program: what it shows is run, what it lists is made from the code. When the first
 * test fails after a change that is right, `npm run docs` writes the README anew; look at the difference.
 */
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const fenced = /```(\w*)\n([\s\S]*?)```/g;
const prose = readme.replace(fenced, '');

test('what it lists is so, and every session happens as it is shown', { timeout: 60_000 }, async () => {
  const before = process.cwd();
  try {
    const again = await replayed(withBlocks(readme), () => {
      const folder = freshFolder();
      process.chdir(folder);
      return new Terminal(folder);
    });
    await expect(again).toMatchFileSnapshot('../README.md');
  } finally {
    process.chdir(before);
  }
});

describe('nothing is left out', () => {
  const headings = [...readme.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);

  test.each(commandsOf().filter(([, command]) => command.commands.length === 0))('%s', (name, command) => {
    expect(headings).toContain(name);
    const section = readme.split(`### ${name}\n`)[1]?.split('\n### ')[0] ?? '';
    for (const { long } of command.options) expect(section).toContain(`${long}`);
  });

  test.each(operations())('$method $path', ({ method, path }) => {
    expect(readme).toContain(`| \`${method} ${path}\` |`);
  });

  const status = /\bProblem\((\d{3})|\bstatus: (\d{3})|\bjson\((\d{3})|'?[\w-]+'?: ([45]\d\d),/g;
  const statuses = sources('src/http').flatMap((source) =>
    [...source.matchAll(status)].map((match) => match.slice(1).find(Boolean) ?? ''),
  );
  test.each([...new Set(statuses)].sort())('status %s', (code) => {
    expect(readme).toMatch(new RegExp(`^\\| ${code} \\|`, 'm'));
  });

  const variables = sources('src').flatMap((source) =>
    [...source.matchAll(/\benv\[?\.?'?([A-Z][A-Z_]+)'?\]?/g)].map(([, name = '']) => name),
  );
  test.each([...new Set(variables)].sort())('variable %s', (name) => {
    expect(readme).toMatch(new RegExp(`^\\| \`${name}\``, 'm'));
  });

  const codes = [
    ...sources('src/cli')
      .join('')
      .matchAll(/\b(?:return|INTERRUPTED =|'?[\w-]+'?:) (\d{1,3})[,;]/g),
  ];
  test.each(['0', '1', '2', '3', '4', '130'])('exit code %s', (code) => {
    expect(codes.map(([, found]) => found)).toContain(code);
    expect(readme).toMatch(new RegExp(`^\\| ${code} \\|`, 'm'));
  });
});

describe('nothing is made up', () => {
  const typed = /^ {2}\$ |^\$ /;
  const shown = [...readme.matchAll(fenced)]
    .filter(([, language]) => language !== 'text')
    .flatMap(([, language, text = '']) => commandLines(text, language === 'console' ? typed : /^/));
  const lines = [...shown, ...commandLines(helps(), typed)].flatMap((line) =>
    [...line.matchAll(/(?:^|[\s(])(?:sciatica|node bin\/sciatica\.js) ([a-z-][^|;&>)#]*)/g)].map(
      ([, words = '']) => words.trim(),
    ),
  );

  test.each([...new Set(lines)])('sciatica %s', (line) => {
    const given = words(line);
    const { command, depth } = commandAt(given);
    if (given[0] && !given[0].startsWith('-')) expect(depth).toBeGreaterThan(0);
    const known = [...command.createHelp().visibleOptions(command), ...program.options];
    for (const flag of given.filter((word) => /^--?[a-z]/.test(word) && !/^-\d/.test(word)))
      expect(known.flatMap(({ short, long }) => [short, long, '-h', '--help', '--version'])).toContain(
        flag.split('=')[0],
      );
  });

  test('every flag in the text is one of some command', () => {
    const known = [program, ...commandsOf().map(([, command]) => command)].flatMap((command) =>
      command.options.map(({ long }) => long),
    );
    const foreign = ['--help', '--link', '--json', '--coverage', '--strict'];
    const named = [...prose.matchAll(/`(--[a-z-]+)[^`]*`/g)].map(([, flag]) => flag);
    expect(named.filter((flag) => flag && !known.includes(flag) && !foreign.includes(flag))).toEqual([]);
  });

  test('every link leads somewhere', () => {
    const anchors = [...readme.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));
    const targets = [...prose.matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => target);
    expect(targets.length).toBeGreaterThan(10);
    const dead = targets.filter((target) => {
      if (target.startsWith('#')) return !anchors.includes(target.slice(1));
      return !/^https:\/\//.test(target) && !existsSync(join(root, target));
    });
    expect(dead).toEqual([]);
    expect(anchors.filter((anchor, i) => anchors.indexOf(anchor) < i)).toEqual([]);
  });

  test('every path under src and test is there', () => {
    const named = [...readme.matchAll(/`((?:src|test|bin|dist)\/[\w./-]*)`/g)].map(([, path = '']) => path);
    expect(named.filter((path) => !path.startsWith('dist/') && !existsSync(join(root, path)))).toEqual([]);
  });
});

test('the questions are those that are asked', async () => {
  const db = prepared((store) => store.users.create(nora));
  const block = /```text\n\$ (sciatica log add)\n([\s\S]*?)```/.exec(readme)?.[2] ?? '';
  const { stdout, stderr } = await run(['log', 'add'], {
    db,
    now: README_NOW,
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
  expect(block.trimEnd().split('\n').slice(0, -1)).toEqual(done.filter((line) => line.startsWith('✔')));
  expect(block.trimEnd().split('\n').at(-1)).toBe(stdout.trimEnd());
});

/** `npm ci` refuses a lock file that leaves out packages for other machines: one is easily written where the registry is a mirror. */
test('the lock file has every package for every machine', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dependencies?: object; optionalDependencies?: object }>;
  };
  const missing = Object.entries(packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies }).filter(
      (name) => !packages[`node_modules/${name}`] && !packages[`${path}/node_modules/${name}`],
    ),
  );
  expect(missing).toEqual([]);
});

/** The help of every command, with its examples. */
function helps(): string {
  return [program, ...commandsOf().map(([, command]) => command)]
    .map((command) => {
      let text = '';
      command.configureOutput({ writeOut: (more) => (text += more) });
      command.outputHelp();
      return text;
    })
    .join('\n');
}

/** The lines that are typed, those that go on after a backslash put together. */
function commandLines(text: string, typed: RegExp): string[] {
  const lines = text.replace(/\\\n/g, ' ').split('\n');
  return lines.filter((line) => typed.test(line)).map((line) => line.replace(typed, ''));
}

function commandAt(given: readonly string[]) {
  let command = program;
  let depth = 0;
  for (const word of given) {
    const next = command.commands.find((child) => child.name() === word);
    if (!next) break;
    command = next;
    depth += 1;
  }
  return { command, depth };
}
