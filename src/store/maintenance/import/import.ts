import { type Issue, SciaticaError } from '../../../domain/errors.ts';
import { byKind, type KindName, keyFault, nounOf } from '../../../domain/kinds.ts';
import type { FileOrigin } from '../../../domain/origin.ts';
import type { OwnershipFault, Said } from '../../../domain/ownership.ts';
import { type Seal, sealIn } from '../../reconcile/file.ts';
import { type Dispute, idsOf, type Received, type RecordKey } from '../../reconcile/received.ts';
import { Replication } from '../../reconcile/replication.ts';
import { type RunChange, rehearse } from '../../records/changes.ts';
import { Settings } from '../../records/settings.ts';
import type { Database } from '../../sqlite/database.ts';
import { useTemporaryFolder } from '../../sqlite/temporary.ts';
import { Remotes } from '../../sync/remotes.ts';
import {
  absentUsers,
  alreadyUnder,
  changedUsers,
  gainers,
  holdErased,
  type Moved,
  movedRecords,
  movedSince,
  type Named,
  type Owner,
  ownershipFault,
  putUnder,
  type Recipient,
  recipients,
  replacedUsers,
} from './owners.ts';
import {
  alike,
  type Counts,
  counts,
  followUsers,
  keyedStaged,
  MAX_FAULTS,
  markSecond,
  markTaken,
  matchEqual,
  noteUser,
  type OnConflict,
  ownedStaged,
  placesOf,
  prepareStaging,
  type StagedKind,
  settle,
  settleSameKeys,
  stage,
  stagedKindOf,
  stagedKinds,
  stagedUsers,
  write,
} from './staging.ts';
import { requireNotMoved, StagedStates } from './states.ts';

/** What a place in a file is called: `line 3`. */
export type PlaceName = (at: number, kind?: KindName) => string;

export interface ImportResult {
  counts: Readonly<Record<KindName, Counts>>;
  /** How many new records of a kind equal one that was here before; only kinds that have any. */
  alike: readonly { record: KindName; count: number }[];
  /** With `as`: other users under whom most of the records stand already. */
  alreadyUnder: readonly Named[];
  /** Users who get records: those who come with the file or, if none does, users here. The first 20. */
  recipients: readonly Recipient[];
  /** Users here whose records the file replaces, or would replace. The first 20. */
  replaced: readonly Named[];
  /** Records that go from one user to another. The first 20. */
  moved: readonly Moved[];
  /** Why records were refused that are of no known origin and would come to other users than theirs. */
  ownership?: OwnershipFault;
  /**
   * Profiles and one-per-user records of merged users that differ in the file and stay as they are, with the id of the target.
   */
  staying: readonly RecordKey[];
  /** How many users in the file were erased here: they are left out, or refused. */
  erased: number;
  /** Statements that both sides changed concurrently: the later one wins. */
  disputes: readonly Dispute[];
  /** Records whose deletion is held back until somebody consents. */
  held: readonly RecordKey[];
  /** Users and records here that were erased over there, as far as this file is the first to say so. */
  erasedThere: readonly RecordKey[];
}

/** What is at a place in a file: a record of a kind, a line of states as JSON, or a fault. */
interface Item {
  at: number;
  kind?: KindName;
  value?: unknown;
  line?: string;
  fault?: Omit<Issue, 'at'>;
}

/** How a file is imported. */
export interface ImportOptions extends Said {
  onConflict: OnConflict;
  /** Finds all faults and conflicts, and writes nothing. */
  dryRun: boolean;
  /** The database that the records are from; without it their ids are taken for those of this database. */
  origin?: FileOrigin | undefined;
  /** The metadata of the states (`Seal`), if the file has states and its checksum shows that nobody has edited it. */
  seal?: unknown;
}

const NOT_THEIRS = 'Records would come to other people than they are of.';

/**
 * Imports the records of a file, all or nothing. `add` checks them and stages them in temporary tables of the connection, so that
 * memory stays bounded and no lock is held while the file is read; `apply` then looks for conflicts and writes, in one
 * transaction.
 */
export class Import {
  readonly #issues: Issue[] = [];
  #faultCount = 0;
  #result: ImportResult | undefined;

  /** @param target runs the import as one change */
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

  /** The result of `apply`, even if it threw because of conflicts. */
  get result(): ImportResult | undefined {
    return this.#result;
  }

