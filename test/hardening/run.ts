// npm run harden: attacks on the service as a process of its own, and what became of it.
import { request } from 'node:http';
import { each, fuzz, type Tally } from './assault.ts';
import { Server } from './child.ts';
import { amplify, starve, undoBeside } from './neighbours.ts';
import { Random } from './random.ts';
import { hasSlowhttptest, slowCallers, slowKinds } from './slow.ts';
import { Wire, withBody } from './wire.ts';

const FUZZED = 50_000;
const UPLOADS = 5_000;
const LISTS = 100;
const FLOOD = 1_500;
const SLOW = 200;
/** Connections that are just closing, and files that SQLite keeps at hand. */
const SPARE_FILES = 10;
/** SQLite keeps the files of closed connections at hand for the next ones: of 128 long lists at once, with two each. */
const LIST_FILES = 2 * 128 + 30;

/** What an attack tells of itself, besides what can be seen from outside. */
interface Outcome {
  tally?: Tally;
  note?: string;
}

/** Says what went wrong, and goes on. */
function fail(fault: string): void {
  console.log(`FAILED ${fault}`);
  process.exitCode = 1;
}

/** Runs an attack on a fresh service and prints its line of the table. */
async function attack(
  what: string,
  options: { auth?: boolean; logs?: number; users?: number; quota?: number },
  work: (server: Server) => Promise<Outcome>,
  warmUp: (server: Server) => Promise<unknown> = (server) => fuzz(server, 1_000_000, 2_000),
): Promise<void> {
  const server = await Server.start(options);
  let watch: NodeJS.Timeout | undefined;
  try {
    await warmUp(server);
    const [memory, files] = [server.memory, server.files];
    server.peak = memory;
    watch = setInterval(() => server.memory, 20);
    const { tally = new Map(), note } = await work(server);
    const most = Math.max(files, options.logs ? LIST_FILES : 0) + SPARE_FILES;
    await settled(server, most);
    const statuses = [...tally].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
    const mib = [memory, server.peak, server.memory].map((value) => value.toFixed(0)).join(' → ');
    const seen = [...statuses, ...(note ? [note] : [])].join(', ');
    console.log(`| ${what} | ${seen} | ${mib} | ${files} → ${server.files} |`);
    if ((await server.health()) !== 200) fail(`${what}: /health`);
    if (server.files > most) fail(`${what}: files stay open`);
    for (const fault of [...server.failures, ...server.faults()]) fail(`${what}: ${fault}`);
  } catch (error) {
    fail(`${what}: ${(error as Error).message}; the service: ${server.state}`);
  } finally {
    clearInterval(watch);
    await server.stop();
  }
}

