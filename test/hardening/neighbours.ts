// What one caller with a token can do to the others.
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

/**
 * A patient whose 60 connections ask for what takes long, and another who asks for a short list.
 * @returns how long the other waited, alone and beside it
 * @throws Error where the other is refused, or waits for more than twice as long
 */
export async function starve(server: Server): Promise<string> {
  const [attacker, victim] = server.patients.map((token) => callerOf(server, token));
  if (!attacker || !victim) throw new Error('there are no patients');
  const ask = () => victim('GET', '/userExerciseLogs?_limit=10');
  const alone = await during(ALONE_MS, ask);
  const heavy = ['/userExerciseLogs?q=zzzz', '/users/1/compare', '/users/1/report', '/users/1/summary'];
  let isOver = false;
  const siege = Array.from({ length: CONNECTIONS }, async (_, i) => {
    while (!isOver) await attacker('GET', heavy[i % heavy.length] ?? '').catch(() => {});
  });
  const beside = await during(SIEGE_MS, ask).finally(() => {
    isOver = true;
  });
  await Promise.all(siege);
  const told = `99th percentile ${alone.toFixed(0)} ms alone, ${beside.toFixed(0)} ms beside`;
  if (beside > 2 * alone + GRACE_MS) throw new Error(told);
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
