import type { Cell } from '../../domain/codec.ts';
import { INTO, type KindName, kindOf, statementsOf } from '../../domain/kinds.ts';
import { States as Columns } from '../records/states.ts';
import type { Database } from '../sqlite/database.ts';
import { storedJson } from '../sqlite/errors.ts';
import { NAME, type Names, nameOf, partsOf } from './names.ts';
import {
  type Code,
  type Name,
  type Packed,
  pack,
  replacing,
  type Stamp,
  type State,
  type Statement,
  unpack,
} from './state.ts';

/**
 * Computes the states of the records here: the stored state in `replicas`, if there is one, with all later entries of the history
 * applied to it. A record that was made here and never merged with a change from elsewhere has only its history.
 */

/** A state as `replicas` keeps it. If it has statements but no `fields`, the fields are those of the row. */
interface Stored extends Packed {
  life: number;
  owners: readonly Name[];
  fields?: State['fields'];
  /** A deletion from elsewhere that is held back until somebody consents: the record is still shown. */
  held?: true;
  /** The record left the view that the other database gives: the clock of the statement of the owner that says so, if known. */
  outside?: true | number;
}

/** A state that has to be stored in `replicas`, because the history alone does not give it. */
interface Kept extends Omit<Known, 'row'> {
  /** The owner of a record that is not shown: the record shows once that user is present. */
  owner?: Name | undefined;
  /** Whether the row has exactly the fields of the state, so that they need not be stored. */
  isAsShown?: boolean;
}

/** A state as JSON for `replicas`. */
function stored({ state, held, outside, isAsShown }: Kept): string {
  const { kind, life, owners, fields, statements } = state;
  const json: Stored = {
    life,
    owners,
    ...(fields && !isAsShown && { fields }),
    ...pack(kind, statements),
    ...(held && { held }),
    ...(outside && { outside }),
  };
  return JSON.stringify(json);
}

/** Stores states as of the end of the history. In one statement: many small ones take three times as long. */
export function storeReplicas(db: Database, records: readonly Kept[]): void {
  if (records.length === 0) return;
  const seq = db.lastId('history');
  const rows = records.map((kept) => {
    const { id = null, state, owner = null } = kept;
    return [state.kind, id, ...partsOf(state.name), owner, seq, stored(kept)];
  });
  db.run(
    `INSERT OR REPLACE INTO replicas (record, id, origin, originId, uid, owner, seq, state)
     SELECT ${rows[0]?.map((_, i) => `value ->> ${i}`)} FROM json_each(?) ORDER BY key`,
    JSON.stringify(rows),
  );
}

/** SQL: whether the deletion of a replica is held back, and the record was not changed here since. */
export const IS_HELD = `replicas.state ->> '$.held' = 1 AND NOT EXISTS (SELECT 1 FROM history WHERE history.recordId = replicas.id
  AND history.record = replicas.record AND history.seq > replicas.seq)`;

/** What is known of a record here. */
export interface Known {
  /** The id here, of a one-per-user kind that of the user. Undefined if it was never shown. */
  id?: number | undefined;
  state: State;
  /** Its row, with ids of this database; undefined if it is not shown. */
  row?: Row | undefined;
  /** `held` and `outside` as in `Stored`. `waits`: whether `replicas` notes the owner for whom it waits. */
  held?: boolean | undefined;
  outside?: boolean | number | undefined;
  waits?: boolean | undefined;
}

/** A row of a table: its id, and the cells of its columns. */
export interface Row {
  id: number;
  /** By column, the id included where it was read. */
  cells: Readonly<Record<string, Cell>>;
}

interface Entry {
  key: number;
  seq: number;
  change: number;
  clock: number;
  uid: number;
  action: 'create' | 'update' | 'delete';
  before: string | null;
}

/** What a state is computed from. `deleted`: the record at its last deletion before the row of `replicas`, as JSON. */
interface Found {
  replica: Replica | undefined;
  entries: readonly Entry[];
  row: Row | undefined;
  deleted: string | undefined;
}

interface Replica {
  key: number;
  name: Name;
  seq: number;
  state: string;
  waits: 0 | 1;
}

/** Cells by the names of their fields. */
export type Cells = Readonly<Record<string, Cell>>;

export const statementOf = ([clock, uid, origin, seen = {}]: Code): Statement => ({
  stamp: [clock, uid, origin],
  seen,
});

/** The state that `replicas` holds. */
function stateOf(kind: KindName, name: Name, stored: Stored): State {
  const { life, owners, fields } = stored;
  return { kind, name, life, owners, fields, statements: unpack(kind, stored, statementOf) };
}

/** Whether a user has one record of a kind at most: it is identified by the id of its user, and has the name of its user. */
export const isOnePerUser = (kind: KindName): boolean => kindOf(kind).place === 'one-per-user';

