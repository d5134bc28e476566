import type { Cell } from '../../../domain/codec.ts';
import { type Issue, SciaticaError } from '../../../domain/errors.ts';
import { INTO, type KindName } from '../../../domain/kinds.ts';
import type { FileOrigin } from '../../../domain/origin.ts';
import { type Erased, Erasures } from '../../reconcile/erasures.ts';
import {
  FileReader,
  firstId,
  idsIn,
  type Line,
  lineIn,
  type Seal,
  stateWithout,
  type Unsealed,
} from '../../reconcile/file.ts';
import { type Cells, Fold, isOnePerUser, type Known } from '../../reconcile/fold.ts';
import { Names, partsOf } from '../../reconcile/names.ts';
import { pointingTo, stampNow } from '../../reconcile/pointer.ts';
import type { RecordKey } from '../../reconcile/received.ts';
import type { Name, State } from '../../reconcile/state.ts';
import { mergedUsers, UserMerges } from '../../reconcile/user-merges.ts';
import type { Database } from '../../sqlite/database.ts';
import { storedJson } from '../../sqlite/errors.ts';
import { absentUsers, type Owner, onlyUser } from './owners.ts';
import { stagedKindOf, stagedKinds, stagedUsers } from './staging.ts';
import { UndoneImports } from './undone-imports.ts';

/** The staged records of a file that says which database it is from, as states: they come in as those of a sync do. */

const BLOCK = 5000;

/** What is asked of the states of a file. */
interface Asked {
  origin: FileOrigin;
  /** What is true of all of them; undefined for a file that has none. */
  seal: Seal | undefined;
  /** The id of the user here under whom the only one of the file comes. */
  as: number | undefined;
}

/** A name without its uid, which not every file knows. */
const withoutUid = (name: Name): string => partsOf(name).slice(0, 2).join('.');

const add = (counts: Map<KindName, number>, kind: KindName) => counts.set(kind, (counts.get(kind) ?? 0) + 1);

/** To be used inside a change. */
export class StagedStates {
  /** How many records of each kind are left out, because they were erased here. */
  readonly leftOut = new Map<KindName, number>();
  /** How many records of each kind showed here before. */
  readonly shownBefore = new Map<KindName, number>();
  readonly #undone: UndoneImports;
  readonly #names: Names;
  readonly #people: UserMerges;
  readonly #file: Unsealed;
  /** The users who are one with another, by their names without uids. */
  readonly #merged: Set<string>;
  /** What the lists of the file say of those users, and of what they have one of. */
  #ofMerged: State[] = [];
  /** The user of the file who comes under one here. */
  readonly #as: { theirs: number; ours: number; name: Name } | undefined;

  /** @throws SciaticaError `invalid` where several users should come under one */
  constructor(
    private readonly db: Database,
    private readonly asked: Asked,
  ) {
    const { origin, as } = asked;
    this.#names = new Names(db);
    this.#people = new UserMerges(new Fold(db, this.#names));
    this.#file = { origin: this.#names.origin(origin.id), seq: origin.seq };
    this.#merged = new Set(mergedUsers(db).map(({ name }) => withoutUid(name)));
    const isOwn = this.#names.makerOf(Number.MAX_SAFE_INTEGER) === this.#file.origin;
    this.#undone = new UndoneImports(db, this.#names, isOwn);
    const theirs = as === undefined ? undefined : onlyUser(db);
    if (as !== undefined && theirs !== undefined)
      this.#as = { theirs, ours: as, name: this.#names.ofUser(as) };
  }

