import type { Field, Fields } from './fields.ts';

/** Every day but the 29th of February, whose years the schema knows. */
const DAY =
  /^\d{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)$/;

/**
 * Makes a quick check of records with these fields, which takes a tenth of the time of their schema.
 * @param hasAll whether every field that is not optional must be there
 * @param ignored a key that is left out of the record
 * @returns the record, in the order of its fields, if the value is plainly valid; undefined where the schema has to decide.
 *   The whole is undefined for fields of kinds that only the schema knows.
 */
export function plainCheckOf(
  fields: Fields,
  hasAll: boolean,
  ignored?: string,
): ((value: unknown) => Record<string, unknown> | undefined) | undefined {
  const each = Object.entries(fields);
  if (each.some(([, { kind }]) => kind === 'email' || kind === 'list')) return undefined;
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    const given = value as Record<string, unknown>;
    const record: Record<string, unknown> = {};
    let known = ignored !== undefined && Object.hasOwn(given, ignored) ? 1 : 0;
    for (const [name, field] of each) {
      if (Object.hasOwn(given, name)) {
        if (!isPlain(field, given[name])) return undefined;
        record[name] = given[name];
        known += 1;
      } else if (hasAll && !field.optional) return undefined;
    }
    return known === Object.keys(given).length ? record : undefined;
  };
}

/** Whether a value is what a field takes, as the schema has it; where this is not plain, false. */
function isPlain(field: Field, value: unknown): boolean {
  switch (field.kind) {
    case 'integer':
      return Number.isSafeInteger(value) && (value as number) >= field.min && (value as number) <= field.max;
    case 'boolean':
      return typeof value === 'boolean';
    case 'date':
      return typeof value === 'string' && DAY.test(value);
    case 'choice':
      return field.choices.includes(value as string);
    case 'text':
      return (
        typeof value === 'string' &&
        value.length <= field.max &&
        value.isWellFormed() &&
        !value.includes('\0') &&
        (field.blank || /\S/.test(value))
      );
    case 'email':
    case 'list':
      return false;
  }
}
