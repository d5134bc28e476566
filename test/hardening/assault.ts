import { DEADLINE_MS } from '../deadline.mts';
import type { Server } from './child.ts';
import { fuzzed } from './fuzz.ts';
import { type Reply, repliesIn } from './reply.ts';
import { seedRequests } from './seeds.ts';
import { Wire } from './wire.ts';

const CONNECTIONS = 16;

/** How often each status was answered; 0 is a connection closed without an answer. */
export type Tally = Map<number, number>;

/**
 * Sends `count` requests gone wrong, those of the numbers from `first` on.
 * @throws Error with number and request at the first whose answer is no HTTP, a 5xx or missing at the end
 */
export async function fuzz(server: Server, first: number, count: number): Promise<Tally> {
  const { port, token } = server;
  const headers = `Host: localhost:${port}\r\n${token ? `Authorization: Bearer ${token}\r\n` : ''}`;
  const seeds = seedRequests(headers);
  const remove = (path: string) => answersTo(port, `DELETE ${path} HTTP/1.1\r\n${headers}\r\n`);
  const tally: Tally = new Map();
  await each(count, async (n) => {
    const request = fuzzed(first + n, seeds);
    try {
      for (const { status, headers } of await answersTo(port, request)) {
        if (status >= 500) throw new Error(`answered with ${status}`);
        tally.set(status, (tally.get(status) ?? 0) + 1);
        const created = status === 201 && headers.get('location');
        // Lists that only grow would take up all the time.
        if (created && !created.endsWith('0')) await remove(created);
      }
    } catch (error) {
      const what = `${(error as Error).message}; the service: ${server.state} ${server.failures.join('\n')}`;
      throw new Error(`request ${first + n}: ${what}\n${JSON.stringify(request)}`);
    }
  });
  return tally;
}

/** Does `work` for each number below `count`, some at a time. */
export async function each(count: number, work: (n: number) => Promise<void>): Promise<void> {
  let next = 0;
  const drive = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, drive));
}

async function answersTo(port: number, request: string): Promise<Reply[]> {
  const wire = new Wire(port).send(request);
  wire.socket.end();
  const timer = setTimeout(() => wire.socket.destroy(new Error('late')), DEADLINE_MS);
  // A stream of events has no end.
  const isStream = () => /\r\ncontent-type: text\/event-stream/i.test(wire.text);
  wire.socket.on('data', () => isStream() && wire.socket.destroy());
  await wire.closed;
  clearTimeout(timer);
  const { replies, rest } = repliesIn(wire.text, request.includes('HEAD'));
  if (rest !== '' && !isStream()) throw new Error(`an answer broke off: ${rest.slice(0, 300)}`);
  // Empty lines before a request are no request yet.
  const isAsked = /[^\r\n]/.test(request);
  if (isAsked && !isStream() && (replies.at(-1)?.status ?? 0) < 200) throw new Error('never answered');
  return replies;
}
