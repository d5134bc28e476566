import { expectation, type Field, type Fields } from './fields.ts';
import { logRecord } from './log.ts';
import { userRecord } from './user.ts';

/** One field of the data dictionary. */
export interface Entry {
  record: 'user' | 'userExerciseLog';
  name: string;
  type: Field['kind'];
  /** What it takes, in words. */
  takes: string;
  /** Least and greatest value of an integer. */
  minimum?: number;
  maximum?: number;
  /** Least and most characters of a text. */
  minLength?: number;
  maxLength?: number;
  /** The values allowed. */
  values?: readonly string[];
  /** Whether a new record needs it. */
  required: boolean;
  /** The command-line flag; null for an id, which is assigned. */
  flag: string | null;
  description: string;
  example: string | number | boolean;
}

/** Every field of the records, in order. */
export function dictionary(): Entry[] {
  return [...entries('user', userRecord), ...entries('userExerciseLog', logRecord)];
}

function entries(record: Entry['record'], fields: Fields): Entry[] {
  return Object.entries(fields).map(([name, field]) => ({
    record,
    name,
    type: field.kind,
    takes: expectation(field),
    ...bounds(field),
    required: name !== 'id' && !field.optional,
    flag: name === 'id' ? null : `--${field.flag}`,
    description: field.help,
    example: field.example,
  }));
}

function bounds(field: Field): Pick<Entry, 'minimum' | 'maximum' | 'minLength' | 'maxLength' | 'values'> {
  switch (field.kind) {
    case 'integer':
      return { minimum: field.min, maximum: field.max };
    case 'text':
      return { minLength: field.blank ? 0 : 1, maxLength: field.max };
    case 'email':
      return { maxLength: field.max };
    case 'choice':
      return { values: field.choices };
    case 'boolean':
    case 'date':
      return {};
  }
}
