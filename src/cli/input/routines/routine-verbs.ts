import type { Context } from '../../../context.ts';
import type { ExerciseType } from '../../../domain/log.ts';
import { logFields } from '../../../domain/log.ts';
import { foldedName } from '../../../domain/plans/exercise.ts';
import {
  type Routine,
  type RoutineExercise,
  routineFields,
  routineRecord,
} from '../../../domain/plans/routine.ts';
import { checksOf } from '../../../domain/schema.ts';
import { usage } from '../../errors.ts';
import { commandLine, escapeControls, print, say, sayDone } from '../../output/io.ts';
import { checkJson, printDone, printRecord, sayChanged } from '../../output/output.ts';
import { details } from '../../views/details.ts';
import { summaryOfRoutine } from '../../views/records.ts';
import { confirmDeletion } from '../edit.ts';
import type { Options } from '../options.ts';
import { parseFlags } from '../parse-flags.ts';
import { resolveUserOrAsk } from '../resolve-user.ts';
import { knownExercises, routineMeant, routineNamed } from './routines.ts';
import { checkTyped, exerciseTyped, settled } from './typed-exercises.ts';

/** `routine add`. @throws SciaticaError `invalid` with every fault; then nothing was written */
export async function addRoutine(
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
  const userId = await userOf(context, options);
  const name = called ?? (await asked(context, routineFields.name));
  refuseTaken(context, userId, name);
  const exercises = await exercisesOf(context, userId, texts, options);
  const routine = context.store.routines.create(checksOf('routine').input({ userId, name, exercises }));
  const done = `Added routine ${routine.id}: ${summaryOfRoutine(routine)}.`;
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
export async function showRoutine(context: Context, called: string, options: Options): Promise<void> {
  const record = await routineMeant(context, await userOf(context, options), called);
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
export async function editRoutine(
  context: Context,
  called: string,
  texts: readonly string[],
  options: Options,
): Promise<void> {
  checkJson(options, routineRecord);
  const userId = await userOf(context, options);
  const routine = routineNamed(context.store, userId, called);
  const { name } = await parseFlags(context, options, { name: routineFields.name });
  const next = { ...routine, ...(name !== undefined && { name }) };
  if (texts.length > 0) next.exercises = await exercisesOf(context, userId, texts, options);
  else if (name === undefined) Object.assign(next, await askChanges(context, routine, options));
  if (JSON.stringify(next) === JSON.stringify(routine)) return sayDone(context, 'Nothing changed.');
  const record = context.store.routines.replace(routine.id, checksOf('routine').input(next));
  const done = `Changed routine ${record.id}: ${summaryOfRoutine(record)}.`;
  printDone(context, options, { fields: routineRecord, record, done });
}

/** `routine rm` */
export async function removeRoutine(context: Context, called: string, options: Options): Promise<void> {
  const routine = routineNamed(context.store, await userOf(context, options), called);
  const what = `routine ${routine.id}: ${summaryOfRoutine(routine)}`;
  await confirmDeletion(context, options, what);
  context.store.routines.delete(routine.id);
  sayChanged(context, `Deleted ${what}.`);
}

/** The user whose routines a command is about. @throws SciaticaError `not-found` */
export async function userOf(context: Context, options: Options): Promise<number> {
  return context.store.users.get(await resolveUserOrAsk(context, options['user'])).id;
}

const shownName = ({ name }: Routine) =>
  /\s/.test(name) ? `'${escapeControls(name)}'` : escapeControls(name);

async function asked(context: Context, field: typeof routineFields.name, current?: string): Promise<string> {
  const { askField } = await import('../prompts.ts');
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
  const { askExercises, askOpen } = await import('./routine-ask.ts');
  if (texts.length === 0) return askExercises(context, known);
  const exercises: RoutineExercise[] = [];
  for (const typed of all)
    exercises.push(settled(typed, known, type) ?? (await askOpen(context, typed, known, type)));
  return exercises;
}

async function askChanges(context: Context, routine: Routine, options: Options): Promise<Partial<Routine>> {
  if (!context.interactive) throw usage('Say what to change: other exercises after the name, or --name.');
  const name = await asked(context, routineFields.name, routine.name);
  const { askYesNo } = await import('../prompts.ts');
  const listed = routine.exercises.map(({ exerciseName }) => escapeControls(exerciseName)).join(', ');
  if (await askYesNo(context, `Keep the exercises (${listed})?`, true)) return { name };
  return { name, exercises: await exercisesOf(context, routine.userId, [], options) };
}
