import { connect } from './sqlite/connection.ts';
import { limitCache } from './sqlite/open.ts';
import type { Reader } from './sqlite/reader.ts';
import { type Store, storeOn } from './store.ts';

/**
 * Opens a database that another thread of this process has open, for reading only: close it. It may be cancelled from
 * that thread, in the middle of a scan.
 * @throws SciaticaError `damaged`, `unusable`, `busy`
 */
export function openReader(path: string, reader: Reader): Store {
  const db = connect(path, { readonly: true, reader });
  limitCache(db);
  return storeOn(db);
}
