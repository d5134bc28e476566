import { createHash } from 'node:crypto';
import { copyFileSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Field } from '../../src/domain/fields.ts';
import { type KindName, kindNames, kinds, ownedKindNames } from '../../src/domain/kinds.ts';
import type { Records } from '../../src/store/records/records.ts';
import { migrations } from '../../src/store/sqlite/migrations/index.ts';
import { columnsAt } from '../../src/store/sqlite/schema.ts';
import { dbOf, freshPath, freshStore, user } from './helpers.ts';

/** SHA-256 of each released migration. A release adds lines; a line never changes. */
const released = [
  'f152a7e3800f3da1809d65ae77ce65c0c81d874215c5b630b208beb261014421',
  'b63c751cf1677e38aec7d9bbef13a6733768d33e114ab07b8028f61421249bad',
  '3003ff883720225e816ff79f30b5744a450ea42cb1c1b71568f378102a2ad623',
  '908a46ef65ab8fcea62fc738ef759fecb554c4ec80dceb383629d87d6c0a7301',
  '62ffa68e9ea823a0202c14fa23c816b85fb92ccd042ec845ac7c3e9cfdcbec5c',
  '4405e44b2e9f5ed916c715e1a98cb5edc6901ff192fd5770b4ff7ef0da915990',
  '0eb8d774e5a022d8d4df0e6f0bb1f8b88e85ba6ce2e1ab7b1ed7bda3b8338414',
  '2531483651267933a4a2b737dcd46a43a56ee351c6e43e1180041191c6aa5bba',
  '6d8f8efa255e8664e967a40683da84ab32c3eb73af973274f60c2195e3ac2324',
  '92a575da59355ba8bc89d68fea38970b716ac4f51efef258fb385b43defc7b73',
  'ff4f5bf37202006e5214e64c800a229953031e3403499a8ff4f153bcc72c4c45',
  '32b8f66152d51a84223d2aeeaf4e25281c175d5dd0739835ff3e65f75678336b',
  '14fde5a7ee9a520d58c6a08efdedac12da726d8ceca5f97167aade17e07ed261',
  '5c3d12a678efa9eab9d458e1174856147df348a0bf5841444e8754b2d723d05f',
  '28fd0c7edf4a8b4e7e63216b73605cbfe85a25e51d7308b7acca960fe349c2a5',
];

test('released migrations are never edited', () => {
  const hashes = migrations.map((sql) => createHash('sha256').update(sql).digest('hex'));
  expect(hashes.slice(0, released.length)).toEqual(released);
  const hash = JSON.stringify(hashes[released.length]);
  expect(
    migrations.length - released.length,
    `before another migration: add ${hash} to the released ones above`,
  ).toBeLessThanOrEqual(1);
});

/** A store on a copy of a database of an older format, or on a new one. */
function storeOf(origin: string) {
  const path = freshPath();
  if (origin !== 'new') copyFileSync(new URL(`../fixtures/${origin}.db`, import.meta.url), path);
  return freshStore(path);
}

/** The formats of which there is a database; `migrate.test.ts` demands one of each but the last. */
const old = readdirSync(new URL('../fixtures', import.meta.url)).flatMap(
  (name) => /^v\d+(?=\.db$)/.exec(name) ?? [],
);
const schemaOf = (origin: string) =>
  dbOf(storeOf(origin)).all('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name');

test.each(old)('%s, migrated, has the schema of a new database', (origin) => {
  expect(schemaOf(origin)).toEqual(schemaOf('new'));
});

/** Of the table of a kind, in a version of the format. */
const columnsOf = (noun: KindName, version: number) => [...(columnsAt(version).get(kinds[noun].table) ?? [])];

test.each(kindNames)('the columns of a %s are its fields, whatever their order', (noun) => {
  expect(columnsOf(noun, migrations.length).sort()).toEqual(Object.keys(kinds[noun].fields).sort());
});

test.each(kindNames)('the ids of a %s are never used again: they are AUTOINCREMENT', (noun) => {
  const sql = "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?";
  const [table] = dbOf(storeOf('new')).all<{ sql: string }>(sql, kinds[noun].table);
  expect(table?.sql).toMatch(/\bid +INTEGER PRIMARY KEY AUTOINCREMENT\b/);
});

