import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, isIP, type Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import { secureContext, type Tls } from './tls.ts';

const MAX_HEADER_BYTES = 16 * 1024;
/** Most connections at once. */
export const MAX_CONNECTIONS = 512;

/**
 * A server with limits on headers, connections and time, not yet listening.
 * @param timeouts in milliseconds
 * @throws the error of OpenSSL for an invalid certificate or key
 */
export function createListener(
  timeouts: { headers: number; request: number; stall: number },
  tls?: Tls,
): Server {
  const bounds = {
    headersTimeout: timeouts.headers,
    requestTimeout: timeouts.request,
    connectionsCheckingInterval: Math.min(1_000, timeouts.headers),
    maxHeaderSize: MAX_HEADER_BYTES,
    requireHostHeader: false,
  };
  const server = tls
    ? (createTlsServer({
        ...bounds,
        ...secureContext(tls),
        handshakeTimeout: timeouts.headers,
      }) as Server)
    : createServer(bounds);
  // Node would drop headers beyond 2000, a second Host among them; their bytes are limited above.
  server.maxHeadersCount = 0;
  server.setTimeout(timeouts.stall);
  // Otherwise Node drops the response to a client that closes its half of the connection after the request.
  return Object.assign(server, { httpAllowHalfOpen: true });
}

/**
 * Starts to listen.
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

/** The connections that have carried no request yet: closeIdleConnections() leaves them open. */
export function unusedConnections(server: Server): Set<Socket> {
  const unused = new Set<Socket>();
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    unused.add(socket);
    socket.on('close', () => unused.delete(socket));
  });
  return unused;
}

/** The Host values of a listening address: DNS rebinding changes names, not addresses. */
export function hostNames(host: string): string[] {
  const version = isIP(host);
  if (version === 0 || host === '0.0.0.0' || host === '::') return [];
  return [version === 6 ? `[${host.toLowerCase()}]` : host];
}
