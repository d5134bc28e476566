import { spawn, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createKeyPair, encryptFile } from '../../src/store/maintenance/encryption.ts';
import { holdingOf, openToRead } from '../../src/store/sqlite/verify.ts';
import { openStore } from '../../src/store/store.ts';
import { nora, session } from '../helpers.ts';
import { ended, root } from '../store/helpers.ts';
import { buildShim, NO_CC } from './shim.ts';

/** `npm run faults` takes every point of every command; the suite a few. */
const ALL = process.env['ALL_FAULTS'] !== undefined;
const SAMPLES = 3;

const { ENOSPC, EIO, EDQUOT } = constants.errno;
/** In the place of an error: the process is killed. */
const KILL = 0;
const NAMES: Record<number, string> = {
  [KILL]: 'kill',
  [ENOSPC]: 'ENOSPC',
  [EIO]: 'EIO',
  [EDQUOT]: 'EDQUOT',
};

const script = join(root, 'bin/sciatica.js');
let shim = '';
let home = '';
let secret = '';
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'sciatica-faults-'));
  shim = buildShim(home);
  await prepare();
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const good = () => join(home, 'good');

/** A database whose token was revoked after the backup beside it was made, and a file to import. */
async function prepare(): Promise<void> {
  mkdirSync(good());
  const db = join(good(), 'test.db');
  const store = openStore(db);
  store.change(() => {
    store.users.create(nora);
    store.users.create(nora);
    for (let i = 0; i < 30; i++)
      store.logs.create({ ...session, userId: 1 + (i % 2), notes: 'n'.repeat(300) });
  });
  secret = store.tokens.create({ name: 'phone', role: 'admin', users: null, lifetime: null }).token;
  store.checkpoint();
  copyFileSync(db, join(good(), 'backup.db'));
  writeFileSync(join(good(), 'key'), keys.identity);
  await encryptFile(join(good(), 'backup.db'), join(good(), 'backup.db.age'), keys.recipient);
  store.tokens.revoke('phone');
  const other = openStore(join(good(), 'other.db'));
  other.users.create({ ...nora, email: 'ole@example.org' });
  for (let i = 0; i < 7; i++) other.logs.create(session);
  other.close();
  for (let i = 0; i < 5; i++) store.logs.create(session);
  store.close();
  copyFileSync(new URL('../fixtures/v3.db', import.meta.url), join(good(), 'old.db'));
  const lines = Array.from({ length: 40 }, () => JSON.stringify({ ...session, notes: 'x'.repeat(400) }));
  writeFileSync(join(good(), 'logs.ndjson'), `${lines.join('\n')}\n`);
}

/** What a folder holds, as far as it counts. */
interface State {
  version: number;
  logs: number;
  users: number;
  /** Of the file that is made: the logs of a backup, the lines of a text, the bytes of what is encrypted. */
  made: number | undefined;
}

interface Operation {
  args: string[];
  db?: string;
  /** False where nothing is known of the tokens that were taken back. */
  keepsTokens?: boolean;
  /** Whether it is done also where nothing can be saved in the database. */
  reads?: boolean;
  /** Whether it may be done in part, which the same command goes on with. */
  resumes?: boolean;
  /** Changes the folder first. */
  before?(folder: string): void;
}

/** Made once: a list of tests is named before anything runs. */
const keys = await createKeyPair();

