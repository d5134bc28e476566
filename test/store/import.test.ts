import { describe, expect, it, vi } from 'vitest';
import { MAX_ID } from '../../src/domain/fields.ts';
import { Import, type ImportResult } from '../../src/store/maintenance/import/import.ts';
import type { OnConflict } from '../../src/store/maintenance/import/staging.ts';
import type { Store } from '../../src/store/store.ts';
import { dbOf, failure, filledStore, freshPath, freshStore, log, raw, user } from './helpers.ts';

type Records = { users?: unknown[]; logs?: unknown[]; routines?: unknown[] };

function prepare(store: Store, { users = [], logs = [], routines = [] }: Records): Import {
  const task = new Import(
    dbOf(store),
    store.as({ origin: { source: 'import' } }),
    (at, noun) => `${noun}[${at}]`,
  );
  task.add(users.map((value, at) => ({ at, kind: 'user', value })));
  task.add(logs.map((value, at) => ({ at, kind: 'log', value })));
  task.add(routines.map((value, at) => ({ at, kind: 'routine', value })));
  return task;
}

const bring = (
  store: Store,
  records: Records,
  onConflict: OnConflict = 'refuse',
  dryRun = false,
): ImportResult => prepare(store, records).apply({ onConflict, dryRun, sameIds: true });

/** Only the outcomes that occur. */
const outcomes = (counts: object) =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));

const everything = (store: Store) => ({ users: store.users.list(), logs: store.logs.list() });

const anna = { id: 1, ...user({ firstName: 'Anna' }) };
const bo = { id: 1, ...user({ firstName: 'Bo' }) };
const annas = { id: 1, ...log({ notes: 'Anna' }) };
const routine = { userId: 1, exercises: [{ exerciseName: 'Bird Dog', exerciseType: 'strengthening' }] };
const bos = { id: 1, ...log({ notes: 'Bo' }) };

it('keeps ids, and never gives them again', () => {
  const store = freshStore();
  bring(store, { users: [{ ...anna, id: 7 }], logs: [{ ...annas, id: 40, userId: 7 }] });
  expect(everything(store)).toEqual({ users: [{ ...anna, id: 7 }], logs: [{ ...annas, id: 40, userId: 7 }] });
  expect(store.users.create(user()).id).toBe(8);
  expect(store.logs.create(log({ userId: 7 })).id).toBe(41);
});

it('gives an id to a record without one, above all others', () => {
  const store = filledStore(3);
  bring(store, { users: [user(), { ...anna, id: 50 }], logs: [log(), { ...annas, id: 9 }, log()] });
  expect(store.users.list().map(({ id }) => id)).toEqual([1, 2, 50, 51]);
  expect(store.logs.list().map(({ id }) => id)).toEqual([1, 2, 3, 9, 10, 11]);
});

describe('of many records', () => {
  const MANY = 10_001;
  const many = {
    users: Array.from({ length: MANY }, (_, i) => ({ id: i + 1, ...user({ firstName: `A${i}` }) })),
    logs: Array.from({ length: MANY }, (_, i) => ({
      id: 2 * i + 1,
      ...log({ userId: i + 1, notes: `"${i}"` }),
    })),
  };
  const schema = (store: Store) =>
    dbOf(store).column<string>('SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name');
  /** What was run to change the schema, of one kind. */
  const dropped = (executed: { mock: { calls: [string][] } }, what: RegExp) =>
    executed.mock.calls.filter(([sql]) => what.test(sql)).length;

  it('builds the indexes and triggers anew, and keeps them when it fails', () => {
    const store = freshStore();
    const db = dbOf(store);
    const before = schema(store);
    const cache = db.pragma('cache_size');
    db.exec(
      "CREATE TRIGGER refuse AFTER INSERT ON logs WHEN NEW.id = 9001 BEGIN SELECT RAISE(ABORT, 'no'); END",
    );
    expect(() => bring(store, many)).toThrow();
    db.exec('DROP TRIGGER refuse');
    expect([schema(store), store.logs.count(), store.history.last()]).toEqual([before, 0, 0]);
    const executed = vi.spyOn(db, 'exec');
    bring(store, many);
    expect(dropped(executed, /^DROP INDEX main\.logs_/)).toBe(
      before.filter((sql) => /^CREATE INDEX \S+ ON "?logs"?\b/.test(sql)).length,
    );
    expect(dropped(executed, /^DROP TRIGGER main\./)).toBe(2);
    expect([schema(store), db.pragma('cache_size')]).toEqual([before, cache]);
    expect(store.logs.list({ userId: MANY, sort: '-date,-id', limit: 2 }).map(({ id }) => id)).toEqual([
      2 * MANY - 1,
    ]);
    expect(db.value('PRAGMA integrity_check')).toBe('ok');
  });

  it('keeps the indexes of tables that have more than the file', () => {
    const store = freshStore();
    const there = 2 * MANY;
    const more = (from: number, count: number) =>
      Array.from({ length: count }, (_, i) => ({ ...annas, id: from + i }));
    bring(store, { users: [anna], logs: more(1, there) });
    const executed = vi.spyOn(dbOf(store), 'exec');
    bring(store, { logs: more(there + 1, MANY) });
    expect([dropped(executed, /^DROP INDEX/), dropped(executed, /^DROP TRIGGER/)]).toEqual([0, 1]);
    expect([store.logs.count(), store.history.last()]).toEqual([there + MANY, there + MANY + 1]);
  });

  it('writes the entries that the triggers write', () => {
    const [few, all] = [freshStore(), freshStore()];
    bring(all, many);
    // With a trigger that is not known, rows are inserted one by one.
    for (const table of ['users', 'logs']) {
      const name = `${table}_created`;
      const sql = dbOf(few).value<string>('SELECT sql FROM sqlite_schema WHERE name = ?', name) as string;
      dbOf(few).exec(`DROP TRIGGER ${name}; ${sql.replace(/END$/, 'SELECT 1; END')}`);
    }
    const executed = vi.spyOn(dbOf(few), 'exec');
    bring(few, many);
    expect(dropped(executed, /^DROP TRIGGER/)).toBe(0);
    const entries = (store: Store) =>
      dbOf(store).all(
        'SELECT seq, change, head, record, recordId, userId, action, before, after, source FROM history ORDER BY seq',
      );
    expect(entries(all)).toHaveLength(2 * MANY);
    expect(entries(all)).toEqual(entries(few));
  });
});

