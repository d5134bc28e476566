import type { Context } from '../../context.ts';
import { effectiveAfter } from '../../domain/effective.ts';
import { absent } from '../../domain/errors.ts';
import { logFields, logRecord } from '../../domain/log.ts';
import type { Command } from '../input/command.ts';
import { anywayOption } from '../input/days.ts';
import { askExercise } from '../input/exercises.ts';
import { notesOption, withNotes } from '../input/notes.ts';
import { idOf, jsonOption, type Options } from '../input/options.ts';
import { resolveListUser } from '../input/resolve-user.ts';
import { verb } from '../records/commands.ts';
import { checkFlags, editRecord, removeRecords } from '../records/verbs.ts';
import { palette } from '../terminal/canvas.ts';
import { usage } from '../terminal/errors.ts';
import { commandLine } from '../terminal/io.ts';
import { printRecord, sayDoubtOfDay } from '../terminal/output.ts';
import { answerOf, logColumns, nameOf, summaryOfLog, whose } from '../views/records.ts';
import { sayRedFlagsAfter } from '../views/red-flags.ts';
import { addLogAddCommands, askHelped, saySimilarName } from './log-add.ts';

export function addLogCommand(program: Command, context: Context): void {
  const log = program
    .command('log')
    .helpCommand(false)
    .summary('Record, show, change or remove an exercise')
    .description('One session of one exercise: what was done, and the pain before and after.');

  addLogAddCommands(log, context);
  addLogRoutineCommand(log, context);

  verb(log, 'log', 'show', ['sciatica log show 12', 'sciatica log show 12 --json'])
    .argument('<id>', 'id of the log')
    .action((id: string, options: Options) => showLog(context, id, options));

  verb(log, 'log', 'edit', ['sciatica log edit 12', 'sciatica log edit 12 --after 3 --effective'])
    .addOption(notesOption())
    .argument('[id]', 'id of the log (otherwise pick one of the last ten)')
    .action((id: string | undefined, options: Options) => editLog(context, id, options));

  verb(log, 'log', 'rm', ['sciatica log rm 12', 'sciatica log rm 12 13 14 --yes'])
    .argument('[id...]', 'ids of the logs (otherwise pick one of the last ten)')
    .action(async (ids: string[], options: Options) => {
      const picked =
        ids.length === 0 ? [await pickLog(context, 'Remove')] : ids.map((id) => idOf(id, LOG_ID));
      await removeRecords(context, options, 'log', picked);
    });
}

function addLogRoutineCommand(log: Command, context: Context): void {
  const { userId, date, medication } = logFields;
  log
    .command('routine')
    .summary('Record the exercises of a routine')
    .description(
      'Record the exercises of a routine, with two numbers for each: the pain before and after; what follows them is a note. In a terminal, s skips an exercise, b goes back to the one before, and nothing is saved before the last answer. All of them are one change, so one undo takes them back. An exercise counts as effective if the pain fell.',
    )
    .argument('<name>', 'name of the routine or a part of it, or its id')
    .repeatable(
      '--set <exercise=before,after>',
      "pain before and after an exercise, named by its name or a part of it, as in 'Bird Dog=6,4', with a note as in 'Bird Dog=6,4 stiff', or 'Bird Dog=s' to skip it",
    )
    .option('--shuffle', 'ask in an order drawn for the day, and record in the order in which you answer')
    .fields({ userId, date, medication })
    .addOption(anywayOption())
    .addOption(jsonOption())
    .examples(
      'sciatica log routine morning',
      'sciatica log routine morning --shuffle',
      "sciatica log routine morning --set 'Piriformis Stretch=6,4' --set 'Bird Dog=s'",
    )
    .action(async (name: string, options: Options) => {
      const { logRoutine } = await import('./routine.ts');
      await logRoutine(context, name, options);
    });
}

const LOG_ID = 'The id of a log, as sciatica logs shows it,';

async function showLog(context: Context, id: string, options: Options): Promise<void> {
  const { logs, users } = context.store;
  const record = logs.get(idOf(id, LOG_ID));
  const userName = (userId: number) => nameOf(users.get(userId));
  const columns = logColumns(await palette(context), userName);
  printRecord(context, options, { fields: logRecord, columns, record });
}

async function editLog(context: Context, text: string | undefined, options: Options): Promise<void> {
  const { checkSent } = await import('../../store/records/checks.ts');
  const { logs, users } = context.store;
  const { userId: _, exerciseName, exerciseType, medication, ...others } = logFields;
  const find = async () => {
    if (text !== undefined) return idOf(text, LOG_ID);
    await checkFlags(context, options, 'log');
    return pickLog(context, 'Change');
  };
  const changed = await editRecord(context, options, 'log', find, (current) => ({
    optionsFor: ({ notes }) => withNotes(context, options, notes),
    // Asked for only if it has a value; otherwise --medication sets it.
    asked: {
      exerciseName,
      exerciseType,
      ...others,
      ...(current.medication !== undefined && { medication }),
    },
    ask: {
      exerciseName: (name) => askExercise(context, logs.exercises(current.userId), name),
      effective: (helped, answers) => askHelped(context, effectiveAfter(current, answers) ?? helped === true),
    },
    check: (given) => checkSent(users, 'log', 'patch', given),
    complete: async (given) => {
      // Notes that were not changed in the editor are no change.
      if (options['edit'] && given['notes'] === current.notes) delete given['notes'];
      if (!('painBefore' in given || 'painAfter' in given) || 'effective' in given) return;
      const derived = effectiveAfter(current, given);
      if (derived !== undefined) given['effective'] = derived;
      else if (context.interactive) given['effective'] = await askHelped(context, current.effective);
    },
    describe: (log) => answerOf(log, context.today),
  }));
  if (!changed) return;
  const { patch, record } = changed;
  if ('date' in patch) sayDoubtOfDay(context, record.date);
  if ('painBefore' in patch || 'painAfter' in patch) sayRedFlagsAfter(context, [record], false);
  if (!('exerciseName' in patch)) return;
  const known = logs
    .exercises(record.userId)
    .filter(({ exerciseName: name, sessions }) => name !== record.exerciseName || sessions > 1);
  saySimilarName(context, record, known);
}

/** Number of logs offered if no id is given. */
const OFFERED = 10;

/** Asks for one of the last logs. @throws SciaticaError `invalid` without a terminal, `not-found` without logs */
async function pickLog(context: Context, verb: string): Promise<number> {
  if (!context.interactive)
    throw usage(`Say which log, by its id. To see them: ${commandLine(context, 'logs')}`);
  const userId = resolveListUser(context, {});
  const latest = context.store.logs.list({
    ...(userId !== undefined && { userId }),
    sort: '-date,-id',
    limit: OFFERED,
  });
  if (latest.length === 0) throw absent('No log is recorded yet.');
  const { askChoiceOf } = await import('../terminal/prompts.ts');
  const choices = latest.map((log) => ({
    value: log.id,
    name: `${log.id}${whose(context, [log.userId])}  ${summaryOfLog(log)}`,
  }));
  return askChoiceOf(context, `${verb} which log?`, choices);
}
