import { type Issue, SciaticaError } from '../../../domain/errors.ts';
import { type KindName, keyFault } from '../../../domain/kinds.ts';
import type { FileOrigin, LastChange } from '../../../domain/origin.ts';
import type { OwnershipFault, Said } from '../../../domain/ownership.ts';
import type { RunChange } from '../../records/changes.ts';
import { Settings } from '../../records/settings.ts';
import type { Database } from '../../sqlite/database.ts';
import { useTemporaryFolder } from '../../sqlite/temporary.ts';
import { Counterparts } from '../../sync/counterparts.ts';
import { putUnder } from './as-user.ts';
import type { Conflict } from './conflicts.ts';
import { holdErasedHere } from './erased.ts';
import { type GoneRecord, OriginMerge } from './merge.ts';
import {
  type Moved,
  movedRecords,
  type Named,
  ownershipFault,
  type Recipient,
  recipients,
  replacedUsers,
} from './owners.ts';
import {
  type Counts,
  counts,
  followUsers,
  markOrphaned,
  markRepeated,
  markTaken,
  matchEqual,
  noteUser,
  type OnConflict,
  type Outcome,
  ownedStaged,
  prepareStaging,
  type StagedKind,
  settle,
  stage,
  stagedKindOf,
  stagedKinds,
  stagedUsers,
  withOutcome,
} from './staging.ts';
import { markDoubled, settleSameKeys } from './unique-keys.ts';
import { write } from './write.ts';

/** What a place in a file is called: `line 3`. */
export type PlaceName = (at: number, kind: KindName) => string;

export interface ImportResult {
  counts: Readonly<Record<KindName, Counts>>;
  /** Records that were changed here and there: the first 10,000 of them. */
  conflicts: readonly Conflict[];
  /** Records that were deleted there: the first 10,000 of them. */
  gone: readonly GoneRecord[];
  /** Users to whom records come whom the file does not name so: the first 20 of them. */
  recipients: readonly Recipient[];
  /** Users here whose records the file replaces, or would replace: the first 20 of them. */
  replaced: readonly Named[];
  /** Records that go from one user to another: the first 20 of them. */
  moved: readonly Moved[];
  /** Why records without an origin may not come to whom they would. */
  ownership?: OwnershipFault;
  /** How many users of the file were erased here, and would come back. */
  erased: number;
  /** Whether the file is older than one from there that was imported before. */
  isOlder: boolean;
}

/** How records are brought in. */
export interface ImportOptions extends Said {
  onConflict: OnConflict;
  /** Find out everything, write nothing. */
  dryRun: boolean;
  /** The database that the records are from; without one, they are those with the same ids here. */
  origin?: FileOrigin | undefined;
  /** Delete here what was deleted there: from a file that has all records of its database. */
  mirror?: boolean;
  /** The records to be deleted that were agreed to; all without it. */
  agreedTo?: readonly GoneRecord[];
}

const NO_USER = { field: 'userId', message: 'must be the id of a user in the file or the database' };

const ERASED = 'Users of the file were erased here.';

const OLDER =
  'It is older than a file from there that was imported before, and differs from it: it may hold what was changed or deleted since.';

/** Faults are counted without end; so many are kept to be shown. */
const MAX_FAULTS = 10_000;

const MAX_NAMED = 20;

