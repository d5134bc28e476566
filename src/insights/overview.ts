import type { Log } from '../domain/log.ts';
import { callsForRedFlags } from '../domain/red-flags.ts';
import { addDays } from '../domain/words/day.ts';
import { round } from './numbers.ts';

/** Days at the end of a diary that count as now, and days before them that they are compared with. */
export const [RECENT_DAYS, EARLIER_DAYS] = [14, 28];

/** The first day that `overviewOf` needs. */
export const overviewSince = (today: string): string => addDays(today, 1 - RECENT_DAYS - EARLIER_DAYS);

/** A diary in a line. */
export interface Overview {
  /** Sessions of the last 14 days. */
  sessions: number;
  /** The day of the last session; undefined if there is none. */
  lastSession?: string;
  /** Mean pain before exercise of the last 14 days, 1 to 10, to one decimal. */
  pain?: number;
  /** The same of the 28 days before those. */
  painEarlier?: number;
  /** The first minus the second, to one decimal: above 0, there is more pain than before. */
  painChange?: number;
  /** Sessions of the last 14 days after which the red flags are shown. */
  redEntries: number;
}

/**
 * @param logs the sessions of one user from `overviewSince` to today
 * @param lastSession the day of the last session up to today, however long ago
 */
export function overviewOf(logs: readonly Log[], lastSession: string | undefined, today: string): Overview {
  const first = addDays(today, 1 - RECENT_DAYS);
  const recent = logs.filter(({ date }) => date >= first);
  const [pain, painEarlier] = [recent, logs.filter(({ date }) => date < first)].map(meanPain);
  const painChange =
    pain === undefined || painEarlier === undefined ? undefined : round(pain - painEarlier, 1);
  return {
    sessions: recent.length,
    ...(lastSession !== undefined && { lastSession }),
    ...(pain !== undefined && { pain: round(pain, 1) }),
    ...(painEarlier !== undefined && { painEarlier: round(painEarlier, 1) }),
    ...(painChange !== undefined && { painChange }),
    redEntries: recent.filter(callsForRedFlags).length,
  };
}

function meanPain(logs: readonly Log[]): number | undefined {
  if (logs.length === 0) return undefined;
  return logs.reduce((sum, { painBefore }) => sum + painBefore, 0) / logs.length;
}
