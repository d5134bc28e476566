import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, isIP, type Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';

/** A certificate and its key, as PEM. */
export interface Tls {
  cert: Buffer;
  key: Buffer;
}

const MAX_HEADER_BYTES = 16 * 1024;
const MAX_CONNECTIONS = 512;

/**
 * A server with bounds on headers, connections and patience, not yet listening.
 * @throws the error of OpenSSL for a certificate or key that is none
 */
export function createListener(
  patience: { headers: number; request: number; stall: number },
  tls?: Tls,
): Server {
  const bounds = {
    headersTimeout: patience.headers,
    requestTimeout: patience.request,
    connectionsCheckingInterval: Math.min(1_000, patience.headers),
    maxHeaderSize: MAX_HEADER_BYTES,
    requireHostHeader: false,
  };
  const server = tls
    ? (createTlsServer({
        ...bounds,
        ...tls,
        minVersion: 'TLSv1.2',
        handshakeTimeout: patience.headers,
      }) as Server)
    : createServer(bounds);
  // All of them are looked at, a second Host behind two thousand others too; their bytes are bounded.
  server.maxHeadersCount = 0;
  server.maxConnections = MAX_CONNECTIONS;
  server.setTimeout(patience.stall);
  // A caller who has no more to say still listens: without this, Node drops the answer that is on its way.
  return Object.assign(server, { httpAllowHalfOpen: true });
}

/**
 * Begins to listen.
 * @returns the port
 * @throws the error of listen(2), such as EADDRINUSE
 */
export async function listen(server: Server, host: string, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return (server.address() as AddressInfo).port;
}

/** The connections on which no request has come yet; Node does not count them as idle. */
export function unusedConnections(server: Server): Set<Socket> {
  const unused = new Set<Socket>();
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    unused.add(socket);
    socket.on('close', () => unused.delete(socket));
  });
  return unused;
}

/** The Host that a listening address goes by: an address cannot be rebound, only a name can. */
export function hostNames(host: string): string[] {
  const version = isIP(host);
  if (version === 0 || host === '0.0.0.0' || host === '::') return [];
  return [version === 6 ? `[${host.toLowerCase()}]` : host];
}

/**
 * Where a request comes from.
 * @param isProxied whether a proxy is in front, whose word counts: the last address it has added
 */
export function addressOf(incoming: IncomingMessage, isProxied: boolean): string {
  const direct = incoming.socket.remoteAddress ?? '';
  if (!isProxied) return direct;
  const last =
    String(incoming.headers['x-forwarded-for'] ?? '')
      .split(',')
      .at(-1)
      ?.trim() ?? '';
  return isIP(last) ? last : direct;
}
