import type { Database } from '../sqlite/database.ts';

/** `id`: UUID of the database; `user`: id of the default user; `horizon`: history seq before which entries are missing; `erased`: ids of erased users, as a JSON array. */
type Setting = 'id' | 'user' | 'horizon' | 'erased';

/** The settings that the database itself holds. */
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
