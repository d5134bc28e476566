import { addDays, MONTHS, mondayOf, WEEKDAYS, weekdayNumber } from './day.ts';
import { closest } from './suggest.ts';

/** Days as people type them. */

/** Examples of days, for help and errors of the command line. */
export const DAYS = 'today, yesterday, friday, 21 nov, 15.1.2026 or -3d';
/** The same for a field that also takes a month or a year. */
const DAYS_AND_MONTHS = 'today, friday, 21 nov, -3d, march, last month or 2026-03';
/** Examples of the days that a field takes. */
export const daysTaken = ({ edge }: { edge?: Edge }): string => (edge ? DAYS_AND_MONTHS : DAYS);
/** Examples of days, shown beside a question. */
export const DAYS_IN_SHORT = 'today, monday, last friday, 3 days ago, 15.1.2026';

const UNITS = ['days', 'weeks', 'week', 'months', 'month', 'year'];
const VOCABULARY = [...WEEKDAYS, 'today', 'yesterday', 'this', 'last', 'ago', ...UNITS, ...MONTHS].map(
  (word) => word.toLowerCase(),
);

/** Longest text, in characters, that is searched for a day with typing mistakes. */
const LONGEST = 30;

/** Numbers in words; the first is one. */
export const NUMBERS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

/** The day that a week, a month or a year stands for. */
type Edge = 'first' | 'last';

/** What a text says: a day, or why it is no valid day; undefined if it is not like a day at all. */
type Reading = { day: string } | { fault: string } | undefined;

/**
 * A day as a person types it: `today`, `yesterday`, `-3d`, `two days ago`, `last friday`, `15.1.2026`, `sunday 1 nov`. A weekday
 * is the latest before today; a date without a year the latest that is not in the future.
 * @param edge where a month, a year or a week stands for its first or last day: `march`, `last month`, `2026-03`, `2026`
 * @returns the day as YYYY-MM-DD; any other text as it is, for the schema to refuse
 */
export function parseDay(text: string, today: string, edge?: Edge): string {
  const reading = readingOf(text, today, edge);
  return reading && 'day' in reading ? reading.day : text.trim();
}

/**
 * Why a text is no day, in words that follow the field's name; undefined if the general rule for days says it all.
 * @param edge as for `parseDay`
 */
export function faultOfDay(text: string, today: string, edge?: Edge): string | undefined {
  const reading = readingOf(text, today, edge);
  if (reading) return 'fault' in reading ? reading.fault : undefined;
  const meant = misspelt(text, today, edge);
  return meant && `is no day (did you mean ${meant}?)`;
}

/** The day that words with typing mistakes probably mean, in words. */
function misspelt(text: string, today: string, edge?: Edge): string | undefined {
  if (text.length > LONGEST) return undefined;
  const words = text.trim().toLowerCase();
  const meant = words.replace(/[a-z]{3,}/g, (word) => closest(word, VOCABULARY) ?? word);
  const reading = readingOf(meant, today, edge);
  return reading && 'day' in reading ? meant : undefined;
}

/** A text in NFKC with Arabic digits as ASCII: full-width digits and fractions become plain characters, too. */
export const inPlainDigits = (text: string): string =>
  text.normalize('NFKC').replace(/[٠-٩۰-۹]/g, (digit) => String(digit.charCodeAt(0) & 15));

const lowered = (text: string): string => inPlainDigits(text).trim().toLowerCase().replace(/\s+/g, ' ');

function readingOf(text: string, today: string, edge?: Edge): Reading {
  const words = lowered(text);
  if (words === 'today') return { day: today };
  if (words === 'yesterday') return { day: addDays(today, -1) };
  if (/^(?:the )?day before yesterday$/.test(words)) return { day: addDays(today, -2) };
  return (
    ago(words, today) ??
    weekday(words, today) ??
    date(words, today) ??
    dateOfWeekday(words, today) ??
    (edge && partOfYear(words, today, edge))
  );
}

const AGO = new RegExp(`^(\\d{1,5}|an?|${NUMBERS.join('|')}) ?(days?|weeks?|months?|d|w) ago$`);

