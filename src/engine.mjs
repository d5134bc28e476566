// Runs within `npm ci` on Node 20, where npm silently skips the optional database engine if it can download
// neither that nor the headers to compile it: this compiles it with the headers of the Node installation.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const NAME = 'better-sqlite3-12';
const root = fileURLToPath(new URL('..', import.meta.url));
const prefix = dirname(dirname(process.execPath));

if (Number.parseInt(process.versions.node, 10) < 22 && !isInstalled()) {
  if (existsSync(join(prefix, 'include/node/node.h'))) {
    console.log('Compiling the database engine: this takes a minute.');
    install();
  }
  if (!isInstalled())
    console.error('The database engine could not be compiled: see "Try it" in the README for what it takes.');
}

function isInstalled() {
  try {
    createRequire(import.meta.url).resolve(`${NAME}/build/Release/better_sqlite3.node`);
    return true;
  } catch {
    return false;
  }
}

function install() {
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const words = [
    'install',
    '--no-save',
    '--no-package-lock',
    '--loglevel=error',
    `${NAME}@${optionalDependencies[NAME]}`,
  ];
  // On Windows npm is a script, which only a shell can start.
  spawnSync('npm', words, {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
    env: { ...process.env, npm_config_nodedir: prefix },
  });
}
