// npm run build: src/main.ts → dist, as CommonJS files that load each other on demand, and the licences of what is in them.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const common = { absWorkingDir: root, platform: 'node', target: 'node20', logLevel: 'warning' };

rmSync(dist, { recursive: true, force: true });
// esbuild splits ES modules only, so they come first; better-sqlite3 loads a native library and stays a package.
const { metafile } = await build({
  ...common,
  entryPoints: ['src/main.ts'],
  bundle: true,
  splitting: true,
  format: 'esm',
  external: ['better-sqlite3*'],
  outdir: 'dist/esm',
  metafile: true,
});
await build({
  ...common,
  entryPoints: ['dist/esm/*.js'],
  format: 'cjs',
  // import() has to become require(), or the chunks would be loaded by the slower loader of ES modules.
  supported: { 'dynamic-import': false },
  minifySyntax: true,
  minifyWhitespace: true,
  outdir: 'dist',
});
// The threads of the service, in a file of their own: shared with the others, its code would be cut into more of them.
await build({
  ...common,
  entryPoints: ['src/http/workers/worker.ts'],
  bundle: true,
  format: 'cjs',
  external: ['better-sqlite3*'],
  minifySyntax: true,
  minifyWhitespace: true,
  outdir: 'dist',
});
rmSync(join(dist, 'esm'), { recursive: true });
writeFileSync(join(dist, 'THIRD-PARTY-NOTICES'), notices(packagesOf(metafile)));

/** The folders of the packages that a bundle contains, in order. */
function packagesOf({ outputs }) {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
  const folders = inputs
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([path]) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]);
  return [...new Set(folders.filter((folder) => folder !== undefined))].sort();
}

function notices(folders) {
  const sections = folders.map((folder) => {
    const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    const { name, version, license } = manifest;
    return `${name} ${version} (${license})\n\n${licenceOf(folder, manifest)}`;
  });
  const rule = `\n\n${'-'.repeat(80)}\n\n`;
  return `${['sciatica contains code of these packages.', ...sections].join(rule)}\n`;
}

/** @throws when neither the package nor its manifest gives a licence: then its code must not be published */
function licenceOf(folder, { name, license, author }) {
  const files = readdirSync(join(root, folder)).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
  if (files.length > 0)
    return files.map((file) => readFileSync(join(root, folder, file), 'utf8').trim()).join('\n\n');
  const holder = typeof author === 'object' ? author.name : author;
  if (license !== 'MIT' || !holder) throw new Error(`${name} brings no licence text and declares ${license}`);
  // The text of MIT is the same for everybody, so ours serves once the holder is named.
  const ours = readFileSync(join(root, 'LICENSE'), 'utf8');
  return `Copyright (c) ${holder}\n\n${ours.slice(ours.indexOf('Permission is hereby granted')).trim()}`;
}
