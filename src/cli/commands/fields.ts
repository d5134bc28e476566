import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import type { Entry } from '../../domain/dictionary.ts';
import { kindNames, kindOf } from '../../domain/kinds.ts';
import { type Options, plainJsonOption } from '../input/options.ts';
import { capital, examples } from '../terminal/help.ts';
import { print } from '../terminal/io.ts';
import { printJson } from '../terminal/output.ts';

/** `sciatica fields` */
export function addFieldsCommand(program: Command, context: Context): void {
  const all = kindNames.map((name) => kindOf(name).described.one);
  program
    .command('fields')
    .summary('Explain every field of the records')
    .description(
      `The data dictionary: each field of ${all.slice(0, -1).join(', ')} and ${all.at(-1)}, what it takes, its flag and an example.`,
    )
    .addOption(plainJsonOption())
    .addHelpText('after', examples('sciatica fields', 'sciatica fields --json > dictionary.json'))
    .action((options: Options) => explainFields(context, options));
}

async function explainFields(context: Context, options: Options): Promise<void> {
  const { dictionary } = await import('../../domain/dictionary.ts');
  const entries = dictionary();
  if (options['json']) return printJson(context, entries);
  const { canvasOf, wrap } = await import('../terminal/layout.ts');
  const canvas = await canvasOf(context);
  const lines = entries.flatMap((entry) => [
    ...(entry.name === 'id' ? [`${entry === entries[0] ? '' : '\n'}${titleOf(entry)}`] : []),
    `  ${entry.name}${entry.flag === null ? '' : `  ${entry.flag}`}`,
    ...wrap(
      `${entry.description}: ${entry.takes}${example(entry)}${isOptional(entry) ? '; optional' : ''}.`,
      canvas,
      INDENT,
    ),
  ]);
  print(context, lines.join('\n'));
}

const INDENT = 6;

/** `An exercise log (required, unless said optional)` */
function titleOf({ record }: Entry): string {
  const kind = kindNames.map(kindOf).find(({ schema }) => schema.toLowerCase() === record.toLowerCase());
  return `${capital(kind?.described.one ?? record)} (required, unless said optional)`;
}

const isOptional = ({ required, flag }: Entry) => !required && flag !== null;

/** Left out where the description of its values names one already. */
const example = ({ type, example }: Entry) =>
  type === 'choice' || type === 'email' || type === 'boolean' || type === 'list'
    ? ''
    : `; such as ${example}`;
