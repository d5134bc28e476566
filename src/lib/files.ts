import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  constants as fsConstants,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';

/** The names of our temporary files, and of what SQLite puts beside them; a killed process leaves them behind. */
export const TEMPORARY = /^\.sciatica-\d+-[\da-f-]+\.tmp(-journal|-wal|-shm)?$/;

/** Signals that end the process without its event 'exit'. SIGINT is not among them: main.ts turns it into an exit. */
const STOPS = ['SIGTERM', 'SIGHUP'] as const;

let made = 0;

/**
 * Makes a folder for its owner only (0700) and the missing ones above it, unless it exists. Node's `recursive` loops for ever
 * if a folder cannot be made although the one above it exists, as in /proc and below an automounter.
 */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT' && !existsSync(dirname(path));
    if (!isMissing || dirname(path) === path) throw error;
    makeFolder(dirname(path));
    makeFolder(path);
  }
}

/** A file or folder that exists until it is removed or renamed, or the process ends. */
export interface Temporary {
  path: string;
  /** Removes it; what cannot be removed is noted in `leftBehind`. */
  remove(): void;
}

/** Temporary files and folders that could not be removed, each with its error code. This is no failure of what they were for. */
export const leftBehind = new Map<string, string>();

/** Removes a temporary file or folder, if it is there. */
function removeTemporary(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
    leftBehind.delete(path);
  } catch (error) {
    leftBehind.set(path, errnoOf(error) ?? String(error));
  }
}

/**
 * Makes an empty file that only its owner may read (0600, whatever the umask), beside the file it is to become.
 * @param tag as of `temporaryName`
 */
export function temporaryBeside(path: string, tag?: string): Temporary {
  const temporary = temporaryName(dirname(path), tag);
  closeSync(openSync(temporary, 'wx', 0o600));
  chmodSync(temporary, 0o600);
  return untilEnd(temporary, () => {
    for (const end of ['', '-journal', '-wal', '-shm']) removeTemporary(temporary + end);
  });
}

/**
 * Makes an empty folder that only its owner may read (0700, whatever the umask).
 * @param onSignals whether SIGTERM and SIGHUP remove it, and then end the process whatever else runs
 */
export function temporaryFolder(parent = tmpdir(), onSignals = true): Temporary {
  const folder = temporaryName(parent);
  mkdirSync(folder, 0o700);
  chmodSync(folder, 0o700);
  return untilEnd(folder, () => removeTemporary(folder), onSignals);
}

/**
 * A name that nothing else in a folder has.
 * @param tag hex digits by which `hasTag` recognises the name
 */
export function temporaryName(folder: string, tag = '0'): string {
  return join(folder, `.sciatica-${process.pid}-${Date.now()}-${made++}-${tag}.tmp`);
}

/** Whether a name is that of a temporary file with this tag, or of what SQLite puts beside it. */
export function hasTag(name: string, tag: string): boolean {
  return TEMPORARY.test(name) && name.includes(`-${tag}.tmp`);
}

/** Whether a name is that of a temporary file of ours, whose process has ended. */
export const isAbandoned = (name: string): boolean =>
  TEMPORARY.test(name) && !isRunning(Number(name.split('-')[1]));

/** Whether there is a process with this number on this machine. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The removals to run when the process ends, and those for which its signals are handled, too. */
const [atExit, atSignal] = [new Set<() => void>(), new Set<() => void>()];

function eraseAll(): void {
  for (const erase of atExit) erase();
}

function stop(signal: NodeJS.Signals): void {
  eraseAll();
  for (const name of STOPS) process.off(name, stop);
  process.kill(process.pid, signal);
}

function untilEnd(path: string, erase: () => void, onSignals = true): Temporary {
  if (atExit.size === 0) process.on('exit', eraseAll);
  if (onSignals && atSignal.size === 0) for (const signal of STOPS) process.on(signal, stop);
  atExit.add(erase);
  if (onSignals) atSignal.add(erase);
  return {
    path,
    remove() {
      erase();
      if (atExit.delete(erase) && atExit.size === 0) process.off('exit', eraseAll);
      if (atSignal.delete(erase) && atSignal.size === 0)
        for (const signal of STOPS) process.off(signal, stop);
    },
  };
}

