import { describe, expect, test, vi } from 'vitest';
import type { Cell } from '../../src/domain/codec.ts';
import { SciaticaError } from '../../src/domain/errors.ts';
import { INTO, kindOf } from '../../src/domain/kinds.ts';
import { backup } from '../../src/store/maintenance/backup.ts';
import { START } from '../../src/store/reconcile/collect.ts';
import { FileReader, lineIn, sealIn } from '../../src/store/reconcile/file.ts';
import { Names } from '../../src/store/reconcile/names.ts';
import type { State } from '../../src/store/reconcile/state.ts';
import { openSqlite } from '../../src/store/sqlite/driver.ts';
import { migrations } from '../../src/store/sqlite/migrations/index.ts';
import type { Store } from '../../src/store/store.ts';
import { dbOf, failure, freshPath, freshStore, log, user } from './helpers.ts';
import { exported, type File, imported, outcomesOf, unsealed } from './origins.ts';

const exercises = (name: string) => [{ exerciseName: name, exerciseType: 'stretch' as const }];

/** Milliseconds since 1970, for both sides. */
let clock = 1_000_000_000_000;
const now = () => {
  clock += 1000;
  return clock;
};

/** A database with a user, a log, a routine and a goal; and one that has imported them under other ids. */
function two(): { there: Store; here: Store } {
  const [there, here] = [freshStore(undefined, now), freshStore(undefined, now)];
  there.users.create(user());
  there.logs.create(log({ notes: 'first' }));
  there.routines.create({ userId: 1, name: 'Morning', exercises: exercises('Cat-Cow') });
  there.goals.create({ userId: 1, sessionsPerWeek: 3 });
  here.users.create(user({ firstName: 'Own' }));
  here.logs.create(log({ notes: 'own' }));
  imported(here, exported(there));
  return { there, here };
}

const notesOf = (store: Store) => store.logs.list().map(({ notes }) => notes);

test.each([
  ['with states', (file: ReturnType<typeof exported>) => file],
  ['of an older version', unsealed],
])('a user who was deleted here stays deleted, and new records wait with the user: a file %s', (_, as) => {
  const { there, here } = two();
  here.users.delete(2);
  there.logs.create(log({ notes: 'second' }));
  imported(here, as(exported(there)));
  expect([here.users.count(), notesOf(here)]).toEqual([1, ['own']]);
  here.restore({ record: 'user', id: 2 });
  imported(here, as(exported(there)));
  expect(notesOf(here)).toEqual(['own', 'first', 'second']);
});

test('an import is tried also where nothing can be saved', () => {
  const { there, here } = two();
  there.logs.create(log({ notes: 'second' }));
  const error = new SciaticaError('unusable', 'The disk is read-only.');
  vi.spyOn(dbOf(here), 'obstacle', 'get').mockReturnValue({ error, notice: '', kind: 'copy' });
  const tried = imported(here, exported(there), { dryRun: true });
  expect([tried.counts.log.new, notesOf(here)]).toEqual([1, ['own', 'first']]);
});

test('a file of this database itself knows whose its records are, also without their users', () => {
  const { here } = two();
  const file = unsealed(exported(here));
  here.logs.delete(2);
  imported(here, { ...file, records: { ...file.records, user: [] } });
  expect(here.logs.get(2)).toMatchObject({ userId: 2, notes: 'first' });
});

test('a user who was deleted there is held back, with what was made here', async () => {
  const { there, here } = two();
  here.logs.create(log({ userId: 2, notes: 'at the practice' }));
  there.users.delete(1);
  const result = imported(here, exported(there));
  expect(result.held).toEqual([{ record: 'user', id: 2 }]);
  expect(notesOf(here)).toEqual(['own', 'first', 'at the practice']);
  const replication = await here.replication();
  replication.settleHeld('delete');
  expect(notesOf(here)).toEqual(['own']);
});

