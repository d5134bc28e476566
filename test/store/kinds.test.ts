// First: what follows is made from the kinds.
import './appointments.ts';

import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { dictionary } from '../../src/cli/commands/fields.ts';
import { commandLine } from '../../src/cli/terminal/io.ts';
import type { Context } from '../../src/context.ts';
import { may } from '../../src/domain/access.ts';
import { type AnyRecord, kinds } from '../../src/domain/kinds.ts';
import { csvOf } from '../../src/exchange/csv.ts';
import { readRecords } from '../../src/exchange/read.ts';
import { examine } from '../../src/store/maintenance/doctor.ts';
import { rescue } from '../../src/store/maintenance/rescue/rescue.ts';
import { START } from '../../src/store/reconcile/collect.ts';
import { migrations } from '../../src/store/sqlite/migrations/index.ts';
import { holdingOf, isSound } from '../../src/store/sqlite/verify.ts';
import type { Store } from '../../src/store/store.ts';
import { APPOINTMENT, appointment, fieldNames } from './appointments.ts';
import { dbOf, failure, freshPath, freshStore, user } from './helpers.ts';
import { everything, exported, imported, outcomesOf } from './origins.ts';

/** A kind that is put into the table and has a migration is everywhere, whatever its fields are called. */

let store: Store;
beforeEach(() => {
  store = withAppointments(4);
});

function withAppointments(count: number): Store {
  const made = freshStore();
  made.users.create(user());
  made.users.create(user({ firstName: 'Ole' }));
  for (let n = 0; n < count; n++) made.of(APPOINTMENT).create(appointment(n));
  return made;
}

const schemaOf = (from: string) => {
  const path = freshPath();
  if (from !== 'new') copyFileSync(new URL(`../fixtures/${from}`, import.meta.url), path);
  const db = dbOf(freshStore(path));
  expect([db.pragma('user_version'), isSound(db)]).toEqual([migrations.length, true]);
  return db.all('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name');
};

test.each(readdirSync(new URL('../fixtures', import.meta.url)).filter((name) => name.endsWith('.db')))(
  '%s, migrated, has the schema of a new database',
  (name) => expect(schemaOf(name)).toEqual(schemaOf('new')),
);

describe('a list', () => {
  test.each(fieldNames.flatMap((name) => [name, `-${name}`]))('sorted by %s', (sort) => {
    const records = store.of(APPOINTMENT);
    const all = records.list({ sort });
    const name = sort.replace('-', '');
    const values = all.map((record) => (record as unknown as Record<string, string>)[name] ?? '');
    const sorted = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
    expect(values).toEqual(sort === name ? sorted : sorted.reverse());
    const pages: AnyRecord[] = [];
    for (let cursor: string | undefined; ; ) {
      const { json, next } = records.page({ sort, ...(cursor && { cursor }) }, 3);
      pages.push(...JSON.parse(json));
      if (next === undefined) break;
      cursor = next;
    }
    expect(pages).toEqual(all);
    expect([...records.chunks({ sort })].flat()).toEqual(all);
    expect(JSON.parse(records.shortPage({ sort, fields: [name] }, true).json)).toEqual(
      values.map((value) => (value === '' && name === 'remark' ? {} : { [name]: value })),
    );
    expect([...records.jsonLines({ sort }, '\n')].map(({ text }) => text).join('\n')).toBe(
      all.map((record) => JSON.stringify(record)).join('\n'),
    );
  });

  test('of those whose fields match', () => {
    const where = [{ field: 'place', operator: 'eq', values: ['place 1'] }] as const;
    expect([
      store.of(APPOINTMENT).count({ where }),
      store.of(APPOINTMENT).total({ search: 'json 2' }),
    ]).toEqual([1, 1]);
  });
});

test('a second one with the key of another is refused, and so is one of nobody', () => {
  const create = (given: object) => failure(() => store.of(APPOINTMENT).create(appointment(1, given)));
  expect(create({}).issues).toMatchObject([{ field: 'key', message: 'is the key of another appointment' }]);
  expect(create({ key: 'new', userId: 9 }).issues).toMatchObject([{ field: 'userId' }]);
  const twice = () => store.of(APPOINTMENT).createAll([1, 2].map((i) => appointment(i, { key: 'twice' })));
  expect(failure(twice).issues).toMatchObject([{ field: '[1].key' }]);
});

test('it is in the history, is undone, comes back, and goes with its user', () => {
  const records = store.of(APPOINTMENT);
  const before = records.list();
  records.update(2, appointment(1, { place: 'elsewhere', remark: 'moved' }));
  const change = store.latestChange ?? 0;
  expect(store.history.lastOf(APPOINTMENT, 2)).toMatchObject({
    action: 'update',
    before: before[1],
    after: { place: 'elsewhere', remark: 'moved' },
  });
  store.undo(change);
  expect(records.list()).toEqual(before);
  records.delete(3);
  store.restore({ record: APPOINTMENT, id: 3 });
  store.users.delete(1);
  expect(records.count()).toBe(0);
  store.restore({ record: 'user', id: 1 });
  expect(records.list()).toEqual(before);
  store.erase(1);
  expect([records.count(), store.history.of(APPOINTMENT, 1)]).toEqual([0, []]);
  expect(readFileSync(store.path).includes('elsewhere')).toBe(false);
});

test('a user who has some is not undone', () => {
  const change = store.history.of('user', 1)[0]?.change ?? 0;
  expect(failure(() => store.undo(change)).message).toContain(
    'user 1 has appointments that were recorded later (4)',
  );
});

