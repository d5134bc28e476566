import type { Context } from '../../context.ts';
import type { Fields, RecordOf } from '../../domain/fields.ts';
import { namingFlags } from '../terminal/errors.ts';
import { dayFaults, type Options, valuesOf } from './options.ts';

/**
 * Parses and checks the flags of `fields`.
 * @throws SciaticaError `invalid` that names every wrong flag
 */
export async function parseFlags<Fs extends Fields>(
  context: Context,
  options: Options,
  fields: Fs,
): Promise<Partial<RecordOf<Fs>>> {
  const given = valuesOf(fields, options, context.today);
  if (Object.keys(given).length === 0) return {};
  const { check, partialOf } = await import('../../domain/schema.ts');
  const faults = dayFaults(fields, given, context.today);
  return namingFlags(fields, () => check(partialOf(fields), given), faults) as Partial<RecordOf<Fs>>;
}