const operations: Record<string, Operation> = {
  'log add': {
    args: 'log add --user 1 --name Cat --type stretch --before 5 --after 4 --effective'.split(' '),
  },
  import: { args: ['import', 'logs.ndjson', '--same-ids'] },
  erase: { args: 'user erase 2 --yes'.split(' ') },
  'erase with daily backups': {
    args: 'user erase 2 --yes'.split(' '),
    before: (folder) => {
      mkdirSync(join(folder, 'backups'));
      for (const day of ['2026-02-27', '2026-02-28'])
        copyFileSync(join(folder, 'backup.db'), join(folder, 'backups', `test.db.auto-${day}.db`));
      writeFileSync(join(folder, 'backups', 'test.db.auto-2026-03-01.db.age'), 'encrypted');
    },
  },
  backup: { args: ['backup', 'copy.db'] },
  'backup --force': {
    args: ['backup', 'copy.db', '--force'],
    before: (folder) => copyFileSync(join(folder, 'backup.db'), join(folder, 'copy.db')),
  },
  'export --force': {
    args: 'export --output out.ndjson --force'.split(' '),
    reads: true,
    before: (folder) => writeFileSync(join(folder, 'out.ndjson'), 'old\n'),
  },
  restore: { args: 'restore backup.db --yes'.split(' ') },
  'backup --encrypt': { args: ['backup', 'copy.db.age', '--encrypt', keys.recipient] },
  'restore --identity': {
    args: 'restore backup.db.age --identity key --yes'.split(' '),
  },
  'restore where there is none': {
    args: 'restore backup.db --yes'.split(' '),
    keepsTokens: false,
    before: (folder) => rmSync(join(folder, 'test.db')),
  },
  'restore over a damaged one': {
    args: 'restore backup.db --yes'.split(' '),
    keepsTokens: false,
    before: (folder) => writeFileSync(join(folder, 'test.db'), 'no database'),
  },
  migrate: { args: ['users'], db: 'old.db', keepsTokens: false },
  'sync with a folder': {
    args: ['sync'],
    resumes: true,
    before: (folder) => {
      mkdirSync(join(folder, 'shared'));
      for (const db of ['other.db', 'test.db']) run(folder, 'remote add ./shared --plain --all', db);
      run(folder, 'sync', 'other.db');
    },
  },
};

/** Runs a command without faults. */
function run(folder: string, words: string, db: string): void {
  const args = [script, ...words.split(' '), '--db', db];
  const { status, stderr } = spawnSync(process.execPath, args, {
    cwd: folder,
    env: environment,
    encoding: 'utf8',
  });
  expect([status, status === 0 ? '' : stderr]).toEqual([0, '']);
}

const environment = { PATH: process.env['PATH'] };

/** What is done although the command failed. */
const SAYS_DONE = /is erased, but|is in place, but/;

interface Fault {
  at: number;
  errno: number;
  stays: boolean;
}

/** Every call, with every error, by turns once and for good; or a few of them, spread evenly. */
function pointsOf(calls: number, { resumes = false }: Operation): Fault[] {
  const all: Fault[] = [];
  const errors = [ENOSPC, EIO, EDQUOT, ...(resumes ? [KILL] : [])];
  for (let at = 1; at <= calls; at++)
    for (const [i, errno] of errors.entries()) all.push({ at, errno, stays: (at + i) % 2 === 0 });
  return ALL
    ? all
    : all.filter(
        (_, i) => Math.floor((i * SAMPLES) / all.length) !== Math.floor(((i - 1) * SAMPLES) / all.length),
      );
}

/** Runs a command in a folder of its own. */
async function attempt(operation: Operation, fault?: Fault) {
  const { args, db = 'test.db', before } = operation;
  const folder = mkdtempSync(join(home, 'run-'));
  for (const name of readdirSync(good())) copyFileSync(join(good(), name), join(folder, name));
  before?.(folder);
  const counts = join(home, `${folder.slice(-6)}.count`);
  const child = spawn(process.execPath, [script, ...args, '--db', db], {
    cwd: folder,
    env: {
      ...environment,
      LD_PRELOAD: shim,
      FAULT_UNDER: folder,
      FAULT_COUNT: counts,
      ...(fault && {
        FAULT_AT: String(fault.at),
        ...(fault.errno === KILL ? { FAULT_KILL: '1' } : { FAULT_ERRNO: String(fault.errno) }),
        ...(fault.stays && { FAULT_ON: '1' }),
      }),
    },
  });
  const { code, stderr } = await ended(child);
  const calls = fault?.errno === KILL ? fault.at : Number(readFileSync(counts, 'utf8'));
  if (operation.resumes) resume(folder, args.join(' '));
  const state = stateOf(folder, operation);
  rmSync(folder, { recursive: true });
  return { code, stderr, calls, state };
}

