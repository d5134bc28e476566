import { randomUUID } from 'node:crypto';
import type { Context } from '../../context.ts';
import { suggestEffective } from '../../domain/effective.ts';
import { type Issue, invalid } from '../../domain/errors.ts';
import { grouped } from '../../domain/fields.ts';
import { type ExerciseType, type Log, type LogInput, logFields, logRecord } from '../../domain/log.ts';
import { type Routine, type RoutineExercise, routineFields, routineRecord } from '../../domain/routine.ts';
import { foldedName, namesMeant } from '../../domain/words/match.ts';
import { inPlainDigits } from '../../domain/words/spoken-day.ts';
import { didYouMean } from '../../domain/words/suggest.ts';
import type { Command } from '../input/command.ts';
import { ageOf, settleDays } from '../input/days.ts';
import {
  askExercises,
  askOpen,
  checkTyped,
  exerciseTyped,
  namesOf,
  settled,
  severalMeant,
} from '../input/exercises.ts';
import { csvOption, jsonOption, type Options, parseFlags } from '../input/options.ts';
import { resolveUserOrAsk } from '../input/resolve-user.ts';
import { knownExercises, routineMeant, routineNamed, shuffled } from '../input/routines.ts';
import { listRecords } from '../records/list.ts';
import { removeRecords, unlessChanged } from '../records/verbs.ts';
import { usage } from '../terminal/errors.ts';
import { commandLine, escapeControls, quoted, say, sayDone } from '../terminal/io.ts';
import {
  checkJson,
  pickedBy,
  printDone,
  printJson,
  printRecord,
  sayDoubtOfDay,
  wrongHint,
} from '../terminal/output.ts';
import { addedOf, answerOf, changedOf, columnsOf } from '../views/records.ts';
import { sayRedFlagsAfter } from '../views/red-flags.ts';

const { userId, name } = routineFields;
const { exerciseType } = logFields;
const EXERCISES =
  "its exercises in order, each the name, or part of the name, of one done before; a new one with its type, as in 'Bird Dog=strengthening'";
const typeOfNew = { type: { ...exerciseType, help: 'Kind of the exercises that are new' } };

export function addRoutineCommands(program: Command, context: Context): void {
  const routine = program
    .command('routine')
    .helpCommand(false)
    .summary('Add, show, change or remove a routine')
    .description('Exercises that are done together, to be recorded together: sciatica log routine NAME.');

  routine
    .command('add')
    .description('Add a routine. In a terminal, what is missing is asked for.')
    .argument('[name]', name.help)
    .argument('[exercise...]', EXERCISES)
    .fields({ userId, ...typeOfNew })
    .addOption(jsonOption())
    .examples(
      'sciatica routine add morning piri cobra',
      "sciatica routine add evening 'Cat-Cow=stretch' 'Glute Bridge=strengthening'",
    )
    .action((called: string | undefined, texts: string[], options: Options) =>
      addRoutine(context, called, texts, options),
    );

  routine
    .command('show')
    .description('Show a routine.')
    .argument('<name>', 'its name or a part of it, or its id')
    .fields({ userId })
    .addOption(jsonOption())
    .examples('sciatica routine show morning')
    .action((called: string, options: Options) => showRoutine(context, called, options));

  routine
    .command('edit')
    .summary('Change a routine')
    .description(
      'Change the exercises or the name of a routine. In a terminal, without either, it asks for both.',
    )
    .argument('<name>', 'its name, or its id')
    .argument('[exercise...]', EXERCISES)
    .fields({ userId, name: { ...name, help: 'Its name from now on' }, ...typeOfNew })
    .option('--shuffle', 'put its exercises in another order, drawn at random')
    .addOption(jsonOption())
    .examples(
      "sciatica routine edit morning 'Bird Dog' 'Piriformis Stretch'",
      'sciatica routine edit morning --name daily',
      'sciatica routine edit morning --shuffle',
    )
    .action((called: string, texts: string[], options: Options) =>
      editRoutine(context, called, texts, options),
    );

  routine
    .command('rm')
    .summary('Remove a routine')
    .description('Remove a routine; what was recorded with it stays. It asks first.')
    .argument('<name>', 'its name, or its id')
    .fields({ userId })
    .option('--yes', 'do not ask')
    .examples('sciatica routine rm morning')
    .action(async (called: string, options: Options) => {
      const routine = routineNamed(context.store, await resolveUserOrAsk(context, options['user']), called);
      await removeRecords(context, options, 'routine', [routine.id]);
    });

  program
    .command('routines')
    .description(
      'List the routines: as a table in a terminal, as tab-separated lines in a pipe, where exercises are JSON.',
    )
    .option(`--${userId.flag} <id>`, `${userId.help}, or all`)
    .addOption(jsonOption())
    .addOption(csvOption())
    .examples('sciatica routines', 'sciatica routines --json name,exercises')
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
    throw usage(
      `Say the name and the exercises: ${commandLine(context, "routine add morning 'Bird Dog' 'Cat-Cow'")}`,
    );
  if (texts.length === 0 && !context.interactive)
    throw usage(
      `Say the exercises after the name, in order. Those done so far: ${commandLine(context, 'exercises')}`,
    );
  const userId = await resolveUserOrAsk(context, options['user']);
  const name = called ?? (await askName(context));
  refuseTaken(context, userId, name);
  const exercises = await exercisesOf(context, userId, texts, options);
  const { checksOf } = await import('../../domain/schema.ts');
  const routine = context.store.routines.create(checksOf('routine').input({ userId, name, exercises }));
  const done = `Added ${addedOf(context, 'routine', routine)}.`;
  printDone(context, options, { fields: routineRecord, record: routine, done });
  say(context, `To record it: ${commandLine(context, `log routine ${shownName(routine)}`)}`);
}

