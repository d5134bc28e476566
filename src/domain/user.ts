import { choice, date, email, integer, MAX_ID, type RecordOf, text } from './fields.ts';
import { defineKind } from './kind.ts';

export const painLocations = [
  'lower-back-left',
  'lower-back-right',
  'glute-left',
  'glute-right',
  'calf-left',
  'calf-right',
] as const;

export const id = integer({
  label: 'Id',
  flag: 'id',
  help: 'Assigned by sciatica, never used again',
  min: 1,
  max: MAX_ID,
  example: 1,
});

/** A pain level on the interface's scale of 1 to 10; there is no 0. */
export const pain = (label: string, flag: string, help: string, example: number) =>
  integer({ label, flag, help: `${help}, 1 to 10`, min: 1, max: 10, example });

/** A user's profile; the service adds the id. */
export const userFields = {
  firstName: text({
    label: 'First name',
    flag: 'first-name',
    help: 'First name',
    max: 100,
    blank: false,
    example: 'Nora',
  }),
  lastName: text({
    label: 'Last name',
    flag: 'last-name',
    help: 'Last name',
    max: 100,
    blank: false,
    example: 'Lind',
  }),
  email: email({
    label: 'E-mail',
    flag: 'email',
    help: 'E-mail address',
    hint: 'it stays on this computer; nothing is ever sent to it',
    max: 254,
    example: 'nora@example.org',
  }),
  age: integer({ label: 'Age', flag: 'age', help: 'Age in years', min: 0, max: 130, example: 44 }),
  painLocation: choice({
    label: 'Pain location',
    flag: 'pain-location',
    help: 'Where it hurts (glute: the buttock)',
    choices: painLocations,
    example: 'glute-left',
  }),
  painLevel: pain('Pain level', 'pain-level', 'Current pain', 6),
  diagnosisDate: date({
    label: 'Diagnosed',
    flag: 'diagnosis-date',
    help: 'Day of the diagnosis',
    hint: '2024 or march 2025 is enough',
    edge: 'first',
    example: '2026-01-15',
    past: true,
  }),
};

export const userRecord = { id, ...userFields };

export const userKind = defineKind({
  fields: userRecord,
  table: 'users',
  path: '/users',
  place: 'collection',
  verbs: ['list', 'create', 'read', 'replace', 'patch', 'delete', 'restore', 'history'],
  tag: 'Users',
  schema: 'User',
  described: { one: 'a user', many: 'users', about: 'Profiles: where it hurts, how much, since when.' },
  examples: { sort: 'lastName,id', fields: 'id,lastName', patch: { painLevel: 4 }, deleted: 2 },
  words: { one: 'user', many: 'users' },
  sign: ['firstName', 'email'],
});

/** The input that creates or replaces a user. */
export type UserInput = RecordOf<typeof userFields>;
export type User = RecordOf<typeof userRecord>;

/** The fields that identify a user, which an anonymous file leaves out. */
export const identifyingFields = ['firstName', 'lastName', 'email'] as const satisfies (keyof User)[];
