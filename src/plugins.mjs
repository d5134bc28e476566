// Modules that are not bundled, and stubs for modules that packages import: commands start sooner.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const isThere = (name) => existsSync(new URL(`../node_modules/${name}`, import.meta.url));

/**
 * Modules that are not bundled: native libraries, and better-sqlite3 for Node 22 and later. That for Node 20 (better-sqlite3-12)
 * is bundled where it is installed, since its fourteen small files load slowly; it then needs no `bindings` to find its library.
 */
export const external = [
  'better-sqlite3',
  ...(isThere('better-sqlite3-12') ? [] : ['better-sqlite3-12']),
  'bindings',
  /\.node$/,
];

/** Stubs node:child_process in commander: it is for subcommands that are executables (none here), and takes 2 ms to load. */
const noChildProcess = {
  name: 'commander-without-child-process',
  resolveId: (source, importer) =>
    source === 'node:child_process' && importer?.includes('/commander/') ? '\0no-child-process' : undefined,
  load: (id) => (id === '\0no-child-process' ? 'module.exports = {};' : undefined),
};

/** Replaces string-width in cli-table3 by `widthOf`: its Unicode tables are of 2019, and take time to load. */
const oneStringWidth = {
  name: 'cli-table3-with-our-string-width',
  resolveId: (source, importer) =>
    source === 'string-width' && importer?.includes('/cli-table3/') ? '\0string-width' : undefined,
  load: (id) =>
    id === '\0string-width'
      ? `module.exports = require(${JSON.stringify(fileURLToPath(new URL('cli/terminal/width.ts', import.meta.url)))}).widthOf;`
      : undefined,
};

export const plugins = [noChildProcess, oneStringWidth];
