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
/** Takes long output to a pager. Messages wait for its end. */
export type Paging = Output & { say(line: string): void; finish(): Promise<void> };

/** What a command needs of its process; tests inject their own. */
export interface World {
  env: Readonly<Record<string, string | undefined>>;
  stdin: Input;
  stdout: Output;
  stderr: Output;
  now(): Date;
  /** Runs the program with these words in a process of its own, without waiting for it. Without it, no backup is made by itself. */
  startAlone?(words: readonly string[]): void;
}

/** The first word of a command line that makes a backup which was started; the second is the job as JSON. */
export const BACKUP_JOB = 'backup-job';

/** How often a service looks whether a backup is due, and how long after its start it does so first. */
const BACKUP_EVERY_MS = 60_000;
const FIRST_BACKUP_MS = 3_000;

/** The wiring of one run: streams, environment, clock, global options, and a store opened on first use. */
export class Context {
  readonly #world: World;
  #store: Store | undefined;
  #change: number | undefined;
  #backupTimer: NodeJS.Timeout | undefined;
  /** Started at the end: until then they would take time from the command. */
  #jobs: BackupJob[] = [];
  /** `--db` */
  db: string | undefined;
  /** Of `--user`, `SCIATICA_USER` or the answer to which user is meant: what is told to go on with is about the same one. */
  user: number | undefined;
  /** Said when Ctrl-C ends the command, on a line of its own. */
  ifInterrupted: string | undefined;
  /** Whether the command creates a database where there is none: those that only read, or change what is there, do not. */
  mayCreate = false;
  /** False with `--no-input`. */
  mayAsk = true;
  /** False with `--no-color`. */
  mayColour = true;

  /** Where the command's output is paged. */
  paging: Paging | undefined;
  /** True with `--quiet`. */
  quiet = false;

  /** Says what is wrong where the command goes on. */
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

  /** Whether the terminal shows more than ASCII: not one that says dumb, nor a locale that is not UTF-8. */
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
   * The absolute path of the database, without symbolic links, so that what lies beside it is looked for in one place:
   * `--db`, else `SCIATICA_DB`, else the platform's data folder.
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

  /** Our folder in the platform's data folder. */
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

  /** The path that `--db` or `SCIATICA_DB` names, as it was written. */
  get #chosenPath(): string | undefined {
    return this.db ?? this.env['SCIATICA_DB'];
  }

  /** @throws SciaticaError `unusable` if a database was named and there is none, unless this command may create it */
  requireNamed(): void {
    const chosen = this.#chosenPath;
    if (this.mayCreate || chosen === undefined || isDatabaseAt(this.databasePath)) return;
    throw unusable(missingDatabase(this.databasePath));
  }

  /** Why nothing can be saved in the store, if it was opened and that is so. */
  get obstacle(): string | undefined {
    return this.#store?.obstacle;
  }

  /** For a service: looks now and then whether a backup is due or an erasing unfinished, and lets no change wait for them. */
  careForCopiesByTimer(): void {
    const look = () => {
      try {
        this.#careForCopies(true);
      } catch {
        // Of a damaged database every request says what is wrong: that must not end the service.
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

  /** The last change that this run has made, also after `close`. */
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

/** That there is no database at a path, and which of the same folder may have been meant, or how to begin one. */
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

/** The files in a folder, if it can be read. */
function namesIn(folder: string): string[] | undefined {
  try {
    return readdirSync(folder).filter((name) => !/-(wal|shm|journal)$/.test(name));
  } catch {
    return undefined;
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
