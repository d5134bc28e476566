// A client that is much cheaper than any server: keep-alive sockets, one request at a time on each.
import { connect } from 'node:net';
import { processorTime } from './servers.mjs';

/**
 * Sends requests over `connections` sockets for `ms` milliseconds.
 * @param request makes the bytes of the n-th request
 * @returns answered requests per second, and per second of processor time of the server, all its threads together
 */
export async function load({ port, pid }, connections, ms, request) {
  let answered = 0;
  let sent = 0;
  const worked = processorTime(pid);
  const begun = performance.now();
  const until = begun + ms;
  const drive = () =>
    new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1');
      let missing = 0;
      const next = () => {
        if (performance.now() >= until) {
          socket.end();
          resolve();
        } else {
          socket.write(request(sent));
          sent += 1;
        }
      };
      socket.setNoDelay(true);
      socket.on('connect', next);
      socket.on('error', reject);
      socket.on('close', () => reject(new Error('the server closed a connection')));
      socket.on('data', (data) => {
        missing = missing > 0 ? missing - data.length : bodyBytesMissing(data);
        if (missing > 0) return;
        answered += 1;
        next();
      });
    });
  await Promise.all(Array.from({ length: connections }, drive));
  const took = performance.now() - begun;
  return { wall: (answered / took) * 1000, processor: (answered / (processorTime(pid) - worked)) * 1000 };
}

/** How much of a response is still to come after its first bytes, which hold all its headers. */
function bodyBytesMissing(data) {
  const text = data.toString('latin1');
  const end = text.indexOf('\r\n\r\n');
  const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, end + 2));
  if (!/^HTTP\/1.1 20[01] /.test(text) || !length)
    throw new Error(`unexpected answer: ${text.slice(0, 300)}`);
  return end + 4 + Number(length[1]) - data.length;
}

export const get = ({ port, token }, path) =>
  `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${authorization(token)}\r\n`;

export const post = ({ port, token }, path, body) =>
  `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${authorization(token)}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

const authorization = (token) => (token ? `Authorization: Bearer ${token}\r\n` : '');
