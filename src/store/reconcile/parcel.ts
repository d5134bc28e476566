import { createHash } from 'node:crypto';
import { type Cell, fromCells } from '../../domain/codec.ts';
import { unusable } from '../../domain/errors.ts';
import { INTO, isKindName, type KindName, kindOf, statementsOf } from '../../domain/kinds.ts';
import { UUID } from '../../domain/origin.ts';
import { checksOf } from '../../domain/schema.ts';
import { isObject } from '../../lib/strict-json.ts';
import type { Position } from './collect.ts';
import type { Erased } from './erasures.ts';
import { isOnePerUser } from './fold.ts';
import { partsOf } from './names.ts';
import { type Name, type Packed, pack, type Stamp, type State, type Statement, unpack } from './state.ts';

/**
 * States as text, as they are exchanged: a line of JSON with the header, a line for each state, and a line with the SHA-256 of
 * all lines before it.
 */

/** The first line. */
export interface Header {
  /** The UUID of the database that sends the states. */
  database: string;
  /** The UUIDs of all databases that are named, by their numbers in this text. */
  databases: Readonly<Record<string, string>>;
  /** The number of the database format: states of two formats are not merged. */
  format: number;
  /** The states are those of its changes after the position `from`, up to `to`. */
  from: Position;
  to: Position;
  /** Whether no further part follows. */
  isLast: boolean;
  /** The names of erased users and records. */
  erased: readonly Erased[];
  /** The names of the users whose records are sent; null for all. */
  view: readonly Name[] | null;
}

export interface Parcel extends Header {
  states: State[];
}

/** A state as a line: kind, name, life, owners, fields, and whether it is outside of the view. */
export interface Encoded extends Packed {
  k: KindName;
  n: Name;
  l: number;
  o: readonly Name[];
  f?: State['fields'];
  x?: true;
}

export const encoded = ({ kind, name, life, owners, fields, statements, outside }: State): Encoded => ({
  k: kind,
  n: name,
  l: life,
  o: owners,
  ...(fields && { f: fields, ...pack(kind, statements) }),
  ...(outside && { x: true as const }),
});

/** The numbers of all databases in these states, erasures and view. */
export function originsIn({
  states = [],
  erased = [],
  view,
}: Partial<Pick<Parcel, 'states' | 'erased' | 'view'>>): Set<number> {
  const found = new Set<number>();
  const seen = new Set<Name>();
  const add = (name: Name) => {
    if (seen.has(name)) return;
    seen.add(name);
    found.add(partsOf(name)[0]);
  };
  for (const [, name] of erased) add(name);
  for (const name of view ?? []) add(name);
  for (const { kind, name, owners, fields, statements } of states) {
    add(name);
    for (const owner of owners) add(owner);
    for (const field of NAMES) if (typeof fields?.[field] === 'string') add(fields[field]);
    let last: Statement | undefined;
    for (const group of statementsOf(kind).keys()) {
      const one = statements[group];
      if (!one || one === last) continue;
      last = one;
      found.add(one.stamp[2]);
      for (const origin in one.seen) found.add(Number(origin));
    }
  }
  return found;
}

/**
 * The text of a parcel. Its header lists only the databases that occur in it.
 * @param uuids the UUIDs of databases by their numbers in `origins`
 */
export function writeParcel(
  { states, ...header }: Omit<Parcel, 'databases'>,
  uuids: ReadonlyMap<number, string>,
): string {
  const databases = uuidsOf(originsIn({ states, ...header }), uuids);
  let body = `${JSON.stringify({ sciatica: 'states', databases, ...header })}\n`;
  for (const state of states) body += `${JSON.stringify(encoded(state))}\n`;
  return `${body}${JSON.stringify({ sha256: digestOf(body) })}\n`;
}

/** The UUIDs of some databases by their numbers. */
export const uuidsOf = (used: ReadonlySet<number>, uuids: ReadonlyMap<number, string>) =>
  Object.fromEntries([...used].sort((a, b) => a - b).map((origin) => [origin, uuids.get(origin) ?? '']));

