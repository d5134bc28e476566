import { Option } from 'commander';
import type { Context } from '../../context.ts';
import type { DateField, Fields } from '../../domain/fields.ts';
import { faultOfHappening, isDay, yearsAgo } from '../../domain/words/day.ts';
import { Declined, usage } from '../terminal/errors.ts';
import { commandLine, quoted, say } from '../terminal/io.ts';
import { type Options, optionName } from './options.ts';

/** Checks days on which something has happened: one wrong digit in a year would distort every statistic. */

export const anywayOption = () =>
  new Option('--anyway', 'accept a day after tomorrow, or before the birth that the age implies');

/**
 * Refuses days after tomorrow or before the user's birth. In a terminal, asks again for such a day if it was answered to a
 * prompt, and asks whether the year of a session 10 or more years ago is right.
 * @param values the new values of the record; corrected in place
 * @param age of the user, in years; undefined if it is not known
 * @throws SciaticaError `invalid` for a day from a flag, or without a terminal; Declined if the year of a flag is not right
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

/** Whether to ask again for a day. @param isSession whether a day long ago is suspicious: a diagnosis may be old */
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

/** The error for a day among positional arguments. @param example a command line that lacks only the day */
export const dayAsWord = (context: Context, day: string, example: string, otherwise = '') =>
  usage(
    `${quoted(day)} is a day: give it with --date, as in ${commandLine(context, `${example} --date ${quoted(day)}`)}${otherwise}`,
  );

export const ageOf = ({ store }: Context, userId: unknown): number | undefined =>
  typeof userId === 'number' ? store.users.find(userId)?.age : undefined;

/** Local midnight at the beginning of a day (YYYY-MM-DD), in milliseconds since 1970. */
export const beginningOf = (day: string): number => new Date(`${day}T00:00`).getTime();
