import type { Cell } from '../../domain/codec.ts';
import { byKind, type KindName, kindNames } from '../../domain/kinds.ts';
import type { State } from './state.ts';

/** What came of states from elsewhere. */

/** How many records of a kind a sync or an import created, changed and deleted here. */
export interface Counts {
  created: number;
  changed: number;
  deleted: number;
}

/** What both sides said without knowing of each other's: a statement of a record, or two records where a user has one. */
export interface Dispute {
  record: KindName;
  /** The id here. */
  id: number;
  fields: { field: string; here: Cell; there: Cell }[];
  /** Which counts: the later one; of two records the first. */
  counts: 'here' | 'there';
  /** Each side made a record of its own where a user has one: the other one waits or is set aside, as its kind says. */
  isOfTwo?: true;
  /** The change that took over what was said there: its undo chooses what was said here. */
  change?: number;
  /** When each was said, in milliseconds since 1970. */
  at: { here: number; there: number };
}

/** A record here. */
export interface RecordKey {
  record: KindName;
  id: number;
}

/** The ids of the records of a kind. */
export const idsOf = (records: readonly RecordKey[], kind: KindName): number[] =>
  records.filter(({ record }) => record === kind).map(({ id }) => id);

export interface Received {
  counts: Record<KindName, Counts>;
  disputes: Dispute[];
  /** Records whose deletion waits for consent. */
  held: RecordKey[];
  /** States that the sender has no right to send. */
  refused: number;
  /** What is told back of those that are of others: that they are. */
  left: State[];
  /** States of which something was left out to be taken in a change of its own each, with what both sides said of it. */
  apart: { state: State; disputes: readonly Dispute[] }[];
  /** Whether all that is known here by now of what has changed is what the sender told: it need not be sent back. */
  isEcho: boolean;
}

export const noneReceived = (): Received => ({
  counts: noCounts(),
  disputes: [],
  held: [],
  refused: 0,
  left: [],
  apart: [],
  isEcho: true,
});

export const noCounts = (): Record<KindName, Counts> =>
  byKind(() => ({ created: 0, changed: 0, deleted: 0 }));

/** Adds counts to others. */
export function addCounts(to: Received['counts'], more: Received['counts']): void {
  for (const kind of kindNames) {
    to[kind].created += more[kind].created;
    to[kind].changed += more[kind].changed;
    to[kind].deleted += more[kind].deleted;
  }
}

/** A user here and one of another database with the same e-mail address. */
export interface SameEmail {
  id: number;
  other: number;
}
