#!/usr/bin/env node
const { existsSync, mkdirSync } = require('node:fs');
const { enableCompileCache } = require('node:module');
const { join } = require('node:path');

const main = join(__dirname, '../dist/main.js');
const [, , first, ...others] = process.argv;
if ((first === '-V' || first === '--version') && others.length === 0) {
  process.stdout.on('error', () => {
    process.exitCode = 1;
  });
  process.stdout.write(`${require('../package.json').version}\n`);
} else if (existsSync(main)) {
  keepCompiled();
  require(main);
} else {
  process.stderr.write('sciatica: this clone is not built yet. In its folder, run: npm ci\n');
  process.exitCode = 1;
}

/** Lets Node 22.1 and later keep compiled code, in the person's own cache folder: the default is one that all users share. */
function keepCompiled() {
  const { HOME, XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  const folders = {
    win32: LOCALAPPDATA,
    darwin: HOME && join(HOME, 'Library', 'Caches'),
    linux: XDG_CACHE_HOME?.startsWith('/') ? XDG_CACHE_HOME : HOME && join(HOME, '.cache'),
  };
  const base = folders[process.platform] ?? folders.linux;
  if (!base || !enableCompileCache) return;
  const folder = join(base, 'sciatica', 'compiled');
  // Made here, one by one: where Node cannot make them, as below /proc, it may try without end.
  if ([base, join(base, 'sciatica'), folder].every(isMade)) enableCompileCache(folder);
}

/** Whether a folder is there, or could be made. */
function isMade(folder) {
  try {
    mkdirSync(folder, { mode: 0o700 });
    return true;
  } catch (error) {
    return error.code === 'EEXIST';
  }
}
