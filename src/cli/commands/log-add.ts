import type { Context } from '../../context.ts';
import { fromTexts } from '../../domain/codec.ts';
import { suggestEffective } from '../../domain/effective.ts';
import { absent } from '../../domain/errors.ts';
import type { Exercise } from '../../domain/exercise.ts';
import { exerciseTypes } from '../../domain/exercise-types.ts';
import { expectation } from '../../domain/field-kinds.ts';
import { type Log, type LogInput, logFields, logRecord } from '../../domain/log.ts';
import { addDays } from '../../domain/words/day.ts';
import { namesMeant, wholeNamesMeant } from '../../domain/words/match.ts';
import { dayInTheWay, isNoName, levelsTogether, painIn } from '../../domain/words/pain-words.ts';
import { didYouMean, suggestion } from '../../domain/words/suggest.ts';
import type { Command } from '../input/command.ts';
import { ageOf, anywayOption, dayAsWord, settleDays } from '../input/days.ts';
import {
  askExercise,
  askSimilar,
  askType,
  exerciseMeant,
  exerciseNamed,
  namesOf,
  similarName,
} from '../input/exercises.ts';
import { notesOption, withNotes } from '../input/notes.ts';
import { dayFaults, jsonOption, missingOf, type Options, saidTwice, valuesOf } from '../input/options.ts';
import { noUserYet, resolveUser, resolveUserOrAsk } from '../input/resolve-user.ts';
import { checkGiven, introduce } from '../records/verbs.ts';
import { namingFlags } from '../terminal/errors.ts';
import { commandLine, escapeControls, quoted, say, sayAlways } from '../terminal/io.ts';
import { checkJson, printDone, sayDayInNotes, sayDoubtOfDay, sayKeptAsNote } from '../terminal/output.ts';
import { addedOf, answerOf } from '../views/records.ts';
import { redFlagsHelp, sayRedFlagsAfter } from '../views/red-flags.ts';

const IN_ONE_LINE =
  'In one line, name an exercise that you have done before by its name, a part of it such as piri, or its initials; a new name needs --type, or is asked about. Unless you say otherwise, the day is today, there are no notes, and the exercise helped if the pain is less after than before. --name is always taken literally.';

/** `sciatica log add|again` */
export function addLogAddCommands(log: Command, context: Context): void {
  log
    .command('add')
    .description(
      `Record an exercise: in one line, with flags, or, in a terminal, by answering questions. ${IN_ONE_LINE}`,
    )
    .argument('[words...]', 'name before after note…')
    .fields(logFields)
    .addOption(anywayOption())
    .addOption(notesOption())
    .addOption(jsonOption())
    .examples(
      'sciatica log add piri 6 4',
      'sciatica log add cat-cow 5 5 stiff after the drive --date yesterday',
      'sciatica log add',
      "sciatica log add --name 'Piriformis Stretch' --type stretch \\\n    --before 6 --after 4 --effective",
      "sciatica log add --name 'Glute Bridge' --date yesterday \\\n    --before 5 --after 5 --no-effective --notes '3 sets of 10'",
    )
    .addHelpText('after', redFlagsHelp)
    .action(async (words: string[], options: Options) =>
      addLog(context, words, await withNotes(context, options)),
    );

  const { exerciseName: _, exerciseType: __, ...ofToday } = logFields;
  log
    .command('again')
    .summary('Record the last session again')
    .description(
      'Record the last session, or the last one of an exercise, again. Only the pain before and after is asked for; the rest works as in the one line of log add.',
    )
    .argument('[words...]', 'name before after note…')
    .fields(ofToday)
    .addOption(anywayOption())
    .addOption(notesOption())
    .addOption(jsonOption())
    .examples('sciatica log again', 'sciatica log again piri 6 4')
    .action(async (words: string[], options: Options) =>
      repeatLog(context, words, await withNotes(context, options)),
    );
}

type Values = Record<string, unknown>;

