import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openDatabase } from '../src/store/sqlite/open.ts';
import { type Store, storeOn } from '../src/store/store.ts';

type Fill = (store: Store) => void;

/** By what filled them: running all migrations, and the same writes, for each test took an eighth of their time. */
const made = new Map<Fill | undefined, { bytes: Buffer; id: string }>();

/**
 * The path of a database with an identity of its own, in a folder that is removed after the test.
 * @param fill called once for all databases: each other one is a copy, with the same records; without it they hold nothing
 */
export function newDatabase(fill?: Fill): string {
  const folder = mkdtempSync(join(tmpdir(), 'sciatica-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const path = join(folder, 'test.db');
  const known = made.get(fill);
  if (known === undefined) {
    const database = openDatabase(path);
    fill?.(storeOn(database));
    const id = database.value<string>('SELECT uuid FROM origins') ?? '';
    made.set(fill, { bytes: database.serialize(), id });
    database.close();
  } else writeFileSync(path, withIdentity(known, randomUUID()), { mode: 0o600 });
  return path;
}

/** The same bytes with another identity wherever theirs is written; both are of one length. */
function withIdentity({ bytes, id }: { bytes: Buffer; id: string }, other: string): Buffer {
  const copy = Buffer.from(bytes);
  for (let at = copy.indexOf(id); at >= 0; at = copy.indexOf(id, at)) copy.write(other, at);
  return copy;
}
