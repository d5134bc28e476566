import { type AnyRecord, type KindName, kindNames } from '../domain/kinds.ts';
import { differences, type State } from './decide.ts';

/** What a sync has done, and what it left. */

export interface Counts {
  created: number;
  changed: number;
  deleted: number;
}

export type ByKind = Record<KindName, Counts>;

/** Why a record is left as it is on both sides. */
export type ConflictKind =
  /** Changed on both sides since they last agreed, or made by each for itself. */
  | 'changed'
  | 'deleted there'
  | 'deleted here'
  /** Not there any more, and nothing says that somebody deleted it. */
  | 'missing there'
  /** New or changed there, of a user who was deleted here. */
  | 'user deleted here'
  /** A user who was deleted there, and has records here that are not there. */
  | 'records left here'
  /** Another record here has its name, or is the goal. */
  | 'name taken';

/** @param isLater whether theirs is known to have come after what was agreed on */
export function conflictKind(isLater: boolean, ours: State, theirs: State): ConflictKind {
  if (theirs) return ours ? 'changed' : 'deleted here';
  return isLater ? 'deleted there' : 'missing there';
}

export interface Conflict {
  kind: ConflictKind;
  record: KindName;
  /** null for a record that is not here. */
  id: number | null;
  theirId: number;
  /** The fields that differ. */
  fields: { field: string; here: unknown; there: unknown }[];
}

/** A record that the service does not take. */
export interface RefusedRecord {
  record: KindName;
  id: number;
  reason: string;
}

export interface SyncResult {
  /** UUID of the database over there. */
  database: string;
  pulled: ByKind;
  pushed: ByKind;
  conflicts: Conflict[];
  /** How many conflicts there are: no more than `MOST_LISTED` are listed. */
  conflictCount: number;
  refused: RefusedRecord[];
  refusedCount: number;
  /** Ids of users here who were erased over there, and are not erased here yet. */
  erasedThere: number[];
  /** Ids of users here who were erased because they were erased over there. */
  erased: number[];
  /** Ids over there of users who were erased here, and are still there. */
  erasedHere: number[];
  /** Everything was read, not only what changed since the last time. */
  readAnew: boolean;
  /** Number of the change here, to undo it. */
  change: number | undefined;
  /** History seq here up to which all was looked at. */
  seq: number;
}

/** Receives what is under way, for a line of progress. */
export type Progress = (what: 'receive' | 'take' | 'send', count: number) => void;

/** Most conflicts, and most refused records, that are listed. */
export const MOST_LISTED = 1000;

const noCounts = (): ByKind =>
  Object.fromEntries(kindNames.map((kind) => [kind, { created: 0, changed: 0, deleted: 0 }])) as ByKind;

export const emptyResult = (database: string): SyncResult => ({
  database,
  pulled: noCounts(),
  pushed: noCounts(),
  conflicts: [],
  conflictCount: 0,
  refused: [],
  refusedCount: 0,
  erasedThere: [],
  erased: [],
  erasedHere: [],
  readAnew: false,
  change: undefined,
  seq: 0,
});

/** How many records were created, changed or deleted. */
export const total = (counts: ByKind): number =>
  Object.values(counts).reduce((sum, { created, changed, deleted }) => sum + created + changed + deleted, 0);

/** Whether something waits for a person. */
export const isSettled = ({ conflictCount, refusedCount, erasedThere }: SyncResult): boolean =>
  conflictCount + refusedCount + erasedThere.length === 0;

/** Adds a conflict to a result. */
export function addConflict(
  result: SyncResult,
  { kind, record, theirId }: Pick<Conflict, 'kind' | 'record' | 'theirId'>,
  ours: State,
  theirs: State,
): void {
  result.conflictCount++;
  if (result.conflicts.length >= MOST_LISTED) return;
  result.conflicts.push({
    kind,
    record,
    id: ours?.id || null,
    theirId,
    fields: fieldsOf(record, ours, theirs),
  });
}

function fieldsOf(record: KindName, ours: State, theirs: State): Conflict['fields'] {
  if (!ours || !theirs) return [];
  const value = (state: AnyRecord, field: string) =>
    (state as unknown as Record<string, unknown>)[field] ?? null;
  return differences(record, ours, theirs).map((field) => ({
    field,
    here: value(ours, field),
    there: value(theirs, field),
  }));
}

/** Adds a record that the service does not take. */
export function addRefused(result: SyncResult, refused: RefusedRecord): void {
  result.refusedCount++;
  if (result.refused.length < MOST_LISTED) result.refused.push(refused);
}
