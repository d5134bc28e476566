// Makes a client from the service's OpenAPI document with each of five generators, and compiles it.
//   npm run build && node test/clients.mjs
// Together they bring 400 packages, so they are installed for this only.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withPackages } from './on-demand.mjs';

/** The newest that run on Node 20; orval's manifest asks for 22, but this one runs. */
const PACKAGES = [
  'openapi-typescript@7.13.0',
  'orval@7.21.0',
  '@hey-api/openapi-ts@0.92.2',
  'swagger-typescript-api@13.13.0',
  'oazapfts@7.5.0',
  'typescript@5.9.3',
];

/** How each is called in the folder of its client; types are written as .ts, because tsc skips declarations. */
const GENERATORS = {
  'openapi-typescript': ['openapi-typescript', '../openapi.json', '-o', 'client.ts'],
  orval: ['orval', '--input', '../openapi.json', '--output', 'client.ts', '--client', 'fetch'],
  '@hey-api/openapi-ts': ['openapi-ts', '-i', '../openapi.json', '-o', 'client'],
  'swagger-typescript-api': [
    'swagger-typescript-api',
    'generate',
    '-p',
    '../openapi.json',
    '-o',
    '.',
    '-n',
    'client.ts',
  ],
  oazapfts: ['oazapfts', '../openapi.json', 'client.ts'],
};

const TSCONFIG = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    target: 'ES2022',
    module: 'ESNext',
    moduleResolution: 'bundler',
    lib: ['ES2022', 'DOM', 'DOM.Iterable'],
    skipLibCheck: true,
    types: [],
  },
  include: ['**/*.ts'],
};

process.exitCode = await withPackages(PACKAGES, run);

/** @returns an exit code: 1 if a generator fails, or its client does not compile */
function run(folder, document) {
  writeFileSync(join(folder, 'openapi.json'), document);
  const failed = Object.entries(GENERATORS).filter(([name, words]) => {
    const fault = faultOf(folder, words);
    console.log(`${name}: ${fault ?? 'compiles'}`);
    return fault !== undefined;
  });
  return failed.length === 0 ? 0 : 1;
}

/** @returns what is wrong with a generator or its client */
function faultOf(folder, [command, ...words]) {
  const cwd = join(folder, command);
  mkdirSync(cwd);
  const call = (name, ...argv) => {
    const { status, stdout, stderr, error } = spawnSync(join(folder, 'node_modules', '.bin', name), argv, {
      cwd,
      encoding: 'utf8',
    });
    return status === 0 ? undefined : `${name} fails: ${error?.message ?? stdout + stderr}`;
  };
  const fault = call(command, ...words);
  if (fault !== undefined) return fault;
  writeFileSync(join(cwd, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  return call('tsc', '-p', '.');
}
