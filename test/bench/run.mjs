// npm run bench: ratios taken in one run against yardsticks made here, never absolute times.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fill, readSlowly, whileBusy } from './large.mjs';
import { get, load, post } from './load.mjs';

const sciatica = new URL('../../bin/sciatica.js', import.meta.url).pathname;
const yardstick = new URL('yardstick.mjs', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'sciatica-bench-'));
const running = [];

const ROUNDS = 9;
const ROUND_MS = 1_000;
const CONNECTIONS = 16;
const LOGS_PER_USER = 100;

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

const log = {
  userId: 1,
  exerciseType: 'stretch',
  exerciseName: 'Piriformis Stretch',
  date: '2026-03-02',
  painBefore: 6,
  painAfter: 4,
  effective: true,
  notes: 'Held 30 s, twice per side',
};

/** A database with so many logs, a hundred of each user, spread as if all had recorded side by side. */
async function database(name, logs) {
  const path = join(folder, name);
  const users = logs / LOGS_PER_USER;
  const importer = spawn(process.execPath, [sciatica, 'import', '-', '--format', 'ndjson', '--db', path], {
    stdio: ['pipe', 'inherit', 'ignore'],
  });
  const write = async (record) => {
    if (!importer.stdin.write(`${JSON.stringify(record)}\n`)) await once(importer.stdin, 'drain');
  };
  for (let id = 1; id <= users; id += 1)
    await write({
      id,
      firstName: 'Nora',
      lastName: 'Lind',
      email: 'nora@example.org',
      age: 44,
      painLocation: 'glute-left',
      painLevel: 6,
      diagnosisDate: '2026-01-15',
    });
  for (let id = 1; id <= logs; id += 1) {
    const day = String((id % 28) + 1).padStart(2, '0');
    await write({ id, ...log, userId: ((id - 1) % users) + 1, date: `2026-01-${day}` });
  }
  importer.stdin.end();
  const [code] = await once(importer, 'exit');
  if (code !== 0) throw new Error(`import of ${name} ended with ${code}`);
  return path;
}

async function start(...args) {
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  running.push(server);
  const [line] = await Promise.race([once(server.stdout, 'data'), failure(server)]);
  return { pid: server.pid, port: Number(/:(\d+)\s*$/.exec(String(line))[1]) };
}

async function failure(server) {
  const [code] = await once(server, 'exit');
  throw new Error(`a server ended with ${code}`);
}

const serve = (path, ...options) => start(sciatica, 'serve', '--port', '0', '--db', path, ...options);

/** The service behind its door, and an administrator's token. */
async function serveWithAuth(path) {
  const added = spawnSync(
    process.execPath,
    [sciatica, ...'token add bench --role admin --db'.split(' '), path],
    {
      encoding: 'utf8',
    },
  );
  const [token] = /sciatica_[\w-]+/.exec(added.stdout) ?? [];
  const often = ['--rate', '1000000', '--burst', '1000000'];
  return { ...(await serve(path, '--auth', ...often)), token };
}

/** The ratio of two measurements, each taken in turn, round by round; its median. */
async function ratio(a, b) {
  const ratios = [];
  await a();
  await b();
  for (let round = 0; round < ROUNDS; round += 1) ratios.push((await a()) / (await b()));
  return median(ratios);
}

function report(what, value, bound, good) {
  console.log(`${good ? 'ok  ' : 'MISS'}  ${what.padEnd(58)} ${value.padStart(9)}   (${bound})`);
  if (!good) process.exitCode = 1;
}

const atLeast = (what, value, bound) =>
  report(what, `${value.toFixed(2)} ×`, `at least ${bound} ×`, value >= bound);
const atMost = (what, value, bound) =>
  report(what, `${value.toFixed(2)} ×`, `at most ${bound} ×`, value <= bound);

function wholeProcess(args) {
  const begun = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return performance.now() - begun;
}

const kibibytes = (pid, name) =>
  Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]);

async function memoryOfWholeList({ pid, port }) {
  await (await fetch(`http://127.0.0.1:${port}/userExerciseLogs/1`)).text();
  const idle = kibibytes(pid, 'VmRSS');
  let peak = idle;
  const watch = setInterval(() => {
    peak = Math.max(peak, kibibytes(pid, 'VmRSS'));
  }, 10);
  const response = await fetch(`http://127.0.0.1:${port}/userExerciseLogs`);
  let bytes = 0;
  for await (const chunk of response.body) bytes += chunk.length;
  clearInterval(watch);
  if (bytes < 100_000_000) throw new Error(`the list had only ${bytes} bytes`);
  return (peak - idle) / 1024;
}

