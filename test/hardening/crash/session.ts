import { createHash } from 'node:crypto';
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { backup } from '../../../src/store/maintenance/backup.ts';
import { prepareRestore } from '../../../src/store/maintenance/restore.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { type Store, storeOn } from '../../../src/store/store.ts';
import { log, user } from '../../domain/samples.ts';

/** What is compared: the records, and which tokens were taken back. */
export function stateOf(store: Store): string {
  const tokens = store.tokens.list().map(({ name, revokedAt }) => [name, revokedAt === null]);
  const records = JSON.stringify([store.users.list(), store.logs.list(), tokens]);
  return createHash('sha256').update(records).digest('hex').slice(0, 16);
}

/**
 * Works with a database in a folder and acknowledges each step on stdout, with the state that it leaves.
 * @param isSynced false for the control: nothing is handed to the disk
 */
export async function work(folder: string, isSynced: boolean): Promise<void> {
  const path = join(folder, 'test.db');
  const open = () => {
    const db = openDatabase(path);
    if (!isSynced) db.pragma('synchronous = OFF');
    return storeOn(db);
  };
  let store = open();
  const acknowledge = () => writeSync(1, `done ${stateOf(store)}\n`);
  acknowledge();
  store.users.create(user);
  acknowledge();
  store.users.create({ ...user, firstName: 'Ole' });
  acknowledge();
  const token = { role: 'admin', users: null, lifetime: null } as const;
  store.tokens.create({ ...token, name: 'phone' });
  acknowledge();
  for (let round = 0; round < 3; round++) {
    for (let i = 0; i < 12; i++) {
      store.logs.create({ ...log, userId: 1 + (i % 2), notes: `${round} ${i} `.repeat(1 + i * 60) });
      acknowledge();
    }
    store.change(() => {
      for (let i = 0; i < 30; i++) store.logs.create({ ...log, notes: `together ${i}` });
    });
    acknowledge();
    store.logs.update(2, { notes: `changed ${round}` });
    acknowledge();
    store.logs.delete(5 + round);
    acknowledge();
    if (round === 0) store.checkpoint();
    else {
      store.close();
      store = open();
    }
    if (round === 0) backup(path, join(folder, 'backup.db'));
  }
  store.tokens.revoke('phone');
  acknowledge();
  const task = await store.import(String);
  task.add(Array.from({ length: 200 }, (_, at) => ({ at, kind: 'log' as const, value: log })));
  task.apply({ onConflict: 'refuse', dryRun: false, sameIds: true });
  acknowledge();
  store.erase(2);
  acknowledge();
  store.close();
  if (isSynced) {
    const restoration = prepareRestore(join(folder, 'backup.db'), path);
    restoration.apply('kept');
    restoration.close();
  }
  store = open();
  acknowledge();
  store.logs.create(log);
  acknowledge();
  store.close();
}
