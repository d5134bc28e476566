import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import type { Server } from './child.ts';

/** How slowhttptest (https://github.com/shekyan/slowhttptest) makes each kind of slow caller, for so many seconds. */
const kinds = {
  headers: { flags: ['-H', '-i', '3', '-x', '24'], path: '/users', seconds: 25 },
  bodies: {
    flags: ['-B', '-i', '3', '-s', '8192', '-x', '10', '-f', 'application/json'],
    path: '/users',
    seconds: 35,
  },
  reads: {
    flags: ['-X', '-w', '1', '-y', '256', '-n', '5', '-z', '32'],
    path: '/userExerciseLogs',
    seconds: 55,
  },
};

export const slowKinds = Object.keys(kinds) as (keyof typeof kinds)[];

/** Whether the tool is on this machine. */
export const hasSlowhttptest = (): boolean => spawnSync('slowhttptest', ['-h']).error === undefined;

/**
 * Opens `connections` connections that send or read a few bytes now and then, for as long as they last.
 * @returns after how many seconds the service had cut them off; undefined when it had not
 */
export async function slowCallers(kind: keyof typeof kinds, server: Server, connections: number) {
  const { flags, path, seconds } = kinds[kind];
  const [count, before, begun] = [String(connections), server.sockets, performance.now()];
  const url = `http://127.0.0.1:${server.port}${path}`;
  const args = [...flags, '-c', count, '-r', count, '-l', String(seconds), '-p', '5', '-u', url];
  const child = spawn('slowhttptest', args, { stdio: 'ignore' });
  let held = 0;
  // Its own count does not do: what the system has buffered still trickles to a caller who was cut off.
  const watch = setInterval(() => {
    if (server.sockets > before + connections / 10) held = (performance.now() - begun) / 1000;
  }, 100);
  await once(child, 'close');
  clearInterval(watch);
  return held > 0 && held < seconds - 2 ? Math.ceil(held) : undefined;
}
