import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { openDatabase } from '../../store/sqlite/open.ts';
import type { Store } from '../../store/store.ts';
import { openReader, storeOn } from '../../store/store.ts';
import { Feed } from '../protocol/feed.ts';
import { match } from '../routes/index.ts';
import type { Chunks, HttpResponse } from '../wire/message.ts';
import { problemResponse } from '../wire/problem.ts';
import type { Answered, Failure, FromWorker, Question, ToWorker, WorkerData } from './messages.ts';

/** The entry of a worker thread: runs the handlers of the service for reads and long writes, on connections of its own. */

const { path, hasTemporaryFolder } = workerData as WorkerData;

/** A streamed response that is not completely sent. */
interface Open {
  chunks: Chunks;
  store: Store;
}

const open = new Map<number, Open>();

const send = (message: FromWorker) => parentPort?.postMessage(message);

// On Linux this sets the priority of the calling thread only: where threads outnumber cores, the main thread,
// which takes all requests, gets three times the share of this one.
if (process.platform === 'linux') setPriority(5);

parentPort?.on('message', (message: ToWorker) => {
  const { id } = message;
  const reply = 'ask' in message ? ask(id, message.ask) : 'next' in message ? next(id) : cancel(id);
  reply.then(
    (answer) => send({ id, ...answer }),
    (error: unknown) => send({ id, error: failureOf(error) }),
  );
});

async function ask(id: number, question: Question): Promise<Answered> {
  if (question.write) return write(question, question.write);
  const isCancelled = () => Atomics.load(question.cancelled, 0) === 1;
  const store = openReader(path, { isCancelled, hasTemporaryFolder });
  try {
    const { body, ...response } = await respond(question, store);
    if (typeof body !== 'object')
      return { response: body === undefined ? response : { ...response, body }, isStreamed: false };
    open.set(id, { chunks: body, store });
    return { response, isStreamed: true };
  } finally {
    if (!open.has(id)) store.close();
  }
}

/** Size of the page cache of a long write, in KiB: it is used beside the caches of the service's connections. */
const WRITE_CACHE_KIB = 16 * 1024;

async function write(question: Question, { room }: NonNullable<Question['write']>): Promise<Answered> {
  const database = openDatabase(path, false);
  database.pragma(`cache_size = -${WRITE_CACHE_KIB}`);
  const store = storeOn(database);
  let stored = 0;
  const raise = (bytes: number) => {
    if (bytes > room) throw new NoRoom();
    stored = bytes;
  };
  const { name } = question.caller ?? {};
  const view = store.as({ origin: { source: 'api', ...(name !== undefined && { caller: name }) } });
  try {
    const response = await respond(question, view.metered({ room, raise }));
    return { response: response as Answered['response'], isStreamed: false, stored };
  } catch (error) {
    // The main thread makes the response: it knows when there is room again.
    if (error instanceof NoRoom) return { response: { status: 429, headers: {} }, isStreamed: false };
    throw error;
  } finally {
    store.close();
  }
}

class NoRoom extends Error {}

/** The response of the handler of a request. */
async function respond({ request, write, base, caller }: Question, all: Store): Promise<HttpResponse> {
  const found = match(request.target);
  const route = found?.methods.get(write ? request.method : 'GET');
  if (!found || !route) throw new Error('A worker was asked for what it does not answer.');
  const store = caller?.users ? all.as({ users: caller.users }) : all;
  return route.handle({
    request: {
      ...request,
      hosts: [],
      address: () => '',
      readBody: async () => Buffer.from(write?.body ?? ''),
      onClose: () => {},
    },
    route,
    id: found.id,
    search: found.search,
    store,
    caller,
    base: () => base,
    feed: new Feed(store),
    isPairing: false,
  });
}

async function next(id: number): Promise<{ chunk: { text: string } } | { ended: true }> {
  const reading = open.get(id);
  if (!reading) return { ended: true };
  try {
    const { done, value } = await reading.chunks.next();
    if (!done) return { chunk: value };
  } catch (error) {
    await cancel(id);
    throw error;
  }
  return cancel(id);
}

async function cancel(id: number): Promise<{ ended: true }> {
  const reading = open.get(id);
  open.delete(id);
  try {
    await reading?.chunks.return(undefined);
  } finally {
    reading?.store.close();
  }
  return { ended: true };
}

function failureOf(error: unknown): Failure {
  const response = problemResponse(error);
  return response.status === 500
    ? { response, stack: error instanceof Error ? error.stack : String(error) }
    : { response };
}
