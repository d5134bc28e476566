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
  /** The day of the last report: what came after it is laid beside what came up to it. */
  readonly previous?: string | undefined;
  /** Leaves out name and e-mail address. Notes stay as they were written. */
  readonly anonymous?: boolean | undefined;
  /** Shows every note, however many there are. */
  readonly full?: boolean | undefined;
}

/** The patient as the report names them; null where left out. */
interface Subject extends Omit<User, 'firstName' | 'lastName' | 'email'> {
  readonly name: string | null;
  readonly email: string | null;
}

/** All that a report says, as data. */
export interface Report {
  readonly subject: Subject;
  readonly summary: Summary;
  readonly previous: string | null;
  /** Up to the last report, and since. */
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
  /** Those after which pain was higher by `RISE` points or more, in the same order. */
  readonly rises: readonly Log[];
  /** Pain entries, and what was felt in trials, that call for the red flags, the latest first. */
  readonly severe: readonly Entry[];
  readonly full: boolean;
}

/** From this rise on, in points, a session stands on the first page with its note. */
export const RISE = 2;
/** From so many sessions on a report shows weeks instead of sessions, and of the notes those of rises. */
export const MANY = 300;

/** A report shows every session; of more than this nobody reads it, and making it would take minutes and gigabytes. */
export const MOST_SESSIONS = 20_000;

/**
 * Gathers a report. The same records and options give the same report: there is no clock in it.
 * @param logs those of the user, of each day in the order in which they were recorded; no more than `MOST_SESSIONS` and one are
 *   needed to refuse too many
 * @throws SciaticaError `invalid` when there are too many sessions
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
    /** On the days of trials: in the chart, and where it is severe, for what was done on them is not a session. */
    felt?: readonly Entry[];
    /** For their notes. */
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
  // A week without a session is one, up to the end of each.
  const upTo = { rule, target, since, until: previous };
  const after = { rule, target, since: addDays(previous, 1), until };
  return compareTallies([tallyOf(logs, upTo), tallyOf(logs, after)], [upTo, after]);
}
