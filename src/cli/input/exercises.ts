import type { Context } from '../../context.ts';
import { SciaticaError } from '../../domain/errors.ts';
import { namesMeant } from '../../domain/words/match.ts';
import { closest, didYouMean } from '../../domain/words/suggest.ts';
import type { Exercise } from '../../store/records/logs.ts';
import { usage } from '../errors.ts';
import { escapeControls, quoted } from '../output/io.ts';

const namesOf = (known: readonly Exercise[]): string[] => known.map(({ exerciseName }) => exerciseName);

/** The exercise with exactly this name. */
export function exerciseNamed(name: unknown, known: readonly Exercise[]): Exercise | undefined {
  return known.find(({ exerciseName }) => exerciseName === name);
}

/** The known name that a new one is close to: another spelling, or a typing mistake. */
export function similarName(name: string, known: readonly Exercise[]): string | undefined {
  return exerciseNamed(name, known) ? undefined : closest(name, namesOf(known));
}

/**
 * The exercise that a typed text means; several are asked about.
 * @param mayBeNew whether no match is a new exercise of that name
 * @throws SciaticaError `invalid` that names the several where nobody can be asked; `not-found`
 */
export async function exerciseMeant(
  context: Context,
  text: string,
  known: readonly Exercise[],
  mayBeNew: boolean,
): Promise<string> {
  const names = namesMeant(text, namesOf(known));
  const [name, ...others] = names;
  if (name === undefined && mayBeNew) return text;
  if (name === undefined)
    throw new SciaticaError(
      'not-found',
      `No exercise done before is called ${quoted(text)}${didYouMean(text, namesOf(known))}.`,
    );
  if (others.length === 0) return name;
  if (!context.interactive) throw usage(severalMeant(text, names, mayBeNew));
  const { askChoiceOf } = await import('./prompts.ts');
  const choices = names.map((name) => ({ value: name, name: escapeControls(name) }));
  const isNew = { value: text, name: `${escapeControls(text)} (new)` };
  return askChoiceOf(context, 'Which exercise?', mayBeNew ? [...choices, isNew] : choices);
}

function severalMeant(text: string, names: readonly string[], mayBeNew: boolean): string {
  const otherwise = mayBeNew ? `, or name a new exercise with --name ${quoted(text)}` : '';
  return `${quoted(text)} can mean ${names.join(', ')}: say more of the name${otherwise}.`;
}