it('takes logs before their users', () => {
  const store = freshStore();
  const task = new Import(dbOf(store), store.as({ origin: { source: 'import' } }), () => '');
  task.add([{ at: 1, kind: 'log', value: annas }]);
  task.add([{ at: 2, kind: 'user', value: anna }]);
  task.apply({ onConflict: 'refuse', dryRun: false });
  expect(store.logs.list()).toEqual([annas]);
});

it('counts what is there already and adds nothing', () => {
  const store = filledStore(20);
  const before = everything(store);
  const result = bring(store, before);
  expect([outcomes(result.counts.user), outcomes(result.counts.log)]).toEqual([{ equal: 2 }, { equal: 20 }]);
  expect(everything(store)).toEqual(before);
});

it('counts a record that stands twice in the file once', () => {
  const store = freshStore();
  const result = bring(store, { users: [anna, anna], logs: [annas, annas, annas] });
  expect([outcomes(result.counts.user), outcomes(result.counts.log)]).toEqual([
    { new: 1, repeated: 1 },
    { new: 1, repeated: 2 },
  ]);
});

describe('faults', () => {
  const cases: [string, Records, string[]][] = [
    [
      'every one is named',
      { users: [{ ...anna, age: -1, painLevel: 99 }, 5] },
      ['user[0] age', 'user[0] painLevel', 'user[1] body'],
    ],
    ['a different record with an id of the file', { users: [anna, bo] }, ['user[1] id']],
    [
      'two routines of one name',
      { users: [anna], routines: ['Morning', 'morning'].map((name, i) => ({ ...routine, id: i + 1, name })) },
      ['routine[1] name'],
    ],
    ['a log of nobody', { logs: [annas] }, ['log[0] userId']],
    [
      'a log of a faulty user is not one itself',
      { users: [{ ...anna, age: 1.5 }], logs: [annas] },
      ['user[0] age'],
    ],
    [
      'an id that is none',
      {
        users: [
          { ...anna, id: 'x' },
          { ...anna, id: null },
        ],
      },
      ['user[0] id', 'user[1] id'],
    ],
    ['an unknown field', { users: [{ ...anna, pain_level: 4 }] }, ['user[0] pain_level']],
    [
      'beside good records',
      { users: [anna], logs: [annas, { ...annas, id: 2, painAfter: '4' }] },
      ['log[1] painAfter'],
    ],
  ];
  it.each(cases)('%s', (_, records, expected) => {
    const store = freshStore();
    const task = prepare(store, records);
    expect(failure(() => task.apply({ onConflict: 'overwrite', dryRun: false })).code).toBe('invalid');
    expect(task.faults.issues.map(({ at, field }) => `${at} ${field}`)).toEqual(expected);
    expect(everything(store)).toEqual({ users: [], logs: [] });
  });

  it('are all counted, and 10,000 kept', () => {
    const task = prepare(freshStore(), {
      logs: Array.from({ length: 12_000 }, (_, i) => log({ userId: i + 1 })),
    });
    failure(() => task.apply({ onConflict: 'refuse', dryRun: false }));
    expect([task.faults.count, task.faults.issues.length]).toEqual([12_000, 10_000]);
  });
});

