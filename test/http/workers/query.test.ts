import { afterEach, describe, expect, test, vi } from 'vitest';
import type { FromWorker, ToWorker } from '../../../src/http/workers/messages.ts';
import { Query } from '../../../src/http/workers/query.ts';

afterEach(() => void vi.useRealTimers());

/** A query with a thread that answers as the test says. */
function begun(timeout = 30_000) {
  const sent: ToWorker[] = [];
  const errors: unknown[] = [];
  let ends = 0;
  const question = { request: { method: 'GET', target: '/users', headers: {} }, base: '', caller: undefined };
  const hooks = { onError: (error: unknown) => errors.push(error), onEnd: () => ends++ };
  const query = new Query(7, question, timeout, hooks);
  query.begin((message) => sent.push(message));
  const receive = (message: object) => query.receive({ id: 7, ...message } as FromWorker);
  return {
    query,
    sent,
    errors,
    receive,
    ends: () => ends,
    kinds: () => sent.map((message) => Object.keys(message)[1]),
  };
}

const streamed = { response: { status: 200, headers: {} }, isStreamed: true };
const chunk = (text: string) => ({ chunk: { text } });

async function bodyOf(query: Query) {
  const { body } = await query.response;
  if (typeof body !== 'object') throw new Error('not streamed');
  return body;
}

describe('a query', () => {
  test('asks for one chunk ahead of its reader, however slow', async () => {
    vi.useFakeTimers();
    const { query, receive, kinds } = begun();
    receive(streamed);
    const body = await bodyOf(query);
    expect(kinds()).toEqual(['ask']);
    const first = body.next();
    receive(chunk('a'));
    expect((await first).value).toEqual({ text: 'a' });
    receive(chunk('b'));
    // An hour in which nothing is read.
    vi.advanceTimersByTime(3_600_000);
    expect(kinds()).toEqual(['ask', 'next', 'next']);
    expect((await body.next()).value).toEqual({ text: 'b' });
    receive({ ended: true });
    expect((await body.next()).done).toBe(true);
    expect(kinds()).toEqual(['ask', 'next', 'next', 'next']);
  });

  test.each([
    ['its first result', () => {}],
    ['the next chunk', (receive: (message: object) => void) => receive(streamed)],
  ])('that waits too long for %s ends, with its name', async (_, before) => {
    vi.useFakeTimers();
    const { query, receive, kinds, ends } = begun();
    const isStreamed = before.length > 0;
    before(receive);
    const result = isStreamed ? (await bodyOf(query)).next() : query.response;
    vi.advanceTimersByTime(29_999);
    expect(query.isOver).toBe(false);
    vi.advanceTimersByTime(1);
    await expect(result).rejects.toMatchObject({ status: 503, type: 'query-timeout' });
    expect([kinds().at(-1), ends()]).toEqual(['cancel', 1]);
  });

  test('is cancelled when its reader leaves it', async () => {
    const { query, receive, kinds, sent } = begun();
    receive(streamed);
    const body = await bodyOf(query);
    const first = body.next();
    receive(chunk('a'));
    await first;
    await body.return(undefined);
    expect(kinds()).toEqual(['ask', 'next', 'next', 'cancel']);
    const [asked] = sent;
    expect(asked && 'ask' in asked && asked.ask.cancelled[0]).toBe(1);
  });

  test('that is given up before its body is read asks for nothing more, and leaves no timer', async () => {
    vi.useFakeTimers();
    const { query, receive, kinds } = begun();
    receive(streamed);
    const body = await bodyOf(query);
    query.cancel();
    await expect(body.next()).rejects.toMatchObject({ status: 503 });
    expect([kinds(), vi.getTimerCount()]).toEqual([['ask', 'cancel'], 0]);
  });

  test('that is given up before its first result leaves no timer', async () => {
    vi.useFakeTimers();
    const { query } = begun();
    query.cancel();
    await expect(query.response).rejects.toMatchObject({ status: 503 });
    expect(vi.getTimerCount()).toBe(0);
  });

  test('reports an unforeseen error, and breaks off a body that has begun', async () => {
    const { query, receive, errors } = begun();
    receive(streamed);
    const body = await bodyOf(query);
    const first = body.next();
    receive({ error: { response: { status: 500, headers: {} }, stack: 'Error: boom' } });
    await expect(first).rejects.toMatchObject({ status: 500 });
    expect(String(errors[0])).toContain('boom');
  });

  test('answers a fault of the caller as it is', async () => {
    const { query, receive, errors } = begun();
    receive({ error: { response: { status: 406, headers: {}, body: '{}' } } });
    expect(await query.response).toMatchObject({ status: 406 });
    expect(errors).toEqual([]);
  });
});
