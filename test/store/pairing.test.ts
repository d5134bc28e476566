import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CODE_LIFETIME_MS, CODE_TRIES } from '../../src/domain/pairing.ts';
import { backup } from '../../src/store/maintenance/backup.ts';
import { prepareRestore } from '../../src/store/maintenance/restore.ts';
import type { Exchange } from '../../src/store/records/pairing.ts';
import { newDatabase } from '../new-database.ts';
import { freshPath, freshStore, openStore, user } from './helpers.ts';

const DAY_MS = 86_400_000;

/** A store with two users and a clock that the test moves. */
function world() {
  const clock = { now: Date.UTC(2026, 2, 2) };
  const store = freshStore(newDatabase(), () => clock.now);
  store.users.create(user());
  store.users.create(user({ firstName: 'Ole' }));
  const { pairing } = store.tokens;
  return { clock, store, pairing };
}

const tokenOf = (given: Exchange) => (typeof given === 'string' ? undefined : given.token);

test('a code has 128 random bits, and only its hash is stored', () => {
  const { store, pairing } = world();
  const codes = [pairing.open(1, DAY_MS).code, pairing.open(1, DAY_MS).code];
  expect(new Set(codes).size).toBe(2);
  for (const code of codes) expect(Buffer.from(code, 'base64url')).toHaveLength(16);
  store.checkpoint();
  const bytes = readFileSync(store.path, 'latin1');
  for (const code of codes) expect(bytes).not.toContain(code);
});

test('it is exchanged once, for a token of the user that ends as was said', () => {
  const { clock, store, pairing } = world();
  const { code } = pairing.open(2, 90 * DAY_MS);
  expect([pairing.isOpen, pairing.outcome(code)]).toEqual([true, 'open']);
  clock.now += 1000;
  const token = tokenOf(pairing.exchange(code, 'Pixel 9'));
  expect(token).toMatchObject({ name: 'Pixel 9', role: 'patient', users: [2], revokedAt: null });
  expect(token?.expiresAt).toBe(clock.now + 90 * DAY_MS);
  expect(store.tokens.find(token?.token ?? '')).toMatchObject({ id: token?.id });
  expect(pairing.outcome(code)).toMatchObject({ id: token?.id, name: 'Pixel 9' });
  expect([pairing.isOpen, pairing.exchange(code), pairing.close(code)]).toEqual([false, 'closed', false]);
  expect(pairing.outcome(code)).toMatchObject({ id: token?.id });
  expect(store.tokens.list()).toHaveLength(1);
});

test('it ends after ten minutes', () => {
  const { clock, pairing } = world();
  const { code, expiresAt } = pairing.open(1, DAY_MS);
  expect(expiresAt - clock.now).toBe(CODE_LIFETIME_MS);
  expect(CODE_LIFETIME_MS).toBe(600_000);
  clock.now += CODE_LIFETIME_MS - 1;
  expect(pairing.isOpen).toBe(true);
  clock.now += 1;
  expect([pairing.isOpen, pairing.outcome(code), pairing.exchange(code)]).toEqual([
    false,
    'expired',
    'closed',
  ]);
});

test('the phone that has lost the answer gets it again, until another code is used or it would have ended', () => {
  const { clock, pairing } = world();
  const { code } = pairing.open(1, DAY_MS);
  const token = tokenOf(pairing.exchange(code, 'phone', 'key'))?.token;
  expect(tokenOf(pairing.exchange(code, 'phone', 'key'))?.token).toBe(token);
  clock.now += CODE_LIFETIME_MS - 1;
  expect([pairing.isAnswered, tokenOf(pairing.exchange(code, 'phone', 'key'))?.token]).toEqual([true, token]);
  clock.now += 1;
  expect([pairing.isAnswered, pairing.exchange(code, 'phone', 'key')]).toEqual([false, 'closed']);
  pairing.exchange(pairing.open(2, DAY_MS).code, 'other', 'another key');
  expect(pairing.exchange(code, 'phone', 'key')).toBe('closed');
});

