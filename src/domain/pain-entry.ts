import { timesOfDay } from './day-pain.ts';
import { choice, type RecordOf } from './fields.ts';
import { defineKind } from './kind.ts';
import { dayFilters, logFields } from './log.ts';
import { id, pain } from './user.ts';

/** Pain at some time of a day, with or without exercise; the service adds the id. A day may have several entries. */
export const painEntryFields = {
  userId: { ...logFields.userId, help: 'Id of the user whose pain it is' },
  date: { ...logFields.date, help: 'Day of the pain' },
  timeOfDay: choice({
    label: 'Time',
    flag: 'time',
    help: 'Time of day',
    choices: timesOfDay,
    optional: true,
    example: 'night',
  }),
  pain: pain('Pain', 'pain', 'Pain', 7),
  medication: logFields.medication,
  notes: {
    ...logFields.notes,
    help: 'Notes about the pain',
    blank: false,
    optional: true as const,
    example: 'could not sleep',
  },
};

const painEntryRecord = { id, ...painEntryFields };

export const painEntryKind = defineKind({
  fields: painEntryRecord,
  table: 'painEntries',
  path: '/painEntries',
  place: 'collection',
  verbs: ['list', 'create', 'read', 'replace', 'patch', 'delete', 'restore', 'history'],
  tag: 'Pain entries',
  schema: 'PainEntry',
  described: {
    one: 'a pain entry',
    many: 'pain entries',
    about: 'Pain at some time of a day, with or without exercise.',
  },
  filters: dayFilters,
  examples: { sort: '-date,id', fields: 'id,date,pain', patch: { pain: 3 }, deleted: 1 },
  words: { one: 'pain entry', many: 'pain entries' },
  commands: { one: 'pain', many: 'pains' },
  sign: ['pain'],
});

export type PainEntry = RecordOf<typeof painEntryRecord>;
