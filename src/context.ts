import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { SciaticaError, unusable, type Wording } from './domain/errors.ts';
import { localDay } from './domain/words/day.ts';
import { closest } from './domain/words/suggest.ts';
import { realPathOf } from './lib/files.ts';
import type { BackupJob } from './store/maintenance/automatic-backup.ts';
import { isDatabaseAt } from './store/sqlite/sidecars.ts';
import { openStore, type Store } from './store/store.ts';

export type Input = Readable & { isTTY?: boolean };
export type Output = Writable & { isTTY?: boolean; columns?: number; rows?: number };
/** An output stream that shows long output in a pager. Messages (`say`) must not be written while the pager runs. */
export type Paging = Output & { say(line: string): void; finish(): Promise<void> };

/** The environment of a command: variables, streams, clock. Tests inject their own. */
export interface World {
  env: Readonly<Record<string, string | undefined>>;
  stdin: Input;
  stdout: Output;
  stderr: Output;
  now(): Date;
  /** Runs `sciatica` with these arguments in a detached process. If undefined, no automatic backup is made. */
  startAlone?(words: readonly string[]): void;
}

/** The first argument of the internal command line that runs a backup job; the second is the `BackupJob` as JSON. */
export const BACKUP_JOB = 'backup-job';

/** Interval at which a service checks whether a backup is due, and the delay of the first check after its start. */
const BACKUP_EVERY_MS = 60_000;
const FIRST_BACKUP_MS = 3_000;

/** The wiring of one run: streams, environment, clock, global options, and a store opened on first use. */
export class Context {
  readonly #world: World;
  #store: Store | undefined;
  #change: number | undefined;
  #backupTimer: NodeJS.Timeout | undefined;
  /** Backup jobs of a command. `close` starts them: earlier they would slow the command down. */
  #jobs: BackupJob[] = [];
  /** The value of `--db`. */
  db: string | undefined;
  /** User id from `--user`, `SCIATICA_USER` or a prompt. Command lines suggested in messages name the same user. */
  user: number | undefined;
  /** Message printed when Ctrl-C ends the command, on a line of its own. */
  ifInterrupted: string | undefined;
  /** Whether the command creates a missing database. Commands that only read or change existing records do not. */
  mayCreate = false;
  /** False with `--no-input`. */
  mayAsk = true;
  /** False with `--no-color`. */
  mayColour = true;

  /** Replaces stdout while the command's output may go to a pager. */
  paging: Paging | undefined;
  /** True with `--quiet`. */
  quiet = false;

  /** Reports a problem that does not stop the command. */
  warn: (line: string) => unknown = () => {};

  constructor(world: World) {
    this.#world = world;
  }

  get env() {
    return this.#world.env;
  }
  get stdin() {
    return this.#world.stdin;
  }
  get stdout(): Output {
    return this.paging ?? this.#world.stdout;
  }
  get stderr() {
    return this.#world.stderr;
  }
  now(): Date {
    return this.#world.now();
  }

  /** The current local day, YYYY-MM-DD. */
  get today(): string {
    return localDay(this.now());
  }

  /** Whether stdout is coloured: by `--no-color`, `NO_COLOR` (https://no-color.org), `FORCE_COLOR`, or if it is a terminal. */
  get colour(): boolean {
    if (!this.mayColour || this.env['NO_COLOR']) return false;
    const forced = this.env['FORCE_COLOR'];
    if (forced !== undefined) return forced !== '0' && forced !== 'false';
    return this.stdout.isTTY === true && this.env['TERM'] !== 'dumb';
  }

  /** Width of the terminal in columns; infinite if stdout is not a terminal. */
  get width(): number {
    return this.stdout.isTTY ? this.stdout.columns || 80 : Number.POSITIVE_INFINITY;
  }

  /** Whether the terminal can show more than ASCII: `TERM` is not dumb, and the locale is UTF-8 or unset. */
  get unicode(): boolean {
    const { env } = this;
    const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'];
    return env['TERM'] !== 'dumb' && (!locale || /utf-?8/i.test(locale));
  }

  /** Whether prompts can be shown. */
  get interactive(): boolean {
    return this.mayAsk && this.stdin.isTTY === true && this.stderr.isTTY === true;
  }

