import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server as TlsServer } from 'node:tls';
import { SciaticaError } from '../domain/errors.ts';
import { sized } from '../lib/size.ts';
import { logBytesOf, MOST_LOG_BYTES } from '../store/sqlite/snapshot.ts';
import type { Store } from '../store/store.ts';
import { createApp, type Service } from './app.ts';
import type { CompanionFiles } from './companion.ts';
import { Gate } from './guard/gate.ts';
import { type Rate, rateLimitKey } from './guard/limits.ts';
import { originsAt } from './guard/origins.ts';
import { Feed } from './protocol/feed.ts';
import { SharedConnections } from './wire/connections.ts';
import { compressChunks, compressWhole } from './wire/encoding.ts';
import type { Tls } from './wire/listener.ts';
import * as listener from './wire/listener.ts';
import type { HttpHeaders, HttpResponse } from './wire/message.ts';
import { Problem, problemResponse } from './wire/problem.ts';
import { forwardingFault, type Reach, requestOf } from './wire/request.ts';
import { Workers } from './workers/pool.ts';

/** In milliseconds. */
const TIMEOUTS = {
  /** For all headers of a request to arrive. */
  headers: 10_000,
  /** For a whole request to arrive. */
  request: 20_000,
  /** For a client that reads nothing more of a response. */
  stall: 30_000,
  /** Heartbeat interval of an idle event stream. */
  heartbeat: 15_000,
  /** For requests in flight when the service stops. */
  stop: 10_000,
  /** For a query in a worker to have its first result, and then each further one. */
  query: 30_000,
};

export interface ServerOptions {
  host: string;
  port: number;
  /** Further Host names, in lower case, and origins of web pages that may call. */
  origins: { allowHosts: readonly string[]; allowOrigins: readonly string[] };
  /** Turns authentication on, with the rate limit of each token. */
  auth?: Rate | undefined;
  /** Bytes that each token may store in an hour. */
  quota?: number | undefined;
  tls?: Tls | undefined;
  /** A trusted proxy is in front and reports addresses in X-Forwarded-For. */
  behindProxy?: boolean;
  /** Lets phones be paired; only with authentication. */
  isPairing?: boolean;
  /** Further Host names of this machine, in lower case; accepted with the port only, unless it is a default port. */
  ownNames?: readonly string[];
  /** Takes the lines of the request log. */
  log: (lines: string) => void;
  timeouts?: Partial<typeof TIMEOUTS>;
  /** The bundle of workers/worker.ts; without it, long reads block all others. */
  workerFile?: string | undefined;
  /** The files of the page for phones. */
  companion?: CompanionFiles | undefined;
  /** Highest number of simultaneous connections. */
  mostConnections?: number;
}

/** A service that listens. */
export interface RunningServer {
  port: number;
  /**
   * Replaces the certificate for new connections.
   * @param ownNames replaces `ServerOptions.ownNames`
   * @throws the error of OpenSSL for an invalid certificate or key; the one before stays in use
   */
  renew(tls: Tls, ownNames?: readonly string[]): void;
  /** Stops accepting, finishes requests in flight, checkpoints the write-ahead log. */
  stop(): Promise<void>;
}

/**
 * Serves the store's records over HTTP.
 * @throws the error of listen(2), such as EADDRINUSE
 */
