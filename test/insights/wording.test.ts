import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ExerciseSummary } from '../../src/insights/shapes.ts';
import { summarize } from '../../src/insights/summary.ts';
import * as words from '../../src/insights/wording.ts';
import { log, logsOf } from './helpers.ts';

test.each<[low: number, high: number, decimals: number, text: string]>([
  [-2.31, 1.44, 1, '−2.3 to +1.4'],
  [-1.2, -0.04, 1, '−1.2 to −0.04'],
  [0.0312, 2, 1, '+0.03 to +2.0'],
  [-1.6, -0.0004, 1, '−1.6 to −0.0004'],
  [-0.0041, 0.2, 2, '−0.004 to +0.20'],
  [-1, 0, 1, '−1.0 to 0.0'],
])('the interval from %d to %d with %i decimals reads %s', (low, high, decimals, text) => {
  expect(words.interval([low, high], decimals)).toBe(text);
});

test('an end that is not 0 never reads 0', () => {
  const end = fc.integer({ min: 1, max: 90_000 }).map((value) => value / 10_000);
  fc.assert(
    fc.property(end, end, (low, high) => {
      expect(words.interval([-low, high])).not.toMatch(/(^| )[−+]?0\.0+( |$)/);
    }),
  );
});

test.each([
  [[], 2, ''],
  [['A'], 2, 'A'],
  [['A', 'B'], 2, 'A and B'],
  [['A', 'B', 'C'], 3, 'A, B and C'],
  [['A', 'B', 'C', 'D'], 2, 'A, B and 2 more'],
])('%j, of which %i are named, reads %s', (names, most, text) => {
  expect(words.listed(names, most)).toBe(text);
});

test('figures, and how many there are', () => {
  expect([words.plain(4.56), words.plain(4), words.percent(0.476), words.signed(-0.04)]).toEqual([
    ...['4.6', '4', '48 %', '0.0'],
  ]);
  expect([0, 1, 2].map((number) => words.count(number, 'day'))).toEqual(['0 days', '1 day', '2 days']);
  expect([0, 1, 2].map((number) => words.leftOutSentence(number)?.slice(0, 23))).toEqual([
    ...[undefined, '1 record is left out: t', '2 records are left out:'],
  ]);
});

test('one name under two types is told apart by the type, and no other', () => {
  const twice = { exerciseName: 'Bird Dog' };
  const exercises = summarize([
    ...logsOf([-2, -1, -2], { ...twice, exerciseType: 'strengthening' }),
    ...logsOf([1, 2, 1], { ...twice, exerciseType: 'stretch' }),
    ...logsOf([0, 0, 0]),
  ]).exercises;
  const names = ['Bird Dog (strengthening)', 'Bird Dog (stretch)', 'Piriformis Stretch'];
  expect(words.toldApart(exercises).map(words.shortName).sort()).toEqual(names.toSorted());
  expect(words.toldApart(exercises.slice(1)).map(words.shortName)).not.toContain(names[0]);
});

test.each([
  ['x'.repeat(44), 'x'.repeat(44)],
  ['x'.repeat(45), `${'x'.repeat(43)}…`],
  ['😀'.repeat(44), '😀'.repeat(44)],
  [`${'x'.repeat(40)} (stretch)`, `${'x'.repeat(33)}… (stretch)`],
  ['גב', '\u2068גב\u2069'],
])('where there is little room, %s reads %s', (exerciseName, text) => {
  expect(words.shortName({ exerciseName })).toBe(text);
});

test.each([
  [
    { perWeek: 1, counts: 'days', weeks: 1, weeksReached: 1, until: '2026-03-08' },
    'target of 1 day a week reached in 1 of 1 whole week up to 2026-03-08',
  ],
  [
    { perWeek: 2, counts: 'days', weeks: 2, weeksReached: 0, until: '2026-03-08' },
    'target of 2 days a week reached in 0 of 2 whole weeks up to 2026-03-08',
  ],
  [
    { perWeek: 2, counts: 'sessions', weeks: 2, weeksReached: 0, until: '2026-03-08' },
    'target of 2 a week reached in 0 of 2 whole weeks up to 2026-03-08',
  ],
] as const)('%j reads %s', (target, text) => expect(words.targetWords(target)).toBe(text));

