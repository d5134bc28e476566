// Runs every test on other versions of Node, each in a copy of this tree with its packages.
//   node test/nodes.mjs 22 24
//   node test/nodes.mjs 26 test/store    only the tests of a folder
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const LEFT_OUT = ['.git', 'dist'].map((name) => join(root, name));

const isVersion = (word) => /^\d/.test(word);
const folders = process.argv.slice(2).filter((word) => !isVersion(word));

for (const version of process.argv.slice(2).filter(isVersion)) {
  const folder = mkdtempSync(join(tmpdir(), `sciatica-node-${version}-`));
  try {
    testOn(version, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function testOn(version, folder) {
  const bin = join(folder, 'node_modules', '.bin');
  const tree = join(folder, 'sciatica');
  // Some tests start Node as another user.
  chmodSync(folder, 0o755);
  mkdirSync(tree);
  cpSync(root, tree, { recursive: true, filter: (path) => !LEFT_OUT.includes(path) });
  // The package `node` brings the binary of a release; its script puts it in place.
  const manifest = { private: true, allowScripts: { node: true } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  run('npm', ['install', '--no-save', '--ignore-scripts=false', `node@${version}`], folder);
  const path = `${bin}${delimiter}${process.env.PATH}`;
  run('node', ['--version'], tree, path);
  // What this version takes besides, which is the database engine. No scripts: the other engine would be compiled for nothing.
  run('npm', ['install', '--no-save', '--ignore-scripts'], tree, path);
  run('npm', ['test', '--', ...folders], tree, path);
}

function run(command, argv, cwd, PATH = process.env.PATH) {
  const { status, error } = spawnSync(command, argv, {
    cwd,
    env: { ...process.env, PATH },
    stdio: 'inherit',
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ${argv.join(' ')} ended with ${status}.`);
}