/**
 * Resolves the symbolic links in a path, also in that of a file that does not exist yet. A path that leads nowhere (a loop, a
 * file in the place of a folder) is returned as it is, so that opening it reports the error.
 */
export function realPathOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) return path;
  }
  const folder = realPathOf(dirname(path));
  const named = join(folder, basename(path));
  if (!lstatSync(named, { throwIfNoEntry: false })?.isSymbolicLink()) return named;
  // A link whose target does not exist yet.
  return realPathOf(resolve(folder, readlinkSync(named)));
}

/** The size of a file in bytes; 0 where there is none. */
export const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/**
 * The name of the error number that the system returned, such as `EIO`; undefined for any other error.
 * libuv has no name for some numbers, EDQUOT among them.
 */
export function errnoOf(error: unknown): string | undefined {
  const { code, errno } = (error ?? {}) as NodeJS.ErrnoException;
  if (typeof code === 'string' && /^E[A-Z\d]+$/.test(code)) return code;
  if (errno === undefined) return undefined;
  return Object.entries(constants.errno).find(([, number]) => number === -errno)?.[0];
}

/** Whether an error of the file system says that there is no room: a full disk, or a full quota. */
export const isFull = (error: unknown): boolean => /^(ENOSPC|EDQUOT)$/.test(errnoOf(error) ?? '');

/** Whether the disk takes another MiB beside a file. */
export function hasRoom(path: string): boolean {
  let temporary: Temporary | undefined;
  try {
    temporary = temporaryBeside(path);
    writeFileSync(temporary.path, Buffer.alloc(1024 * 1024));
    syncFile(temporary.path);
    return true;
  } catch (error) {
    return !isFull(error);
  } finally {
    temporary?.remove();
  }
}

/** A file has its new name, but its folder could not be synced. */
export class NotSynced extends Error {
  constructor(path: string, cause: unknown) {
    super(
      `${path} is in place, but the folder could not be synced (${errnoOf(cause)}): a power cut may bring back what was there before.`,
      { cause },
    );
  }
}

/**
 * Puts a finished file in its place, atomically: readers see the former file or the whole new one.
 * @throws NotSynced, and the errors of rename(2)
 */
export function replace(temporary: string, target: string): void {
  renameSync(temporary, target);
  try {
    syncFolder(dirname(target));
  } catch (error) {
    throw new NotSynced(target, error);
  }
}

/**
 * Writes a file for its owner only, atomically: readers see the former file or the whole new one, also after a power cut.
 * @throws NotSynced, and other errors of the file system
 */
export function writeWhole(path: string, content: string | Uint8Array): void {
  const temporary = temporaryBeside(path);
  try {
    writeFileSync(temporary.path, content, { flush: true });
    replace(temporary.path, path);
  } finally {
    temporary.remove();
  }
}

/**
 * Gives a finished file its name.
 * @param force whether to replace a file with that name; a symbolic link is followed
 * @throws NotSynced, with `force`; the error EEXIST, without; other errors of the file system
 */
export function publish(temporary: string, target: string, force: boolean): void {
  if (force) replace(temporary, existsSync(target) ? realpathSync(target) : target);
  else linkNew(temporary, target);
}

/**
 * Gives a file a further name, unless that is taken: of two processes that try at once, none overwrites the other's file. After
 * any error but `NotSynced`, nothing has the name.
 * @throws the error EEXIST of link(2); NotSynced where the name can neither be made to last nor be removed
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
  try {
    syncFolder(dirname(name));
  } catch (error) {
    // A name that a power cut could undo is removed again.
    try {
      rmSync(name, { force: true });
    } catch {
      throw new NotSynced(name, error);
    }
    throw error;
  }
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

/** Makes sure that the content of a file survives a power cut. @param flags with which it is opened */
export function syncFile(path: string, flags = 'r+'): void {
  const file = openSync(path, flags);
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Makes sure that the names in a folder survive a power cut. Windows cannot open folders, and does not need to. */
export function syncFolder(folder: string): void {
  if (process.platform !== 'win32') syncFile(folder, 'r');
}
