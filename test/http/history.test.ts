import { expect, test } from 'vitest';
import { freshApp, nora, stretch } from './helpers.ts';

test('the history of a log tells what an app did, and outlives the log', async () => {
  const { call } = freshApp();
  await call('PATCH', '/userExerciseLogs/1', { body: { painAfter: 3 } });
  await call('DELETE', '/userExerciseLogs/1');
  const { status, body } = await call('GET', '/userExerciseLogs/1/history');
  const log = { id: 1, ...stretch };
  expect(status).toBe(200);
  expect(body).toMatchObject([
    { source: 'cli', record: 'log', id: 1, action: 'create', before: null, after: log },
    { source: 'api', action: 'update', before: log, after: { ...log, painAfter: 3 } },
    { source: 'api', action: 'delete', before: { ...log, painAfter: 3 }, after: null },
  ]);
});

test('the history of a user is the profile alone', async () => {
  const { call } = freshApp();
  await call('PATCH', '/users/1', { body: { age: 45 } });
  expect((await call('GET', '/users/1/history')).body).toMatchObject([
    { action: 'create', after: { id: 1, ...nora } },
    { action: 'update', before: { age: 44 }, after: { age: 45 } },
  ]);
});

test.each(['/users/9/history', '/userExerciseLogs/9/history'])('%s of nobody is 404', async (target) => {
  expect((await freshApp().call('GET', target)).status).toBe(404);
});
