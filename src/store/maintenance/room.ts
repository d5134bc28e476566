import { logBytesOf, MOST_LOG_BYTES } from '../sqlite/snapshot.ts';
import type { Check } from './doctor.ts';

const megabytes = (bytes: number) => `${Math.round(bytes / 1e6).toLocaleString('en')} MB`;

/** Whether the write-ahead log can shrink: every write tries to, so a large one was kept from it. */
export function writeAheadLog(path: string): Check {
  const bytes = logBytesOf(path);
  const name = 'Write-ahead log';
  if (bytes <= 2 * MOST_LOG_BYTES) return { name, ok: true, detail: megabytes(bytes) };
  return {
    name,
    ok: false,
    detail: `${megabytes(bytes)}; a program that reads an old state of the database keeps it from shrinking`,
    advice: 'End what reads for long (an export, a pager, a backup), then record something.',
  };
}