/** A session as given on the command line, perhaps incomplete. */
interface Draft {
  values: Values;
  /** The name of the exercise as typed, perhaps only a part of it. */
  name?: string | undefined;
  /** The one-line form: fields have defaults, and only the name, the type and the pain are asked for. */
  brief: boolean;
}

/**
 * `log add`: records a session of an exercise.
 * @param words name, pain before, pain after, note…
 * @throws SciaticaError `not-found` for an unknown user; `invalid` with every other fault; then nothing was written
 */
async function addLog(context: Context, words: readonly string[], options: Options): Promise<void> {
  checkJson(options, logRecord);
  await introduce(context);
  await addSession(context, options, draftOf(context, words, options));
}

/** Onboarding in a terminal: asks for the first user, and for the exercise and the pain of the first session. */
export async function recordFirst(context: Context): Promise<void> {
  await introduce(context);
  await addSession(context, {}, { ...draftOf(context, [], {}), brief: true });
  say(context, `The next time, this is enough: ${commandLine(context, 'log again')}`);
}

async function addSession(context: Context, options: Options, draft: Draft): Promise<void> {
  const { values, name } = draft;
  if (context.interactive) {
    // Flags are checked before the first question.
    await checkGiven(context, 'log', values, wordsFor(context, draft));
    values['userId'] ??= await resolveUserOrAsk(context, undefined);
  }
  const { userId } = values;
  const known = context.store.logs.exercises(typeof userId === 'number' ? userId : undefined);
  if (name !== undefined) values['exerciseName'] = await exerciseMeant(context, name, known, true);
  await save(context, options, draft, known);
}

/**
 * `log again`: records the last session, or the last of an exercise, once more, with new levels of pain.
 * @throws SciaticaError `not-found` if there is none to repeat; as `addLog`
 */
async function repeatLog(context: Context, words: readonly string[], options: Options): Promise<void> {
  checkJson(options, logRecord);
  const draft = { ...draftOf(context, words, options), brief: true };
  const { logs } = context.store;
  const userId = await resolveUserOrAsk(context, draft.values['userId']);
  const known = logs.exercises(userId);
  const name = draft.name === undefined ? undefined : await exerciseMeant(context, draft.name, known, false);
  const ofName = name === undefined ? {} : { exerciseName: name };
  const last = logs.latest({ userId, ...ofName, until: addDays(context.today, 1) });
  if (!last) throw absent(`There is no session to repeat. Start with: ${commandLine(context, 'log add')}`);
  const { exerciseName, exerciseType } = last;
  if (context.interactive && draft.values['painAfter'] === undefined)
    sayAlways(context, `${escapeControls(exerciseName)}, once more:`);
  await save(
    context,
    options,
    { brief: true, values: { exerciseName, exerciseType, ...draft.values, userId } },
    known,
  );
}

function draftOf(context: Context, words: readonly string[], options: Options): Draft {
  if (context.store.users.count() === 0) throw noUserYet(context);
  const given = valuesOf(logFields, options, context.today);
  const userId = given['userId'] ?? resolveUser(context, undefined);
  const id = Number(userId);
  // An invalid id is not looked up, but reported together with all other faults.
  const isId = Number.isInteger(id) && id >= 1;
  if (isId) context.store.users.get(id);
  const names = () => namesOf(context.store.logs.exercises(isId ? id : undefined));
  const { name, values } = readWords(context, words, given, names);
  return {
    name,
    brief: words.length > 0,
    values: { ...given, ...values, ...(userId !== undefined && { userId }) },
  };
}

/** Asks whether an exercise helped. */
export async function askHelped(context: Context, helped: boolean): Promise<boolean> {
  const { askYesNo } = await import('../terminal/prompts.ts');
  return askYesNo(context, 'Did it help?', helped);
}

/** Messages, by field, that say more about a fault than those of the schema. */
const wordsFor = ({ today }: Context, { values, brief }: Draft): Record<string, string> => {
  const { painBefore, painAfter } = values;
  const levels = brief && painAfter === undefined ? levelsTogether(painBefore) : undefined;
  return {
    ...dayFaults(logFields, values, today),
    ...(levels && { painBefore: `must be ${expectation(logFields.painBefore)}${suggestion(levels)}` }),
  };
};

