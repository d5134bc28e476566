// Whole commands on 10,000 logs, against an empty Node process.
import { spawnSync } from 'node:child_process';
import { atMost, ratio, skipped } from './measure.mjs';
import { database } from './records.mjs';
import { sciatica, took } from './servers.mjs';

const ROUNDS = 21;

export async function benchCommands() {
  const db = await database('10k.db', 10_000);
  const node = process.execPath;
  const piped = (args) => async () => took(node, args);
  const hasCache = 'enableCompileCache' in (await import('node:module'));
  atMost(
    `sciatica logs on 10,000 logs, against node -e 0`,
    await ratio(piped([sciatica, 'logs', '--db', db]), piped(['-e', '0']), ROUNDS),
    hasCache ? 1.45 : 1.6,
  );
  if (spawnSync('script', ['--version']).status !== 0) {
    skipped('commands in a terminal', 'there is no script(1)');
    return;
  }
  const env = { ...process.env, TERM: 'xterm-256color', SCIATICA_DB: db, SCIATICA_USER: '1' };
  const inTerminal = (words) => async () =>
    took('script', ['-qec', `${node} ${words}`, '/dev/null'], { env });
  for (const [words, bound] of [
    ['', 1.9],
    ['log add piri 6 4', 1.9],
    ['logs', 1.9],
  ])
    atMost(
      `${`sciatica ${words}`.trim()}, in a terminal`,
      await ratio(inTerminal(`${sciatica} ${words}`), inTerminal('-e 0'), ROUNDS),
      bound,
    );
}
