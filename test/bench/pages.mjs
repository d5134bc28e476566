// The pages that a POST writes, by the table or index that they belong to.
import { closeSync, openSync, readSync } from 'node:fs';
import { seen } from './measure.mjs';
import { log, openDatabase } from './records.mjs';

const POSTS = 200;
/** Of the log, and of each frame in it (https://sqlite.org/fileformat2.html#the_write_ahead_log). */
const [LOG_HEADER, FRAME_HEADER, PAGE] = [32, 24, 4096];
/** Where the index of the log has the number of its last frame (https://sqlite.org/walformat.html#the_wal_index_header). */
const LAST_FRAME = 16;

/** Prints how many pages a POST writes at one connection, each commit by itself. */
export async function benchPages({ port }, path, users) {
  const [index, frames] = [openSync(`${path}-shm`, 'r'), openSync(`${path}-wal`, 'r')];
  const four = Buffer.alloc(4);
  const lastFrame = () => {
    readSync(index, four, 0, 4, LAST_FRAME);
    return four.readUInt32LE();
  };
  const pageOf = (frame) => {
    readSync(frames, four, 0, 4, LOG_HEADER + (frame - 1) * (FRAME_HEADER + PAGE));
    return four.readUInt32BE();
  };
  const written = [];
  for (let n = 0; n < POSTS; n += 1) {
    const before = lastFrame();
    await post(port, { ...log, userId: ((n * 7919) % users) + 1 });
    const after = lastFrame();
    // A log that is all in the database begins again.
    for (let frame = after >= before ? before + 1 : 1; frame <= after; frame += 1)
      written.push(pageOf(frame));
  }
  closeSync(index);
  closeSync(frames);
  seen('pages for each POST of random users', (written.length / POSTS).toFixed(1));
  const names = namesOfPages(path);
  const counts = new Map();
  for (const page of written) {
    const name = names.get(page) ?? 'free or header';
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  for (const [name, count] of [...counts].sort(([, a], [, b]) => b - a))
    seen(`  of these ${name}`, (count / POSTS).toFixed(1));
}

async function post(port, record) {
  const response = await fetch(`http://127.0.0.1:${port}/userExerciseLogs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(record),
  });
  if (response.status !== 201) throw new Error(`a POST was answered with ${response.status}`);
  await response.text();
}

/** The table or index that each page belongs to (https://sqlite.org/dbstat.html). */
function namesOfPages(path) {
  const db = openDatabase(path);
  const rows = db.prepare('SELECT pageno, name FROM dbstat').all();
  db.close();
  return new Map(rows.map(({ pageno, name }) => [pageno, name]));
}
