import { expect, test, vi } from 'vitest';
import { noraWith, run } from '../helpers.ts';

vi.mock('cli-table3', () => {
  throw new Error('cli-table3 was loaded');
});

const db = () => noraWith({});

test.each([[['users']], [['logs']], [['logs', '--all']], [['history']], [['log', 'show', '1']]])(
  '%j in a pipe does not load the library that draws tables',
  async (words) => expect(await run(words, { db: db() })).toMatchObject({ code: 0, stderr: '' }),
);

test.each([[['users']], [['logs']]])('%j in a terminal does', async (words) =>
  expect((await run(words, { db: db(), columns: 80 })).code).toBe(1),
);
