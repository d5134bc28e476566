import { firstOf, rankOf, UNTIMED } from '../domain/day-pain.ts';
import type { Session } from '../domain/log.ts';
import type { PainEntry } from '../domain/pain-entry.ts';
import { compareText, groupBy } from './numbers.ts';

/** The pain that was recorded on a day, with and without exercise. */
export interface PainDay {
  readonly date: string;
  /** The worst of the day: of entries, and before and after sessions. */
  readonly pain: number;
  /** Pain before the first session, or without one that of the first entry: the value in trends and means. */
  readonly first: number;
  readonly sessions: number;
  /** Names of the medication, each once. */
  readonly medication: readonly string[];
}

export type Entry = Pick<PainEntry, 'id' | 'date' | 'timeOfDay' | 'pain' | 'medication' | 'notes'>;
type Exercise = Pick<Session, 'id' | 'date' | 'painBefore' | 'painAfter' | 'medication'>;

interface Value extends Pick<Entry, 'id' | 'date' | 'medication'> {
  readonly rank: number;
  readonly pains: readonly [number, ...number[]];
  readonly isSession: boolean;
}

/**
 * The days on which pain was recorded, in order. Records of one day have to come in the order in which they were made. A
 * session has no time of day; on a day without sessions, entries are ordered by theirs.
 */
export function painDays(entries: readonly Entry[], sessions: readonly Exercise[]): PainDay[] {
  const values: Value[] = [
    ...entries.map((entry) => ({
      ...entry,
      rank: rankOf(entry),
      pains: [entry.pain] as const,
      isSession: false,
    })),
    ...sessions.map((session) => ({
      ...session,
      rank: UNTIMED,
      pains: [session.painBefore, session.painAfter] as const,
      isSession: true,
    })),
  ];
  return [...groupBy(values, ({ date }) => date)]
    .map(([date, those]) => dayOf(date, those))
    .sort((one, other) => compareText(one.date, other.date));
}

function dayOf(date: string, values: readonly Value[]): PainDay {
  const inOrder = values.toSorted((a, b) => a.rank - b.rank || Number(a.isSession) - Number(b.isSession));
  return {
    date,
    pain: Math.max(...values.flatMap(({ pains }) => pains)),
    first: firstOf(inOrder)?.pains[0] ?? 1,
    sessions: values.filter(({ isSession }) => isSession).length,
    medication: [...new Set(inOrder.flatMap(({ medication }) => medication ?? []))],
  };
}