/** The fields that hold the name of a user. */
const NAMES = ['userId', INTO];

const digestOf = (text: string) => createHash('sha256').update(text).digest('hex');

/** Most databases that a parcel may name. */
const MOST_DATABASES = 1000;

const NAME = /^[1-9]\d{0,14}\.[1-9]\d{0,15}\.\d{1,15}$/;
/** How far a clock may be ahead of this machine, in milliseconds: later clocks here are above it, and must stay safe integers. */
const FURTHEST_AHEAD_MS = 20 * 365 * 86_400_000;

/**
 * The highest causal length, far above that of a token for some users (`receive.ts`): what it sent can be deleted and restored.
 */
const MOST_LIVES = 2 ** 52;

export const broken = (what: string) =>
  unusable(`What came from the other machine is not whole: ${what}. Nothing of it was taken; try again.`);

/**
 * Parses and checks a parcel, and replaces the numbers of databases in it by those of here.
 * @param originOf gives the number of a database here, by its UUID
 * @throws SciaticaError `unusable` for a text that is cut off, changed, or no parcel; `invalid` for values that no record may
 *   have
 */
export function readParcel(text: string, originOf: (uuid: string) => number): Parcel {
  const end = text.lastIndexOf('\n', text.length - 2) + 1;
  const { sha256 } = objectIn(text.slice(end));
  if (!text.endsWith('\n') || sha256 !== digestOf(text.slice(0, end)))
    throw broken('its checksum is not that of its content');
  const [head = '', ...lines] = text.slice(0, end).split('\n').filter(Boolean);
  const header = headerIn(objectIn(head));
  originOf(header.database);
  const reader = new StateReader(header, originOf);
  return {
    ...header,
    erased: header.erased.map((pair) => reader.erased(pair)),
    view: viewIn(header, originOf),
    states: lines.map((line) => reader.state(objectIn(line))),
  };
}

/** The view in a header, with the numbers of databases here. @param originOf as of `readParcel` */
export function viewIn(header: Header, originOf: (uuid: string) => number): readonly Name[] | null {
  const reader = new StateReader(header, originOf);
  return header.view?.map((name) => reader.name(name)) ?? null;
}

/** Parses the first line of a parcel only. @throws SciaticaError `unusable` */
export const readHeader = (text: string): Header => headerIn(objectIn(text.slice(0, text.indexOf('\n') + 1)));

function objectIn(line: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw broken('a line is no JSON');
  }
  if (!isObject(value)) throw broken('a line is no JSON object');
  return value;
}

function headerIn(value: Record<string, unknown>): Header {
  const { sciatica, database, databases, format, from, to, erased, view } = value;
  const isWhole =
    sciatica === 'states' &&
    typeof database === 'string' &&
    UUID.test(database) &&
    isDatabases(databases) &&
    Number.isSafeInteger(format) &&
    isPosition(from) &&
    isPosition(to) &&
    Array.isArray(erased) &&
    (view === null || Array.isArray(view));
  if (!isWhole) throw broken('its first line is not that of an exchange');
  return { ...(value as unknown as Header), isLast: value['isLast'] === true };
}

