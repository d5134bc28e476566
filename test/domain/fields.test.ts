import { describe, expect, test } from 'vitest';
import type { KindName } from '../../src/domain/kinds.ts';
import { type LogInput, logFields } from '../../src/domain/log.ts';
import { checksOf } from '../../src/domain/schema.ts';
import { painLocations, type UserInput, userFields } from '../../src/domain/user.ts';
import { failure, log, shown, user } from './samples.ts';

const EMOJI = '\u{1F9D8}';
const COMBINING = 'e\u0301\u0323';
const LONE = 'a\uD800b';

const notNumbers = ['5', '', true, false, null, [], [5], {}, Number.NaN];
const notIntegers = [
  ...notNumbers,
  5.5,
  1e-9,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  2 ** 53,
  -(2 ** 53),
];
const notTexts = [5, 0, true, null, [], ['a'], {}, { length: 1 }];

const pain = { good: [1, 5, 5.0, 10], bad: [...notIntegers, 0, -0, -1, 11, 99] };
const name = {
  good: [
    'a',
    '0',
    ' a ',
    "O'Neill",
    'x'.repeat(100),
    EMOJI.repeat(100),
    COMBINING,
    '\u200b',
    'a\nb',
    '<b>',
    "'; --",
  ],
  bad: [
    ...notTexts,
    '',
    ' ',
    '\t\n',
    '\u00a0',
    '\u3000\u2028\ufeff',
    'a\0',
    '\0',
    LONE,
    '\uDC00',
    'x'.repeat(101),
    EMOJI.repeat(101),
  ],
};
const date = {
  good: ['2026-01-15', '2024-02-29', '2000-02-29', '1900-02-28', '0001-01-01', '9999-12-31'],
  bad: [
    ...notTexts,
    20260115,
    '',
    '2025-02-30',
    '2025-02-29',
    '1900-02-29',
    '2025-02-31',
    '2025-04-31',
    '2025-06-31',
    '2025-09-31',
    '2025-11-31',
    '2025-13-01',
    '2025-00-10',
    '2025-01-00',
    '2025-01-32',
    '0000-00-00',
    '2025-2-3',
    '25-02-03',
    '12025-02-03',
    '+2025-02-03',
    '-2025-02-03',
    '2025/02/03',
    '03.02.2025',
    '2025-02-03\n',
    '\n2025-02-03',
    ' 2025-02-03',
    '2025-02-03 ',
    '2025-02-03T00:00:00Z',
    '2025-02-03\0',
    '٢٠٢٥-٠٢-٠٣',
    '２０２５-02-03',
    '2025‐02‐03',
    'today',
    'yesterday',
    '-1d',
  ],
};

const users: { [K in keyof UserInput]: { good: unknown[]; bad: unknown[] } } = {
  firstName: name,
  lastName: name,
  email: {
    good: [
      'a@b.de',
      'nora.lind+log@mail.example.org',
      "o'neill@example.org",
      'UPPER@EXAMPLE.ORG',
      'a_b-c@ex-ample.org',
      'ünï@exämple.org',
      '用户@例え.jp',
      `${'a'.repeat(242)}@example.org`,
      '1@2.example',
    ],
    bad: [
      ...notTexts,
      '',
      ' ',
      'nora',
      'nora@',
      '@example.org',
      'nora@example',
      'nora@@example.org',
      'nora@example..org',
      'nora@.org',
      'nora@example.org.',
      '.nora@example.org',
      'nora.@example.org',
      'no..ra@example.org',
      'no ra@example.org',
      'nora@exa mple.org',
      ' nora@example.org',
      'nora@example.org\n',
      'nora@example.org\0',
      'nora@-example.org',
      'nora@example-.org',
      'Nora <nora@example.org>',
      'a@example.org,b@example.org',
      `${LONE}@example.org`,
      `${'a'.repeat(243)}@example.org`,
      `a@${'b'.repeat(64)}.org`,
    ],
  },
  age: { good: [0, 1, 44, 44.0, 130], bad: [...notIntegers, -1, 131] },
  painLocation: {
    good: [...painLocations],
    bad: [
      ...notTexts,
      '',
      'lower-back',
      'Glute-left',
      'glute_left',
      ' glute-left',
      'glute-left\n',
      'glute-leftt',
    ],
  },
  painLevel: pain,
  diagnosisDate: date,
};

const logs: { [K in keyof LogInput]: { good: unknown[]; bad: unknown[] } } = {
  userId: { good: [1, 3.0, 999_999_999_999_999], bad: [...notIntegers, 0, -1, 1_000_000_000_000_000] },
  exerciseType: {
    good: ['stretch', 'strengthening'],
    bad: [...notTexts, '', 'Stretch', 'stretching', 'strech', 'strength', 'yoga', 'stretch '],
  },
  exerciseName: name,
  date,
  painBefore: pain,
  painAfter: pain,
  effective: { good: [true, false], bad: ['true', 'false', '', 0, 1, null, [], {}] },
  notes: {
    good: ['', ' ', 'ok\r\n\ttoo', COMBINING, 'x'.repeat(10_000), EMOJI.repeat(10_000), '=1+1', '\u202e'],
    bad: [...notTexts, '\0', 'a\0b', LONE, 'x'.repeat(10_001), EMOJI.repeat(10_001)],
  },
};