describe('of what a user has one', () => {
  test('a goal that was made anew there is changed here', () => {
    const { there, here } = two();
    there.goals.delete(1);
    there.goals.create({ userId: 1, sessionsPerWeek: 5 });
    const file = exported(there);
    expect(outcomesOf(imported(here, file))).toMatchObject({ goals: { updated: 1 } });
    expect(here.goals.list()).toEqual([{ id: 1, userId: 2, sessionsPerWeek: 5 }]);
    expect(outcomesOf(imported(here, file))).toMatchObject({ goals: { equal: 1 } });
    expect(here.latestChange).toBeUndefined();
  });

  test('two routines of one name, made here and there, are two by number', () => {
    const { there, here } = two();
    there.routines.create({ userId: 1, name: 'Evening', exercises: exercises('Bridge') });
    here.routines.create({ userId: 2, name: 'EVENING', exercises: exercises('Plank') });
    const file = exported(there);
    imported(here, file);
    const names = (store: Store) =>
      store.routines
        .list()
        .map(({ name }) => name.toLowerCase())
        .sort();
    expect(names(here)).toEqual(['evening', 'evening (2)', 'morning']);
    // What shows under another name than it has keeps it.
    imported(there, exported(here));
    expect(names(there)).toEqual(names(here));
    expect(outcomesOf(imported(here, exported(there)))).toMatchObject({ routines: { equal: 3 } });
  });
});

test('two copies of one database that were both used send files, and nothing is lost', () => {
  const [one, here] = [freshStore(undefined, now), freshStore(undefined, now)];
  one.users.create(user());
  const path = freshPath();
  backup(one.path, path);
  const copy = freshStore(path, now);
  one.logs.create(log({ notes: 'in the one' }));
  copy.logs.create(log({ notes: 'in the copy' }));
  for (const file of [exported(one), exported(copy), exported(one)]) imported(here, file);
  expect([here.users.count(), notesOf(here)]).toEqual([1, ['in the one', 'in the copy']]);
});

test('a log that moved to another user there moves here', () => {
  const { there, here } = two();
  const { id: userId } = there.users.create(user({ firstName: 'Zoe' }));
  there.logs.update(1, { userId });
  expect(imported(here, exported(there)).moved).toEqual([
    { record: 'log', id: 2, from: 'Nora Lind', to: 'Zoe Lind' },
  ]);
  const zoe = here.users.list().find(({ firstName }) => firstName === 'Zoe');
  expect(here.logs.get(2).userId).toBe(zoe?.id);
});

test('users who were merged there are one here', async () => {
  const { there, here } = two();
  there.users.create(user({ firstName: 'Twin' }));
  there.logs.create(log({ userId: 2, notes: 'of the twin' }));
  (await there.replication()).mergeUsers(2, 1, clock);
  imported(here, exported(there));
  expect([here.users.count(), notesOf(here)]).toEqual([2, ['own', 'first', 'of the twin']]);
  expect(here.logs.list().map(({ userId }) => userId)).toEqual([1, 2, 2]);
});

test('after the undo of an import under a user another one can come under the same', () => {
  const [there, here] = [freshStore(undefined, now), freshStore(undefined, now)];
  for (const [i, notes] of ['of the first', 'of the second'].entries()) {
    there.users.create(user({ email: `user-${i}@example.org` }));
    there.logs.create(log({ userId: i + 1, notes }));
  }
  here.users.create(user({ firstName: 'Own' }));
  const all = unsealed(exported(there));
  const fileOf = (id: number) => ({
    ...all,
    records: {
      ...all.records,
      user: all.records.user.filter((one) => one.id === id),
      log: all.records.log.filter((one) => (one as { userId: number }).userId === id),
    },
  });
  imported(here, fileOf(1), { as: 1 });
  here.undo(here.latestChange ?? 0);
  imported(here, fileOf(2), { as: 1 });
  expect(here.logs.list().map(({ userId, notes }) => [userId, notes])).toEqual([[1, 'of the second']]);
  expect(outcomesOf(imported(here, fileOf(2)))).toEqual({ users: { skipped: 1 }, logs: { equal: 1 } });
});

