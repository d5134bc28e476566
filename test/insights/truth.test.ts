import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import type { Log } from '../../src/domain/log.ts';
import { summarize } from '../../src/insights/summary.ts';

const maker = new URL('../fixtures/make-data.mjs', import.meta.url).pathname;

test('of 50 made-up patients with 400 sessions, the ranking finds what was planted in all', () => {
  let found = 0;
  for (let seed = 1; seed <= 50; seed += 1) {
    const args = [maker, '--users', '1', '--logs', '400', '--seed', String(seed)];
    const { userExerciseLogs } = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as {
      userExerciseLogs: Log[];
    };
    const names = summarize(userExerciseLogs).exercises.map(({ exerciseName }) => exerciseName);
    const helps = ['Piriformis Stretch', 'Sciatic Nerve Glide'].every((name) =>
      names.slice(0, 3).includes(name),
    );
    const harms = ['Hamstring Stretch', 'Straight Leg Raise'].every((name) => names.slice(-2).includes(name));
    if (helps && harms) found += 1;
  }
  expect(found).toBe(50);
});
