// At 10,000,000 logs: what one asks, and what others notice of it. It takes 4 GB of disk and some minutes.
import { connect } from 'node:net';
import { join } from 'node:path';
import { get } from './load.mjs';
import { atMost, compared, mebibytes, median, milliseconds, ratio } from './measure.mjs';
import { database, fill } from './records.mjs';
import { bare, folder, kibibytes, sciatica, serve, took } from './servers.mjs';
import { anewOf, oneOf, reads } from './service.mjs';

const LOGS = 10_000_000;
const TIMES = 18;

export async function benchLarge() {
  const path = fill(join(folder, '10m.db'), LOGS);
  const server = await serve(path);
  const ask = async (target) => {
    const begun = performance.now();
    await (await fetch(`http://127.0.0.1:${server.port}${target}`)).arrayBuffer();
    return performance.now() - begun;
  };
  const usual = async (target) => {
    const times = [];
    for (let i = 0; i < TIMES; i += 1) times.push(await ask(target));
    return median(times);
  };

  const named = '/userExerciseLogs?exerciseName=Exercise%207&limit=50';
  await ask('/userExerciseLogs?limit=50');
  milliseconds(
    'limit=50 of all 10,000,000 logs, after the first',
    await usual('/userExerciseLogs?limit=50'),
    20,
  );
  milliseconds('exerciseName=…&limit=50, the first', await ask(named), 100);
  milliseconds('exerciseName=…&limit=50, then', await usual(named), 10);
  milliseconds(
    'exerciseName that nobody has',
    await ask('/userExerciseLogs?exerciseName=None&limit=50'),
    100,
  );
  milliseconds('summary of a user with 1,000 logs', await usual('/users/1/summary'), 60);

  const beside = await database('1k-beside.db', 1_000);
  const small = await serve(beside);
  atMost(
    'GET one log at 10,000,000 logs, against at 1,000',
    await ratio(reads(small, oneOf(1_000)), reads(server, oneOf(LOGS))),
    1.2,
  );
  compared(
    'the same, bare',
    await ratio(reads(await bare(beside), oneOf(1_000)), reads(await bare(path), oneOf(LOGS))),
  );
  atMost(
    "GET one user's logs at 10,000,000 logs, against at 1,000",
    // The first user has more.
    await ratio(reads(small, anewOf(10)), reads(server, anewOf(LOGS / 100 - 1, 2))),
    1.2,
  );
  const latest = [sciatica, 'logs', '--user', 'all', '--limit', '20', '--db', path];
  milliseconds(
    'sciatica logs --user all --limit 20, whole process',
    median(Array.from({ length: 5 }, () => took(process.execPath, latest))),
    300,
  );

  const sorted = await whileBusy(server, 20_000, () => ask('/userExerciseLogs?sort=painAfter&limit=50'));
  milliseconds(
    'GET one log while 10,000,000 are sorted, 99th percentile',
    sorted[Math.floor(sorted.length * 0.99)],
    10,
  );
  milliseconds('the same, slowest', sorted.at(-1), 50);
  const idle = kibibytes(server.pid, 'VmRSS');
  const close = readSlowly(server, 10);
  await whileBusy(server, 10_000, () => new Promise((resolve) => setTimeout(resolve, 100)));
  const memory = (kibibytes(server.pid, 'VmRSS') - idle) / 1024;
  close();
  mebibytes('ten slow readers of 10,000,000 logs, memory', memory, 128);
}

/**
 * Asks for single logs over one connection while `busy` runs again and again.
 * @returns the times that they took, in milliseconds, in order
 */
async function whileBusy(server, ms, busy) {
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
      socket.write(get(server, oneOf(LOGS)(sent)));
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
function readSlowly(server, count) {
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
