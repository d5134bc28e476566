import type { Context } from '../../context.ts';
import { SciaticaError } from '../../domain/errors.ts';
import { logFields } from '../../domain/log.ts';
import type { Exercise } from '../../domain/plans/exercise.ts';
import { check, objectOf } from '../../domain/schema.ts';
import { wholeNamesMeant } from '../../domain/words/match.ts';
import { renameExercise as renameStored } from '../../store/records/logs.ts';
import { usage } from '../errors.ts';
import { counted, escapeControls, say, sayDone } from '../output/io.ts';
import { wrongHint } from '../output/output.ts';
import { confirmed } from './edit.ts';
import { exerciseNamed, probableNames } from './exercises.ts';
import type { Options } from './options.ts';
import { resolveUserOrAsk } from './resolve-user.ts';
import { exerciseNames } from './routines/routines.ts';

/**
 * Renames an exercise of a user, or merges it into another, as one change.
 * @throws SciaticaError `invalid` for a new name that cannot be one, or where nobody can be asked about a merge;
 *   `not-found` for an exercise that was never recorded
 */
export async function renameExercise(
  context: Context,
  old: string,
  wanted: string,
  options: Options,
): Promise<void> {
  const { store } = context;
  const { name: typed } = check(objectOf({ name: logFields.exerciseName }), { name: wanted });
  const userId = await resolveUserOrAsk(context, options['user']);
  store.users.get(userId);
  const known = store.logs.exercises(userId);
  const names = exerciseNames(store, userId);
  const from = names.includes(old)
    ? [old]
    : wholeNamesMeant(
        old,
        names.filter((name) => name !== typed),
      );
  if (from.length === 0) throw unknown(old, typed, names);
  const sessionsOf = (name: string) => exerciseNamed(name, known)?.sessions ?? 0;
  const others = names.filter((name) => !from.includes(name)).sort((a, b) => sessionsOf(b) - sessionsOf(a));
  // In other letters' case it is the known one, of several the one with the most sessions.
  const [to = typed] = wholeNamesMeant(typed, others);
  if (from.includes(to)) throw usage(`The exercise is called ${shown(to)} already.`);
  await askAboutMerge(context, options, { known, from, to });
  const { logs, routines } = renameStored(store, userId, from, to);
  const what = [counted(logs, 'log'), ...(routines > 0 ? [counted(routines, 'routine')] : [])].join(', ');
  sayDone(context, `Renamed ${listed(from)} to ${shown(to)}: ${what}.`);
  say(context, wrongHint(context).trim());
}

const shown = (name: string) => `"${escapeControls(name)}"`;
const listed = (names: readonly string[]) => names.map(shown).join(' and ');

function unknown(old: string, typed: string, names: readonly string[]): SciaticaError {
  if (names.includes(typed) && wholeNamesMeant(old, names).length > 0)
    return usage(`The exercise is called ${shown(typed)} already.`);
  return new SciaticaError(
    'not-found',
    `There is no exercise ${shown(old)}${meantBy(old, names)}. See: sciatica exercises`,
  );
}

/** A rename takes whole names only; a part of one says which was probably meant. */
function meantBy(old: string, names: readonly string[]): string {
  const probable = probableNames(old, names);
  return probable.length > 0 ? ` (did you mean ${probable.map(escapeControls).join(' or ')}?)` : '';
}

/** Two exercises that become one can no longer be told apart, except by an undo. */
async function askAboutMerge(
  context: Context,
  options: Options,
  { known, from, to }: { known: readonly Exercise[]; from: readonly string[]; to: string },
): Promise<void> {
  const sessions = (names: readonly string[]) =>
    known
      .filter(({ exerciseName }) => names.includes(exerciseName))
      .reduce((sum, exercise) => sum + exercise.sessions, 0);
  const present = sessions([to]);
  if (present === 0) return;
  const moved = counted(sessions(from), 'session');
  const question = `Merge ${moved} of ${listed(from)} into ${shown(to)}, which has ${present}?`;
  if (!options['yes'] && !context.interactive)
    throw usage(
      `This would merge ${moved} of ${listed(from)} into ${shown(to)}, which has ${present}. To do it unasked, add --yes.`,
    );
  await confirmed(context, options, question, 'Nothing was renamed.');
}
