#!/usr/bin/env node
const { existsSync } = require('node:fs');
const { enableCompileCache } = require('node:module');
const { dirname, join } = require('node:path');

const main = join(__dirname, '../dist/main.js');
if (existsSync(main)) {
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
  const folder = folders[process.platform] ?? folders.linux;
  // Where the folder cannot be written, it returns a status and changes nothing; below a home that is not there, Node may
  // try to create the folder without end.
  if (folder && existsSync(dirname(folder))) enableCompileCache?.(join(folder, 'sciatica', 'compiled'));
}