const NOT_THEIRS = 'Records would come to other people than they are of.';

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
   * @param items each with its place in the file, in rising order for a kind
   */
  add(items: readonly { at: number; kind: KindName; value: unknown }[]): void {
    // One transaction for all: it writes temporary tables only, so it locks nobody out.
    this.db.read(() => {
      for (const { at, kind, value } of items) this.#add(at, stagedKindOf(kind), value);
    });
  }

  /** Notes when records were last changed over there. */
  addLastChanges(changes: readonly LastChange[]): void {
    if (changes.length === 0) return;
    const sql = 'INSERT OR REPLACE INTO temp.import_last_changes VALUES (?, ?, ?)';
    this.db.read(() => {
      for (const { record, id, at } of changes) this.db.run(sql, record, id, at);
    });
  }

  /**
   * Looks for conflicts and writes what has been added, all of it or nothing. May be called again after a dry run.
   * @throws SciaticaError `invalid` if there are faults, `conflict` if ids are taken by different records, or records
   *   were changed on both sides, and `onConflict` does not settle it; `faults` or the result names each
   */
  apply(options: ImportOptions): ImportResult {
    const { origin } = options;
    const isForeign = origin !== undefined && origin.id !== new Settings(this.db).get('id');
    const work = () => (isForeign ? this.#merge(options, origin) : this.#bring(options));
    return options.dryRun ? this.db.read(work) : this.target.change(work);
  }

  /** Records with the ids of this database, or of none that is known. */
  #bring(options: ImportOptions): ImportResult {
    const { as, dryRun } = options;
    if (as !== undefined) putUnder(this.db, as);
    this.#refuseContradictions(false);
    const result = this.#resolve(options);
    if (!dryRun) for (const kind of stagedKinds) write(this.db, kind);
    return result;
  }

  /** Records with the ids of another database. */
  #merge(
    { as, onConflict, mirror = false, agreedTo, dryRun }: ImportOptions,
    origin: FileOrigin,
  ): ImportResult {
    const merge = new OriginMerge(this.db, new Counterparts(this.db), origin);
    merge.prepare();
    this.#refuseContradictions(true);
    merge.matchUsers(as);
    for (const kind of ownedStaged) this.#faultAll(kind, 'orphaned', NO_USER);
    this.#refuseFaults();
    merge.settle({ onConflict, mirror });
    const { count, conflicts } = merge.conflicts(MAX_FAULTS);
    const counted = (kind: StagedKind) => ({ ...counts(this.db, kind), ...merge.goneCounts(kind.name) });
    this.#result = {
      counts: this.#countAll(counted),
      conflicts,
      gone: merge.gone(MAX_FAULTS),
      ...this.#people(),
      erased: this.#faultErased(),
      isOlder: merge.isOlder,
    };
    const { erased } = this.#result;
    if (count > 0) {
      this.#faultCount += count;
      throw new SciaticaError('conflict', 'Records were changed on both sides.', this.#issues);
    }
    if (erased > 0) throw new SciaticaError('conflict', ERASED, this.#issues);
    if (merge.isOlder && (onConflict === 'refuse' || onConflict === 'renumber') && merge.changesRecords)
      throw new SciaticaError('conflict', OLDER);
    if (agreedTo && JSON.stringify(agreedTo) !== JSON.stringify(this.#result.gone))
      throw new SciaticaError('conflict', 'Something was changed in the meantime: run it again.');
    if (!dryRun) merge.write();
    return this.#result;
  }

  #add(at: number, kind: StagedKind, value: unknown): void {
    if (kind === stagedUsers) noteUser(this.db, value);
    try {
      stage(this.db, kind, at, value);
    } catch (error) {
      if (!(error instanceof SciaticaError) || error.code !== 'invalid') throw error;
      for (const issue of error.issues) this.fault({ ...issue, at: this.place(at, kind.name) });
    }
  }

  /** What is wrong with the file as a whole, beside the faults of single records. */
  #refuseContradictions(isForeign: boolean): void {
    for (const kind of stagedKinds) {
      markRepeated(this.db, kind);
      this.#faultAll(kind, 'contradictory', {
        field: 'id',
        message: 'stands twice in the file, with different records',
      });
    }
    for (const kind of isForeign ? [] : ownedStaged) {
      markOrphaned(this.db, kind);
      this.#faultAll(kind, 'orphaned', NO_USER);
    }
    for (const kind of stagedKinds.filter(({ hasKey }) => hasKey)) {
      markDoubled(this.db, kind);
      this.#faultAll(kind, 'doubled', keyFault(kind.name));
    }
    this.#refuseFaults();
  }

  #refuseFaults(): void {
    if (this.#faultCount > 0) throw new SciaticaError('invalid', 'The file has faults.', this.#issues);
  }

  /** Who is named, whatever comes of it. */
  #people(): Pick<ImportResult, 'recipients' | 'replaced' | 'moved'> {
    return {
      recipients: recipients(this.db, MAX_NAMED),
      replaced: replacedUsers(this.db, MAX_NAMED),
      moved: movedRecords(this.db, MAX_NAMED),
    };
  }

  #countAll(counted: (kind: StagedKind) => Counts): ImportResult['counts'] {
    return Object.fromEntries(
      stagedKinds.map((kind) => [kind.name, counted(kind)]),
    ) as ImportResult['counts'];
  }

  #resolve({ onConflict, origin, ...said }: ImportOptions): ImportResult {
    for (const kind of stagedKinds) {
      markTaken(this.db, kind);
      if (kind === stagedUsers) holdErasedHere(this.db, onConflict);
      if (onConflict === 'renumber') matchEqual(this.db, kind);
      settle(this.db, kind, onConflict);
      if (kind.hasKey) settleSameKeys(this.db, kind, onConflict);
      if (kind === stagedUsers) for (const owned of ownedStaged) followUsers(this.db, owned);
    }
    const result = {
      counts: this.#countAll((kind) => counts(this.db, kind)),
      conflicts: [],
      gone: [],
      ...this.#people(),
      isOlder: false,
    };
    // What is from this database, and says so, knows whose its records are.
    const wrong = origin ? undefined : ownershipFault(this.db, said, MAX_FAULTS);
    if (wrong) {
      this.#result = { ...result, erased: 0, ownership: wrong.fault };
      for (const { at, kind, issue } of wrong.places) this.fault({ ...issue, at: this.place(at, kind) });
      throw new SciaticaError('conflict', NOT_THEIRS, this.#issues);
    }
    this.#result = { ...result, erased: this.#faultErased() };
    for (const kind of stagedKinds.filter(({ hasKey }) => hasKey))
      this.#faultAll(kind, 'sameKey', keyFault(kind.name));
    for (const kind of stagedKinds)
      this.#faultAll(kind, 'conflicting', { field: 'id', message: `is taken by a different ${kind.name}` });
    if (this.#faultCount > 0)
      throw new SciaticaError('conflict', 'Ids are taken by different records.', this.#issues);
    return this.#result;
  }

  /** @returns how many users were erased here */
  #faultErased(): number {
    return this.#faultAll(stagedUsers, 'erased', { field: '', message: 'was erased here' });
  }

  #faultAll(kind: StagedKind, outcome: Outcome, issue: Issue): number {
    const { count, places } = withOutcome(this.db, kind, outcome, MAX_FAULTS);
    for (const at of places) this.fault({ ...issue, at: this.place(at, kind.name) });
    this.#faultCount += count - places.length;
    return count;
  }
}
