import { list, type RecordOf, text } from './fields.ts';
import { defineKind } from './kind.ts';
import { logFields } from './log.ts';
import { id } from './user.ts';
import { foldedName } from './words/match.ts';

const { userId, exerciseName, exerciseType } = logFields;

/** Exercises that a user does together, in this order; the service adds the id. */
export const routineFields = {
  userId: { ...userId, help: 'Id of the user whose routine it is' },
  name: text({
    label: 'Name',
    flag: 'name',
    help: 'Name of the routine',
    max: 100,
    blank: false,
    example: 'morning',
  }),
  exercises: list({
    label: 'Exercises',
    flag: 'exercises',
    help: 'Its exercises in order, each once',
    items: { exerciseName, exerciseType },
    unique: 'exerciseName',
    min: 1,
    max: 50,
    example: [
      { exerciseName: 'Piriformis Stretch', exerciseType: 'stretch' },
      { exerciseName: 'Bird Dog', exerciseType: 'strengthening' },
    ],
  }),
};

export const routineRecord = { id, ...routineFields };

export const routineKind = defineKind({
  fields: routineRecord,
  table: 'routines',
  path: '/routines',
  place: 'below-user',
  verbs: ['list', 'create', 'read', 'replace', 'patch', 'delete', 'restore'],
  tag: 'Routines',
  schema: 'Routine',
  described: { one: 'a routine', many: 'routines', about: 'Exercises that a user does together.' },
  examples: { sort: 'name,id', fields: 'id,name', deleted: 1 },
  words: { one: 'routine', many: 'routines' },
  sign: ['exercises'],
  key: {
    field: 'name',
    of: ({ name = '' }) => foldedName(name),
    rule: 'A user has one routine of a name, whatever the case of its letters.',
    taken: 'is the name of another routine of the user',
  },
});

export type RoutineInput = RecordOf<typeof routineFields>;
export type Routine = RecordOf<typeof routineRecord>;
export type RoutineExercise = Routine['exercises'][number];

/** The new name of an exercise and, if an exercise of that name exists, its type. */
export type Renamed = Pick<RoutineExercise, 'exerciseName'> & Partial<RoutineExercise>;

/** Replaces the exercises named in `from` by `to`. Where exercises then share a name, only the first stays. */
export function renamedExercises(
  exercises: readonly RoutineExercise[],
  from: readonly string[],
  to: Renamed,
): RoutineExercise[] {
  const renamed = exercises.map((exercise) =>
    from.includes(exercise.exerciseName) ? { ...exercise, ...to } : exercise,
  );
  const keys = renamed.map(({ exerciseName }) => foldedName(exerciseName));
  return renamed.filter((_, i) => keys.indexOf(keys[i] ?? '') === i);
}
