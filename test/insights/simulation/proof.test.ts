import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import practice from '../../../src/cli/practice.json';
import type { Log } from '../../../src/domain/log.ts';
import { measured } from '../../../src/insights/method.ts';
import { summarize } from '../../../src/insights/summary.ts';
import { falseMarks, harmBounds, latelys, nextDays, noDifferences, periods, trends } from './diaries.ts';
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
import { orders, planted, plantedRows } from './planted.ts';
import { controls, recordings } from './recording.ts';
import { deviatingTrials, trialPower } from './trials.ts';
import { hiddenWorlds, markWorlds, powerWorlds, restWorlds } from './worlds.ts';

/** What the method promises, counted. docs/method.md is what these tests print. */

const DIARIES = 100 * TIMES;

const tables = {
  coverage: coverage(2000 * TIMES),
  periods: periodCoverage(800 * TIMES),
  power: power(800 * TIMES),
  falseClear: falseClear(2000 * TIMES),
  falseLikely: falseLikely(500 * TIMES),
  marks: falseMarks([...markWorlds, ...powerWorlds], DIARIES),
  rest: falseMarks(restWorlds, DIARIES),
  hidden: falseMarks(hiddenWorlds, DIARIES),
  trends: trends(4 * DIARIES),
  recordings: recordings(DIARIES),
  controls: controls(DIARIES),
  fourWeeks: periods(4 * DIARIES),
  nextDays: nextDays(2 * DIARIES),
  noDifferences: noDifferences(DIARIES),
  latelys: latelys(DIARIES / 2),
  order: orders(DIARIES / 2),
  trialPower: trialPower(),
  trials: deviatingTrials(DIARIES),
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

test.each([
  ['standard deviation 1.5, every session entered twice', 12],
  ['standard deviation 1.5, autocorrelation 0.3', 14],
  ['standard deviation 1.5, autocorrelation 0.6', 24],
])('%s: without effect ever clear, under daily looks, in at most %i of 100 each way', (name, bound) => {
  expect(most(rowOf(tables.falseClear, name))).toBeLessThanOrEqual(bound);
});

/** What so many draws may count by chance where the truth is a bound in percent: three standard errors. */
const chance = (bound: number, draws: number) => 3 * Math.sqrt((bound * (100 - bound)) / draws);
const figure = (rows: readonly Row[], name: string, column: number) => rowOf(rows, name)[column] as number;

describe('in a diary that is looked at every day', () => {
  test.each(markWorlds.map(({ name, bound }) => [name, bound] as const))(
    '%s: a false mark in at most %i of 100 patients',
    (name, bound) => {
      expect(figure(tables.marks, name, 0)).toBeLessThanOrEqual(bound + chance(bound, DIARIES));
      expect(figure(tables.marks, name, 1)).toBeLessThanOrEqual(
        (/each for a month/.test(name) ? 10 : 5) + chance(5, DIARIES),
      );
    },
  );

  test.each([
    ['seven inert ones and −2, 300 logs', 95],
    ['−2 mostly at weekends, when pain eases by 1 more', 90],
    ['−2 on weekdays, an inert one at weekends only', 90],
    ['a routine of three, shuffled on 30 % of days, the first −2', 75],
    ['four, two of them +2', 80],
    ['−2 among four, 8 sessions, sd 1', 75],
    ['−2 among four, 8 sessions, sd 1.5', 33],
  ])('%s: marked in %i of 100', (name, bound) => {
    expect(figure(tables.marks, name, 2)).toBeGreaterThanOrEqual(bound - chance(bound, DIARIES));
  });

  test.each(restWorlds.map(({ name, bound }) => [name, bound] as const))(
    '%s: a false mark in at most %i of 100 patients',
    (name, bound) => {
      expect(figure(tables.rest, name, 0)).toBeLessThanOrEqual(bound + chance(bound, DIARIES));
    },
  );

  test.each([
    ['four of −2 each, pain recorded on a third of days without', 60],
    ['one of −2 alone, pain recorded on a third of days without', 60],
  ])('%s: marked in %i of 100, though no other exercise is a control', (name, bound) => {
    expect(figure(tables.rest, name, 2)).toBeGreaterThanOrEqual(bound - chance(bound, DIARIES));
  });

  test('in one fixed order nothing is marked', () => {
    expect(rowOf(tables.marks, 'a routine of three, in one order, the first −2')).toEqual([0, 0, 0]);
  });

  test.each(tables.order.map(([name]) => name))('%s: the best comes first', (name) => {
    const [adjusted, raw] = rowOf(tables.order, name) as [number, number];
    expect(adjusted).toBeGreaterThanOrEqual(95 - chance(95, DIARIES / 2));
    expect(raw).toBeLessThan(80);
  });
});

describe('the trend', () => {
  test.each(tables.trends.map(([name]) => name))('%s', (name) => {
    const [falling, rising, covers] = rowOf(tables.trends, name) as [number, number, number];
    if (name.startsWith('wandering')) {
      const bound = name.includes('under') ? 10 : 20;
      expect(falling + rising).toBeLessThanOrEqual(bound + chance(bound, 4 * DIARIES));
      return;
    }
    expect(covers).toBeGreaterThanOrEqual(90 - chance(90, 4 * DIARIES));
    if (name.startsWith('flat')) expect(falling + rising).toBeLessThanOrEqual(5.5 + chance(5.5, 4 * DIARIES));
    else {
      const bound = name.endsWith('0.8') ? 20 : name.endsWith('0.6') ? 55 : 75;
      expect(falling).toBeGreaterThanOrEqual(bound - chance(bound, 4 * DIARIES));
    }
  });
});

test.each(tables.recordings.map(([name]) => name))(
  'recorded are %s: no trend or difference is made up',
  (name) => {
    const figures = rowOf(tables.recordings, name) as [number, number];
    if (!name.includes('true fall')) {
      expect(most(figures)).toBeLessThanOrEqual(6 + chance(6, DIARIES));
      return;
    }
    const [trend, difference] = figures;
    expect(trend).toBeGreaterThanOrEqual(65 - chance(65, DIARIES));
    expect(difference).toBeGreaterThanOrEqual(40 - chance(40, DIARIES));
  },
);

test.each(tables.controls.map(([name]) => name))('days without exercise, %s: no mark is made up', (name) => {
  expect(figure(tables.controls, name, 0)).toBeLessThanOrEqual(5 + chance(5, DIARIES));
});

test.each(tables.fourWeeks.map(([name]) => name))('four weeks, %s: no difference is made up', (name) => {
  const [falsely, found, covers] = rowOf(tables.fourWeeks, name) as [number, number, number];
  expect(falsely).toBeLessThanOrEqual(5 + chance(5, 4 * DIARIES));
  expect(covers).toBeGreaterThanOrEqual(95 - chance(95, 4 * DIARIES));
  expect(found).toBeGreaterThanOrEqual(name.endsWith('0.8') ? 20 : 40);
});

test.each(harmBounds)('a harm of the next day is named: %s', (name, bound) => {
  expect(figure(tables.nextDays, name, 0)).toBeGreaterThanOrEqual(bound - chance(bound, 2 * DIARIES));
});

test('a harm of the next day is not made up', () => {
  // The bound of 10 of 100 for all exercises together holds where their effects can be told apart.
  for (const [name] of tables.nextDays) {
    const bound = /the day before/.test(name) ? 20 : 10;
    expect(figure(tables.nextDays, name, 1), name).toBeLessThanOrEqual(bound + chance(bound, 2 * DIARIES));
  }
});

test('the interval of the day after holds the truth', () => {
  for (const [name] of tables.nextDays)
    expect(figure(tables.nextDays, name, 2), name).toBeGreaterThanOrEqual(
      (/bad days only/.test(name) ? 85 : 90) - chance(90, 2 * DIARIES),
    );
});

test('no noticeable difference is said where there is none', () => {
  expect(figure(tables.noDifferences, 'a true change of 0', 0)).toBeGreaterThanOrEqual(
    80 - chance(80, DIARIES),
  );
  expect(figure(tables.noDifferences, 'a true change of 0', 1)).toBeGreaterThanOrEqual(
    95 - chance(95, DIARIES),
  );
  expect(most(rowOf(tables.noDifferences, 'a true change of −1'))).toBeLessThanOrEqual(
    2 + chance(2, DIARIES),
  );
});

test.each([
  [0, 90],
  [0.3, 75],
  [0.6, 0],
])('autocorrelation %d: a reversal is seen in %i of 100, and none made up', (autocorrelation, bound) => {
  const [seen, falsely] = rowOf(tables.latelys, `autocorrelation ${autocorrelation}`) as [number, number];
  expect(seen).toBeGreaterThanOrEqual(bound - chance(bound, DIARIES / 2));
  expect(falsely).toBeLessThanOrEqual(5 + chance(5, DIARIES / 2));
});

test('of what was planted, about 67 logs a person are enough to find most', () => {
  expect(found[1]?.bestFirst).toBeGreaterThanOrEqual(95);
  expect(found[1]?.aggravatingLast).toBeGreaterThanOrEqual(89);
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

test.each(tables.trials.map(([name]) => name).filter((name) => !name.startsWith('expectation')))(
  'a trial, %s: an exercise without effect is called in at most 5 of 100',
  (name) => {
    expect(figure(tables.trials, name, 0)).toBeLessThanOrEqual(5 + chance(5, DIARIES));
  },
);

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
    expect(readme).toContain(
      `in ${measured.falseClearResembling.join(' to ')} of 100 cases where sessions resemble each other`,
    );
  });
});