  /**
   * The absolute path of the database, symbolic links resolved, so that the files beside it are looked for in one place:
   * from `--db`, else `SCIATICA_DB`, else in the platform's data folder. @throws SciaticaError `invalid` if one is empty
   */
  get databasePath(): string {
    const chosen = this.#chosenPath;
    if (chosen === '') {
      const where =
        this.db === ''
          ? '--db is empty: give it a file.'
          : 'SCIATICA_DB is empty: set it to a file, or unset it.';
      throw new SciaticaError('invalid', where);
    }
    return realPathOf(resolve(chosen ?? join(this.dataFolder, 'sciatica.db')));
  }

  /** The folder of sciatica in the platform's data folder. */
  get dataFolder(): string {
    return join(dataFolder(this.env), 'sciatica');
  }

  get store(): Store {
    if (this.#store) return this.#store;
    this.requireNamed();
    this.#store = openStore(
      this.databasePath,
      () => this.now().getTime(),
      () => this.#backupTimer ?? this.#careForCopies(false),
      this.mayCreate,
    );
    return this.#store;
  }

  /** The value of `--db`, else `SCIATICA_DB`, unresolved; undefined if neither is given. */
  get #chosenPath(): string | undefined {
    return this.db ?? this.env['SCIATICA_DB'];
  }

  /** @throws SciaticaError `unusable` if `--db` or `SCIATICA_DB` names a missing database that the command may not create */
  requireNamed(): void {
    const chosen = this.#chosenPath;
    if (this.mayCreate || chosen === undefined || isDatabaseAt(this.databasePath)) return;
    throw unusable(missingDatabase(this.databasePath));
  }

  /** Why the database is read-only, in words for the user; undefined if it is writable or not open. */
  get obstacle(): string | undefined {
    return this.#store?.obstacle;
  }

  /** For a service: checks on a timer for a due backup or an unfinished erasure, so that no change has to wait for them. */
  careForCopiesByTimer(): void {
    const look = () => {
      try {
        this.#careForCopies(true);
      } catch {
        // Every request reports a damaged database: the failed check must not end the service.
      }
      this.#backupTimer = setTimeout(look, BACKUP_EVERY_MS).unref();
    };
    this.#backupTimer = setTimeout(look, FIRST_BACKUP_MS).unref();
  }

  #careForCopies(isService: boolean): void {
    const { startAlone } = this.#world;
    this.store.finishErasingIfDue({ warn: this.warn, start: (words) => startAlone?.(words), isService });
    if (!startAlone) return;
    this.store.backUpIfDue({
      today: this.today,
      warn: this.warn,
      start: (job) => {
        if (isService) startAlone([BACKUP_JOB, JSON.stringify(job)]);
        else this.#jobs.push(job);
      },
      isService,
    });
  }

  /** Number of the last change made by this run, also after `close`; undefined if it made none. */
  get change(): number | undefined {
    return this.#store?.latestChange ?? this.#change;
  }

  close(): void {
    this.#change = this.change;
    clearTimeout(this.#backupTimer);
    for (const job of this.#jobs) this.#world.startAlone?.([BACKUP_JOB, JSON.stringify(job)]);
    this.#jobs = [];
    this.#store?.close();
    this.#store = undefined;
  }
}

/** The message for a missing database. It names similar files in the same folder, else the command that creates one. */
function missingDatabase(path: string): Wording {
  const names = namesIn(dirname(path));
  const isNear = (name: string) =>
    /\.(db|sqlite3?)$/.test(name) || name.startsWith(basename(path)) || closest(basename(path), [name]);
  const near = names?.filter(isNear).slice(0, MOST_NAMES).join(', ');
  const missing = `There is no database ${path}.`;
  if (names === undefined) return `${missing} There is no folder ${dirname(path)} either.`;
  if (near) return `${missing} In that folder: ${near}.`;
  return (command) => `${missing} To begin one: ${command('user add')}`;
}

const MOST_NAMES = 5;

/** The names of the files in a folder, without SQLite's logs; undefined if it cannot be read. */
function namesIn(folder: string): string[] | undefined {
  try {
    return readdirSync(folder).filter((name) => !/-(wal|shm|journal)$/.test(name));
  } catch {
    return undefined;
  }
}

/** The platform's data folder: on Linux by the XDG Base Directory Specification, which says to ignore relative paths. */
function dataFolder(env: World['env']): string {
  const home = env['HOME'] || homedir();
  if (process.platform === 'win32') return env['LOCALAPPDATA'] ?? join(home, 'AppData', 'Local');
  if (process.platform === 'darwin') return join(home, 'Library', 'Application Support');
  const xdg = env['XDG_DATA_HOME'];
  return xdg?.startsWith('/') ? xdg : join(home, '.local', 'share');
}
