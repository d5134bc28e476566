import { Option } from 'commander';
import type { Fields } from '../../domain/fields.ts';
import { namingFlags } from '../errors.ts';
import type { Options } from './options.ts';

/** `--sort` of commands that list records. */
export const sortOption = (example: string) =>
  new Option('--sort <fields>', `such as ${example}: fields, with - in front the other way round`);

/**
 * The order that `--sort` asks for.
 * @throws SciaticaError `invalid` for what is no field of the record, or is named twice
 */
export async function sortOf(options: Options, fields: Fields): Promise<{ sort?: string }> {
  const sort = options['sort'];
  if (typeof sort !== 'string') return {};
  const { parseSort } = await import('../../domain/lists/sort.ts');
  namingFlags({}, () => parseSort(sort, Object.keys(fields)));
  return { sort };
}
