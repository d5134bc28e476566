import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { EMPTY, Full, type Notebook } from '../../src/companion/notebook.ts';
import type { Offline } from '../../src/companion/offline.ts';
import type { Entry } from '../../src/companion/words.ts';

/** How the page pairs and reaches the service, without a browser: what is kept is in memory, and the service says what the test says. */

interface PhoneOfPage {
  readonly offline: Offline;
  readonly drafts: Set<() => Promise<void>>;
  connection: unknown;
  me: unknown;
  fault: string | undefined;
  deleted: Entry[];
  lost: number | undefined;
  isClockOff: boolean;
  sync(): Promise<void>;
  note<T>(work: (offline: Offline) => Promise<T>): Promise<T | undefined>;
  remove(one: Entry): Promise<Entry | undefined>;
  pair(code: string): Promise<void>;
  choose(person: number): Promise<void>;
  forget(): Promise<boolean>;
}

// By its name in a variable: the compiler of the tests knows no types of a browser.
const file = '../../src/companion/phone.ts';
const { Phone } = (await import(file)) as { Phone: new (shelf: object, told: () => void) => PhoneOfPage };

const NOW = Date.UTC(2026, 2, 2, 12);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

beforeEach(() => void vi.useFakeTimers({ now: NOW, toFake: ['setTimeout', 'clearTimeout', 'Date'] }));
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const me = (given: object = {}, date: number | undefined = NOW) =>
  Response.json(
    { authentication: true, createdAt: null, expiresAt: null, ...given },
    { headers: date ? { Date: new Date(date).toUTCString() } : {} },
  );
const refusal = (status: number, kind: string) =>
  Response.json({ type: `/docs#problem-${kind}`, title: 'x', status, detail: 'It says no.' }, { status });
const lost = () => {
  throw new TypeError('fetch failed');
};

type Answer = (path: string, init: RequestInit) => Response | Promise<Response>;

/** @param answer of the service; of `GET /me` unless the test says more */
function phoneWith(kept: Partial<Notebook> = {}, answer: Answer = () => me(), userAgent = '') {
  const shelf = {
    isLasting: true,
    now: { ...EMPTY, ...kept } as Notebook,
    read: async () => shelf.now,
    update: async (work: (now: Notebook) => Notebook) => {
      shelf.now = work(shelf.now);
      changed();
      return shelf.now;
    },
    watch: () => {},
  };
  const asked: string[] = [];
  const keys: unknown[] = [];
  const bodies: unknown[] = [];
  vi.stubGlobal('navigator', { userAgent });
  vi.stubGlobal('location', { origin: 'http://pc:3000' });
  vi.stubGlobal('fetch', async ({ pathname }: URL, init: RequestInit) => {
    asked.push(`${init.method ?? 'GET'} ${pathname}`);
    keys.push((init.headers as Record<string, string>)['Idempotency-Key']);
    if (init.body) bodies.push(JSON.parse(String(init.body)));
    return answer(pathname, init);
  });
  const told = vi.fn();
  const changed = vi.fn();
  const phone = new Phone(shelf, told);
  const sync = vi.spyOn(phone.offline, 'sync').mockResolvedValue();
  // A stream that stays open.
  const follow = vi.spyOn(phone.offline, 'follow').mockReturnValue(new Promise(() => {}));
  return { phone, shelf, asked, keys, bodies, told, changed, sync, follow };
}

const stored = (name: string) => () => Promise.reject(new DOMException('', name));

test.each<[string, Answer, unknown]>([
  ['answers', () => me(), 'ok'],
  ['is on no network', lost, 'unreachable'],
  ['is too slow', stored('TimeoutError'), 'unreachable'],
  ['refuses', () => refusal(403, 'forbidden'), { refused: 'It says no.' }],
  [
    'is a proxy that asks for a password',
    () => new Response('', { status: 401, statusText: 'No' }),
    { refused: 'No' },
  ],
  ['has taken the token back', () => refusal(401, 'token-revoked'), 'ok'],
  [
    'answers what has no place here',
    stored('QuotaExceededError'),
    { refused: 'This phone has no room left: make some.' },
  ],
  [
    'answers, and the store fails',
    stored('UnknownError'),
    { refused: 'This browser could not store it: open the page anew.' },
  ],
])('the connection to a service that %s', async (_, answer, connection) => {
  const { phone, told } = phoneWith({ token: 't' }, answer);
  expect(phone.connection).toBe('trying');
  await phone.sync();
  expect(phone.connection).toEqual(connection);
  expect(told).toHaveBeenCalled();
});

test.each([
  [undefined, ['GET /me'], undefined],
  ['no-token', ['GET /me'], undefined],
  ['token-expired', [], 'token-expired'],
])('after the end of its token (%s) the phone asks %j', async (ended, expected, after) => {
  const { phone, shelf, asked, sync } = phoneWith(ended ? { ended } : {});
  await phone.sync();
  expect([asked, shelf.now.ended]).toEqual([expected, after]);
  expect(sync).toHaveBeenCalledTimes(expected.length);
});

