import type { Context } from '../../context.ts';
import type { Fields, RecordOf } from '../../domain/fields.ts';
import { namingFlags } from '../errors.ts';
import { type Options, valuesOf } from './options.ts';

/**
 * What the flags of `fields` ask for, checked.
 * @throws SciaticaError `invalid` that names every flag at fault
 */
export async function parseFlags<Fs extends Fields>(
  context: Context,
  options: Options,
  fields: Fs,
): Promise<Partial<RecordOf<Fs>>> {
  const given = valuesOf(fields, options, context.today);
  if (Object.keys(given).length === 0) return {};
  const { check, objectOf } = await import('../../domain/schema.ts');
  return namingFlags(fields, () => check(objectOf(fields).partial(), given)) as Partial<RecordOf<Fs>>;
}
