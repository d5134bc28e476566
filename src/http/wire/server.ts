import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Store } from '../../store/store.ts';
import { createApp } from '../app.ts';
import { Gate } from '../guard/gate.ts';
import type { Rate } from '../guard/limits.ts';
import { accessAt } from '../guard/origins.ts';
import { Feed } from '../handlers/feed.ts';
import { Problem, problemResponse } from '../problem.ts';
import { refuseBadRequest, refuseConnect } from './bad-request.ts';
import { addressOf, createListener, hostNames, listen, type Tls, unusedConnections } from './listener.ts';
import { type HttpRequest, type HttpResponse, MAX_BODY_BYTES } from './message.ts';
import { inTurn } from './pipelining.ts';
import { RequestLog } from './request-log.ts';
import { sendChunks, sendWhole } from './send.ts';

/** How patient the service is with its callers, in milliseconds. */
export interface Patience {
  /** For all the headers of a request to arrive. */
  headers: number;
  /** For a whole request to arrive. */
  request: number;
  /** For a caller to read on. */
  stall: number;
  /** Until a stream on which nothing happens says that it is still there. */
  heartbeat: number;
  /** For what is in flight when the service stops. */
  stop: number;
}

export const PATIENCE: Patience = {
  headers: 10_000,
  request: 20_000,
  stall: 30_000,
  heartbeat: 15_000,
  stop: 10_000,
};

export interface ServerOptions {
  host: string;
  port: number;
  /** Further Host names, in lower case, and origins of web pages that may call. */
  access: { allowHosts: readonly string[]; allowOrigins: readonly string[] };
  /** Asks callers for their token, each of which may call so often; without it nobody is asked. */
  auth?: Rate | undefined;
  tls?: Tls | undefined;
  /** A proxy is in front and says where requests come from. */
  behindProxy?: boolean;
  /** Takes the request log, a line each, and what was not foreseen. */
  log: (line: string) => void;
  patience?: Partial<Patience>;
}

/** A service that listens. */
export interface RunningServer {
  port: number;
  /** Stops accepting, finishes what is in flight, moves the write-ahead log into the database. */
  stop(): Promise<void>;
}

/**
 * Serves the store's records over HTTP.
 * @throws the error of listen(2), such as EADDRINUSE
 */
export async function startServer(store: Store, options: ServerOptions): Promise<RunningServer> {
  const patience = { ...PATIENCE, ...options.patience };
  const server = createListener(patience, options.tls);
  const unused = unusedConnections(server);
  const port = await listen(server, options.host, options.port);
  const served = store.as({ origin: { source: 'api' } });
  const log = new RequestLog(options.log);
  const access = accessAt(
    port,
    [...options.access.allowHosts, ...hostNames(options.host)],
    options.access.allowOrigins,
    options.tls !== undefined || options.behindProxy === true,
  );
  const onError = (error: unknown) => log.failure(error);
  const gate = options.auth && new Gate(options.auth, Date.now, onError);
  const feed = new Feed(store, patience.heartbeat);
  const app = createApp({
    store: served,
    writer: { write: (work) => served.submit(work) },
    access,
    feed,
    gate,
    onError,
  });
  const answerNow = (incoming: IncomingMessage, outgoing: ServerResponse, beforeBody?: () => void) => {
    const begun = performance.now();
    unused.delete(incoming.socket);
    const response = app(requestOf(incoming, outgoing, options.behindProxy === true, beforeBody));
    const reply = async ({ status, headers, body }: HttpResponse) => {
      if (!server.listening || hasOldChunks(incoming)) headers['connection'] = 'close';
      if (typeof body === 'object') await sendChunks(outgoing, status, headers, body, patience.stall);
      else sendWhole(outgoing, status, headers, body);
      log.request(incoming, outgoing, performance.now() - begun);
    };
    // Not awaited when it is there already: a tick is a good part of the time that a small read takes.
    if (response instanceof Promise) void response.then(reply);
    else void reply(response);
  };
  const answer = (incoming: IncomingMessage, outgoing: ServerResponse, beforeBody?: () => void) =>
    inTurn(incoming, outgoing, () => answerNow(incoming, outgoing, beforeBody));
  server.on('request', (incoming, outgoing) => answer(incoming, outgoing));
  server.on('checkContinue', (incoming, outgoing) =>
    answer(incoming, outgoing, () => outgoing.writeContinue()),
  );
  server.on('checkExpectation', (_, outgoing) => {
    const { status, headers, body } = problemResponse(new Problem(417, 'The only Expect is 100-continue.'));
    sendWhole(outgoing, status, { ...headers, connection: 'close' }, body as string);
  });
  server.on('clientError', refuseBadRequest);
  server.on('connect', (_, socket) => refuseConnect(socket));
  return { port, stop: () => stop(server, store, { log, gate, feed, unused }, patience.stop) };
}

function requestOf(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  isProxied: boolean,
  beforeBody?: () => void,
): HttpRequest {
  return {
    method: incoming.method ?? '',
    target: incoming.url ?? '',
    headers: incoming.headers,
    hosts: hostsOf(incoming.rawHeaders),
    address: () => addressOf(incoming, isProxied),
    onClose: (listener) => {
      outgoing.once('close', listener);
      // Who wants a stream and hangs up has closed its half of the connection, and no more.
      incoming.socket.once('end', listener);
    },
    readBody: () => {
      if (Number(incoming.headers['content-length'] ?? 0) > MAX_BODY_BYTES) return Promise.reject(tooLarge());
      beforeBody?.();
      return readBody(incoming);
    },
  };
}

/** Chunks in HTTP/1.0: a proxy on the way may not have known them, and the connection is not to be used again (RFC 9112, 6.1). */
function hasOldChunks({ httpVersionMinor, headers }: IncomingMessage): boolean {
  return httpVersionMinor === 0 && headers['transfer-encoding'] !== undefined;
}

/** Node keeps only the first Host of several; here each counts. */
function hostsOf(rawHeaders: string[]): string[] {
  const hosts: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts.push(rawHeaders[i + 1] ?? '');
  }
  return hosts;
}

/** What comes after the limit is read and thrown away, so that the caller gets to see the answer. */
function readBody(incoming: IncomingMessage): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_BODY_BYTES) {
        chunks.length = 0;
        reject(tooLarge());
      } else chunks.push(chunk);
    });
    incoming.on('end', () => resolve(Buffer.concat(chunks)));
    incoming.on('close', () => reject(new Problem(400, 'The request ended before its body did.')));
  });
}

function tooLarge(): Problem {
  return new Problem(413, `A body may have at most ${MAX_BODY_BYTES} bytes.`);
}

async function stop(
  server: Server,
  store: Store,
  { log, gate, feed, unused }: { log: RequestLog; gate: Gate | undefined; feed: Feed; unused: Set<Socket> },
  patience: number,
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  feed.stop();
  // After what has arrived already was read, and may be a request.
  setImmediate(() => {
    for (const socket of unused) socket.destroy();
  });
  const deadline = setTimeout(() => server.closeAllConnections(), patience);
  await closed;
  clearTimeout(deadline);
  await gate?.audit.flush();
  log.flush();
  store.checkpoint();
}