/** The column that identifies a record of a kind. */
export const keyColumnOf = (kind: KindName): 'id' | 'userId' => (isOnePerUser(kind) ? 'userId' : 'id');

/** The name of the user to whom a record belongs. A one-per-user record has the name of its user. */
export const ownerNameOf = ({ name, kind, fields }: State): Name =>
  kind !== 'user' && !isOnePerUser(kind) ? String(fields?.['userId'] ?? '') : name;

/** Whether a row has the values of all fields of a state. */
export function isAsShown({ fields = {} }: State, { cells }: Row, names: Names): boolean {
  for (const name in fields) {
    const cell = fields[name] ?? null;
    const shown = cells[name] ?? null;
    const isSame =
      name === 'userId' ? typeof shown === 'number' && names.ofUser(shown) === cell : shown === cell;
    if (!isSame) return false;
  }
  return true;
}

export class Fold {
  readonly #columns: Columns;
  /** Cache of the deletions and creations of users, as `action.change.user`, valid while `last` is the last history seq. */
  #userChanges: { last: number; found: ReadonlySet<string> } | undefined;

  constructor(
    private readonly db: Database,
    private readonly names: Names,
  ) {
    this.#columns = new Columns(db);
  }

  /** What is known of the records of a kind with these ids, as in `Known.id`; no entry for those of which nothing is. */
  of(kind: KindName, ids: readonly number[]): Map<number, Known> {
    const unique = [...new Set(ids)];
    const list = JSON.stringify(unique);
    const found = new Map<number, Known>();
    const kept = this.db.all<Replica>(
      `SELECT id AS key, ${NAME} AS name, seq, state, owner IS NOT NULL AS waits FROM replicas
       WHERE record = ? AND id IN (SELECT value FROM json_each(?))`,
      kind,
      list,
    );
    const replicas = new Map(kept.map((replica) => [replica.key, replica]));
    const rows = this.#rows(kind, list);
    const since = unique.map((id) => [id, replicas.get(id)?.seq ?? 0] as const);
    const entries = this.#entries(kind, since);
    const recreated = since.filter(([id]) => replicas.has(id) && entries.get(id)?.[0]?.action === 'create');
    const deleted = this.#deleted(kind, recreated);
    for (const id of unique) {
      const replica = replicas.get(id);
      const own = entries.get(id) ?? [];
      const row = rows.get(id);
      if (replica || row || own.length > 0)
        found.set(id, this.#fold(kind, id, { replica, entries: own, row, deleted: deleted.get(id) }));
    }
    return found;
  }

  /** What is known of a record that came from elsewhere and never showed here; undefined if the name is unknown. */
  unseen(kind: KindName, name: Name): Known | undefined {
    const [origin, originId, uid] = partsOf(name);
    const found = this.db.get<{ name: Name; state: string }>(
      `SELECT ${NAME} AS name, state FROM replicas
       WHERE origin = ? AND originId = ? AND (uid IN (?, 0) OR ? = 0) AND record = ? AND id IS NULL ORDER BY uid DESC LIMIT 1`,
      origin,
      originId,
      uid,
      uid,
      kind,
    );
    if (!found) return undefined;
    const known = storedJson<Stored>(found.state);
    return { state: stateOf(kind, found.name, known), outside: known.outside, waits: true };
  }

  /** The records with these names: what is known of each, and its id here if it was ever given one. */
  named(
    kind: KindName,
    names: readonly Name[],
  ): Map<Name, { id?: number | undefined; here?: Known | undefined }> {
    const ids = this.names.idsOf(isOnePerUser(kind) ? 'user' : kind, names);
    const known = this.of(
      kind,
      [...ids.values()].filter((id) => id !== null),
    );
    return new Map(
      names.map((name) => {
        const id = ids.get(name) ?? undefined;
        const shown = id === undefined ? undefined : known.get(id);
        return [
          name,
          { id, here: shown ?? (isOnePerUser(kind) || ids.has(name) ? this.unseen(kind, name) : undefined) },
        ];
      }),
    );
  }

  #rows(kind: KindName, ids: string): Map<number, Row> {
    const key = keyColumnOf(kind);
    const rows = this.db.all<Record<string, Cell>>(
      `SELECT * FROM ${kindOf(kind).table} WHERE ${key} IN (SELECT value FROM json_each(?))`,
      ids,
    );
    return new Map(rows.map((cells) => [Number(cells[key]), { id: Number(cells['id']), cells }]));
  }

