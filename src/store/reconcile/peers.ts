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

/** What is remembered of a database. @param token the id of the token with which it calls; 0 for none */
export function readPeer(db: Database, uuid: string, token: number): Peer {
  // The patch leaves out what is null (RFC 7396).
  const json = db.value<string>(
    `SELECT json_patch('{}', json_object('received', json(received), 'sent', json(sent), 'view', json(view), 'at', at))
     FROM peers WHERE uuid = ? AND token = ?`,
    uuid,
    token,
  );
  return { view: null, ...storedJson<Partial<Peer>>(json ?? '{}') };
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

/** SQL: whether a change came from a remote, and not from another one that had its name before. */
export const BY_REMOTE = `head.source = 'sync' AND head.caller = ? AND head.seq > coalesce(
  (SELECT since.value FROM settings JOIN json_each(settings.value) AS since WHERE settings.name = 'remotesSince' AND since.key = ?), 0)`;

/** The ids of the users who came from a remote, also of those who are not there any more. */
export const usersFrom = (db: Database, remote: string): number[] =>
  db.column(
    `SELECT DISTINCT entry.recordId FROM history AS entry JOIN history AS head ON head.seq = entry.head
     WHERE entry.recordId <= ? AND entry.record = 'user' AND entry.action = 'create' AND ${BY_REMOTE} ORDER BY 1`,
    db.lastId('users'),
    remote,
    remote,
  );
