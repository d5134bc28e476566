// Databases to measure with.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { folder, sciatica, took } from './servers.mjs';

const isOld = Number.parseInt(process.versions.node, 10) < 22;
const { default: Database } = await import(isOld ? 'better-sqlite3-12' : 'better-sqlite3');

export const LOGS_PER_USER = 100;

/** Opens a database to look into it. */
export const openDatabase = (path) => new Database(path, { readonly: true });

export const user = {
  firstName: 'Nora',
  lastName: 'Lind',
  email: 'nora@example.org',
  age: 44,
  painLocation: 'glute-left',
  painLevel: 6,
  diagnosisDate: '2026-01-15',
};
export const log = {
  userId: 1,
  exerciseType: 'stretch',
  exerciseName: 'Piriformis Stretch',
  date: '2026-03-02',
  painBefore: 6,
  painAfter: 4,
  effective: true,
  notes: 'Held 30 s, twice per side',
};

/** The records of a database, a hundred logs of each user, spread as if all had recorded side by side. */
function* records(logs) {
  const users = logs / LOGS_PER_USER;
  for (let id = 1; id <= users; id += 1) yield { id, ...user };
  for (let id = 1; id <= logs; id += 1) {
    const day = String((id % 28) + 1).padStart(2, '0');
    yield { id, ...log, userId: ((id - 1) % users) + 1, date: `2026-01-${day}` };
  }
}

/** Imports so many logs into a new database. */
export async function database(name, logs) {
  const path = join(folder, name);
  const importer = spawn(process.execPath, [sciatica, 'import', '-', '--format', 'ndjson', '--db', path], {
    stdio: ['pipe', 'inherit', 'ignore'],
  });
  const ended = once(importer, 'exit');
  await writeRecords(importer.stdin, logs);
  const [code] = await ended;
  if (code !== 0) throw new Error(`import of ${name} ended with ${code}`);
  return path;
}

/** Writes so many logs, and their users, to a file. */
export async function ndjson(name, logs) {
  const path = join(folder, name);
  const file = createWriteStream(path);
  const closed = once(file, 'close');
  await writeRecords(file, logs);
  await closed;
  return path;
}

async function writeRecords(output, logs) {
  for (const record of records(logs))
    if (!output.write(`${JSON.stringify(record)}\n`)) await once(output, 'drain');
  output.end();
}

/** The same logs in one plain table with one index: no history, nothing checked. */
export function plainDatabase(name, logs) {
  const path = join(folder, name);
  const db = new Database(path);
  db.pragma('journal_mode = WAL');
  db.exec(`CREATE TABLE logs (id INTEGER PRIMARY KEY, userId INTEGER NOT NULL, exerciseType TEXT NOT NULL,
    exerciseName TEXT NOT NULL, date TEXT NOT NULL, painBefore INTEGER NOT NULL, painAfter INTEGER NOT NULL,
    effective INTEGER NOT NULL, notes TEXT NOT NULL); CREATE INDEX logs_by_user ON logs (userId)`);
  const insert = db.prepare('INSERT INTO logs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)');
  db.transaction(() => {
    for (const { firstName, ...record } of records(logs))
      if (!firstName) insert.run(...Object.values({ ...record, effective: Number(record.effective) }));
  })();
  db.close();
  return path;
}

/** Fills a new database with plain SQL, without history: an import of so many logs takes minutes. */
export function fill(path, logs) {
  took(process.execPath, [sciatica, 'users', '--db', path]);
  const db = new Database(path);
  db.pragma('synchronous = OFF');
  db.pragma('foreign_keys = OFF');
  const besides = db
    .prepare(
      `SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND
       (type = 'trigger' AND tbl_name IN ('users', 'logs') OR type = 'index' AND tbl_name = 'logs')`,
    )
    .all();
  for (const { type, name } of besides) db.exec(`DROP ${type} ${name}`);
  const users = logs / LOGS_PER_USER;
  // The first user has a thousand logs, every other about a hundred, spread as if all had recorded side by side.
  db.exec(`BEGIN;
    INSERT INTO users WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${users})
    SELECT i, 'Nora', 'Lind', 'nora' || i || '@example.org', 44, 'glute-left', 6, '2026-01-15' FROM n;
    INSERT INTO logs (id, userId, exerciseType, exerciseName, date, painBefore, painAfter, effective, notes) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${logs})
    SELECT i, iif(i % ${Math.floor(logs / 900)} = 7, 1, (i - 1) % ${users} + 1), iif(i % 3, 'stretch', 'strengthening'),
      'Exercise ' || (i * 7919 % 60), date('2023-01-01', '+' || (i * 2654435761 % 4294967296 % 1100) || ' days'),
      1 + i * 7 % 10, 1 + (i * 13 + i / 1000) % 10, i % 4 > 1, 'Held ' || (i % 60) || ' s, twice per side' FROM n;
    COMMIT;`);
  for (const { sql } of besides) db.exec(sql);
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
  return path;
}
