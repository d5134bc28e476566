import { describe, expect, test } from 'vitest';
import { fuzz } from './assault.ts';
import { Server } from './child.ts';

/** Another one every day finds more; a failure says with which number its request comes again. */
const FIRST = Number(process.env['SCIATICA_FUZZ'] ?? 1);
const COUNT = 3_000;

describe.skipIf(process.platform !== 'linux').each([
  ['without authentication', false],
  ['with an administrator', true],
])('%s', (_, auth) => {
  test(`${COUNT} requests gone wrong leave everything well`, async () => {
    const server = await Server.start({ auth });
    try {
      await fuzz(server, FIRST + 1_000_000, 300);
      const { files, memory } = server;
      const tally = await fuzz(server, FIRST, COUNT);
      expect(server.state).toBe('alive');
      expect(server.failures).toEqual([]);
      expect(await server.health()).toBe(200);
      // Enough of them get through to the handlers.
      for (const status of auth ? [200, 400, 404] : [200, 201, 400, 404])
        expect(tally.get(status)).toBeGreaterThan(5);
      // A worker more has an event loop and a connection of its own: eight files, for half a minute.
      await expect.poll(() => server.files).toBeLessThanOrEqual(files + 3 + 8);
      // The heap of V8 grows by 25 to 40 MiB before it is collected.
      expect(server.memory).toBeLessThan(memory + 100);
      expect(server.faults()).toEqual([]);
    } finally {
      await server.stop();
    }
  });
});