export async function startServer(store: Store, options: ServerOptions): Promise<RunningServer> {
  const { host, auth, tls, behindProxy = false, mostConnections = listener.MAX_CONNECTIONS } = options;
  const { allowHosts, allowOrigins } = options.origins;
  const timeouts = { ...TIMEOUTS, ...options.timeouts };
  const server = listener.createListener(timeouts, tls);
  const unused = listener.unusedConnections(server);
  const reach: Reach = { isProxied: behindProxy };
  // No limit by network otherwise: behind a proxy all connections come from it, without tokens all are local.
  if (auth && !behindProxy) reach.connections = new SharedConnections(server, mostConnections, rateLimitKey);
  else server.maxConnections = mostConnections;
  const port = await listener.listen(server, host, options.port);
  const log = new RequestLog(options.log);
  const onError = (error: unknown) => log.failure(error);
  const isSecure = tls !== undefined || behindProxy;
  const originsOf = (ownNames: readonly string[] = []) =>
    originsAt(port, allowHosts, allowOrigins, isSecure, [...listener.hostNames(host), ...ownNames]);
  store.readInTurns();
  const records = store.as({ origin: { source: 'api' } });
  const gate = auth && new Gate(records, { rate: auth, quota: options.quota, onError });
  const stopWatching = watchLog(records, (line) => log.warning(line));
  const feed = new Feed(records, timeouts.heartbeat);
  const { workerFile: file } = options;
  const workers = file ? new Workers(store, { file, timeout: timeouts.query, onError }) : undefined;
  const service: Service = {
    store: records,
    origins: originsOf(options.ownNames),
    feed,
    gate,
    workers,
    isPairing: gate !== undefined && options.isPairing === true,
    companion: options.companion,
    onError,
  };
  const app = createApp(service);

  let isPrivate = tls && listener.isPrivatelySigned(tls);
  const renew = (renewed: Tls, ownNames?: readonly string[]) => {
    const isNowPrivate = listener.isPrivatelySigned(renewed);
    (server as unknown as TlsServer).setSecureContext(listener.secureContext(renewed));
    isPrivate = isNowPrivate;
    if (ownNames) service.origins = originsOf(ownNames);
  };

  let hasWarned = !behindProxy;
  const warnOfProxy = (incoming: IncomingMessage) => {
    const fault = hasWarned ? undefined : forwardingFault(incoming);
    if (fault === undefined) return;
    hasWarned = true;
    log.warning(fault);
  };

  const send = (
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    begun: number,
    response: HttpResponse,
  ): void | Promise<void> => {
    const { status, headers } = response;
    const strict = isPrivate === false && listener.strictTransport(incoming.headers.host);
    if (strict) headers['strict-transport-security'] = strict;
    const isLast = reach.connections?.closesAfter(incoming.socket, status);
    if (isLast || !server.listening || hasUncertainFraming(incoming)) headers['connection'] = 'close';
    const sendNow = () => sendResponse(outgoing, response, timeouts.stall);
    // Unread bytes would reset the connection, and the caller would lose the response: drops them first.
    const isCut = isLast && !incoming.complete && incoming.headers.expect === undefined;
    const sent = isCut ? finished(incoming).then(sendNow) : sendNow();
    const done = () => log.request(incoming, outgoing, performance.now() - begun);
    return sent ? sent.then(done) : done();
  };
  const answerNow = (incoming: IncomingMessage, outgoing: ServerResponse, beforeBody?: () => void) => {
    const begun = performance.now();
    warnOfProxy(incoming);
    unused.delete(incoming.socket);
    const response = app(requestOf(incoming, outgoing, reach, beforeBody));
    // A response that is no promise is not awaited: a microtask is much of the time that a small read takes.
    if (response instanceof Promise) {
      const { socket } = incoming;
      // No data moves during a long read or write: it has a timeout of its own, as has the arrival of a body.
      socket.setTimeout(0);
      void response.then((settled) => {
        socket.setTimeout(timeouts.stall);
        return send(incoming, outgoing, begun, settled);
      });
    } else void send(incoming, outgoing, begun, response);
  };
  const answer = (incoming: IncomingMessage, outgoing: ServerResponse, beforeBody?: () => void) =>
    listener.afterEarlier(incoming, outgoing, () => answerNow(incoming, outgoing, beforeBody));

  server.on('request', (incoming, outgoing) => answer(incoming, outgoing));
  server.on('checkContinue', (incoming, outgoing) =>
    answer(incoming, outgoing, () => outgoing.writeContinue()),
  );
  server.on('checkExpectation', (_, outgoing) => {
    const { status, headers, body } = problemResponse(new Problem(417, 'The only Expect is 100-continue.'));
    sendWhole(outgoing, status, { ...headers, connection: 'close' }, body as string);
  });
  server.on('clientError', listener.refuseBadRequest);
  server.on('connect', (_, socket) => listener.refuseConnect(socket));

  const stop = async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    feed.stop();
    stopWatching();
    // Deferred: bytes that have already arrived may be a request.
    setImmediate(() => {
      for (const socket of unused) socket.destroy();
    });
    const deadline = setTimeout(() => server.closeAllConnections(), timeouts.stop);
    await closed;
    clearTimeout(deadline);
    await workers?.stop();
    await gate?.audit.flush();
    log.flush();
    records.checkpoint();
  };
  return { port, renew, stop };
}

/**
 * Whether a request came in chunks over HTTP/1.0: a proxy on the way may not have understood that, so the connection
 * must not be reused (RFC 9112, 6.1).
 */
function hasUncertainFraming({ httpVersionMinor, headers }: IncomingMessage): boolean {
  return httpVersionMinor === 0 && headers['transfer-encoding'] !== undefined;
}

/** Drops the rest of a request; resolves when it has arrived, or the connection is closed. */
async function finished(incoming: IncomingMessage): Promise<void> {
  if (!incoming.destroyed) await once(incoming.resume(), 'close').catch(() => {});
}

const EVERY_MS = 15_000;

/** Size from which on the log is checked, in bytes: one that can shrink is hardly ever larger. */
const LARGE_BYTES = 2 * MOST_LOG_BYTES;

/**
 * Watches the write-ahead log, which grows while another program holds an old snapshot of the database.
 * @param warn called once for each time that the log cannot shrink
 * @returns a function that stops the watch
 */
