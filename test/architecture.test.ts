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
  cases: ['domain', 'lib', 'store', 'exchange', 'insights'],
  cli: ['domain', 'lib', 'store', 'exchange', 'insights', 'cases', 'sync', 'context.ts'],
  companion: ['domain'],
  http: ['domain', 'lib', 'store', 'exchange', 'insights', 'cases', 'context.ts'],
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
  [/^(preact(\/hooks)?|idb)$/, ['companion']],
  [/^(zod|fastest-levenshtein)$/, ['domain', 'store', 'exchange', 'insights', 'cli', 'http']],
];

const root = fileURLToPath(new URL('../src', import.meta.url));
const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('sciatica-api.d.ts'))
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

const isOurs = (target: string) => /\.tsx?$/.test(target);
const roomOf = (name: string) => name.split('/')[0] ?? '';

/** Longest file, in lines; migrations are literals and may be longer. */
const MOST_LINES = 450;
/** A shorter file that one other imports belongs into that one, unless it is a seam. */
const LEAST_LINES = 40;

/** Short files that stand for themselves: what is loaded apart, and what several layers share. */
const seams = [/\/(worker|messages)\.ts$/, /\.d\.ts$/];

/** Short files with one importer that are left. */
const knownShort: readonly string[] = [];
/** Files that one other imports stay fewer than this, besides those that stand in a list. */
const FEWER_THAN = 45;
/** A kind of record, a command, a route, a migration: docs/CONTRIBUTING.md adds each as a file, however short, and its line in a list. */
const isListed = (name: string) =>
  /^(cli\/commands|http\/routes|store\/sqlite\/migrations)\//.test(name) ||
  graph.get('domain/kinds.ts')?.has(name);

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

/** The sets of nodes of which each leads to each other (Tarjan, “Depth-first search and linear graph algorithms”, 1972). */
function circlesOf(graph: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const [found, order, low, path]: [string[], Map<string, number>, Map<string, number>, string[]] = [
    [],
    new Map(),
    new Map(),
    [],
  ];
  const visit = (node: string) => {
    order.set(node, order.size);
    low.set(node, order.get(node) ?? 0);
    path.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!order.has(next)) visit(next);
      if (path.includes(next)) low.set(node, Math.min(low.get(node) ?? 0, low.get(next) ?? 0));
    }
    if (low.get(node) !== order.get(node)) return;
    const circle = path.splice(path.indexOf(node));
    if (circle.length > 1) found.push(circle.sort().join(' '));
  };
  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return found.sort();
}

/** Our own files that each file imports, types and what is loaded on demand included. */
const graph = new Map(
  files.map((name) => [name, new Set(imports(name).filter((target) => sources.has(target)))]),
);

test('no file leads back to itself', () => {
  expect(circlesOf(graph)).toEqual([]);
});

test('no folder leads back to itself', () => {
  // What lies in no folder is one of its own.
  const folderOf = (name: string) => (name.includes('/') ? dirname(name) : name);
  const folders = new Map<string, Set<string>>();
  for (const [name, targets] of graph)
    for (const target of [name, ...targets]) {
      const known = folders.get(folderOf(name)) ?? new Set();
      folders.set(folderOf(name), known);
      if (folderOf(target) !== folderOf(name)) known.add(folderOf(target));
    }
  expect(circlesOf(folders)).toEqual([]);
});

/** The views of the page for phones: each stands for itself, and one file shows them all. */
const isView = (name: string) => name.startsWith('companion/') && name.endsWith('.tsx');

/** Files that exactly one other imports, types and what is loaded on demand included. */
const ofOne = files.filter(
  (name) => !isView(name) && files.filter((other) => graph.get(other)?.has(name)).length === 1,
);

test(`fewer than ${FEWER_THAN} files have one importer and stand in no list`, () => {
  const others = ofOne.filter((name) => !isListed(name));
  expect(others.length).toBeLessThan(FEWER_THAN);
});

test(`no file of less than ${LEAST_LINES} lines has one importer`, () => {
  const short = ofOne.filter(
    (name) =>
      (sources.get(name)?.split('\n').length ?? 0) <= LEAST_LINES &&
      !isListed(name) &&
      !seams.some((seam) => seam.test(name)),
  );
  expect(short.filter((name) => !knownShort.includes(name))).toEqual([]);
});

/** Rooms in which nothing imports itself by way of others, types included. */
const STRAIGHT = ['cases', 'insights'];

test.each([
  ['file', (name: string) => name],
  ['folder', dirname],
])('in rooms that are straight no %s imports another in a circle', (_, partOf) => {
  const inside = files.filter((name) => STRAIGHT.includes(roomOf(name)));
  const parts = new Map(inside.map((name) => [partOf(name), new Set<string>()]));
  for (const name of inside)
    for (const target of imports(name).map(partOf))
      if (target !== partOf(name) && parts.has(target)) parts.get(partOf(name))?.add(target);
  // What imports nothing that is left is in no circle.
  for (let count = -1; count !== parts.size; ) {
    count = parts.size;
    for (const [part, targets] of parts)
      if (![...targets].some((target) => parts.has(target))) parts.delete(part);
  }
  expect([...parts.keys()]).toEqual([]);
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
  expect(loaded).toContain('cli/terminal/output.ts');
  expect(
    [...loaded].filter((name) =>
      /^(insights|http|exchange|cli\/(views\/(changes|comparison|summary)|terminal\/(layout|table))\.)/.test(
        name,
      ),
    ),
  ).toEqual([]);
});
