import { rankOf } from '../../domain/day-pain.ts';
import { invalid } from '../../domain/errors.ts';
import type { Log } from '../../domain/log.ts';
import type { PainEntry } from '../../domain/pain-entry.ts';
import { isSevere } from '../../domain/red-flags.ts';
import type { TrialDay } from '../../domain/trial.ts';
import type { User } from '../../domain/user.ts';
import { addDays } from '../../domain/words/day.ts';
import { compareTallies } from '../compare.ts';
import { isWithin } from '../days.ts';
import { compareText } from '../numbers.ts';
import { type Entry, type PainDay, painDays } from '../pain-days.ts';
import type { Comparison, Summary } from '../shapes.ts';
import { type SummaryOptions, summarize, tallyOf } from '../summary.ts';
import type { EndedTrial } from '../trial.ts';

export interface ReportOptions extends SummaryOptions {
  /** Day of the last report: the time after it is compared with the time up to it. */
  readonly previous?: string | undefined;
  /** Leaves out name and e-mail address. Notes stay as they were written. */
  readonly anonymous?: boolean | undefined;
  /** Shows every note, however many there are. */
  readonly full?: boolean | undefined;
}

/** The patient as the report names them; null where that is left out. */
interface Subject extends Omit<User, 'firstName' | 'lastName' | 'email'> {
  readonly name: string | null;
  readonly email: string | null;
}

/** The content of a report, as data. */
export interface Report {
  readonly subject: Subject;
  readonly summary: Summary;
  readonly previous: string | null;
  /** The time up to the last report compared with the time since. */
  readonly sincePrevious: Comparison | null;
  /** By date, then id. */
  readonly logs: readonly Log[];
  /** Pain entries by date, then time of day, then id. */
  readonly entries: readonly PainEntry[];
  /** Days of trials. */
  readonly trialDays: readonly TrialDay[];
  /** The days with a known pain, with and without exercise. */
  readonly days: readonly PainDay[];
  readonly trial: EndedTrial | null;
  /** Sessions after which pain was higher by `RISE` points or more, in the order of `logs`. */
  readonly rises: readonly Log[];
  /** Pain entries, and pains of trial days, that call for the red flags, the latest first. */
  readonly severe: readonly Entry[];
  readonly full: boolean;
}

/** Rise, in points, from which a session is listed on the first page with its note. */
export const RISE = 2;
/** Number of sessions from which a report shows weeks instead of sessions, and only notes of rises. */
export const MANY = 300;

/** Most sessions in a report, which shows each of them: nobody reads more, and making it would take minutes and gigabytes. */
export const MOST_SESSIONS = 20_000;

/**
 * Gathers a report. It does not read the clock, so that the same records and options give the same report.
 * @param logs of the user, those of a day in the order in which they were recorded; `MOST_SESSIONS` + 1 are enough to detect
 *   too many
 * @throws SciaticaError `invalid` for more than `MOST_SESSIONS` sessions
 */
export function buildReport(
  user: User,
  logs: Iterable<Log>,
  options: ReportOptions = {},
  {
    entries = [],
    felt = [],
    trialDays = [],
    trial,
  }: {
    entries?: readonly PainEntry[];
    /** Pains of trial days, for the chart and, if severe, the first page: what was done on a trial day is not a session. */
    felt?: readonly Entry[];
    /** For their notes and rises. */
    trialDays?: readonly TrialDay[];
    trial?: EndedTrial | undefined;
  } = {},
): Report {
  const kept = [...logs]
    .filter(({ date }) => isWithin(date, options))
    .sort((a, b) => compareText(a.date, b.date));
  if (kept.length > MOST_SESSIONS) {
    const most = MOST_SESSIONS.toLocaleString('en');
    throw invalid([
      { field: 'since', message: `must be a later day: a report holds ${most} sessions at most` },
    ]);
  }
  const keptEntries = entries.filter(({ date }) => isWithin(date, options)).toSorted(inOrder);
  const { firstName, lastName, email, ...rest } = user;
  return {
    subject: options.anonymous
      ? { ...rest, name: null, email: null }
      : { ...rest, name: `${firstName} ${lastName}`, email },
    summary: summarize(kept, options, keptEntries),
    entries: keptEntries,
    trialDays,
    days: painDays([...keptEntries, ...felt], kept),
    trial: trial ?? null,
    previous: options.previous ?? null,
    sincePrevious: options.previous === undefined ? null : sincePrevious(kept, options.previous, options),
    logs: kept,
    rises: kept.filter(({ painBefore, painAfter }) => painAfter - painBefore >= RISE),
    severe: [...keptEntries, ...felt]
      .filter(({ pain }) => isSevere(pain))
      .sort(inOrder)
      .toReversed(),
    full: options.full ?? false,
  };
}

const inOrder = (a: Entry, b: Entry): number => compareText(a.date, b.date) || rankOf(a) - rankOf(b);

function sincePrevious(logs: readonly Log[], previous: string, options: ReportOptions): Comparison {
  const { rule, target, since, until = options.today } = options;
  // With explicit ends, weeks without a session at either end count as well.
  const upTo = { rule, target, since, until: previous };
  const after = { rule, target, since: addDays(previous, 1), until };
  return compareTallies([tallyOf(logs, upTo), tallyOf(logs, after)], [upTo, after]);
}
