import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { freshFolder, nora, prepared, session } from '../helpers.ts';
import { root } from '../store/helpers.ts';
import { buildShim, NO_CC } from './shim.ts';

const script = join(root, 'bin/sciatica.js');

const { EDQUOT, ENOSPC, EIO } = constants.errno;

/** `sciatica serve` on a disk whose every write fails with `errno` while `trigger` exists. */
async function serve(errno: number, shim: string, trigger: string) {
  const db = prepared((store) => void store.users.create(nora));
  const child = spawn(process.execPath, [script, 'serve', '--no-app', '--port', '0', '--db', db], {
    env: {
      PATH: process.env['PATH'],
      ...{ LD_PRELOAD: shim, FAULT_UNDER: join(db, '..'), FAULT_WHEN: trigger },
      ...{ FAULT_AT: '1', FAULT_ON: '1', FAULT_ERRNO: String(errno) },
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const url = String(line).trim().split(' ').at(-1);
  return {
    get: async (path: string) => (await fetch(url + path)).status,
    post: async () => {
      const headers = { 'content-type': 'application/json' };
      const sent = { method: 'POST', headers, body: JSON.stringify(session) };
      const response = await fetch(`${url}/userExerciseLogs`, sent);
      return [response.status, ((await response.json()) as { type?: string }).type];
    },
    count: async () => ((await (await fetch(`${url}/userExerciseLogs`)).json()) as unknown[]).length,
  };
}

test.for<[string, number, number]>([
  ['EDQUOT', 507, EDQUOT],
  ['ENOSPC', 507, ENOSPC],
  ['EIO', 500, EIO],
])(
  'a write that fails with %s is answered with %i, reads go on, and so do writes afterwards (needs cc)',
  async ([, status, errno], { skip }) => {
    const folder = freshFolder();
    const shim = buildShim(folder);
    if (!shim) skip(NO_CC);
    const trigger = join(folder, 'now');
    const { get, post, count } = await serve(errno, shim, trigger);
    expect(await post()).toEqual([201, undefined]);
    writeFileSync(trigger, '');
    for (let time = 1; time <= 4; time++) expect((await post())[0]).toBe(status);
    expect(await get('/users/1')).toBe(200);
    rmSync(trigger);
    expect(await count()).toBe(1);
    expect(await post()).toEqual([201, undefined]);
    expect(await count()).toBe(2);
  },
);
