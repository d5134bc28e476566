import { connect, type Socket } from 'node:net';
import { type Reply, repliesIn } from './reply.ts';

/** One connection, for bytes that no HTTP client would send. */
export class Wire {
  readonly socket: Socket;
  readonly closed: Promise<void>;
  #text = '';
  #isClosed = false;
  #changed = () => {};

  constructor(port: number) {
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
    // What a server breaks off shows in what came before.
    this.socket.on('error', () => {});
    this.socket.on('end', () => this.socket.end());
    this.socket.on('data', (data) => {
      this.#text += data.toString('latin1');
      this.#changed();
    });
    this.closed = new Promise((resolve) =>
      this.socket.on('close', () => {
        this.#isClosed = true;
        this.#changed();
        resolve();
      }),
    );
  }

  /** All that came, a character per byte. */
  get text(): string {
    return this.#text;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  send(bytes: string | Uint8Array): this {
    this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
    return this;
  }

  /** Reads nothing that comes. */
  pause(): this {
    this.socket.pause();
    return this;
  }

  /**
   * Waits until `enough` says so of the responses that came, or the server has closed the connection.
   * @param toHead whether they may be answers to HEAD
   */
  async until(enough: (replies: Reply[]) => boolean, toHead = false): Promise<Reply[]> {
    for (;;) {
      const { replies } = repliesIn(this.#text, toHead);
      if (this.#isClosed || enough(replies)) return replies;
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
    }
  }

  /** Waits until the server has closed the connection. */
  ended(): Promise<Reply[]> {
    return this.until(() => false);
  }
}

/** A request with a JSON body and its right length. */
export function withBody(head: string, body: string | Uint8Array, more = ''): Buffer {
  const bytes = Buffer.from(body);
  const headers = `Content-Type: application/json\r\nContent-Length: ${bytes.length}\r\n${more}`;
  return Buffer.concat([Buffer.from(`${head}\r\n${headers}\r\n`, 'latin1'), bytes]);
}
