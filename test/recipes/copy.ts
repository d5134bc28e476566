import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterAll, onTestFinished } from 'vitest';
import { freshFolder, NOW } from '../helpers.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What docs/CONTRIBUTING.md says about adding something. */
export function recipeOf(name: string): string {
  const page = readFileSync(join(root, 'docs/CONTRIBUTING.md'), 'utf8');
  const recipes = page.split(/\n(?=- \*\*|## )/);
  return recipes.find((recipe) => recipe.startsWith(`- **${name}`))?.replaceAll(/\s+/g, ' ') ?? '';
}

/** A copy of the program, in which recipes of docs/CONTRIBUTING.md are followed. It is gone after the tests of the file. */
export function copied() {
  const folder = mkdtempSync(join(tmpdir(), 'sciatica-recipe-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ['src', 'package.json'])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));

  const create = (file: string, text: string) => writeFileSync(join(folder, file), text, { flag: 'wx' });

  /** Adds lines to a file, before the first line that has a text. */
  const addBefore = (file: string, text: string, ...added: string[]) => {
    const path = join(folder, file);
    const lines = readFileSync(path, 'utf8').split('\n');
    const at = lines.findIndex((line) => line.includes(text));
    if (at < 0)
      throw new Error(`${file} has no line with ${text}: does docs/CONTRIBUTING.md still tell the recipe?`);
    writeFileSync(path, lines.toSpliced(at, 0, ...added).join('\n'));
  };

  const replace = (file: string, text: string, other: string) => {
    const path = join(folder, file);
    const before = readFileSync(path, 'utf8');
    if (!before.includes(text)) throw new Error(`${file} has no ${text}: does the recipe still hold?`);
    writeFileSync(
      path,
      before.replace(text, () => other),
    );
  };

  /** Adds a migration at the end of the list. */
  const addMigration = (text: string) =>
    addBefore('src/store/sqlite/migrations/index.ts', '];', text.trimEnd());

  /** A module of the copy, as it is once all recipes are followed. */
  const load = (file: string) => import(/* @vite-ignore */ join(folder, 'src', file));

  return { create, addBefore, replace, addMigration, load, diary: () => diaryOf(load) };
}

type Load = (file: string) => Promise<unknown>;

/** A diary of a copied program, in a folder of its own. */
function diaryOf(load: Load) {
  const folder = freshFolder();
  const file = (name: string) => join(folder, name);

  /** Runs a command line. @returns what it prints @throws with its message when it fails */
  const sciatica = async (...words: string[]): Promise<string> => {
    const { run } = (await load('cli/program.ts')) as typeof import('../../src/cli/program.ts');
    const { Context } = (await load('context.ts')) as typeof import('../../src/context.ts');
    const env = { SCIATICA_DB: file('diary.db'), HOME: folder };
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    stdin.end();
    const [printed, said] = [textOf(stdout), textOf(stderr)];
    const code = await run(words, new Context({ env, stdin, stdout, stderr, now: () => NOW }));
    if (code !== 0) throw new Error(said());
    return printed();
  };

  /** Starts the service. @returns its address */
  const serve = async ({ auth = false } = {}) => {
    const { openStore } = (await load('store/store.ts')) as typeof import('../../src/store/store.ts');
    const { startServer } = (await load('http/server.ts')) as typeof import('../../src/http/server.ts');
    const store = openStore(file('diary.db'));
    const { port, stop } = await startServer(store, {
      host: '127.0.0.1',
      port: 0,
      origins: { allowHosts: [], allowOrigins: [] },
      auth: auth ? { burst: 500, perSecond: 50 } : undefined,
      log: () => {},
    });
    onTestFinished(async () => {
      await stop();
      store.close();
    });
    return `http://127.0.0.1:${port}`;
  };
  return { file, sciatica, serve };
}

function textOf(stream: PassThrough): () => string {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk) => chunks.push(Buffer.from(chunk)));
  return () => Buffer.concat(chunks).toString();
}

/** Calls a service. @returns the status and the body */
export async function call(base: string, method: string, path: string, body?: object) {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(base + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  return [answer.status, await answer.json()];
}

/** What of an OpenAPI document is looked at. */
export interface OpenApi {
  paths: Record<string, Record<string, object>>;
  components: {
    schemas: Record<string, { properties?: Record<string, object> }>;
    parameters: Record<string, object>;
  };
}
