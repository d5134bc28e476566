import { exerciseKey } from './exercises.ts';
import { groupBy } from './numbers.ts';

const RIGHT_TO_LEFT =
  /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** A text that a person typed; if it has right-to-left characters, isolated so that it does not reorder the text around it. */
export function quoted(text: string): string {
  return RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text;
}

const LONGEST_NAME = 44;

/** The name of an exercise for little room: cut to `LONGEST_NAME` characters before a type, and isolated as by `quoted`. */
export function shortName({ exerciseName }: { readonly exerciseName: string }): string {
  const [type = ''] = / \([a-z]{1,20}\)$/.exec(exerciseName) ?? [];
  const characters = [...exerciseName];
  const start = characters.slice(0, LONGEST_NAME - 1 - type.length).join('');
  return quoted(characters.length <= LONGEST_NAME ? exerciseName : `${start}…${type}`);
}

interface Named {
  readonly exerciseName: string;
  readonly exerciseType: string;
}

/** A test whether another of the exercises has the same name: one name under two types is two exercises. */
export function namesakes(exercises: readonly Named[]): (exercise: Named) => boolean {
  const nameOf = (exercise: Named) => exerciseKey({ ...exercise, exerciseType: '' });
  const distinct = new Map(exercises.map((each) => [exerciseKey(each), each])).values();
  const byName = groupBy(distinct, nameOf);
  return (exercise) => (byName.get(nameOf(exercise))?.length ?? 0) > 1;
}

/** Exercises, or their sessions, with unambiguous names: namesakes get their type appended. */
export function toldApart<T extends Named>(exercises: readonly T[]): T[] {
  const isNamesake = namesakes(exercises);
  return exercises.map((each) =>
    isNamesake(each) ? { ...each, exerciseName: `${each.exerciseName} (${each.exerciseType})` } : each,
  );
}