const trend = (given: object) => {
  const { pain } = summarize(logsOf([0]));
  if (!pain) throw new Error('no days');
  return { ...pain, ...given };
};

test.each([
  [
    { direction: 'falling', slopePerWeek: -0.254, interval: [-0.4, -0.1] },
    'Falling: −0.25 points a week, 95 % interval −0.40 to −0.10.',
  ],
  [
    { direction: 'falling', slopePerWeek: -0.254, interval: [-0.4, -0.1], changeInterval: [0.2, 3] },
    'Falling, but higher in the last 4 weeks: −0.25 points a week, 95 % interval −0.40 to −0.10.',
  ],
  [
    { direction: 'rising', slopePerWeek: 0.254, interval: [0.1, 0.4], changeInterval: [-3, -0.2] },
    'Rising, but lower in the last 4 weeks: +0.25 points a week, 95 % interval +0.10 to +0.40.',
  ],
  [
    { direction: 'unclear', slopePerWeek: -0.254, interval: [-0.6, 0.1], changeInterval: [0.2, 3] },
    'No clear direction (−0.25 points a week, 95 % interval −0.60 to +0.10).',
  ],
  [
    { direction: 'falling', slopePerWeek: -0.0102, interval: [-0.0111, -0.0093] },
    'Falling: −0.53 points a year, 95 % interval −0.58 to −0.48.',
  ],
  [
    { direction: 'rising', slopePerWeek: 0.254, interval: [0.1, 0.4], changeInterval: [-3, 0.2] },
    'Rising: +0.25 points a week, 95 % interval +0.10 to +0.40.',
  ],
  [
    { direction: 'unclear', slopePerWeek: 0.1, interval: [-0.4, 0.6] },
    'No clear direction (+0.10 points a week, 95 % interval −0.40 to +0.60).',
  ],
  [{}, 'From 8 days of records over six weeks on, this says whether it falls or rises.'],
])('the trend %j reads %s', (given, text) => expect(words.trendSentence(trend(given))).toBe(text));

const EARLY = '2020-01-01';

test('four weeks against the four before', () => {
  const level = (mean: number | null) => ({ ...trend({}).last4Weeks, mean });
  const figures = { change: -1.5, changeInterval: [-2, -1] as const };
  expect(
    words.fourWeeksSentence(trend({ last4Weeks: level(4), previous4Weeks: level(5.5), ...figures }), EARLY),
  ).toBe(
    'Last 4 weeks (from 2025-12-05): mean 4.0, median 5, 1 day. The 4 before: mean 5.5, median 5, 1 day. Difference of the means −1.5 (95 % interval −2.0 to −1.0).',
  );
  expect(words.fourWeeksSentence(trend({ last4Weeks: level(4), previous4Weeks: level(null) }), EARLY)).toBe(
    'Last 4 weeks (from 2025-12-05): mean 4.0, median 5, 1 day. The 4 before: nothing recorded.',
  );
});

test.each([
  [
    '2025-11-07',
    'Last 4 weeks (from 2025-12-05): mean 5.0, median 5, 1 day. The 4 before: nothing recorded.',
  ],
  ['2025-11-08', 'Last 4 weeks (from 2025-12-05): mean 5.0, median 5, 1 day.'],
  ['2025-12-05', 'Last 4 weeks (from 2025-12-05): mean 5.0, median 5, 1 day.'],
  ['2025-12-06', 'From 2025-12-06: mean 5.0, median 5, 1 day.'],
])('of a period from %s nothing is said of weeks before', (since, text) =>
  expect(words.fourWeeksSentence(trend({}), since)).toBe(text),
);

