import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { foldedName } from '../../domain/exercise.ts';
import { type ExerciseType, logFields } from '../../domain/log.ts';
import { type Routine, type RoutineExercise, routineFields, routineRecord } from '../../domain/routine.ts';
import { addFieldOptions, csvOption, jsonOption, type Options } from '../input/options.ts';
import { parseFlags } from '../input/parse-flags.ts';
import { existingUserOrAsk } from '../input/resolve-user.ts';
import { knownExercises, routineMeant, routineNamed } from '../input/routines.ts';
import { askExercises, askOpen, checkTyped, exerciseTyped, settled } from '../input/typed-exercises.ts';
import { listRecords } from '../records/list.ts';
import { removeRecords } from '../records/verbs.ts';
import { details } from '../terminal/details.ts';
import { usage } from '../terminal/errors.ts';
import { examples } from '../terminal/help.ts';
import { commandLine, escapeControls, print, say, sayDone } from '../terminal/io.ts';
import { checkJson, printDone, printRecord } from '../terminal/output.ts';
import { summaryOf } from '../views/records.ts';

const { userId, name } = routineFields;
const { exerciseType } = logFields;
const EXERCISES =
  "its exercises in order, each a name done before or a part of it; a new one with its type, as in 'Bird Dog=strengthening'";
const typeOfNew = { type: { ...exerciseType, help: 'Kind of the exercises that are new' } };

/** `sciatica routine add|show|edit|rm` */
export function addRoutineCommand(program: Command, context: Context): void {
  const routine = program
    .command('routine')
    .helpCommand(false)
    .summary('Add, show, change or remove a routine')
    .description('Exercises that are done together, to be recorded together: sciatica log routine NAME.');

  const add = routine
    .command('add')
    .summary('Add a routine')
    .description('Add a routine. In a terminal, what is missing is asked for.')
    .argument('[name]', name.help)
    .argument('[exercise...]', EXERCISES)
    .option(`--${userId.flag} <id>`, userId.help);
  addFieldOptions(add, typeOfNew);
  add
    .addOption(jsonOption())
    .addHelpText(
      'after',
      examples(
        'sciatica routine add morning piri cobra',
        "sciatica routine add evening 'Cat-Cow=stretch' 'Glute Bridge=strengthening'",
      ),
    )
    .action((called: string | undefined, texts: string[], options: Options) =>
      addRoutine(context, called, texts, options),
    );

  routine
    .command('show')
    .summary('Show a routine')
    .description('Show a routine.')
    .argument('<name>', 'its name or a part of it, or its id')
    .option(`--${userId.flag} <id>`, userId.help)
    .addOption(jsonOption())
    .addHelpText('after', examples('sciatica routine show morning'))
    .action((called: string, options: Options) => showRoutine(context, called, options));

  const edit = routine
    .command('edit')
    .summary('Change a routine')
    .description(
      'Give a routine other exercises or another name; in a terminal, and without either, be asked for both.',
    )
    .argument('<name>', 'its name, or its id')
    .argument('[exercise...]', EXERCISES)
    .option(`--${userId.flag} <id>`, userId.help);
  addFieldOptions(edit, { name: { ...name, help: 'Its name from now on' }, ...typeOfNew });
  edit
    .addOption(jsonOption())
    .addHelpText(
      'after',
      examples(
        "sciatica routine edit morning 'Bird Dog' 'Piriformis Stretch'",
        'sciatica routine edit morning --name daily',
      ),
    )
    .action((called: string, texts: string[], options: Options) =>
      editRoutine(context, called, texts, options),
    );

  routine
    .command('rm')
    .summary('Remove a routine')
    .description('Remove a routine; what was recorded with it stays. It asks first.')
    .argument('<name>', 'its name, or its id')
    .option(`--${userId.flag} <id>`, userId.help)
    .option('--yes', 'do not ask')
    .addHelpText('after', examples('sciatica routine rm morning'))
    .action((called: string, options: Options) => removeRoutine(context, called, options));
}

/** `sciatica routines` */
export function addRoutinesCommand(program: Command, context: Context): void {
  program
    .command('routines')
    .summary('List the routines')
    .description(
      'List the routines: as a table in a terminal, as tab-separated lines in a pipe, where exercises are JSON.',
    )
    .option(`--${userId.flag} <id>`, `${userId.help}, or all`)
    .addOption(jsonOption())
    .addOption(csvOption())
    .addHelpText('after', examples('sciatica routines', 'sciatica routines --json name,exercises'))
    .action((options: Options) => listRecords(context, options, 'routine'));
}

