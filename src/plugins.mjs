// What the build bundles, and what it puts in the place of modules that packages ask for, so that commands start sooner.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const isThere = (name) => existsSync(new URL(`../node_modules/${name}`, import.meta.url));

/**
 * What stays outside: native libraries, and the engine of the versions of Node that this is not. That of Node 20 is bundled, for its
 * fourteen small files take long to load; it looks for its library with `bindings` only where it is not given it.
 */
export const external = [
  'better-sqlite3',
  ...(isThere('better-sqlite3-12') ? [] : ['better-sqlite3-12']),
  'bindings',
  /\.node$/,
];

/** commander starts commands that are programs of their own; ours are not, and loading the module takes 2 ms. */
const noChildProcess = {
  name: 'commander-without-child-process',
  resolveId: (source, importer) =>
    source === 'node:child_process' && importer?.includes('/commander/') ? '\0no-child-process' : undefined,
  load: (id) => (id === '\0no-child-process' ? 'module.exports = {};' : undefined),
};

/** cli-table3 measures as we do: its own Unicode tables are those of 2019, and take time to load. */
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
