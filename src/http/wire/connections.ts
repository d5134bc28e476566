import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';

/** `_httpMessage` is the response that a connection is sending, as in listener.ts. */
type HttpSocket = Socket & { _httpMessage?: ServerResponse | null };

interface Connection {
  /** With TLS: the raw socket until the handshake is done, then the encrypted one. */
  socket: HttpSocket;
  network: string;
  /** Whether a caller with a valid token has used it. */
  isTrusted: boolean;
}

/**
 * Divides the connections of a service among its callers: one network (an IPv4 address, an IPv6 /64) gets at most half
 * of them. Where there is no room for a new one, another is closed: the oldest without a valid token, of the network
 * with the most of these; if all have shown a token, an idle one; if none is idle, the new one itself.
 */
export class SharedConnections {
  /** The connections of each network, in the order of arrival. */
  readonly #networks = new Map<string, Set<Connection>>();
  readonly #bySocket = new WeakMap<Socket, Connection>();
  #count = 0;

  /**
   * @param most highest number of connections of all networks together
   * @param networkOf maps an IP address to its network
   */
  constructor(
    server: Server,
    private readonly most: number,
    private readonly networkOf: (address: string) => string,
  ) {
    server.on('connection', (socket: Socket) => this.#add(socket));
    if (server instanceof TlsServer) this.#followHandshakes(server);
  }

  /** Marks a connection as used by a caller with a valid token. */
  trust(socket: Socket): void {
    const connection = this.#bySocket.get(socket);
    if (connection) connection.isTrusted = true;
  }

  /** Whether to close a connection after a response with this status, which refuses a caller without a valid token. */
  closesAfter(socket: Socket, status: number): boolean {
    return status === 401 || ((status === 403 || status === 429) && !this.#bySocket.get(socket)?.isTrusted);
  }

  #add(socket: Socket): void {
    const network = this.networkOf(socket.remoteAddress ?? '');
    const neighbours = this.#networks.get(network) ?? new Set<Connection>();
    const isRoom =
      neighbours.size >= this.most / 2
        ? this.#makeRoom([neighbours])
        : this.#count < this.most || this.#makeRoom([...this.#networks.values()]);
    if (!isRoom) {
      socket.destroy();
      return;
    }
    const connection: Connection = { socket, network, isTrusted: false };
    this.#networks.set(network, neighbours.add(connection));
    this.#bySocket.set(socket, connection);
    this.#count++;
    socket.once('close', () => this.#remove(connection));
  }

  /** Closes one of these connections; false when none may be closed. */
  #makeRoom(networks: readonly Set<Connection>[]): boolean {
    const all = networks.map((connections) => [...connections]);
    const untrusted = all.map((connections) => connections.filter(({ isTrusted }) => !isTrusted));
    const [most = []] = untrusted.sort((a, b) => b.length - a.length);
    const closed = most[0] ?? all.flat().find(({ socket }) => !socket._httpMessage);
    if (!closed) return false;
    // Removed at once: the event `close` of the socket comes later.
    this.#remove(closed);
    closed.socket.destroy();
    return true;
  }

  #remove(connection: Connection): void {
    const neighbours = this.#networks.get(connection.network);
    if (!neighbours?.delete(connection)) return;
    this.#count--;
    if (neighbours.size === 0) this.#networks.delete(connection.network);
  }

  /** The raw and the encrypted socket of a connection come in separate events, and are matched by peer address and port. */
  #followHandshakes(server: TlsServer): void {
    const raw = new Map<string, Connection>();
    server.on('connection', (socket: Socket) => {
      const [peer, connection] = [peerOf(socket), this.#bySocket.get(socket)];
      if (!connection) return;
      raw.set(peer, connection);
      socket.once('close', () => raw.get(peer) === connection && raw.delete(peer));
    });
    server.on('secureConnection', (socket: Socket) => {
      const connection = raw.get(peerOf(socket));
      if (!connection) return;
      connection.socket = socket;
      this.#bySocket.set(socket, connection);
    });
  }
}

const peerOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`;