it('numbers anew what has an id far above all others, and its logs follow', () => {
  const store = filledStore(3);
  const far = 999_999_999_999_999;
  const { counts } = bring(store, {
    users: [{ ...anna, id: far }],
    logs: [{ ...annas, id: 900_000, userId: far }, { ...bos, id: 1_900_001, userId: far }, log()],
  });
  expect([outcomes(counts.user), outcomes(counts.log)]).toEqual([
    { renumbered: 1 },
    { new: 2, renumbered: 1 },
  ]);
  expect(store.users.list().map(({ id }) => id)).toEqual([1, 2, 3]);
  expect(store.logs.list().map(({ id, userId }) => [id, userId])).toEqual([
    [1, 1],
    [2, 2],
    [3, 1],
    [900_000, 3],
    [900_001, 3],
    [900_002, 1],
  ]);
});

it.each([
  [1_900_000, 1_900_000],
  [1_900_001, 900_001],
])('of ids up to 900,000 and %i the last is %i', (id, last) => {
  const store = filledStore(0);
  bring(store, {
    logs: [
      { ...annas, id: 900_000 },
      { ...bos, id },
    ],
  });
  expect(store.logs.list().at(-1)?.id).toBe(last);
});

it('refuses a file whose one user stands twice and differs, though its records go to another', () => {
  const task = prepare(filledStore(0), { users: [anna, bo], logs: [annas] });
  expect(failure(() => task.apply({ onConflict: 'refuse', dryRun: false, as: 2 })).code).toBe('invalid');
  expect(task.faults.issues.map(({ at, field }) => `${at} ${field}`)).toEqual(['user[1] id']);
});

it('tells kind by kind what would move, and of which users there are records', () => {
  const store = filledStore(4);
  store.routines.create({ ...routine, name: 'a' } as never);
  const moved = {
    logs: [{ ...store.logs.get(2), userId: 1 }],
    routines: [{ ...store.routines.get(1), userId: 2 }],
  };
  const moving = prepare(store, moved);
  failure(() => moving.apply({ onConflict: 'overwrite', dryRun: false }));
  expect(moving.result?.moved.map(({ record, id }) => `${record} ${id}`)).toEqual(['log 2', 'routine 1']);
  const task = prepare(store, {
    logs: [log(), log({ userId: 9 })],
    routines: [{ ...routine, name: 'b', userId: 8 }],
  });
  failure(() => task.apply({ onConflict: 'refuse', dryRun: false }));
  expect(task.faults.issues.map(({ at }) => at)).toEqual(['log[1]', 'routine[0]']);
});

it.each([
  ['refuse', 'conflict'],
  ['skip', [[1], []]],
  ['overwrite', [[1, 2], [[40, 2]]]],
  ['renumber', [[1, 3], [[40, 3]]]],
] as const)('a user who was erased here comes with %s as %j', (onConflict, expected) => {
  const store = filledStore(0);
  store.erase(2);
  const file = { users: [{ ...bo, id: 2 }], logs: [{ ...bos, id: 40, userId: 2 }] };
  const came = () => {
    bring(store, file, onConflict);
    return [store.users.list().map(({ id }) => id), store.logs.list().map(({ id, userId }) => [id, userId])];
  };
  if (expected === 'conflict') expect(failure(came).code).toBe(expected);
  else expect(came()).toEqual(expected);
});

