import { type Issue, invalid } from '../../domain/errors.ts';
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

/** What the records of a kind need of the store. */
export interface Surroundings {
  db: Database;
  change: RunChange;
  /** The ids of the users whose records are visible; all without it. */
  visible: readonly number[] | undefined;
  /** The user under whom is recorded what is said of one: another once it was merged. Undefined where none is there. */
  shownAs(userId: number): number | undefined;
}

/** Looks at a record, as JSON, before it is changed; throws to refuse the change. */
export type Guard = (json: string) => void;

/** The fault of a record of a user who is not there. */
export const NO_SUCH_USER: Issue = {
  field: 'userId',
  message: 'must be the id of an existing user',
  fault: { code: 'no-such-user' },
};

/** The verbs of a kind of record. Each that writes is a change of its own, unless it is called inside one. */
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

  /** As `list`, in the order in which they were recorded. */
  recorded(filter: FilterOf<K> = {} as FilterOf<K>): RecordOfKind<K>[] {
    const records = this.list(filter);
    // Whether any of this kind came from elsewhere may take a look at all that did.
    if (records.length < 2 || this.#db.value('SELECT 1 FROM replicas LIMIT 1') === undefined) return records;
    const idOf = (record: RecordOfKind<K>) => (record as { id: number }).id;
    const clocks = this.#db.all<{ id: number; at: number }>(
      `SELECT value AS id, ${recordedAt(this.kind, 'value')} AS at FROM json_each(?)`,
      JSON.stringify(records.map(idOf)),
    );
    const at = new Map(clocks.map(({ id, at }) => [id, at]));
    return records.sort((a, b) => (at.get(idOf(a)) ?? 0) - (at.get(idOf(b)) ?? 0));
  }

  /** @throws SciaticaError `invalid` if there is no such user, or the user has a record with the same key */
  create(input: InputOf<K>): RecordOfKind<K> {
    return this.#change(() => this.insert(this.#required(input)));
  }

  /** @throws SciaticaError `invalid` that names every missing user, as `[2].userId`, or as `create` */
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

  /** Inserts a record that was there before, with the id it has. @throws SciaticaError as `create` */
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
   * Deletes the record, and all that belongs to it; returns what was deleted.
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

  /** The record of the same user that has the key of this one, but for the one with `id`; of a kind without keys none. */
  withSameKey(record: object, id?: number): RecordOfKind<K> | undefined {
    if (!this.#hasKey) return undefined;
    const key = keyOf(this.kind, record);
    const { userId } = record as { userId: number };
    return this.list({ userId } as FilterOf<K>).find(
      (other) => (other as { id: number }).id !== id && keyOf(this.kind, other) === key,
    );
  }

  /** The record as it is stored. @throws SciaticaError `invalid` with its faults */
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

  /** A record under the user as whom its user shows. */
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

/** The verbs of trial days: a new one names its trial, for another machine may have one in the same time. */
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
    // A seed that no trial has, as that of an example, says nothing.
    const trial = trialOn(trials, day) ?? trialOn(trials, others);
    return trial ? { ...day, trialSeed: trial.seed } : day;
  }
}

function requireNone(issues: readonly Issue[]): void {
  if (issues.length > 0) throw invalid(issues);
}
