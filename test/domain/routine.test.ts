import { expect, test } from 'vitest';
import { type RoutineExercise, renamedExercises, routineKind } from '../../src/domain/routine.ts';

const named = (...names: string[]): RoutineExercise[] =>
  names.map((exerciseName, i) => ({ exerciseName, exerciseType: i === 0 ? 'stretch' : 'strengthening' }));

test('exercises that get one name stay once, where the first was', () => {
  expect(
    renamedExercises(named('Cobra', 'Plank', 'BIRD DOG', 'Bird-Dog'), ['Cobra', 'Bird-Dog'], {
      exerciseName: 'Bird Dog',
    }),
  ).toEqual(named('Bird Dog', 'Plank'));
});

test('an exercise that becomes another has its type', () => {
  const to = { exerciseName: 'Bird Dog', exerciseType: 'strengthening' } as const;
  expect(renamedExercises(named('Cobra', 'Plank'), ['Cobra'], to)).toEqual([
    to,
    ...named('', 'Plank').slice(1),
  ]);
});

test('routines are told apart whatever the case of their letters', () =>
  expect(routineKind.key.of({ name: 'Morning' })).toBe(routineKind.key.of({ name: 'morning' })));