test.each<[form: string, of: (file: File) => File]>([
  ['of today', (file) => file],
  ['without states', unsealed],
])('a file %s that comes again under the same user says nothing new', (_, of) => {
  const [{ there }, here] = [two(), freshStore()];
  here.users.create(user({ firstName: 'Own' }));
  const file = of(exported(there));
  imported(here, file, { as: 1 });
  const known = () => [here.history.last(), dbOf(here).lastId('replicas')];
  const before = known();
  imported(here, file, { as: 1 });
  expect(known()).toEqual(before);
});

describe('a user who was erased here', () => {
  test('does not keep the others of the file away', () => {
    const { there, here } = two();
    here.erase(2);
    there.users.create(user({ lastName: 'Berg' }));
    there.logs.create(log({ userId: 2, notes: 'of Berg' }));
    expect(imported(here, exported(there)).erased).toBe(1);
    expect(notesOf(here)).toEqual(['own', 'of Berg']);
  });

  test('takes a record along that was the user’s once', () => {
    const { there, here } = two();
    there.users.create(user({ lastName: 'Berg' }));
    imported(here, exported(there));
    there.logs.update(1, { userId: 2 });
    here.erase(2);
    imported(here, exported(there));
    expect(notesOf(here)).toEqual(['own']);
  });

  test('is erased over there when that is said', () => {
    const { there, here } = two();
    here.erase(2);
    const result = imported(there, exported(here));
    expect([result.erasedThere, there.users.count()]).toEqual([[{ record: 'user', id: 1 }], 2]);
  });

  test('stays away with a file of this database', () => {
    const here = freshStore();
    for (const firstName of ['Own', 'Nora']) here.users.create(user({ firstName }));
    for (const userId of [1, 2]) here.logs.create(log({ userId }));
    const file = exported(here);
    here.erase(2);
    imported(here, file);
    expect([here.users.count(), here.logs.count()]).toEqual([1, 1]);
    // By ids it is a conflict.
    const plain = { ...unsealed(file), origin: undefined } as never;
    expect(failure(() => imported(here, plain)).code).toBe('conflict');
    imported(here, plain, { onConflict: 'overwrite' });
    expect(here.logs.list()).toEqual(file.records.log);
  });
});

test('a file of a newer version is refused', () => {
  const { there, here } = two();
  const file = exported(there);
  const newer = { ...file, seal: { ...file.seal, format: 999 } };
  expect(failure(() => imported(here, newer)).message).toContain('newer sciatica (format 999');
});

test('what files of a version before are known as here are names by now', () => {
  const there = freshStore();
  there.users.create(user());
  there.logs.create(log({ notes: 'known' }));
  const path = freshPath();
  const later = (migrations as string[]).splice(14);
  try {
    const here = freshStore(path);
    here.users.create(user());
    here.logs.create(log({ notes: 'known' }));
    here.close();
  } finally {
    (migrations as string[]).push(...later);
  }
  const db = openSqlite(path);
  db.prepare('INSERT INTO origins (uuid) VALUES (?)').run(there.id);
  db.exec(`INSERT INTO counterparts (origin, record, theirId, ourId, agreed)
    SELECT max(id), 'user', 1, 1, '[]' FROM origins UNION SELECT max(id), 'log', 1, 1, '[]' FROM origins`);
  db.close();
  const again = freshStore(path);
  expect(outcomesOf(imported(again, exported(there)))).toEqual({ users: { equal: 1 }, logs: { equal: 1 } });
});

