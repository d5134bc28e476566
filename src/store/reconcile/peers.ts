import type { Database } from '../sqlite/database.ts';
import { storedJson } from '../sqlite/errors.ts';
import type { Position } from './collect.ts';
import type { Name } from './state.ts';

/** What is remembered of another database. */
export interface Peer {
  /** How far its changes have been received; undefined before the first. */
  received?: Position | undefined;
  /** How far the changes here were sent to it. */
  sent?: Position | undefined;
  /** The users whose records it shows, by their names; null for all. */
  view: readonly Name[] | null;
  /** When both were last in step, in milliseconds since 1970. */
  at?: number | undefined;
}

/** Stands for a token in what is remembered of machines that are met in folders: they have none, and tell more or less than their service. */
export const IN_FOLDERS = -1;

interface PeerRow {
  received: string | null;
  sent: string | null;
  view: string;
  at: number | null;
}

/** What is remembered of a database. @param token the id of the token with which it calls; 0 for none */
export function readPeer(db: Database, uuid: string, token: number): Peer {
  const row = db.get<PeerRow>(
    'SELECT received, sent, view, at FROM peers WHERE uuid = ? AND token = ?',
    uuid,
    token,
  );
  if (!row) return { view: null };
  const position = (json: string | null) => (json === null ? undefined : storedJson<Position>(json));
  return {
    received: position(row.received),
    sent: position(row.sent),
    view: storedJson(row.view),
    at: row.at ?? undefined,
  };
}

export function writePeer(
  db: Database,
  uuid: string,
  { received, sent, view, at }: Peer,
  token: number,
): void {
  db.write(() =>
    db.run(
      'INSERT OR REPLACE INTO peers (uuid, token, received, sent, view, at) VALUES (?, ?, ?, ?, ?, ?)',
      uuid,
      token,
      received ? JSON.stringify(received) : null,
      sent ? JSON.stringify(sent) : null,
      JSON.stringify(view),
      at ?? null,
    ),
  );
}
