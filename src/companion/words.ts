import { type Kept, type Notebook, recordsOf } from './notebook.ts';

/** Days and records as a person reads them. */

const pad = (n: number) => String(n).padStart(2, '0');

/** The local day of a moment, as YYYY-MM-DD. */
export const dayOf = (moment: Date): string =>
  `${moment.getFullYear()}-${pad(moment.getMonth() + 1)}-${pad(moment.getDate())}`;

/** The local day so many days before today. */
export function daysAgo(days: number): string {
  const now = new Date();
  return dayOf(new Date(now.getFullYear(), now.getMonth(), now.getDate() - days));
}

const format = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
});

/** A day in the format of the phone's language. */
export function spoken(day: string): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return format.format(new Date(year, month - 1, date));
}

/** Groups by key, in the order in which the keys appear. (Map.groupBy is in no iPhone before iOS 17.4.) */
export function groupsOf<T>(all: readonly T[], keyOf: (one: T) => string): [key: string, those: T[]][] {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const key = keyOf(one);
    const group = groups.get(key);
    if (group) group.push(one);
    else groups.set(key, [one]);
  }
  return [...groups];
}

/** `1 session`, `2 sessions`. */
export const sessionsOf = (count: number): string => `${count} ${count === 1 ? 'session' : 'sessions'}`;

/** A session as the page uses it. */
export interface Log extends Kept {
  userId: number;
  exerciseType: string;
  exerciseName: string;
  date: string;
  painBefore: number;
  painAfter: number;
  effective: boolean;
  medication?: string | null;
  notes: string;
}

export const LOGS = '/userExerciseLogs';

export const PAINS = '/painEntries';

/** A pain entry as the page uses it. */
export interface Pain extends Kept {
  userId: number;
  date: string;
  timeOfDay?: 'morning' | 'midday' | 'evening' | 'night';
  pain: number;
  medication?: string | null;
  notes?: string | null;
}

/** An entry of the diary. */
export type Entry = Log | Pain;

export const isPain = (one: Entry): one is Pain => 'pain' in one;

/** The kind of an entry, and the path of that kind in the API. */
export const kindOf = (one: Entry): readonly ['log' | 'painEntry', path: string] =>
  isPain(one) ? ['painEntry', PAINS] : ['log', LOGS];

/** The message once it is saved. The name is at the end: after a right-to-left one, figures would change places. */
export const savedWords = (one: Entry): string =>
  isPain(one)
    ? `Saved: pain ${one.pain}.`
    : `Saved: ${one.painBefore} before, ${one.painAfter} after ${one.exerciseName}.`;

/** The pain entries of the person, with the writes that wait applied to them. */
export const painsOf = (kept: Notebook): Pain[] =>
  (recordsOf(kept, 'painEntry') as Pain[]).filter(({ userId }) => userId === personOf(kept));

/** The sessions of the person, with the writes that wait applied to them. */
export const logsOf = (kept: Notebook): Log[] =>
  (recordsOf(kept, 'log') as Log[]).filter(({ userId }) => userId === personOf(kept));

/** Id of the user whose diary it is. */
export const personOf = ({ person, users }: Notebook): number | undefined => person ?? users?.[0];

/** Whether all records are read, and the person is not among them: deleted, or merged into another. */
export function isPersonGone(kept: Notebook): boolean {
  const person = personOf(kept);
  return kept.since !== undefined && person !== undefined && !kept.records['user']?.[person];
}