async function save(
  context: Context,
  options: Options,
  draft: Draft,
  known: readonly Exercise[],
): Promise<void> {
  const { logs } = context.store;
  const values = withDefaults(context, draft, known);
  const asked = context.interactive && Object.keys(missingOf(logFields, values)).length > 0;
  const said = asked ? await askMissing(context, draft, known) : values;
  const input = await checked(context, said, known, draft);
  await settleDays(context, options, logFields, input, ageOf(context, input.userId));
  const log = logs.create(input);
  const done = `Added ${addedOf(context, 'log', log, answerOf(log, context.today))}.`;
  printDone(context, options, { fields: logRecord, record: log, done });
  sayDoubts(context, log, asked ? [] : known);
  if (draft.values['notes'] !== undefined && options['notes'] === undefined) sayFigureInNotes(context, log);
  sayRedFlagsAfter(context, [log]);
}

/** Values of fields that were not given; in prompts, the default answers. */
const defaults = ({ today }: Context): Values => ({ date: today, notes: '' });

const helped = ({ painBefore, painAfter }: Values) => suggestEffective(Number(painBefore), Number(painAfter));

/** Adds default values: the type of a known exercise, today, no notes and, in the one-line form, whether it helped. */
function withDefaults(context: Context, { values, brief }: Draft, known: readonly Exercise[]): Values {
  const all = { ...defaults(context), ...withType(values, known) };
  const isKnown = typeof all['painBefore'] === 'number' && typeof all['painAfter'] === 'number';
  return brief && isKnown ? { effective: helped(all), ...all } : all;
}

/** Adds the type of the exercise's last session, unless one was given. */
function withType(given: Values, known: readonly Exercise[]): Values {
  const before = exerciseNamed(given['exerciseName'], known);
  return before ? { exerciseType: before.exerciseType, ...given } : given;
}

async function checked(
  context: Context,
  values: Values,
  known: readonly Exercise[],
  { brief }: Draft,
): Promise<LogInput> {
  const { checkSent } = await import('../../store/records/checks.ts');
  const words = wordsFor(context, { values, brief });
  if (values['userId'] === undefined)
    words['userId'] =
      `is missing: there are several users (to choose one for good: ${commandLine(context, 'user use ID')})`;
  const name = values['exerciseName'];
  const notes = String(values['notes'] ?? '');
  if (name === undefined && brief)
    words['exerciseName'] =
      `is missing: it comes first, as in ${commandLine(context, `log add ${isNoName(notes) ? 'NAME' : quoted(notes)} 6 4`)}`;
  if (values['exerciseType'] === undefined && typeof name === 'string') {
    words['exerciseType'] =
      `is missing: ${quoted(name)} is a new exercise${didYouMean(name, namesOf(known))}. Add --type ${exerciseTypes.join(' or --type ')}`;
  }
  // In the one-line form, `effective` follows from the pain: only that is reported as missing or wrong.
  const whole = brief ? { effective: false, ...values } : values;
  return namingFlags(logFields, () => checkSent(context.store.users, 'log', 'input', whole), words);
}

/** Asks for the missing values. */
async function askMissing(
  context: Context,
  { values: given, brief }: Draft,
  known: readonly Exercise[],
): Promise<Values> {
  const { askField } = await import('../terminal/prompts.ts');
  await checkGiven(context, 'log', given, wordsFor(context, { values: given, brief }));
  const name = String(given['exerciseName'] ?? (await askExercise(context, known)));
  const meant = await askSimilar(context, name, known);
  const values = withType({ ...given, exerciseName: meant ?? name }, known);
  if (brief) Object.assign(values, { ...defaults(context), ...values });
  // For the first exercise, the default answer is the pain level of the profile, entered just before.
  const painNow =
    known.length === 0 ? context.store.users.find(Number(given['userId']))?.painLevel : undefined;
  const usual: Values = { ...defaults(context), ...(painNow !== undefined && { painBefore: painNow }) };
  for (const [field, definition] of Object.entries(missingOf(logFields, values)))
    if (field === 'exerciseType' && brief)
      values[field] = await askType(context, String(values['exerciseName']));
    else if (field !== 'effective') values[field] = await askField(context, definition, usual[field]);
    else values[field] = brief ? helped(values) : await askHelped(context, helped(values));
  return values;
}

