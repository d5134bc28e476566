import { expect, onTestFinished, test, vi } from 'vitest';
import { armsOf, trialFields } from '../../src/domain/trial.ts';
import { addDays, localDay } from '../../src/domain/words/day.ts';
import { exampleOf } from '../samples.ts';
import { freshApp } from './helpers.ts';

const today = localDay(new Date());
const trial = { ...exampleOf(trialFields), start: addDays(today, -2), seed: 5 };

test('an app asks for the arm of today, and for no more', async () => {
  const { call } = freshApp();
  expect((await call('POST', '/trials', { body: trial })).status).toBe(201);
  const { body } = await call('GET', '/trials/1/status');
  expect(body).toMatchObject({
    today: { date: today, number: 3, arm: armsOf(5, 28)[2] },
    due: { date: today, pain: 'first' },
    daysLeft: 26,
    result: null,
  });
  expect(JSON.stringify(body)).not.toContain('seed');
});

test('a second running trial is refused, and one after the end is not', async () => {
  const { call } = freshApp();
  await call('POST', '/trials', { body: trial });
  expect(await call('POST', '/trials', { body: { ...trial, seed: 6 } })).toMatchObject({
    status: 400,
    body: { errors: [{ field: 'state' }] },
  });
  await call('PATCH', '/trials/1', { body: { state: 'given-up' } });
  expect((await call('POST', '/trials', { body: { ...trial, seed: 6 } })).status).toBe(201);
});

test('what a trial asks and its order stay as they are, and what it is against has a name', async () => {
  const { call } = freshApp();
  const { otherExercise: _, ...unnamed } = trial;
  expect(await call('POST', '/trials', { body: { ...unnamed, against: 'exercise' } })).toMatchObject({
    status: 400,
    body: { errors: [{ field: 'otherExercise', code: 'missing' }] },
  });
  await call('POST', '/trials', { body: trial });
  expect(
    await call('PATCH', '/trials/1', { body: { seed: 6, difference: 5, state: 'finished' } }),
  ).toMatchObject({
    status: 400,
    body: { errors: [{ field: 'difference' }, { field: 'seed', code: 'in-conflict' }] },
  });
  expect((await call('PUT', '/trials/1', { body: { ...trial, state: 'given-up' } })).status).toBe(200);
});

test('what is wrong with fields together is named beside what is wrong with one, also of another trial', async () => {
  const { call } = freshApp();
  const { otherExercise: _, ...unnamed } = { ...trial, against: 'exercise' };
  const namedBy = async (method: string, target: string, body: unknown) => {
    const { errors } = (await call(method, target, { body })).body as { errors: { field: string }[] };
    return errors.map(({ field }) => field);
  };
  expect(await namedBy('POST', '/trials', { ...unnamed, days: 99, seed: -1, userId: 9 })).toEqual([
    'days',
    'seed',
    'userId',
    'otherExercise',
  ]);
  expect(await namedBy('POST', '/trials', [{ ...trial, days: 99 }, unnamed])).toEqual([
    '[0].days',
    '[1].otherExercise',
  ]);
  await call('POST', '/trials', { body: trial });
  expect(await namedBy('PATCH', '/trials/1', { seed: 6, days: 99 })).toEqual(['days', 'seed']);
  expect(await namedBy('PUT', '/trials/1', { ...trial, seed: 6, state: 'over' })).toEqual(['state', 'seed']);
});

test('of several trials the one that is a second running one is named', async () => {
  const { call } = freshApp();
  expect(await call('POST', '/trials', { body: [trial, { ...trial, seed: 6 }] })).toMatchObject({
    status: 400,
    body: { errors: [{ field: '[1].state' }] },
  });
});

test('the end says what it has shown', async () => {
  const { call } = freshApp();
  const start = addDays(today, -40);
  await call('POST', '/trials', { body: { ...trial, start } });
  const days = armsOf(5, 28).map((arm, i) => ({
    userId: 1,
    date: addDays(start, i),
    first: 6,
    second: (arm === 'a' ? 2 : 6) + (i % 2),
    done: true,
  }));
  await call('POST', '/trialDays', { body: days });
  expect((await call('GET', '/trials/1/status')).body).toMatchObject({
    today: null,
    due: null,
    result: { verdict: 'less', sentence: expect.stringContaining('lower') },
  });
  expect(await call('POST', '/trialDays', { body: days[0] as object })).toMatchObject({ status: 400 });
});

test('a day is of the trial in whose time it is, and stays so', async () => {
  const { call } = freshApp();
  const day = { userId: 1, date: today, first: 6, done: true };
  const post = async (body: object) => (await call('POST', '/trialDays', { body })).body as object;
  expect(await post({ ...day, date: addDays(today, -9) })).not.toHaveProperty('trialSeed');
  await call('POST', '/trials', { body: trial });
  expect(await post({ ...day, trialSeed: 99 })).toMatchObject({ trialSeed: 5 });
  expect(await post([{ ...day, date: addDays(today, -1) }])).toMatchObject([{ trialSeed: 5 }]);
  expect(await call('POST', '/trialDays', { body: day })).toMatchObject({ status: 400 });
  await call('PATCH', '/trials/1', { body: { state: 'given-up' } });
  await call('POST', '/trials', { body: { ...trial, seed: 6 } });
  expect((await call('GET', '/trials/2/status')).body).toMatchObject({ recorded: 0 });
  expect(await post(day)).toMatchObject({ trialSeed: 6 });
  expect((await call('GET', '/trials/2/status')).body).toMatchObject({ recorded: 1 });
});

test('late at night the day before is due, while its second pain is still to come', async () => {
  const { call } = freshApp();
  const { body } = await call('POST', '/trials', { body: trial });
  const yesterday = addDays(today, -1);
  await call('POST', '/trialDays', { body: { userId: 1, date: yesterday, first: 6, done: true } });
  onTestFinished(() => void vi.useRealTimers());
  const dueAt = async (hour: number) => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date(`${today}T0${hour}:30`) });
    return (await call('GET', `/trials/${(body as { id: number }).id}/status`)).body;
  };
  expect(await dueAt(3)).toMatchObject({
    today: { date: yesterday },
    due: { date: yesterday, pain: 'second' },
  });
  expect(await dueAt(4)).toMatchObject({ today: { date: today }, due: { date: today, pain: 'first' } });
});

test('the day and the hour of the caller count, and of no other day is said anything', async () => {
  const { call } = freshApp();
  await call('POST', '/trials', { body: { ...trial, start: '2026-03-02' } });
  await call('POST', '/trialDays', { body: { userId: 1, date: '2026-03-04', first: 6, done: true } });
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-03-04T11:00:00Z') });
  const statusAt = (query: string) => call('GET', `/trials/1/status?${query}`);
  for (const [query, date, number] of [
    ['today=2026-03-03', '2026-03-03', 2],
    ['today=2026-03-04&hour=23', '2026-03-04', 3],
    ['today=2026-03-05&hour=3', '2026-03-04', 3],
    ['today=2026-03-05&hour=4', '2026-03-05', 4],
    ['today=2026-03-05', '2026-03-05', 4],
  ] as const)
    expect([query, await statusAt(query)]).toMatchObject([query, { body: { today: { date, number } } }]);
  for (const [query, field] of [
    ['today=2026-03-06', 'today'],
    ['today=2026-03-02', 'today'],
    ['today=tomorrow', 'today'],
    ['today=2026-03-04&hour=24', 'hour'],
  ] as const)
    expect([query, await statusAt(query)]).toMatchObject([
      query,
      { status: 400, body: { errors: [{ field }] } },
    ]);
});
