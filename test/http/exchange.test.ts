import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Role } from '../../src/domain/access.ts';
import { type Position, START } from '../../src/store/reconcile/collect.ts';
import type { Store } from '../../src/store/store.ts';
import { dbOf, freshStore } from '../store/helpers.ts';
import { guardedApp, nora, stretch } from './helpers.ts';

/** Behind the gate: users 1 and 2 with logs 1 and 2, and another database that has met the service. */
async function practice() {
  const { store, call, errors } = guardedApp({ rate: { burst: 1e9, perSecond: 1e9 }, quota: 1e12 });
  store.users.create({ ...nora, firstName: 'Ole', email: 'ole@example.org' });
  store.logs.create({ ...stretch, userId: 2, notes: 'of Ole' });
  let count = 0;
  const as = (role: Role, users: number[] | null) => {
    const { token } = store.tokens.create({ name: `Token${count++}`, role, users, lifetime: null });
    return (body: unknown) =>
      call('POST', '/exchange', { headers: { authorization: `Bearer ${token}` }, body });
  };
  const other = freshStore();
  const [replication, me] = [await other.replication(), as('admin', null)];
  for (let have: Position | null = null, isLast = false; !isLast; ) {
    const { body } = await me({ parcel: await told(other), have, wants: true });
    const parcel = replication.read((body as { parcel: string }).parcel);
    replication.receive([parcel]);
    [have, isLast] = [parcel.to, parcel.isLast];
  }
  return { store, other, as, errors };
}