test('it is counted, rescued and looked over', () => {
  const records = store.of(APPOINTMENT).list();
  expect(holdingOf(dbOf(store)).counts).toMatchObject({ user: 2, [APPOINTMENT]: 4 });
  expect(examine(store.path)).toMatchObject({ counts: { [APPOINTMENT]: 4 } });
  store.close();
  const lines = records.map((record) => JSON.stringify(record));
  expect(rescue(store.path).records[APPOINTMENT]).toEqual(lines);
  writeFileSync(store.path, readFileSync(store.path).fill(0, 0, 4096));
  expect(rescue(store.path).records[APPOINTMENT]).toEqual(lines);
});

test('it has rights and a place in the dictionary', () => {
  expect([may('patient', `create ${APPOINTMENT}`), may('provider', `create ${APPOINTMENT}`)]).toEqual([
    true,
    false,
  ]);
  expect(
    dictionary()
      .filter(({ record }) => record === 'appointment')
      .map(({ name }) => name),
  ).toEqual(fieldNames);
});

describe('a file', () => {
  const kindsIn = async (text: string) => {
    const { batches } = await readRecords(
      (async function* () {
        yield Buffer.from(text);
      })(),
      {},
    );
    const found: unknown[] = [];
    for await (const items of batches) found.push(...items.map(({ kind, fault }) => fault ?? kind));
    return found;
  };
  const one = () => store.of(APPOINTMENT).get(1);

  test.each<[string, () => string]>([
    ['a document', () => JSON.stringify({ users: [], appointments: [one()] })],
    ['a bare list', () => JSON.stringify([one()])],
    ['NDJSON', () => JSON.stringify(one())],
    ['CSV', () => [...csvOf(fieldNames, [one() as never])].join('')],
  ])('as %s has it', async (_, text) => {
    expect(await kindsIn(text())).toEqual([APPOINTMENT]);
  });

  test('of this database brings back what is not here any more, once', () => {
    const file = exported(store);
    const before = everything(store);
    for (const id of [1, 2]) store.of(APPOINTMENT).delete(id);
    expect(outcomesOf(imported(store, file))).toEqual({
      users: { equal: 2 },
      appointments: { new: 2, equal: 2 },
    });
    expect(everything(store)).toEqual(before);
  });

  test('of another database is followed: new, changed, deleted', () => {
    const there = withAppointments(12);
    const here = freshStore();
    imported(here, exported(there));
    const records = there.of(APPOINTMENT);
    records.update(1, appointment(0, { place: 'changed', remark: 'late' }));
    records.delete(2);
    records.create(appointment(40));
    expect(outcomesOf(imported(here, exported(there)))).toEqual({
      users: { equal: 2 },
      appointments: { new: 1, equal: 10, updated: 1, deleted: 1 },
    });
    expect(everything(here)).toEqual(everything(there));
    records.update(3, appointment(2, { json: 'there' }));
    here.of(APPOINTMENT).update(3, appointment(2, { json: 'here' }));
    expect(imported(here, exported(there)).disputes).toMatchObject([{ record: APPOINTMENT, id: 3 }]);
  });
});

describe('a sync', () => {
  const exchange = async (from: Store, to: Store) => {
    const [there, here] = [await from.replication(), await to.replication()];
    for (let at = START, isLast = false; !isLast; ) {
      const part = there.part(there.collector(), at);
      here.receive([here.read(part.text)]);
      [at, isLast] = [part.to, part.isLast];
    }
  };

  test('carries what is new, changed and deleted, both ways', async () => {
    const [here, there] = [store, freshStore()];
    await exchange(here, there);
    expect(everything(there)).toEqual(everything(here));
    const records = there.of(APPOINTMENT);
    records.update(1, appointment(0, { place: 'changed', remark: 'late' }));
    records.delete(2);
    here.of(APPOINTMENT).create(appointment(40));
    await exchange(there, here);
    await exchange(here, there);
    expect(everything(there)).toEqual(everything(here));
    expect([here.of(APPOINTMENT).has(2), there.of(APPOINTMENT).count()]).toEqual([
      false,
      here.of(APPOINTMENT).count(),
    ]);
    expect(here.of(APPOINTMENT).get(1)).toMatchObject({ place: 'changed', remark: 'late' });
  });

  test('of two with one key that is no text shows the second when the first is gone', async () => {
    const kind = kinds[APPOINTMENT] as { key?: object };
    const { key } = kind;
    kind.key = { ...key, field: 'nth', of: ({ nth }: { nth?: number }) => String(nth) };
    try {
      const [here, there] = [store, freshStore()];
      await exchange(here, there);
      here.of(APPOINTMENT).create(appointment(50, { nth: 7 }));
      there.of(APPOINTMENT).create(appointment(51, { nth: 7 }));
      const inStep = async () => {
        await exchange(here, there);
        await exchange(there, here);
        const shown = [here, there].map((each) =>
          each
            .of(APPOINTMENT)
            .list()
            .map((one) => Object(one))
            .filter(({ nth }) => nth === 7),
        );
        expect(shown.map((each) => each.length)).toEqual([1, 1]);
        expect(shown[0]?.[0].key).toBe(shown[1]?.[0].key);
        return shown[0]?.[0];
      };
      const first = await inStep();
      here.of(APPOINTMENT).delete(first.id);
      expect(new Set([first.key, (await inStep()).key])).toEqual(new Set(['k50', 'k51']));
    } finally {
      kind.key = key as object;
    }
  });
});

test.each(['appointment add', 'appointments'])(
  'a hint to %s names the user whom a command was about',
  (words) => {
    const context = { user: 2, store } as unknown as Context;
    expect(commandLine(context, words)).toBe(`sciatica ${words} --user 2`);
    expect(commandLine(context, 'appointment show 1')).toBe('sciatica appointment show 1');
  },
);
