import { Option } from 'commander';
import type { Context } from '../../context.ts';
import type { DateField, Fields } from '../../domain/fields.ts';
import { faultOfHappening, isDay, yearsAgo } from '../../domain/words/day.ts';
import { Declined, usage } from '../terminal/errors.ts';
import { commandLine, quoted, say } from '../terminal/io.ts';
import { type Options, optionName } from './options.ts';

/** Days on which something is said to have happened: one wrong digit of a year would change every figure. */

export const anywayOption = () =>
  new Option('--anyway', 'accept a day after tomorrow, or before the birth that the age implies');

/**
 * Refuses days on which nothing can have happened to the person. In a terminal those that were answered are asked for again,
 * and so is, once confirmed wrong, a session long ago.
 * @param values the fields of the record that are new; corrected in place
 * @param age of the person, in years; undefined if it is not known
 * @throws SciaticaError `invalid` for a day that a flag gave; Declined
 */
export async function settleDays(
  context: Context,
  options: Options,
  fields: Fields,
  values: Record<string, unknown>,
  age: unknown,
): Promise<void> {
  for (const [name, field] of Object.entries(fields)) {
    if (field.kind !== 'date' || !field.past) continue;
    for (let day = values[name]; isDay(day); day = values[name]) {
      if (!(await mustAskAgain(context, options, field, day, age, !('age' in fields)))) break;
      const { askField } = await import('../terminal/prompts.ts');
      values[name] = await askField(context, field, context.today);
    }
  }
}

/** @param isSession whether a day long ago is strange: a diagnosis may be old */
async function mustAskAgain(
  context: Context,
  options: Options,
  field: DateField,
  day: string,
  age: unknown,
  isSession: boolean,
): Promise<boolean> {
  if (options['anyway'] === true) return false;
  const isFlag = options[optionName(field.flag)] !== undefined;
  const fault = faultOfHappening(day, context.today, typeof age === 'number' ? age : undefined);
  if (fault && (isFlag || !context.interactive))
    throw usage(`--${field.flag} ${day} ${fault}. If the day is right: --anyway`);
  if (fault) {
    say(context, `${day} ${fault}.`);
    return true;
  }
  const years = isSession && context.interactive ? yearsAgo(day, context.today) : undefined;
  if (years === undefined) return false;
  const { askYesNo } = await import('../terminal/prompts.ts');
  if (await askYesNo(context, `${day} is ${years} years ago. Is the year right?`, false)) return false;
  if (isFlag) throw new Declined('Nothing was recorded.');
  return true;
}

/** The error of a day among the words of a command. @param example a command line without a day */
export const dayAsWord = (context: Context, day: string, example: string, otherwise = '') =>
  usage(
    `${quoted(day)} is a day: give it with --date, as in ${commandLine(context, `${example} --date ${quoted(day)}`)}${otherwise}`,
  );

export const ageOf = ({ store }: Context, userId: unknown): number | undefined =>
  typeof userId === 'number' ? store.users.find(userId)?.age : undefined;

/** Local midnight at which a day begins, in milliseconds since 1970. */
export const beginningOf = (day: string): number => new Date(`${day}T00:00`).getTime();
