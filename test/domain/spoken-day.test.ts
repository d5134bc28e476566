import { describe, expect, test } from 'vitest';
import { faultOfDay, parseDay } from '../../src/domain/words/spoken-day.ts';

/** A Monday. */
const TODAY = '2026-03-02';

describe('a day', () => {
  test.each([
    ['today', '2026-03-02'],
    ['Today', '2026-03-02'],
    [' yesterday ', '2026-03-01'],
    ['-0d', '2026-03-02'],
    ['-1d', '2026-03-01'],
    ['-3D', '2026-02-27'],
    ['-732d', '2024-02-29'],
    ['3 days ago', '2026-02-27'],
    ['3d ago', '2026-02-27'],
    ['a day ago', '2026-03-01'],
    ['0 days ago', '2026-03-02'],
    ['one week ago', '2026-02-23'],
    ['2 weeks  ago', '2026-02-16'],
    ['two days ago', '2026-02-28'],
    ['an week ago', '2026-02-23'],
    ['-2w', '2026-02-16'],
    ['a month ago', '2026-02-02'],
    ['14 months ago', '2025-01-02'],
    ['day before yesterday', '2026-02-28'],
    ['the day before yesterday', '2026-02-28'],
    ['monday', '2026-02-23'],
    ['mon.', '2026-02-23'],
    ['sunday 1 march', '2026-03-01'],
    ['Sun., 1.3.', '2026-03-01'],
    ['1.2.26', '2026-02-01'],
    ['1.2.27', '2027-02-01'],
    ['1.2.28', '1928-02-01'],
    ['last monday', '2026-02-23'],
    ['sunday', '2026-03-01'],
    ['Last Friday', '2026-02-27'],
    ['on fri', '2026-02-27'],
    ['thurs', '2026-02-26'],
    ['tue', '2026-02-24'],
    ['2025-12-31', '2025-12-31'],
    [' 2025-12-31 ', '2025-12-31'],
    ['2025-1-5', '2025-01-05'],
    ['2025/01/05', '2025-01-05'],
    ['15.1.2026', '2026-01-15'],
    ['15. 1. 2026', '2026-01-15'],
    ['02.03.', '2026-03-02'],
    ['3.3.', '2025-03-03'],
    ['15.1', '2026-01-15'],
    ['21 nov', '2025-11-21'],
    ['21 Nov.', '2025-11-21'],
    ['2 march', '2026-03-02'],
    ['3 march', '2025-03-03'],
    ['nov 21', '2025-11-21'],
    ['21st of November 2024', '2024-11-21'],
    ['November 21, 2024', '2024-11-21'],
    ['29 feb', '2024-02-29'],
    ['29.2.2024', '2024-02-29'],
    ['21/11', '2025-11-21'],
    ['11/21/2025', '2025-11-21'],
    ['4/4', '2025-04-04'],
    ['0001-01-01', '0001-01-01'],
  ])('%j is %s', (text, day) => {
    expect(parseDay(text, TODAY)).toBe(day);
    expect(faultOfDay(text, TODAY)).toBeUndefined();
  });

  test.each([
    '3d',
    '-d',
    '-1.5d',
    '-123456d',
    'tomorrow',
    'mo',
    'x 21',
    '21',
    '',
    'frog',
    'next friday',
    'firday firday',
    'fri day fri day fri day fri dayy',
    '20260302',
  ])('is not %j, for the schema to say', (text) => {
    expect(parseDay(text, TODAY)).toBe(text);
    expect(faultOfDay(text, TODAY)).toBeUndefined();
  });

  test.each([
    ['2026-02-30', 'is no day: 30 February 2026 does not exist'],
    ['30 feb', 'is no day: 30 February does not exist'],
    ['31.4.2026', 'is no day: 31 April 2026 does not exist'],
    ['29.2.2025', 'is no day: 29 February 2025 does not exist'],
    ['0 may', 'is no day: 0 May does not exist'],
    ['1.13.2026', 'has no month 13: there are 12'],
    ['13/14', 'has no month 14: there are 12'],
    ['03/12', 'can mean 3 December or 12 March: write 2025-12-03 or 2025-03-12'],
    ['12/03', 'can mean 12 March or 3 December: write 2025-03-12 or 2025-12-03'],
    ['03/04', 'can mean 3 April or 4 March: write 2025-04-03 or 2025-03-04'],
    ['saturday 1 march', 'is no day: 2026-03-01 is a Sunday'],
    ['sunday 30 feb', 'is no day: 30 February does not exist'],
    ['moday', 'is no day (did you mean monday?)'],
    ['last firday', 'is no day (did you mean last friday?)'],
    ['Yesteday', 'is no day (did you mean yesterday?)'],
    ['3 dayss ago', 'is no day (did you mean 3 days ago?)'],
    ['21 novembr', 'is no day (did you mean 21 november?)'],
    ['21st of  novembr, 2025', 'is no day (did you mean 21st of  november, 2025?)'],
    ['01/02/2026', 'can mean 1 February or 2 January: write 2026-02-01 or 2026-01-02'],
  ])('%j %s', (text, fault) => {
    expect(faultOfDay(text, TODAY)).toBe(fault);
    expect(parseDay(text, TODAY)).toBe(text);
  });
});

