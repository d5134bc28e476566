import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { onTestFinished } from 'vitest';
import { run as runProgram } from '../src/cli/program.ts';
import { widthOf } from '../src/cli/terminal/width.ts';
import { Context, type Input, type Output } from '../src/context.ts';
import type { LogInput } from '../src/domain/log.ts';
import { type UserInput, userFields } from '../src/domain/user.ts';
import { openStore, type Store } from '../src/store/store.ts';
import { DEADLINE_MS } from './deadline.mts';
import { newDatabase } from './new-database.ts';
import { log, user } from './samples.ts';

// As the build does (src/plugins.mjs), before a table is drawn.
const required = createRequire(createRequire(import.meta.url).resolve('cli-table3'));
required('string-width');
Object.assign(required.cache[required.resolve('string-width')] ?? {}, { exports: widthOf });

/** The moment at which every test runs: noon on Monday, 2 March 2026, wherever that is. */
export const NOW = new Date(2026, 2, 2, 12);
export const TODAY = '2026-03-02';

/** A new folder, gone after the test. */
export function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sciatica-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** The path of a database that does not exist yet. */
export const freshPath = (): string => join(freshFolder(), 'test.db');

export const nora = user;

/** Yesterday's, without notes. */
export const session = { ...log, date: '2026-03-01', notes: '' };

/** Prepares a database, closed again. @returns its path */
export function prepared(work: (store: Store) => void): string {
  const path = newDatabase();
  const store = openStore(path);
  try {
    work(store);
  } finally {
    store.close();
  }
  return path;
}

/** A database of Nora with sessions: each is the one above, but for what is given. @returns its path */
export const noraWith = (...sessions: readonly Partial<LogInput>[]): string =>
  prepared((store) => {
    store.users.create(nora);
    store.change(() => {
      for (const given of sessions) store.logs.create({ ...session, ...given });
    });
  });

/** The flags of `user add` for a user like Nora, but for what is given. */
export const userFlags = (given: Partial<UserInput> = {}): string[] =>
  Object.entries({ ...nora, ...given }).flatMap(([name, value]) => [
    `--${userFields[name as keyof UserInput].flag}`,
    String(value),
  ]);

/** What a database holds. */
export function records(path: string) {
  const store = openStore(path);
  try {
    return { users: store.users.list(), logs: store.logs.list() };
  } finally {
    store.close();
  }
}

/** A database with the practice records. @returns its path */
export async function practiceDb(db = freshPath()): Promise<string> {
  const { context, written } = started({ db, env: { SCIATICA_DB: '' } });
  if ((await runProgram(['demo', '--db', db], context)) !== 0) throw new Error(written().stderr);
  return db;
}

export interface World {
  /** The database, as SCIATICA_DB names it; without it, one in a new data folder of the person's. */
  db?: string;
  stdin?: string;
  env?: Record<string, string>;
  /** A terminal with so many columns, on all three streams. */
  columns?: number;
  /** Another moment than NOW. */
  now?: Date;
  /** In a terminal: what is typed once stderr shows a text, in this order. A function does more while the question stands. */
  answers?: readonly (readonly [shown: string, typed: string | (() => string)])[];
}

export interface Result {
  code: number;
  stdout: string;
  stderr: string;
}

/** Keys that are no text. */
export const keys = {
  enter: '\r',
  down: '\u001b[B',
  ctrlC: '\u0003',
  ctrlD: '\u0004',
  backspace: '\u007f',
  tab: '\t',
} as const;

/**
 * Runs a command line in this process.
 * @returns the exit code and all that was written; in a terminal, stderr without its control sequences
 */
export async function run(argv: readonly string[], world: World = {}): Promise<Result> {
  const { context, written, unanswered } = started(world);
  const code = await Promise.race([runProgram(argv, context), unanswered]);
  return { code, ...written() };
}

/** In milliseconds: a question stands, and nothing was given as its answer. */
const SILENCE_MS = DEADLINE_MS / 3;

/** The context of a run, what was written in it, and what fails once it waits for an answer that is not given. */
export function started(world: World = {}): {
  context: Context;
  written(): Omit<Result, 'code'>;
  unanswered: Promise<never>;
} {
  const answers = [...(world.answers ?? [])];
  const tty = world.columns !== undefined || answers.length > 0;
  const stdin = input(tty, world.stdin);
  const stdout = new Capture(tty, world.columns);
  const stderr = new Capture(tty, world.columns);
  let seen = 0;
  let silence: NodeJS.Timeout | undefined;
  let fail = (_: Error): void => {};
  const unanswered = new Promise<never>((_, reject) => {
    fail = reject;
  });
  unanswered.catch(() => {});
  stderr.onWrite = () => {
    clearTimeout(silence);
    if (answers.length > 0 || seen > 0)
      silence = setTimeout(() => fail(new Error(`No answer to:\n${stderr.plain}`)), SILENCE_MS).unref();
    const next = answers[0];
    const at = next ? stderr.plain.indexOf(next[0], seen) : -1;
    if (!next || at < 0) return;
    seen = at + next[0].length;
    answers.shift();
    setImmediate(() => type(stdin, typeof next[1] === 'string' ? next[1] : next[1]()));
  };
  const env = {
    ...(world.db === undefined ? { XDG_DATA_HOME: freshFolder() } : { SCIATICA_DB: world.db }),
    ...world.env,
  };
  const context = new Context({ env, stdin, stdout, stderr, now: () => world.now ?? NOW });
  const written = () => {
    if (answers.length > 0) throw new Error(`Never asked: ${answers[0]?.[0]}\n${stderr.plain}`);
    return { stdout: stdout.text, stderr: tty ? stderr.plain : stderr.text };
  };
  return { context, written, unanswered };
}

/** Keys arrive one by one, as a person types them. */
function type(stdin: PassThrough, text: string): void {
  const [first, ...others] = text.startsWith('\u001b') ? [text] : [...text];
  if (first === undefined) return;
  stdin.write(first);
  setImmediate(() => type(stdin, others.join('')));
}

function input(tty: boolean, text: string | undefined): Input & PassThrough {
  const stream = new PassThrough();
  if (tty) return Object.assign(stream, { isTTY: true, setRawMode: () => stream });
  stream.end(text ?? '');
  return stream;
}

class Capture extends Writable implements Output {
  /** What is piped into process.stderr leaves it open at its end; prompts rely on that. */
  readonly _isStdio = true;
  text = '';
  onWrite: (() => void) | undefined;
  isTTY?: boolean;
  columns?: number;

  constructor(tty: boolean, columns: number | undefined) {
    super({ decodeStrings: false });
    if (tty) {
      this.isTTY = true;
      this.columns = columns ?? 80;
    }
  }

  get plain(): string {
    return stripVTControlCharacters(this.text);
  }

  override _write(chunk: string | Buffer, _: string, done: () => void): void {
    this.text += chunk.toString();
    done();
    this.onWrite?.();
  }
}
