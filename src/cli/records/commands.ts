import type { Context } from '../../context.ts';
import { commandsOf, type KindName, kindOf, type RecordOfKind, withArticle } from '../../domain/kinds.ts';
import type { Command } from '../input/command.ts';
import { anywayOption } from '../input/days.ts';
import { idOf, jsonOption } from '../input/options.ts';
import type { Options } from '../terminal/output.ts';
import { addRecord, editRecord, givenFields, removeRecords, showRecord } from './verbs.ts';

/** Commands for a kind of record, generated from its definition. */

/** Adds the flags of the fields and, if one is a day in the past, `--anyway`, which accepts any day. */
function addFields(command: Command, kind: KindName): Command {
  const fields = givenFields(kind);
  command.fields(fields);
  const hasDay = Object.values(fields).some((field) => field.kind === 'date' && field.past);
  return hasDay ? command.addOption(anywayOption()) : command;
}

/** Declares a verb of a kind, without its arguments and action. @param lines examples for the help */
export function verb(
  group: Command,
  kind: KindName,
  name: keyof Texts['examples'],
  lines: readonly string[],
): Command {
  const { one, many } = kindOf(kind).words;
  const descriptions = {
    add: `Add ${withArticle(one)}. In a terminal, what is missing is asked for.`,
    show: `Show ${withArticle(one)}.`,
    edit: 'Change the fields that the flags name. In a terminal, without flags, it asks field by field.',
    rm: `Remove one or more ${many}. It asks first.`,
  };
  const command = group.command(name).description(descriptions[name]);
  if (name === 'edit') command.summary(`Change ${withArticle(one)}`);
  if (name === 'add' || name === 'edit') addFields(command, kind);
  if (name === 'rm') command.summary(`Remove ${many}`).option('--yes', 'do not ask');
  else command.addOption(jsonOption());
  return command.examples(...lines);
}

/** Help texts that the definition of a kind does not contain: a description, and examples for each verb. */
interface Texts {
  description: string;
  examples: Readonly<Record<'add' | 'show' | 'edit' | 'rm', readonly string[]>>;
}

export function addRecordCommand<K extends KindName>(
  program: Command,
  context: Context,
  kind: K,
  texts: Texts,
  afterWrite: (record: RecordOfKind<K>) => unknown = () => {},
): void {
  const { one } = kindOf(kind).words;
  const group = program
    .command(commandsOf(kind).one)
    .helpCommand(false)
    .summary(`Add, show, change or remove ${withArticle(one)}`)
    .description(texts.description);
  verb(group, kind, 'add', texts.examples.add).action(async (options: Options) => {
    await afterWrite(await addRecord(context, options, kind));
  });
  addStoredVerbs(group, context, kind, texts.examples, afterWrite);
}

/** Declares `show`, `edit` and `rm`. @param lines examples for each @param afterEdit called with a record after a change */
export function addStoredVerbs<K extends KindName>(
  group: Command,
  context: Context,
  kind: K,
  lines: Readonly<Record<'show' | 'edit' | 'rm', readonly string[]>>,
  afterEdit: (record: RecordOfKind<K>) => unknown = () => {},
): void {
  const { one, many } = kindOf(kind).words;
  verb(group, kind, 'show', lines.show)
    .argument('<id>', `id of the ${one}`)
    .action((id: string, options: Options) => showRecord(context, options, kind, idOf(id)));
  verb(group, kind, 'edit', lines.edit)
    .argument('<id>', `id of the ${one}`)
    .action(async (id: string, options: Options) => {
      const changed = await editRecord(context, options, kind, () => idOf(id));
      if (changed) await afterEdit(changed.record);
    });
  verb(group, kind, 'rm', lines.rm)
    .argument('<id...>', `ids of the ${many}`)
    .action(async (texts: string[], options: Options) => {
      const ids = texts.map((text) => idOf(text));
      await removeRecords(context, options, kind, ids);
    });
}