const rhythm = {
  days: 2,
  sessionsPerWeek: 1.5,
  daysPerWeek: 1,
  longestGap: null,
  daysSinceLast: 0,
  target: null,
};

test.each([
  [{}, '3 sessions on 2 days, 1.5 a week.'],
  [{ daysSinceLast: 1 }, '3 sessions on 2 days, 1.5 a week. Last session 1 day before the end.'],
])('the rhythm %j reads %s', (given, text) =>
  expect(words.rhythmSentences(3, { ...rhythm, ...given })).toBe(text),
);

test('a difference is told with what was then first', () => {
  const difference = { first: 6, second: 4.5, difference: -1.5, interval: [-2, -1], shift: 'lower' } as const;
  expect(words.differenceSentence(difference)).toBe(
    'Lower (6.0 then, 4.5 since: −1.5, 95 % interval −2.0 to −1.0).',
  );
});

/** An exercise of which this is known. */
const exercise = (given: Partial<ExerciseSummary>): ExerciseSummary => {
  const [each] = summarize(logsOf([0, 0, 0])).exercises;
  if (!each) throw new Error('no exercise');
  return { ...each, adjusted: null, ...given };
};
const clear = (exerciseName: string, direction: 'less' | 'more', given: Partial<ExerciseSummary> = {}) =>
  exercise({ exerciseName, verdict: 'clear', direction, ...given });

test.each([
  [{ meanChange: -1.95 }, 'strong'],
  [{ meanChange: 1.94 }, 'noticeable'],
  [{ meanChange: -0.95 }, 'noticeable'],
  [{ meanChange: -0.94 }, 'slight'],
  [{ meanChange: -3, adjusted: { change: -1, interval: [-2, 0] } }, 'noticeable'],
  [{ meanChange: -1, adjusted: { change: 0.6, interval: [-1, 2] } }, ''],
  [{ verdict: 'likely', direction: 'less', sessions: 5 }, 'likely less, few sessions'],
  [{ verdict: 'likely', direction: 'more', sessions: 6 }, 'likely more'],
  [{ verdict: 'likely', direction: 'less', claim: 'helps', meanChange: -2 }, 'strong'],
] as const)('of an exercise with %j it says %s', (given, text) =>
  expect(words.ownWords(exercise(given))).toBe(text),
);

test('exercises stand by what is said of them, more pain the strongest first', () => {
  const likely = (exerciseName: string, direction: 'less' | 'more') =>
    exercise({ exerciseName, verdict: 'likely', direction });
  const groups = words.byVerdict([
    ...[
      clear('A', 'less'),
      exercise({ exerciseName: 'B', claim: 'helps' }),
      likely('C', 'more'),
      likely('D', 'less'),
    ],
    ...[likely('E', 'more'), exercise({ exerciseName: 'F', noDifference: true }), clear('G', 'more')],
    ...[exercise({ exerciseName: 'H', claim: 'harms', verdict: 'clear', direction: 'less' })],
    ...[
      exercise({ exerciseName: 'I', verdict: 'open' }),
      exercise({ exerciseName: 'J', verdict: 'too-few' }),
    ],
    clear('K', 'less', { noDifference: true }),
  ]);
  expect(
    Object.entries(groups).map(
      ([name, those]) => `${name}: ${those.map((each) => each.exerciseName).join('')}`,
    ),
  ).toEqual([...['less: ABK', 'more: HG', 'likely: DEC', 'none: F', 'open: I', 'few: J']]);
  expect([clear('A', 'less'), likely('C', 'more'), exercise({ claim: 'harms' })].map(words.signOf)).toEqual([
    '·',
    '~',
    '✖',
  ]);
  expect(words.moreRemark(groups.more)).toBe('Mention ✖ to your physiotherapist.');
  expect(words.moreRemark([{ claim: null }])).toContain('whether it can be the exercise');
});