  /**
   * Checks records and stages them, and lines of states; notes faults.
   * @param items each with its place in the file, in rising order for a kind
   */
  add(items: readonly Item[]): void {
    // One transaction for all: it writes temporary tables only, so it locks nobody out.
    this.db.read(() => {
      for (const { at, kind, value, line, fault } of items)
        if (fault) this.#fault({ ...fault, at: this.place(at, kind) });
        else if (kind) this.#add(at, stagedKindOf(kind), value);
        else if (line) this.db.run('INSERT INTO temp.import_states VALUES (?, ?)', at, line);
    });
  }

  /** Whether a file is merged by names, as by a sync: it has states, or is of another database. All others go by ids. */
  isByName<T extends Pick<ImportOptions, 'origin' | 'seal'>>(file: T): file is T & { origin: FileOrigin } {
    const { origin, seal } = file;
    return origin !== undefined && (seal !== undefined || origin.id !== new Settings(this.db).get('id'));
  }

  /**
   * Looks for conflicts and writes what was added, all or nothing. In a file that is merged by names, the later statement wins.
   * @throws SciaticaError `invalid` if there are faults, `conflict` if ids are taken by different records and `onConflict` does
   *   not settle it; `faults` or the result names each
   */
  apply(options: ImportOptions): ImportResult {
    const { dryRun } = options;
    if (this.isByName(options)) {
      const seal = options.seal === undefined ? undefined : sealIn(options.seal);
      const receive = () => this.#importByName(options, seal);
      if (!dryRun) return this.target.change(receive);
      // A dry run works on a file that may not be written, too.
      return rehearse((work) => (this.db.obstacle ? this.db.read(work) : this.db.write(work)), receive);
    }
    const work = () => this.#importById(options);
    return dryRun ? this.db.read(work) : this.target.change(work);
  }

