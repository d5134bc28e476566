import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import practice from '../../src/cli/practice.json';
import type { Palette } from '../../src/cli/terminal/canvas.ts';
import { summaryScreen } from '../../src/cli/views/summary.ts';
import { plainCommand } from '../../src/domain/errors.ts';
import { exerciseTypes } from '../../src/domain/exercise-types.ts';
import type { LogInput } from '../../src/domain/log.ts';
import { checksOf } from '../../src/domain/schema.ts';
import { addDays, localDay } from '../../src/domain/words/day.ts';
import { type Summary, summarySchema } from '../../src/insights/shapes.ts';
import { summarize } from '../../src/insights/summary.ts';
import { freshApp, nora, stretch } from './helpers.ts';

/** An app with the practice records in place of the usual one user and log. */
function practiced() {
  const { store, call } = freshApp();
  store.change(() => {
    store.users.delete(1);
    for (const user of practice.users) store.users.restore(checksOf('user').record(user));
    for (const log of practice.userExerciseLogs) store.logs.restore(checksOf('log').record(log));
  });
  return { store, call };
}

describe('the summary of a user', () => {
  test('is what the insights make of the same logs', async () => {
    const { store, call } = practiced();
    const { status, body } = await call('GET', '/users/3/summary');
    expect(status).toBe(200);
    expect(body).toEqual(summarize(store.logs.list({ userId: 3 })));
    expect(body).toMatchObject({ sessions: 62, rule: { name: 'default' } });
  });

  test('brings the words of the terminal where they are asked for', async () => {
    const { store, call } = practiced();
    const { body } = await call('GET', '/users/3/summary?words=true');
    const { words, ...figures } = body as Summary;
    expect(figures).toEqual(summarize(store.logs.list({ userId: 3 })));
    const plain = (text: string) => text;
    const palette = { relief: plain, aggravation: plain } as unknown as Palette;
    const screen = summaryScreen('Nora', figures, { width: 300, palette }, plainCommand)
      .join(' ')
      .replace(/\s+/g, ' ');
    expect(words?.groups.map(({ title }) => title)).toEqual([
      'Less pain after',
      'More pain after',
      'So far',
      'Still open',
    ]);
    for (const { title, exercises, remark } of words?.groups ?? []) {
      expect(screen).toContain(title.toUpperCase());
      expect(screen).toContain(remark ?? '');
      for (const { sign, exerciseName, words } of exercises)
        expect(screen).toContain([sign, exerciseName, words].filter(Boolean).join(' '));
    }
    for (const sentence of words?.sentences ?? []) expect(screen).toContain(sentence);
    expect(words?.sentences.length).toBeGreaterThan(1);
  });

  test('takes its parameters', async () => {
    const { store, call } = practiced();
    const { body } = await call(
      'GET',
      '/users/3/summary?since=2026-02-01&until=2026-05-31&exerciseType=stretch&rule=radicular&target=2&_t=1',
    );
    const logs = store.logs.list({ userId: 3, exerciseType: 'stretch' });
    const { exercises, rule, rhythm, sessions } = body as ReturnType<typeof summarize>;
    const target = { perWeek: 2, counts: 'sessions' } as const;
    const asked = { since: '2026-02-01', until: '2026-05-31', target };
    expect(rule.name).toBe('radicular');
    expect(sessions).toBe(summarize(logs, asked).sessions);
    expect(rhythm).toEqual(summarize(logs, asked).rhythm);
    expect(exercises.every(({ exerciseType }) => exerciseType === 'stretch')).toBe(true);
  });

  test.each([
    ['rule=strict', 'rule', 'must be one of default, radicular'],
    ['target=0', 'target', 'must be a whole number from 1 to 100'],
    ['target=2.5', 'target', 'must be a whole number from 1 to 100'],
    ['since=yesterday', 'since', 'must be a calendar day as YYYY-MM-DD'],
    ['exerciseType=yoga', 'exerciseType', `must be one of ${exerciseTypes.join(', ')}`],
    ['Since=2026-01-01', 'Since', 'is not a parameter here (did you mean since?)'],
    ['userId=2', 'userId', 'is not a parameter here'],
    ['rule=default&rule=default', 'rule', 'is given twice: give it once'],
  ])('refuses %s', async (search, field, message) => {
    const { call } = freshApp();
    const { status, body } = await call('GET', `/users/1/summary?${search}`);
    expect(status).toBe(400);
    expect(body).toMatchObject({ errors: [{ field, message }] });
  });

  test('counts up to the day of the caller', async () => {
    const { store, call } = freshApp();
    store.logs.delete(1);
    const today = localDay(new Date());
    for (const date of [today, addDays(today, 1)]) store.logs.create({ ...stretch, date });
    const summaryAt = (query: string) => call('GET', `/users/1/summary?${query}`);
    expect((await summaryAt('')).body).toMatchObject({ sessions: 1, leftOut: 1 });
    expect((await summaryAt(`today=${addDays(today, 1)}`)).body).toMatchObject({ sessions: 2, leftOut: 0 });
    expect((await summaryAt(`today=${addDays(today, -1)}`)).body).toMatchObject({ sessions: 0, leftOut: 2 });
  });

  test('of a user without logs is a summary of nothing', async () => {
    const { store, call } = freshApp();
    store.logs.delete(1);
    const { status, body } = await call('GET', '/users/1/summary');
    expect(status).toBe(200);
    expect(summarySchema.parse(body)).toMatchObject({ sessions: 0, overall: null, exercises: [] });
  });

  test('has the shape that the OpenAPI document says, whatever was recorded', async () => {
    const pain = fc.integer({ min: 1, max: 10 });
    const session = fc.record<LogInput>({
      userId: fc.constant(1),
      exerciseType: fc.constantFrom(...exerciseTypes),
      exerciseName: fc.constantFrom('A', 'B', 'Straße'),
      date: fc
        .integer({ min: 0, max: 900 })
        .map((day) => new Date(Date.UTC(2024, 0, 1 + day)).toISOString().slice(0, 10)),
      painBefore: pain,
      painAfter: pain,
      effective: fc.boolean(),
      notes: fc.constant(''),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(session, { maxLength: 40 }), async (sessions) => {
        const text = JSON.stringify(summarize(sessions, { target: { perWeek: 3, counts: 'sessions' } }));
        expect(() => summarySchema.parse(JSON.parse(text))).not.toThrow();
      }),
      { numRuns: 100 },
    );
  });

  test('counts more sessions than one block has, and others get their turn meanwhile', async () => {
    const { store, call } = freshApp();
    store.change(() => {
      for (let i = 0; i < 2500; i += 1) store.logs.create({ ...stretch, painAfter: (i % 10) + 1 });
    });
    let done = false;
    const summary = call('GET', '/users/1/summary').then((answer) => {
      done = true;
      return answer;
    });
    await call('GET', '/users/1');
    expect(done).toBe(false);
    expect((await summary).body).toMatchObject({ sessions: 2501 });
  });
});

