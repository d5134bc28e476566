import type { Context } from '../../context.ts';
import { type Issue, invalid } from '../../domain/errors.ts';
import { type Log, type LogInput, logFields, logRecord, suggestEffective } from '../../domain/log.ts';
import { foldedName } from '../../domain/plans/exercise.ts';
import type { Routine, RoutineExercise } from '../../domain/plans/routine.ts';
import { didYouMean } from '../../domain/words/suggest.ts';
import { escapeControls, quoted, say, sayDone } from '../output/io.ts';
import { checkJson, printJson, wrongHint } from '../output/output.ts';
import { summaryOfLog } from '../views/records.ts';
import type { Options } from './options.ts';
import { parseFlags } from './parse-flags.ts';
import { userOf } from './routine-verbs.ts';
import { routineNamed } from './routines.ts';

const { min, max } = logFields.painBefore;

/** Pain before and after an exercise; null for one that was not done. */
type Pain = readonly [before: number, after: number] | null;

/** Records the exercises of a routine as one change. @throws SciaticaError; then nothing was written */
export async function logRoutine(context: Context, name: string, options: Options): Promise<void> {
  checkJson(options, logRecord);
  const { date = context.today } = await parseFlags(context, options, { date: logFields.date });
  const userId = await userOf(context, options);
  const routine = routineNamed(context.store, userId, name);
  const given = painGiven(routine, options['set'] as readonly string[]);
  const open = routine.exercises.filter(({ exerciseName }) => !given.has(exerciseName));
  if (open.length > 0 && !context.interactive) throw invalid(open.map(missing));
  for (const [exercise, pain] of await askEach(context, open)) given.set(exercise, pain);
  const done = routine.exercises.flatMap((exercise): LogInput[] => {
    const pain = given.get(exercise.exerciseName);
    return pain ? [inputOf(userId, exercise, date, pain)] : [];
  });
  if (done.length === 0) return say(context, 'Every exercise was skipped: nothing was recorded.');
  tell(context, options, context.store.logs.createAll(done));
}

function inputOf(
  userId: number,
  exercise: RoutineExercise,
  date: string,
  [painBefore, painAfter]: NonNullable<Pain>,
): LogInput {
  const effective = suggestEffective(painBefore, painAfter);
  return { userId, ...exercise, date, painBefore, painAfter, effective, notes: '' };
}

function tell(context: Context, options: Options, logs: readonly Log[]): void {
  if (options['json'] !== undefined) {
    const fields = options['json'] === true ? Object.keys(logRecord) : String(options['json']).split(',');
    printJson(
      context,
      logs.map((log) => Object.fromEntries(fields.map((field) => [field, log[field as keyof Log]]))),
    );
    return;
  }
  for (const log of logs) sayDone(context, `Added log ${log.id}: ${summaryOfLog(log)}.`);
  if (logs.length > 0) say(context, wrongHint(context).trim());
}

const missing = ({ exerciseName }: RoutineExercise): Issue => ({
  field: '--set',
  message: `is missing for ${quoted(escapeControls(exerciseName))}: add --set ${quoted(escapeControls(`${exerciseName}=6,4`))}, or =s to skip it`,
});

/** Two numbers such as `6 4`, or `6,4`; null for `s`; undefined for anything else. */
function painOf(text: string): Pain | undefined {
  if (/^s(kip)?$/i.test(text)) return null;
  const [, before, after] = /^(\d{1,9})(?:\s*,\s*|\s+)(\d{1,9})$/.exec(text) ?? [];
  const pain = [Number(before), Number(after)] as const;
  return pain.every((level) => level >= min && level <= max) ? pain : undefined;
}

/** What `--set` says, by the names of the routine. @throws SciaticaError `invalid` with every fault */
function painGiven({ exercises }: Routine, texts: readonly string[]): Map<string, Pain> {
  const names = exercises.map(({ exerciseName }) => exerciseName);
  const given = new Map<string, Pain>();
  const issues = texts.flatMap((text): Issue[] => {
    const fault = (message: string) => [
      { field: '--set', message: `${quoted(escapeControls(text))} ${message}` },
    ];
    const [, typed = '', value] = /^(.*)=([^=]*)$/s.exec(text) ?? [];
    if (value === undefined) return fault("must be an exercise and two numbers, as in 'Bird Dog=6,4'");
    const name = names.find((one) => foldedName(one) === foldedName(typed.trim()));
    if (name === undefined)
      return fault(`is not about an exercise of the routine${didYouMean(typed, names)}`);
    if (given.has(name)) return fault('comes a second time for this exercise');
    const pain = painOf(value.trim());
    if (pain === undefined)
      return fault(`must end in two numbers from ${min} to ${max}, as in =6,4, or in =s`);
    given.set(name, pain);
    return [];
  });
  if (issues.length > 0) throw invalid(issues);
  return given;
}

/** Asks for the pain of each exercise, with a way back to the one before. */
async function askEach(context: Context, exercises: readonly RoutineExercise[]): Promise<[string, Pain][]> {
  if (exercises.length === 0) return [];
  const { askLine } = await import('./prompts.ts');
  const answers: string[] = [];
  for (let i = 0; i < exercises.length; ) {
    const { exerciseName } = exercises[i] as RoutineExercise;
    const keys = i === 0 ? 's skips' : 's skips, b goes back';
    const question = `${i + 1}/${exercises.length} ${escapeControls(exerciseName)}, pain before and after (6 4; ${keys})`;
    const isBack = (answer: string) => /^b(ack)?$/i.test(answer);
    const faultOf = (answer: string) => {
      if (isBack(answer)) return i === 0 ? 'This is the first one.' : undefined;
      return painOf(answer) === undefined
        ? `Two numbers from ${min} to ${max}, such as 6 4; ${keys}.`
        : undefined;
    };
    const answer = await askLine(context, question, faultOf, answers[i]);
    if (isBack(answer)) i--;
    else answers[i++] = answer;
  }
  return exercises.map(({ exerciseName }, i) => [exerciseName, painOf(answers[i] ?? '') ?? null]);
}
