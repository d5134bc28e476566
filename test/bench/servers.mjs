// Servers and commands as processes of their own, in one temporary folder.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const sciatica = new URL('../../bin/sciatica.js', import.meta.url).pathname;
export const folder = mkdtempSync(join(tmpdir(), 'sciatica-bench-'));

const running = [];

/** Starts a server; it prints its port at the end of its first line. */
export async function start(args, env = process.env) {
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'], env });
  running.push(server);
  const [line] = await Promise.race([once(server.stdout, 'data'), failure(server)]);
  return { pid: server.pid, port: Number(/:(\d+)\s*$/.exec(String(line))[1]) };
}

async function failure(server) {
  const [code] = await once(server, 'exit');
  throw new Error(`a server ended with ${code}`);
}

export const bare = (path, env) => start([new URL('yardstick.mjs', import.meta.url).pathname, path], env);
export const serve = (path, options = [], env = process.env) =>
  start([sciatica, 'serve', '--port', '0', '--db', path, ...options], env);

/** The service behind its door, and an administrator's token. */
export async function serveWithAuth(path, env = process.env) {
  const words = ['token', 'add', 'bench', '--role', 'admin', '--db', path];
  const added = spawnSync(process.execPath, [sciatica, ...words], { encoding: 'utf8' });
  const [token] = /sciatica_[\w-]+/.exec(added.stdout) ?? [];
  const often = ['--rate', '1000000', '--burst', '1000000'];
  return { ...(await serve(path, ['--auth', ...often], env)), token };
}

export function cleanUp() {
  for (const server of running) server.kill();
  rmSync(folder, { recursive: true });
}

/** Runs a command to its end. @returns how long that took, in milliseconds */
export function took(command, args, options = {}) {
  const begun = performance.now();
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8', ...options });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
  return performance.now() - begun;
}

/** A line of /proc/PID/status, in KiB. */
export const kibibytes = (pid, name) =>
  Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]);

/** The processor time that the threads of a process have taken, in milliseconds (Linux: proc(5), schedstat). */
export function processorTime(pid) {
  const threads = `/proc/${pid}/task`;
  const nanoseconds = readdirSync(threads).map((thread) => {
    try {
      return Number(readFileSync(`${threads}/${thread}/schedstat`, 'utf8').split(' ')[0]);
    } catch {
      // A thread that has ended meanwhile.
      return 0;
    }
  });
  return nanoseconds.reduce((sum, time) => sum + time, 0) / 1e6;
}