  /** The history of records, erasures aside. @param since the seq after which it is wanted, by the ids of the records */
  #entries(kind: KindName, since: readonly (readonly [id: number, seq: number])[]): Map<number, Entry[]> {
    const key = isOnePerUser(kind) ? 'userId' : 'recordId';
    const entries = this.db.all<Entry>(
      `SELECT entry.${key} AS key, entry.seq, entry.change, head.clock, head.uid, entry.action, entry.before
       FROM json_each(?) AS since CROSS JOIN history AS entry ON entry.${key} = since.value ->> 0 AND entry.record = ?
         AND entry.seq > since.value ->> 1 JOIN history AS head ON head.seq = entry.head
       WHERE entry.action <> 'erase' ORDER BY entry.seq`,
      JSON.stringify(since),
      kind,
    );
    const found = new Map<number, Entry[]>();
    for (const entry of entries) {
      const list = found.get(entry.key);
      if (list) list.push(entry);
      else found.set(entry.key, [entry]);
    }
    return found;
  }

  /** The records as they were last deleted, as JSON. @param before the highest seq of the deletion, by their ids */
  #deleted(kind: KindName, before: readonly (readonly [id: number, seq: number])[]): Map<number, string> {
    if (before.length === 0) return new Map();
    const key = isOnePerUser(kind) ? 'userId' : 'recordId';
    const sql = `SELECT entry.${key} AS key, max(entry.seq), entry.before FROM json_each(?) AS up CROSS JOIN history AS entry
        ON entry.${key} = up.value ->> 0 AND entry.record = ? AND entry.seq <= up.value ->> 1
      WHERE entry.action = 'delete' GROUP BY entry.${key}`;
    const deletions = this.db.all<{ key: number; before: string }>(sql, JSON.stringify(before), kind);
    return new Map(deletions.map((deletion) => [deletion.key, deletion.before]));
  }

  /** The fast path for a record that was made here and never changed, as most are. */
  #foldCreation(kind: KindName, id: number, { clock, seq, uid }: Entry, row: Row): Known {
    const origin = this.names.makerOf(seq);
    const statement: Statement = { stamp: [clock, uid, origin], seen: {} };
    const fields: Record<string, Cell> = {};
    const statements: Record<string, Statement> = {};
    const owners: Name[] = [];
    for (const [group, names] of statementsOf(kind)) {
      if (group === INTO) continue;
      statements[group] = statement;
      for (const name of names) fields[name] = row.cells[name] ?? null;
    }
    if (typeof fields['userId'] === 'number') {
      fields['userId'] = this.names.ofUser(fields['userId']);
      owners.push(fields['userId']);
    }
    const state: State = { kind, name: nameOf(origin, id, uid), life: 1, owners, fields, statements };
    return { id, state, row };
  }

  #fold(kind: KindName, id: number, { replica, entries, row, deleted }: Found): Known {
    const [first, second] = entries;
    if (!replica && first?.action === 'create' && !second && row && !isOnePerUser(kind))
      return this.#foldCreation(kind, id, first, row);
    // JSON null: only the name is stored, the state follows from the history.
    const known = replica && storedJson<Stored | null>(replica.state);
    const name = replica?.name ?? this.#ownName(kind, id, first);
    const base = known ? stateOf(kind, name, known) : { kind, name, life: 0, owners: [], statements: {} };
    const cells = (json: string | null) => (json === null ? undefined : this.#cells(kind, json));
    let shown = entries[0] ? cells(entries[0].before) : row?.cells;
    let last = shown ?? cells(deleted ?? null);
    const draft = new Draft(this.names, base);
    if (known?.c && !known.fields && shown) draft.show(shown);
    // Its creation is not among the entries: it is older than the history, or than its row in `replicas`.
    if (!known && shown) draft.begin(shown, [0, 0, this.names.makerOf(0)]);
    for (const [i, entry] of entries.entries()) {
      const next = entries[i + 1];
      const after = entry.action === 'delete' ? undefined : next ? cells(next.before) : row?.cells;
      const stamp: Stamp = [entry.clock, entry.uid, this.names.makerOf(entry.seq)];
      const isWithUser = last !== undefined && this.#isWithUser(kind, entry, after ?? shown);
      if (!after) draft.remove(stamp, isWithUser);
      else if (shown) draft.say(shown, after, stamp);
      else draft.bringBack(last, after, stamp, isWithUser);
      shown = after;
      last = after ?? last;
    }
    return {
      id,
      state: draft.state(),
      row,
      // As in `IS_HELD`, until it is changed here.
      held: known?.held === true && entries.length === 0,
      outside: row === undefined && known?.outside,
      waits: replica?.waits === 1,
    };
  }

  #ownName(kind: KindName, id: number, first: Entry | undefined): Name {
    if (isOnePerUser(kind)) return this.names.ofUser(id);
    const isMade = first?.action === 'create';
    return nameOf(this.names.makerOf(isMade ? first.seq : 0), id, isMade ? first.uid : 0);
  }

  /** The cells in a state of the history, which is a JSON array. */
  #cells(kind: KindName, json: string): Cells {
    const cells = storedJson<Cell[]>(json);
    return Object.fromEntries(this.#columns.columns(kind).map((name, i) => [name, cells[i] ?? null]));
  }

  /** Whether a record was deleted or restored only because the same change deleted or restored its user. */
  #isWithUser(kind: KindName, { action, change }: Entry, cells: Cells | undefined): boolean {
    if (kind === 'user' || action === 'update') return false;
    const last = this.db.lastId('history');
    if (this.#userChanges?.last !== last) {
      const found = this.db.column<string>(
        "SELECT action || '.' || change || '.' || recordId FROM history WHERE record = 'user' AND action <> 'update'",
      );
      this.#userChanges = { last, found: new Set(found) };
    }
    return this.#userChanges.found.has(`${action}.${change}.${cells?.['userId']}`);
  }
}