test('a token that is refused ends, but not one that came meanwhile', async () => {
  const { phone, shelf } = phoneWith({ token: 't' }, () => {
    shelf.now = { ...shelf.now, token: 'u' };
    return refusal(401, 'token-revoked');
  });
  await phone.sync();
  expect(shelf.now).toEqual({ ...EMPTY, token: 'u' });
});

test('it tries again after 2 s, after twice as long each time, after a minute at most, and soon once something happens', async () => {
  const { phone } = phoneWith({}, lost);
  const pauses: number[] = [];
  const next = async () => {
    const before = Date.now();
    await vi.advanceTimersToNextTimerAsync();
    pauses.push((Date.now() - before) / 1000);
  };
  await phone.sync();
  for (let i = 0; i < 7; i++) await next();
  await phone.sync();
  await next();
  expect(pauses).toEqual([2, 4, 8, 16, 32, 60, 60, 2]);
  expect(vi.getTimerCount()).toBe(1);
});

test.each([
  ['patient', 1],
  ['provider', 0],
])('changes to what a %s sees are followed by %i streams, however often it syncs', async (role, streams) => {
  const { phone, follow } = phoneWith({ token: 't', role });
  for (let i = 0; i < 2; i++) {
    await phone.sync();
    await vi.advanceTimersByTimeAsync(0);
  }
  expect(follow).toHaveBeenCalledTimes(streams);
});

test('a stream that ends is opened again after a pause', async () => {
  const { phone, follow } = phoneWith({ token: 't', role: 'patient' });
  follow.mockRejectedValueOnce(new TypeError('fetch failed'));
  await phone.sync();
  await vi.advanceTimersByTimeAsync(0);
  expect(follow).toHaveBeenCalledTimes(1);
  await vi.advanceTimersToNextTimerAsync();
  expect(follow).toHaveBeenCalledTimes(2);
});

test('once the service is reached, no other try waits', async () => {
  let isLost = true;
  const { phone } = phoneWith({}, () => (isLost ? lost() : me()));
  await phone.sync();
  expect(vi.getTimerCount()).toBe(1);
  isLost = false;
  await phone.sync();
  expect(vi.getTimerCount()).toBe(0);
});

test.each([
  ['59 minutes behind', NOW - 59 * 60_000, false],
  ['61 minutes behind', NOW - 61 * 60_000, true],
  ['61 minutes ahead', NOW + 61 * 60_000, true],
  ['not said', undefined, false],
])('a service whose clock is %s', async (_, date, isOff) => {
  const { phone } = phoneWith({}, () => me({}, date ?? 0));
  await phone.sync();
  expect(phone.isClockOff).toBe(isOff);
});

const at = (days: number) => new Date(NOW + days * DAY_MS).toISOString();
const life = { createdAt: at(-76), expiresAt: at(24) };

test.each<[string, object, after: string]>([
  ['in its last quarter', life, 'new'],
  ['at three quarters', { createdAt: at(-75), expiresAt: at(25) }, 't'],
  ['that never ends', { createdAt: at(-76) }, 't'],
  ['that is not asked for any more', { ...life, authentication: false }, 't'],
])('a token %s', async (_, given, after) => {
  const { phone, shelf } = phoneWith({ token: 't' }, (path) =>
    path === '/me' ? me(given) : Response.json({ token: 'new' }),
  );
  await phone.sync();
  expect(shelf.now).toEqual({ ...EMPTY, token: after });
});

test.each([
  ['before it is renewed', '/me', ['GET /me']],
  ['while it is renewed', '/me/token', ['GET /me', 'POST /me/token']],
])('a token that another tab has replaced %s stays', async (_, when, expected) => {
  const { phone, shelf, asked } = phoneWith({ token: 't' }, (path) => {
    if (path === when) shelf.now = { ...shelf.now, token: 'of another tab' };
    return path === '/me' ? me(life) : Response.json({ token: 'new' });
  });
  await phone.sync();
  expect([asked, shelf.now.token]).toEqual([expected, 'of another tab']);
});

test('a renewal whose answer is lost is asked for again by its key, and the next one by another', async () => {
  let isLost = true;
  const { phone, keys, shelf } = phoneWith({ token: 't' }, (path) =>
    path === '/me' ? me(life) : isLost ? lost() : Response.json({ token: 'new' }),
  );
  await phone.sync();
  isLost = false;
  await phone.sync();
  await phone.sync();
  const [first, again, other] = keys.filter((key) => key !== undefined);
  expect(again).toBe(first);
  expect(other).not.toBe(first);
  expect(shelf.now.tokenKey).toBeUndefined();
});