  /** Imports by ids: those of this database, or of an unknown one. */
  #importById(options: ImportOptions): ImportResult {
    const { as, dryRun } = options;
    if (as !== undefined) putUnder(this.db, as);
    this.#refuseContradictions(false);
    const result = this.#resolve(options);
    if (!dryRun) for (const kind of stagedKinds) write(this.db, kind);
    return result;
  }

  /** Imports by names. */
  #importByName(
    { as, origin }: ImportOptions & { origin: FileOrigin },
    seal: Seal | undefined,
  ): ImportResult {
    const { db } = this;
    this.#refuseContradictions(true);
    const staged = new StagedStates(db, { origin, seal, as });
    if (!seal) this.#faultStrangers(staged.strangers());
    this.#refuseFaults();
    const before = db.lastId('history');
    const remotes = new Remotes(db);
    const known = remotes.erasedElsewhere();
    const received = new Replication(db, (work) => work()).receive(staged, {
      setsApart: false,
      again: (state, here) => staged.again(state, here),
    });
    const moved = movedSince(db, before);
    requireNotMoved(as, moved);
    // Without states the file has no times: its disputes are only counted.
    const [disputes, unsaid] = seal ? [received.disputes, []] : [[], received.disputes];
    const staying = staged.staying();
    const skipped = byKind((kind) => (staged.leftOut.get(kind) ?? 0) + idsOf(staying, kind).length);
    this.#result = {
      counts: countsOf(
        counts(db),
        { counts: received.counts, disputes: unsaid },
        skipped,
        staged.shownBefore,
      ),
      alike: [],
      alreadyUnder: [],
      recipients: gainers(db, before),
      replaced: changedUsers(db, before),
      moved,
      staying,
      erased: staged.leftOut.get('user') ?? 0,
      disputes,
      held: received.held,
      erasedThere: remotes
        .erasedElsewhere()
        .filter((one) => !known.some(({ record, id }) => record === one.record && id === one.id)),
    };
    return this.#result;
  }

  #fault(issue: Issue): void {
    this.#faultCount += 1;
    if (this.#issues.length < MAX_FAULTS) this.#issues.push(issue);
  }

  #add(at: number, kind: StagedKind, value: unknown): void {
    if (kind === stagedUsers) noteUser(this.db, value);
    try {
      stage(this.db, kind, at, value);
    } catch (error) {
      if (!(error instanceof SciaticaError) || error.code !== 'invalid') throw error;
      for (const issue of error.issues) this.#fault({ ...issue, at: this.place(at, kind.name) });
    }
  }

  /** Refuses a file with two different records of one id or key or, if it is imported by ids, with records of unknown users. */
  #refuseContradictions(isForeign: boolean): void {
    for (const kind of stagedKinds) markSecond(this.db, kind, 'contradictory');
    const message = 'stands twice in the file, with different records';
    this.#faultAll("_outcome = 'contradictory'", () => ({ field: 'id', message }));
    if (!isForeign) {
      const unknown = '_outcome IS NULL AND userId NOT IN (SELECT id FROM main.users)';
      const { users, count } = absentUsers(this.db, unknown, MAX_FAULTS);
      this.#faultStrangers(users);
      this.#faultCount += count - users.length;
    }
    for (const kind of keyedStaged) markSecond(this.db, kind, 'doubled');
    this.#faultAll("_outcome = 'doubled'", keyFault);
    this.#refuseFaults();
  }

  /** Notes a fault for each of these users, who are neither in the file nor in the database. */
  #faultStrangers(users: readonly Owner[]): void {
    for (const { record, userId, count, at } of users) {
      const more = count > 1 ? `; so in ${count - 1} more` : '';
      const message = `must be the id of a user in the file or the database, and is ${userId}${more}`;
      this.#fault({ field: 'userId', message, at: this.place(at, record) });
    }
  }

  #refuseFaults(): void {
    if (this.#faultCount > 0) throw new SciaticaError('invalid', 'The file has faults.', this.#issues);
  }

  #resolve({ onConflict, origin, ...said }: ImportOptions): ImportResult {
    for (const kind of stagedKinds) {
      markTaken(this.db, kind);
      if (kind === stagedUsers) holdErased(this.db, onConflict);
      if (onConflict !== 'refuse') matchEqual(this.db, kind, onConflict);
      settle(this.db, kind, onConflict);
      if (kind === stagedUsers) followUsers(this.db);
      if (keyedStaged.includes(kind)) settleSameKeys(this.db, kind, onConflict);
    }
    const result = {
      counts: counts(this.db),
      // Not of users, whose e-mail addresses show it.
      alike: ownedStaged
        .map((kind) => ({ record: kind.name, count: onConflict === 'refuse' ? alike(this.db, kind) : 0 }))
        .filter(({ count }) => count > 0),
      alreadyUnder: said.as === undefined ? [] : alreadyUnder(this.db),
      recipients: recipients(this.db),
      replaced: replacedUsers(this.db),
      moved: movedRecords(this.db),
      staying: [],
      disputes: [],
      held: [],
      erasedThere: [],
    };
    // A file that says it is from this database has the right users.
    const wrong = origin ? undefined : ownershipFault(this.db, said);
    if (wrong) {
      this.#result = { ...result, erased: 0, ownership: wrong.fault };
      for (const { at, kind, issue } of wrong.places) this.#fault({ ...issue, at: this.place(at, kind) });
      throw new SciaticaError('conflict', NOT_THEIRS, this.#issues);
    }
    const isErased = "_outcome = 'erased' AND record = 'user'";
    const erased = this.#faultAll(isErased, () => ({ field: '', message: 'was erased here' }));
    this.#result = { ...result, erased };
    this.#faultAll("_outcome = 'sameKey'", keyFault);
    this.#faultAll("_outcome = 'conflicting'", (kind) => ({
      field: 'id',
      message: `is taken by a different ${nounOf(kind)}`,
    }));
    if (this.#faultCount > 0)
      throw new SciaticaError('conflict', 'Ids are taken by different records.', this.#issues);
    return this.#result;
  }

  /** Notes a fault for each staged record that meets a condition on `STAGED`. @returns how many do */
  #faultAll(condition: string, issueOf: (kind: KindName) => Issue): number {
    const { count, places } = placesOf(this.db, condition);
    for (const { record, at } of places) this.#fault({ ...issueOf(record), at: this.place(at, record) });
    this.#faultCount += count - places.length;
    return count;
  }
}

/** How many records of each kind had each outcome, after a merge by names. @param staged the counts of the staged records */
const countsOf = (
  staged: Record<KindName, Counts>,
  { counts: all, disputes }: Pick<Received, 'counts' | 'disputes'>,
  skipped: Readonly<Record<KindName, number>>,
  shownBefore: ReadonlyMap<KindName, number>,
): Record<KindName, Counts> =>
  byKind((kind) => {
    const { created, changed, deleted } = all[kind];
    const kept = new Set(
      disputes.flatMap((one) => (one.record === kind && one.counts === 'here' ? one.id : [])),
    ).size;
    const others = staged[kind].new - created - skipped[kind];
    const absent = Math.max(0, others - (shownBefore.get(kind) ?? 0));
    const equal = Math.max(0, others - absent - changed - kept);
    const known = { updated: changed, kept, absent, skipped: skipped[kind], deleted, equal };
    return { ...staged[kind], new: created, ...known };
  });
