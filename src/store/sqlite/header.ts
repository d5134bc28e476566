import { closeSync, openSync, readSync, statSync } from 'node:fs';

/** "Scia": marks a database as ours (https://sqlite.org/fileformat2.html#application_id), for file(1) too. */
export const APPLICATION_ID = 0x53636961;

/** The fields of the 100-byte database header that are used here (https://sqlite.org/fileformat2.html#the_database_header). */
export interface Header {
  /** Whether it has the header of a database that SQLite can open. */
  isDatabase: boolean;
  isBlank: boolean;
  applicationId: number;
  version: number;
}

/**
 * Reads the header of a file without SQLite, which could modify the journal or the write-ahead log. Not for a
 * file that this process has open: closing it would drop the locks that SQLite holds
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
    // Bytes 18 and 19 are the file format versions for writing and reading: 1, or 2 for WAL.
    isDatabase:
      bytes.toString('latin1', 0, 16) === 'SQLite format 3\0' &&
      (bytes[18] ?? 0) <= 2 &&
      (bytes[19] ?? 0) <= 2,
    isBlank: bytes.every((byte) => byte === 0),
    applicationId: bytes.readUInt32BE(68),
    version: bytes.readUInt32BE(60),
  };
}

/** Identifies the file at a path by device and inode; an empty text if there is none. */
export function fileAt(path: string): string {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat ? `${stat.dev}:${stat.ino}` : '';
}
