import { EventEmitter } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { requestOf } from '../../src/http/wire/request.ts';

/** A body, as it comes in. */
function incomingBody(most: number) {
  const incoming = Object.assign(new EventEmitter(), { rawHeaders: [], headers: {}, complete: true });
  const body = requestOf(incoming as never, {} as never, { isProxied: false }).readBody(most);
  return { incoming, body };
}

test('the chunks of a body are not kept: a caller may send each byte in one of its own', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const { incoming, body } = incomingBody(1_000);
  const received = Array.from({ length: 1_000 }, (_, i) => {
    const chunk = Buffer.from([i % 256]);
    incoming.emit('data', chunk);
    return new WeakRef(chunk);
  });
  await new Promise(setImmediate);
  collect();
  expect(received.filter((chunk) => chunk.deref())).toEqual([]);
  incoming.emit('end');
  expect(await body).toEqual(Buffer.from(Array.from({ length: 1_000 }, (_, i) => i % 256)));
});

test.each([[[]], [[0]], [[1, 2, 4, 1]], [[8]], [[3, 0, 5]]])(
  'a body in chunks of %j bytes is whole',
  async (sizes) => {
    const { incoming, body } = incomingBody(8);
    const chunks = sizes.map((size, i) => Buffer.alloc(size, i + 1));
    for (const chunk of chunks) incoming.emit('data', chunk);
    incoming.emit('end');
    expect(await body).toEqual(Buffer.concat(chunks));
  },
);

test.each([[[9]], [[8, 1, 1]]])('one of %j bytes is too large', async (sizes) => {
  const { incoming, body } = incomingBody(8);
  const refused = expect(body).rejects.toMatchObject({ status: 413 });
  for (const size of sizes) incoming.emit('data', Buffer.alloc(size));
  incoming.emit('end');
  await refused;
});