test.each([
  ['/users/3/summary?since=2026-10-26&until=2026-01-01', 'since'],
  ['/users/3/report?since=2026-10-26&until=2026-01-01', 'since'],
  ['/users/3/report?since=2026-06-01&previous=2026-05-31', 'previous'],
  ['/users/3/report?until=2026-06-01&previous=2026-06-02', 'previous'],
  ['/users/3/report?previous=2126-01-01', 'previous'],
])('%s has no period: %s is named', async (target, field) => {
  const { status, body } = await practiced().call('GET', target);
  expect([status, body]).toEqual([
    400,
    expect.objectContaining({ errors: [expect.objectContaining({ field })] }),
  ]);
});

describe('the report on a user', () => {
  test('is a page whose policy stands in a header too', async () => {
    const { status, headers, text } = await practiced().call('GET', '/users/3/report?previous=2026-08-01');
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    const [, policy] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(text) ?? [];
    expect(headers['content-security-policy']).toBe(
      `${policy?.replaceAll('&#39;', "'")}; frame-ancestors 'none'`,
    );
    expect(text).toContain('Nora Patel');
    expect(text).toContain('What changed since 2026-08-01');
  });

  test('comes as Markdown, and without the name', async () => {
    const { headers, text } = await practiced().call('GET', '/users/3/report?format=md&anonymous=true');
    expect(headers['content-type']).toBe('text/markdown; charset=utf-8');
    expect(text).toContain('# Exercise and pain: Patient 3');
    expect(text).not.toMatch(/Nora|Patel|patient3@/);
  });

  test('has the latest notes, or all of them', async () => {
    const { store, call } = freshApp();
    store.change(() => {
      for (let i = 0; i < 25; i += 1) store.logs.create({ ...stretch, notes: `Note no. ${i}` });
    });
    const notes = async (search: string) =>
      (await call('GET', `/users/1/report${search}`)).text.match(/Note no\. \d+/g);
    expect(await notes('')).toHaveLength(20);
    expect(await notes('?full=true')).toHaveLength(25);
  });

  test('refuses what the list refuses', async () => {
    const { status, body } = await freshApp().call('GET', '/users/1/report?format=pdf&anonymous=1&target=x');
    expect(status).toBe(400);
    expect((body as { errors: { field: string }[] }).errors.map(({ field }) => field).sort()).toEqual([
      'anonymous',
      'format',
      'target',
    ]);
  });
});

