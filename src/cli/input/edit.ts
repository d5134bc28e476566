import type { Context } from '../../context.ts';
import type { Fields } from '../../domain/fields.ts';
import { Declined, usage } from '../terminal/errors.ts';
import type { Questions } from '../terminal/prompts.ts';
import { type Options, valuesOf } from './options.ts';

export interface Edited {
  fields: Fields;
  /** The fields that are asked for, in this order; by default all. */
  asked?: Fields;
  current: object;
  /** Custom prompts, by field. */
  ask?: Questions;
}

/**
 * The changes to a record: from the flags; without flags, from a prompt for each field with its current value as
 * default.
 * @throws SciaticaError `invalid` without flags and without a terminal
 */
export async function patchOf(
  context: Context,
  options: Options,
  { fields, asked = fields, current, ask = {} }: Edited,
): Promise<Record<string, unknown>> {
  const given = valuesOf(fields, options, context.today);
  if (Object.keys(given).length > 0) return given;
  const flags = Object.values(fields).map(({ flag }) => `--${flag}`);
  if (!context.interactive) throw usage(`Say what to change, with one or more of ${flags.join(', ')}.`);
  const { askFields } = await import('../terminal/prompts.ts');
  const values = current as Record<string, unknown>;
  const answers = await askFields(context, asked, values, ask);
  const changed = ([name, answer]: [string, unknown]) => answer !== (values[name] ?? null);
  return Object.fromEntries(Object.entries(answers).filter(changed));
}

/**
 * Asks whether to go on, unless `--yes` was given.
 * @param effect what would be done, for the error without a terminal
 * @throws Declined with the message `declined`; SciaticaError `invalid` without a terminal
 */
export async function confirmed(
  context: Context,
  options: Options,
  question: string,
  declined: string,
  effect?: string,
): Promise<void> {
  if (options['yes']) return;
  if (!context.interactive)
    throw usage(
      `This ${effect === undefined ? 'asks first, which takes a terminal' : `would ${effect}`}. To do it unasked, add --yes.`,
    );
  const { askYesNo } = await import('../terminal/prompts.ts');
  if (!(await askYesNo(context, question, false))) throw new Declined(declined);
}
