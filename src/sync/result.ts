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

/** The options and the result of a sync. */

export interface SyncOptions {
  /** `--as`: the id of the user here who is the user of the token, or the only one in the folder. */
  as?: number | undefined;
  /** Applies deletions that would be held back otherwise. */
  acceptDeletions?: boolean | undefined;
  /** Erases here what was erased over there. */
  acceptErase?: boolean | undefined;
  /** Finds out what a sync would change, and writes nothing, here or there. */
  dryRun?: boolean | undefined;
}

export type ByKind = Record<KindName, Counts>;

export interface SyncResult {
  /** The UUID of the database over there; for a folder its URL. */
  database: string;
  pulled: ByKind;
  pushed: ByKind;
  /** Statements that both sides changed concurrently: the later one wins on both. */
  disputes: Dispute[];
  /** Records here whose deletion is held back until somebody consents. */
  held: Received['held'];
  /** How many deletions, and erasures that were made elsewhere, wait for consent over there. */
  waitingThere: { held: number; erased: number };
  /** How many records were refused over there, because the token may not write them. */
  refused: number;
  /** Ids of users deleted here whom the token may not delete over there. */
  stillThere: number[];
  /** Users of the token (`view`) who are merged here into another one (`id`), whose records are not sent. */
  unsent: { view: number; id: number }[];
  /** Whether the token may write nothing over there. */
  isReadOnly: boolean;
  /** Users and records here that were erased over there. */
  erasedThere: RecordKey[];
  /** What was erased here because it was erased over there. */
  erased: RecordKey[];
  /** What became of the copies of this database then; undefined where nothing was erased. */
  copies?: CopiesAfterErasing;
  /** Users with one e-mail address, one from each side: `other` may be merged into `id`. */
  sameEmails: SameEmail[];
  /** The ids of users added here since the users of the folder were chosen: their records do not go there. */
  beside: number[];
  /** Which side was set back to an earlier state or is a copy, and has an identity of its own now. */
  setBack: 'here' | 'there' | null;
  /** How far the clock over there is ahead of the one here, in milliseconds; 0 if that is tolerated, or known already. */
  ahead: number;
  /** The numbers of the changes that it made here, in their order, for an undo. */
  changes: number[];
  /** Machines of a folder of which not everything could be read; undefined for a service. */
  waiting?: Waiting[];
  /** The history seq here up to which everything was sent. */
  seq: number;
}

/** A machine of a folder, by the UUID of its database, and why not everything of it could be read. */
export interface Waiting {
  database: string;
  why: string;
}

/** Called with how many records were received or sent just now, for a line of progress. */
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

/** Whether nothing waits for a decision, here or there. */
export const isSettled = ({ held, refused, erasedThere, ...result }: SyncResult): boolean =>
  held.length + refused + erasedThere.length === 0 && isSettledThere(result);

/** Whether nothing waits for a decision over there. */
export const isSettledThere = ({
  waitingThere: { held, erased },
  stillThere,
  unsent,
}: Pick<SyncResult, 'waitingThere' | 'stillThere' | 'unsent'>): boolean =>
  held + erased + stillThere.length + unsent.length === 0;