/** `-3d`, `-2w`, `3 days ago`, `two weeks ago`, `a month ago`. */
function ago(words: string, today: string): Reading {
  const [, number, letter] = /^-(\d{1,5})([dw])$/.exec(words) ?? [];
  const [, count = number, unit = letter] = AGO.exec(words) ?? [];
  if (count === undefined || unit === undefined) return undefined;
  const many = /\d/.test(count) ? Number(count) : Math.max(NUMBERS.indexOf(count), 0) + 1;
  if (unit.startsWith('month')) return { day: monthsBefore(today, many) };
  return { day: addDays(today, -many * (unit.startsWith('w') ? 7 : 1)) };
}

/** The same day of an earlier month, or the last day of that month if it is shorter. */
function monthsBefore(today: string, count: number): string {
  const [year = 0, month = 0, day = 0] = today.split('-').map(Number);
  const months = year * 12 + month - 1 - count;
  const [of, ofYear] = [(months % 12) + 1, Math.floor(months / 12)];
  return written(Math.min(day, daysOf(of, ofYear)), of, ofYear);
}

/** `march`, `march 2025`, `2026-03`, `3/2026`, `2026`, `last month`, `this week` (from Monday on). */
function partOfYear(words: string, today: string, edge: Edge): Reading {
  const [year = 0, month = 0] = today.split('-').map(Number);
  const [, which, unit] = /^(this|last) (week|month|year)$/.exec(words) ?? [];
  const back = which === 'last' ? 1 : 0;
  if (unit === 'week') {
    const monday = addDays(mondayOf(today), -7 * back);
    return { day: edge === 'first' ? monday : addDays(monday, 6) };
  }
  if (unit === 'month')
    return back < month ? ofMonths(year, month - back, 1, edge) : ofMonths(year - 1, 12, 1, edge);
  if (unit === 'year') return ofMonths(year - back, 1, 12, edge);
  const [, iso, isoMonth] = /^(\d{4})(?:[-/](\d{1,2}))?$/.exec(words) ?? [];
  if (iso !== undefined && isoMonth === undefined) return ofMonths(Number(iso), 1, 12, edge);
  if (iso !== undefined) return ofMonths(Number(iso), Number(isoMonth), 1, edge);
  const [, number, numbered] = /^(\d{1,2})[./](\d{4})$/.exec(words) ?? [];
  if (number !== undefined) return ofMonths(Number(numbered), Number(number), 1, edge);
  const [, name, said] = /^([a-z]{3,9})\.?,? ?(\d{4})?$/.exec(words) ?? [];
  const named = (numberOf(name, MONTHS) ?? -1) + 1;
  return ofMonths(yearOf(said) ?? (named > month ? year - 1 : year), named, 1, edge);
}

/** The first or last day of some months of a year. */
function ofMonths(year: number, month: number, count: number, edge: Edge): Reading {
  if (month < 1 || month > 12) return undefined;
  if (edge === 'first') return { day: written(1, month, year) };
  const isLast = month + count > 12;
  return { day: isLast ? written(31, 12, year) : addDays(written(1, month + count, year), -1) };
}

/** The latest day before today with the weekday that is named. */
function weekday(words: string, today: string): Reading {
  const [, name] = /^(?:last |on )?([a-z]{3,9})\.?$/.exec(words) ?? [];
  const wanted = numberOf(name, WEEKDAYS);
  if (wanted === undefined) return undefined;
  return { day: addDays(today, -((weekdayNumber(today) - wanted + 7) % 7 || 7)) };
}

/** `sunday 1 nov`: a date, which must be that of the weekday. */
function dateOfWeekday(words: string, today: string): Reading {
  const [, name, rest = ''] = /^([a-z]{3,9})\.?,? (.+)$/.exec(words) ?? [];
  const wanted = numberOf(name, WEEKDAYS);
  const reading = wanted === undefined ? undefined : date(rest, today);
  if (!reading || !('day' in reading)) return reading;
  const number = weekdayNumber(reading.day);
  return number === wanted ? reading : { fault: `is no day: ${reading.day} is a ${WEEKDAYS[number]}` };
}