/** The history holds states as arrays in the order of the columns. */
test.each(kindNames)('the columns of a %s keep their places from format to format', (noun) => {
  for (let version = 2; version <= migrations.length; version++) {
    const before = columnsOf(noun, version - 1);
    expect(columnsOf(noun, version).slice(0, before.length)).toEqual(before);
  }
});

const examples = (noun: KindName): Record<string, unknown> => {
  const { id: _, ...others } = kinds[noun].fields;
  return Object.fromEntries(Object.entries(others).map(([name, { example }]) => [name, example]));
};

/** Cells at the bounds of a field, and just beyond them; noon is what no day and no choice is. */
function cellsOf(field: Field): { allowed: unknown[]; refused: unknown[] } {
  const absent = field.optional ? { allowed: [null], refused: [] } : { allowed: [], refused: [null] };
  const cells = (allowed: unknown[], refused: unknown[]) => ({
    allowed: [...allowed, ...absent.allowed],
    refused: [...refused, ...absent.refused],
  });
  const long = (length: number) => 'x'.repeat(length);
  switch (field.kind) {
    case 'integer':
      return cells([field.min, field.max], [field.min - 1, field.max + 1, 'noon', 1.5]);
    case 'text':
      return cells(
        ['x', long(field.max), ...(field.blank ? [''] : [])],
        [long(field.max + 1), ...(field.blank ? [] : [''])],
      );
    case 'email':
      return cells([field.example, long(field.max)], ['x', long(field.max + 1)]);
    case 'choice':
      return cells([...field.choices], ['noon', '', `${field.choices[0]} `]);
    case 'date':
      return cells(['0000-01-01', '9999-12-31', field.example], ['noon', '2026-1-5', '2026-01-05T00:00', '']);
    case 'boolean':
      return cells([0, 1], [2, -1, 'true']);
    case 'list': {
      const listOf = (count: number) => JSON.stringify(Array(count).fill(field.example[0]));
      return cells(
        [listOf(field.min), listOf(field.max)],
        [listOf(field.min - 1), listOf(field.max + 1), 'noon', '{}', '1'],
      );
    }
  }
}

const fields = kindNames.flatMap((noun) =>
  Object.entries(kinds[noun].fields)
    .filter(([name]) => name !== 'id' && name !== 'userId')
    .map(([name, field]) => [noun, name, field as Field] as const),
);

test.each(['new', ...old])(
  '%s: every value that the definitions allow can be stored, and no other',
  (origin) => {
    const store = storeOf(origin);
    const users = store.users.create(user());
    const userId = users.id;
    const ids = {
      user: userId,
      ...Object.fromEntries(
        ownedKindNames.map((noun) => [
          noun,
          (store.of(noun) as Records<'log'>).create({ ...examples(noun), userId } as never).id,
        ]),
      ),
    } as Record<KindName, number>;
    const db = dbOf(store);
    const wrong = fields.flatMap(([noun, name, field]) => {
      const set = (cell: unknown) => {
        try {
          store.change(() =>
            db.run(`UPDATE ${kinds[noun].table} SET ${name} = ? WHERE id = ?`, cell as string, ids[noun]),
          );
          return true;
        } catch {
          return false;
        }
      };
      const { allowed, refused } = cellsOf(field);
      return [
        ...allowed.filter((cell) => !set(cell)).map((cell) => `${noun}.${name} cannot be ${cell}`),
        ...refused.filter(set).map((cell) => `${noun}.${name} can be ${cell}`),
      ];
    });
    expect(wrong).toEqual([]);
  },
);

/** Records with every field, the optional ones included: the examples of the definitions. */
const complete = (noun: KindName) => ({
  ...examples(noun),
  id: 100,
  ...(noun !== 'user' && { userId: 100 }),
});

test.each(['new', ...old])('%s: the history keeps every field', (origin) => {
  const store = storeOf(origin);
  for (const noun of kindNames) store.of(noun).restore(complete(noun) as never);
  store.users.delete(100);
  const changes = store.history.list({ user: 100 });
  const entry = (noun: KindName, wanted: string) =>
    changes.find(({ record, action }) => record === noun && action === wanted);
  for (const noun of kindNames) {
    expect(entry(noun, 'create')?.after).toEqual(complete(noun));
    expect(entry(noun, 'delete')?.before).toEqual(complete(noun));
  }
});
