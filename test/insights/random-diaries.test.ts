import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Log } from '../../src/domain/log.ts';
import type { PainEntry } from '../../src/domain/pain-entry.ts';
import { dayOf } from '../../src/domain/words/day.ts';
import { reportMarkdown } from '../../src/insights/report/markdown.ts';
import { reportHtml } from '../../src/insights/report/page.ts';
import { buildReport } from '../../src/insights/report/report.ts';
import { user } from '../samples.ts';
import { log } from './helpers.ts';

const pain = fc.integer({ min: 1, max: 10 });

/** Days in a row with mostly one exercise, after days without anything. */
const spells = fc.array(
  fc.record({
    gap: fc.integer({ min: 1, max: 20 }),
    exercise: fc.integer({ min: 0, max: 3 }),
    days: fc.array(fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), pain, pain), { maxLength: 3 }), {
      minLength: 1,
      maxLength: 6,
    }),
    entries: fc.array(fc.tuple(fc.integer({ min: 0, max: 6 }), pain, fc.constantFrom(undefined, 'night')), {
      maxLength: 3,
    }),
  }),
  { minLength: 1, maxLength: 25, size: 'max' },
);

const FIRST = 20_000;

function diaryOf(all: typeof spells extends fc.Arbitrary<infer Spells> ? Spells : never) {
  const logs: Log[] = [];
  const entries: PainEntry[] = [];
  let day = FIRST;
  for (const { gap, exercise, days, entries: said } of all) {
    day += gap;
    for (const [later, level, time] of said) {
      const timeOfDay = time && { timeOfDay: time as 'night' };
      entries.push({
        id: entries.length + 1,
        userId: 1,
        date: dayOf(day + later),
        pain: level,
        ...timeOfDay,
      });
    }
    for (const [i, sessions] of days.entries())
      for (const [other, painBefore, painAfter] of sessions) {
        const exerciseName = `exercise ${other > 3 ? exercise : other}`;
        logs.push(log({ id: logs.length + 1, date: dayOf(day + i), exerciseName, painBefore, painAfter }));
      }
    day += days.length;
  }
  return { logs, entries };
}

const holdsNumbers = (value: unknown): boolean =>
  typeof value === 'number'
    ? Number.isFinite(value)
    : typeof value !== 'object' || value === null || Object.values(value).every(holdsNumbers);

test('of every diary there is a report, whose figures are numbers', () => {
  fc.assert(
    fc.property(spells, fc.option(fc.integer({ min: -5, max: 300 })), (all, previous) => {
      const { logs, entries } = diaryOf(all);
      const options = previous === null ? {} : { previous: dayOf(FIRST + previous) };
      const report = buildReport({ id: 1, ...user }, logs, options, { entries });
      expect(holdsNumbers(report)).toBe(true);
      for (const text of [reportMarkdown(report), reportHtml(report)])
        expect(text).not.toMatch(/NaN|undefined|Infinity|\[object/);
    }),
    { numRuns: Number(process.env['FIGURES_RUNS'] ?? 200) },
  );
});

/** The month and day, the exercise, and the pain before and after. */
const SPELLS_OF_THREE_DAYS =
  '0730P78 0731S63 0801P44 0808P45 0809S55 0810P57 0811S43 0816P31 0817S43 0818P56 1023S43 1024S44 1025P65 1027P43 1030P32 1105P54 1106S43 1107S43 1108S54 1109S41 1110S52 1112P33 1113P32 1114P55';

test('of a diary in which the first days whose day before is known are those without an exercise', () => {
  const logs = SPELLS_OF_THREE_DAYS.split(' ').map((text, i) => {
    const [month, day, exerciseName] = [text.slice(0, 2), text.slice(2, 4), text.slice(4, 5)];
    const [painBefore, painAfter] = [Number(text[5]), Number(text[6])];
    return log({ id: i + 1, date: `2026-${month}-${day}`, exerciseName, painBefore, painAfter });
  });
  const { summary } = buildReport({ id: 1, ...user }, logs);
  expect(summary.exercises.map(({ dayAfter }) => dayAfter?.days)).toEqual([5, 5]);
});
