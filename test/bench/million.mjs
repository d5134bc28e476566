// At 1,000,000 logs.

import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { atMost, mebibytes, ratio, skipped } from './measure.mjs';
import { database } from './records.mjs';
import { folder, kibibytes, sciatica, serve, took } from './servers.mjs';
import { anewOf, oneOf, reads } from './service.mjs';

export async function benchMillion() {
  const path = await database('1m.db', 1_000_000);
  const big = await serve(path);
  mebibytes('GET all of 1,000,000 logs, memory over idle', await memoryOfWholeList(big), 64);
  const small = await serve(await database('1k-again.db', 1_000));
  atMost(
    'GET one log at 1,000,000 logs, against at 1,000',
    await ratio(reads(small, oneOf(1_000)), reads(big, oneOf(1_000_000))),
    1.2,
  );
  atMost(
    "GET one user's logs at 1,000,000 logs, against at 1,000",
    await ratio(reads(small, anewOf(10)), reads(big, anewOf(10_000))),
    1.2,
  );
  if (spawnSync('sqlite3', ['--version']).status !== 0) skipped('exports', 'there is no sqlite3');
  else
    for (const [format, columns] of [
      ['csv', `*, ${PLACE}`],
      ['ndjson', '*'],
    ])
      atMost(
        `export of 1,000,000 logs as ${format.toUpperCase()}, against sqlite3 -csv`,
        await ratio(
          async () =>
            written(process.execPath, [sciatica, 'export', 'logs', '--format', format, '--db', path]),
          async () => written('sqlite3', ['-csv', path, `SELECT ${columns} FROM logs`]),
          5,
        ),
        1.5,
      );
}

/** SQL: the place of a log in its day, a column of the CSV, which takes two thirds of the time of both. */
const PLACE = `(SELECT count(*) FROM logs AS theirs
  WHERE theirs.userId = logs.userId AND theirs.date = logs.date AND theirs.id <= logs.id)`;

/** How long a command takes that writes to a file, in milliseconds. */
function written(command, args) {
  const file = openSync(join(folder, 'written'), 'w');
  try {
    return took(command, args, { stdio: ['ignore', file, 'ignore'] });
  } finally {
    closeSync(file);
  }
}

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
