import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { type ConnectionOptions, connect } from 'node:tls';
import { urlToHttpOptions } from 'node:url';
import { explained, SciaticaError, unusable } from '../domain/errors.ts';
import { pinOf } from '../lib/pin.ts';
import { pause } from '../lib/sleep.ts';
import type { Address } from './address.ts';
import { Service } from './service.ts';
import { type SyncRequest, type SyncResponse, type Transport, Unanswered, Unreachable } from './transport.ts';

/** The connection to a service. */
export interface Connection {
  send: Transport;
  /**
   * Opens an event stream.
   * @param onEvent called for each chunk that has an event
   * @returns a promise that resolves when the stream ends, for whatever reason, or at the signal
   */
  listen(request: SyncRequest, onEvent: () => void, signal: AbortSignal): Promise<void>;
  close(): void;
}

/** The idle timeout, in milliseconds: the service sends a heartbeat every 15 s into an idle stream. */
const SILENCE_MS = 45_000;
/** The largest answer, in bytes. That to an exchange has about 2 Mi characters, unless one record alone is longer. */
const MOST_BYTES = 32 * 1024 * 1024;

/** The idle timeout of `probe`, in milliseconds: a person waits for it. */
const PROBE_MS = 5000;

/**
 * Connects to a service, over TLS with the key that is pinned or a certificate that the system trusts.
 * @param silence the idle timeout, in milliseconds
 */
export function connectionTo({ url, pin }: Address, silence = SILENCE_MS): Connection {
  const isTls = url.protocol === 'https:';
  const options = { keepAlive: true, maxSockets: 2 };
  const agent = isTls
    ? pin === undefined
      ? new HttpsAgent(options)
      : new PinnedAgent(pin, options)
    : new HttpAgent(options);
  const base = url.pathname.replace(/\/$/, '');
  const open = ({ method, path, headers }: SyncRequest) => {
    const request = isTls ? httpsRequest : httpRequest;
    return request({
      ...urlToHttpOptions(url),
      method,
      path: `${base}${path}`,
      headers: { ...headers },
      agent,
      timeout: silence,
    });
  };
  return {
    send: (request) => answered(open(request), request.body, url),
    listen: (request, onEvent, signal) => listened(open(request), onEvent, signal),
    close: () => agent.destroy(),
  };
}

/** Accepts only the pinned key, before a byte is sent; names and issuers of its certificate do not matter. */
class PinnedAgent extends HttpsAgent {
  constructor(
    private readonly pin: string,
    options: ConstructorParameters<typeof HttpsAgent>[0],
  ) {
    super(options);
  }

  override createConnection(
    options: ConnectionOptions,
    callback?: (error: Error | null, stream: ReturnType<typeof connect>) => void,
  ): undefined {
    // Without session resumption: a resumed session shows no certificate.
    const socket = connect({ ...options, rejectUnauthorized: false, checkServerIdentity: () => undefined });
    // The request gets no timeout event until it has the socket.
    const giveUp = () => socket.destroy(unanswered(String(options.host)));
    const done = (error: Error | null) => {
      socket.off('error', done);
      socket.off('timeout', giveUp);
      callback?.(error, socket);
    };
    socket.once('error', done);
    socket.once('timeout', giveUp);
    socket.once('secureConnect', () => {
      const certificate = socket.getPeerX509Certificate();
      if (certificate && pinOf(certificate.raw) === this.pin) return done(null);
      socket.destroy();
      done(
        unusable(
          'The service has another key than the one that is pinned: nothing was sent. If it was given a new one, compare the pin on its machine, and add the remote again.',
        ),
      );
    });
    return undefined;
  }
}

const unanswered = (host: string) => new Unanswered(`${host} does not answer.`);

function answered(request: ClientRequest, body: string | undefined, url: URL): Promise<SyncResponse> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(failure(error, url));
    request.once('error', fail);
    request.once('timeout', () => request.destroy(unanswered(url.host)));
    request.once('response', (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes > MOST_BYTES) request.destroy(unusable('The service answers without end: is it sciatica?'));
      });
      response.once('error', fail);
      response.once('close', () => {
        if (response.complete) resolve(responseOf(response, Buffer.concat(chunks)));
        else fail(new Unanswered(`The connection to ${url.host} broke.`));
      });
    });
    request.end(body);
  });
}

const responseOf = ({ statusCode = 0, headers }: IncomingMessage, bytes: Buffer): SyncResponse => ({
  status: statusCode,
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value?.toString()])),
  text: bytes.toString('utf8'),
});

function listened(request: ClientRequest, onEvent: () => void, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      request.destroy();
      resolve();
    };
    signal.addEventListener('abort', end, { once: true });
    request.once('error', end);
    request.once('timeout', end);
    request.once('close', () => {
      signal.removeEventListener('abort', end);
      resolve();
    });
    request.once('response', (response) => {
      if (response.statusCode !== 200) return end();
      response.setEncoding('utf8');
      // The beginning of the last line, which may end in the next chunk.
      let begun = '';
      response.on('data', (text: string) => {
        const lines = begun + text;
        if (/^data:/m.test(lines)) onEvent();
        begun = lines.slice(lines.lastIndexOf('\n') + 1).slice(0, 'data:'.length - 1);
      });
      response.once('error', end);
      response.once('end', end);
    });
    request.end();
  });
}

const UNTRUSTED = /^(ERR_TLS_CERT_ALTNAME_INVALID|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;

/** A network error as one that a repetition may help (`Unanswered`), or one for a person. */
function failure(error: Error, { host, hostname }: URL): Error {
  if (error instanceof SciaticaError || error instanceof Unanswered) return error;
  const code = String((error as NodeJS.ErrnoException).code);
  if (code === 'ECONNREFUSED')
    return new Unreachable(`Nobody answers at ${host}: is the service running there?`, { cause: error });
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return new Unreachable(`There is no machine ${hostname} to be found.`, { cause: error });
  if (UNTRUSTED.test(code))
    return explained(
      'unusable',
      `The certificate of ${host} is not trusted (${code}). If it is the service's own, pin its key with --pin, as the machine of the service shows it.`,
      error,
    );
  if (code === 'EPROTO' || code.startsWith('ERR_SSL'))
    return explained('unusable', `${host} does not speak TLS: is the URL right?`, error);
  return new Unanswered(`The connection to ${host} broke (${code}).`, { cause: error });
}

/**
 * Asks a service once who the caller is. No record is sent.
 * @returns why it could not be reached, as a sentence; undefined where it answered and lets the caller in
 * @throws SciaticaError for a service that does not let the caller in, that is none of ours or has another key
 */
export async function probe(address: Address, token: string | undefined): Promise<string | undefined> {
  const connection = connectionTo(address, PROBE_MS);
  const send = async (request: SyncRequest) => {
    try {
      return await connection.send(request);
    } catch (error) {
      throw error instanceof Unanswered ? new Unreachable(error.message) : error;
    }
  };
  try {
    await new Service(send, token, pause).me();
    return undefined;
  } catch (error) {
    if (error instanceof Unreachable) return error.message;
    throw error;
  } finally {
    connection.close();
  }
}
