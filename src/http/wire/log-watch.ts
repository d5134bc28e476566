import { logBytesOf, MOST_LOG_BYTES } from '../../store/sqlite/snapshot.ts';
import type { Store } from '../../store/store.ts';

const EVERY_MS = 15_000;

/** A log that could shrink is hardly ever larger. */
const LARGE_BYTES = 2 * MOST_LOG_BYTES;

/**
 * Watches the write-ahead log, which takes up the disk while another program reads an old state of the database.
 * @param warn is told once each time that it cannot shrink
 * @returns what stops it
 */
export function watchLog(
  store: Store,
  warn: (line: string) => void,
  { every = EVERY_MS, large = LARGE_BYTES } = {},
): () => void {
  let hasWarned = false;
  const look = () => {
    const bytes = logBytesOf(store.path);
    const isStuck = bytes > large && !store.checkpoint();
    if (isStuck && !hasWarned)
      warn(
        `The write-ahead log has ${Math.round(bytes / 1e6)} MB and cannot shrink: another program keeps an old state of the database in use. See: sciatica doctor`,
      );
    hasWarned = isStuck;
  };
  const timer = setInterval(() => {
    try {
      look();
    } catch {
      // Requests meet the same fault, and report it.
    }
  }, every).unref();
  return () => clearInterval(timer);
}