describe('an id that is taken by a different record', () => {
  const start = () => {
    const store = freshStore();
    bring(store, { users: [anna], logs: [annas] });
    return store;
  };
  const file = { users: [bo], logs: [bos, { ...bos, id: 2 }] };

  it('refuse: is a conflict, and nothing is written', () => {
    const store = start();
    const task = prepare(store, file);
    expect(failure(() => task.apply({ onConflict: 'refuse', dryRun: false })).code).toBe('conflict');
    // Anna is not Bo: that comes first.
    expect(task.faults.issues.map(({ at, field }) => `${at} ${field}`)).toEqual(['user[0] id']);
    expect(outcomes(task.result?.counts.log ?? {})).toEqual({ new: 1, conflicting: 1 });
    expect(everything(store)).toEqual({ users: [anna], logs: [annas] });
  });

  it('skip: what is stored stays, new logs go to the stored user', () => {
    const store = start();
    expect(outcomes(bring(store, file, 'skip').counts.log)).toEqual({ new: 1, skipped: 1 });
    expect(everything(store)).toEqual({ users: [anna], logs: [annas, { ...bos, id: 2 }] });
  });

  it('overwrite: what is in the file counts', () => {
    const store = start();
    expect(outcomes(bring(store, file, 'overwrite').counts.log)).toEqual({ new: 1, overwritten: 1 });
    expect(everything(store)).toEqual({ users: [bo], logs: file.logs });
  });

  it('renumber: it gets a new id, and its logs follow', () => {
    const store = start();
    const result = bring(store, file, 'renumber');
    expect([outcomes(result.counts.user), outcomes(result.counts.log)]).toEqual([
      { renumbered: 1 },
      { new: 1, renumbered: 1 },
    ]);
    expect(everything(store)).toEqual({
      users: [anna, { ...bo, id: 2 }],
      logs: [annas, { ...bos, id: 2, userId: 2 }, { ...bos, id: 3, userId: 2 }],
    });
  });

  it('renumber: the same file again adds nothing', () => {
    const store = start();
    bring(store, file, 'renumber');
    const before = everything(store);
    const result = bring(store, file, 'renumber');
    expect([outcomes(result.counts.user), outcomes(result.counts.log)]).toEqual([{ equal: 1 }, { equal: 2 }]);
    expect(everything(store)).toEqual(before);
  });

  it('renumber: of two alike, the second is added when only one is there', () => {
    const store = start();
    bring(store, { users: [anna, { ...anna, id: 2 }], logs: [{ ...annas, id: 2 }] });
    bring(store, { logs: [{ ...bos, id: 1 }] }, 'renumber');
    const result = bring(store, { logs: [bos, { ...bos, id: 2 }] }, 'renumber');
    expect(outcomes(result.counts.log)).toEqual({ equal: 1, renumbered: 1 });
    expect(store.logs.list().filter(({ notes }) => notes === 'Bo')).toHaveLength(2);
  });
});

it('renumber: what the file has under its own id is not another of its records too', () => {
  const store = freshStore();
  bring(store, { users: [anna], logs: [annas, { ...bos, id: 2 }] });
  const { counts } = bring(store, { logs: [annas, { ...annas, id: 2 }] }, 'renumber');
  expect(outcomes(counts.log)).toEqual({ equal: 1, renumbered: 1 });
  expect(store.logs.get(3)).toEqual({ ...annas, id: 3 });
});

it('no record is stored beyond the last id', () => {
  const store = freshStore();
  store.users.create(user());
  store.logs.restore({ ...annas, id: MAX_ID });
  expect(failure(() => bring(store, { logs: [log()] }))).toMatchObject({ code: 'full' });
  expect(store.logs.count()).toBe(1);
});

it.each([
  ['was deleted here comes back', '[]', undefined],
  ['was erased from a database whose place this one has taken is refused', '[2]', 'conflict'],
])('a user who %s', (_, erased, code) => {
  const store = filledStore(2);
  const users = store.users.list();
  store.users.delete(2);
  store.settings.set('erased', erased);
  if (code === undefined) bring(store, { users });
  else expect(failure(() => bring(store, { users })).code).toBe(code);
  expect(store.users.has(2)).toBe(code === undefined);
});

it.each(['refuse', 'skip', 'overwrite', 'renumber'] as const)(
  'a dry run with %s counts the same and writes nothing',
  (onConflict) => {
    const records = {
      users: [
        { ...bo, id: 2 },
        { ...bo, id: 9 },
      ],
      logs: [{ ...bos, userId: 9 }, log({ userId: 2 })],
    };
    const [store, twin] = [filledStore(5), filledStore(5)];
    const before = everything(store);
    const dry = prepare(store, records);
    const real = prepare(twin, records);
    const end = (task: Import, dryRun: boolean) => {
      try {
        task.apply({ onConflict, dryRun, sameIds: true });
        return undefined;
      } catch (error) {
        return (error as { code: string }).code;
      }
    };
    expect(end(dry, true)).toEqual(end(real, false));
    expect(dry.result).toEqual(real.result);
    expect(everything(store)).toEqual(before);
  },
);

it('locks nobody out while a file is read', () => {
  const path = freshPath();
  const store = freshStore(path);
  const task = prepare(store, { users: [anna] });
  const other = raw(path);
  other.exec('BEGIN IMMEDIATE');
  task.add([{ at: 0, kind: 'log', value: annas }]);
  other.exec('COMMIT');
  task.apply({ onConflict: 'refuse', dryRun: false });
  expect(store.logs.count()).toBe(1);
});
