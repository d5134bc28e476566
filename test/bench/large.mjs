// npm run bench -- --large: what others notice of long reads at 10,000,000 logs. It takes 3 GB of disk and some minutes.
import { spawnSync } from 'node:child_process';
import { connect } from 'node:net';
import { get } from './load.mjs';

const isOld = Number.parseInt(process.versions.node, 10) < 22;

/** Fills a new database with plain SQL, without history: an import of so many logs takes minutes. */
export async function fill(path, sciatica, logs) {
  const { status } = spawnSync(process.execPath, [sciatica, 'users', '--db', path]);
  if (status !== 0) throw new Error('no database was made');
  const { default: Database } = await import(isOld ? 'better-sqlite3-12' : 'better-sqlite3');
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
  const users = logs / 100;
  // The first user has a thousand logs, every other about a hundred, spread as if all had recorded side by side.
  db.exec(`BEGIN;
    INSERT INTO users WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${users})
    SELECT i, 'Nora', 'Lind', 'nora' || i || '@example.org', 44, 'glute-left', 6, '2026-01-15' FROM n;
    INSERT INTO logs WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${logs})
    SELECT i, iif(i % ${Math.floor(logs / 900)} = 7, 1, (i - 1) % ${users} + 1), iif(i % 3, 'stretch', 'strengthening'),
      'Exercise ' || (i * 7919 % 60), date('2023-01-01', '+' || (i * 2654435761 % 4294967296 % 1100) || ' days'),
      1 + i * 7 % 10, 1 + (i * 13 + i / 1000) % 10, i % 4 > 1, 'Held ' || (i % 60) || ' s, twice per side' FROM n;
    COMMIT;`);
  for (const { sql } of besides) db.exec(sql);
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
}

/**
 * Asks for single logs over one connection while `busy` runs again and again.
 * @returns the times that they took, in milliseconds, in order
 */
export async function whileBusy(server, logs, ms, busy) {
  let isOver = false;
  const others = (async () => {
    while (!isOver) await busy();
  })();
  // Threads have been started, and the first sort is under way.
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const until = performance.now() + ms;
  const times = [];
  await new Promise((resolve, reject) => {
    const socket = connect(server.port, '127.0.0.1').setNoDelay(true);
    let sent = 0;
    let begun = 0;
    const next = () => {
      if (performance.now() > until) {
        socket.end();
        resolve();
        return;
      }
      sent += 1;
      begun = performance.now();
      socket.write(get(server, `/userExerciseLogs/${((sent * 7919) % logs) + 1}`));
    };
    socket.on('connect', next).on('error', reject);
    socket.on('data', () => {
      times.push(performance.now() - begun);
      setTimeout(next, 2);
    });
  });
  isOver = true;
  await others;
  return times.toSorted((a, b) => a - b);
}

/** Opens lists that are read at about 400 KB a second each; what it returns closes them. */
export function readSlowly(server, count) {
  const sockets = Array.from({ length: count }, () => {
    const socket = connect({ port: server.port, host: '127.0.0.1', highWaterMark: 20_000 });
    socket.write(get(server, '/userExerciseLogs'));
    socket.on('error', () => {});
    return socket.on('data', () => {
      socket.pause();
      setTimeout(() => socket.resume(), 50);
    });
  });
  return () => {
    for (const socket of sockets) socket.destroy();
  };
}
