import type { Context } from '../../context.ts';
import { expectation, kindOfField } from '../../domain/field-kinds.ts';
import { type KindName, kindNames, kindOf } from '../../domain/kinds.ts';
import type { Command } from '../input/command.ts';
import { type Options, plainJsonOption } from '../input/options.ts';
import { canvasOf } from '../terminal/canvas.ts';
import { capital } from '../terminal/help.ts';
import { print } from '../terminal/io.ts';
import { printJson } from '../terminal/output.ts';
import { wrap } from '../terminal/width.ts';

export function addFieldsCommand(program: Command, context: Context): void {
  const all = kindNames.map((name) => kindOf(name).described.one);
  program
    .command('fields')
    .summary('Explain every field of the records')
    .description(
      `The data dictionary: each field of ${all.slice(0, -1).join(', ')} and ${all.at(-1)}, with what it accepts, its flag and an example.`,
    )
    .addOption(plainJsonOption())
    .examples('sciatica fields', 'sciatica fields --json > dictionary.json')
    .action((options: Options) => explainFields(context, options));
}

async function explainFields(context: Context, options: Options): Promise<void> {
  if (options['json']) return printJson(context, dictionary());
  const canvas = await canvasOf(context);
  const linesOf = (entry: Entry) => {
    const flag = entry.flag === null ? '' : `  ${entry.flag}`;
    const text = `${entry.description}: ${entry.takes}${example(entry)}${isOptional(entry) ? '; optional' : ''}.`;
    return [`  ${entry.name}${flag}`, ...wrap(text, canvas, INDENT)];
  };
  const parts = kindNames.map((kind) => {
    const title = `${capital(kindOf(kind).described.one)} (required, unless said optional)`;
    return [title, ...entriesOf(kind).flatMap(linesOf)].join('\n');
  });
  print(context, parts.join('\n\n'));
}

const INDENT = 6;

const isOptional = ({ required, flag }: Entry) => !required && flag !== null;

/** Omitted if the description of the values contains an example already. */
const example = ({ type, example }: Entry) =>
  type === 'choice' || type === 'email' || type === 'boolean' || type === 'list'
    ? ''
    : `; such as ${example}`;

type Entry = ReturnType<typeof entriesOf>[number];

export function dictionary(): Entry[] {
  return kindNames.flatMap(entriesOf);
}

function entriesOf(kind: KindName) {
  const { schema, fields } = kindOf(kind);
  return Object.entries(fields).map(([name, field]) => ({
    // The name of its schema in the API, with a small first letter.
    record: schema.charAt(0).toLowerCase() + schema.slice(1),
    name,
    type: field.kind,
    takes: expectation(field),
    ...kindOfField(field).bounds(field),
    required: name !== 'id' && !field.optional,
    // An id is assigned, and a list is given as positional arguments.
    flag: name === 'id' || field.kind === 'list' ? null : `--${field.flag}`,
    description: field.help,
    example: field.example,
  }));
}
