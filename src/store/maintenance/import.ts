import { type Issue, SciaticaError } from '../../domain/errors.ts';
import { keyFault, type Noun } from '../../domain/records.ts';
import type { RunChange } from '../history/changes.ts';
import type { Database } from '../sqlite/database.ts';
import { useTemporaryFolder } from '../sqlite/temporary.ts';
import { isUnique, markDoubled, settleRivals } from './rivals.ts';
import {
  type Counts,
  counts,
  type Fate,
  followUsers,
  goalKind,
  type Kind,
  kinds,
  logKind,
  markOrphaned,
  markRepeated,
  markTaken,
  matchEqual,
  noteUser,
  type OnConflict,
  ownedKinds,
  prepareStaging,
  routineKind,
  settle,
  stage,
  userKind,
  withFate,
  write,
} from './staging.ts';

const kindsByNoun = { user: userKind, log: logKind, routine: routineKind, goal: goalKind } as const;

/** What a place in a file is called: `line 3`. */
export type PlaceName = (at: number, noun: Noun) => string;

export interface ImportResult {
  users: Counts;
  logs: Counts;
  routines: Counts;
  goals: Counts;
}

/** Faults are counted without end; so many are kept to be shown. */
const MAX_FAULTS = 10_000;

/**
 * Brings the records of a file into the database, all or nothing. `add` checks them and lays them aside, in
 * temporary tables of the connection, so that memory stays bounded and no lock is held while the file is read;
 * `apply` then looks for conflicts and writes, in one transaction.
 */
export class Import {
  readonly #issues: Issue[] = [];
  #faultCount = 0;
  #result: ImportResult | undefined;

  /**
   * @param target what the records come into
   */
  constructor(
    private readonly db: Database,
    private readonly target: { change: RunChange },
    private readonly place: PlaceName,
  ) {
    useTemporaryFolder(db);
    prepareStaging(db);
  }

  /** The faults and conflicts found so far: how many, and the first 10,000 of them. */
  get faults(): { count: number; issues: readonly Issue[] } {
    return { count: this.#faultCount, issues: this.#issues };
  }

  /** What `apply` has found, even if it threw because of conflicts. */
  get result(): ImportResult | undefined {
    return this.#result;
  }

  /** Notes what keeps a place in the file from being a record. */
  fault(issue: Issue): void {
    this.#faultCount += 1;
    if (this.#issues.length < MAX_FAULTS) this.#issues.push(issue);
  }

  /**
   * Checks records and lays them aside.
   * @param items each with its place in the file, in rising order for a noun
   */
  add(items: readonly { at: number; noun: Noun; value: unknown }[]): void {
    // One transaction for all: it writes temporary tables only, so it locks nobody out.
    this.db.read(() => {
      for (const { at, noun, value } of items) this.#add(at, kindsByNoun[noun], value);
    });
  }

  /**
   * Looks for conflicts and writes what has been added, all of it or nothing.
   * @param options.dryRun find out everything, write nothing
   * @throws SciaticaError `invalid` if there are faults, `conflict` if ids are taken by different records and
   *   `onConflict` is `refuse`; `faults` names each
   */
  apply(options: { onConflict: OnConflict; dryRun: boolean }): ImportResult {
    const work = () => {
      this.#refuseContradictions();
      const result = this.#resolve(options.onConflict);
      if (!options.dryRun) for (const kind of kinds) write(this.db, kind);
      return result;
    };
    return options.dryRun ? this.db.read(work) : this.target.change(work);
  }

  #add(at: number, kind: Kind, value: unknown): void {
    if (kind === userKind) noteUser(this.db, value);
    try {
      stage(this.db, kind, at, kind.check(value));
    } catch (error) {
      if (!(error instanceof SciaticaError) || error.code !== 'invalid') throw error;
      for (const issue of error.issues) this.fault({ ...issue, at: this.place(at, kind.noun) });
    }
  }

  /** What is wrong with the file as a whole, beside the faults of single records. */
  #refuseContradictions(): void {
    for (const kind of kinds) {
      markRepeated(this.db, kind);
      this.#faultAll(kind, 'contradictory', {
        field: 'id',
        message: 'stands twice in the file, with different records',
      });
    }
    for (const kind of ownedKinds) {
      markOrphaned(this.db, kind);
      this.#faultAll(kind, 'orphaned', {
        field: 'userId',
        message: 'must be the id of a user in the file or the database',
      });
    }
    for (const kind of kinds.filter(isUnique)) {
      markDoubled(this.db, kind);
      this.#faultAll(kind, 'doubled', keyFault(kind.unique));
    }
    if (this.#faultCount > 0) throw new SciaticaError('invalid', 'The file has faults.', this.#issues);
  }

  #resolve(onConflict: OnConflict): ImportResult {
    for (const kind of kinds) {
      markTaken(this.db, kind);
      if (onConflict === 'renumber') matchEqual(this.db, kind);
      settle(this.db, kind, onConflict);
      if (isUnique(kind)) settleRivals(this.db, kind, onConflict);
      if (onConflict === 'renumber' && kind === userKind)
        for (const owned of ownedKinds) followUsers(this.db, owned);
    }
    this.#result = {
      users: counts(this.db, userKind),
      logs: counts(this.db, logKind),
      routines: counts(this.db, routineKind),
      goals: counts(this.db, goalKind),
    };
    for (const kind of kinds.filter(isUnique)) this.#faultAll(kind, 'rivalling', keyFault(kind.unique));
    for (const kind of kinds)
      this.#faultAll(kind, 'conflicting', { field: 'id', message: `is taken by a different ${kind.noun}` });
    if (this.#faultCount > 0)
      throw new SciaticaError('conflict', 'Ids are taken by different records.', this.#issues);
    return this.#result;
  }

  #faultAll(kind: Kind, fate: Fate, issue: Issue): void {
    const { count, places } = withFate(this.db, kind, fate, MAX_FAULTS);
    for (const at of places) this.fault({ ...issue, at: this.place(at, kind.noun) });
    this.#faultCount += count - places.length;
  }
}
