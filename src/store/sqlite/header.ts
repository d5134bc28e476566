import { closeSync, openSync, readSync, statSync } from 'node:fs';

/** "Scia", so that file(1) and we can tell our databases from others (https://sqlite.org/fileformat2.html#application_id). */
export const APPLICATION_ID = 0x53636961;

/** What the first 100 bytes of a database say (https://sqlite.org/fileformat2.html#the_database_header). */
export interface Header {
  /** Whether it is one of SQLite's at all. */
  isDatabase: boolean;
  isBlank: boolean;
  applicationId: number;
  version: number;
}

/**
 * Reads the header of a file without SQLite, which could touch its journal or its log. Not for a file that this
 * process has open: closing it drops the locks that SQLite holds
 * (https://sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_).
 */
export function headerOf(path: string): Header {
  const bytes = Buffer.alloc(100);
  const file = openSync(path, 'r');
  try {
    readSync(file, bytes, 0, bytes.length, 0);
  } finally {
    closeSync(file);
  }
  return {
    // The two bytes are the versions for writing and for reading: 1, or 2 with a write-ahead log.
    isDatabase:
      bytes.toString('latin1', 0, 16) === 'SQLite format 3\0' &&
      (bytes[18] ?? 0) <= 2 &&
      (bytes[19] ?? 0) <= 2,
    isBlank: bytes.every((byte) => byte === 0),
    applicationId: bytes.readUInt32BE(68),
    version: bytes.readUInt32BE(60),
  };
}

/** Which file a path leads to: device and inode; nothing when there is none. */
export function fileAt(path: string): string {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat ? `${stat.dev}:${stat.ino}` : '';
}