describe('the states in a file are those that a sync tells', () => {
  /** A database with records that were made together, changed, moved, deleted, received and merged. */
  function used(): Store {
    const store = freshStore(undefined, now);
    store.users.create(user());
    store.users.create(user({ firstName: 'Ole', email: 'ole@example.org' }));
    store.change(() => {
      for (const userId of [1, 1, 2, 1, 2, 1]) store.logs.create(log({ userId, notes: 'together' }));
    });
    store.logs.create(log({ notes: 'alone' }));
    store.logs.update(2, { painAfter: 1 });
    store.logs.update(3, { userId: 1 });
    store.logs.delete(4);
    store.logs.update(6, { notes: 'other' });
    store.undo(8);
    store.routines.create({ userId: 2, name: 'Morning', exercises: exercises('Cat-Cow') });
    store.goals.create({ userId: 1, sessionsPerWeek: 3 });
    imported(store, exported(two().there));
    store.logs.update(store.logs.list().at(-1)?.id ?? 0, { notes: 'changed here' });
    store.users.create(user({ firstName: 'Late', email: 'late@example.org' }));
    store.logs.create(log({ userId: 4, notes: 'of another' }));
    return store;
  }

  test.each([
    ['of all', undefined],
    ['of a user', [1]],
    ['of a user who came from elsewhere', [3]],
    ['of a user under whom another shows', [2]],
  ] as const)('%s', async (_, users) => {
    const store = used();
    const replication = await store.replication();
    replication.mergeUsers(4, 2, now());
    const db = dbOf(store);
    const names = new Names(db);
    const file = replication.statesFor({ ...(users && { users }) });
    const lines = [...file.lines()].flat().map((line) => lineIn(JSON.parse(line)));
    const reader = new FileReader(sealIn(file.seal()), (uuid) => names.origin(uuid));
    const states = lines.flatMap((line) => {
      const { table } = kindOf(line.k);
      const rows = db.all<Record<string, Cell>>(`SELECT * FROM ${table}`);
      return reader.states(line, new Map(rows.map((row) => [Number(row['id']), row])));
    });
    const collector = replication.collector(users);
    const told: State[] = [];
    for (let from = START, isLast = false; !isLast; ) {
      const part = collector.after(from, 3);
      told.push(...part.states);
      ({ to: from, isLast } = part);
    }
    // A user without a pointer says so or does not.
    const said = ({ fields, ...state }: State) => ({
      ...state,
      ...(fields && { fields: { ...fields, [INTO]: fields[INTO] ?? null } }),
    });
    const byName = (all: readonly State[]) =>
      Object.fromEntries(all.map((state) => [`${state.kind} ${state.name}`, said(state)]));
    expect(Object.keys(byName(states)).length).toBeGreaterThan(users?.[0] === 2 ? 4 : users ? 3 : 15);
    expect(byName(states)).toEqual(byName(told));
    expect(lines.some(({ s }) => s.some((entry) => Array.isArray(entry)))).toBe(users?.[0] !== 3);
  });
});

test.each([
  ['of a user', '{"k":"user","s":[[1,1,1,1,1]]}'],
  ['with too few numbers', '{"k":"log","s":[[1,1,1,1]]}'],
  ['of more than stand in a line', '{"k":"log","s":[[1,1,1,1,501]]}'],
  ['with half a record', '{"k":"log","s":[[1,1,1,1,1.5]]}'],
  ['of nothing', '{"k":"log","s":[null]}'],
])('records that stand together in a file: %s is refused', (_, line) => {
  expect(failure(() => lineIn(JSON.parse(line))).code).toBe('unusable');
});

test('records that stand together in a file must be in its list', () => {
  const [there, here] = [freshStore(undefined, now), freshStore(undefined, now)];
  there.users.create(user());
  there.change(() => {
    for (let i = 0; i < 3; i++) there.logs.create(log());
  });
  const file = exported(there);
  file.records.log.pop();
  expect(failure(() => imported(here, file)).message).toContain('it has no record for a state');
  expect(here.logs.count()).toBe(0);
});

test('what came from elsewhere is told once, and what was changed here since', async () => {
  const { here } = two();
  // Its id is that of the user who has the other goal.
  expect(here.goals.create({ userId: 1, sessionsPerWeek: 5 }).id).toBe(2);
  const collector = (await here.replication()).collector();
  const told: string[] = [];
  let from = START;
  for (let isLast = false; !isLast; ) {
    const part = collector.after(from, 3);
    told.push(...part.states.map(({ kind, name }) => `${kind} ${name}`));
    ({ to: from, isLast } = part);
  }
  expect(told.map((one) => one.replace(/\..*/, '')).sort()).toEqual([
    'goal 1',
    'goal 2',
    'log 1',
    'log 2',
    'routine 2',
    'user 1',
    'user 2',
  ]);
  here.logs.update(2, { notes: 'changed here' });
  expect(collector.after(from).states.map(({ fields }) => fields?.['notes'])).toEqual(['changed here']);
});
