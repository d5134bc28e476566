import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type KindName, kindNames, kindOf } from '../../src/domain/kinds.ts';
import { createApp, type Service } from '../../src/http/app.ts';
import { Gate, type GateOptions } from '../../src/http/guard/gate.ts';
import { originsAt } from '../../src/http/guard/origins.ts';
import { Feed } from '../../src/http/protocol/feed.ts';
import { type RunningServer, type ServerOptions, startServer } from '../../src/http/server.ts';
import type { HttpResponse } from '../../src/http/wire/message.ts';
import { Workers } from '../../src/http/workers/pool.ts';
import type { Records } from '../../src/store/records/records.ts';
import type { Store } from '../../src/store/store.ts';
import { newDatabase } from '../new-database.ts';
import { freshStore, log, root, user } from '../store/helpers.ts';

export const nora = user();
export const stretch = log({ notes: '3 sets of 10' });

export interface Answer {
  status: number;
  headers: Record<string, string>;
  text: string;
  body: unknown;
}

interface Sent {
  headers?: Record<string, string>;
  hosts?: string[];
  /** Sent as JSON, or as it is when it is a text or bytes. */
  body?: unknown;
}

export type Call = (method: string, target: string, sent?: Sent) => Promise<Answer>;

/** Deletes what a request restores, if it is one that does. */
export function deleteForRestore(store: Store, path: string): void {
  const [, collection = '', id] = /^\/(\w+)\/(\d+)\/restore$/.exec(path) ?? [];
  const kind = kindNames.find((name) => kindOf(name).path === `/${collection}`);
  const verbs = kind && (store.of(kind) as unknown as Records<KindName>);
  if (verbs?.has(Number(id))) verbs.delete(Number(id));
}

/** The app without a port, on a fresh store that has one user, with one log. */
export function freshApp(allowed: { allowHosts?: string[]; allowOrigins?: string[] } = {}) {
  const service = freshService();
  return appOf({
    ...service,
    origins: originsAt(3000, allowed.allowHosts ?? [], allowed.allowOrigins ?? []),
  });
}

/** As `freshApp`, with authentication. @param fill as of `newDatabase` */
export function guardedApp({
  isPairing = false,
  fill = withNora,
  ...options
}: GateOptions & { isPairing?: boolean; fill?: (store: Store) => void } = {}) {
  const service = freshService(fill, options.now);
  const gate = freshGate(service.store, options);
  return { ...appOf({ ...service, origins: originsAt(3000, [], []), gate, isPairing }), gate };
}

/** A gate that has written its audit before its store is closed: it would try again for ever. */
export function freshGate(store: Store, options?: GateOptions): Gate {
  const gate = new Gate(store, options);
  onTestFinished(() => gate.audit.flush());
  return gate;
}

/** One user, with one log. */
export function withNora({ users, logs }: Store): void {
  users.create(nora);
  logs.create(stretch);
}

function freshService(fill = withNora, now?: () => number) {
  const database = freshStore(newDatabase(fill), now);
  const store = database.as({ origin: { source: 'api' } });
  return { store, feed: new Feed(store) };
}

function appOf(service: Service) {
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const app = createApp({ ...service, workers: workersOf(service.store, onError), onError });
  const call: Call = async (method, target, { headers = {}, hosts = ['localhost:3000'], body } = {}) => {
    const bytes = bytesOf(body);
    const typed =
      body === undefined && !target.includes('/restore')
        ? headers
        : { 'content-type': 'application/json', ...headers };
    const address = () => '192.0.2.7';
    const response = await app({
      method,
      target,
      hosts,
      headers: typed,
      address,
      readBody: async () => bytes,
      onClose: () => {},
    });
    return answerOf(response);
  };
  return { store: service.store, call, errors };
}

/** The bundle of a worker thread. */
export const workerFile = join(root, 'dist/worker.js');

/** Threads as the program has them: none is started before something takes long. */
function workersOf(store: Store, onError: (error: unknown) => void): Workers {
  const workers = new Workers(store, { file: workerFile, timeout: 30_000, onError });
  onTestFinished(() => workers.stop());
  return workers;
}

function bytesOf(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body;
  if (body === undefined) return Buffer.alloc(0);
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

async function answerOf({ status, headers, body = '' }: HttpResponse): Promise<Answer> {
  let text = typeof body === 'string' ? body : '';
  if (typeof body === 'object') for await (const chunk of body) text += chunk.text;
  const isJson = text !== '' && /\bjson\b/.test(headers['content-type'] ?? '');
  return { status, headers, text, body: isJson ? JSON.parse(text) : undefined };
}

/** A real server on a free port. */
export async function freshServer(
  options: Partial<ServerOptions> = {},
): Promise<{ store: Store; url: string; server: RunningServer; log: string[] }> {
  const store = freshStore(newDatabase(withNora));
  return { store, ...(await served(store, options)) };
}

/** A real server on a free port, of the records of a store. */
export async function served(
  store: Store,
  options: Partial<ServerOptions> = {},
): Promise<{ url: string; server: RunningServer; log: string[] }> {
  const log: string[] = [];
  const server = await startServer(store, {
    host: '127.0.0.1',
    port: 0,
    origins: { allowHosts: [], allowOrigins: [] },
    workerFile,
    log: (text) => log.push(text),
    ...options,
  });
  onTestFinished(() => server.stop());
  return { url: `http://127.0.0.1:${server.port}`, server, log };
}
