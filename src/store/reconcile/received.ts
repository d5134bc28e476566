import type { Cell } from '../../domain/codec.ts';
import { byKind, type KindName, kindNames } from '../../domain/kinds.ts';
import type { State } from './state.ts';

/** The result of merging states from another database. */

/** How many records of a kind a sync or an import created, changed and deleted here. */
export interface Counts {
  created: number;
  changed: number;
  deleted: number;
}

/** A conflict: a statement that both sides changed concurrently, or a record with the same key that each made for a user. */
export interface Dispute {
  record: KindName;
  /** The id here. */
  id: number;
  fields: { field: string; here: Cell; there: Cell }[];
  /** The side that wins: of a statement the later one, of two records the first in a fixed order. */
  counts: 'here' | 'there';
  /** Both sides made a record with the same key (`Kind.key`): the losing one is hidden, or gets another key, as its kind says. */
  isOfTwo?: true;
  /** The change here that took over the value from there: undoing it brings back the value of here. */
  change?: number;
  /** When each side wrote its value, in milliseconds since 1970. */
  at: { here: number; there: number };
}

/** A record of this database. */
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
  /** How many states were refused, because the token of the sender does not allow them. */
  refused: number;
  /** Answers to refused states: these records belong to users outside the sender's view by now. */
  left: State[];
  /** States that were merged without some statements, each of which is to be a change of its own, with their disputes. */
  apart: { state: State; disputes: readonly Dispute[] }[];
  /** Whether each record that changed here is now exactly as the sender sent it, so that nothing needs to be sent back. */
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
