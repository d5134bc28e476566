import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build, type Plugin } from 'rolldown';
import { expect, onTestFinished, test } from 'vitest';
import { freshFolder, nora, userFlags } from './helpers.ts';

/** What is published: the tarball, the licences in it, and whether it can be installed and started. */

interface Manifest {
  name: string;
  version: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

const root = fileURLToPath(new URL('..', import.meta.url));
const json = <T>(...path: string[]) => JSON.parse(readFileSync(join(root, ...path), 'utf8')) as T;
const { packages } = json<{ packages: Record<string, Manifest> }>('package-lock.json');

/** `npm ci` refuses a lock file that leaves out packages for other machines: one is easily written where the registry is a mirror. */
test('the lock file has every package for every machine', () => {
  const missing = Object.entries(packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies }).filter(
      (name) => !packages[`node_modules/${name}`] && !packages[`${path}/node_modules/${name}`],
    ),
  );
  expect(missing).toEqual([]);
});

test('the notices have the licence of every package whose code is in the bundle', async () => {
  const { external, plugins } = (await import(join(root, 'src/plugins.mjs'))) as {
    external: (string | RegExp)[];
    plugins: Plugin[];
  };
  const { output } = await build({
    cwd: root,
    input: 'src/main.ts',
    platform: 'node',
    external,
    plugins,
    logLevel: 'silent',
    write: false,
  });
  const modules = output.flatMap((file) => (file.type === 'chunk' ? Object.entries(file.modules) : []));
  const folders = modules
    .filter(([, { renderedLength }]) => renderedLength > 0)
    .map(([path]) => relative(root, path).match(/^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//)?.[1]);
  const ofPage = ['node_modules/idb', 'node_modules/preact'];
  const bundled = [...new Set([...folders, ...ofPage])].filter((folder) => folder !== undefined);
  expect(bundled.length).toBeGreaterThan(20);
  const sections = readFileSync(join(root, 'dist/THIRD-PARTY-NOTICES'), 'utf8').split(
    `\n${'-'.repeat(80)}\n`,
  );
  const wanting = bundled.filter((folder) => {
    const { name, version } = json<Manifest>(folder, 'package.json');
    const section = sections.find((text) => text.startsWith(`\n${name} ${version} (`)) ?? '';
    const licence = readdirSync(join(root, folder)).find((file) => /^licen[cs]e/i.test(file));
    return !section.includes(
      licence ? readFileSync(join(root, folder, licence), 'utf8').trim() : 'Copyright (c) ',
    );
  });
  expect(wanting).toEqual([]);
  expect(sections.slice(1).filter((text) => !/Copyright/i.test(text) || text.length < 500)).toEqual([]);
  expect(sections.length - 1).toBe(bundled.length);
  // A manifest may lack the field: then the licence is named by hand.
  expect(sections.filter((text) => text.includes('(undefined)'))).toEqual([]);
});

const run = promisify(execFile);

test('the tarball is installed into an empty prefix, and works', async ({ skip }) => {
  skip(spawnSync('npm', ['--version']).status !== 0, 'npm cannot be run here');
  skip(spawnSync('tar', ['--version']).status !== 0, 'tar cannot be run here');
  const folder = freshFolder();
  // Nothing of the npm that runs this test, and no network but the registry below.
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    npm_config_registry: await registry(),
    npm_config_prefix: join(folder, 'prefix'),
    npm_config_cache: join(folder, 'cache'),
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
    // dist is built, and other tests run it; the database engine comes compiled.
    npm_config_ignore_scripts: 'true',
  };
  const packed = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: root, env });
  const [{ filename, files }] = JSON.parse(packed.stdout) as [
    { filename: string; files: { path: string }[] },
  ];
  const published = files.map(({ path }) => path);
  expect(published).toEqual(
    expect.arrayContaining([
      'LICENSE',
      'README.md',
      'bin/sciatica.js',
      'dist/THIRD-PARTY-NOTICES',
      'dist/main.js',
      'dist/sciatica.1',
    ]),
  );
  expect(
    published.filter((path) => !/^((bin|dist)\/|(LICENSE|README\.md|package\.json)$)/.test(path)),
  ).toEqual([]);

  await run('npm', ['install', '--global', join(folder, filename)], { cwd: folder, env });
  const sciatica = async (...argv: string[]) =>
    (
      await run(join(folder, 'prefix/bin/sciatica'), argv, {
        cwd: folder,
        env: { PATH: env.PATH, HOME: folder },
      })
    ).stdout;
  // Where man looks for it.
  const page = readFileSync(join(folder, 'prefix/share/man/man1/sciatica.1'), 'utf8');
  expect(page).toMatch(/^\.TH SCIATICA 1/m);
  expect(await sciatica('--version')).toBe(`${json<Manifest>('package.json').version}\n`);
  expect(await sciatica('user', 'add', ...userFlags())).toContain('Added Nora Lind (user 1)');
  expect(JSON.parse(await sciatica('users', '--json'))).toEqual([{ id: 1, ...nora }]);
});

