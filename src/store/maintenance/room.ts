import type { Database } from '../sqlite/database.ts';
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

/** An audit that takes less is not worth a word. */
const LARGE_AUDIT = 100e6;

/** How many tables are named. */
const MOST_NAMED = 5;

/** What takes the room in the database file, the largest first; free pages are used again. */
export function room(db: Database): Check {
  const rows = db.all<{ name: string; bytes: number }>(
    `SELECT coalesce(tbl_name, dbstat.name) AS name, sum(pgsize) AS bytes
     FROM dbstat LEFT JOIN sqlite_schema ON sqlite_schema.name = dbstat.name WHERE aggregate = TRUE
     GROUP BY 1`,
  );
  const free = db.pragma<number>('freelist_count') * db.pragma<number>('page_size');
  const parts = [...rows, { name: 'free', bytes: free }].sort((a, b) => b.bytes - a.bytes);
  const total = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  const share = (bytes: number) => `${Math.round((100 * bytes) / total)} %`;
  const named = parts.slice(0, MOST_NAMED).filter(({ bytes }) => bytes > 0);
  const others = parts.slice(MOST_NAMED).reduce((sum, { bytes }) => sum + bytes, 0);
  const audit = rows.find(({ name }) => name === 'audit')?.bytes ?? 0;
  return {
    name: 'Room',
    ok: true,
    detail: [...named, { name: 'others', bytes: others }]
      .map(({ name, bytes }) => `${name} ${share(bytes)}`)
      .join(', '),
    ...(audit > LARGE_AUDIT && {
      advice: 'Old entries of the audit can be removed: sciatica audit prune --before -365d',
    }),
  };
}
