import { spawn } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { examine } from '../../src/store/maintenance/doctor.ts';
import { openStore } from '../../src/store/store.ts';
import { nora, session } from '../helpers.ts';
import { ended, root } from '../store/helpers.ts';
import { buildShim, NO_CC } from './shim.ts';

/** `npm run harden` takes every call; the suite a few. */
const SAMPLES = process.env['ALL_FAULTS'] === undefined ? 6 : Number.POSITIVE_INFINITY;

const SECRET = 'only Ole knows this';

const script = join(root, 'bin/sciatica.js');
let [shim, home] = ['', ''];
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'sciatica-kill-'));
  shim = buildShim(home);
  prepare();
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const good = () => join(home, 'good');

/** A database and three backups of it, one of them encrypted, that hold the secret of user 2. */
function prepare(): void {
  mkdirSync(join(good(), 'backups'), { recursive: true });
  const path = join(good(), 'test.db');
  const store = openStore(path);
  store.users.create(nora);
  store.users.create(nora);
  for (let i = 0; i < 20; i++) store.logs.create({ ...session, userId: 2, notes: SECRET });
  store.close();
  for (const day of ['2026-02-27', '2026-02-28'])
    copyFileSync(path, join(good(), 'backups', `test.db.auto-${day}.db`));
  writeFileSync(join(good(), 'backups', 'test.db.auto-2026-03-01.db.age'), SECRET);
}

/** Runs a command in a folder. */
function sciatica(folder: string, words: string, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [script, ...words.split(' '), '--db', 'test.db'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], ...env },
  });
  child.stdin.end();
  return ended(child);
}

const add = 'log add Cat 5 4 --type stretch --user 1';

/** The files under a folder that hold the secret. */
function holding(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).includes(SECRET));
}

test('an erasing that is killed before any of its calls is finished by the next command that writes (needs cc)', {
  timeout: 3_600_000,
}, async ({ skip }) => {
  if (!shim) skip(NO_CC);
  const counts = join(home, 'counts');
  const run = async (env: Record<string, string>) => {
    const folder = mkdtempSync(join(home, 'run-'));
    cpSync(good(), folder, { recursive: true });
    const { code } = await sciatica(folder, 'user erase 2 --yes', {
      LD_PRELOAD: shim,
      FAULT_UNDER: folder,
      ...env,
    });
    return { folder, code };
  };
  const whole = await run({ FAULT_COUNT: counts });
  expect(whole.code).toBe(0);
  expect(holding(whole.folder)).toEqual([]);
  const calls = Number(readFileSync(counts, 'utf8'));
  expect(calls).toBeGreaterThan(100);
  const every = Math.max(1, Math.floor(calls / SAMPLES));
  const wrong: string[] = [];
  let resumed = 0;
  for (let at = 1 + Math.floor(every / 2); at <= calls; at += every) {
    const { folder } = await run({ FAULT_AT: String(at), FAULT_KILL: '1' });
    const path = join(folder, 'test.db');
    const fail = (why: string) => wrong.push(`killed at ${at} of ${calls}: ${why}`);
    const isErased = openStoreAt(path, (store) => !store.users.has(2));
    if (isErased && holding(folder).length > 0) {
      resumed += 1;
      const { checks } = examine(path);
      if (!checks.some(({ name, ok }) => name === 'Erasing' && !ok)) fail('doctor does not name it');
      const { code, stderr } = await sciatica(folder, add);
      if (code !== 0) fail(`log add: ${stderr}`);
      if (holding(folder).length > 0) fail(`left in ${holding(folder)} ${stderr}`);
      if (examine(path).checks.some(({ name }) => name === 'Erasing')) fail('doctor still names it');
    }
    rmSync(folder, { recursive: true });
  }
  console.log(`${calls} calls, ${resumed} resumed, ${wrong.length} wrong`);
  expect(wrong).toEqual([]);
  expect(resumed).toBeGreaterThan(0);
});

function openStoreAt<T>(path: string, look: (store: ReturnType<typeof openStore>) => T): T {
  expect(existsSync(path)).toBe(true);
  const store = openStore(path);
  try {
    return look(store);
  } finally {
    store.close();
  }
}