  /** The states, users first. */
  *[Symbol.iterator](): Generator<{ states: State[]; erased: readonly Erased[] }> {
    this.leftOut.clear();
    this.shownBefore.clear();
    this.#ofMerged = [];
    const { seal } = this.asked;
    // Of each time: the numbers of databases may be taken back in between.
    const reader = seal && new FileReader(seal, (uuid) => this.#names.origin(uuid));
    const erased = reader?.erased() ?? [];
    const erasures = new Erasures(this.db, this.#names);
    // A file of a database in which nobody is left tells of who was erased, too.
    yield { states: [], erased };
    for (const states of reader ? this.#sealed(reader) : this.#unsealed()) {
      for (const state of states) if (state.fields && erasures.has(state)) add(this.leftOut, state.kind);
      yield { states: states.flatMap((state) => [state, ...this.#alsoHere(state)]), erased };
    }
  }

  /** What a state counts as for a record here. */
  again(told: State, here: Known): State {
    const isListed = told.life % 2 === 1 && told.fields !== undefined;
    if (isListed && here.row && !this.#isOfMerged(told)) add(this.shownBefore, told.kind);
    return this.#undone.again(told, here);
  }

  /**
   * The profiles, and what else a user has one of, that stay as they are here although the file says otherwise, because its user shows
   * under another; each with the id of that one. Once the states were taken over.
   */
  staying(): RecordKey[] {
    const people = new UserMerges(new Fold(this.db, new Names(this.db)));
    return this.#ofMerged.flatMap(({ kind, name, fields }) => {
      const id = people.ownerId(name);
      if (id === undefined || people.isShown(name)) return [];
      const cells: Cells = people.rowOf(kind, id)?.cells ?? {};
      const differs = ([field, cell]: [string, Cell]) => field !== INTO && (cells[field] ?? null) !== cell;
      return Object.entries(fields ?? {}).some(differs) ? [{ record: kind, id }] : [];
    });
  }

  /** Users of whom a file without states has records, and who are neither in it nor known here. */
  strangers(): Owner[] {
    const nameOf = (id: number) => stateWithout('user', this.#file, { id }).name;
    const isKnown = (id: number) => id === this.#as?.theirs || this.#people.ownerId(nameOf(id)) !== undefined;
    return absentUsers(this.db, 'TRUE', -1).users.filter(({ userId }) => !isKnown(userId));
  }

  *#sealed(reader: FileReader): Generator<State[]> {
    for (let last = -1; ; ) {
      const row = this.db.get<{ at: number; line: string }>(
        'SELECT _at AS at, line FROM temp.import_states WHERE _at > ? ORDER BY _at LIMIT 1',
        last,
      );
      if (!row) return;
      const line = lineIn(storedJson(row.line));
      yield reader.states(line, this.#listed(line)).map((state, i) => this.#met(state, firstId(line.s[i])));
      last = row.at;
    }
  }

  /** The records in the list of the kind, with the ids of a line and with those between. */
  #listed(line: Line): Map<number, Cells> {
    const { columns, staged } = stagedKindOf(line.k);
    const rows = this.db.all<Cells>(
      `SELECT id, ${columns.join(', ')} FROM ${staged} WHERE id BETWEEN ? AND ? AND _outcome IS NULL`,
      ...idsIn(line),
    );
    return new Map(rows.map((cells) => [Number(cells['id']), cells]));
  }

  *#unsealed(): Generator<State[]> {
    const isMissing = this.#as && this.db.value(`SELECT 1 FROM ${stagedUsers.staged} LIMIT 1`) === undefined;
    if (this.#as && isMissing) {
      // Of the user the file has only the id.
      const { row } = this.#people.find(this.#as.name) ?? {};
      const id = this.#as.theirs;
      yield [this.#pointing(stateWithout('user', this.#file, { ...row?.cells, id }), id)];
    }
    for (const { name, staged, columns } of stagedKinds)
      for (let last = -1; ; ) {
        const rows = this.db.all<Record<string, Cell>>(
          `SELECT _at, id, ${columns.join(', ')} FROM ${staged}
           WHERE _at > ? AND _outcome IS NULL ORDER BY _at LIMIT ${BLOCK}`,
          last,
        );
        if (rows.length === 0) break;
        yield rows.map(({ _at, ...cells }) => this.#met(stateWithout(name, this.#file, cells), cells['id']));
        last = Number(rows.at(-1)?.['_at']);
      }
  }

  /** What the user of the file has one of is named as that user is: it shows where the one here, who has none, gets the same. */
  #alsoHere(state: State): State[] {
    if (!this.#as || !isOnePerUser(state.kind) || !state.fields) return [];
    const { ours, name } = this.#as;
    if (state.name === name || this.#people.rowOf(state.kind, ours)) return [];
    return [{ ...state, name, owners: [...state.owners, name] }];
  }

  /** @param id that of the record in its list; undefined for one that is not in it */
  #met(state: State, id: Cell | undefined): State {
    const met = this.#pointing(state, id);
    if (id === undefined || !this.#isOfMerged(met)) return met;
    this.#ofMerged.push(met);
    add(this.shownBefore, met.kind);
    return met;
  }

  /** Whether it is the profile of a user who shows under another, or what that user has one of. */
  #isOfMerged({ kind, name }: State): boolean {
    return (kind === 'user' || isOnePerUser(kind)) && this.#merged.has(withoutUid(name));
  }

  /** Lets the user of the file show as one here, as `user merge` does. @param id that of the record in the file */
  #pointing(state: State, id: Cell | undefined): State {
    if (!this.#as || state.kind !== 'user' || id !== this.#as.theirs || !state.fields) return state;
    const { ours, name } = this.#as;
    if (this.#people.ownerId(state.name) === ours) return state;
    this.#merged.add(withoutUid(state.name));
    const former = this.#people.find(state.name)?.state;
    return pointingTo(name, state, stampNow(this.db, this.#names), former);
  }
}

/** The fault of a file whose user is another than the one it is to come under. */
export function requireNotMoved(as: number | undefined, moved: readonly { from: string }[]): void {
  const [first] = moved;
  if (as === undefined || !first) return;
  const message = `cannot be ${as}: the records of this user have been coming under ${first.from}`;
  const fault: Issue = { field: '--as', message };
  throw new SciaticaError('conflict', 'The user is another.', [fault]);
}
