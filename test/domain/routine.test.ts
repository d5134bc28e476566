import { expect, test } from 'vitest';
import { type RoutineExercise, renamedExercises, routineKind } from '../../src/domain/routine.ts';

const named = (...names: string[]): RoutineExercise[] =>
  names.map((exerciseName, i) => ({ exerciseName, exerciseType: i === 0 ? 'stretch' : 'strengthening' }));

test('exercises that get one name stay once, where the first was', () => {
  expect(
    renamedExercises(named('Cobra', 'Plank', 'BIRD DOG', 'Bird-Dog'), ['Cobra', 'Bird-Dog'], 'Bird Dog'),
  ).toEqual(named('Bird Dog', 'Plank'));
});

test('routines are told apart whatever the case of their letters', () =>
  expect(routineKind.key.of({ name: 'Morning' })).toBe(routineKind.key.of({ name: 'morning' })));
