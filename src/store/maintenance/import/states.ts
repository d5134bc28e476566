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

/** The staged records of a file that says which database it is from, as states, which are merged as by a sync. */

const BLOCK = 5000;

/** What is known of the file. */
interface Asked {
  origin: FileOrigin;
  /** The metadata of its states; undefined for a file without states. */
  seal: Seal | undefined;
  /** `--as`: the id of the user here under whom the only user of the file is to show. */
  as: number | undefined;
}

/** A name without its uid, since not every file has uids. */
const withoutUid = (name: Name): string => partsOf(name).slice(0, 2).join('.');

const add = (counts: Map<KindName, number>, kind: KindName) => counts.set(kind, (counts.get(kind) ?? 0) + 1);

/** Gives staged records as states, for `Replication.receive`. To be used inside a change. */
export class StagedStates {
  /** How many records of each kind are left out, because they were erased here. */
  readonly leftOut = new Map<KindName, number>();
  /** How many records of each kind that are in the file showed here before. */
  readonly shownBefore = new Map<KindName, number>();
  readonly #undone: UndoneImports;
  readonly #names: Names;
  readonly #merges: UserMerges;
  readonly #file: Unsealed;
  /** The merged users, by their names without uids. */
  readonly #merged: Set<string>;
  /** The states of those users in the file, and of their one-per-user records. */
  #ofMerged: State[] = [];
  /** `--as`: the id of the user in the file, and the id and the name of the user here. */
  readonly #as: { theirs: number; ours: number; name: Name } | undefined;

  /** @throws SciaticaError `invalid` if the file has several users and `as` is given */
  constructor(
    private readonly db: Database,
    private readonly asked: Asked,
  ) {
    const { origin, as } = asked;
    this.#names = new Names(db);
    this.#merges = new UserMerges(new Fold(db, this.#names));
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
    // Made anew for each iteration: a rollback in between also removes databases from `origins`.
    const reader = seal && new FileReader(seal, (uuid) => this.#names.origin(uuid));
    const erased = reader?.erased() ?? [];
    const erasures = new Erasures(this.db, this.#names);
    // Before any states: a file may have erasures only.
    yield { states: [], erased };
    for (const states of reader ? this.#sealed(reader) : this.#unsealed()) {
      for (const state of states) if (state.fields && erasures.has(state)) add(this.leftOut, state.kind);
      yield { states: states.flatMap((state) => [state, ...this.#alsoHere(state)]), erased };
    }
  }

  /** As `Limits.again`: counts the records that show here, and repeats what the undo of an import took back. */
  again(told: State, here: Known): State {
    const isListed = told.life % 2 === 1 && told.fields !== undefined;
    if (isListed && here.row && !this.#isOfMerged(told)) add(this.shownBefore, told.kind);
    return this.#undone.again(told, here);
  }

  /**
   * The profiles and one-per-user records that differ in the file and stay as they are, since their user is merged into another
   * one; each with the id of that one. To be called after the merge.
   */
  staying(): RecordKey[] {
    const merges = new UserMerges(new Fold(this.db, new Names(this.db)));
    return this.#ofMerged.flatMap(({ kind, name, fields }) => {
      const id = merges.ownerId(name);
      if (id === undefined || merges.isShown(name)) return [];
      const cells: Cells = merges.rowOf(kind, id)?.cells ?? {};
      const differs = ([field, cell]: [string, Cell]) => field !== INTO && (cells[field] ?? null) !== cell;
      return Object.entries(fields ?? {}).some(differs) ? [{ record: kind, id }] : [];
    });
  }

  /** Users of whom a file without states has records, and who are neither in it nor known here. */
  strangers(): Owner[] {
    const nameOf = (id: number) => stateWithout('user', this.#file, { id }).name;
    const isKnown = (id: number) => id === this.#as?.theirs || this.#merges.ownerId(nameOf(id)) !== undefined;
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
      yield reader
        .states(line, this.#listed(line))
        .map((state, i) => this.#withTarget(state, firstId(line.s[i])));
      last = row.at;
    }
  }

  /** The staged records of a kind whose ids are between the lowest and the highest of a line. */
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
      // The file has only the id of the user.
      const { row } = this.#merges.find(this.#as.name) ?? {};
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
        yield rows.map(({ _at, ...cells }) =>
          this.#withTarget(stateWithout(name, this.#file, cells), cells['id']),
        );
        last = Number(rows.at(-1)?.['_at']);
      }
  }

  /** With `--as`: a one-per-user record also gets the name of the user here, if that user has none of the kind. */
  #alsoHere(state: State): State[] {
    if (!this.#as || !isOnePerUser(state.kind) || !state.fields) return [];
    const { ours, name } = this.#as;
    if (state.name === name || this.#merges.rowOf(state.kind, ours)) return [];
    return [{ ...state, name, owners: [...state.owners, name] }];
  }

  /** Applies `--as`, and notes states of merged users. @param id of the record in its list; undefined if it is not listed */
  #withTarget(state: State, id: Cell | undefined): State {
    const met = this.#pointing(state, id);
    if (id === undefined || !this.#isOfMerged(met)) return met;
    this.#ofMerged.push(met);
    add(this.shownBefore, met.kind);
    return met;
  }

  /** Whether a state is the profile, or a one-per-user record, of a merged user. */
  #isOfMerged({ kind, name }: State): boolean {
    return (kind === 'user' || isOnePerUser(kind)) && this.#merged.has(withoutUid(name));
  }

  /** With `--as`: merges the user of the file into the one here, as `user merge` does. @param id of the record in the file */
  #pointing(state: State, id: Cell | undefined): State {
    if (!this.#as || state.kind !== 'user' || id !== this.#as.theirs || !state.fields) return state;
    const { ours, name } = this.#as;
    if (this.#merges.ownerId(state.name) === ours) return state;
    this.#merged.add(withoutUid(state.name));
    const former = this.#merges.find(state.name)?.state;
    return pointingTo(name, state, stampNow(this.db, this.#names), former);
  }
}

/** @throws SciaticaError `conflict` if `--as` names another user than the one under whom the file's records showed so far */
export function requireNotMoved(as: number | undefined, moved: readonly { from: string }[]): void {
  const [first] = moved;
  if (as === undefined || !first) return;
  const message = `cannot be ${as}: the records of this user have been coming under ${first.from}`;
  const fault: Issue = { field: '--as', message };
  throw new SciaticaError('conflict', 'The user is another.', [fault]);
}