export function watchLog(
  store: Store,
  warn: (line: string) => void,
  { every = EVERY_MS, large = LARGE_BYTES } = {},
): () => void {
  let hasWarned = false;
  const look = () => {
    try {
      const bytes = logBytesOf(store.path);
      const isStuck = bytes > large && !store.checkpoint();
      if (isStuck && !hasWarned)
        warn(
          `The write-ahead log has ${sized(bytes)} and cannot shrink: another program keeps an old state of the database in use. See: sciatica doctor`,
        );
      hasWarned = isStuck;
    } catch {
      // Requests run into the same error, and report it.
    }
  };
  const timer = setInterval(look, every).unref();
  return () => clearInterval(timer);
}

/** Sends a response; without a promise if it is not compressed or streamed: one takes 2 % of the time of a small read. */
function sendResponse(
  outgoing: ServerResponse,
  { status, headers, body, encoding, charset }: HttpResponse,
  stall: number,
): void | Promise<void> {
  if (typeof body === 'object')
    return sendChunks(outgoing, status, headers, encoding ? compressChunks(body, encoding) : body, stall);
  if (body !== undefined && encoding)
    return compressWhole(body, encoding).then((bytes) => sendWhole(outgoing, status, headers, bytes));
  sendWhole(outgoing, status, headers, body !== undefined && charset ? Buffer.from(body, charset) : body);
}

/** Sends a body that is a text, or none. */
function sendWhole(
  outgoing: ServerResponse,
  status: number,
  headers: HttpHeaders,
  body: string | Uint8Array | undefined,
): void {
  if (body === undefined) {
    outgoing.writeHead(status, headers).end();
    return;
  }
  const length = Buffer.byteLength(body);
  headers['content-length'] = String(length);
  // ASCII is the same in Latin-1, which Node neither measures nor encodes again.
  outgoing.writeHead(status, headers).end(body, length === body.length ? 'latin1' : 'utf8');
}

/**
 * Sends a streamed body with backpressure: a chunk is made when the client has taken the one before.
 * @param stall milliseconds after which a client that reads nothing is disconnected
 */
async function sendChunks(
  outgoing: ServerResponse,
  status: number,
  headers: HttpHeaders,
  chunks: AsyncIterable<{ text: string | Uint8Array }> | Iterable<{ text: string | Uint8Array }>,
  stall: number,
): Promise<void> {
  // Without a listener an error of one response would end the service.
  outgoing.on('error', () => outgoing.destroy());
  try {
    outgoing.writeHead(status, headers);
    for await (const { text } of chunks) {
      if (outgoing.destroyed) return;
      if (!outgoing.write(text)) await drained(outgoing, stall);
      // Lets other requests run between two chunks, however fast the client reads.
      else await new Promise(setImmediate);
    }
    outgoing.end();
  } catch {
    // The status line was sent: only closing the connection can show that the body is incomplete.
    outgoing.destroy();
  }
}

function drained(outgoing: ServerResponse, stall: number): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      outgoing.off('drain', done).off('close', done);
      resolve();
    };
    const timer = setTimeout(() => outgoing.destroy(), stall);
    outgoing.on('drain', done).on('close', done);
  });
}

/** Lines are written together after this time, in milliseconds: single writes are most of the cost of logging under load. */
const FLUSH_MS = 100;

/** The request log, one line each, without query, body and headers, which hold health data. */
class RequestLog {
  #text = '';
  #now = '';

  constructor(private readonly write: (text: string) => void) {}

  /** Logs an answered request. @param took in milliseconds */
  request(incoming: IncomingMessage, outgoing: ServerResponse, took: number): void {
    const status = outgoing.destroyed ? 'aborted' : outgoing.statusCode;
    this.#add(`${incoming.method} ${pathOf(incoming.url ?? '')} ${status} ${Math.round(took * 10) / 10} ms`);
  }

  /** Logs an error: its message, or the stack of an error that is no SciaticaError. */
  failure(error: unknown): void {
    const isKnown = error instanceof SciaticaError;
    const text = error instanceof Error ? (!isKnown && error.stack) || error.message : String(error);
    this.#add(`error: ${text}`);
  }

  /** Logs something that the operator of the service should look into. */
  warning(text: string): void {
    this.#add(`warning: ${text}`);
  }

  flush(): void {
    const text = this.#text;
    this.#text = '';
    if (text !== '') this.write(text);
  }

  #add(line: string): void {
    if (this.#text === '') {
      this.#now = new Date().toISOString();
      setTimeout(() => this.flush(), FLUSH_MS).unref();
    }
    this.#text += `${this.#now} ${line}\n`;
  }
}

function pathOf(target: string): string {
  const question = target.indexOf('?');
  return target.slice(0, Math.min(question < 0 ? target.length : question, 200));
}
