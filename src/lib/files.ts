import {
  chmodSync,
  closeSync,
  copyFileSync,
  constants as fsConstants,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** What our temporary files are called, with what SQLite puts beside them; a kill leaves them behind. */
export const TEMPORARY = /^\.sciatica-\d+-[\d-]+\.tmp(-journal|-wal|-shm)?$/;

/** These end the process without its 'exit' event; Ctrl-C has it. */
const STOPS = ['SIGTERM', 'SIGHUP'] as const;

let made = 0;

/** A name in a folder that nothing else has. */
export function temporaryName(folder: string): string {
  return join(folder, `.sciatica-${process.pid}-${Date.now()}-${made++}.tmp`);
}

/** A file that is there until it is removed or renamed, or the process ends. */
export interface Temporary {
  path: string;
  remove(): void;
}

/** Makes an empty file that only its owner may read (0600, whatever the umask), beside the file it is to become. */
export function temporaryBeside(path: string): Temporary {
  const temporary = temporaryName(dirname(path));
  closeSync(openSync(temporary, 'wx', 0o600));
  chmodSync(temporary, 0o600);
  return untilTheEnd(temporary, () => {
    for (const end of ['', '-journal', '-wal', '-shm']) rmSync(temporary + end, { force: true });
  });
}

/** Makes an empty folder that only its owner may open (0700), beside a file; removed with all that is in it. */
export function temporaryFolderBeside(path: string): Temporary {
  const temporary = temporaryName(dirname(path));
  mkdirSync(temporary, { mode: 0o700 });
  return untilTheEnd(temporary, () => rmSync(temporary, { recursive: true, force: true }));
}

/** Has something removed when it is asked for, or when the process ends. */
function untilTheEnd(path: string, erase: () => void): Temporary {
  const stop = (signal: NodeJS.Signals) => {
    erase();
    process.kill(process.pid, signal);
  };
  process.on('exit', erase);
  for (const signal of STOPS) process.once(signal, stop);
  return {
    path,
    remove() {
      erase();
      process.off('exit', erase);
      for (const signal of STOPS) process.off(signal, stop);
    },
  };
}

/** Puts a finished file in its place: whoever looks finds what was there before, or all of it. */
export function replace(temporary: string, target: string): void {
  renameSync(temporary, target);
  syncFolder(dirname(target));
}

/**
 * Gives a file a further name, where nothing has that name yet: two who try at once cannot overwrite each other.
 * @throws the error EEXIST of link(2)
 */
export function linkNew(file: string, name: string): void {
  try {
    linkSync(file, name);
  } catch (error) {
    // Some file systems have no links (exFAT, some network ones).
    if (!/^(EPERM|ENOSYS|ENOTSUP|EOPNOTSUPP|EMLINK)$/.test((error as NodeJS.ErrnoException).code ?? ''))
      throw error;
    copyFileSync(file, name, fsConstants.COPYFILE_EXCL);
    syncFile(name);
  }
  syncFolder(dirname(name));
}

/** The first of `name`, `name-2`, `name-3` … that `claim` does not refuse with EEXIST. */
export function withFreeName(name: string, claim: (name: string) => void): string {
  const dot = name.endsWith('.db') ? name.length - 3 : name.length;
  for (let n = 1; ; n++) {
    const candidate = n === 1 ? name : `${name.slice(0, dot)}-${n}${name.slice(dot)}`;
    try {
      claim(candidate);
      return candidate;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/** Makes sure that what a file holds survives a power cut. */
export function syncFile(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Makes sure that the names in a folder survive a power cut. Windows cannot open folders, nor needs to. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const file = openSync(folder, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
