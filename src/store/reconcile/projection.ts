import { type Cell, fromCells } from '../../domain/codec.ts';
import { idsUsedUp } from '../../domain/errors.ts';
import { MAX_ID, MOST_SKIPPED_IDS } from '../../domain/fields.ts';
import { isNumbered, type Kind } from '../../domain/kind.ts';
import {
  INTO,
  type KindName,
  keyOf,
  kindNames,
  kindOf,
  nounOf,
  ownedKindNames,
  statementsOf,
} from '../../domain/kinds.ts';
import { apply } from '../records/apply.ts';
import { Settings } from '../records/settings.ts';
import { States } from '../records/states.ts';
import type { Database } from '../sqlite/database.ts';
import { isAsShown, isOnePerUser, type Known, ownerNameOf, type Row, storeReplicas } from './fold.ts';
import { type Names, partsOf } from './names.ts';
import type { Received } from './received.ts';
import { type Name, type State, type Statement, withStatement } from './state.ts';
import { noteShownAs, type UserMerges } from './user-merges.ts';

/** More deletions than this, and than a tenth of all records, are held back until somebody consents; so is that of a user. */
const MOST_DELETED = 20;
const MOST_DELETED_SHARE = 0.1;

/** A record that takes part in a merge, and the merged state. */
export interface MergedRecord extends Known {
  merged: State;
  /** The state that the other database sent. */
  told?: State;
  /** The row that it is to have; undefined for none. */
  wanted?: Row | undefined;
  isNew: boolean;
  /** Whether its row in `replicas` is written, even if nothing in it changed, so that its `seq` is the current one. */
  isLookedAt?: boolean;
  /** Whether this run held its deletion back. */
  isHeldNow?: boolean;
}

/** Whether deletions are applied or held back; without either, that depends on how many there are. */
export interface Deletions {
  acceptDeletions?: boolean | undefined;
  holdsDeletions?: boolean | undefined;
}

/** A batch has deletions to be held back, but earlier batches have already deleted: all have to be merged again, held back. */
export class TooManyDeletions extends Error {}

/** Derives the tables from merged states: which records show, and under which id, owner and name. To be used inside a change. */
export class Projection {
  readonly #lastIds = new Map<KindName, number>();
  readonly #columns: States;

  constructor(
    private readonly db: Database,
    private readonly names: Names,
    private readonly merges: UserMerges,
    private readonly met: ReadonlyMap<KindName, ReadonlyMap<Name, MergedRecord>>,
    /** Counts, disputes and deletions that are held back are added to it. */
    private readonly received: Received,
  ) {
    this.#columns = new States(db);
  }