/** All that a database has to tell. */
async function told(store: Store, from: Position = START): Promise<string> {
  const replication = await store.replication();
  const parts: string[] = [];
  for (let at = from, isLast = false; !isLast; ) {
    const part = replication.part(replication.collector(), at);
    parts.push(part.text);
    ({ to: at, isLast } = part);
  }
  const [first = '', ...others] = parts;
  return others.reduce(
    (parcel, next) =>
      changed(parcel, ([head, ...states]) => {
        const [{ databases, ...end } = {}, ...more] = linesOf(next);
        const all = { ...(head?.['databases'] as object), ...(databases as object) };
        return [{ ...head, ...end, from: head?.['from'], databases: all }, ...states, ...more];
      }),
    first,
  );
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** The lines of a parcel, without its checksum. */
const linesOf = (parcel: string) =>
  parcel
    .split('\n')
    .slice(0, -2)
    .map((line) => JSON.parse(line) as Record<string, unknown>);

/** A parcel with other lines, and their checksum. */
function changed(parcel: string, change: (lines: Record<string, unknown>[]) => unknown[]): string {
  const body = change(linesOf(parcel))
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');
  return `${body}${JSON.stringify({ sha256: sha256(body) })}\n`;
}

describe('what is no exchange changes nothing', () => {
  test.each<[string, unknown]>([
    ['null', null],
    ['a list', []],
    ['an empty object', {}],
    ['a parcel that is a number', { parcel: 1, have: null, wants: true }],
    ['no position', { parcel: '', wants: true }],
    ['a position that is a text', { parcel: '', have: '7', wants: true }],
    ['a position before the beginning', { parcel: '', have: { seq: -1, uid: 0, rev: 0 }, wants: true }],
    ['a position without a uid', { parcel: '', have: { seq: 1, rev: 0 }, wants: true }],
    ['wants that is a text', { parcel: '', have: null, wants: 'true' }],
    ['an empty parcel', { parcel: '', have: null, wants: true }],
    ['a parcel of one word', { parcel: 'parcel', have: null, wants: true }],
    ['a parcel that is JSON', { parcel: '{}\n', have: null, wants: true }],
  ])('a body that is %s', async (_, body) => {
    const { store, as } = await practice();
    const before = [store.history.last(), store.id];
    const { status } = await as('admin', null)(body);
    expect([status, store.history.last(), store.id]).toEqual([400, ...before]);
  });

  type Lines = Record<string, unknown>[];
  /** Changes the line of the log. */
  const log = (change: object) => (lines: Lines) =>
    lines.map((line) => (line['k'] === 'log' ? { ...line, ...change } : line));
  const logFields = (change: object) => (lines: Lines) =>
    lines.map((line) =>
      line['k'] === 'log' ? { ...line, f: { ...(line['f'] as object), ...change } } : line,
    );
  const head =
    (change: object) =>
    ([first, ...others]: Lines) => [{ ...first, ...change }, ...others];

  test.each<[string, (lines: Lines) => unknown[]]>([
    ['no first line', ([_, ...others]) => others],
    ['a first line of something else', head({ sciatica: 'export' })],
    ['no database', head({ database: undefined })],
    ['a database without a UUID', head({ database: 'home' })],
    ['databases without UUIDs', head({ databases: { 1: 'home' } })],
    ['a format that is no number', head({ format: 'latest' })],
    ['a position that is none', head({ to: { seq: 'x' } })],
    ['erased names that are none', head({ erased: ['Nora'] })],
    ['erased that is no list', head({ erased: 'Nora' })],
    ['a view that is no list', head({ view: 1 })],
    ['a line that is no object', (lines) => [...lines, 7]],
    ['a line that is null', (lines) => [...lines, null]],
    ['a kind that does not exist', log({ k: 'secret' })],
    ['a kind of the prototype', log({ k: 'constructor' })],
    ['a name of a database that is not listed', log({ n: '999.1.1' })],
    ['a name that is none', log({ n: '1' })],
    ['a name with a part too few', log({ n: '1.1' })],
    ['a name with a part that is no number', log({ n: '1.x.1' })],
    ['a name that is a number', log({ n: 1 })],
    ['a life of 0', log({ l: 0 })],
    ['half a life', log({ l: 1.5 })],
    ['too many lives', log({ l: 2 ** 52 + 1 })],
    ['owners that are no list', log({ o: 'all' })],
    ['owners that are no names', log({ o: [1] })],
    ['fields that are a text', log({ f: 'all' })],
    ['fields that are a list', log({ f: [1, 2] })],
    ['a statement that is no list', log({ c: 7 })],
    ['a statement that is an object', log({ c: {} })],
    ['a clock that is a text', log({ c: ['now', 1, 1] })],
    ['a clock before 1970', log({ c: [-1, 1, 1] })],
    ['a clock that no later one can follow', log({ c: [Number.MAX_SAFE_INTEGER, 1, 1] })],
    ['a statement of no database', log({ c: [1, 1, 999] })],
    ['clocks seen that are no object', log({ c: [1, 1, 1, 7] })],
    ['clocks seen of no database', log({ c: [1, 1, 1, { 999: 1 }] })],
    ['clocks seen that are no numbers', log({ c: [1, 1, 1, { 1: 'x' }] })],
    ['statements that are a text', log({ s: 'x' })],
    ['a field that does not exist', logFields({ secret: 1 })],
    ['pain of 11', logFields({ painAfter: 11 })],
    ['a date that does not exist', logFields({ date: '2026-02-30' })],
    ['a text that is a list', logFields({ notes: ['x'] })],
    ['a number that is a text', logFields({ painAfter: '4' })],
    ['a log of nobody', logFields({ userId: null })],
    ['a log of a number', logFields({ userId: 1 })],
    ['a log without a field', logFields({ notes: undefined })],
  ])('a parcel with %s', async (_, change) => {
    const { store, other, as, errors } = await practice();
    other.logs.update(1, { notes: 'changed' });
    const before = [store.history.last(), store.id, store.logs.list()];
    const parcel = changed(await told(other), change);
    const { status } = await as('admin', null)({ parcel, have: null, wants: true });
    expect([status, store.history.last(), store.id, store.logs.list()]).toEqual([400, ...before]);
    expect(errors).toEqual([]);
  });

  test.each<[string, (parcel: string) => string]>([
    ['cut off', (parcel) => parcel.slice(0, -20)],
    ['cut off after a line', (parcel) => `${parcel.split('\n').slice(0, -2).join('\n')}\n`],
    ['changed in one character', (parcel) => parcel.replace('changed', 'chanted')],
    ['without its last newline', (parcel) => parcel.trimEnd()],
    ['twice', (parcel) => parcel + parcel],
  ])('a parcel that is %s', async (_, change) => {
    const { store, other, as } = await practice();
    other.logs.update(1, { notes: 'changed' });
    const before = store.history.last();
    const { status, body } = await as(
      'admin',
      null,
    )({
      parcel: change(await told(other)),
      have: null,
      wants: true,
    });
    expect([status, store.history.last()]).toEqual([400, before]);
    expect(body).toMatchObject({ detail: expect.stringContaining('not whole') });
  });

  test.each([
    ['older', -1, /sciatica here is older .*: upgrade it here/],
    ['newer', 1, /on the other machine is older .*: upgrade it there/],
  ])('a parcel of an %s format, and says which to upgrade', async (_, difference, message) => {
    const { store, other, as } = await practice();
    const before = store.history.last();
    const parcel = changed(await told(other), ([first, ...others]) => [
      { ...first, format: Number(first?.['format']) + difference },
      ...others,
    ]);
    const { status, body } = await as('admin', null)({ parcel, have: null, wants: true });
    expect([status, store.history.last()]).toEqual([400, before]);
    expect(body).toMatchObject({ detail: expect.stringMatching(message) });
  });
});

test('a database of the same identity is refused, and nothing of it taken', async () => {
  const { store, as } = await practice();
  const before = store.history.last();
  const { status, body } = await as('admin', null)({ parcel: await told(store), have: null, wants: true });
  expect([status, store.history.last()]).toEqual([409, before]);
  expect(body).toMatchObject({ detail: expect.stringContaining('sciatica identity new') });
});

test('an exchange that comes twice is done once', async () => {
  const { store, other, as } = await practice();
  other.logs.create({ ...stretch, notes: 'new' });
  const me = as('admin', null);
  const sent = { parcel: await told(other), have: null, wants: true };
  expect((await me(sent)).body).toMatchObject({ received: null });
  const [after, logs] = [store.history.last(), store.logs.count()];
  expect((await me(sent)).body).toMatchObject({
    received: (await other.replication()).collector().end(),
    result: { counts: { log: { created: 0, changed: 0 } } },
  });
  expect([store.history.last(), store.logs.count()]).toEqual([after, logs]);
});

describe("a patient's token", () => {
  test('takes nothing of other users, and tells nothing of them', async () => {
    const { store, other, as } = await practice();
    for (const id of [1, 2]) other.logs.update(id, { notes: `forged ${id}` });
    other.users.update(2, { lastName: 'Forged' });
    other.logs.create({ ...stretch, userId: 2, notes: 'forged for Ole' });
    const before = [store.users.get(2), store.logs.list({ userId: 2 })];
    const { status, body, text } = await as(
      'patient',
      [1],
    )({
      parcel: await told(other),
      have: { seq: 0, uid: 0, rev: 0 },
      wants: true,
    });
    expect([status, store.logs.get(1).notes]).toEqual([200, 'forged 1']);
    expect(store.history.list({ limit: 1 })).toMatchObject([{ source: 'sync', caller: 'Token1' }]);
    expect(body).toMatchObject({ result: { refused: 3 } });
    expect([store.users.get(2), store.logs.list({ userId: 2 })]).toEqual(before);
    for (const word of ['Ole', 'forged for', 'forged 2']) expect(text).not.toContain(word);
  });

  test('leaves room for later deletions and restores: others refuse a record with too many', async () => {
    const { store, other, as } = await practice();
    other.logs.update(1, { notes: 'changed' });
    const parcel = changed(await told(other), (lines) =>
      lines.map((line) => (line['k'] === 'log' ? { ...line, l: 2 ** 52 - 1 } : line)),
    );
    const { body } = await as('patient', [1])({ parcel, have: null, wants: true });
    expect(body).toMatchObject({ result: { refused: expect.any(Number), counts: { log: { changed: 0 } } } });
    store.logs.delete(1);
    store.undo(store.history.nextUndo() ?? 0);
    const replication = await other.replication();
    replication.receive([replication.read(await told(store))]);
    expect([other.logs.get(1).notes, other.logs.count()]).toEqual(['changed', 2]);
  });

  test.each<[string, (other: Store) => unknown]>([
    ['gives a log of its own to another user', (other) => other.logs.update(1, { userId: 2 })],
    ['takes a log of another user', (other) => other.logs.update(2, { userId: 1 })],
    ['deletes a log of another user', (other) => other.logs.delete(2)],
    ['deletes its user', (other) => other.users.delete(1)],
    ['deletes another user', (other) => other.users.delete(2)],
    ['makes a user', (other) => other.users.create({ ...nora, email: 'third@example.org' })],
    ['sets a goal of another user', (other) => other.goals.create({ userId: 2, sessionsPerWeek: 7 })],
    [
      'lets its user be another',
      async (other) => (await other.replication()).mergeUsers(1, 2, Date.UTC(2030, 0)),
    ],
    [
      'lets another user be its own',
      async (other) => (await other.replication()).mergeUsers(2, 1, Date.UTC(2030, 0)),
    ],
    ['erases another user', (other) => other.erase(2)],
  ])('that %s changes nothing of others', async (_, write) => {
    const { store, other, as } = await practice();
    await write(other);
    const before = [store.users.list(), store.goals.list(), store.logs.get(2)];
    const me = as('patient', [1]);
    for (const from of [START, (await other.replication()).collector().end()]) {
      const { status } = await me({ parcel: await told(other, from), have: null, wants: true });
      expect(status).toBe(200);
    }
    expect([store.users.list(), store.goals.list(), store.logs.get(2)]).toEqual(before);
    expect(store.logs.list({ userId: 2 })).toHaveLength(1);
    expect(store.remotes.erasedElsewhere()).toEqual([]);
  });

  test('does not take its user away by saying that the user is not shown there any more', async () => {
    const { store, other, as } = await practice();
    const before = [store.users.list(), store.logs.list()];
    const parcel = changed(await told(other), ([head, ...states]) => [
      head,
      ...states.filter(({ k }) => k === 'user').map(({ k, n, l }) => ({ k, n, l, o: [], x: true })),
    ]);
    expect((await as('patient', [1])({ parcel, have: null, wants: true })).status).toBe(200);
    expect([store.users.list(), store.logs.list()]).toEqual(before);
  });

  test('hears of a log that went to another user only that it is gone', async () => {
    const { store, as } = await practice();
    store.logs.update(1, { userId: 2, notes: 'moved away' });
    const nothing = await told(freshStore());
    const have = { seq: 0, uid: 0, rev: 0 };
    const { text } = await as('patient', [1])({ parcel: nothing, have, wants: true });
    expect(text).toContain('1.1.');
    expect(text).not.toContain('moved away');
  });
});

describe('a position that is none of this database', () => {
  const have = { seq: 3, uid: 42, rev: 0 };

  test.each<[string, Role, number[] | null, boolean]>([
    ['an admin, who may have met it before it was set back', 'admin', null, true],
    ['a patient', 'patient', [1], false],
    ['a provider', 'provider', null, false],
  ])('from %s', async (_, role, users, renews) => {
    const { store, as } = await practice();
    const identity = store.id;
    const { status, text, body } = await as(
      role,
      users,
    )({ parcel: await told(freshStore()), have, wants: true });
    expect([status, store.id !== identity]).toEqual([200, renews]);
    expect(store.remotes.reachOf(1)).toEqual([]);
    // As to somebody who knows nothing.
    expect(text).toContain(stretch.exerciseName);
    const replication = await freshStore().replication();
    expect(replication.header((body as { parcel: string }).parcel).from).toEqual(START);
  });
});

describe('a name that a patient gives beforehand', () => {
  const DATABASE = '00000000-0000-4000-8000-000000000001';
  /** What a patient's own machine sends, with the number 1 for the service and 2 for itself. */
  async function sent(store: Store, lines: object[]): Promise<unknown> {
    const replication = await freshStore().replication();
    const { text } = replication.nothing(replication.collector(), START);
    const databases = { 1: store.id, 2: DATABASE };
    const parcel = changed(text, ([head]) => [{ ...head, database: DATABASE, databases }, ...lines]);
    return { parcel, have: null, wants: true };
  }
  const nameOf = async (store: Store, id: number) => {
    const names = linesOf(await told(store)).map(({ k, n }) => (k === 'user' ? String(n) : ''));
    return names.find((name) => name.split('.')[1] === String(id))?.replace(/^\d+/, '1') ?? '';
  };
  const ownName = (store: Store) => nameOf(store, 1);
  const result = (body: unknown) => (body as { result: { refused: number } }).result;
  const someone = { ...nora, lastName: 'Next' };
  const far = Date.now() * 1000 + 1e9;
  const fields = {
    exerciseType: 'stretch',
    exerciseName: 'x',
    date: '2026-01-01',
    painBefore: 5,
    painAfter: 4,
  };

  test.each([
    'the next user',
    'the next log',
    'the next log, as one that is deleted',
    'a log that was another’s',
  ])('to %s, of whichever change, is refused: whoever is made then belongs to nobody else', async (what) => {
    const { store, as } = await practice();
    const own = await ownName(store);
    const log = (life: number, owners: string[]) => ({
      ...{ k: 'log', n: what.startsWith('a log') ? '2.7.7' : '1.3.0', l: life, o: owners, c: [1000, 5, 2] },
      f: { ...fields, userId: own, effective: 1, notes: '', medication: null },
      s: { userId: [far, 5, 2] },
    });
    const line = {
      'the next user': { k: 'user', n: '1.3.0', l: 1, o: [], f: { into: own }, s: { into: [far, 5, 2] } },
      'the next log': log(1, [own]),
      'the next log, as one that is deleted': log(2, [own]),
      'a log that was another’s': log(1, [own, '1.2.0'].toSorted()),
    }[what];
    const before = store.history.last();
    const { status, body } = await as('patient', [1])(await sent(store, [line ?? {}]));
    // The user 2 is known with a uid: a name without one is that user's, and none of one's own.
    expect([status, result(body).refused, store.history.last()]).toEqual([200, 1, before]);
    const made = store.users.create({ ...someone, email: 'next@example.org' });
    const { id } = store.logs.create({ ...stretch, userId: made.id, notes: 'of the next' });
    await as('patient', [1])(await sent(store, [log(1, [own])]));
    expect(store.logs.get(id)).toMatchObject({ userId: made.id, notes: 'of the next' });
  });

  test('is taken where it is of a database that a patient has named first: it may be older than the history', async () => {
    const { store, as } = await practice();
    const own = await ownName(store);
    const line = {
      ...{ k: 'log', n: '2.7.0', l: 1, o: [own], c: [1000, 5, 2] },
      f: { ...fields, userId: own, effective: 1, notes: 'old', medication: null },
    };
    const { body } = await as('patient', [1])(await sent(store, [line]));
    expect([result(body).refused, store.logs.count({ userId: 1 })]).toEqual([0, 2]);
    // With the next token too; not with another's.
    const more = { ...line, n: '2.8.0' };
    const other = await nameOf(store, 2);
    const theirs = { ...more, o: [other], f: { ...more.f, userId: other } };
    expect(result((await as('patient', [2])(await sent(store, [theirs]))).body).refused).toBe(1);
    expect(result((await as('patient', [1])(await sent(store, [more]))).body).refused).toBe(0);
  });

  test('is refused where it is of a database that a provider has named first, whose records it could be given', async () => {
    const { store, as } = await practice();
    const own = await ownName(store);
    await as('provider', [1])(await sent(store, []));
    const line = {
      ...{ k: 'log', n: '2.7.0', l: 1, o: [own], c: [1000, 5, 2] },
      f: { ...fields, userId: own, effective: 1, notes: '', medication: null },
    };
    expect(result((await as('patient', [1])(await sent(store, [line]))).body).refused).toBe(1);
  });

  test('tells nobody who was erased', async () => {
    const { store, as } = await practice();
    store.erase(2);
    const refused = async (id: number) => {
      const line = { k: 'user', n: `1.${id}.0`, l: 2, o: [] };
      return result((await as('patient', [1])(await sent(store, [line]))).body).refused;
    };
    expect([await refused(2), await refused(3)]).toEqual([1, 1]);
  });

  test('is one of at most 100 that are merged into the own one, and has at most 100 owners', async () => {
    const { store, as } = await practice();
    const own = await ownName(store);
    const chain = Array.from({ length: 150 }, (_, i) => ({
      ...{ k: 'user', n: `2.${i + 1}.1`, l: 1, o: [] },
      ...{ f: { into: i === 0 ? own : `2.${i}.1` }, s: { into: [1000 + i, 5, 2] } },
    }));
    const owners = Array.from({ length: 101 }, (_, i) => `2.${i + 1}.1`);
    const log = {
      ...{ k: 'log', n: '2.7.7', l: 1, o: owners, c: [1000, 5, 2] },
      f: { ...fields, userId: own, effective: 1, notes: '', medication: null },
    };
    const { body } = await as('patient', [1])(await sent(store, [...chain, log]));
    expect(result(body).refused).toBe(51);
  });
});

describe('the databases that an exchange names', () => {
  test('are, to a patient, those of the own records only', async () => {
    const { store, as } = await practice();
    const third = freshStore();
    third.users.create({ ...nora, email: 'third@example.org' });
    await as('admin', null)({ parcel: await told(third), have: null, wants: false });
    // All but what came from elsewhere is known.
    const have = { ...(await store.replication()).collector().end(), rev: 0 };
    const asked = { parcel: await told(freshStore()), have, wants: true };
    const names = async (role: Role, users: number[] | null) =>
      JSON.stringify((await as(role, users)(asked)).body).includes(third.id);
    expect([store.users.count(), await names('admin', null), await names('patient', [1])]).toEqual([
      3,
      true,
      false,
    ]);
  });

  test.each<[Role, number[] | null]>([
    ['patient', [1]],
    ['provider', null],
  ])('cannot be more than 100 with the token of a %s', async (role, users) => {
    const { store, as } = await practice();
    const [me, all] = [as(role, users), as('admin', null)];
    const known = () => dbOf(store).value('SELECT count(*) FROM origins');
    const replication = await freshStore().replication();
    const { text } = replication.nothing(replication.collector(), START);
    const from = (i: number) => {
      const uuid = `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`;
      return changed(text, ([header]) => [{ ...header, database: uuid }]);
    };
    const before = Number(known());
    for (let i = 0; i < 100; i++)
      expect((await me({ parcel: from(i), have: null, wants: false })).status).toBe(200);
    const { status, body } = await me({ parcel: from(100), have: null, wants: false });
    expect([status, body]).toMatchObject([400, { detail: expect.stringContaining('100 databases') }]);
    expect(known()).toBe(before + 100);
    // Another may go on, and so may what is known.
    expect((await all({ parcel: from(101), have: null, wants: false })).status).toBe(200);
    expect((await me({ parcel: from(5), have: null, wants: false })).status).toBe(200);
  });
});

describe('what an undo reaches', () => {
  test('is a token for the users whose records are in the change', async () => {
    const { store, as } = await practice();
    const have = (await store.replication()).collector().end();
    const parcel = await told(freshStore());
    const [first, second] = store.logs.list();
    store.logs.update(first?.id ?? 0, { notes: 'of 1' });
    const ofFirst = store.latestChange ?? 0;
    store.logs.update(second?.id ?? 0, { notes: 'of 2' });
    const ofSecond = store.latestChange ?? 0;
    const me = as('patient', [1]);
    await me({ parcel, have, wants: true });
    expect(store.remotes.reachOf(ofFirst)).toEqual([]);
    await me({ parcel, have: (await store.replication()).collector([1]).end(), wants: true });
    const reached = store.remotes.reachOf(ofFirst);
    expect([reached.length, store.remotes.reachOf(ofSecond)]).toEqual([1, []]);
  });
});

/** What is told of a database that has nothing to say but who was erased there. */
async function nothingOf(other: Store): Promise<string> {
  const replication = await other.replication();
  return replication.nothing(replication.collector(), START).text;
}

describe('what waits here and was erased elsewhere', () => {
  test.each<[Role, users: number[] | null, held: number, erased: number]>([
    ['admin', null, 1, 1],
    ['patient', [1], 0, 0],
    ['patient', [2], 1, 0],
  ])('is counted for the token of a %s for %j: %i and %i', async (role, users, held, erased) => {
    const { other, as } = await practice();
    const have = START;
    other.users.delete(2);
    await as('admin', null)({ parcel: await told(other), have, wants: false });
    other.erase(1);
    await as('admin', null)({ parcel: await nothingOf(other), have, wants: false });
    const { body } = await as(role, users)({ parcel: await nothingOf(freshStore()), have, wants: false });
    expect(body).toMatchObject({ result: { held, erased } });
  });

  test('is in no write-ahead log afterwards', async () => {
    const { store, other, as } = await practice();
    const logged = () => statSync(`${store.path}-wal`).size;
    const send = async () => as('admin', null)({ parcel: await nothingOf(other), have: START, wants: false });
    await send();
    expect(logged()).toBeGreaterThan(0);
    other.erase(2);
    await send();
    expect(logged()).toBe(0);
  });
});

describe("a provider's token", () => {
  test('only reads', async () => {
    const { store, other, as } = await practice();
    other.logs.update(1, { notes: 'changed' });
    const kept = () => [store.history.last(), dbOf(store).value('SELECT count(*) FROM origins')];
    const before = kept();
    const me = as('provider', null);
    const stranger = freshStore();
    stranger.users.create(nora);
    for (const parcel of [await told(other), await told(stranger)])
      expect((await me({ parcel, have: null, wants: true })).status).toBe(403);
    expect(kept()).toEqual(before);
    const { body } = await me({ parcel: await told(other), have: null, wants: true });
    expect(body).toMatchObject({ detail: expect.stringContaining('only reads') });
    const have = { seq: 0, uid: 0, rev: 0 };
    const read = await me({ parcel: await told(freshStore()), have, wants: true });
    expect([read.status, read.text.includes('of Ole')]).toEqual([200, true]);
  });

  test('keeps of the databases that it names its own only', async () => {
    const { store, as } = await practice();
    const replication = await freshStore().replication();
    const { text } = replication.nothing(replication.collector(), START);
    const named = Object.fromEntries(
      Array.from({ length: 50 }, (_, i) => [i + 2, `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`]),
    );
    const parcel = changed(text, ([head]) => [
      {
        ...head,
        databases: { ...(head?.['databases'] as object), ...named },
        view: Object.keys(named).map((n) => `${n}.1.1`),
      },
    ]);
    const known = () => Number(dbOf(store).value('SELECT count(*) FROM origins'));
    const before = known();
    expect((await as('provider', null)({ parcel, have: null, wants: false })).status).toBe(200);
    expect(known()).toBe(before + 1);
  });

  test('says nobody is erased', async () => {
    const { store, other, as } = await practice();
    other.erase(2);
    const parcel = await nothingOf(other);
    expect((await as('provider', null)({ parcel, have: null, wants: true })).status).toBe(200);
    expect(store.remotes.erasedElsewhere()).toEqual([]);
    await as('admin', null)({ parcel, have: null, wants: true });
    expect(store.remotes.erasedElsewhere()).toEqual([{ record: 'user', id: 2 }]);
  });
});
