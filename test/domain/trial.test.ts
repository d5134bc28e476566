import { expect, test } from 'vitest';
import { armText, lastDayOf, type Trial, trialKind, trialOn } from '../../src/domain/trial.ts';
import { exampleOf } from '../samples.ts';

const trial = (given: Partial<Trial>): Trial =>
  ({ ...exampleOf(trialKind.fields), days: 14, ...given }) as Trial;

test('a trial has its last day, and what is done under each arm', () => {
  expect(lastDayOf({ start: '2026-03-02', days: 14 })).toBe('2026-03-15');
  const against = { exerciseName: 'Bird Dog', against: 'exercise' as const, otherExercise: 'Cobra' };
  expect([armText(against, 'a'), armText(against, 'b')]).toEqual(['Bird Dog', 'Cobra']);
  expect(armText({ exerciseName: 'Bird Dog', against: 'rest' }, 'b')).toBe('rest');
});

test.each<[string, Partial<Trial>, Partial<Trial> | undefined, string[]]>([
  ['is against an exercise without a name', { against: 'exercise' }, undefined, ['otherExercise']],
  ['is against an exercise', { against: 'exercise', otherExercise: 'Cobra' }, undefined, []],
  ['is against rest', { against: 'rest' }, undefined, []],
  ['is given up', { state: 'given-up', userId: 2 }, {}, []],
  ['gets another order and another first day', { seed: 2, start: '2026-03-03' }, {}, ['start', 'seed']],
  ['is of a renamed exercise', { exerciseName: 'Bird dog' }, {}, []],
  [
    'names the exercise no more',
    { against: 'exercise' },
    { against: 'exercise', otherExercise: 'Cobra' },
    ['otherExercise'],
  ],
  ['never named the exercise', { against: 'exercise', state: 'given-up' }, { against: 'exercise' }, []],
])('what is wrong with a trial that %s', (_, given, before, fields) => {
  const faults = trialKind.faults(trial(given), before && trial(before));
  expect(faults.map(({ field }) => field)).toEqual(fields);
});

test('a user has one running trial, and any number of others', () => {
  const keyOf = (state: Trial['state'], seed: number) =>
    trialKind.key.of({ state, start: '2026-03-02', seed });
  expect(keyOf('running', 1)).toBe(keyOf('running', 2));
  expect(keyOf('finished', 1)).not.toBe(keyOf('finished', 2));
});

test.each([
  ['2026-03-01', undefined],
  ['2026-03-02', 1],
  ['2026-03-10', 3],
  ['2026-03-15', 3],
  ['2026-03-23', 3],
  ['2026-03-24', undefined],
])('%s is a day of the trial of the user that started last: %s', (day, id) => {
  const trials = [
    trial({ id: 1, userId: 1, start: '2026-03-02' }),
    trial({ id: 2, userId: 1, start: '2026-03-10' }),
    trial({ id: 3, userId: 1, start: '2026-03-10' }),
    trial({ id: 4, userId: 2, start: '2026-02-20', days: 84 }),
  ];
  expect(trialOn(trials, { userId: 1, date: day })?.id).toBe(id);
});
