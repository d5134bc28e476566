import { dayOf } from '../domain/words/day.ts';
import { written } from '../domain/words/spoken-day.ts';

/** The order of day and month in a file: 5/11/2026 is 5 November (dmy) or May 11 (mdy). */
export const dayOrders = ['dmy', 'mdy'] as const;
export type DayOrder = (typeof dayOrders)[number];

const NUMBERS = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d{2})$/;

/** A date that begins with the year, with hyphens or slashes. */
const YEAR_FIRST = /^(\d{4})[/-](\d{1,2})[/-](\d{1,2})$/;
/** The time of day that spreadsheets add to a date if they store it as a moment. */
const MIDNIGHT = /[ T]0{1,2}:00(?::00(?:\.0+)?)?$/;

const plain = (cell: string): string => cell.trim().replace(MIDNIGHT, '');

/** A serial day number of Excel, for days from October 1954 on, and the number of 1970-01-01. */
const COUNTED = /^[2-9]\d{4}$/;
const EPOCH = 25_569;

/**
 * Parses the dates of a file as spreadsheets of other locales save them: 5.11.2026, 5.11.26, 5/11/2026, 05-11-2026, 2026/11/5.
 * With dots, the order is day, month, year; otherwise the first row with a number above 12 decides for all rows.
 */
export class DayReader {
  #order: DayOrder | undefined;
  #isOpen = false;
  #why = '';

  /** @param said the order, if the user has given it */
  constructor(private readonly said?: DayOrder) {
    this.#order = said;
    if (said) this.#why = `--dates ${said}`;
  }

  /** Whether an ambiguous date was seen, and none yet that decides the order. */
  get isOpen(): boolean {
    return this.#isOpen && this.#order === undefined;
  }

  /** Inspects a cell for the order, before its row is read. @param at line of the cell */
  see(cell: string, at: number): void {
    const [, first, sign, second] = NUMBERS.exec(plain(cell)) ?? [];
    if (first === undefined || this.#order !== undefined || sign === '.') return;
    const [a, b] = [Number(first), Number(second)];
    if (a > 12 || b > 12) {
      this.#order = a > 12 ? 'dmy' : 'mdy';
      this.#why = `line ${at}`;
    } else if (a !== b) this.#isOpen = true;
  }

  /** @returns the date as YYYY-MM-DD, which may not exist; another text unchanged; or the reason why it cannot be read */
  read(cell: string): { day: string } | { fault: string } {
    const text = plain(cell);
    const [, first = '', sign, second = '', year = ''] = NUMBERS.exec(text) ?? [];
    if (COUNTED.test(text)) {
      const day = dayOf(Number(text) - EPOCH);
      return {
        fault: `is a day as a spreadsheet counts them, probably ${day}: show the column as dates there, and save it again`,
      };
    }
    const [, isoYear, isoMonth, isoDay] = YEAR_FIRST.exec(text) ?? [];
    if (isoYear) return { day: written(Number(isoDay), Number(isoMonth), Number(isoYear)) };
    // Without dots, a date such as 26/11/05 may begin with the year.
    if (first === '' || (year.length === 2 && sign !== '.')) return { day: text };
    const order = this.said ?? (sign === '.' ? 'dmy' : this.#order);
    if (order === undefined && Number(first) !== Number(second))
      return {
        fault: 'can mean two days, and so can every other of the file: say --dates dmy or --dates mdy',
      };
    const [day, month] = order === 'mdy' ? [second, first] : [first, second];
    if (Number(month) > 12) {
      const why = sign === '.' && !this.said ? 'day.month.year' : this.#why;
      return { fault: `has no month ${Number(month)} in the order of ${why}` };
    }
    return { day: written(Number(day), Number(month), Number(year) + (year.length === 2 ? 2000 : 0)) };
  }
}
