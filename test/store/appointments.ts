import { type Fields, integer, text } from '../../src/domain/fields.ts';
import { defineKind } from '../../src/domain/kind.ts';
import { type KindName, kindNames, kinds, ownedKindNames } from '../../src/domain/kinds.ts';
import { logFields, logRecord } from '../../src/domain/log.ts';
import { migrations } from '../../src/store/sqlite/migrations/index.ts';

/**
 * A kind of record that there is not, with fields called as the store calls things of its own. Import it before anything that is
 * made from the kinds.
 */

/** Names that the SQL of the store has, or had, for what is no field. */
const words = ['place', 'json', 'outcome', 'line', 'record', 'agreed', 'state', 'earlier', 'same'] as const;
const numbers = ['at', 'theirId', 'ourId', 'newId', 'origin', 'change', 'position', 'ordinal', 'nth', 'seq'];

const word = (name: string) =>
  text({ label: name, flag: name, help: name, max: 50, blank: true, example: `a ${name}` });
const number = (name: string) =>
  integer({ label: name, flag: name, help: name, min: 0, max: 1000, example: 7 });

const fields: Fields = {
  id: logRecord.id,
  userId: logFields.userId,
  date: logFields.date,
  key: word('key'),
  ...Object.fromEntries(words.map((name) => [name, word(name)])),
  ...Object.fromEntries(numbers.map((name) => [name, number(name)])),
  remark: text({
    label: 'Remark',
    flag: 'remark',
    help: 'Remark',
    max: 50,
    blank: false,
    optional: true,
    example: 'late',
  }),
};

/** Another order than that of the fields; the optional one last, as if it had come later. */
const columns = [
  'userId INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE',
  ...numbers.map((name) => `${name} INTEGER NOT NULL`),
  ...[...words, 'key', 'date'].map((name) => `${name} TEXT NOT NULL`),
];

export const APPOINTMENT = 'appointment' as KindName;

const appointmentKind = defineKind({
  fields,
  table: 'appointments',
  path: '/appointments',
  place: 'below-user',
  verbs: ['list', 'create', 'read', 'replace', 'delete', 'restore'],
  tag: 'Appointments',
  schema: 'Appointment',
  described: { one: 'an appointment', many: 'appointments', about: 'Days to see somebody.' },
  words: { one: 'appointment', many: 'appointments' },
  sign: ['place'],
  key: { field: 'key', of: ({ key }) => String(key), taken: 'is the key of another appointment' },
});

Object.assign(kinds, { [APPOINTMENT]: appointmentKind });
for (const names of [kindNames, ownedKindNames]) (names as string[]).push(APPOINTMENT);
(migrations as string[]).push(
  `CREATE TABLE appointments (id INTEGER PRIMARY KEY AUTOINCREMENT, ${columns.join(', ')}) STRICT;
   CREATE INDEX appointments_by_user ON appointments (userId)`,
  'ALTER TABLE appointments ADD COLUMN remark TEXT',
);

export const fieldNames = Object.keys(fields);

/** An appointment of user 1; each text differs by `n`, and the numbers go down as it goes up. */
export const appointment = (n: number, given: object = {}): never =>
  ({
    userId: 1,
    date: `2026-03-0${1 + (n % 9)}`,
    key: `k${n}`,
    ...Object.fromEntries(words.map((name) => [name, `${name} ${n % 3}`])),
    ...Object.fromEntries(numbers.map((name) => [name, 100 - n])),
    ...given,
  }) as never;
