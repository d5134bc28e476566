// The same three requests to what people use instead: fastify and express with better-sqlite3, and json-server.
import { spawnSync } from 'node:child_process';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compared, ratio, skipped } from './measure.mjs';
import { database, log, plainDatabase } from './records.mjs';
import { folder, serve, start } from './servers.mjs';
import { oneOf, reads, userOf, writes } from './service.mjs';

/** 250 packages for one bench: installed for it, and not with the project. */
const PACKAGES = ['fastify@5.12.8', 'express@5.3.0', 'json-server@0.17.4'];

export async function benchPeers() {
  const peers = join(folder, 'peers');
  const { status } = spawnSync('npm', ['install', '--prefix', peers, '--ignore-scripts', ...PACKAGES]);
  if (status !== 0) {
    skipped('peers', 'npm cannot install them');
    return;
  }
  cpSync(new URL('peer.mjs', import.meta.url), join(peers, 'peer.mjs'));
  const logs = Array.from({ length: 1_000 }, (_, i) => ({ id: i + 1, ...log, userId: (i % 10) + 1 }));
  const records = join(folder, 'records.json');
  writeFileSync(records, JSON.stringify({ userExerciseLogs: logs }));
  const driver = new URL('../../node_modules', import.meta.url).pathname;
  for (const name of ['fastify', 'express', 'json-server']) {
    const ours = await serve(await database(`beside-${name}.db`, 1_000));
    const file = name === 'json-server' ? records : plainDatabase(`${name}.db`, 1_000);
    const theirs = await start([join(peers, 'peer.mjs'), name, file, driver]);
    const [one, hundred] = [oneOf(1_000), userOf(10)];
    compared(`GET one log, against ${name}`, await ratio(reads(ours, one), reads(theirs, one)));
    compared(
      `GET a user's 100 logs, against ${name}`,
      await ratio(reads(ours, hundred), reads(theirs, hundred)),
    );
    compared(
      `durable POST, connections: 16, against ${name}`,
      await ratio(writes(ours, 16), writes(theirs, 16)),
    );
  }
}
