import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Context } from '../../context.ts';
import { fromTexts } from '../../domain/codec.ts';
import { type Fields, MAX_ID, type RecordOf } from '../../domain/fields.ts';
import { inOrder } from '../../domain/log.ts';
import { saysNone, textMeant } from '../../domain/typed.ts';
import { faultOfDay, inPlainDigits } from '../../domain/words/spoken-day.ts';
import { namingFlags, usage } from '../terminal/errors.ts';
import { escapeControls, quoted, STDOUT } from '../terminal/io.ts';
import type { Options } from '../terminal/output.ts';

export type { Options };

/** The name of a flag among commander's options: `first-name` is `firstName`. */
export const optionName = (flag: string) =>
  flag.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());

/**
 * The values of the flags of `fields`, by field, unchecked. A day such as -3d is relative to `today`; the beginning
 * of a choice stands for it; an empty text, or `none`, removes an optional value, which is null.
 */
export function valuesOf(fields: Fields, options: Options, today: string): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  const texts: Record<string, string> = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = options[optionName(field.flag)];
    if (typeof value === 'string' && saysNone(field, value)) values[name] = null;
    else if (typeof value === 'string') texts[name] = textMeant(field, value, today);
    else if (value !== undefined) values[name] = value;
  }
  return { ...values, ...fromTexts(fields, texts) };
}

/** Specific faults of the days among `values`, by field, such as an ambiguous date. Without one, the schema's applies. */
export function dayFaults(
  fields: Fields,
  values: Readonly<Record<string, unknown>>,
  today: string,
): Record<string, string> {
  const faults: Record<string, string> = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = values[name];
    const fault =
      field.kind === 'date' && typeof value === 'string' ? faultOfDay(value, today, field.edge) : undefined;
    if (fault) faults[name] = fault;
  }
  return faults;
}

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
  const checked = () => inOrder(check(partialOf(fields), given));
  return namingFlags(fields, checked, faults) as Partial<RecordOf<Fs>>;
}

/** The required fields that have no value in `values`. */
export function missingOf(fields: Fields, values: Readonly<Record<string, unknown>>): Fields {
  return Object.fromEntries(
    Object.entries(fields).filter(([name, { optional }]) => !optional && values[name] === undefined),
  );
}

/**
 * Refuses a flag given twice, a flag with its opposite, and a flag in place of a value (`--name --type stretch`).
 * Must be called after all options of the command are declared.
 */
export function refuseRepeats(command: Command): void {
  const flags = command.options.map(({ long }) => long);
  const given = new Map<string, string>();
  for (const option of command.options) {
    const name = option.attributeName();
    const lone = command.options.every((other) => other === option || other.attributeName() !== name);
    if ((option.isBoolean() && lone) || Array.isArray(option.defaultValue)) continue;
    const flag = `--${option.name()}`;
    command.on(`option:${option.name()}`, (value: unknown) => {
      const before = given.get(name);
      if (before === flag) throw usage(`${flag} is given twice.`);
      if (before) throw usage(`${before} and ${flag} cannot both be given.`);
      if (typeof value === 'string' && flags.includes(value))
        throw usage(`${flag} needs a value, and ${value} is a flag.`);
      given.set(name, flag);
    });
  }
}

/**
 * Parses an id from the command line.
 * @param what subject of the error message
 * @param hint appended to the error message
 * @throws SciaticaError `invalid`
 */
export function idOf(text: string, what = 'An id', hint = ''): number {
  const plain = inPlainDigits(text);
  const id = /^\d{1,15}$/.test(plain) ? Number(plain) : 0;
  if (id < 1 || id > MAX_ID) throw usage(`${what} must be a whole number, 1 or more, not "${text}".${hint}`);
  return id;
}

/** Parses a count such as `--limit 10`, 1 to 999,999,999. @throws InvalidArgumentError */
export function countOf(text: string): number {
  const plain = inPlainDigits(text);
  if (!/^\d{1,9}$/.test(plain) || Number(plain) < 1)
    throw new InvalidArgumentError('It must be a whole number, 1 or more.');
  return Number(plain);
}

/** @throws SciaticaError `invalid` for `-`, which is stdout, in commands that write to files only */
export function refuseStdout(file: string | undefined): void {
  if (file === STDOUT) throw usage('It goes to a file, not to stdout: give the name of one.');
}

const HOUR = 3_600_000;

/** Parses a lifetime such as `90d` or `12h`, 1 to 99,999 of them. @returns milliseconds @throws InvalidArgumentError */
export function lifetimeOf(text: string): number {
  const [, count = '', unit] = /^(\d{1,5})([dh])$/.exec(text) ?? [];
  if (Number(count) < 1) throw new InvalidArgumentError('It must be days or hours, such as 90d or 12h.');
  return Number(count) * (unit === 'd' ? 24 : 1) * HOUR;
}

/** `--json [fields]` of commands that print records. */
export const jsonOption = () =>
  new Option('--json [fields]', 'as JSON, as the service gives it; id,date gives only these fields');

/** `--json` without fields, for output other than a list of records. */
export const plainJsonOption = () => new Option('--json', 'as JSON');

export const csvOption = () => new Option('--csv', 'as CSV with a header').conflicts('json');

/** The error for a value that is given both by a positional argument and by a flag. */
export const saidTwice = (word: unknown, flag: string) =>
  usage(`${quoted(escapeControls(String(word)))} and --${flag} say the same: give one of them.`);