/** Warns of probable mistakes: a name close to a known one, a strange day, the same session twice. */
function sayDoubts(context: Context, log: Log, known: readonly Exercise[]): void {
  saySimilarName(context, log, known);
  sayDoubtOfDay(context, log.date);
  sayDayInNotes(context, log, `log edit ${log.id}`);
  const same = sameThatDay(context, log);
  if (same) say(context, `Note: log ${same.id} says the same of that day.`);
}

/** Warns if a third number became the note. */
function sayFigureInNotes(context: Context, { notes }: Log): void {
  if (/^[\p{Nd} ]+$/u.test(notes)) sayKeptAsNote(context, notes);
}

/** Warns if the name of a session is new, but close to that of an exercise done before. */
export function saySimilarName(context: Context, log: Log, known: readonly Exercise[]): void {
  const similar = similarName(log.exerciseName, known);
  if (!similar) return;
  say(
    context,
    `Note: "${escapeControls(log.exerciseName)}" is new; there already is "${escapeControls(similar)}".`,
  );
  const edit = `log edit ${log.id} --name ${quoted(escapeControls(similar))}`;
  say(context, `If that was meant: ${commandLine(context, edit)}`);
}

/** Another session of the day with the same exercise, pain and notes, unless it is usually done several times a day. */
function sameThatDay(context: Context, log: Log): Log | undefined {
  const { logs, routines } = context.store;
  const { userId, exerciseName, date, painBefore, painAfter, notes } = log;
  const same = logs
    .list({ userId, exerciseName, since: date, until: date })
    .find(
      (other) =>
        other.id !== log.id &&
        other.painBefore === painBefore &&
        other.painAfter === painAfter &&
        other.notes === notes,
    );
  if (!same) return undefined;
  const inRoutine = routines
    .list({ userId })
    .some(({ exercises }) => exercises.some((exercise) => exercise.exerciseName === exerciseName));
  const before = logs.list({ userId, exerciseName, until: addDays(date, -1), sort: '-date', limit: 50 });
  const isHabit = new Set(before.map((other) => other.date)).size < before.length;
  return inRoutine || isHabit ? undefined : same;
}

/**
 * Parses `name before after note…`: the name ends at the first level of pain, unless a known name contains a number. A known name
 * may stand behind the pain.
 * @param given the values of flags
 * @param names of the known exercises
 * @returns the name as typed, and the values by field: painBefore, painAfter, notes
 * @throws SciaticaError `invalid` if a word and a flag set the same field, or a day stands in the place of the pain
 */
function readWords(
  context: Context,
  words: readonly string[],
  given: Values,
  names: () => readonly string[],
): Pick<Draft, 'name' | 'values'> {
  const day = dayInTheWay(words);
  if (day !== undefined) throw dayAsWord(context, day, 'log add NAME 6 4');
  const { before, levels, after } = painIn(words, (text) => wholeNamesMeant(text, names()).length > 0);
  const [first, last] = [before.join(' ').trim(), after.join(' ')];
  const isBehind =
    first === '' &&
    last !== '' &&
    given['exerciseName'] === undefined &&
    namesMeant(last, names()).length > 0;
  const [name, notes] = isBehind ? [last, ''] : [first, last];
  const [painBefore, painAfter] = levels;
  const texts = {
    ...(painBefore !== undefined && { painBefore }),
    ...(painAfter !== undefined && { painAfter }),
    ...(notes !== '' && { notes }),
  };
  for (const [field, text] of Object.entries({ ...texts, ...(name !== '' && { exerciseName: name }) }))
    if (given[field] !== undefined) throw saidTwice(text, logFields[field as keyof typeof logFields].flag);
  return { name: name === '' ? undefined : name, values: fromTexts(logFields, texts) };
}
