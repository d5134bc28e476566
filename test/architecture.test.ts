import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

/** Who may know whom (README, "Inside"): the rooms a room may import from besides itself. */
const rooms: Record<string, readonly string[]> = {
  domain: [],
  store: ['domain'],
  exchange: ['domain'],
  insights: ['domain'],
  cli: ['domain', 'store', 'exchange', 'insights', 'context.ts'],
  http: ['domain', 'store', 'exchange', 'insights', 'context.ts'],
  'context.ts': ['domain', 'store'],
  'main.ts': ['domain', 'cli', 'context.ts'],
};

/** The one file that starts the other front end. */
const SERVE = 'cli/commands/serve.ts';

/** Packages that only some rooms touch, and domain touches no others than its own. */
const packages: [name: RegExp, rooms: readonly string[]][] = [
  [/^better-sqlite3$/, ['store']],
  [/^(chalk|cli-table3|commander)$/, ['cli']],
  [/^@inquirer\//, ['cli']],
  [/^(node:)?https?2?$/, ['http']],
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

test('the imports are found', () => {
  expect(files.length).toBeGreaterThan(10);
  expect(imports('store/connection.ts')).toEqual(['better-sqlite3', 'store/database.ts']);
  expect(imports('store/open.ts')).toEqual(
    expect.arrayContaining(['node:fs', 'domain/errors.ts', 'store/migrations.ts']),
  );
});

describe.each(files)('%s', (name) => {
  const room = roomOf(name);

  test('lives in a room that has a rule', () => expect(Object.keys(rooms)).toContain(room));

  test('knows only whom it may know', () => {
    const own = imports(name).filter(isOurs);
    const may = new Set([room, ...(rooms[room] ?? []), ...(name === SERVE ? ['http'] : [])]);
    expect(own.filter((target) => !may.has(roomOf(target)))).toEqual([]);
  });

  test('uses only the packages of its room', () => {
    const others = imports(name).filter((target) => !isOurs(target));
    const wrong = others.filter((target) =>
      packages.some(([pattern, users]) => pattern.test(target) && !users.includes(room)),
    );
    expect(wrong).toEqual([]);
    if (room === 'domain')
      expect(others.filter((target) => !['zod', 'fastest-levenshtein'].includes(target))).toEqual([]);
  });

  test('is short enough to read', () => {
    expect(sources.get(name)?.split('\n').length).toBeLessThanOrEqual(300);
  });

  test.skipIf(name === 'main.ts')('does not end the process', () => {
    expect(sources.get(name)).not.toMatch(/\bprocess\s*\.\s*(exit|reallyExit|abort)\s*\(/);
  });
});

/** What a file loads at once: neither what it imports on demand, nor types. */
function loads(name: string): string[] {
  const found = (sources.get(name) ?? '').matchAll(/^(?:import|export) (?!type )[^;]*?from '(\.[^']+)'/gm);
  return [...found].map(([, target = '']) =>
    relative(root, join(root, dirname(name), target)).replaceAll('\\', '/'),
  );
}

test('a list of logs waits for no statistics, no server and no other format', () => {
  const loaded = new Set(['main.ts']);
  for (const name of loaded) for (const target of loads(name)) loaded.add(target);
  expect(loaded).toContain('cli/commands/summary.ts');
  expect([...loaded].filter((name) => /^(insights|http|cli\/screens)\/|fhir|csv/.test(name))).toEqual([]);
});