test('a code whose answer is lost is exchanged again by its key, another one by its own, and what was before is over', async () => {
  let isLost = true;
  const before = { ended: 'token-expired', person: 3, role: 'provider', made: 1 };
  const { phone, shelf, keys } = phoneWith(before, (path) =>
    path === '/me' ? me() : isLost ? lost() : Response.json({ token: 'new' }),
  );
  await expect(phone.pair('code')).rejects.toThrow('fetch failed');
  await expect(phone.pair('code')).rejects.toThrow('fetch failed');
  isLost = false;
  await phone.pair('cod');
  expect(keys[1]).toBe(keys[0]);
  expect(keys[2]).not.toBe(keys[0]);
  expect(shelf.now).toEqual({ ...EMPTY, made: 1, token: 'new', url: 'http://pc:3000' });
});

test.each([
  ['Mozilla/5.0 (Linux; Android 14; Pixel 9) AppleWebKit/537.36', 'Android'],
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)', 'iPhone'],
  ['Mozilla/5.0 (X11; Linux x86_64)', 'Linux'],
  ['Lynx', 'phone'],
])('the name of %s is %s', async (userAgent, name) => {
  const answer = (path: string) => (path === '/me' ? me() : Response.json({ token: 'new' }));
  const { phone, bodies } = phoneWith({}, answer, userAgent);
  await phone.pair('code');
  expect(bodies).toEqual([{ code: 'code', name }]);
});

test.each<[string, Partial<Notebook>, () => Response, isTold: boolean]>([
  ['that has no token', {}, lost, true],
  ['whose service hears it', { token: 't' }, () => new Response('{}'), true],
  ['whose token is over', { token: 't' }, () => refusal(401, 'token-expired'), true],
  ['whose service is away', { token: 't' }, lost, false],
  ['whose service cannot now', { token: 't' }, () => refusal(503, 'busy'), false],
])('a phone %s forgets everything', async (_, kept, answer, isTold) => {
  const { phone, shelf, asked, changed } = phoneWith({ ...kept, made: 2 }, (path) =>
    path === '/me' ? lost() : answer(),
  );
  Object.assign(phone, { lost: 2, me: {} });
  // What is drawn by then says nothing of it any more.
  changed.mockImplementationOnce(() => expect([phone.lost, phone.me]).toEqual([undefined, undefined]));
  expect(await phone.forget()).toBe(isTold);
  expect([shelf.now, phone.lost, phone.me]).toEqual([EMPTY, undefined, undefined]);
  expect(asked).toEqual([...('token' in kept ? ['DELETE /me/token'] : []), 'GET /me']);
});

test('what waits is of whoever is chosen, and what was read is not', async () => {
  const { phone, shelf } = phoneWith({
    person: 1,
    since: 3,
    made: 1,
    ended: 'no-token',
    records: { log: {} },
  });
  await phone.choose(2);
  expect(shelf.now).toEqual({ ...EMPTY, made: 1, person: 2, url: 'http://pc:3000' });
});

test.each<[string, Error, fault: string]>([
  [
    'there is no room',
    new DOMException('', 'QuotaExceededError'),
    'This phone has no room left: make some. Try again.',
  ],
  [
    'the store fails',
    new DOMException('', 'UnknownError'),
    'This browser could not store it: open the page anew. Try again.',
  ],
  ['too much waits', new Full(), new Full().message],
])('why a note was not saved is said until the next one is: %s', async (_, error, fault) => {
  const { phone, sync, told } = phoneWith();
  expect(await phone.note(() => Promise.reject(error))).toBeUndefined();
  expect(phone.fault).toBe(`Not saved. ${fault}`);
  expect(told).toHaveBeenCalled();
  expect(await phone.note(async () => 'done')).toBe('done');
  expect(phone.fault).toBeUndefined();
  await vi.waitFor(() => expect(sync).toHaveBeenCalled());
});

test('what is deleted is saved before as it was typed, and offered again once, the last first', async () => {
  const { phone } = phoneWith();
  const steps: unknown[] = [];
  phone.drafts.add(async () => void steps.push('saved'));
  const entry = (id: number, given: object = { exerciseName: 'a' }) => ({ id, userId: 1, ...given }) as Entry;
  const change = vi.spyOn(phone.offline, 'change').mockImplementation(async (kind, _path, id) => {
    steps.push(`${kind} ${id}`);
    return kind === 'log' ? entry(id) : entry(id, { pain: 4 });
  });
  for (const one of [entry(1), entry(1, { pain: 4 }), entry(2), entry(1)]) await phone.remove(one);
  expect(steps.slice(0, 4)).toEqual(['saved', 'log 1', 'saved', 'painEntry 1']);
  expect(phone.deleted).toEqual([entry(1), entry(2), entry(1, { pain: 4 })]);
  change.mockResolvedValue(undefined as never);
  await phone.remove(entry(3));
  expect(phone.deleted).toHaveLength(3);
});