/** The number, from 0, of the name that begins with these letters. */
function numberOf(text: string | undefined, names: readonly string[]): number | undefined {
  if (text === undefined) return undefined;
  const found = names.findIndex((name) => name.toLowerCase().startsWith(text));
  return found < 0 ? undefined : found;
}

function date(words: string, today: string): Reading {
  const [, y, m, d] = /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})$/.exec(words) ?? [];
  if (y !== undefined) return existing(Number(d), Number(m), Number(y), today);
  const [, day, month, year] = /^(\d{1,2})\. ?(\d{1,2})(?:\.(?: ?(\d{4}|\d{2}))?)?$/.exec(words) ?? [];
  if (day !== undefined) return existing(Number(day), Number(month), yearOf(year, today), today);
  return named(words, today) ?? slashed(words, today);
}

/** `21 nov`, `21st of November 2025`, `nov 21, 2025`. */
function named(words: string, today: string): Reading {
  const dayFirst = /^(\d{1,2})(?:st|nd|rd|th|\.)?(?: of)? ?([a-z]{3,9})\.?,?(?: (\d{4}))?$/.exec(words);
  const monthFirst = /^([a-z]{3,9})\.? ?(\d{1,2})(?:st|nd|rd|th)?,?(?: (\d{4}))?$/.exec(words);
  const [, day, name, year] = dayFirst ?? [];
  const [, otherName, otherDay, otherYear] = monthFirst ?? [];
  const month = numberOf(name ?? otherName, MONTHS);
  if (month === undefined) return undefined;
  return existing(Number(day ?? otherDay), month + 1, yearOf(year ?? otherYear), today);
}

/** `21/11/2026`: which number is the month must be clear from the numbers themselves. */
function slashed(words: string, today: string): Reading {
  const [, a, b, y] = /^(\d{1,2})[/-](\d{1,2})(?:[/-](\d{4}))?$/.exec(words) ?? [];
  if (a === undefined) return undefined;
  const [first, second, year] = [Number(a), Number(b), yearOf(y)];
  const [dayFirst, monthFirst] = [existing(first, second, year, today), existing(second, first, year, today)];
  if (first === second || first > 12) return dayFirst;
  if (second > 12) return monthFirst;
  const both = [dayFirst, monthFirst].map((reading) => (reading && 'day' in reading ? reading.day : ''));
  const readings = [`${first} ${MONTHS[second - 1]}`, `${second} ${MONTHS[first - 1]}`];
  return { fault: `can mean ${readings.join(' or ')}: write ${both.filter(Boolean).join(' or ')}` };
}

/** A year of two digits is the latest that is not after the next one. */
function yearOf(text: string | undefined, today = ''): number | undefined {
  if (text === undefined) return undefined;
  if (text.length > 2) return Number(text);
  const next = Number(today.slice(0, 4)) + 1;
  return next - ((next - Number(text)) % 100);
}

/** A day of a year; without a year, of the latest one in which it is not in the future. */
function existing(day: number, month: number, year: number | undefined, today: string): Reading {
  const name = MONTHS[month - 1];
  if (name === undefined) return { fault: `has no month ${month}: there are 12` };
  const isThere = (year: number) => day >= 1 && day <= daysOf(month, year);
  if (year !== undefined)
    return isThere(year)
      ? { day: written(day, month, year) }
      : { fault: `is no day: ${day} ${name} ${year} does not exist` };
  const last = Number(today.slice(0, 4));
  // A 29 February is at most eight years away.
  for (let year = last; year > last - 9; year--)
    if (isThere(year) && written(day, month, year) <= today) return { day: written(day, month, year) };
  return { fault: `is no day: ${day} ${name} does not exist` };
}

function daysOf(month: number, year: number): number {
  const next = new Date(Date.UTC(2000, month, 0));
  next.setUTCFullYear(year, month, 0);
  return next.getUTCDate();
}

/** A day as YYYY-MM-DD, which need not exist. */
export function written(day: number, month: number, year: number): string {
  const two = (number: number) => String(number).padStart(2, '0');
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;
}