/** Refuses a name that is taken, before the prompts for the exercises. */
function refuseTaken(context: Context, userId: number, name: string): void {
  const taken = context.store.routines
    .list({ userId })
    .find((one) => foldedName(one.name) === foldedName(name));
  if (!taken) return;
  const change = commandLine(context, `routine edit ${shownName(taken)}`);
  throw usage(`There is a routine ${shownName(taken)} already. To change it: ${change}`);
}

async function showRoutine(context: Context, called: string, options: Options): Promise<void> {
  const record = await routineMeant(context, await resolveUserOrAsk(context, options['user']), called);
  const exercises = record.exercises.map(({ exerciseName, exerciseType }, i) => ({
    title: `Exercise ${i + 1}`,
    cell: () => `${escapeControls(exerciseName)} (${exerciseType})`,
  }));
  const columns = [...columnsOf({ id: routineRecord.id, name: routineRecord.name }), ...exercises];
  printRecord(context, options, { fields: routineRecord, columns, record });
}

/** `routine edit`. @throws SciaticaError `invalid` with every fault; then nothing was written */
async function editRoutine(
  context: Context,
  called: string,
  texts: readonly string[],
  options: Options,
): Promise<void> {
  checkJson(options, routineRecord);
  const userId = await resolveUserOrAsk(context, options['user']);
  const routine = routineNamed(context.store, userId, called);
  const { name } = await parseFlags(context, options, { name: routineFields.name });
  // The patch has changed fields only: an app may write the others while a prompt is open.
  const patch: Partial<Routine> = { ...(name !== undefined && { name }) };
  if (texts.length > 0) patch.exercises = await exercisesOf(context, userId, texts, options);
  else if (name === undefined && !options['shuffle'])
    Object.assign(patch, await askChanges(context, routine, options));
  if (options['shuffle']) patch.exercises = inAnotherOrder(patch.exercises ?? routine.exercises);
  const { checksOf } = await import('../../domain/schema.ts');
  const guard = context.interactive ? unlessChanged('routine', routine, patch) : undefined;
  const record = context.store.routines.update(routine.id, checksOf('routine').patch(patch), guard);
  const isNew = context.store.latestChange !== undefined;
  const done = isNew ? `Changed ${changedOf(context, 'routine', record)}.` : 'Nothing changed.';
  printDone(context, options, { fields: routineRecord, record, done });
}

