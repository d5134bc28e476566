import { expect, test } from 'vitest';
import { bundle, ended, start } from '../store/helpers.ts';
import { freshServer } from './helpers.ts';

test('a command gets its turn beside 64 busy connections', async () => {
  const script = await bundle(`
    import { openStore } from './src/store/store.ts';
    import { log } from './test/samples.ts';
    const [verb, at, count] = process.argv.slice(2);
    const verbs = {
      callers: async () => {
        const sent = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(log) };
        const one = async () => { for (;;) await (await fetch(at + '/userExerciseLogs', sent)).text(); };
        await Promise.all(Array.from({ length: Number(count) }, one));
      },
      // Says of each log how many changes others made while it was saved.
      command: () => {
        for (let i = 0; i < Number(count); i++) {
          const store = openStore(at);
          const before = store.changesAfter(store.history.last() - 1, 1)[0].change;
          store.logs.create(log);
          console.log(store.latestChange - before - 1);
          store.close();
        }
      },
    };
    verbs[verb]();
  `);
  const { store, url } = await freshServer();
  const callers = start(script, ['callers', url, '64']);
  await expect.poll(() => store.history.last()).toBeGreaterThan(500);
  const { code, stdout, stderr } = await ended(start(script, ['command', store.path, '20']));
  callers.kill();
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const ahead = stdout.trim().split('\n').map(Number);
  expect(ahead).toHaveLength(20);
  // In batches of up to 64: if the service took the lock again at once, it would be thousands until the command gave up.
  expect(Math.max(...ahead) / 64).toBeLessThan(100);
});
