// npm run build: bundles the program (CommonJS chunks, loaded on demand), the worker thread and the companion
// page into dist, with the licence notices of the bundled packages and the manual page.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { iconAsPng, iconAsSvg } from './icons.mjs';
import { external, plugins } from './plugins.mjs';

/** Licences of packages whose manifest has no field `license`, as their licence texts state them. */
const LICENCES = { jstat: 'MIT' };

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');

const common = {
  cwd: root,
  platform: 'node',
  transform: { target: 'node20' },
  external,
  plugins,
  logLevel: 'warn',
  // No warning for a module with static and dynamic imports: it is loaded with the importer that needs it.
  checks: { ineffectiveDynamicImport: false },
};
const written = {
  format: 'cjs',
  minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
};

rmSync(dist, { recursive: true, force: true });
const { output: program } = await build({
  ...common,
  input: 'src/main.ts',
  // Everything that every command loads goes into one file: each further file adds 0.3 ms to the start.
  output: { ...written, dir: dist, codeSplitting: { groups: [{ name: 'main', tags: ['$initial'] }] } },
});
// The worker thread, bundled separately: code shared with the program would split that into more files.
const { output: worker } = await build({
  ...common,
  input: 'src/http/workers/worker.ts',
  output: { ...written, file: join(dist, 'worker.js'), codeSplitting: false },
});
const page = await companion();
writeFileSync(join(dist, 'THIRD-PARTY-NOTICES'), notices(packagesOf([...program, ...worker, ...page])));

writeFileSync(join(dist, 'sciatica.1'), await manualPage());

/** Bundles the companion page into dist/app. Names that contain a hash of the content can be cached for ever. @returns chunks */
async function companion() {
  const [from, to] = [join(root, 'src/companion'), join(dist, 'app')];
  const { output: script } = await build({
    cwd: root,
    platform: 'browser',
    input: join(from, 'main.ts'),
    transform: { target: 'es2022' },
    tsconfig: join(from, 'tsconfig.json'),
    output: { format: 'iife', minify: true, codeSplitting: false, comments: { annotation: false } },
    write: false,
    logLevel: 'warn',
  });
  const files = {};
  const hashed = (name, content) => {
    const [stem, end] = name.split('.');
    const called = `${stem}-${createHash('sha256').update(content).digest('hex').slice(0, 12)}.${end}`;
    files[called] = content;
    return called;
  };
  const style = readFileSync(join(from, 'style.css'), 'utf8')
    .replace(/\/\*.*?\*\/|\n\s*/gs, '')
    .replace(/;?\s*([{};,])\s*/g, '$1')
    .replaceAll(': ', ':');
  const names = { STYLE: hashed('style.css', style), SCRIPT: hashed('app.js', script[0].code) };
  const html = readFileSync(join(from, 'index.html'), 'utf8');
  files['index.html'] = html.replace(/STYLE|SCRIPT/g, (name) => names[name]);
  files['manifest.webmanifest'] = readFileSync(join(from, 'manifest.webmanifest'), 'utf8');
  files['icon.svg'] = iconAsSvg();
  // 180 px: the home screen of iOS; the others: required by Chrome before it offers to install a page.
  for (const size of [180, 192, 512]) files[`icon-${size}.png`] = iconAsPng(size);
  const paths = Object.keys(files).map((name) => `/app/${name === 'index.html' ? '' : name}`);
  const version = createHash('sha256').update(JSON.stringify(files)).digest('hex').slice(0, 12);
  files['worker.js'] =
    `const FILES = ${JSON.stringify(paths)}, CACHE = 'companion-${version}', SCRIPT = '/app/${names.SCRIPT}';
const policy = self.trustedTypes?.createPolicy('companion', { createScriptURL: () => SCRIPT });
importScripts(policy?.createScriptURL('') ?? SCRIPT);
`;
  files['licences.txt'] = notices(packagesOf(script));
  mkdirSync(to, { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(to, name), content);
  return script;
}

/** The manual page, made from the help of the commands, which are bundled once more to be run here. */
async function manualPage() {
  const dir = join(dist, 'man-page');
  await build({ ...common, input: 'src/cli/man-page.ts', output: { dir, format: 'cjs' } });
  const { manPage } = createRequire(import.meta.url)(join(dir, 'man-page.js'));
  const page = await manPage(readFileSync(join(root, 'docs/commands.md'), 'utf8'));
  rmSync(dir, { recursive: true });
  return page;
}

/** The folders of the packages whose code is in these chunks, sorted. */
function packagesOf(chunks) {
  const modules = chunks.flatMap(({ modules = {} }) => Object.entries(modules));
  const folders = modules
    .filter(([, { renderedLength }]) => renderedLength > 0)
    .map(([path]) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]);
  return [...new Set(folders.filter((folder) => folder !== undefined))].sort();
}

function notices(folders) {
  const sections = folders.map((folder) => {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const { name, version } = manifest;
    const declared = manifest.license ?? LICENCES[name];
    if (declared === undefined) throw new Error(`${name} declares no licence`);
    return `${name} ${version} (${declared})\n\n${licenceOf(folder, manifest)}`;
  });
  const rule = `\n\n${'-'.repeat(80)}\n\n`;
  return `${['sciatica contains code of these packages.', ...sections].join(rule)}\n`;
}

/** @throws when neither the package nor its manifest gives a licence: then its code must not be published */
function licenceOf(folder, { name, license, author }) {
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
  if (files.length > 0)
    return files.map((file) => readFileSync(join(folder, file), 'utf8').trim()).join('\n\n');
  const holder = typeof author === 'object' ? author.name : author;
  if (license !== 'MIT' || !holder) throw new Error(`${name} brings no licence text and declares ${license}`);
  // The text of the MIT licence is always the same, so that of this project serves with the holder's name.
  const ours = readFileSync(join(root, 'LICENSE'), 'utf8');
  return `Copyright (c) ${holder}\n\n${ours.slice(ours.indexOf('Permission is hereby granted')).trim()}`;
}