describe('how each user is', () => {
  /** Sessions so many days before today. */
  const recorded = (...sessions: [daysAgo: number, painBefore: number, painAfter: number][]) => {
    const { store, call } = freshApp();
    store.logs.delete(1);
    const { id: userId } = store.users.create({ ...nora, firstName: 'Ole' });
    for (const [daysAgo, painBefore, painAfter] of sessions)
      store.logs.create({ ...stretch, userId, painBefore, painAfter, date: addDays(today, -daysAgo) });
    return { store, call };
  };
  const today = localDay(new Date());

  test('is the line of users --summary, who needs a call first', async () => {
    const { call } = recorded([0, 6, 9], [13, 5, 5], [14, 3, 3], [41, 4, 4], [42, 10, 10], [-1, 1, 1]);
    const { status, body } = await call('GET', '/overviews');
    expect(status).toBe(200);
    expect(body).toEqual([
      {
        id: 2,
        firstName: 'Ole',
        lastName: nora.lastName,
        sessions: 2,
        lastSession: today,
        pain: 5.5,
        painEarlier: 3.5,
        painChange: 2,
        redEntries: 1,
        leftOut: 1,
      },
      { id: 1, firstName: nora.firstName, lastName: nora.lastName, sessions: 0, redEntries: 0, leftOut: 0 },
    ]);
  });

  test('counts severe pain entries as red', async () => {
    const { store, call } = recorded();
    for (const pain of [8, 9, 10]) store.of('painEntry').create({ userId: 2, date: today, pain });
    const { body } = await call('GET', '/overviews');
    expect(body).toMatchObject([{ id: 2, sessions: 0, redEntries: 2 }, { id: 1 }]);
  });

  test('answers 304 to who has it, until a log is added, and takes no parameter', async () => {
    const { store, call } = recorded();
    const { headers } = await call('GET', '/overviews');
    const again = { headers: { 'if-none-match': headers['etag'] ?? '' } };
    expect((await call('GET', '/overviews', again)).status).toBe(304);
    store.logs.create({ ...stretch, date: today });
    expect((await call('GET', '/overviews', again)).status).toBe(200);
    expect((await call('GET', '/overviews?limit=1')).status).toBe(400);
  });
});

describe.each(['summary', 'report'])('/users/{id}/%s', (part) => {
  test('is not there for nobody', async () => {
    const { call } = freshApp();
    for (const path of [`/users/2/${part}`, `/users/x/${part}`, `/userExerciseLogs/1/${part}`])
      expect([path, (await call('GET', path)).status]).toEqual([path, 404]);
  });

  test('answers 304 to who has it, until a log is added', async () => {
    const { store, call } = freshApp();
    const { headers } = await call('GET', `/users/1/${part}`);
    const etag = headers['etag'] ?? '';
    expect((await call('GET', `/users/1/${part}`, { headers: { 'if-none-match': etag } })).status).toBe(304);
    store.logs.create(stretch);
    const changed = await call('GET', `/users/1/${part}`, { headers: { 'if-none-match': etag } });
    expect(changed.status).toBe(200);
  });

  test('takes HEAD and OPTIONS, a trailing slash, and nothing else', async () => {
    const { call } = freshApp();
    const got = await call('GET', `/users/1/${part}/`);
    const head = await call('HEAD', `/users/1/${part}`);
    expect(head.text).toBe('');
    expect(head.headers['content-length']).toBe(String(Buffer.byteLength(got.text)));
    expect(head.headers['etag']).toBe(got.headers['etag']);
    expect((await call('OPTIONS', `/users/1/${part}`)).headers['allow']).toBe('GET, HEAD, OPTIONS');
    expect((await call('POST', `/users/1/${part}`, { body: {} })).status).toBe(405);
  });

  test('is as private as all else', async () => {
    const { call } = freshApp();
    expect((await call('GET', `/users/1/${part}`, { hosts: ['evil.example'] })).status).toBe(403);
    expect((await call('GET', `/users/1/${part}`)).headers['cache-control']).toBe('private, no-cache');
  });
});
