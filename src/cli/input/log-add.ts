import type { Context } from '../../context.ts';
import { SciaticaError } from '../../domain/errors.ts';
import { exerciseTypes, type Log, logFields, logRecord, suggestEffective } from '../../domain/log.ts';
import type { Exercise } from '../../domain/plans/exercise.ts';
import { didYouMean } from '../../domain/words/suggest.ts';
import { checkChange, checkNew } from '../../store/records/checks.ts';
import { namingFlags, usage } from '../errors.ts';
import { commandLine, escapeControls, quoted, say } from '../output/io.ts';
import { checkJson, printDone, sayDoubtOfDay } from '../output/output.ts';
import { answerOf } from '../views/records.ts';
import { exerciseMeant, exerciseNamed, namesOf, similarName } from './exercises.ts';
import { readWords } from './log-words.ts';
import { dayFaults, missingOf, type Options, valuesOf } from './options.ts';
import { resolveUser, resolveUserOrAsk } from './resolve-user.ts';

type Values = Record<string, unknown>;

/** A session as far as the command line says it. */
interface Draft {
  values: Values;
  /** The name as it was typed, which may be a part of one. */
  name?: string | undefined;
  /** The one-line form: what is unsaid has a default, and only the name, the type and the pain are asked for. */
  brief: boolean;
}

/**
 * `log add`: records a session of an exercise.
 * @param words name, pain before, pain after, note…
 * @throws SciaticaError `invalid` with every fault; then nothing was written
 */
export async function addLog(context: Context, words: readonly string[], options: Options): Promise<void> {
  checkJson(options, logRecord);
  const draft = draftOf(context, words, options);
  if (context.interactive) await settleUser(context, draft);
  const known = context.store.logs.exercises(userIdOf(draft));
  await settleName(context, draft, known);
  await save(context, options, draft, known);
}

/**
 * `log again`: records the last session, or the last of an exercise, once more, with the pain of today.
 * @throws SciaticaError `not-found` if there is none to repeat; as `addLog`
 */
export async function repeatLog(context: Context, words: readonly string[], options: Options): Promise<void> {
  checkJson(options, logRecord);
  const draft = { ...draftOf(context, words, options), brief: true };
  const { logs } = context.store;
  const userId = await resolveUserOrAsk(context, draft.values['userId']);
  const known = logs.exercises(userId);
  const name = draft.name === undefined ? undefined : await exerciseMeant(context, draft.name, known, false);
  const [last] = logs.list({
    userId,
    ...(name !== undefined && { exerciseName: name }),
    sort: '-date,-id',
    limit: 1,
  });
  if (!last)
    throw new SciaticaError('not-found', 'There is no session to repeat. Start with: sciatica log add');
  const { exerciseName, exerciseType } = last;
  await save(
    context,
    options,
    { brief: true, values: { exerciseName, exerciseType, ...draft.values, userId } },
    known,
  );
}

function draftOf(context: Context, words: readonly string[], options: Options): Draft {
  if (context.store.users.count() === 0) throw usage('There is no user yet. Start with: sciatica user add');
  const given = valuesOf(logFields, options, context.today);
  const { name, values } = readWords(words, given);
  const userId = given['userId'] ?? resolveUser(context, undefined);
  return {
    name,
    brief: words.length > 0,
    values: { ...given, ...values, ...(userId !== undefined && { userId }) },
  };
}

const userIdOf = ({ values: { userId } }: Draft) => (typeof userId === 'number' ? userId : undefined);

/** Asks whose session it is, where that is not clear. Flags are checked before the first question. */
async function settleUser(context: Context, draft: Draft): Promise<void> {
  checkGiven(context, draft.values);
  draft.values['userId'] ??= await resolveUserOrAsk(context, undefined);
}

function checkGiven(context: Context, values: Values): void {
  const { users } = context.store;
  namingFlags(
    logFields,
    () => checkChange(users, 'log', values),
    dayFaults(logFields, values, context.today),
  );
}

/** Finds the exercise that the typed name means. */
async function settleName(context: Context, draft: Draft, known: readonly Exercise[]): Promise<void> {
  if (draft.name === undefined) return;
  draft.values['exerciseName'] = await exerciseMeant(context, draft.name, known, true);
}