  /**
   * Writes the rows of the records, and of `replicas`.
   * @returns the records whose state or row changed
   * @throws TooManyDeletions if deletions have to be held back after earlier batches have already deleted
   */
  run(deletions: Deletions): MergedRecord[] {
    this.#decideRows();
    this.#holdBack(deletions);
    this.#keepKeysApart();
    this.#write(
      'user',
      this.#of('user').filter(({ wanted }) => wanted),
    );
    for (const kind of ownedKindNames) this.#write(kind, this.#of(kind));
    // Last: this deletes all rows of a user, and records that move to others have left by now.
    this.#write(
      'user',
      this.#of('user').filter(({ wanted }) => !wanted),
    );
    const changed = kindNames.flatMap((kind) => this.#of(kind).filter((met) => this.#isChanged(met)));
    this.#store(changed);
    return changed;
  }

  #of(kind: KindName): MergedRecord[] {
    return [...(this.met.get(kind)?.values() ?? [])];
  }

  #decideRows(): void {
    for (const kind of kindNames) for (const met of this.#of(kind)) this.#decideRow(met);
  }

  /** Determines the row that a record is to have, with an id if it shows for the first time. */
  #decideRow(met: MergedRecord): void {
    const { kind } = met.merged;
    met.wanted = undefined;
    if (!isWhole(met.merged) || met.outside) return;
    if (kind === 'user') {
      noteShownAs(this.db, met.merged.name, this.merges.rootOf(met.merged.name));
      if (!this.merges.isShown(met.merged.name)) return;
      met.id ??= this.#nextId(kind, partsOf(met.merged.name)[1]);
      met.wanted = this.#rowOf(met, undefined);
      this.merges.set({ ...met, state: met.merged });
      return;
    }
    const owner = this.merges.ownerId(ownerNameOf(met.merged));
    const isThere = met.merged.life % 2 === 1 || met.held;
    if (owner === undefined || !isThere) return;
    if (isOnePerUser(kind)) {
      if (isNone(met.merged) || this.merges.rootOf(met.merged.name) !== met.merged.name) return;
      met.id = owner;
      met.row ??= this.merges.rowOf(kind, owner);
    } else met.id ??= this.#nextId(kind, partsOf(met.merged.name)[1]);
    met.wanted = this.#rowOf(met, owner);
  }

  /** An unused id. @param there the id at its origin: taken if it is above all here, by no more than `MOST_SKIPPED_IDS` */
  #nextId(kind: KindName, there = 0): number {
    const last = this.#lastIds.get(kind) ?? this.db.lastId(kindOf(kind).table);
    const isFit = there > last && there <= last + MOST_SKIPPED_IDS && there < MAX_ID;
    if (!isFit && last >= MAX_ID) throw idsUsedUp(nounOf(kind));
    const id = isFit ? there : last + 1;
    this.#lastIds.set(kind, id);
    return id;
  }

  #rowOf({ id, row, merged }: MergedRecord, owner: number | undefined): Row {
    const { fields } = kindOf(merged.kind);
    const cells: Record<string, Cell> = {};
    for (const name in fields)
      if (name === 'userId') cells[name] = owner ?? null;
      else if (name !== 'id') cells[name] = merged.fields?.[name] ?? null;
    return { id: isOnePerUser(merged.kind) ? (row?.id ?? this.#nextId(merged.kind)) : (id as number), cells };
  }

  /** Of a user's records with the same key the first keeps it; the others are numbered, changed or hidden, as their kind says. */
  #keepKeysApart(): void {
    const uuids = this.names.uuids();
    for (const kind of ownedKindNames) {
      const { key } = kindOf(kind);
      if (!key || isOnePerUser(kind)) continue;
      const by = key.second?.by;
      const order = ({ merged }: MergedRecord) => {
        const [origin, id, uid] = partsOf(merged.name);
        const first = by === undefined ? '' : merged.fields?.[by];
        return [first, uuids.get(origin), String(id).padStart(16, '0'), uid].join('.');
      };
      const taken = new Map<string, MergedRecord>();
      const shown = this.#of(kind).filter(({ wanted }) => wanted);
      for (const met of shown.sort((a, b) => (order(a) < order(b) ? -1 : 1))) {
        const first = taken.get(keyWithin(met));
        if (first) this.#setApart(met, first, (key) => taken.has(key));
        if (met.wanted) taken.set(keyWithin(met), met);
      }
    }
  }

  #setApart(met: MergedRecord, first: MergedRecord, isTaken: (key: string) => boolean): void {
    const { key } = kindOf(met.merged.kind);
    const { field, second } = key as Key;
    if (isNumbered(kindOf(met.merged.kind))) {
      const said = String(met.wanted?.cells[field]);
      for (let number = 2; isTaken(keyWithin(met)); number++) {
        const suffix = ` (${number})`;
        setCell(met, field, `${[...said].slice(0, 100 - suffix.length).join('')}${suffix}`);
      }
      return;
    }
    this.#noteDispute(met, first);
    const { kind, statements } = met.merged;
    if (!second) {
      met.wanted = undefined;
      // Its new id was not used: the next record that is made gets it.
      if ((met.id ?? 0) > this.db.lastId(kindOf(kind).table)) met.id = undefined;
    } else {
      const [group = field] = [...statementsOf(kind)].find(([, names]) => names.includes(field)) ?? [];
      const [clock, uid, origin] = (statements[group] as Statement).stamp;
      // The same stamp on every machine that merges these records.
      met.merged = withStatement(met.merged, group, { [field]: second.value }, [clock + 1, uid, origin]);
      setCell(met, field, second.value);
    }
  }

  /** Notes a dispute of two records with the same key, one of which has just come from elsewhere: the fields that differ. */
  #noteDispute(met: MergedRecord, first: MergedRecord): void {
    if (met.isNew === first.isNew) return;
    const [ours, theirs] = met.isNew ? [first, met] : [met, first];
    const { field } = kindOf(met.merged.kind).key as Key;
    const values = (one: MergedRecord, name: string): Cell => one.merged.fields?.[name] ?? null;
    const fields = Object.keys(met.wanted?.cells ?? {})
      .filter((name) => name !== 'userId' && name !== field && values(ours, name) !== values(theirs, name))
      .map((name) => ({ field: name, here: values(ours, name), there: values(theirs, name) }));
    const saidAt = ({ merged }: MergedRecord) =>
      Math.floor(Math.max(...Object.values(merged.statements).map(({ stamp }) => stamp[0])) / 1000);
    this.received.disputes.push({
      record: met.merged.kind,
      id: ours.id ?? 0,
      fields,
      counts: ours === first ? 'here' : 'there',
      isOfTwo: true,
      at: { here: saidAt(ours), there: saidAt(theirs) },
    });
  }

  /** Holds deletions back if they are many, or are of a user: the records go on showing until somebody consents. */
  #holdBack({ acceptDeletions, holdsDeletions = false }: Deletions): void {
    const going = kindNames.flatMap((kind) => this.#of(kind).filter(({ row, wanted }) => row && !wanted));
    // That a user has no goal any more, say, is a statement of the user and not a deletion.
    const deleted = going.filter((met) => !this.#isMerged(met) && !met.outside && !isNone(met.merged));
    if (deleted.length === 0) return;
    const settings = new Settings(this.db);
    if (acceptDeletions) {
      settings.remove('deletions');
      return;
    }
    // Counted since the last consent, so that many small exchanges cannot delete everything.
    const count = deleted.length + Number(settings.get('deletions') ?? 0);
    const total = kindNames.reduce(
      (sum, kind) => sum + (this.db.value<number>(`SELECT count(*) FROM ${kindOf(kind).table}`) ?? 0),
      0,
    );
    const isMuch = count > MOST_DELETED && count > total * MOST_DELETED_SHARE;
    if (!holdsDeletions && !isMuch && !deleted.some(({ merged }) => merged.kind === 'user')) {
      settings.set('deletions', String(count));
      return;
    }
    const isLate = kindNames.some((kind) => this.received.counts[kind].deleted > 0);
    if (isLate && !holdsDeletions) throw new TooManyDeletions();
    for (const met of deleted) {
      met.isHeldNow = true;
      if (met.merged.kind !== 'user') continue;
      met.held = true;
      this.merges.set({ ...met, state: met.merged });
    }
    // Once more, since the users whose deletion is held back keep their records.
    this.#decideRows();
    for (const met of deleted) {
      // Hidden because it is merged into a user who stays, which is not a deletion.
      if (this.#isMerged(met)) continue;
      if (met.merged.kind !== 'user') met.held = met.wanted === undefined;
      if (met.held) this.received.held.push({ record: met.merged.kind, id: met.row?.id ?? 0 });
      met.wanted ??= met.row;
    }
  }

  /** Whether a user, or a one-per-user record, is hidden because the user is merged into another one. */
  #isMerged({ merged: { kind, name } }: MergedRecord): boolean {
    return (kind === 'user' || isOnePerUser(kind)) && this.merges.rootOf(name) !== name;
  }

  #write(kind: KindName, records: readonly MergedRecord[]): void {
    const differing = records.filter(({ row, wanted }) => !isSameRow(row, wanted));
    if (differing.length === 0) return;
    const { db } = this;
    db.exec(
      'CREATE TEMP TABLE IF NOT EXISTS shown (place INTEGER PRIMARY KEY, id INTEGER, expected TEXT, wanted TEXT)',
    );
    const columns = this.#columns.columns(kind);
    const state = (row: Row | undefined) =>
      row ? JSON.stringify(columns.map((name) => row.cells[name] ?? null)) : null;
    const counts = this.received.counts[kind];
    for (const [place, met] of differing.entries()) {
      const { row, wanted } = met;
      const id = (wanted ?? row)?.id ?? 0;
      db.run('INSERT INTO temp.shown VALUES (?, ?, ?, ?)', place, id, state(row), state(wanted));
      counts[row ? (wanted || this.#isMerged(met) ? 'changed' : 'deleted') : 'created']++;
    }
    const others = apply(db, kind, 'temp.shown');
    if (others.length > 0) throw new Error(`${others.length} ${kind} records are not as they were read.`);
    db.run('DELETE FROM temp.shown');
  }

  #isChanged(met: MergedRecord): boolean {
    const { state, merged, told, isNew, isLookedAt = false, isHeldNow = false, row, wanted } = met;
    const isOther = isNew || isLookedAt || isHeldNow || told !== undefined || merged !== state;
    return isOther || !isSameRow(row, wanted) || (!wanted && this.#waitsForMerged(met));
  }

  /** Whether to note for whom a hidden record waits: its owner was ever merged, and may show without the other user later. */
  #waitsForMerged({ merged, waits }: MergedRecord): boolean {
    const isThere = merged.kind !== 'user' && merged.life % 2 === 1 && merged.fields !== undefined;
    return isThere && !waits && this.merges.find(ownerNameOf(merged))?.state.statements[INTO] !== undefined;
  }

  /** Stores the states in `replicas`. */
  #store(records: readonly MergedRecord[]): void {
    const kept = records.map(({ id, merged, wanted, held, outside }) => ({
      id,
      state: merged,
      owner: merged.kind !== 'user' && !wanted && merged.fields ? ownerNameOf(merged) : undefined,
      held: held && (wanted !== undefined || merged.kind === 'user'),
      outside,
      isAsShown: wanted !== undefined && isAsShown(merged, wanted, this.names),
    }));
    storeReplicas(this.db, kept);
  }
}