const kinds = [
  {
    noun: 'user',
    table: users,
    sample: user,
    input: checksOf('user').input,
    patch: checksOf('user').patch,
    fields: userFields,
  },
  {
    noun: 'log',
    table: logs,
    sample: log,
    input: checksOf('log').input,
    patch: checksOf('log').patch,
    fields: logFields,
  },
] as const;

describe.each(kinds)('$noun', ({ table, sample, input, patch, fields }) => {
  describe.each(Object.entries(table))('%s', (field, { good, bad }) => {
    test.each(good.map((value) => [shown(value), value]))('takes %s', (_, value) => {
      expect(input({ ...sample, [field]: value })).toStrictEqual({ ...sample, [field]: value });
      expect(patch({ [field]: value })).toStrictEqual({ [field]: value });
    });

    test.each(bad.map((value) => [shown(value), value]))('refuses %s', (_, value) => {
      for (const error of [
        failure(() => input({ ...sample, [field]: value })),
        failure(() => patch({ [field]: value })),
      ]) {
        expect(error.code).toBe('invalid');
        expect(error.issues.map((issue) => issue.field)).toStrictEqual([field]);
        expect(error.issues[0]?.message).toMatch(/^(must|is) /);
      }
    });

    test('is missed in a whole record and not in a patch', () => {
      const { [field as keyof typeof sample]: _, ...rest } = sample;
      expect(failure(() => input(rest)).message).toMatch(new RegExp(`^${field} is missing: it must be `));
      expect(failure(() => input({ ...rest, [field]: undefined })).message).toMatch(/is missing/);
      expect(patch(rest)).toStrictEqual(rest);
      expect(patch({ ...rest, [field]: undefined })).toStrictEqual(rest);
    });

    test('takes the example it gives', () => {
      const example = Object.entries(fields).find(([name]) => name === field)?.[1].example;
      expect(patch({ [field]: example })).toStrictEqual({ [field]: example });
    });
  });
});

test.each<[KindName, string, number, number]>([
  ['log', 'userId', 1, 999_999_999_999_999],
  ['painEntry', 'pain', 1, 10],
  ['goal', 'sessionsPerWeek', 1, 100],
  ['trial', 'days', 14, 84],
  ['trial', 'difference', 1, 5],
  ['trial', 'seed', 0, 2_147_483_647],
  ['trialDay', 'first', 1, 10],
  ['trialDay', 'second', 1, 10],
])('of a %s, %s is from %i to %i', (kind, field, min, max) => {
  const { patch } = checksOf(kind);
  for (const value of [min, max]) expect(patch({ [field]: value })).toEqual({ [field]: value });
  for (const value of [min - 1, max + 1])
    expect(failure(() => patch({ [field]: value })).issues[0]?.fault?.code).toBe('out-of-range');
});

test.each<[KindName, string, number]>([
  ['log', 'medication', 200],
  ['painEntry', 'notes', 10_000],
  ['trialDay', 'notes', 10_000],
  ['routine', 'name', 100],
  ['trial', 'otherExercise', 100],
])('of a %s, %s has at most %i characters, and some', (kind, field, max) => {
  const { patch } = checksOf(kind);
  const longest = 'x'.repeat(max);
  expect(patch({ [field]: longest })).toEqual({ [field]: longest });
  const faults = [`${longest}x`, ' '].map(
    (text) => failure(() => patch({ [field]: text })).issues[0]?.fault?.code,
  );
  expect(faults).toEqual(['too-long', 'blank']);
});

test.each(['\0', 'a\0b', 'nora@example.org\0'])('a NUL is named as what is wrong with %j', (text) => {
  const { issues } = failure(() => checksOf('user').patch({ firstName: text, email: text }));
  expect(issues.map(({ message }) => message)).toStrictEqual(Array(2).fill('must not hold a NUL character'));
});

// Quadratic matching would take minutes here, and the test run into its time limit.
test.each([
  { text: 'x'.repeat(300_000), why: 'long' },
  { text: `${'x'.repeat(300_000)}\0`, why: 'long, with a NUL at the end' },
  { text: ' '.repeat(300_000), why: 'long and blank' },
  { text: 'a.'.repeat(150_000), why: 'a chain of dots' },
  { text: `a@${'b.'.repeat(150_000)}`, why: 'a chain of labels' },
  { text: `a@${'b-'.repeat(150_000)}`, why: 'a chain of dashes' },
])('a text that is $why is refused in linear time', ({ text }) => {
  const error = failure(() =>
    checksOf('user').input({ ...user, firstName: text, lastName: text, email: text }),
  );
  expect(error.issues).toHaveLength(3);
});
