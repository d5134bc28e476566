import type { Context } from '../../context.ts';
import { type Issue, invalid } from '../../domain/errors.ts';
import { foldedName } from '../../domain/exercise.ts';
import { grouped } from '../../domain/fields.ts';
import { type Log, type LogInput, logFields, logRecord, suggestEffective } from '../../domain/log.ts';
import type { Routine, RoutineExercise } from '../../domain/routine.ts';
import { namesMeant } from '../../domain/words/match.ts';
import { didYouMean } from '../../domain/words/suggest.ts';
import { namesOf, severalMeant } from '../input/exercises.ts';
import type { Options } from '../input/options.ts';
import { parseFlags } from '../input/parse-flags.ts';
import { existingUserOrAsk } from '../input/resolve-user.ts';
import { routineMeant } from '../input/routines.ts';
import { escapeControls, quoted, say, sayDone } from '../terminal/io.ts';
import { checkJson, pickedBy, printJson, sayDoubtOfDay, wrongHint } from '../terminal/output.ts';
import { answerOf } from '../views/records.ts';

const { min, max } = logFields.painBefore;

/** What is said about an exercise; null for one that was not done. */
type Said = Pick<Log, 'painBefore' | 'painAfter' | 'notes'> | null;

/** Records the exercises of a routine as one change. @throws SciaticaError; then nothing was written */
export async function logRoutine(context: Context, name: string, options: Options): Promise<void> {
  checkJson(options, logRecord);
  const { date: day, medication } = logFields;
  const { date = context.today, ...taken } = await parseFlags(context, options, { date: day, medication });
  const userId = await existingUserOrAsk(context, options);
  const routine = await routineMeant(context, userId, name);
  const given = givenIn(routine, options['set'] as readonly string[]);
  const open = routine.exercises.filter(({ exerciseName }) => !given.has(exerciseName));
  if (open.length > 0 && !context.interactive) throw invalid(open.map(missing));
  for (const [exercise, said] of await askEach(context, open)) given.set(exercise, said);
  const done = routine.exercises.flatMap((exercise): LogInput[] => {
    const said = given.get(exercise.exerciseName);
    if (!said) return [];
    const effective = suggestEffective(said.painBefore, said.painAfter);
    return [{ userId, ...exercise, date, ...said, effective, ...taken }];
  });
  if (done.length === 0) return say(context, 'Every exercise was skipped: nothing was recorded.');
  tell(context, options, context.store.logs.createAll(done));
  sayDoubtOfDay(context, date);
}

function tell(context: Context, options: Options, logs: readonly Log[]): void {
  const pick = pickedBy(options, logRecord);
  if (pick) {
    printJson(context, logs.map(pick));
    return;
  }
  for (const log of logs) sayDone(context, `Added log ${log.id}: ${answerOf(log, context.today)}.`);
  if (logs.length > 0) say(context, wrongHint(context).trim());
}

const missing = ({ exerciseName }: RoutineExercise): Issue => ({
  field: '--set',
  message: `is missing for ${quoted(escapeControls(exerciseName))}: add --set ${quoted(escapeControls(`${exerciseName}=6,4`))}, or =s to skip it`,
});

/** Two numbers such as `6 4`, or `6,4`, and a note if there is more; null for `s`; undefined for anything else. */
function saidIn(text: string): Said | undefined {
  if (/^s(kip)?$/i.test(text)) return null;
  const [, before, after, notes = ''] = /^(\d{1,9})(?:\s*,\s*|\s+)(\d{1,9})(?:\s+(.+))?$/s.exec(text) ?? [];
  const [painBefore, painAfter] = [Number(before), Number(after)];
  const isPain = (level: number) => level >= min && level <= max;
  if (!isPain(painBefore) || !isPain(painAfter) || notes.length > logFields.notes.max) return undefined;
  return { painBefore, painAfter, notes };
}

/** What `--set` says, by the names of the routine; it may say a part of a name. @throws SciaticaError `invalid` with every fault */
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

/** The names of a routine that a text can mean. Two of one routine may differ in marks, but not in the case of letters. */
function meantIn(text: string, names: readonly string[]): string[] {
  const whole = names.find((name) => foldedName(name) === foldedName(text));
  return whole === undefined ? namesMeant(text, names) : [whole];
}

/** The name and what is said about it: a name of the routine that may have = in it, else all before the first one. */
function parted(text: string, names: readonly string[]): [name: string, said?: string] {
  const isName = (name: string) => foldedName(text).startsWith(`${foldedName(name)}=`);
  const [name] = names.filter(isName).sort((a, b) => b.length - a.length);
  const end = name?.length ?? text.indexOf('=');
  return end < 0 ? [text] : [text.slice(0, end), text.slice(end + 1)];
}

/** Asks for the pain of each exercise, with a way back to the one before. */
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