type Key = NonNullable<Kind['key']>;

/** The key of the row that a record is to have, after the id of its user. */
function keyWithin({ merged: { kind }, wanted }: MergedRecord): string {
  const cells = (wanted as Row).cells;
  return `${cells['userId']} ${keyOf(
    kind,
    fromCells(kindOf(kind).fields, (name) => cells[name]),
  )}`;
}

function setCell(met: MergedRecord, name: string, cell: Cell): void {
  const { id, cells } = met.wanted as Row;
  met.wanted = { id, cells: { ...cells, [name]: cell } };
}

function isSameRow(row: Row | undefined, wanted: Row | undefined): boolean {
  if (!row || !wanted || row === wanted) return row === wanted;
  for (const name in wanted.cells)
    if ((row.cells[name] ?? null) !== (wanted.cells[name] ?? null)) return false;
  return true;
}

/** Whether a one-per-user state says that the user has no such record. */
const isNone = ({ kind, fields = {} }: State): boolean =>
  isOnePerUser(kind) && Object.values(fields).every((cell) => cell === null);

/** Whether every statement that a record needs is known. */
const isWhole = ({ kind, fields, statements }: State): boolean =>
  fields !== undefined &&
  [...statementsOf(kind).keys()].every((group) => group === INTO || statements[group]);