/** A state to which the entries of the history are applied, one after the other. */
class Draft {
  readonly #groups: ReadonlyMap<string, readonly string[]>;
  readonly #owners: Set<Name>;
  readonly #statements: Record<string, Statement>;
  readonly #isOfUser: boolean;
  #fields: Record<string, Cell> | undefined;
  #life: number;

  constructor(
    private readonly names: Names,
    private readonly base: State,
  ) {
    // A statement of its user, present as long as the user is: it has no causal length of its own.
    this.#isOfUser = isOnePerUser(base.kind);
    this.#groups = statementsOf(base.kind);
    this.#owners = new Set(base.owners);
    this.#statements = { ...base.statements };
    this.#fields = base.fields && { ...base.fields };
    this.#life = base.life;
  }

  /** Takes the fields from the row: the stored state leaves them out. */
  show(cells: Cells): void {
    this.#fields = {};
    for (const names of this.#groups.values())
      for (const name of names) this.#fields[name] = this.#valueOf(name, cells[name] ?? null);
  }

  /** Sets the earliest state that is known. */
  begin(cells: Cells, stamp: Stamp): void {
    this.#life = 1;
    this.#set(cells, stamp);
  }

  /** Applies an update. Of a record whose deletion is held back it also counts as a restore. */
  say(before: Cells, after: Cells, stamp: Stamp): void {
    if (this.#life % 2 === 0) this.#life++;
    this.#set(after, stamp, before);
  }

  /** Applies a creation or a restore. @param last the row before the deletion: what others stated since then still counts */
  bringBack(last: Cells | undefined, after: Cells, stamp: Stamp, cameWithUser: boolean): void {
    const isNone = Object.values(this.#fields ?? {}).every((cell) => cell === null);
    // It was hidden only because its stated owner is absent: restoring it states the owner of here anew.
    const isMoved = this.#life % 2 === 1 && !cameWithUser;
    if (this.#life % 2 === 0) this.#life++;
    this.#set(after, stamp, isNone ? undefined : isMoved ? { ...last, userId: null } : last);
    // A merged user that gets a row again is not merged any more.
    if ((this.#fields?.[INTO] ?? null) !== null) this.#set({ [INTO]: null }, stamp);
  }

  remove(stamp: Stamp, wentWithUser: boolean): void {
    if (wentWithUser) return;
    if (this.#isOfUser) {
      const none = Object.fromEntries([...this.#groups.values()].flat().map((name) => [name, null]));
      this.#set(none, stamp);
    } else if (this.#life % 2 === 1) this.#life++;
  }

  /** Makes the statements in which the cells differ from those before, and from the current state. */
  #set(cells: Cells, stamp: Stamp, before?: Cells): void {
    this.#fields ??= {};
    for (const [group, names] of this.#groups) {
      const said = this.#statements[group];
      if (!names.some((name) => name in cells)) continue;
      if (before && said && names.every((name) => (before[name] ?? null) === (cells[name] ?? null))) continue;
      const values = names.map((name) => this.#valueOf(name, cells[name] ?? null));
      if (said && names.every((name, i) => (this.#fields?.[name] ?? null) === values[i])) continue;
      for (const [i, name] of names.entries()) this.#fields[name] = values[i] ?? null;
      this.#statements[group] = replacing(said, stamp);
    }
    const owner = this.#isOfUser ? this.base.name : this.#fields['userId'];
    if (typeof owner === 'string') this.#owners.add(owner);
  }

  #valueOf(name: string, cell: Cell): Cell {
    return name === 'userId' && cell !== null ? this.names.ofUser(Number(cell)) : cell;
  }

  state(): State {
    return {
      kind: this.base.kind,
      name: this.base.name,
      life: this.#isOfUser ? 1 : this.#life,
      owners: [...this.#owners].sort(),
      ...(this.#fields && { fields: this.#fields }),
      statements: this.#statements,
    };
  }
}