test('beside an exercise stand how it goes lately, more relief than others, and medication', () => {
  const lately = { sessions: 12, meanChange: 1.8, before: -2, direction: 'more' } as const;
  const medication = { name: 'para', sessions: 4, meanChange: -2.4, without: -0.9 };
  const versus = (verdict: 'more' | 'less') => ({
    difference: -1,
    interval: [-2, -0.5] as [number, number],
    verdict,
  });
  expect(words.furtherWords(exercise({ lately, medication, versusOthers: versus('more') }))).toBe(
    'lately +1.8, more relief than your others, with para −2.4, without −0.9',
  );
  expect(words.furtherWords(exercise({ versusOthers: versus('less') }))).toBe('');
  expect(words.furtherWords(clear('A', 'more', { versusOthers: versus('more') }))).toBe('');
  const besides = (claim: 'helps' | 'harms', verdict: 'more' | 'less') =>
    words.versusWords(exercise({ claim, versusOthers: versus(verdict) }));
  expect([besides('helps', 'less'), besides('harms', 'more')]).toEqual([null, null]);
  expect(besides('harms', 'less')).toBe('less relief than others');
  expect(words.medicationWords({ medication: { ...medication, name: null, without: null } })).toBe(
    'always with medication',
  );
});

test('what would tell more is said below the exercises', () => {
  const nameOf = ({ exerciseName }: { exerciseName: string }) => exerciseName;
  const said = (exercises: ExerciseSummary[], controlDays = 0) =>
    words.controlSentences(exercises, nameOf, controlDays);
  const open = exercise({ verdict: 'open' });
  const few = exercise({ verdict: 'too-few', meanChange: -1 });
  const [whether, all] = [
    'Whether that is the exercise or',
    'All are followed by less pain; whether that is the exercises or',
  ];
  const beginnings = (sentences: string[]) => sentences.map((text) => text.split(' bad days')[0]);
  expect(said([open, few])).toEqual([]);
  expect(beginnings(said([clear('A', 'less')]))).toEqual([whether]);
  expect(beginnings(said([clear('A', 'less'), clear('B', 'less'), few]))).toEqual([all]);
  expect(beginnings(said([clear('A', 'less'), clear('B', 'less'), open]))).toEqual([whether]);
  expect(beginnings(said([clear('A', 'less'), clear('B', 'more')]))).toEqual([whether]);
  expect(beginnings(said([clear('A', 'less'), clear('B', 'less', { claim: 'helps' })]))).toEqual([
    'Where there is no ✔ or ✖, whether that is the exercise or',
  ]);
  const counts = [0, 1, 7, 8].map((days) =>
    said([clear('A', 'less')], days)
      .slice(1)
      .join(''),
  );
  expect(counts.map((text) => text.slice(-9))).toEqual(['', '1 so far.', '7 so far.', '']);
  const tied = (name: string) => exercise({ exerciseName: name, alwaysAfter: 'A' });
  expect(
    said([tied('B'), tied('C'), exercise({ exerciseName: 'D', alwaysAfter: 'A', claim: 'helps' })])[0],
  ).toBe('B and C: always after A, cannot be told apart. Do each first on some days.');
  const alike = (name: string, given: Partial<ExerciseSummary> = {}) =>
    exercise({ exerciseName: name, sharesNumbers: true, alwaysAfter: 'A', ...given });
  expect(said([alike('A'), alike('B'), alike('C', { claim: 'helps' }), tied('D')])).toEqual([
    'D: always after A, cannot be told apart. Do it first on some days.',
    'A and B: recorded with the same two numbers, cannot be told apart. Give each its own.',
  ]);
  expect(said([alike('A'), alike('B', { claim: 'harms' })])).toEqual([]);
});