function inAnotherOrder(exercises: RoutineExercise[]): RoutineExercise[] {
  const drawn = shuffled(exercises, randomUUID());
  const isSame = drawn.every((exercise, i) => exercise === exercises[i]);
  return isSame && exercises.length > 1 ? inAnotherOrder(exercises) : drawn;
}

const shownName = ({ name }: Routine) => quoted(escapeControls(name));

async function askName(context: Context, current?: string): Promise<string> {
  const { askField } = await import('../terminal/prompts.ts');
  return String(await askField(context, routineFields.name, current));
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
  if (!context.interactive)
    throw usage('Say what to change: other exercises after the name, --name or --shuffle.');
  const name = await askName(context, routine.name);
  const renamed = name === routine.name ? {} : { name };
  const { askYesNo } = await import('../terminal/prompts.ts');
  const listed = routine.exercises.map(({ exerciseName }) => escapeControls(exerciseName)).join(', ');
  if (await askYesNo(context, `Keep the exercises (${listed})?`, true)) return renamed;
  return { ...renamed, exercises: await exercisesOf(context, routine.userId, [], options) };
}

const { min, max } = logFields.painBefore;

/** Pain and notes of an exercise of the routine; null for one that is skipped. */
type Said = Pick<Log, 'painBefore' | 'painAfter' | 'notes'> | null;

/**
 * Records the exercises of a routine as one change, in the order of the routine. With `--shuffle`, in the order of input:
 * those of `--set`, then those that are asked for, in a random order that is the same for all of a day.
 * @throws SciaticaError; then nothing was written
 */
export async function logRoutine(context: Context, name: string, options: Options): Promise<void> {
  checkJson(options, logRecord);
  const { date: day, medication } = logFields;
  const { date = context.today, ...taken } = await parseFlags(context, options, { date: day, medication });
  const userId = await resolveUserOrAsk(context, options['user']);
  await settleDays(context, options, { date: day }, { date }, ageOf(context, userId));
  const routine = await routineMeant(context, userId, name);
  const given = givenIn(routine, options['set'] as readonly string[]);
  const all = routine.exercises;
  const asked = options['shuffle'] ? shuffled(all, `${routine.id} ${date}`) : all;
  const open = asked.filter(({ exerciseName }) => !given.has(exerciseName));
  if (open.length > 0 && !context.interactive) throw invalid(open.map(missing));
  if (options['shuffle'] && open.length > 1)
    say(
      context,
      `${date === context.today ? 'Today in' : 'In'} this order: ${open.map(({ exerciseName }) => escapeControls(exerciseName)).join(', ')}.`,
    );
  for (const [exercise, said] of await askEach(context, open)) given.set(exercise, said);
  const names = [...given.keys()];
  const inOrder = options['shuffle']
    ? all.toSorted((a, b) => names.indexOf(a.exerciseName) - names.indexOf(b.exerciseName))
    : all;
  const done = inOrder.flatMap((exercise): LogInput[] => {
    const said = given.get(exercise.exerciseName);
    if (!said) return [];
    const effective = suggestEffective(said.painBefore, said.painAfter);
    return [{ userId, ...exercise, date, ...said, effective, ...taken }];
  });
  const pick = pickedBy(options, logRecord);
  if (done.length === 0) {
    if (pick) printJson(context, []);
    return say(context, 'Every exercise was skipped: nothing was recorded.');
  }
  const logs = context.store.logs.createAll(done);
  if (pick) printJson(context, logs.map(pick));
  else {
    for (const log of logs)
      sayDone(context, `Added ${addedOf(context, 'log', log, answerOf(log, context.today))}.`);
    say(context, wrongHint(context).trim());
  }
  sayDoubtOfDay(context, date);
  sayRedFlagsAfter(context, logs);
}

const missing = ({ exerciseName }: RoutineExercise): Issue => ({
  field: '--set',
  message: `is missing for ${quoted(escapeControls(exerciseName))}: add --set ${quoted(escapeControls(`${exerciseName}=6,4`))}, or =s to skip it`,
});