test('five wrong codes close it, and four do not', () => {
  const { pairing } = world();
  const { code } = pairing.open(1, DAY_MS);
  for (let i = 1; i < CODE_TRIES; i++) expect(pairing.exchange(`wrong ${i}`)).toBe('wrong');
  expect(pairing.outcome(code)).toBe('open');
  expect(pairing.exchange('the fifth')).toBe('wrong');
  expect(CODE_TRIES).toBe(5);
  expect([pairing.outcome(code), pairing.exchange(code)]).toEqual(['tries', 'closed']);
  const again = pairing.open(1, DAY_MS);
  expect(tokenOf(pairing.exchange(again.code))?.users).toEqual([1]);
});

test('a wrong code is counted for all processes', () => {
  const { store, pairing } = world();
  const other = freshStore(store.path, () => Date.UTC(2026, 2, 2)).tokens.pairing;
  const { code } = pairing.open(1, DAY_MS);
  for (let i = 0; i < CODE_TRIES; i++) (i % 2 ? pairing : other).exchange('wrong');
  expect([pairing.exchange(code), other.exchange(code)]).toEqual(['closed', 'closed']);
});

test('another code takes its place, and closing closes only what is meant', () => {
  const { pairing } = world();
  const [first, second] = [pairing.open(1, DAY_MS), pairing.open(2, DAY_MS)];
  expect(pairing.outcome(first.code)).toBe('gone');
  expect(pairing.exchange(first.code)).toBe('wrong');
  expect(pairing.close(first.code)).toBe(false);
  expect(pairing.outcome(second.code)).toBe('open');
  expect([pairing.close(second.code), pairing.close(second.code)]).toEqual([true, false]);
  expect([pairing.outcome(second.code), pairing.isOpen]).toEqual(['gone', false]);
});

test.each([
  [undefined, ['phone', 'phone-2', 'phone-3']],
  ['Pixel 9', ['Pixel 9', 'Pixel 9-2', 'Pixel 9-3']],
  ['a'.repeat(100), ['a'.repeat(100), `${'a'.repeat(98)}-2`, `${'a'.repeat(98)}-3`]],
])('a name that is taken gets a number: %s', (name, names) => {
  const { store, pairing } = world();
  for (const _ of names) {
    const token = tokenOf(pairing.exchange(pairing.open(1, DAY_MS).code, name));
    store.tokens.revoke(String(token?.id));
  }
  expect(store.tokens.list().map((token) => token.name)).toEqual(names);
});

test.each(['deleted', 'erased'])('the code of a user who is %s opens nothing', (how) => {
  const { store, pairing } = world();
  const { code } = pairing.open(2, DAY_MS);
  if (how === 'erased') store.erase(2);
  else store.users.delete(2);
  expect([pairing.isOpen, pairing.exchange(code), pairing.outcome(code)]).toEqual([false, 'closed', 'gone']);
  expect(store.tokens.list()).toEqual([]);
  // Erasing leaves nothing behind; deleting can be undone.
  expect(store.settings.get('pairingCode') === undefined).toBe(how === 'erased');
});

test('erasing somebody else leaves it open', () => {
  const { store, pairing } = world();
  const { code } = pairing.open(2, DAY_MS);
  store.erase(1);
  expect(pairing.outcome(code)).toBe('open');
});

test('a restored backup opens no code, and knows no service', async () => {
  const path = freshPath();
  const store = openStore(path);
  store.users.create(user());
  const { pairing } = store.tokens;
  const { code } = pairing.open(1, DAY_MS);
  pairing.announce({ host: '::', port: 3000, pin: 'sha256-x' });
  const copy = `${path}.copy`;
  backup(path, copy);
  expect(tokenOf(pairing.exchange(code))).toBeDefined();
  store.close();
  const restoration = prepareRestore(copy, path);
  restoration.apply('kept');
  restoration.close();
  const after = freshStore(path);
  expect(after.users.count()).toBe(1);
  expect(after.tokens.pairing.exchange(code)).toBe('closed');
  expect(after.tokens.pairing.service).toBeUndefined();
});

test('what a service announced stays until it takes it back itself', () => {
  const { pairing } = world();
  const [first, second] = [
    { host: '::', port: 3000, pin: 'sha256-a' },
    { host: '::', port: 3001, pin: 'sha256-a' },
  ];
  pairing.announce(first);
  pairing.announce(second);
  pairing.withdraw(first);
  expect(pairing.service).toEqual(second);
  pairing.withdraw(second);
  expect(pairing.service).toBeUndefined();
});
