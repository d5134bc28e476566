import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** The rooms that each room may import from, besides itself (docs/inside.md). */
const rooms: Record<string, readonly string[]> = {
  domain: [],
  lib: [],
  store: ['domain', 'lib'],
  exchange: ['domain', 'lib'],
  insights: ['domain', 'lib'],
  sync: ['domain', 'lib', 'store'],
  cli: ['domain', 'lib', 'store', 'exchange', 'insights', 'sync', 'context.ts'],
  http: ['domain', 'lib', 'store', 'exchange', 'insights', 'context.ts'],
  'context.ts': ['domain', 'lib', 'store'],
  'main.ts': ['domain', 'cli', 'context.ts'],
};

/** The one file that starts the other front end. */
const SERVE = 'cli/commands/serve.ts';

/** Packages that only some rooms touch, and domain touches no others than its own. */
const packages: [name: RegExp, rooms: readonly string[]][] = [
  [/^better-sqlite3(-12)?$/, ['store']],
  [/^(chalk|cli-table3|commander)$/, ['cli']],
  [/^@inquirer\//, ['cli']],
  [/^(node:)?https?2?$/, ['http', 'sync']],
  [/^(zod|fastest-levenshtein)$/, ['domain', 'store', 'exchange', 'insights', 'cli', 'http']],
];

const root = fileURLToPath(new URL('../src', import.meta.url));
const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => name.replaceAll('\\', '/'))
  .sort();
const sources = new Map(files.map((name) => [name, readFileSync(join(root, name), 'utf8')]));

/** What a file imports: its own files as paths under src, packages by their names. */
function imports(name: string): string[] {
  const source = sources.get(name) ?? '';
  const found = source.matchAll(
    /(?:\bfrom\s+|\bimport(?:\s+|\s*\(\s*)|\brequire\s*\(\s*)(['"])([^'"\n]+)\1/g,
  );
  return [...found].map(([, , target = '']) =>
    target.startsWith('.') ? relative(root, join(root, dirname(name), target)).replaceAll('\\', '/') : target,
  );
}

const isOurs = (target: string) => target.endsWith('.ts');
const roomOf = (name: string) => name.split('/')[0] ?? '';

/** Longest file, in lines; migrations are literals and may be longer. */
const MOST_LINES = 450;
/** Most files directly in one folder; the commands are a file each. */
const MOST_FILES = 20;

test('the imports are found', () => {
  expect(files.length).toBeGreaterThan(100);
  expect(imports('store/sqlite/connection.ts')).toEqual(
    expect.arrayContaining(['better-sqlite3', 'store/sqlite/database.ts']),
  );
});

/** What each file does against a rule, which must be nothing. */
const rules: [rule: string, offences: (name: string) => unknown[]][] = [
  ['lives in a room that has a rule', (name) => (rooms[roomOf(name)] ? [] : [roomOf(name)])],
  [
    'imports only from rooms that its room may know',
    (name) => {
      const room = roomOf(name);
      const may = [room, ...(rooms[room] ?? []), ...(name === SERVE ? ['http'] : [])];
      return imports(name).filter((target) => isOurs(target) && !may.includes(roomOf(target)));
    },
  ],
  [
    'uses only the packages of its room',
    (name) => {
      const room = roomOf(name);
      const others = imports(name).filter((target) => !isOurs(target));
      return others.filter((target) =>
        room === 'domain'
          ? !['zod', 'zod/mini', 'fastest-levenshtein'].includes(target)
          : packages.some(([pattern, users]) => pattern.test(target) && !users.includes(room)),
      );
    },
  ],
  [
    'is short enough to read',
    (name) => {
      const lines = sources.get(name)?.split('\n').length ?? 0;
      return lines > MOST_LINES && !name.startsWith('store/sqlite/migrations/') ? [lines] : [];
    },
  ],
  [
    'does not end the process',
    (name) =>
      name === 'main.ts'
        ? []
        : [...(sources.get(name) ?? '').matchAll(/\bprocess\s*\.\s*(exit|reallyExit|abort)\s*\(/g)].map(
            ([call]) => call,
          ),
  ],
];

test.each(rules)('every file %s', (_, offences) => {
  const found = files.map((name) => [name, offences(name)] as const);
  expect(found.filter(([, wrong]) => wrong.length > 0)).toEqual([]);
});

test(`no folder has more than ${MOST_FILES} files`, () => {
  const counts = new Map<string, number>();
  for (const name of files) counts.set(dirname(name), (counts.get(dirname(name)) ?? 0) + 1);
  expect([...counts].filter(([folder, count]) => count > MOST_FILES && folder !== 'cli/commands')).toEqual(
    [],
  );
});

/** What a file loads at once: neither what it imports on demand, nor types. */
function loads(name: string): string[] {
  const found = (sources.get(name) ?? '').matchAll(/^(?:import|export) (?!type )[^;]*?from '(\.[^']+)'/gm);
  return [...found].map(([, target = '']) =>
    relative(root, join(root, dirname(name), target)).replaceAll('\\', '/'),
  );
}

test('a list of logs waits for no statistics, no server and no other format', () => {
  const loaded = new Set(['main.ts', 'cli/commands/logs.ts']);
  for (const name of loaded) for (const target of loads(name)) loaded.add(target);
  expect(loaded).toContain('cli/output/output.ts');
  expect(
    [...loaded].filter((name) =>
      /^(insights|http|exchange|cli\/views\/(changes|comparison|by-location|summary|layout|table)\.)/.test(
        name,
      ),
    ),
  ).toEqual([]);
});
