import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { stripVTControlCharacters } from 'node:util';

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
 * Opens `connections` connections that send or read a few bytes now and then.
 * @returns after how many seconds it ended, and whether that was because the service had cut all of them off
 */
export async function slowCallers(kind: keyof typeof kinds, port: number, connections: number) {
  const { flags, path, seconds } = kinds[kind];
  const many = [
    '-c',
    String(connections),
    '-r',
    String(connections),
    '-l',
    String(seconds),
    '-p',
    '5',
    '-v',
    '1',
  ];
  const url = `http://127.0.0.1:${port}${path}`;
  const child = spawn('slowhttptest', [...flags, ...many, '-u', url], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let text = '';
  child.stdout.on('data', (data) => {
    text += data;
  });
  await once(child, 'close');
  const plain = stripVTControlCharacters(text);
  const end = /Test ended on (\d+)\w+ second\s+Exit status:\s+(.*)/.exec(plain);
  return { seconds: Number(end?.[1]), areCut: end?.[2]?.trim() === 'No open connections left' };
}