/** `routine add`. @throws SciaticaError `invalid` with every fault; then nothing was written */
async function addRoutine(
  context: Context,
  called: string | undefined,
  texts: readonly string[],
  options: Options,
): Promise<void> {
  checkJson(options, routineRecord);
  if (called === undefined && !context.interactive)
    throw usage("Say the name and the exercises: sciatica routine add morning 'Bird Dog' 'Cat-Cow'");
  if (texts.length === 0 && !context.interactive)
    throw usage('Say the exercises after the name, in order. Those done so far: sciatica exercises');
  const userId = await existingUserOrAsk(context, options);
  const name = called ?? (await askName(context, routineFields.name));
  refuseTaken(context, userId, name);
  const exercises = await exercisesOf(context, userId, texts, options);
  const { checksOf } = await import('../../domain/schema.ts');
  const routine = context.store.routines.create(checksOf('routine').input({ userId, name, exercises }));
  const done = `Added ${summaryOf('routine', routine)}.`;
  printDone(context, options, { fields: routineRecord, record: routine, done });
  say(context, `To record it: ${commandLine(context, `log routine ${shownName(routine)}`)}`);
}

/** Refuses a name that is taken before the exercises are asked for. */
function refuseTaken(context: Context, userId: number, name: string): void {
  const taken = context.store.routines
    .list({ userId })
    .find((one) => foldedName(one.name) === foldedName(name));
  if (!taken) return;
  const change = commandLine(context, `routine edit ${shownName(taken)}`);
  throw usage(`There is a routine ${shownName(taken)} already. To change it: ${change}`);
}

/** `routine show` */
async function showRoutine(context: Context, called: string, options: Options): Promise<void> {
  const record = await routineMeant(context, await existingUserOrAsk(context, options), called);
  if (options['json'] !== undefined)
    return printRecord(context, options, { fields: routineRecord, columns: [], record });
  print(
    context,
    details([
      [routineRecord.id.label, String(record.id)],
      [routineFields.name.label, escapeControls(record.name)],
      ...record.exercises.map(({ exerciseName, exerciseType }, i): [string, string] => [
        `Exercise ${i + 1}`,
        `${escapeControls(exerciseName)} (${exerciseType})`,
      ]),
    ]),
  );
}

/** `routine edit`. @throws SciaticaError `invalid` with every fault; then nothing was written */
async function editRoutine(
  context: Context,
  called: string,
  texts: readonly string[],
  options: Options,
): Promise<void> {
  checkJson(options, routineRecord);
  const userId = await existingUserOrAsk(context, options);
  const routine = routineNamed(context.store, userId, called);
  const { name } = await parseFlags(context, options, { name: routineFields.name });
  const next = { ...routine, ...(name !== undefined && { name }) };
  if (texts.length > 0) next.exercises = await exercisesOf(context, userId, texts, options);
  else if (name === undefined) Object.assign(next, await askChanges(context, routine, options));
  if (JSON.stringify(next) === JSON.stringify(routine)) return sayDone(context, 'Nothing changed.');
  const { checksOf } = await import('../../domain/schema.ts');
  const record = context.store.routines.replace(routine.id, checksOf('routine').input(next));
  const done = `Changed ${summaryOf('routine', record)}.`;
  printDone(context, options, { fields: routineRecord, record, done });
}

/** `routine rm` */
async function removeRoutine(context: Context, called: string, options: Options): Promise<void> {
  const routine = routineNamed(context.store, await existingUserOrAsk(context, options), called);
  await removeRecords(context, options, 'routine', [routine.id]);
}

const shownName = ({ name }: Routine) =>
  /\s/.test(name) ? `'${escapeControls(name)}'` : escapeControls(name);

async function askName(
  context: Context,
  field: typeof routineFields.name,
  current?: string,
): Promise<string> {
  const { askField } = await import('../terminal/prompts.ts');
  return String(await askField(context, field, current));
}

async function exercisesOf(
  context: Context,
  userId: number,
  texts: readonly string[],
  options: Options,
): Promise<RoutineExercise[]> {
  const known = knownExercises(context.store, userId);
  const flags = await parseFlags(context, options, { exerciseType: logFields.exerciseType });
  const type = flags.exerciseType as ExerciseType | undefined;
  const all = texts.map((text) => exerciseTyped(text, known));
  checkTyped(all, known, { type, mayAsk: context.interactive });
  if (!context.interactive) return all.flatMap((typed) => settled(typed, known, type) ?? []);
  if (texts.length === 0) return askExercises(context, known);
  const exercises: RoutineExercise[] = [];
  for (const typed of all)
    exercises.push(settled(typed, known, type) ?? (await askOpen(context, typed, known, type)));
  return exercises;
}

async function askChanges(context: Context, routine: Routine, options: Options): Promise<Partial<Routine>> {
  if (!context.interactive) throw usage('Say what to change: other exercises after the name, or --name.');
  const name = await askName(context, routineFields.name, routine.name);
  const { askYesNo } = await import('../terminal/prompts.ts');
  const listed = routine.exercises.map(({ exerciseName }) => escapeControls(exerciseName)).join(', ');
  if (await askYesNo(context, `Keep the exercises (${listed})?`, true)) return { name };
  return { name, exercises: await exercisesOf(context, routine.userId, [], options) };
}