/** Parses two levels such as `6 4`, `6,4`, `6/10 4/10` or `6 -> 4`, and a note after them; null for `s`; otherwise undefined. */
function saidIn(text: string): Said | undefined {
  if (/^s(kip)?$/i.test(text)) return null;
  const [, before = '', after = '', notes = ''] =
    /^(\p{Nd}{1,9})(?:\/10)?(?:\s*(?:[,，]|-+>?|–|→)\s*|\s+(?:to\s+)?)(\p{Nd}{1,9})(?:\/10)?(?:\s+(.+))?$/su.exec(
      text,
    ) ?? [];
  const [painBefore, painAfter] = [Number(inPlainDigits(before)), Number(inPlainDigits(after))];
  const isPain = (level: number) => level >= min && level <= max;
  if (!isPain(painBefore) || !isPain(painAfter) || notes.length > logFields.notes.max) return undefined;
  return { painBefore, painAfter, notes };
}

/** Parses the values of `--set` by exercise name, which may be abbreviated. @throws SciaticaError `invalid` with every fault */
function givenIn({ exercises }: Routine, texts: readonly string[]): Map<string, Said> {
  const names = namesOf(exercises);
  const said = new Map<string, Said>();
  const issues = texts.flatMap((text): Issue[] => {
    const fault = (message: string) => [
      { field: '--set', message: `${quoted(escapeControls(text))} ${message}` },
    ];
    const [typed, value] = parted(text, names);
    if (value === undefined) return fault("must be an exercise and two numbers, as in 'Bird Dog=6,4'");
    const [name, ...others] = meantIn(typed.trim(), names);
    if (name === undefined)
      return fault(
        `is not about an exercise of the routine${didYouMean(typed, names) || ` (it has ${names.join(', ')})`}`,
      );
    if (others.length > 0) return fault(severalMeant([name, ...others]));
    if (said.has(name)) return fault('comes a second time for this exercise');
    const one = saidIn(value.trim());
    if (one === undefined)
      return fault(
        `must end in two numbers from ${min} to ${max}, as in =6,4, with a note of at most ${grouped(logFields.notes.max)} characters if you like, or in =s`,
      );
    said.set(name, one);
    return [];
  });
  if (issues.length > 0) throw invalid(issues);
  return said;
}

/** The names of a routine that a text can mean. Two of its names may differ in diacritics only, but not in case only. */
function meantIn(text: string, names: readonly string[]): string[] {
  const whole = names.find((name) => foldedName(name) === foldedName(text));
  return whole === undefined ? namesMeant(text, names) : [whole];
}

/** Splits `name=value` after a name of the routine, which may contain =, otherwise at the first =. */
function parted(text: string, names: readonly string[]): [name: string, said?: string] {
  const isName = (name: string) => foldedName(text).startsWith(`${foldedName(name)}=`);
  const [name] = names.filter(isName).sort((a, b) => b.length - a.length);
  const end = name?.length ?? text.indexOf('=');
  return end < 0 ? [text] : [text.slice(0, end), text.slice(end + 1)];
}

/** Asks for the pain of each exercise. The answer `b` goes back to the previous one. */
async function askEach(context: Context, exercises: readonly RoutineExercise[]): Promise<[string, Said][]> {
  if (exercises.length === 0) return [];
  const { askLine } = await import('../terminal/prompts.ts');
  const answers: string[] = [];
  for (let i = 0; i < exercises.length; ) {
    const { exerciseName } = exercises[i] as RoutineExercise;
    const keys = i === 0 ? 's skips' : 's skips, b goes back';
    const question = `${i + 1}/${exercises.length} ${escapeControls(exerciseName)}, pain before and after (6 4; ${keys})`;
    const isBack = (answer: string) => /^b(ack)?$/i.test(answer);
    const faultIn = (answer: string) => {
      if (isBack(answer)) return i === 0 ? 'This is the first one.' : undefined;
      return saidIn(answer) === undefined
        ? `Two numbers from ${min} to ${max}, such as 6 4, and a note if you like; ${keys}.`
        : undefined;
    };
    const answer = await askLine(context, question, faultIn, answers[i]);
    if (isBack(answer)) i--;
    else answers[i++] = answer;
  }
  return exercises.map(({ exerciseName }, i) => [exerciseName, saidIn(answers[i] ?? '') ?? null]);
}
