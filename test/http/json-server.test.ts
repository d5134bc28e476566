import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Log } from '../../src/domain/log.ts';
import type { User } from '../../src/domain/user.ts';
import { freshApp } from './helpers.ts';

/** What json-server 0.17.4 answered: see record.mjs beside it. */
interface Recorded {
  records: { users: User[]; userExerciseLogs: Log[] };
  answers: { path: string; ids: number[]; total?: string; link?: string }[];
}

const file = new URL('../fixtures/json-server/answers.json', import.meta.url);
const { records, answers } = JSON.parse(readFileSync(file, 'utf8')) as Recorded;

/** A query as it is meant: json-server writes it into links as it was sent, this service encodes it anew. */
const plain = (text: string) => decodeURIComponent(text.replaceAll('+', ' '));

test(`${answers.length} answers are as json-server gives them`, async () => {
  const { store, call } = freshApp();
  store.users.delete(1);
  store.change(() => {
    for (const user of records.users) store.users.restore(user);
    for (const log of records.userExerciseLogs) store.logs.restore(log);
  });
  for (const { path, ids, total, link = '' } of answers) {
    const { status, body, headers } = await call('GET', path);
    const all: { id: number }[] = path.startsWith('/users') ? records.users : records.userExerciseLogs;
    const links = (headers['link'] ?? '').replaceAll('http://localhost:3000', '');
    expect({ path, status, body, total: headers['x-total-count'], link: plain(links) }).toEqual({
      path,
      status: 200,
      body: ids.map((id) => all.find((record) => record.id === id)),
      total,
      link: plain(link),
    });
  }
});
