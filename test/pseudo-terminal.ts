import { spawn, spawnSync } from 'node:child_process';
import { DEADLINE_MS } from './deadline.mts';

/** Programs in a pseudo-terminal, by script(1). Tests skip where it is missing. */
export const hasScript = !spawnSync('script', ['--version']).error;

/** Typed: ends the program as it is. */
export const KILL = '';

interface Terminal {
  cwd: string;
  env: Record<string, string | undefined>;
}

/**
 * Types into a command, each text once the screen shows the one before it.
 * @returns the screen, control sequences included
 */
export function typeInto(
  command: string,
  keys: readonly (readonly [shown: string | RegExp, typed: string])[],
  { cwd, env }: Terminal,
): Promise<string> {
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd,
    env: { TERM: 'xterm', LANG: 'C.UTF-8', ...env },
  });
  const left = [...keys];
  let screen = '';
  let seen = 0;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`Waited for ${left[0]?.[0]} in\n${screen}`));
    }, DEADLINE_MS);
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      screen += text;
      const [next] = left;
      if (!next) return;
      const rest = screen.slice(seen);
      const found = typeof next[0] === 'string' ? rest.indexOf(next[0]) : rest.search(next[0]);
      if (found < 0) return;
      seen = screen.length;
      left.shift();
      setTimeout(
        () => {
          if (next[1] === KILL) child.kill();
          else child.stdin.write(next[1]);
        },
        next[1] === KILL ? 1500 : 30,
      );
    });
    child.on('close', () => {
      clearTimeout(timer);
      resolve(screen);
    });
  });
}
