import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SciaticaError } from '../../src/domain/errors.ts';
import { stateOf } from '../../src/domain/token.ts';
import { Tokens } from '../../src/store/records/tokens.ts';
import { dbOf, failure, filledStore, freshStore } from './helpers.ts';

const phone = { name: 'phone', role: 'patient', users: [1], lifetime: null } as const;

test('a token has 256 random bits, and only its hash is stored', () => {
  const store = filledStore(2);
  const secrets = ['a', 'b'].map((name) => store.tokens.create({ ...phone, name }).token);
  expect(new Set(secrets).size).toBe(2);
  for (const secret of secrets) expect(secret).toMatch(/^sciatica_[\w-]{43}$/);
  store.checkpoint();
  const bytes = readFileSync(store.path, 'latin1');
  for (const secret of secrets) expect(bytes).not.toContain(secret.slice(9));
  expect(store.tokens.find(secrets[1] ?? '')).toMatchObject({ name: 'b', role: 'patient', users: [1] });
  expect(store.tokens.find('sciatica_x')).toBeUndefined();
});

test('a token is valid until it expires or is taken back', () => {
  const db = dbOf(filledStore(2));
  let now = 1_000_000;
  const tokens = new Tokens(db, () => now);
  const { token } = tokens.create({ ...phone, lifetime: 1000 });
  const state = () => stateOf(tokens.find(token) ?? { revokedAt: 0, expiresAt: 0 }, now);
  expect(state()).toBe('valid');
  now += 1000;
  expect(state()).toBe('expired');
  tokens.revoke('1');
  expect(state()).toBe('revoked');
  const { revokedAt } = tokens.get(1);
  now += 1000;
  expect(tokens.revoke('phone').revokedAt).toBe(revokedAt);
});

test('what another process changes counts at once', async () => {
  const store = filledStore(2);
  const other = freshStore(store.path);
  const { token } = store.tokens.create(phone);
  expect(store.tokens.find(token)?.revokedAt).toBeNull();
  other.tokens.revoke('phone');
  await expect.poll(() => store.tokens.find(token)?.revokedAt).toBeGreaterThan(0);
});

test('what is taken back with its transaction was never there', () => {
  const store = filledStore(2);
  const { token } = store.tokens.create(phone);
  const failed = () =>
    store.change(() => {
      const { token: other } = store.tokens.create({ ...phone, name: 'other' });
      store.tokens.revoke('phone');
      found = [token, other].map((secret) => store.tokens.find(secret)?.revokedAt);
      secrets = [token, other];
      throw new SciaticaError('full', 'full');
    });
  let [found, secrets] = [[] as unknown[], [] as string[]];
  failure(failed);
  expect(found).toEqual([expect.any(Number), null]);
  expect(secrets.map((secret) => store.tokens.find(secret)?.revokedAt)).toEqual([null, undefined]);
});

test('a name is never given twice', () => {
  const { tokens } = filledStore(2);
  tokens.create(phone);
  tokens.revoke('phone');
  expect(failure(() => tokens.create(phone)).code).toBe('conflict');
});

test.each([
  [{ name: '3' }, 'NAME'],
  [{ name: 'a\nb' }, 'NAME'],
  [{ name: 'a'.repeat(101) }, 'NAME'],
  [{ users: null }, '--user'],
  [{ users: [1, 2] }, '--user'],
  [{ users: [9] }, '--user'],
  [{ role: 'admin' as const, users: [1] }, '--user'],
  [{ role: 'admin' as const, users: [1, 2] }, '--user'],
])('%j is refused', (fields, field) => {
  const { tokens } = filledStore(2);
  expect(failure(() => tokens.create({ ...phone, ...fields })).issues).toMatchObject([{ field }]);
  expect(tokens.list()).toEqual([]);
});

test('who is erased leaves no token behind that is for nobody else', () => {
  const store = filledStore(2);
  store.tokens.create(phone);
  store.tokens.create({ name: 'clinic', role: 'provider', users: [1, 2], lifetime: null });
  store.tokens.create({ name: 'boss', role: 'admin', users: null, lifetime: null });
  const names = () => store.tokens.list().map(({ name }) => name);
  store.erase(1);
  expect(names()).toEqual(['clinic', 'boss']);
  store.erase(2);
  expect(names()).toEqual(['boss']);
});

test('whose token was for somebody who is erased is told so, also with a secret that was never used', () => {
  const store = filledStore(2);
  const { tokens, settings } = store;
  const secrets = [1, 2].map((id) => tokens.create({ ...phone, name: `phone ${id}`, users: [id] }).token);
  secrets.push(tokens.renew(secrets[0] ?? '', 'key').token);
  for (const id of [1, 2]) store.erase(id);
  expect(secrets.map((secret) => tokens.wasForErased(secret))).toEqual([true, true, true]);
  expect(settings.get('renewals')).toBe('[]');
});

test('a token that is renewed has one other secret at a time, which takes its place when it is used', () => {
  let now = 1_000_000;
  const tokens = new Tokens(dbOf(filledStore(2)), () => now);
  const { token } = tokens.create({ ...phone, lifetime: 1000 });
  now += 100;
  const first = tokens.renew(token, 'key');
  now += 100;
  expect(tokens.renew(token, 'key')).toEqual(first);
  const late = tokens.find(first.token)?.renewed;
  const second = tokens.renew(token, 'another key');
  const ends = () => [token, first.token, second.token].map((secret) => tokens.find(secret)?.expiresAt);
  tokens.touch(1, late);
  expect(ends()).toEqual([1_001_000, undefined, 1_001_200]);
  tokens.touch(1, tokens.find(second.token)?.renewed);
  expect(ends()).toEqual([undefined, undefined, 1_001_200]);
});