test.each([
  ['2026-05-31', '2026-04-30'],
  ['2026-01-31', '2025-12-31'],
  ['2024-03-31', '2024-02-29'],
])('a month before %s is %s', (today, day) => expect(parseDay('a month ago', today)).toBe(day));

test('a 29 February may be eight years ago', () =>
  expect(parseDay('29 feb', '2104-02-28')).toBe('2096-02-29'));

describe('a month or a year, where one of its days is meant', () => {
  test.each<[string, string, string]>([
    ['march', '2026-03-01', '2026-03-31'],
    ['Feb', '2026-02-01', '2026-02-28'],
    ['feb. 2024', '2024-02-01', '2024-02-29'],
    ['april', '2025-04-01', '2025-04-30'],
    ['december', '2025-12-01', '2025-12-31'],
    ['2026-03', '2026-03-01', '2026-03-31'],
    ['2025/12', '2025-12-01', '2025-12-31'],
    ['12/2025', '2025-12-01', '2025-12-31'],
    ['2.2024', '2024-02-01', '2024-02-29'],
    ['2024', '2024-01-01', '2024-12-31'],
    ['this week', '2026-03-02', '2026-03-08'],
    ['last week', '2026-02-23', '2026-03-01'],
    ['this month', '2026-03-01', '2026-03-31'],
    ['Last  Month', '2026-02-01', '2026-02-28'],
    ['last year', '2025-01-01', '2025-12-31'],
    ['last friday', '2026-02-27', '2026-02-27'],
    ['21 nov', '2025-11-21', '2025-11-21'],
  ])('%j begins on %s and ends on %s', (text, first, last) => {
    expect(parseDay(text, TODAY, 'first')).toBe(first);
    expect(parseDay(text, TODAY, 'last')).toBe(last);
  });

  test('last month in January is the December before', () =>
    expect(parseDay('last month', '2026-01-15', 'first')).toBe('2025-12-01'));

  test.each(['2026-13', '2026-00', 'marchh', 'next month', 'last day', '202', 'mo'])('%j is none', (text) =>
    expect(parseDay(text, TODAY, 'first')).toBe(text),
  );

  test.each([
    ['marchh 2025', 'march 2025'],
    ['Last mnth', 'last month'],
    ['ths wek', 'this week'],
    ['moday', 'monday'],
  ])('%j was probably meant as %j', (text, meant) =>
    expect(faultOfDay(text, TODAY, 'first')).toBe(`is no day (did you mean ${meant}?)`),
  );

  test.each(['march', '2026-03', 'last month', 'last mnth', '2024'])('%j is no day of a session', (text) =>
    expect([parseDay(text, TODAY), faultOfDay(text, TODAY)]).toEqual([text, undefined]),
  );
});
