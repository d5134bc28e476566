import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { logFields, logRecord } from '../../domain/log.ts';
import { namingFlags } from '../errors.ts';
import { examples } from '../help.ts';
import { confirmDeletion, patchOf } from '../input/edit.ts';
import { addFieldOptions, idOf, jsonOption, type Options } from '../input/options.ts';
import { palette } from '../output/colour.ts';
import { counted, print, say } from '../output/io.ts';
import { checkJson, printDone, printRecord } from '../output/output.ts';
import { logColumns, nameOf, summaryOfLog } from '../views/records.ts';
import { redFlagsHelp } from '../views/red-flags.ts';

/** `sciatica log add|show|edit|rm` */
export function addLogCommand(program: Command, context: Context): void {
  const log = program
    .command('log')
    .helpCommand(false)
    .summary('Record, show, change or remove an exercise')
    .description('One session of one exercise: what was done, and the pain before and after.');

  const add = log
    .command('add')
    .summary('Record an exercise')
    .description(
      'Record an exercise. In a terminal, what is missing is asked for. The date is today, the notes are empty and the type is that of the last time, unless you say otherwise.',
    );
  addFieldOptions(add, logFields);
  add
    .addOption(jsonOption())
    .addHelpText(
      'after',
      examples(
        'sciatica log add',
        "sciatica log add --name 'Piriformis Stretch' --type stretch \\\n    --before 6 --after 4 --effective",
        "sciatica log add --name 'Glute Bridge' --date yesterday \\\n    --before 5 --after 5 --no-effective --notes '3 sets of 10'",
      ),
    )
    .addHelpText('after', redFlagsHelp)
    .action(async (options: Options) => {
      const { addLog } = await import('../input/log-add.ts');
      await addLog(context, options);
    });

  log
    .command('show')
    .summary('Show a log')
    .description('Show a log.')
    .argument('<id>', 'id of the log')
    .addOption(jsonOption())
    .addHelpText('after', examples('sciatica log show 12', 'sciatica log show 12 --json'))
    .action((id: string, options: Options) => showLog(context, id, options));

  const edit = log
    .command('edit')
    .summary('Change a log')
    .description('Change what the flags say, or, in a terminal and without flags, be asked field by field.')
    .argument('<id>', 'id of the log');
  addFieldOptions(edit, logFields);
  edit
    .addOption(jsonOption())
    .addHelpText('after', examples('sciatica log edit 12', 'sciatica log edit 12 --after 3 --effective'))
    .action((id: string, options: Options) => editLog(context, id, options));

  log
    .command('rm')
    .summary('Remove logs')
    .description('Remove one or more logs. It asks first.')
    .argument('<id...>', 'ids of the logs')
    .option('--yes', 'do not ask')
    .addHelpText('after', examples('sciatica log rm 12', 'sciatica log rm 12 13 14 --yes'))
    .action((ids: string[], options: Options) => removeLogs(context, ids, options));
}

async function showLog(context: Context, id: string, options: Options): Promise<void> {
  const { logs, users } = context.store;
  const record = logs.get(idOf(id));
  const userName = (userId: number) => nameOf(users.get(userId));
  const columns = logColumns(await palette(context), userName);
  printRecord(context, options, { fields: logRecord, columns, record });
}

async function editLog(context: Context, text: string, options: Options): Promise<void> {
  checkJson(options, logRecord);
  const { checkLogChange } = await import('../../store/records/checks.ts');
  const { logs } = context.store;
  const id = idOf(text);
  const current = logs.get(id);
  const { userId: _, ...asked } = logFields;
  const given = await patchOf(context, options, { fields: logFields, asked, current });
  const patch = namingFlags(logFields, () => checkLogChange(logs, given));
  const log = logs.update(id, patch);
  const done = `Changed log ${id}: ${summaryOfLog(log)}.`;
  printDone(context, options, { fields: logRecord, record: log, done });
}

async function removeLogs(context: Context, texts: string[], options: Options): Promise<void> {
  const { logs } = context.store;
  const ids = [...new Set(texts.map((text) => idOf(text)))];
  const [first, ...others] = ids.map((id) => logs.get(id));
  if (!first) return;
  const what = others.length > 0 ? counted(ids.length, 'log') : `log ${first.id}: ${summaryOfLog(first)}`;
  if (others.length > 0 && !options['yes'])
    for (const log of [first, ...others]) say(context, `  log ${log.id}: ${summaryOfLog(log)}`);
  await confirmDeletion(context, options, what);
  context.store.change(() => {
    for (const id of ids) logs.delete(id);
  });
  print(context, `Deleted ${what}.`);
}