test('how the pain went, and what is worse the next day', () => {
  const dayAfter = { days: 9, difference: 1.2, interval: [0.5, 2] as [number, number], worse: true };
  const months = [
    { month: '2026-01', sessions: 3, days: 1, mean: 4 },
    { month: '2026-02', sessions: 3, days: 3, mean: 6 },
  ];
  const said = (exercises: ExerciseSummary[], pain: object = {}) =>
    words.closingSentences(
      { exercises, pain: trend(pain), controlDays: 0 },
      ({ exerciseName }) => exerciseName,
    );
  const few = exercise({ verdict: 'too-few' });
  expect(said([few], { months })[0]).toBe('Pain before exercise: 5.5 on average.');
  expect(said([few])[0]).toBe('Pain before exercise: 5.');
  expect(said([few, clear('A', 'less', { dayAfter })], { direction: 'rising' })).toEqual([
    'Pain before exercise: 5. Rising.',
    expect.stringContaining('Whether that is the exercise'),
    'A: better at once, worse the next day (+1.2).',
  ]);
  expect(said([clear('A', 'more', { dayAfter })]).at(-1)).toBe('A: worse the next day (+1.2).');
  const ends = [2025, 2026].map((year) => ({ month: `${year}-03`, sessions: 3, days: 3, mean: year - 2020 }));
  expect(said([few], { months: ends })[0]).toBe(
    'Pain before exercise: 5.0 in March 2025, 6.0 in March 2026.',
  );
  expect(said([clear('A', 'less')], { months: ends, direction: 'falling' })[0]).toBe(
    'Pain before exercise: 5.5 on average. Falling.',
  );
  const [first, last] = ends.map((month, i) => ({ ...month, month: `2025-0${3 + i}` }));
  const later = { month: '2026-01', sessions: 1, days: 1, mean: 6 };
  expect(said([few], { months: [first, last, later] })[0]).toBe(
    'Pain before exercise: 5.0 in March 2025, 6.0 in April 2025.',
  );
});

test('no sentence stands twice, on screens and in reports', () => {
  const folders = ['src/insights', 'src/insights/report', 'src/cli/views'];
  const paths = folders.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
  // Descriptions of figures, and a style sheet.
  const sources = paths.filter((path) => path.endsWith('.ts') && !/(shapes|style)\.ts$/.test(path));
  const found = sources.flatMap((path) => {
    const code = readFileSync(path, 'utf8').replace(/\/\*[\s\S]*?\*\/|^import[^;]*;|\/\/.*/gm, '');
    const texts = [...code.matchAll(/'([^'\n]*)'|`([^`]*)`/g)].map(
      ([, plain, template = '']) => plain ?? template,
    );
    const phrases = texts.flatMap((text) => text.split(/\$\{[^}]*\}|<[^>]*>/));
    return phrases.map((phrase) => phrase.toLowerCase().replace(/^[\s,.:;]+|[\s,.:;]+$/g, ''));
  });
  const sentences = found.filter((phrase) => phrase.split(' ').length >= 4 && /^[a-z]/.test(phrase));
  expect(sentences.length).toBeGreaterThan(30);
  expect(sentences.filter((sentence, i) => sentences.indexOf(sentence) !== i)).toEqual([]);
});

test('an exercise that always follows another one is said to, with what would tell them apart', () => {
  const logs = Array.from({ length: 10 }, (_, i) =>
    ['Piriformis Stretch', 'Bird Dog'].map((exerciseName, place) =>
      log({
        date: `2026-03-${10 + i}`,
        exerciseName,
        painBefore: 7 - 2 * place,
        painAfter: 5 - ((place * i) % 2),
      }),
    ),
  ).flat();
  const sentences = words.controlSentences(summarize(logs).exercises, ({ exerciseName }) => exerciseName);
  expect(sentences).toContain(
    'Bird Dog: always after Piriformis Stretch, cannot be told apart. Do it first on some days.',
  );
});
