import type { KindName } from '../../../domain/kinds.ts';
import type { FileOrigin } from '../../../domain/origin.ts';
import type { Database } from '../../sqlite/database.ts';
import type { Counterparts } from '../../sync/counterparts.ts';
import { type AsUser, linkUser, noteUser } from './as-user.ts';
import { type Conflict, conflictsLeft } from './conflicts.ts';
import { forgetErasure, holdErasedThere } from './erased.ts';
import { compareKnown, giveIds, linkByKey, linkEqual, translateUsers } from './match.ts';
import { type Merge, ofOrigin, prepareMerge } from './merge-sql.ts';
import {
  decideGone,
  deleteGone,
  doubtAll,
  findGone,
  findOrphans,
  keepUsersWithRecords,
  settleConflicts,
} from './policy.ts';
import { type OnConflict, ownedStaged, stagedKinds, stagedUsers } from './staging.ts';
import { findSameKeys } from './unique-keys.ts';
import { noteAgreed, writeMerged } from './write.ts';

/** What is asked of a merge. */
export interface MergeOptions {
  onConflict: OnConflict;
  /** Delete here what was deleted there. */
  mirror: boolean;
}

/** A record that is here and was deleted there. */
export interface GoneRecord {
  record: KindName;
  id: number;
}

/**
 * Brings the staged records of another database in, by what both sides last agreed on (a three-way merge): first the outcomes are
 * found in temporary tables, then they are written.
 */
export class OriginMerge {
  readonly #merge: Merge;
  #as: AsUser | undefined;
  /** Whether the file is older than one that was imported before. */
  isOlder = false;

  constructor(
    private readonly db: Database,
    private readonly counterparts: Counterparts,
    private readonly origin: FileOrigin,
  ) {
    this.#merge = { db, origin: counterparts.findOrigin(origin.id) ?? 0 };
  }

  /** The conflicts that are left: how many, and the first `limit` of them. */
  conflicts = (limit: number): { count: number; conflicts: Conflict[] } => conflictsLeft(this.#merge, limit);

  /** Forgets the outcomes of an earlier run and prepares for another. */
  prepare(): void {
    prepareMerge(this.db);
    for (const { staged } of ownedStaged)
      this.db.run(
        `UPDATE ${staged} SET userId = _givenUserId, _givenUserId = NULL WHERE _givenUserId IS NOT NULL`,
      );
    for (const { staged } of stagedKinds)
      this.db.run(
        `UPDATE ${staged} SET _outcome = NULL, _newId = NULL WHERE _outcome IS NOT NULL OR _newId IS NOT NULL`,
      );
  }

  /**
   * Finds out which user here each of the file is.
   * @param as the user here that the only one of the file is
   * @throws SciaticaError `invalid`, `conflict` when it cannot be that one
   */
  matchUsers(as: number | undefined): void {
    compareKnown(this.#merge, stagedUsers, this.origin.complete);
    this.#as = as === undefined ? undefined : linkUser(this.#merge, as);
    linkEqual(this.#merge, stagedUsers);
    giveIds(this.#merge, stagedUsers);
    translateUsers(this.#merge);
  }

  /** Finds out what becomes of each record. */
  settle({ onConflict, mirror }: MergeOptions): void {
    const { db } = this;
    const merge = this.#merge;
    this.isOlder =
      db.value(
        `SELECT 1 FROM ${stagedUsers.staged} AS i JOIN main.counterparts AS c ON c.theirId = i.id
         WHERE ${ofOrigin('user')} AND c.position > ?`,
        merge.origin,
        this.origin.seq,
      ) === 1;
    for (const kind of ownedStaged) {
      compareKnown(
        merge,
        kind,
        this.origin.complete,
        onConflict === 'renumber' && !kind.hasKey && !this.isOlder,
      );
      linkEqual(merge, kind);
      if (kind.hasKey) linkByKey(merge, kind);
    }
    holdErasedThere(db, merge.origin, onConflict);
    // What came after an older file was written is not in it either.
    if (this.origin.complete && (mirror || !this.isOlder)) findGone(merge);
    if (this.isOlder) doubtAll(merge);
    findOrphans(merge);
    if (mirror) keepUsersWithRecords(merge);
    else db.run("UPDATE temp.import_gone SET _outcome = 'missing'");
    settleConflicts(merge, onConflict);
    for (const kind of ownedStaged) giveIds(merge, kind);
    if (mirror) decideGone(merge, onConflict === 'overwrite');
    for (const kind of stagedKinds.filter(({ hasKey }) => hasKey)) findSameKeys(merge, kind, onConflict);
  }

  /** Writes what was found out, inside a change. */
  write(): void {
    this.#merge.origin = this.counterparts.origin(this.origin.id);
    for (const kind of stagedKinds) writeMerged(this.#merge, kind);
    deleteGone(this.#merge);
    noteAgreed(this.#merge, this.origin.seq);
    if (this.#as) noteUser(this.#merge, this.#as);
    forgetErasure(this.db, this.#merge.origin);
  }

  /** Whether anything would be written but what both sides agree on. */
  get changesRecords(): boolean {
    const written = "_outcome IS NULL OR _outcome IN ('renumbered', 'returned', 'updated', 'overwritten')";
    return stagedKinds.some(
      ({ staged }) => this.db.value(`SELECT 1 FROM ${staged} WHERE ${written} LIMIT 1`) === 1,
    );
  }

  /** How many records of a kind were deleted there and are here still, or were deleted here too. */
  goneCounts(name: KindName): { missing: number; deleted: number } {
    const count = (outcome: string) =>
      this.db.value<number>(
        'SELECT count(*) FROM temp.import_gone WHERE record = ? AND _outcome = ?',
        name,
        outcome,
      ) ?? 0;
    return { missing: count('missing'), deleted: count('deleted') };
  }

  /** The first `limit` records that were deleted there and are here still, or that are to be deleted here too. */
  gone(limit: number): GoneRecord[] {
    return this.db.all<GoneRecord>(
      `SELECT record, ourId AS id FROM temp.import_gone WHERE _outcome IN ('missing', 'deleted')
       ORDER BY record <> 'user', record, ourId LIMIT ?`,
      limit,
    );
  }
}
