import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { SciaticaError } from '../../domain/errors.ts';
import { logFields, logRecord } from '../../domain/log.ts';
import { namingFlags, usage } from '../errors.ts';
import { examples } from '../help.ts';
import { confirmDeletion, patchOf } from '../input/edit.ts';
import { addNotesOption, withNotes } from '../input/notes.ts';
import { addFieldOptions, dayFaults, idOf, jsonOption, type Options } from '../input/options.ts';
import { resolveListUser } from '../input/resolve-user.ts';
import { palette } from '../output/colour.ts';
import { counted, sayAlways } from '../output/io.ts';
import { checkJson, printDone, printRecord, sayChanged, sayDoubtOfDay } from '../output/output.ts';
import { answerOf, logColumns, nameOf, summaryOfLog } from '../views/records.ts';
import { redFlagsHelp } from '../views/red-flags.ts';
import { addLogRoutineCommand } from './log-routine.ts';

const IN_ONE_LINE =
  'In one line, the name is that of an exercise done before or a part of it, such as piri, or its initials; a new name needs --type, or is asked about. It is today, without notes, and helped if the pain is less after than before, unless you say otherwise. --name is always taken literally.';

/** `sciatica log add|routine|show|edit|rm` */
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
      `Record an exercise: in one line, with flags, or, in a terminal, by answering questions. ${IN_ONE_LINE}`,
    )
    .argument('[words...]', 'name before after note…');
  addFieldOptions(add, logFields);
  addNotesOption(add)
    .addOption(jsonOption())
    .addHelpText(
      'after',
      examples(
        'sciatica log add piri 6 4',
        'sciatica log add cat-cow 5 5 stiff after the drive --date yesterday',
        'sciatica log add',
        "sciatica log add --name 'Piriformis Stretch' --type stretch \\\n    --before 6 --after 4 --effective",
        "sciatica log add --name 'Glute Bridge' --date yesterday \\\n    --before 5 --after 5 --no-effective --notes '3 sets of 10'",
      ),
    )
    .addHelpText('after', redFlagsHelp)
    .action(async (words: string[], options: Options) => {
      const { addLog } = await import('../input/log-add.ts');
      await addLog(context, words, await withNotes(context, options));
    });

  const again = log
    .command('again')
    .summary('Record the last session once more')
    .description(
      'Record the last session, or the last of an exercise, once more: only the pain before and after is asked for. The rest is as in the one line of log add.',
    )
    .argument('[words...]', 'name before after note…');
  const { exerciseName: _, exerciseType: __, ...ofToday } = logFields;
  addFieldOptions(again, ofToday);
  addNotesOption(again)
    .addOption(jsonOption())
    .addHelpText('after', examples('sciatica log again', 'sciatica log again piri 6 4'))
    .action(async (words: string[], options: Options) => {
      const { repeatLog } = await import('../input/log-add.ts');
      await repeatLog(context, words, await withNotes(context, options));
    });

  addLogRoutineCommand(log, context);

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
    .argument('[id]', 'id of the log (otherwise pick one of the last ten)');
  addFieldOptions(edit, logFields);
  addNotesOption(edit)
    .addOption(jsonOption())
    .addHelpText('after', examples('sciatica log edit 12', 'sciatica log edit 12 --after 3 --effective'))
    .action((id: string | undefined, options: Options) => editLog(context, id, options));

  log
    .command('rm')
    .summary('Remove logs')
    .description('Remove one or more logs. It asks first.')
    .argument('[id...]', 'ids of the logs (otherwise pick one of the last ten)')
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

async function editLog(context: Context, text: string | undefined, options: Options): Promise<void> {
  checkJson(options, logRecord);
  const { checkChange } = await import('../../store/records/checks.ts');
  const { logs, users } = context.store;
  const id = text === undefined ? await pickLog(context, 'Change') : idOf(text);
  const current = logs.get(id);
  const { userId, exerciseName, exerciseType, ...others } = logFields;
  const given = await patchOf(context, await withNotes(context, options, current.notes), {
    fields: logFields,
    asked: { exerciseName, exerciseType, ...others },
    current,
    ask: {
      exerciseName: (name) => askKnown(context, current.userId, name),
      effective: async (helped) => (await import('../input/prompts.ts')).askHelped(context, helped === true),
    },
  });
  const faults = dayFaults(logFields, given, context.today);
  const patch = namingFlags(logFields, () => checkChange(users, 'log', given), faults);
  const log = logs.update(id, patch);
  const isNew = context.store.latestChange !== undefined;
  const done = isNew ? `Changed log ${id}: ${answerOf(log, context.today)}.` : 'Nothing changed.';
  printDone(context, options, { fields: logRecord, record: log, done });
  if (isNew && patch.date !== undefined) sayDoubtOfDay(context, log.date);
}

async function askKnown(context: Context, userId: number, name: unknown): Promise<string> {
  const { askExercise } = await import('../input/prompts.ts');
  return askExercise(context, context.store.logs.exercises(userId), name);
}

async function removeLogs(context: Context, texts: string[], options: Options): Promise<void> {
  const { logs } = context.store;
  const ids =
    texts.length === 0 ? [await pickLog(context, 'Remove')] : [...new Set(texts.map((text) => idOf(text)))];
  const [first, ...others] = ids.map((id) => logs.get(id));
  if (!first) return;
  const what = others.length > 0 ? counted(ids.length, 'log') : `log ${first.id}: ${summaryOfLog(first)}`;
  if (others.length > 0 && !options['yes'])
    for (const log of [first, ...others]) sayAlways(context, `  log ${log.id}: ${summaryOfLog(log)}`);
  await confirmDeletion(context, options, what);
  context.store.change(() => {
    for (const id of ids) logs.delete(id);
  });
  sayChanged(context, `Deleted ${what}.`);
}

/** Logs offered where none is named. */
const OFFERED = 10;

/** Asks for one of the last logs. @throws SciaticaError `invalid` where there is no terminal, `not-found` */
async function pickLog(context: Context, verb: string): Promise<number> {
  if (!context.interactive) throw usage('Say which log, by its id. To see them: sciatica logs');
  const userId = resolveListUser(context, {});
  const latest = context.store.logs.list({
    ...(userId !== undefined && { userId }),
    sort: '-date,-id',
    limit: OFFERED,
  });
  if (latest.length === 0) throw new SciaticaError('not-found', 'No log is recorded yet.');
  const { askChoiceOf } = await import('../input/prompts.ts');
  const choices = latest.map((log) => ({ value: log.id, name: `${log.id}  ${summaryOfLog(log)}` }));
  return askChoiceOf(context, `${verb} which log?`, choices);
}
