import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import practice from '../../../src/cli/practice.json';
import type { Log } from '../../../src/domain/log.ts';
import { summarize } from '../../../src/insights/index.ts';
import { measured } from '../../../src/insights/method.ts';
import { methodPage } from './document.ts';
import {
  coverage,
  falseClear,
  falseLikely,
  POWER_SIZES,
  periodCoverage,
  power,
  type Row,
  SIZES,
  TIMES,
} from './means.ts';
import { CHECKED, dayAfterCoverage, versus } from './others.ts';
import { planted, plantedRows } from './planted.ts';

/** What the method promises, counted. docs/method.md is what these tests print. */

const tables = {
  coverage: coverage(2000 * TIMES),
  periods: periodCoverage(800 * TIMES),
  power: power(800 * TIMES),
  falseClear: falseClear(2000 * TIMES),
  falseLikely: falseLikely(500 * TIMES),
  versus: versus(400 * TIMES),
  dayAfter: dayAfterCoverage(400 * TIMES),
};
const found = planted();

const rowOf = (rows: readonly Row[], name: string): number[] => {
  const row = rows.find(([given]) => given === name);
  if (!row) throw new Error(`There is no row ${name}.`);
  return row.slice(1) as number[];
};
const least = (figures: readonly number[]) => Math.min(...figures);
const most = (figures: readonly number[]) => Math.max(...figures);

describe.each([
  ['of a mean change', tables.coverage],
  ['of the difference of two periods', tables.periods],
])('the 95 %% interval %s', (_, rows) => {
  test.each(rows)('%s: holds the truth in 92 of 100 from 8 sessions on', (...[, ...figures]) => {
    expect(least(figures.slice(SIZES.indexOf(8)) as number[])).toBeGreaterThanOrEqual(92);
  });
});

test.each([
  ['-2, standard deviation 1', 85, 85],
  ['-2, standard deviation 1.5', 60, 90],
])('%s: found with 8 sessions', (name, clear, likely) => {
  const row = rowOf(tables.power, name);
  const at = 2 * POWER_SIZES.indexOf(8);
  expect(row[at]).toBeGreaterThanOrEqual(clear);
  expect(row[at + 1]).toBeGreaterThanOrEqual(likely);
});

test.each(['standard deviation 1', 'standard deviation 1.5', 'standard deviation 2'])(
  '%s: without effect ever clear, under daily looks, in at most 5 of 100 each way',
  (name) => {
    const figures = rowOf(tables.falseClear, name);
    expect(most(figures)).toBeLessThanOrEqual(5);
    // A method that never says anything would hold this too.
    expect(most(figures)).toBeGreaterThan(0.5);
  },
);

test('at the same pain before, bad days alone make no exercise better than the others', () => {
  const none = 'no effect, done on bad days only';
  const more = (name: string) => rowOf(tables.versus, name).filter((_, i) => i % 2 === 0);
  expect(most(rowOf(tables.versus, `${none}: adjusted`))).toBeLessThanOrEqual(5);
  expect(more(`${none}: unadjusted`).at(-1)).toBeGreaterThan(90);
  expect(most(rowOf(tables.versus, 'no effect, done on any day: adjusted'))).toBeLessThanOrEqual(5);
  expect(most(rowOf(tables.versus, 'no effect, deviation 2.5 among 1: adjusted'))).toBeLessThanOrEqual(10);
  expect(more('effect of −2 beyond the others: adjusted')[CHECKED.indexOf(20)]).toBeGreaterThan(90);
});

test.each(tables.dayAfter)('%s: the interval of the day after holds 0 in 92 of 100', (_, told, held) => {
  expect(told).toBeGreaterThan(90);
  expect(held).toBeGreaterThanOrEqual(92);
});

test('of what was planted, about 67 logs a person are enough to find most', () => {
  expect(found[1]?.bestFirst).toBeGreaterThanOrEqual(95);
  expect(found[1]?.aggravatingLast).toBeGreaterThanOrEqual(90);
  expect(found[1]?.right).toBeGreaterThanOrEqual(60);
  for (const { wrong } of found) expect(wrong).toBeLessThanOrEqual(0.5);
  expect(found[2]).toMatchObject({ bestFirst: 100, aggravatingLast: 100 });
});

test('the practice records say something of most exercises', () => {
  const logs = practice.userExerciseLogs as Log[];
  const verdicts = practice.users
    .flatMap(({ id }) => summarize(logs.filter(({ userId }) => userId === id)).exercises)
    .map(({ verdict }) => verdict)
    .filter((verdict) => verdict !== 'too-few');
  expect(verdicts).toHaveLength(47);
  expect(verdicts.filter((verdict) => verdict === 'clear').length).toBeGreaterThanOrEqual(15);
});

describe.runIf(TIMES === 1)('what is published', () => {
  test('is docs/method.md', async () => {
    const page = methodPage({ ...tables, planted: plantedRows(found) });
    await expect(page).toMatchFileSnapshot('../../../docs/method.md');
  });

  test('is what the method note says', () => {
    const calm = ['standard deviation 1', 'standard deviation 1.5', 'standard deviation 2'].flatMap((name) =>
      rowOf(tables.falseClear, name),
    );
    const uneven = ['flares', 'relief'].map((name) =>
      tables.falseClear
        .filter(([given]) => given.startsWith(name))
        .flatMap((row) => row.slice(1) as number[]),
    );
    const either = (autocorrelation: string) =>
      rowOf(tables.falseClear, `standard deviation 1.5, autocorrelation ${autocorrelation}`).reduce(
        (a, b) => a + b,
      );
    const clear = (name: string) => rowOf(tables.power, name)[2 * POWER_SIZES.indexOf(8)] ?? Number.NaN;
    const held = tables.coverage.flatMap(([, ...figures]) => figures.slice(SIZES.indexOf(8)) as number[]);
    expect({
      coverage: Math.floor(least(held)),
      clearOfTwo: [clear('-2, standard deviation 1'), clear('-2, standard deviation 1.5')].map(Math.round),
      falseClear: Math.ceil(most(calm)),
      falseClearUneven: Math.ceil(most(uneven.flat())),
      falseClearResembling: [either('0.3'), either('0.6')].map(Math.round),
      falseLikely: Math.round(tables.falseLikely),
    }).toEqual(measured);
    const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8').replace(/\s+/g, ' ');
    expect(readme).toContain(`in at most ${measured.falseClear} of 100 cases each way`);
    expect(readme).toContain(`after 8 sessions in ${measured.clearOfTwo.toReversed().join(' to ')} of 100`);
  });
});
