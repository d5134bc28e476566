import type { Context } from '../../context.ts';
import type { Fields } from '../../domain/fields.ts';
import { Declined, usage } from '../errors.ts';
import { type Options, valuesOf } from './options.ts';

/**
 * What to change in a record: what the flags say; without flags, in a terminal, each field is asked for with
 * its current value as the answer that Enter gives.
 * @throws SciaticaError `invalid` without flags where nobody can be asked
 */
export async function patchOf(
  context: Context,
  options: Options,
  { fields, asked = fields, current }: { fields: Fields; asked?: Fields; current: object },
): Promise<Record<string, unknown>> {
  const given = valuesOf(fields, options, context.today);
  if (Object.keys(given).length > 0) return given;
  const flags = Object.values(fields).map(({ flag }) => `--${flag}`);
  if (!context.interactive) throw usage(`Say what to change, with one or more of ${flags.join(', ')}.`);
  const { askFields } = await import('./prompts.ts');
  const values = current as Record<string, unknown>;
  const answers = await askFields(context, asked, values);
  const changed = ([name, answer]: [string, unknown]) => answer !== (values[name] ?? null);
  return Object.fromEntries(Object.entries(answers).filter(changed));
}

/**
 * Makes sure that a person wants to delete something.
 * @param what what would be gone
 * @throws Declined, or SciaticaError `invalid` where nobody can be asked
 */
export async function confirmDeletion(context: Context, options: Options, what: string): Promise<void> {
  if (!options['yes'] && !context.interactive)
    throw usage(`This would delete ${what}. To do it unasked, add --yes.`);
  await confirmed(context, options, `Delete ${what}?`, 'Nothing was deleted.');
}

/**
 * Asks whether to go on, unless `--yes` has said so.
 * @throws Declined with `declined`, or SciaticaError `invalid` where nobody can be asked
 */
export async function confirmed(
  context: Context,
  options: Options,
  question: string,
  declined: string,
): Promise<void> {
  if (options['yes']) return;
  if (!context.interactive) throw usage('Nobody is there to be asked. To do it unasked, add --yes.');
  const { askYesNo } = await import('./prompts.ts');
  if (!(await askYesNo(context, question, false))) throw new Declined(declined);
}