/** Goes on with a sync, and lets the other machine read what was told. */
function resume(folder: string, words: string): void {
  for (const db of ['test.db', 'other.db']) run(folder, words, db);
  copyFileSync(join(folder, 'other.db'), join(folder, 'copy.db'));
}

/** @throws where a database is not sound, or a token that was taken back is good again */
function stateOf(folder: string, { db: name = 'test.db', keepsTokens = true }: Operation): State | undefined {
  const path = join(folder, name);
  const made = madeIn(folder);
  if (!existsSync(path) || readFileSync(path, 'latin1') === 'no database') return undefined;
  // As it is, before it is brought up to date.
  const raw = openToRead(path);
  const version = raw.pragma<number>('user_version');
  raw.close();
  expect(soundness(path)).toBe('ok');
  const store = openStore(path);
  const state = { version, logs: store.logs.count(), users: store.users.count(), made };
  const token = store.tokens.find(secret);
  store.close();
  if (keepsTokens) expect(token?.revokedAt).toBeGreaterThan(0);
  return state;
}

function madeIn(folder: string): number | undefined {
  const [copy, text] = [join(folder, 'copy.db'), join(folder, 'out.ndjson')];
  if (existsSync(`${copy}.age`)) return statSync(`${copy}.age`).size;
  if (existsSync(text)) return readFileSync(text, 'utf8').split('\n').length;
  if (!existsSync(copy)) return undefined;
  expect(soundness(copy)).toBe('ok');
  const db = openToRead(copy);
  const { counts } = holdingOf(db);
  db.close();
  return counts.log;
}

function soundness(path: string): string {
  const db = openToRead(path);
  const found = db.pragma<string>('integrity_check');
  db.close();
  return found;
}

describe('a disk that fails at any moment: done or not done, and said so (needs cc)', {
  timeout: 3_600_000,
}, () => {
  test.for(Object.keys(operations))('%s', async (name, { skip }) => {
    if (!shim) skip(NO_CC);
    const operation = operations[name] as Operation;
    const folder = mkdtempSync(join(home, 'before-'));
    for (const file of readdirSync(good())) copyFileSync(join(good(), file), join(folder, file));
    operation.before?.(folder);
    const before = stateOf(folder, operation);
    const whole = await attempt(operation);
    expect(whole).toMatchObject({ code: 0 });
    expect(whole.calls).toBeGreaterThan(3);
    const after = whole.state;
    const same = (state: State | undefined, other: State | undefined) =>
      JSON.stringify(state) === JSON.stringify(other);
    const wrong: string[] = [];
    let runs = 0;
    for (const { at, errno, stays } of pointsOf(whole.calls, operation)) {
      const { code, stderr, state, calls } = await attempt(operation, { at, errno, stays });
      // For want of room fewer calls fail.
      if (calls < at) continue;
      runs += 1;
      const found = JSON.stringify(state);
      const fail = (why: string) =>
        wrong.push(
          `${NAMES[errno]}${stays ? ' from' : ' at'} ${at}: ${why}: exit ${code}, ${found}, ${stderr}`,
        );
      const mayBe = /may have been saved or not/.test(stderr);
      if (/unforeseen|(?<!\()SQLITE_|Unknown system|\n\s+at /.test(stderr)) fail('not its own words');
      else if (operation.resumes) {
        if (!same(state, after)) fail('not gone on with');
      } else if (
        code === 0 &&
        !same(state, !operation.reads && /Nothing can be saved/.test(stderr) ? before : after)
      )
        fail('not done');
      else if (code !== 0 && !mayBe && !same(state, SAYS_DONE.test(stderr) ? after : before)) fail('done');
      else if (mayBe && !same(state, before) && !same(state, after)) fail('half done');
      else if (mayBe && errno !== EIO && stays) fail('not told that the disk is full');
      else if (code !== 0 && errno !== EIO && stays && !/full|no room/i.test(stderr))
        fail('not told that the disk is full');
    }
    console.log(`${name}: ${whole.calls} calls, ${runs} runs, ${wrong.length} wrong`);
    expect(wrong).toEqual([]);
  });
});