/** What others notice of long reads. LARGE_DB names a database that `fill` made before, and is left as it is. */
async function benchLarge(logs = 10_000_000) {
  const path = process.env.LARGE_DB ?? join(folder, '10m.db');
  if (!process.env.LARGE_DB) await fill(path, sciatica, logs);
  const server = await serve(path);
  const ask = async (target) => (await fetch(`http://127.0.0.1:${server.port}${target}`)).arrayBuffer();
  const milliseconds = (what, value, most) =>
    report(what, `${value.toFixed(1)} ms`, `at most ${most} ms`, value <= most);
  const sorted = await whileBusy(server, logs, 20_000, () =>
    ask('/userExerciseLogs?sort=painAfter&limit=50'),
  );
  milliseconds(
    'GET one log while 10,000,000 are sorted, 99th percentile',
    sorted[Math.floor(sorted.length * 0.99)],
    10,
  );
  milliseconds('the same, slowest', sorted.at(-1), 50);
  const times = [];
  for (let round = 0; round < 2 * ROUNDS; round += 1) {
    const begun = performance.now();
    await ask('/users/1/summary');
    times.push(performance.now() - begun);
  }
  milliseconds('summary of a user with 1,000 of 10,000,000 logs', median(times), 60);
  const idle = kibibytes(server.pid, 'VmRSS');
  const close = readSlowly(server, 10);
  await whileBusy(server, logs, 10_000, () => new Promise((resolve) => setTimeout(resolve, 100)));
  const memory = (kibibytes(server.pid, 'VmRSS') - idle) / 1024;
  close();
  report(
    'ten slow readers of 10,000,000 logs, memory',
    `${memory.toFixed(0)} MiB`,
    'at most 128 MiB',
    memory <= 128,
  );
}

try {
  if (process.argv.includes('--large')) await benchLarge();
  const small = await database('1k.db', 1_000);
  const medium = await database('10k.db', 10_000);
  const large = await database('1m.db', 1_000_000);
  const bare = join(folder, 'bare.db');
  copyFileSync(small, bare);

  const guardedFile = join(folder, 'guarded.db');
  copyFileSync(small, guardedFile);
  const ours = await serve(small);
  const guarded = await serveWithAuth(guardedFile);
  const theirs = await start(yardstick, bare);
  const reads =
    (server, path, connections = CONNECTIONS) =>
    () =>
      load(server.port, connections, ROUND_MS, (n) => get(server, path(n)));
  const writes = (server) => () =>
    load(server.port, CONNECTIONS, ROUND_MS, () => post(server, '/userExerciseLogs', JSON.stringify(log)));
  const oneOf = (logs) => (n) => `/userExerciseLogs/${((n * 7919) % logs) + 1}`;
  const tenUsers = (n) => `/userExerciseLogs?userId=${(n % 10) + 1}`;

  const ways = [
    [ours, ''],
    [guarded, ', with --auth'],
  ];
  const one = oneOf(1_000);
  // Reads first: the writes make one user's list longer.
  for (const [server, how] of ways) {
    atLeast(`GET one log${how}`, await ratio(reads(server, one), reads(theirs, one)), 0.75);
    atLeast(
      `GET a user's 100 logs${how}`,
      await ratio(reads(server, tenUsers), reads(theirs, tenUsers)),
      0.8,
    );
  }
  for (const [server, how] of ways)
    atLeast(`durable POST, 16 connections${how}`, await ratio(writes(server), writes(theirs)), 2);
  const logs = () => wholeProcess([sciatica, 'logs', '--db', medium]);
  atMost(
    'sciatica logs on 10,000 logs, against node -e 0',
    await ratio(
      async () => logs(),
      async () => wholeProcess(['-e', '0']),
    ),
    1.7,
  );

  const big = await serve(large);
  const memory = await memoryOfWholeList(big);
  report(
    'GET all of 1,000,000 logs, memory over idle',
    `${memory.toFixed(0)} MiB`,
    'at most 64 MiB',
    memory <= 64,
  );
  const fresh = await serve(await database('1k-again.db', 1_000));
  const time = (small, large) => ratio(small, large);
  atMost(
    'GET one log at 1,000,000 logs, against at 1,000',
    await time(reads(fresh, oneOf(1_000)), reads(big, oneOf(1_000_000))),
    1.2,
  );
  atMost(
    "GET one user's logs at 1,000,000 logs, against at 1,000",
    await time(reads(fresh, tenUsers), reads(big, tenUsers)),
    1.2,
  );
} finally {
  for (const server of running) server.kill();
  rmSync(folder, { recursive: true });
}
