import { expectation, type Field, type Fields } from './fields.ts';
import { kindNames, kindOf } from './kinds.ts';

/** One field of the data dictionary. */
export interface Entry {
  /** The name of its schema in the API, beginning with a small letter. */
  record: string;
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
  /** Fewest and most objects of a list. */
  minItems?: number;
  maxItems?: number;
  /** The values allowed. */
  values?: readonly string[];
  /** Whether a new record needs it. */
  required: boolean;
  /** The command-line flag; null for an id, which is assigned, and for a list. */
  flag: string | null;
  description: string;
  example: Field['example'];
}

/** Every field of the records, in order. */
export function dictionary(): Entry[] {
  return kindNames.flatMap((kind) => {
    const { schema, fields } = kindOf(kind);
    return entries(schema.charAt(0).toLowerCase() + schema.slice(1), fields);
  });
}

function entries(record: Entry['record'], fields: Fields): Entry[] {
  return Object.entries(fields).map(([name, field]) => ({
    record,
    name,
    type: field.kind,
    takes: expectation(field),
    ...bounds(field),
    required: name !== 'id' && !field.optional,
    flag: name === 'id' || field.kind === 'list' ? null : `--${field.flag}`,
    description: field.help,
    example: field.example,
  }));
}

function bounds(
  field: Field,
): Pick<Entry, 'minimum' | 'maximum' | 'minLength' | 'maxLength' | 'minItems' | 'maxItems' | 'values'> {
  switch (field.kind) {
    case 'integer':
      return { minimum: field.min, maximum: field.max };
    case 'text':
      return { minLength: field.blank ? 0 : 1, maxLength: field.max };
    case 'email':
      return { maxLength: field.max };
    case 'choice':
      return { values: field.choices };
    case 'list':
      return { minItems: field.min, maxItems: field.max };
    case 'boolean':
    case 'date':
      return {};
  }
}