test('a clone that is not built says in one line how to build it', () => {
  const folder = freshFolder();
  cpSync(join(root, 'bin'), join(folder, 'bin'), { recursive: true });
  const { status, stdout, stderr } = spawnSync(process.execPath, ['bin/sciatica.js', 'logs'], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect({ status, stdout, stderr }).toEqual({
    status: 1,
    stdout: '',
    stderr: 'sciatica: this clone is not built yet. In its folder, run: npm ci\n',
  });
});

test.each(['-V', '--version'])('%s loads nothing of the program', (flag) => {
  const folder = freshFolder();
  cpSync(join(root, 'bin'), join(folder, 'bin'), { recursive: true });
  cpSync(join(root, 'package.json'), join(folder, 'package.json'));
  const { status, stdout } = spawnSync(process.execPath, ['bin/sciatica.js', flag], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect({ status, stdout }).toEqual({
    status: 0,
    stdout: `${json<Manifest>('package.json').version}\n`,
  });
});

test('without the database engine, one line says so', () => {
  const folder = freshFolder();
  for (const part of ['bin', 'dist']) cpSync(join(root, part), join(folder, part), { recursive: true });
  const { status, stderr } = spawnSync(
    process.execPath,
    ['bin/sciatica.js', 'demo', '--db', join(folder, 'test.db')],
    { cwd: folder, encoding: 'utf8', env: { PATH: process.env['PATH'] ?? '' } },
  );
  expect(status).toBe(1);
  expect(stderr).toMatch(/^sciatica: The database engine is not installed for Node \S+ on \S+\. .*\n$/);
  expect(existsSync(join(folder, 'test.db'))).toBe(false);
});

const isNode20 = Number.parseInt(process.versions.node, 10) < 22;
const prefix = dirname(dirname(process.execPath));

test.skipIf(!isNode20 || !existsSync(join(prefix, 'include/node/node.h')))(
  'an engine that npm left out is compiled with the headers of Node, and what cannot be is said',
  () => {
    const folder = freshFolder();
    mkdirSync(join(folder, 'src'));
    for (const file of ['src/engine.mjs', 'package.json']) cpSync(join(root, file), join(folder, file));
    writeFileSync(join(folder, 'npm'), '#!/bin/sh\necho "$npm_config_nodedir $*" > called\n', {
      mode: 0o755,
    });
    const { status, stdout, stderr } = spawnSync(process.execPath, ['src/engine.mjs'], {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: `${folder}:${process.env['PATH']}` },
    });
    expect({ status, stdout, stderr }).toEqual({
      status: 0,
      stdout: 'Compiling the database engine: this takes a minute.\n',
      stderr: 'The database engine could not be compiled: see "Try it" in the README for what it takes.\n',
    });
    const { optionalDependencies = {} } = json<Manifest>('package.json');
    const engine = `better-sqlite3-12@${optionalDependencies['better-sqlite3-12']}`;
    expect(readFileSync(join(folder, 'called'), 'utf8')).toBe(
      `${prefix} install --no-save --no-package-lock --loglevel=error ${engine}\n`,
    );
  },
);

/** A registry that has what is installed here, compiled engine included. @returns its address */
async function registry(): Promise<string> {
  const installed = Object.keys(packages)
    .filter((path) => path !== '' && existsSync(join(root, path, 'package.json')))
    .map((path) => ({ path, manifest: json<Manifest>(path, 'package.json') }));
  const server = createServer((request, response) => {
    const asked = decodeURIComponent(request.url?.slice(1) ?? '');
    if (asked.endsWith('.tgz')) return response.end(tarball(asked.slice(0, -'.tgz'.length)));
    const versions = installed.filter(({ manifest }) => manifest.name === asked);
    if (versions.length === 0) return response.writeHead(404).end('{}');
    const entries = versions.map(({ path, manifest }) => [
      manifest.version,
      { ...manifest, dist: { tarball: `${base()}${path}.tgz` } },
    ]);
    const latest = versions[0]?.manifest.version;
    return response.end(
      JSON.stringify({ name: asked, 'dist-tags': { latest }, versions: Object.fromEntries(entries) }),
    );
  });
  const base = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return base();
}

/** A package as it is installed, without the sources of its native part. */
function tarball(path: string): Buffer {
  const left = ['node_modules', 'deps', 'src', 'obj', 'obj.target'].map((name) => `--exclude=${name}`);
  const args = ['-cz', ...left, '-C', join(root, dirname(path)), basename(path)];
  return execFileSync('tar', args, { maxBuffer: 64 * 1024 * 1024 });
}
