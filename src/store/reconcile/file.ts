import type { Cell } from '../../domain/codec.ts';
import { unusable } from '../../domain/errors.ts';
import { INTO, isKindName, type KindName, kindNames, kindOf, statementsOf } from '../../domain/kinds.ts';
import type { Database } from '../sqlite/database.ts';
import { migrations } from '../sqlite/migrations/index.ts';
import type { Collector } from './collect.ts';
import type { Erased } from './erasures.ts';
import { type Cells, isAsShown, isOnePerUser, statementOf } from './fold.ts';
import { type Names, nameOf } from './names.ts';
import { broken, type Encoded, encoded, isDatabases, originsIn, StateReader, uuidsOf } from './parcel.ts';
import { type Name, type Stamp, type State, unpack } from './state.ts';

/** The states of records in an export, some hundreds in a line of JSON, beside the lists, which alone say what a record shows. */

/** What is true of all states of a file. */
export interface Seal {
  /** UUIDs by the numbers that names use in the file. */
  databases: Readonly<Record<string, string>>;
  /** The number of the database format. */
  format: number;
  erased: readonly Erased[];
}

/** A state. `i`: the id of the record in its list, where it has one. With clocks and without `f` the list has its fields. */
interface Entry extends Omit<Encoded, 'k'> {
  i?: number;
}

/** Records of a list with ids one after the other that were made in one change and are as they were made there: most records. */
type Run = readonly [first: number, clock: number, uid: number, origin: number, count: number];

/** States of one kind as a line. */
export interface Line {
  k: KindName;
  s: readonly (Entry | Run)[];
}

const isRun = (entry: Entry | Run): entry is Run => Array.isArray(entry);

/** Which records a file has. */
export interface Part {
  /** The ids of the users; all without it. */
  users?: readonly number[] | undefined;
  /** The ids of what else is in it; all that the users have, or had, without it. */
  only?: Readonly<Partial<Record<KindName, readonly number[]>>> | undefined;
}

/** Records that are looked up at once. */
const BLOCK = 2500;

/** States in a line, and characters: a reader takes a line as one. */
const MOST_STATES = 500;
const MOST_CHARACTERS = 200_000;

/** The states of the records in a file, to be written. */
export class FileStates {
  readonly #used = new Set<number>();

  constructor(
    private readonly db: Database,
    private readonly names: Names,
    private readonly collector: Collector,
    private readonly part: Part,
  ) {}

  /** Lines, users first. */
  *lines(): Generator<string[]> {
    for (const kind of kindNames) {
      let entries: string[] = [];
      let [count, size] = [0, 0];
      for (const entry of this.#entries(kind)) {
        entries.push(JSON.stringify(entry));
        count += isRun(entry) ? entry[4] : 1;
        size += entries.at(-1)?.length ?? 0;
        if (count < MOST_STATES && size < MOST_CHARACTERS) continue;
        yield [lineOf(kind, entries)];
        [entries, count, size] = [[], 0, 0];
      }
      if (entries.length > 0) yield [lineOf(kind, entries)];
    }
  }

  *#entries(kind: KindName): Generator<Entry | Run> {
    for (const ids of this.#ids(kind)) {
      const unchanged = this.collector.unchanged(kind, ids);
      for (const run of runsOf(unchanged)) {
        this.#used.add(run[3]);
        yield run;
      }
      const others = ids.filter((id) => !unchanged.has(id));
      for (const { state, row } of this.collector.statesOf(kind, others)) {
        const entry = this.#entry(state);
        if (row) entry.i = row.id;
        if (row && state.fields && !state.outside && isAsShown(state, row, this.names)) delete entry.f;
        yield entry;
      }
    }
    if (kind === 'user' || !this.part.only)
      for (const state of this.collector.unseenStates(kind)) yield this.#entry(state);
  }

  #entry(state: State): Entry {
    for (const origin of originsIn({ states: [state] })) this.#used.add(origin);
    const { k: _, ...entry } = encoded(state);
    return entry;
  }

  /** What is true of all lines, once all were written. */
  seal(): Seal {
    const erased = this.collector.erased();
    for (const origin of originsIn({ erased })) this.#used.add(origin);
    return { databases: uuidsOf(this.#used, this.names.uuids()), format: migrations.length, erased };
  }

  /** The ids by which records of a kind are known: of what a user has one of, those of users. */
  *#ids(kind: KindName): Generator<readonly number[]> {
    const of = isOnePerUser(kind) ? 'user' : kind;
    const only =
      of === 'user' ? undefined : this.part.only && (this.part.only[kind] ?? []).toSorted(byNumber);
    for (let last = 0, at = 0; ; at += BLOCK) {
      const ids = only ? only.slice(at, at + BLOCK) : this.#idsAfter(of, last);
      if (ids.length === 0) return;
      yield ids;
      last = ids.at(-1) ?? last;
    }
  }

  #idsAfter(kind: KindName, last: number): number[] {
    const { table } = kindOf(kind);
    const users = kind === 'user' ? undefined : this.part.users && JSON.stringify(this.part.users);
    const isTheirs = (column: string) =>
      users ? `AND ${column} IN (SELECT value FROM json_each('${users}'))` : '';
    // Each part in the order of an index.
    return this.db.column(
      `SELECT id FROM ${table} WHERE id > ? ${isTheirs('userId')}
       UNION SELECT recordId FROM history WHERE recordId > ? AND record = ? ${isTheirs('coalesce(formerUserId, userId)')}
       UNION SELECT id FROM replicas WHERE id > ? AND record = ? ORDER BY 1 LIMIT ${BLOCK}`,
      last,
      last,
      kind,
      last,
      kind,
    );
  }
}