/** Whether a value holds UUIDs of databases by their numbers, at most 1,000. */
export function isDatabases(value: unknown): value is Record<string, string> {
  const uuids = isObject(value) ? Object.values(value) : [undefined];
  return uuids.length <= MOST_DATABASES && uuids.every((uuid) => typeof uuid === 'string' && UUID.test(uuid));
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** Whether a value is a position in the changes of a database. */
export function isPosition(value: unknown): value is Position {
  const { old, seq, uid, rev } = (value ?? {}) as Partial<Position>;
  const isOld = old === undefined || (Array.isArray(old) && old.length === 2 && old.every(isCount));
  return isOld && isCount(seq) && isCount(uid) && isCount(rev);
}

/** Parses and checks states, and replaces the numbers of databases in them by those of here. */
export class StateReader {
  readonly #latest = (Date.now() + FURTHEST_AHEAD_MS) * 1000;

  readonly #numbers = new Map<number, number>();

  constructor(
    private readonly header: Pick<Header, 'databases'>,
    private readonly originOf: (uuid: string) => number,
  ) {}

  #origin(number: number): number {
    let known = this.#numbers.get(number);
    if (known === undefined) {
      const uuid = this.header.databases[number];
      if (uuid === undefined) throw broken('it names a database that it does not list');
      known = this.originOf(uuid);
      this.#numbers.set(number, known);
    }
    return known;
  }

  name(value: unknown): Name {
    if (typeof value !== 'string' || !NAME.test(value)) throw broken('it has a name that is none');
    const end = value.indexOf('.');
    return `${this.#origin(Number(value.slice(0, end)))}${value.slice(end)}`;
  }

  erased(value: unknown): Erased {
    const [record, name] = Array.isArray(value) ? value : [];
    if (!isKindName(record)) throw broken('it names something erased that is no record');
    return [record, this.name(name)];
  }

  /** @param isChecked whether its fields were checked as those of a record before */
  state(value: object, isChecked = false): State {
    const { k, n, l, o, f, s, x } = value as Encoded;
    if (!isKindName(k) || !Number.isSafeInteger(l) || l < 1 || l > MOST_LIVES || !Array.isArray(o))
      throw broken('a line is not that of a record');
    const [name, owners] = [this.name(n), o.map((owner) => this.name(owner)).sort()];
    const outside = x && { outside: true as const };
    if (!f) return { kind: k, name, life: l, owners, statements: {}, ...outside };
    const fields: Record<string, Cell> = { ...f };
    for (const field of NAMES)
      if (typeof fields[field] === 'string') fields[field] = this.name(fields[field]);
    if (!isChecked) requireRecord(k, fields);
    if (s !== undefined && !isObject(s)) throw broken('a line has statements that are none');
    const statements = unpack(k, value as Encoded, (code) => this.#statement(code));
    return { kind: k, name, life: l, owners, fields, statements, ...outside };
  }

  #statement(code: unknown): Statement {
    const [clock, uid, origin, seen = {}] = Array.isArray(code) ? (code as unknown[]) : [];
    if (!isCount(uid) || !isObject(seen)) throw broken('a line has a clock that is none');
    const stamp: Stamp = [this.#clock(clock), uid, this.#origin(Number(origin))];
    const clocks = Object.entries(seen).map(([key, value]) => [
      this.#origin(Number(key)),
      this.#clock(value),
    ]);
    return { stamp, seen: Object.fromEntries(clocks) };
  }

  #clock(value: unknown): number {
    if (!isCount(value)) throw broken('a line has a clock that is none');
    if (value > this.#latest)
      throw unusable(
        'Something over there was recorded by a clock that is more than 20 years ahead of the clock here: set both right. Nothing of it was taken.',
      );
    return value;
  }
}

/** @throws SciaticaError `invalid` unless the cells make a record of the kind */
function requireRecord(kind: KindName, fields: Readonly<Record<string, Cell>>): void {
  const known = kindOf(kind).fields;
  let isBare = true;
  let isNone = true;
  for (const name in fields) {
    if (name !== INTO && !Object.hasOwn(known, name)) throw broken(`${kind} has no field ${name}`);
    isBare &&= name === 'userId' || name === INTO;
    isNone &&= fields[name] === null;
  }
  // Only an owner or the pointer of an absent user (`withOwner`), or that a user has no such record.
  if (isBare || (isOnePerUser(kind) && isNone)) return;
  if ('userId' in known && !isOnePerUser(kind) && typeof fields['userId'] !== 'string')
    throw broken('a record belongs to nobody');
  checksOf(kind).record(fromCells(known, (name) => (name === 'id' || name === 'userId' ? 1 : fields[name])));
}
