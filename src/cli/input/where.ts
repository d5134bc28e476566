import { Option } from 'commander';
import type { Context } from '../../context.ts';
import type { Fields } from '../../domain/fields.ts';
import {
  type Comparison,
  type Matching,
  type Operator,
  operatorNames,
  operators,
  operatorsOf,
} from '../../domain/filter.ts';
import { textMeant } from '../../domain/typed.ts';
import { parseDay } from '../../domain/words/spoken-day.ts';
import { didYouMean } from '../../domain/words/suggest.ts';
import { namingFlags, usage } from '../terminal/errors.ts';
import { escapeControls } from '../terminal/io.ts';
import type { Command } from './command.ts';
import type { Options } from './options.ts';

/** The longest first, so that the pattern below finds `>=` before `>`. */
const SIGNS = operatorNames
  .map((operator) => ({ operator, sign: operators[operator].sign as string }))
  .toSorted((a, b) => b.sign.length - a.sign.length);

const CONDITION = new RegExp(`^\\s*(\\w+)\\s*(${SIGNS.map(({ sign }) => sign).join('|')})(.*)$`, 's');

/** Which day of a month or year stands for it in a comparison: `date<=2026-03` includes all of March. */
const EDGES: Partial<Record<Operator, 'first' | 'last'>> = {
  gte: 'first',
  lt: 'first',
  lte: 'last',
  gt: 'last',
};

/** `--where`. It knows the fields that it can compare, for shell completion. */
export class WhereOption extends Option {
  constructor(readonly fields: Fields) {
    super(
      '--where <condition>',
      `field, ${operatorNames.map((name) => operators[name].sign).join(' ')} and value, such as 'id>=7'; ~ means contains; may be repeated`,
    );
    this.default([]).argParser((text: string, before: string[]) => [...before, text]);
  }

  /** The beginnings of all possible conditions: `painAfter>=`. */
  get beginnings(): string[] {
    return Object.entries(this.fields).flatMap(([name, field]) =>
      operatorsOf(field).map((operator) => `${name}${operators[operator].sign}`),
    );
  }
}

/** Adds `--where` and `--search` to a command that lists records with these fields. */
export function addMatchingOptions(command: Command, fields: Fields): Command {
  return command
    .addOption(new WhereOption(fields))
    .option('--search <text>', 'only records that contain this text, in capitals or not');
}

/**
 * Parses the flags of `addMatchingOptions`.
 * @throws SciaticaError `invalid` with every fault
 */
export async function matchingOf(context: Context, options: Options, fields: Fields): Promise<Matching> {
  const search = options['search'];
  if (search === '') throw usage('--search needs a text to look for.');
  const where = await whereOf(context, (options['where'] ?? []) as string[], fields);
  return {
    ...(where.length > 0 && { where }),
    ...(typeof search === 'string' && { search }),
  };
}

async function whereOf(context: Context, texts: readonly string[], fields: Fields): Promise<Comparison[]> {
  if (texts.length === 0) return [];
  const { readConditions } = await import('../../domain/where.ts');
  const asked = texts.map((condition) => {
    const [, name = '', sign = '', text = ''] = CONDITION.exec(condition) ?? [];
    const operator = SIGNS.find((one) => one.sign === sign)?.operator;
    if (!operator) throw usage(`--where ${shown(condition)} is no condition: it must be like 'id>=7'.`);
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    const known = Object.keys(fields);
    if (!field)
      throw usage(
        `--where: "${name}" is not a field${didYouMean(name, known)}. The fields are ${known.join(', ')}.`,
      );
    const signs = operatorsOf(field).map((one) => operators[one].sign);
    if (!operatorsOf(field).includes(operator))
      throw usage(`--where: ${name} cannot be compared with ${sign}, only with ${signs.join(' ')}.`);
    const meant =
      field.kind === 'date'
        ? parseDay(text, context.today, EDGES[operator])
        : textMeant(field, text.trim(), context.today);
    return {
      filter: `${name}${operators[operator].suffix}`,
      name: `--where ${shown(condition)}: ${name}`,
      text: operator === 'like' ? text.trim() : meant,
    };
  });
  return readConditions(fields, asked);
}

const shown = (text: string) => `'${escapeControls(text.length > 60 ? `${text.slice(0, 60)}…` : text)}'`;

/** `--sort` of commands that list records. */
export const sortOption = (example: string) =>
  new Option('--sort <fields>', `fields such as ${example}; a - in front reverses the order`);

/**
 * Parses `--sort`.
 * @throws SciaticaError `invalid` for a name that is no field of the record, or is repeated
 */
export async function sortOf(options: Options, fields: Fields): Promise<{ sort?: string }> {
  const sort = options['sort'];
  if (typeof sort !== 'string') return {};
  const { parseSort } = await import('../../domain/sort.ts');
  namingFlags({}, () => parseSort(sort, Object.keys(fields)));
  return { sort };
}
