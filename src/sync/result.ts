import type { KindName } from '../domain/kinds.ts';
import type { CopiesAfterErasing } from '../store/maintenance/erase-backups.ts';
import {
  type Counts,
  type Dispute,
  noCounts,
  type Received,
  type RecordKey,
  type SameEmail,
} from '../store/reconcile/received.ts';

/** What a sync was asked for, what it has done, and what it left. */

export interface SyncOptions {
  /** The user here who is the one of the token over there. */
  as?: number | undefined;
  /** Deletes what would be held back otherwise. */
  acceptDeletions?: boolean | undefined;
  /** Erases here who was erased over there. */
  acceptErase?: boolean | undefined;
  /** Finds out what would come, and writes nothing, here or there. */
  dryRun?: boolean | undefined;
}

export type ByKind = Record<KindName, Counts>;

export interface SyncResult {
  /** UUID of the database over there. */
  database: string;
  pulled: ByKind;
  pushed: ByKind;
  /** Statements that both sides changed: the later one counts on both. */
  disputes: Dispute[];
  /** Records here whose deletion waits for consent. */
  held: Received['held'];
  /** What waits for consent over there: deletions, and what was erased elsewhere. */
  waitingThere: { held: number; erased: number };
  /** How many records the token may not write over there. */
  refused: number;
  /** Ids of users deleted here whom the token may not delete over there. */
  stillThere: number[];
  /** Users of the token who show here under another: what is recorded for that one, by its id, does not go there. */
  unsent: { view: number; id: number }[];
  /** Whether the token may write nothing over there. */
  isReadOnly: boolean;
  /** What is here, and was erased over there. */
  erasedThere: RecordKey[];
  /** What was erased here because it was erased over there. */
  erased: RecordKey[];
  /** What became of the copies of this database then; undefined where nothing was erased. */
  copies?: CopiesAfterErasing;
  /** Users with one e-mail address, one from each side: `other` may be merged into `id`. */
  sameEmails: SameEmail[];
  /** The ids of the users whose records do not go to the folder, who were added here since it was said whose do. */
  beside: number[];
  /** Which side was set back to an earlier state or is a copy, and has an identity of its own now. */
  setBack: 'here' | 'there' | null;
  /** How far the clock over there is ahead of the one here, in milliseconds; 0 where that makes no difference, or is known. */
  ahead: number;
  /** Numbers of the changes here, in their order, to undo them. */
  changes: number[];
  /** Machines of a folder of which not everything could be read; undefined for a service. */
  waiting?: Waiting[];
  /** History seq here up to which all was sent. */
  seq: number;
}

/** A machine of a folder, by the UUID of its database, and why not everything of it could be read. */
export interface Waiting {
  database: string;
  why: string;
}

/** Receives what is under way, for a line of progress. */
export type Progress = (what: 'receive' | 'send', count: number) => void;

export const emptyResult = (database: string): SyncResult => ({
  database,
  pulled: noCounts(),
  pushed: noCounts(),
  disputes: [],
  held: [],
  waitingThere: { held: 0, erased: 0 },
  refused: 0,
  stillThere: [],
  unsent: [],
  isReadOnly: false,
  erasedThere: [],
  erased: [],
  sameEmails: [],
  beside: [],
  setBack: null,
  ahead: 0,
  changes: [],
  seq: 0,
});

/** How many records were created, changed or deleted. */
export const total = (counts: ByKind): number =>
  Object.values(counts).reduce((sum, { created, changed, deleted }) => sum + created + changed + deleted, 0);

/** Whether nothing waits for a person, here or there. */
export const isSettled = ({ held, refused, erasedThere, ...result }: SyncResult): boolean =>
  held.length + refused + erasedThere.length === 0 && isSettledThere(result);

/** Whether nothing waits for a person over there. */
export const isSettledThere = ({
  waitingThere: { held, erased },
  stillThere,
  unsent,
}: Pick<SyncResult, 'waitingThere' | 'stillThere' | 'unsent'>): boolean =>
  held + erased + stillThere.length + unsent.length === 0;