function* runsOf(unchanged: ReadonlyMap<number, Stamp>): Generator<Run> {
  let run: [first: number, clock: number, uid: number, origin: number, count: number] | undefined;
  for (const [id, [clock, uid, origin]] of unchanged) {
    if (run && id === run[0] + run[4] && uid === run[2] && origin === run[3] && run[4] < MOST_STATES) {
      run[4] += 1;
      continue;
    }
    if (run) yield run;
    run = [id, clock, uid, origin, 1];
  }
  if (run) yield run;
}

const byNumber = (a: number, b: number): number => a - b;

const lineOf = (kind: KindName, entries: readonly string[]): string =>
  `{"k":"${kind}","s":[${entries.join(',')}]}`;

/** Reads the states of a file, with the numbers of databases here. */
export class FileReader {
  readonly #reader: StateReader;
  /** The names of users, with the numbers of the file, by their ids in it. */
  readonly #users = new Map<number, Name>();

  /**
   * @param originOf gives the number here of a database
   * @throws SciaticaError `unusable` for a file of a newer format
   */
  constructor(
    readonly seal: Seal,
    originOf: (uuid: string) => number,
  ) {
    this.#reader = new StateReader(seal, originOf);
  }

  /** What was erased over there. */
  erased(): Erased[] {
    return this.seal.erased.map((pair) => this.#reader.erased(pair));
  }

  /**
   * The states of a line; users come before what they have.
   * @param listed the records in the list of the kind, by their ids
   */
  states({ k, s }: Line, listed: ReadonlyMap<number, Cells>): State[] {
    return s.flatMap((entry) =>
      isRun(entry) ? [...this.#run(k, entry, listed)] : this.#state(k, entry, listed),
    );
  }

  *#run(k: KindName, [first, clock, uid, origin, count]: Run, listed: ReadonlyMap<number, Cells>) {
    for (let i = first; i < first + count; i++) {
      const owner = this.#users.get(Number(listed.get(i)?.['userId'])) ?? '';
      yield this.#state(
        k,
        { i, n: `${origin}.${i}.${uid}`, l: 1, o: [owner], c: [clock, uid, origin] },
        listed,
      );
    }
  }

  #state(k: KindName, { i, ...entry }: Entry, listed: ReadonlyMap<number, Cells>): State {
    if (k === 'user' && i !== undefined) this.#users.set(i, entry.n);
    const isWhole = i === undefined || entry.f || !entry.c;
    if (isWhole) return this.#reader.state({ k, ...entry });
    const cells = listed.get(i);
    if (!cells) throw broken('it has no record for a state');
    const fields: Record<string, Cell> = {};
    for (const group of statementsOf(k).values())
      for (const name of group) if (name !== INTO) fields[name] = cells[name] ?? null;
    if ('userId' in fields) fields['userId'] = this.#users.get(Number(cells['userId'])) ?? '';
    // It was checked as a record of its list.
    return this.#reader.state({ k, ...entry, f: fields }, true);
  }
}

/** The line that a value is. @throws SciaticaError `unusable` */
export function lineIn(value: unknown): Line {
  const { k, s } = (value ?? {}) as Partial<Line>;
  if (!isKindName(k) || !Array.isArray(s) || !s.every((entry) => isEntry(k, entry)))
    throw broken('a line is not that of states');
  return { k, s };
}

const isEntry = (kind: KindName, entry: unknown): boolean =>
  Array.isArray(entry)
    ? kind !== 'user' && entry.length === 5 && entry.every(Number.isSafeInteger) && entry[4] <= MOST_STATES
    : typeof entry === 'object' && entry !== null;

/** The id, or the first one, of the records of an entry in their list; undefined for a record that is not in it. */
export const firstId = (entry: Line['s'][number] | undefined): number | undefined =>
  entry && (isRun(entry) ? entry[0] : entry.i);

/** The least and the highest id of the records of a line in their list. */
export function idsIn({ s }: Line): [least: number, most: number] {
  let [least, most] = [Number.MAX_SAFE_INTEGER, 0];
  for (const entry of s) {
    const first = firstId(entry) ?? least;
    least = Math.min(least, first);
    most = Math.max(most, isRun(entry) ? first + entry[4] - 1 : (entry.i ?? 0));
  }
  return [least, most];
}

/**
 * The part of a file that is true of all its states.
 * @throws SciaticaError `unusable` for what is none, or one of a newer format
 */
export function sealIn(value: unknown): Seal {
  const { databases, format, erased } = (value ?? {}) as Partial<Seal>;
  if (!isDatabases(databases) || !Number.isSafeInteger(format) || !Array.isArray(erased))
    throw broken('what it says of all its records is not that of an export');
  if (Number(format) > migrations.length)
    throw unusable(
      `The file was written by a newer sciatica (format ${format}; this one knows ${migrations.length}). Upgrade it here first. Nothing was imported.`,
    );
  return { databases, format: Number(format), erased };
}

/** What is known of a file without states: which database it is from, and how far its history had come. */
export interface Unsealed {
  origin: number;
  seq: number;
}

/**
 * The state of a record in a file without states. Its clock is below that of anything that was said with one: what was changed here
 * stays, and of two such files the later counts.
 */
export function stateWithout(
  kind: KindName,
  { origin, seq }: Unsealed,
  { id, userId, ...cells }: Cells,
): State {
  const userName = nameOf(origin, Number(kind === 'user' ? id : userId), 0);
  const isNamedSo = kind === 'user' || isOnePerUser(kind);
  const name = isNamedSo ? userName : nameOf(origin, Number(id), 0);
  return {
    kind,
    name,
    life: 1,
    owners: kind === 'user' ? [] : [userName],
    fields: { ...cells, ...(!isNamedSo && { userId: userName }) },
    statements: unpack(kind, { c: [seq, 0, origin] }, statementOf),
  };
}
