import type { Context } from '../../context.ts';
import { type Log, logFields, logRecord, suggestEffective } from '../../domain/log.ts';
import { checkLogChange, checkNewLog } from '../../store/records/checks.ts';
import type { Exercise } from '../../store/records/logs.ts';
import { namingFlags, usage } from '../errors.ts';
import { escapeControls, quoted, say } from '../output/io.ts';
import { checkJson, printDone } from '../output/output.ts';
import { summaryOfLog } from '../views/records.ts';
import { exerciseNamed, similarName } from './exercises.ts';
import { missingOf, type Options, valuesOf } from './options.ts';
import { resolveUser, resolveUserOrAsk } from './resolve-user.ts';

type Values = Record<string, unknown>;

/** Records a session of an exercise. @throws SciaticaError `invalid` with every fault; then nothing was written */
export async function addLog(context: Context, options: Options): Promise<void> {
  checkJson(options, logRecord);
  const { logs, users } = context.store;
  if (users.count() === 0) throw usage('There is no user yet. Start with: sciatica user add');
  const { userId: flag, ...given } = valuesOf(logFields, options, context.today);
  const userId = flag ?? resolveUser(context, undefined);
  const known = logs.exercises(typeof userId === 'number' ? userId : undefined);
  const values = {
    ...defaults(context),
    ...withType(given, known),
    ...(userId === undefined ? {} : { userId }),
  };
  const asked = context.interactive && Object.keys(missingOf(logFields, values)).length > 0;
  const log = logs.create(checked(context, asked ? await askMissing(context, given, userId) : values));
  const done = `Added log ${log.id}: ${summaryOfLog(log)}.`;
  printDone(context, options, { fields: logRecord, record: log, done });
  sayDoubts(context, log, known, asked);
}

/** Values of fields that were not given; in prompts, the defaults. */
const defaults = ({ today }: Context): Values => ({ date: today, notes: '' });

const helped = ({ painBefore, painAfter }: Values) => suggestEffective(Number(painBefore), Number(painAfter));

/** Adds the type of the exercise's last session, unless one was given. */
function withType(given: Values, known: readonly Exercise[]): Values {
  const before = exerciseNamed(given['exerciseName'], known);
  return before ? { exerciseType: before.exerciseType, ...given } : given;
}

function checked(context: Context, values: Values) {
  const several = 'is missing: there are several users (to choose one for good: sciatica user use ID)';
  const words: Record<string, string> = values['userId'] === undefined ? { userId: several } : {};
  return namingFlags(logFields, () => checkNewLog(context.store.logs, values), words);
}

/** Asks for what was not given. Flags are checked before the first question, so that no answer is lost. */
async function askMissing(context: Context, given: Values, user: unknown): Promise<Values> {
  const { logs } = context.store;
  const flags = user === undefined ? given : { ...given, userId: user };
  namingFlags(logFields, () => checkLogChange(logs, flags));
  const { askExercise, askField, askYesNo } = await import('./prompts.ts');
  const userId = (user as number | undefined) ?? (await resolveUserOrAsk(context, undefined));
  const known = logs.exercises(userId);
  const name = String(given['exerciseName'] ?? (await askExercise(context, known)));
  const similar = similarName(name, known);
  const meant = similar && (await askYesNo(context, `Did you mean ${escapeControls(similar)}?`, true));
  const values = withType({ ...given, userId, exerciseName: meant ? similar : name }, known);
  for (const [field, definition] of Object.entries(missingOf(logFields, values)))
    values[field] =
      field === 'effective'
        ? await askYesNo(context, 'Did it help?', helped(values))
        : await askField(context, definition, defaults(context)[field]);
  return values;
}

/** Warns of probable mistakes: a name close to a known one, a day in the future. */
function sayDoubts(context: Context, log: Log, known: readonly Exercise[], asked: boolean): void {
  const similar = asked ? undefined : similarName(log.exerciseName, known);
  if (similar) {
    say(
      context,
      `Note: "${escapeControls(log.exerciseName)}" is new; there already is "${escapeControls(similar)}".`,
    );
    say(context, `If that was meant: sciatica log edit ${log.id} --name ${quoted(escapeControls(similar))}`);
  }
  if (log.date > context.today) say(context, `Note: ${log.date} is in the future.`);
}
