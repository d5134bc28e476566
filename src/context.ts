import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { localDay } from './domain/day.ts';
import { SciaticaError } from './domain/errors.ts';
import { openStore, type Store } from './store/store.ts';

export type Input = Readable & { isTTY?: boolean };
export type Output = Writable & { isTTY?: boolean; columns?: number };

/** What a command needs of its process; tests inject their own. */
export interface World {
  env: Readonly<Record<string, string | undefined>>;
  stdin: Input;
  stdout: Output;
  stderr: Output;
  now(): Date;
}

/** The wiring of one run: streams, environment, clock, global options, and a store opened on first use. */
export class Context {
  readonly #world: World;
  #store: Store | undefined;
  /** `--db` */
  db: string | undefined;
  /** Said when Ctrl-C ends the command, on a line of its own. */
  ifInterrupted: string | undefined;
  /** False with `--no-input`. */
  mayAsk = true;
  /** False with `--no-color`. */
  mayColour = true;

  constructor(world: World) {
    this.#world = world;
  }

  get env() {
    return this.#world.env;
  }
  get stdin() {
    return this.#world.stdin;
  }
  get stdout() {
    return this.#world.stdout;
  }
  get stderr() {
    return this.#world.stderr;
  }
  now(): Date {
    return this.#world.now();
  }

  /** The person's local day. */
  get today(): string {
    return localDay(this.now());
  }

  /** Whether stdout has colours: by `NO_COLOR` (https://no-color.org), `FORCE_COLOR`, or whether it is a terminal. */
  get colour(): boolean {
    if (!this.mayColour || this.env['NO_COLOR']) return false;
    const forced = this.env['FORCE_COLOR'];
    if (forced !== undefined) return forced !== '0' && forced !== 'false';
    return this.stdout.isTTY === true && this.env['TERM'] !== 'dumb';
  }

  /** Columns of the terminal; infinite where stdout is none. */
  get width(): number {
    return this.stdout.isTTY ? this.stdout.columns || 80 : Number.POSITIVE_INFINITY;
  }

  /** Whether prompts can be shown. */
  get interactive(): boolean {
    return this.mayAsk && this.stdin.isTTY === true && this.stderr.isTTY === true;
  }

  /** The absolute path of the database: `--db`, else `SCIATICA_DB`, else the platform's data folder. */
  get databasePath(): string {
    const chosen = this.db ?? this.env['SCIATICA_DB'];
    if (chosen === '')
      throw new SciaticaError('invalid', 'The path of the database is empty: give --db a file.');
    return resolve(chosen ?? join(this.dataFolder, 'sciatica.db'));
  }

  /** Our folder in the platform's data folder. */
  get dataFolder(): string {
    return join(dataFolder(this.env), 'sciatica');
  }

  get store(): Store {
    this.#store ??= openStore(this.databasePath, () => this.now().getTime());
    return this.#store;
  }

  close(): void {
    this.#store?.close();
    this.#store = undefined;
  }
}

/** The platform's data folder: on Linux as the XDG Base Directory Specification says, which ignores relative paths. */
function dataFolder(env: World['env']): string {
  const home = env['HOME'] || homedir();
  if (process.platform === 'win32') return env['LOCALAPPDATA'] ?? join(home, 'AppData', 'Local');
  if (process.platform === 'darwin') return join(home, 'Library', 'Application Support');
  const xdg = env['XDG_DATA_HOME'];
  return xdg?.startsWith('/') ? xdg : join(home, '.local', 'share');
}
