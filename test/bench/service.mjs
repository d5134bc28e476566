// The service against a bare node:http, at 1,000 logs.
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { get, load, post } from './load.mjs';
import { atLeast, compared, median, processorAtLeast, ratio, seen } from './measure.mjs';
import { benchPages } from './pages.mjs';
import { database, log, plainDatabase } from './records.mjs';
import { bare, folder, serve, serveWithAuth } from './servers.mjs';

const ROUND_MS = 700;
export const CONNECTIONS = 16;

/** @returns measures requests per second */
export const reads =
  (server, path, connections = CONNECTIONS) =>
  () =>
    load(server, connections, ROUND_MS, (n) => get(server, path(n)));
/** @param users how many users the records are of, in no order */
export const writes =
  (server, connections, users = 1) =>
  () =>
    load(server, connections, ROUND_MS, (n) =>
      post(server, '/userExerciseLogs', JSON.stringify({ ...log, userId: ((n * 7919) % users) + 1 })),
    );

export const oneOf = (logs) => (n) => `/userExerciseLogs/${((n * 7919) % logs) + 1}`;
export const userOf = (users) => (n) => `/userExerciseLogs?userId=${((n * 7919) % users) + 1}`;
/** The last parameter is ignored, and makes each list one that was not asked for before: none is kept for it. */
export const anewOf =
  (users, first = 1) =>
  (n) =>
    `/userExerciseLogs?userId=${((n * 7919) % users) + first}&_n=${n}`;

/** What the disk takes to sync a page that is written over, in milliseconds: the ratios of POSTs depend on it. */
function syncTime() {
  const file = openSync(join(folder, 'sync'), 'w');
  const page = Buffer.alloc(4096);
  const times = Array.from({ length: 200 }, (_, i) => {
    writeSync(file, page, 0, page.length, (i % 20) * page.length);
    const begun = performance.now();
    fdatasyncSync(file);
    return performance.now() - begun;
  });
  closeSync(file);
  return median(times);
}

/** POSTs for users in no order over 100,000 logs: each touches other pages, where those of one user share theirs. */
async function benchRandomUsers() {
  const [logs, users] = [100_000, 1_000];
  const theirs = await bare(plainDatabase('plain-100k.db', logs));
  const path = await database('100k.db', logs);
  const ours = await serve(path);
  for (const connections of [1, 16, 64])
    compared(
      `durable POST of random users over ${logs.toLocaleString('en')} logs, connections: ${connections}`,
      await ratio(writes(ours, connections, users), writes(theirs, connections, users)),
    );
  await benchPages(ours, path, users);
}

export async function benchService() {
  const theirs = await bare(plainDatabase('plain.db', 1_000));
  const ours = await serve(await database('1k.db', 1_000));
  const guarded = await serveWithAuth(await database('guarded.db', 1_000));
  const [one, hundred] = [oneOf(1_000), userOf(10)];
  // Reads first: the writes make one user's list longer.
  for (const [what, server, path, bound] of [
    ['GET one log', ours, one, 0.95],
    ["GET a user's 100 logs", ours, hundred, 1.2],
    ['GET one log, with --auth', guarded, one, 0.82],
    ["GET a user's 100 logs, with --auth", guarded, hundred, 0.95],
  ])
    processorAtLeast(what, await ratio(reads(server, path), reads(theirs, path)), bound);
  const anew = anewOf(10);
  compared(
    "GET a user's 100 logs, each list for the first time",
    await ratio(reads(ours, anew), reads(theirs, anew)),
  );
  for (const [connections, bound] of [
    [1, 0.6],
    [16, 2.8],
    [64, 3.5],
  ])
    atLeast(
      `durable POST, connections: ${connections}`,
      await ratio(writes(ours, connections), writes(theirs, connections)),
      bound,
    );
  atLeast(
    'durable POST, connections: 16, with --auth',
    await ratio(writes(guarded, 16), writes(theirs, 16)),
    2.8,
  );
  seen('a sync of this disk', `${syncTime().toFixed(2)} ms`);
  const nothing = () => load(theirs, 64, ROUND_MS, () => post(theirs, '/nothing', JSON.stringify(log)));
  compared('POST that stores nothing, connections: 64, bare', await ratio(nothing, writes(theirs, 64)));
  await benchRandomUsers();
  // On the tables, indexes and triggers of sciatica: what its history costs it, the yardstick pays too.
  const withHistory = await bare(await database('history.db', 1_000));
  for (const connections of [1, 16])
    compared(
      `durable POST, connections: ${connections}, bare with history`,
      await ratio(writes(ours, connections), writes(withHistory, connections)),
    );
}
