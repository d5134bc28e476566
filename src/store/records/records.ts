import { type Issue, invalid, issue } from '../../domain/errors.ts';
import {
  type FilterOf,
  type InputOf,
  isOwned,
  type KindName,
  keyFault,
  keyOf,
  kindOf,
  type PatchOfKind,
  type RecordOfKind,
} from '../../domain/kinds.ts';
import { type TrialDay, trialOn } from '../../domain/trial.ts';
import type { Database } from '../sqlite/database.ts';
import type { RunChange } from './changes.ts';
import { recordedAt } from './recorded.ts';
import { Table } from './table.ts';

/** The dependencies of `Records`. */
export interface Surroundings {
  db: Database;
  change: RunChange;
  /** Ids of the users whose records are visible; undefined for all users. */
  visible: readonly number[] | undefined;
  /** Id of the owner of what is recorded for a user: the target after a merge (`user merge`). Undefined if neither exists. */
  shownAs(userId: number): number | undefined;
}

/** Checks a record, as JSON, before it is changed or deleted; throws to refuse, such as after a failed If-Match. */
export type Guard = (json: string) => void;

/** The fault of a record whose user does not exist. */
export const NO_SUCH_USER = issue('userId', 'must be the id of an existing user', 'no-such-user');

/** The operations on a kind of record. Each write is a change of its own, unless it is called inside a change. */
export class Records<K extends KindName> extends Table<K> {
  readonly #db: Database;
  readonly #change: RunChange;
  readonly #shownAs: Surroundings['shownAs'];
  readonly #hasKey: boolean;

  constructor(kind: K, { db, change, visible, shownAs }: Surroundings) {
    super(kind, db, visible);
    this.#db = db;
    this.#change = change;
    this.#shownAs = shownAs;
    this.#hasKey = kindOf(kind).key !== undefined;
  }

  /** As `list`, in the order in which the records were recorded. */
  recorded(filter: FilterOf<K> = {} as FilterOf<K>): RecordOfKind<K>[] {
    const records = this.list(filter);
    // Not by kind: that could scan all replicas.
    if (records.length < 2 || this.#db.value('SELECT 1 FROM replicas LIMIT 1') === undefined) return records;
    const idOf = (record: RecordOfKind<K>) => (record as { id: number }).id;
    const clocks = this.#db.all<{ id: number; at: number }>(
      `SELECT value AS id, ${recordedAt(this.kind, 'value')} AS at FROM json_each(?)`,
      JSON.stringify(records.map(idOf)),
    );
    const at = new Map(clocks.map(({ id, at }) => [id, at]));
    return records.sort((a, b) => (at.get(idOf(a)) ?? 0) - (at.get(idOf(b)) ?? 0));
  }

  /** @throws SciaticaError `invalid` if the user does not exist, fields contradict each other, or the key is taken */
  create(input: InputOf<K>): RecordOfKind<K> {
    return this.#change(() => this.insert(this.#required(input)));
  }

  /** @throws SciaticaError `invalid` with every faulty record, as `[2].userId`; of taken keys it names the first */
  createAll(inputs: readonly InputOf<K>[]): RecordOfKind<K>[] {
    const at = (i: number, issues: readonly Issue[]) =>
      issues.map((issue) => ({ ...issue, field: `[${i}].${issue.field}` }));
    return this.#change(() => {
      const checked = inputs.map((input) => this.#checked(input));
      requireNone(checked.flatMap(({ faults }, i) => at(i, faults)));
      return checked.map(({ record }, i) => {
        requireNone(at(i, this.#keyFaults(record)));
        return this.insert(record);
      });
    });
  }

  /** Inserts a record under a given id, such as one that was deleted before. @throws SciaticaError as `create` */
  restore(record: RecordOfKind<K>): void {
    this.#change(() => {
      const { record: owned, faults } = this.#owned(record);
      requireNone(faults);
      requireNone(this.#keyFaults(owned));
      this.insert(owned);
    });
  }

  /**
   * Changes the fields that are given.
   * @throws SciaticaError `not-found`, as `create`, and what the guard throws
   */
  update(id: number, patch: PatchOfKind<K>, guard?: Guard): RecordOfKind<K> {
    return this.#change(() => {
      guard?.(this.json(id));
      const before = this.get(id);
      return this.set(id, this.#required({ ...before, ...patch }, before));
    });
  }

  /**
   * Deletes a record, of a user also all records that belong to the user. Returns the deleted record.
   * @throws SciaticaError `not-found`, and what the guard throws
   */
  delete(id: number, guard?: Guard): RecordOfKind<K> {
    return this.#change(() => {
      guard?.(this.json(id));
      const record = this.get(id);
      this.remove(id);
      return record;
    });
  }

  /** The record of the same user with the same key, other than the one with `id`; undefined for a kind without keys. */
  withSameKey(record: object, id?: number): RecordOfKind<K> | undefined {
    if (!this.#hasKey) return undefined;
    const key = keyOf(this.kind, record);
    const { userId } = record as { userId: number };
    return this.list({ userId } as FilterOf<K>).find(
      (other) => (other as { id: number }).id !== id && keyOf(this.kind, other) === key,
    );
  }

  /** Checks a record and returns it as it is to be stored. @throws SciaticaError `invalid` with its faults */
  #required<R extends object>(input: R, before?: RecordOfKind<K>): R {
    const { record, faults } = this.#checked(input, before);
    requireNone(faults);
    requireNone(this.#keyFaults(record, before));
    return record;
  }

  #checked<R extends object>(input: R, before?: object): { record: R; faults: Issue[] } {
    const { record, faults } = this.#owned(input);
    return { record, faults: [...faults, ...(kindOf(this.kind).faults?.(record, before) ?? [])] };
  }

  /** Assigns a record to the user into whom its own user was merged, if any. */
  #owned<R extends object>(record: R): { record: R; faults: Issue[] } {
    if (!isOwned(this.kind)) return { record, faults: [] };
    const { userId } = record as { userId: number };
    const shown = this.#shownAs(userId);
    if (shown === undefined) return { record, faults: [NO_SUCH_USER] };
    return { record: shown === userId ? record : { ...record, userId: shown }, faults: [] };
  }

  #keyFaults(record: object, before?: { id: number }): Issue[] {
    return this.withSameKey(record, before?.id) ? [keyFault(this.kind)] : [];
  }
}

/** The operations on trial days. A new day stores the seed of its trial: another machine may add a trial for the same dates. */
export class TrialDays extends Records<'trialDay'> {
  readonly #trials: Records<'trial'>;

  constructor(surroundings: Surroundings) {
    super('trialDay', surroundings);
    this.#trials = new Records('trial', surroundings);
  }

  override create(day: InputOf<'trialDay'>): TrialDay {
    return super.create(this.#named(day));
  }

  override createAll(days: readonly InputOf<'trialDay'>[]): TrialDay[] {
    return super.createAll(days.map((day) => this.#named(day)));
  }

  #named(day: InputOf<'trialDay'>): InputOf<'trialDay'> {
    const { trialSeed: _, ...others } = day;
    const trials = this.#trials.list({ userId: day.userId });
    // A seed of no trial, such as one copied from an example, is ignored.
    const trial = trialOn(trials, day) ?? trialOn(trials, others);
    return trial ? { ...day, trialSeed: trial.seed } : day;
  }
}

function requireNone(issues: readonly Issue[]): void {
  if (issues.length > 0) throw invalid(issues);
}
