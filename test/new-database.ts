import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openDatabase } from '../src/store/sqlite/open.ts';

/** A database that holds nothing: running all migrations for each test took an eighth of their time. */
let blank: { bytes: Buffer; id: string } | undefined;

/** The path of a database that holds nothing, with an identity of its own, in a folder that is removed after the test. */
export function newDatabase(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sciatica-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const path = join(folder, 'test.db');
  if (blank === undefined) {
    const database = openDatabase(path);
    blank = { bytes: database.serialize(), id: database.value<string>('SELECT uuid FROM origins') ?? '' };
    database.close();
  } else writeFileSync(path, withIdentity(blank, randomUUID()), { mode: 0o600 });
  return path;
}

/** The same bytes with another identity wherever theirs is written; both are of one length. */
function withIdentity({ bytes, id }: { bytes: Buffer; id: string }, other: string): Buffer {
  const copy = Buffer.from(bytes);
  for (let at = copy.indexOf(id); at >= 0; at = copy.indexOf(id, at)) copy.write(other, at);
  return copy;
}
