import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import {
  addDays,
  birthImplied,
  countedDays,
  faultOfHappening,
  isDay,
  localStamp,
  yearsAgo,
} from '../../src/domain/words/day.ts';

test.each([
  ['2026-03-02', undefined],
  ['2026-03-03', undefined],
  ['2026-03-04', 'is after tomorrow'],
  ['2062-03-02', 'is after tomorrow'],
  ['1980-03-02', undefined],
  ['1980-03-01', 'is before the birth that age 44 implies'],
  ['0001-01-01', 'is before the birth that age 44 implies'],
])('something that happened on %s to a person of 44', (day, fault) => {
  expect(faultOfHappening(day, '2026-03-02', 44)).toBe(fault);
  const { since, until } = countedDays(44, '2026-03-02');
  expect(day >= since && day <= until).toBe(!fault && day !== '2026-03-03');
});

test.each([
  ['2016-03-02', 10],
  ['2016-03-03', undefined],
  ['1926-03-02', 100],
])('%s is %s years ago', (day, years) => expect(yearsAgo(day, '2026-03-02')).toBe(years));

test('a birth is never before the first year', () => {
  expect([birthImplied(130, '0100-01-01'), birthImplied(3, '2028-02-29')]).toEqual([
    '0000-01-01',
    '2023-02-28',
  ]);
});

test.each([
  ['2024-02-28', 1, '2024-02-29'],
  ['0000-01-03', -9, '0000-01-01'],
  ['0000-01-03', -1, '0000-01-02'],
  ['9999-12-30', 9, '9999-12-31'],
  ['9999-12-30', -1, '9999-12-29'],
  ['2025-02-28', 1, '2025-03-01'],
  ['2025-12-31', 1, '2026-01-01'],
  ['2026-01-01', -1, '2025-12-31'],
  ['2026-03-29', -1, '2026-03-28'],
  ['2026-03-28', 366, '2027-03-29'],
])('%s and %d days', (day, days, other) => expect(addDays(day, days)).toBe(other));

test.each([
  ['2026-02-30', true],
  ['2026-02-03T00:00', false],
  [' 2026-02-03', false],
  ['2026-2-3', false],
  [20260203, false],
])('%j is written as a day: %s', (value, expected) => expect(isDay(value)).toBe(expected));

test('a moment in the name of a file has hours, minutes and seconds', () =>
  expect(localStamp(new Date(2026, 10, 1, 2, 3, 4))).toBe('2026-11-01-020304'));

describe('the local day', () => {
  const day = fileURLToPath(new URL('../../src/domain/words/day.ts', import.meta.url));
  const script = `${ts.transpileModule(readFileSync(day, 'utf8'), { compilerOptions: { module: ts.ModuleKind.CommonJS } }).outputText}
    console.log(process.argv.slice(1).map((at) => localDay(new Date(at))).join(' '));`;
  const localDays = (TZ: string, moments: string[]) =>
    execFileSync(process.execPath, ['-e', script, '--', ...moments], { env: { TZ }, encoding: 'utf8' })
      .trim()
      .split(' ');

  test.each([
    { zone: 'UTC', days: { '2026-01-01T00:00:00Z': '2026-01-01', '2025-12-31T23:59:59.999Z': '2025-12-31' } },
    {
      zone: 'Pacific/Kiritimati',
      days: { '2025-12-31T10:00:00Z': '2026-01-01', '2025-12-31T09:59:59Z': '2025-12-31' },
    },
    {
      zone: 'Pacific/Pago_Pago',
      days: { '2026-01-01T10:59:59Z': '2025-12-31', '2026-01-01T11:00:00Z': '2026-01-01' },
    },
    // The clocks change: a day of 23 hours, and one of 25.
    {
      zone: 'Europe/Berlin',
      days: {
        '2026-03-28T23:00:00Z': '2026-03-29',
        '2026-03-29T21:59:59Z': '2026-03-29',
        '2026-03-29T22:00:00Z': '2026-03-30',
      },
    },
    {
      zone: 'Europe/Berlin',
      days: {
        '2026-10-24T22:00:00Z': '2026-10-25',
        '2026-10-25T22:59:59Z': '2026-10-25',
        '2026-10-25T23:00:00Z': '2026-10-26',
      },
    },
    // The clocks change at midnight: this day begins at one o'clock.
    {
      zone: 'America/Santiago',
      days: { '2026-09-06T03:59:59Z': '2026-09-05', '2026-09-06T04:00:00Z': '2026-09-06' },
    },
  ])('in $zone: $days', ({ zone, days }) =>
    expect(localDays(zone, Object.keys(days))).toStrictEqual(Object.values(days)),
  );
});
