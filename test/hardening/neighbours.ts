// What one caller with a token can do to the others.
import { spawn } from 'node:child_process';
import type { Server } from './child.ts';

/** In MiB: what a token may store in an hour, and what indexes and log add to it. */
const QUOTA = 64;
const OVERHEAD = 3;

/** In milliseconds: how long the attack on the pool lasts, and its victim is asked for without it before. */
const SIEGE_MS = 20_000;
const ALONE_MS = 5_000;
const CONNECTIONS = 60;

/** Calls the service as somebody. */
const callerOf =
  ({ port }: Server, token: string | undefined) =>
  async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const sent = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const response = await fetch(`http://127.0.0.1:${port}${path}`, sent);
    return { status: response.status, text: await response.text() };
  };

/**
 * A patient who makes a large change, then undoes it, undoes the undoing, and so on: a request of some bytes stores megabytes.
 * @returns what was stored
 * @throws Error where the quota does not end it, or where it hits somebody else
 */
export async function amplify(server: Server): Promise<string> {
  const [patient, other] = server.patients.map((token) => callerOf(server, token));
  if (!patient || !other) throw new Error('there are no patients');
  const before = server.size;
  const log = { userId: 1, exerciseType: 'stretch', exerciseName: 'Cat', date: '2026-03-02' };
  const long = { ...log, painBefore: 5, painAfter: 4, effective: true, notes: 'x'.repeat(9_000) };
  const created = await patient('POST', '/userExerciseLogs', Array(100).fill(long));
  if (created.status !== 201) throw new Error(`the logs were refused with ${created.status}`);
  let change = lastChange((await patient('GET', '/changes?since=1&limit=1000')).text);
  for (let undone = 0; undone < 2_000; undone += 1) {
    const { status } = await patient('POST', '/undo', { change });
    if (status === 200) {
      change += 1;
      continue;
    }
    if (status !== 429) throw new Error(`an undo was answered with ${status}`);
    const stored = server.size - before;
    if (stored > QUOTA * OVERHEAD) throw new Error(`${stored.toFixed(0)} MiB were stored`);
    const neighbour = await other('POST', '/userExerciseLogs', { ...long, userId: 2 });
    if (neighbour.status !== 201) throw new Error(`the other patient was answered with ${neighbour.status}`);
    return `ended after ${undone} undos and ${stored.toFixed(0)} MiB`;
  }
  throw new Error('the quota did not end it');
}

/** The change of the last entry. */
function lastChange(text: string): number {
  const entries = JSON.parse(text) as { change: number }[];
  return entries.at(-1)?.change ?? 0;
}

/** Asks on many connections for what takes long, as fast as it is answered. */
const SIEGE = `
  const [url, token] = process.argv.slice(1);
  const heavy = ['/userExerciseLogs?q=zzzz', '/users/1/compare', '/users/1/report', '/users/1/summary'];
  const headers = { authorization: 'Bearer ' + token };
  const asking = async (path) => {
    for (;;) await fetch(url + path, { headers }).then((response) => response.text(), () => {});
  };
  for (let i = 0; i < ${CONNECTIONS}; i += 1) asking(heavy[i % heavy.length]);
`;

/**
 * A patient whose 60 connections ask for what takes long, and another who asks for a short list.
 * @returns how long the other waited, alone and beside it
 * @throws Error where the other is refused, or waits for more than twice as long
 */
export async function starve(server: Server): Promise<string> {
  const [attacker, victim] = server.patients;
  const caller = callerOf(server, victim);
  const ask = () => caller('GET', '/userExerciseLogs?_limit=10');
  const alone = await during(ALONE_MS, ask);
  // In a process of its own: the victim is not to wait for the attacker's answers to be read.
  const siege = spawn(process.execPath, ['-e', SIEGE, `http://127.0.0.1:${server.port}`, attacker ?? '']);
  const beside = await during(SIEGE_MS, ask).finally(() => siege.kill());
  const told = `99th percentile ${alone.toFixed(0)} ms alone, ${beside.toFixed(0)} ms beside`;
  if (beside > 2 * alone + GRACE_MS) throw new Error(told);
  return told;
}

/** In milliseconds: how long others may wait for a read and a write beside a large change, and in MiB what it may take. */
const MOST_READ_MS = 250;
const MOST_WRITE_MS = 5_000;
const MOST_MIB = 128;

/**
 * A large change taken back, taken back once more, refused, and all users' records deleted and brought back, beside somebody who reads
 * and somebody who writes.
 * @returns how long they waited
 * @throws Error where one is not answered, waits longer than that, or the service takes more memory
 */
export async function undoBeside(server: Server): Promise<string> {
  const ask = callerOf(server, server.token);
  const log = {
    userId: 100,
    exerciseType: 'stretch',
    exerciseName: 'Cat',
    date: '2026-03-02',
    painBefore: 5,
    painAfter: 4,
  };
  const idle = server.memory;
  server.peak = idle;
  let isOver = false;
  const slowest = { read: 0, write: 0 };
  const others = (Object.keys(slowest) as (keyof typeof slowest)[]).map(async (kind) => {
    while (!isOver) {
      const begun = performance.now();
      const { status } = await (kind === 'read'
        ? ask('GET', '/users/100')
        : ask('POST', '/userExerciseLogs', { ...log, effective: true, notes: '' }));
      if (status >= 300) throw new Error(`a ${kind} was answered with ${status}`);
      slowest[kind] = Math.max(slowest[kind], performance.now() - begun);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  });
  const steps: [number, string, string, object?][] = [
    [200, 'DELETE', '/users/1'],
    [201, 'POST', '/users/1/restore'],
    [200, 'POST', '/undo', { change: 2 }],
    [409, 'POST', '/undo', { change: 2 }],
  ];
  const taken: string[] = [];
  try {
    for (const [expected, method, path, body] of steps) {
      const begun = performance.now();
      const { status, text } = await ask(method, path, body);
      if (status !== expected) throw new Error(`${method} ${path} was answered with ${status}: ${text}`);
      taken.push(((performance.now() - begun) / 1000).toFixed(1));
    }
  } finally {
    isOver = true;
  }
  await Promise.all(others);
  const mib = server.peak - idle;
  const told = `took ${taken.join(', ')} s; others waited at most ${slowest.read.toFixed(0)} ms to read, ${slowest.write.toFixed(0)} to write; ${mib.toFixed(0)} MiB`;
  if (slowest.read > MOST_READ_MS || slowest.write > MOST_WRITE_MS || mib > MOST_MIB) throw new Error(told);
  return told;
}

/** In milliseconds: what a busy machine adds to a request that takes one. */
const GRACE_MS = 10;

/** Asks again and again. @returns the 99th percentile, in milliseconds @throws Error at an answer that is not 200 */
async function during(ms: number, ask: () => Promise<{ status: number }>): Promise<number> {
  const times: number[] = [];
  for (const until = performance.now() + ms; performance.now() < until; ) {
    const begun = performance.now();
    const { status } = await ask();
    if (status !== 200) throw new Error(`the short list was answered with ${status}`);
    times.push(performance.now() - begun);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0;
}
