import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { freshFolder } from '../helpers.ts';
import { certificate } from '../http/certificate.ts';
import { root } from '../store/helpers.ts';

const script = join(root, 'bin/sciatica.js');

/** What SIGHUP does to `sciatica serve`, whose streams all lead to files. */
async function served(isInTerminal: boolean, hasTls: boolean) {
  const folder = freshFolder();
  const [out, err, id] = ['out', 'err', 'pid'].map((name) => join(folder, name)) as [string, string, string];
  const { cert, key } = certificate('by itself');
  const words = hasTls ? `--auth --tls-cert ${cert} --tls-key ${key}` : '';
  const line = `echo $$ > ${id}; exec ${process.execPath} ${script} serve --no-app --port 0 --db ${join(folder, 'a.db')} ${words} > ${out} 2> ${err} < /dev/null`;
  for (const path of [out, err, id]) writeFileSync(path, '');
  const [program, ...argv] = isInTerminal
    ? ['script', '-qec', line, '/dev/null']
    : ['setsid', 'sh', '-c', line];
  const child = spawn(program as string, argv, {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: process.env['PATH'], SHELL: '/bin/sh' },
  });
  await expect.poll(() => readFileSync(out, 'utf8')).toContain('serves');
  const pid = Number(readFileSync(id, 'utf8'));
  const isAlive = () => {
    try {
      // Where the first process of a container waits for no other, one that has ended stays, as a zombie.
      return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
    } catch {
      // ENOENT: it was gone before. ESRCH: it went between opening and reading.
      return false;
    }
  };
  onTestFinished(() => {
    if (isAlive()) process.kill(pid, 'SIGKILL');
    child.kill('SIGKILL');
  });
  const port = Number(/:(\d+)\s*$/.exec(readFileSync(out, 'utf8'))?.[1]);
  return { child, pid, isAlive, renewed: cert, port, said: () => readFileSync(err, 'utf8') };
}

describe.skipIf(process.platform !== 'linux')('SIGHUP', () => {
  test.each([
    ['in a terminal', true],
    ['without one', false],
  ])('stops a service without TLS, %s', async (_, isInTerminal) => {
    const { pid, isAlive, said } = await served(isInTerminal, false);
    process.kill(pid, 'SIGHUP');
    await expect.poll(() => isAlive()).toBe(false);
    expect(said()).toMatch(/^The database is new, with nobody in it yet: .*a\.db$/m);
  });

  test.each([
    ['in a terminal that is open', true],
    ['without one', false],
  ])('makes a service with TLS look for a certificate, %s', async (_, isInTerminal) => {
    const { pid, isAlive, renewed, said } = await served(isInTerminal, true);
    writeFileSync(renewed, readFileSync(certificate('by itself').cert));
    process.kill(pid, 'SIGHUP');
    await expect.poll(() => said()).toContain('The old certificate stays in use');
    expect(isAlive()).toBe(true);
  });

  test.each([
    ['without', false],
    ['with', true],
  ])('a closed terminal stops a service %s TLS', async (_, hasTls) => {
    const { child, isAlive } = await served(true, hasTls);
    child.kill('SIGKILL');
    await expect.poll(() => isAlive()).toBe(false);
  });
});