/** Waits until the service has let go of what callers left behind, for ten seconds at most. */
async function settled(server: Server, most: number): Promise<void> {
  const until = performance.now() + 10_000;
  while (server.files > most && performance.now() < until) await pause(100);
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Uploads of nearly 64 KiB that end anywhere, half of them with a reset. */
async function brokenUploads({ port }: Server): Promise<Outcome> {
  const random = new Random(1);
  const bytes = withBody(
    `POST /users HTTP/1.1\r\nHost: localhost:${port}`,
    `{"firstName":"${'x'.repeat(64_000)}`,
  );
  await each(UPLOADS, async () => {
    const { socket, closed } = new Wire(port);
    const end = random.below(bytes.length);
    await new Promise((resolve) => socket.write(bytes.subarray(0, end), resolve));
    if (random.below(2)) socket.resetAndDestroy();
    else socket.end();
    await closed;
  });
  return {};
}

/** Callers who ask for all there is, as often as fits into a packet, and read nothing. */
async function deafReaders(server: Server, callers = LISTS): Promise<Outcome> {
  const { port } = server;
  const wires = Array.from({ length: callers }, (_, i) =>
    new Wire(port)
      .pause()
      .send(`GET /userExerciseLogs HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`.repeat(i % 2 ? 90 : 200)),
  );
  const note = await besides(server, pause(5_000));
  for (const { socket } of wires) socket.destroy();
  return { note };
}

/** SQLite keeps the files of closed connections at hand for the next ones. */
async function usedToLists(server: Server): Promise<void> {
  await deafReaders(server, 2 * SLOW);
  await pause(2_000);
}

/** More connections of one address than the service takes, and callers who behave beside them. */
async function flood(server: Server): Promise<Outcome> {
  const { port, token } = server;
  const bytes = `GET /health HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`;
  const wires = Array.from({ length: FLOOD }, () => new Wire(port));
  const asking = setInterval(() => {
    for (const wire of wires) if (!wire.isClosed) wire.send(bytes);
  }, 3_500);
  await pause(3_000);
  const held = wires.filter(({ isClosed }) => !isClosed).length;
  const authorization = `Bearer ${token}`;
  const statuses: Tally = new Map();
  for (let i = 0; i < 50; i++) {
    for (const status of [
      await statusOf(port, '127.0.0.2', '/health', {}),
      ...(token ? [await statusOf(port, '127.0.0.1', '/users/1', { authorization })] : []),
    ])
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    await pause(100);
  }
  clearInterval(asking);
  for (const { socket } of wires) socket.destroy();
  await Promise.all(wires.map(({ closed }) => closed));
  if (token && [...statuses.keys()].some((status) => status !== 200)) fail('others were shut out');
  return { note: `${held} held`, tally: statuses };
}

/** The status of a request from an address of this machine, on a connection of its own; 0 when there is none. */
function statusOf(
  port: number,
  localAddress: string,
  path: string,
  headers: Record<string, string>,
): Promise<number> {
  return new Promise((resolve) => {
    request({ host: '127.0.0.1', port, path, headers, localAddress, agent: false })
      .on('response', (response) => resolve(response.resume().statusCode ?? 0))
      .on('error', () => resolve(0))
      .end();
  });
}

/** A caller who behaves, while something else goes on. @returns how that went */
async function besides({ port }: Server, other: Promise<unknown>): Promise<string> {
  let isOver = false;
  void other.finally(() => {
    isOver = true;
  });
  let [answered, slowest] = [0, 0];
  while (!isOver) {
    for (const path of ['/health', '/users/1']) {
      const begun = performance.now();
      const response = await fetch(`http://127.0.0.1:${port}${path}`);
      if (response.status >= 500) throw new Error(`${path} was answered with ${response.status}`);
      await response.text();
      slowest = Math.max(slowest, performance.now() - begun);
      answered += 1;
    }
    await pause(25);
  }
  return `meanwhile ${answered} answered, the slowest in ${slowest.toFixed(0)} ms`;
}

async function main(): Promise<void> {
  console.log('| What | What came of it | Memory, MiB | Open files |\n| --- | --- | --- | --- |');
  const count = (n: number) => n.toLocaleString('en');
  for (const auth of [false, true])
    await attack(
      `${count(FUZZED)} mutated requests${auth ? ', with --auth' : ''}`,
      { auth },
      async (server) => ({
        tally: await fuzz(server, 1, FUZZED),
      }),
    );
  await attack(`${count(UPLOADS)} uploads broken off`, {}, brokenUploads);
  await attack(
    `${LISTS} callers who ask for many long lists and read none`,
    { logs: 500 },
    (server) => deafReaders(server),
    usedToLists,
  );
  await attack(`${count(FLOOD)} connections of one address, with --auth`, { auth: true }, flood);
  const calm = async () => {};
  await attack(
    'a patient who undoes a large change again and again',
    { auth: true },
    async (server) => ({ note: await amplify(server) }),
    calm,
  );
  await attack(
    'a patient who asks for what takes long, over 60 connections',
    { auth: true, logs: 2_000 },
    async (server) => ({ note: await starve(server) }),
    calm,
  );
  await attack(
    'large changes taken back beside others',
    { auth: true, logs: 200_000, users: 1, quota: 1024 },
    async (server) => ({ note: await undoBeside(server) }),
    calm,
  );
  if (!hasSlowhttptest()) console.log('\nslowhttptest is not on this machine: slow callers were not tried.');
  else
    for (const kind of slowKinds)
      await attack(
        `${SLOW} callers with slow ${kind} (slowhttptest)`,
        { logs: 500 },
        async (server) => {
          const slow = slowCallers(kind, server, SLOW);
          const note = await besides(server, slow);
          const seconds = await slow;
          if (seconds === undefined) fail(`slow ${kind}: not cut off`);
          return { note: `cut off within ${seconds} s; ${note}` };
        },
        usedToLists,
      );
}

void main();
