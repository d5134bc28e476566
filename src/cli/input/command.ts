import { Command as Base, Option } from 'commander';
import { kindOfField } from '../../domain/field-kinds.ts';
import type { Field, Fields } from '../../domain/fields.ts';
import { daysTaken } from '../../domain/words/spoken-day.ts';

/** A commander command, with methods for what most commands here need. */
export class Command extends Base {
  override createCommand(name?: string): Command {
    return new Command(name);
  }

  /** Its line in a list of commands: by default its description up to the first full stop or colon. */
  override summary(): string;
  override summary(text: string): this;
  override summary(text?: string): string | this {
    if (text !== undefined) return super.summary(text);
    return super.summary() || this.description().replace(/[.:](?: .*)?$/s, '');
  }

  /** Adds the flags of fields: names, help, bounds and choices come from the definitions. */
  fields(fields: Fields): this {
    for (const option of Object.values(fields).flatMap(optionsOf)) this.addOption(option);
    return this;
  }

  /** Adds a flag whose value is one of a few words. */
  choice(flags: string, help: string, words: readonly string[]): this {
    return this.addOption(new Option(flags, help).choices(words));
  }

  /** Adds a flag that may be given several times: its value is a list. */
  repeatable(flags: string, help: string): this {
    const collect = (value: string, before: string[]) => [...before, value];
    return this.option(flags, `${help}; may be repeated`, collect, []);
  }

  /** Adds examples at the end of its help. */
  examples(...lines: readonly string[]): this {
    return this.addHelpText('after', `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`);
  }
}

function optionsOf(field: Field): Option[] {
  if (field.kind === 'boolean')
    return [
      new Option(`--${field.flag}`, field.help),
      new Option(`--no-${field.flag}`, `the opposite of --${field.flag}`),
    ];
  const help = field.kind === 'date' ? `${field.help} (YYYY-MM-DD, ${daysTaken(field)})` : field.help;
  const option = new Option(`--${field.flag} <${kindOfField(field).placeholder(field)}>`, help);
  // For help and completion; the schema checks the value.
  if (field.kind === 'choice') option.argChoices = [...field.choices];
  return [option];
}
