import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openDatabase } from '../src/store/sqlite/open.ts';

/** The bytes of a database that holds nothing: running all migrations for each test took an eighth of their time. */
let blank: Buffer | undefined;

/** The path of a database that holds nothing, with an identity of its own, in a folder that is removed after the test. */
export function newDatabase(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sciatica-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const path = join(folder, 'test.db');
  if (blank) writeFileSync(path, blank, { mode: 0o600 });
  const database = openDatabase(path);
  if (blank) {
    const id = randomUUID();
    database.run('UPDATE origins SET uuid = ?', id);
    database.run("UPDATE settings SET value = ? WHERE name = 'id'", id);
  }
  blank ??= database.serialize();
  database.close();
  return path;
}
