import { copyFileSync } from 'node:fs';
import { mergeUsers } from '../../src/cases/goal.ts';
import { SciaticaError } from '../../src/domain/errors.ts';
import { kindOf, ownedKindNames } from '../../src/domain/kinds.ts';
import { createApp } from '../../src/http/app.ts';
import { Gate } from '../../src/http/guard/gate.ts';
import { originsAt } from '../../src/http/guard/origins.ts';
import { Feed } from '../../src/http/protocol/feed.ts';
import { backup } from '../../src/store/maintenance/backup.ts';
import type { Store } from '../../src/store/store.ts';
import type { SyncOptions, SyncResult } from '../../src/sync/result.ts';
import { sync } from '../../src/sync/sync.ts';
import type { Transport } from '../../src/sync/transport.ts';
import { newDatabase } from '../new-database.ts';
import { freshPath, openStore } from '../store/helpers.ts';

/** A clock that moves on by a second whenever it is looked at. */
export function ticking(): () => number {
  let now = Date.UTC(2026, 2, 2, 12);
  return () => {
    now += 1000;
    return now;
  };
}

/** The messages to a service in this process, which needs no port. */
export function transportTo(database: Store, { auth = false } = {}): Transport {
  const store = database.as({ origin: { source: 'api' } });
  const gate = auth && new Gate(store, { rate: { burst: 1e9, perSecond: 1e9 }, quota: 1e12 });
  const app = createApp({
    store,
    origins: originsAt(3000, [], []),
    feed: new Feed(store),
    ...(gate && { gate }),
    onError: (error) => {
      throw error;
    },
  });
  return async ({ method, path, headers, body }) => {
    const response = await app({
      method,
      target: path,
      hosts: ['localhost:3000'],
      headers: { ...headers },
      address: () => '192.0.2.7',
      readBody: async () => Buffer.from(body ?? ''),
      onClose: () => {},
    });
    let text = typeof response.body === 'string' ? response.body : '';
    if (typeof response.body === 'object') for await (const chunk of response.body) text += chunk.text;
    // Before the store is closed: the audit would be tried again for ever.
    if (gate) await gate.audit.flush();
    return { status: response.status, headers: response.headers, text };
  };
}

export const syncWith = (
  store: Store,
  transport: Transport,
  options: SyncOptions = {},
  { token, now = Date.now }: { token?: string; now?: () => number } = {},
): Promise<SyncResult> =>
  sync({ store, remote: 'home', transport, token, wait: async () => {}, now }, options);

/** Lets a user show under another. @returns false where it is one with another already */
export const isMerged = (store: Store, id: number, into: number, now: number): Promise<boolean> =>
  mergeUsers(store, id, into, now).then(
    () => true,
    (error: unknown) => {
      if (error instanceof SciaticaError) return false;
      throw error;
    },
  );

/** A copy of a database, as `cp` of its file makes it. */
export function copyOf(store: Store): string {
  const copy = freshPath();
  backup(store.path, copy);
  return copy;
}

/** Sets the file of a database back to a copy of it, as the snapshot of a disk does. @returns the database as it is then */
export function setBack(store: Store, copy: string, now: () => number): Store {
  const { path } = store;
  store.close();
  copyFileSync(copy, path);
  return openStore(path, now);
}

/** A new database whose clock is shared. */
export const machine = (now: () => number): Store => openStore(newDatabase(), now);

/** What a database holds, without ids: users by their e-mail addresses, which tests keep unique. */
export function contents(store: Store, without: readonly string[] = []) {
  const emails = new Map(store.users.list().map(({ id, email }) => [id, email]));
  const of = (list: readonly { id: number; userId: number }[]) =>
    list
      .map(({ id: _, userId, ...fields }) => JSON.stringify({ user: emails.get(userId), ...fields }))
      .filter((line) => !without.some((email) => line.includes(`"user":"${email}"`)))
      .sort();
  const owned = ownedKindNames.map((kind) => [kindOf(kind).table, of(store.of(kind).list())] as const);
  return {
    users: store.users
      .list()
      .filter(({ email }) => !without.includes(email))
      .map(({ id: _, ...fields }) => JSON.stringify(fields))
      .sort(),
    logs: [] as string[],
    ...(Object.fromEntries(owned) as Record<string, string[]>),
  };
}
