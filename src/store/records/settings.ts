import type { Database } from '../sqlite/database.ts';

/**
 * The database's UUID; who uses it, if that is settled; before which entry the history has gaps; who was erased, as a
 * JSON array.
 */
type Setting = 'id' | 'user' | 'horizon' | 'erased';

/** What is settled for this database. */
export class Settings {
  constructor(private readonly db: Database) {}

  get(name: Setting): string | undefined {
    return this.db.value<string>('SELECT value FROM settings WHERE name = ?', name);
  }

  remove(name: Setting): void {
    this.db.run('DELETE FROM settings WHERE name = ?', name);
  }

  set(name: Setting, value: string): void {
    this.db.write(() =>
      this.db.run(
        'INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
        name,
        value,
      ),
    );
  }
}