async function save(
  context: Context,
  options: Options,
  draft: Draft,
  known: readonly Exercise[],
): Promise<void> {
  const { logs } = context.store;
  const values = complete(context, draft, known);
  const asked = context.interactive && Object.keys(missingOf(logFields, values)).length > 0;
  const log = logs.create(
    checked(context, asked ? await askMissing(context, draft, known) : values, known, draft),
  );
  const done = `Added log ${log.id}: ${answerOf(log, context.today)}.`;
  printDone(context, options, { fields: logRecord, record: log, done });
  sayDoubts(context, log, asked ? [] : known);
}

/** Values of fields that were not given; in prompts, the defaults. */
const defaults = ({ today }: Context): Values => ({ date: today, notes: '' });

const helped = ({ painBefore, painAfter }: Values) => suggestEffective(Number(painBefore), Number(painAfter));

/** Adds what follows from what was said: the type of a known exercise, today, and in one line whether it helped. */
function complete(context: Context, { values, brief }: Draft, known: readonly Exercise[]): Values {
  const all = { ...defaults(context), ...withType(values, known) };
  const isKnown = typeof all['painBefore'] === 'number' && typeof all['painAfter'] === 'number';
  return brief && isKnown ? { effective: helped(all), ...all } : all;
}

/** Adds the type of the exercise's last session, unless one was given. */
function withType(given: Values, known: readonly Exercise[]): Values {
  const before = exerciseNamed(given['exerciseName'], known);
  return before ? { exerciseType: before.exerciseType, ...given } : given;
}

function checked(context: Context, values: Values, known: readonly Exercise[], { brief }: Draft) {
  const words: Record<string, string> = dayFaults(logFields, values, context.today);
  if (values['userId'] === undefined)
    words['userId'] = 'is missing: there are several users (to choose one for good: sciatica user use ID)';
  const name = values['exerciseName'];
  if (values['exerciseType'] === undefined && typeof name === 'string') {
    words['exerciseType'] =
      `is missing: ${quoted(name)} is a new exercise${didYouMean(name, namesOf(known))}. Add --type ${exerciseTypes.join(' or --type ')}`;
  }
  // In one line whether it helped follows from the pain, which then is what is missing or wrong.
  const whole = brief ? { effective: false, ...values } : values;
  return namingFlags(logFields, () => checkNew(context.store.users, 'log', whole), words);
}

/** Asks for what was not said. */
async function askMissing(
  context: Context,
  { values: given, brief }: Draft,
  known: readonly Exercise[],
): Promise<Values> {
  const { askExercise, askField, askHelped, askKind, askYesNo } = await import('./prompts.ts');
  checkGiven(context, given);
  const name = String(given['exerciseName'] ?? (await askExercise(context, known)));
  const similar = similarName(name, known);
  const meant = similar && (await askYesNo(context, `Did you mean ${escapeControls(similar)}?`, true));
  const values = withType({ ...given, exerciseName: meant ? similar : name }, known);
  if (brief) Object.assign(values, { ...defaults(context), ...values });
  for (const [field, definition] of Object.entries(missingOf(logFields, values)))
    if (field === 'exerciseType' && brief)
      values[field] = await askKind(context, String(values['exerciseName']));
    else if (field !== 'effective')
      values[field] = await askField(context, definition, defaults(context)[field]);
    else values[field] = brief ? helped(values) : await askHelped(context, helped(values));
  return values;
}

/** Points out probable mistakes: a name close to a known one, a strange day, the same session twice. */
function sayDoubts(context: Context, log: Log, known: readonly Exercise[]): void {
  const similar = similarName(log.exerciseName, known);
  if (similar) {
    say(
      context,
      `Note: "${escapeControls(log.exerciseName)}" is new; there already is "${escapeControls(similar)}".`,
    );
    const edit = `log edit ${log.id} --name ${quoted(escapeControls(similar))}`;
    say(context, `If that was meant: ${commandLine(context, edit)}`);
  }
  sayDoubtOfDay(context, log.date);
  const { userId, exerciseName, date, painBefore, painAfter } = log;
  const same = context.store.logs
    .list({ userId, exerciseName, since: date, until: date })
    .find((other) => other.id !== log.id && other.painBefore === painBefore && other.painAfter === painAfter);
  if (same) say(context, `Note: log ${same.id} says the same of that day.`);
}
