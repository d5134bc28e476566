import type { Cell } from '../../domain/codec.ts';
import { INTO, type KindName, statementsOf } from '../../domain/kinds.ts';

/**
 * The replicated state of a record, and the merge of two: a join of a semilattice, so that the order, the grouping and the number of
 * exchanges do not matter (Shapiro et al., “Conflict-free Replicated Data Types”, 2011).
 */

/**
 * The name of a record everywhere: `origin.id.uid`, the database in which it was made (its number in `origins`), its id there, and the
 * uid of the change that created it, 0 where the history does not reach back so far.
 */
export type Name = string;

/** When and where a statement was made: hybrid logical clock (ms × 1000 + counter), uid of the change, database. */
export type Stamp = readonly [clock: number, uid: number, origin: number];

/** One statement of a record: the fields that are said together. */
export interface Statement {
  stamp: Stamp;
  /** The latest clock of each database that this statement replaced, directly or through earlier ones. */
  seen: Readonly<Record<number, number>>;
}

export interface State {
  kind: KindName;
  name: Name;
  /** Causal length: raised by each deletion and each restore; odd while the record is there (Yu & Rostad, 2020). */
  life: number;
  /** The names of all users it ever belonged to. */
  owners: readonly Name[];
  /** Cells by field; `userId` and `into` hold the name of a user. Absent where only the name travels. */
  fields?: Readonly<Record<string, Cell>> | undefined;
  /** By the name of the statement; empty without fields. */
  statements: Readonly<Record<string, Statement>>;
  /** In an exchange only: the record has left the view of the receiver. */
  outside?: true;
}

/** A statement in its serialized form. */
export type Code = readonly [clock: number, uid: number, origin: number, seen?: Statement['seen']];

/** The serialized statements of a record: `c` is that of all groups but `into` that `s` does not name; 0 in `s` is for none. */
export interface Packed {
  c?: Code;
  s?: Readonly<Record<string, Code | 0>>;
}

const codeOf = ({ stamp, seen }: Statement): Code => {
  for (const _ in seen) return [...stamp, seen];
  return stamp;
};

/** Serializes the statements of a record. Most of them date from its creation, so the one with the lowest clock becomes `c`. */
export function pack(kind: KindName, statements: State['statements']): Packed {
  let first: Statement | undefined;
  for (const group in statements) {
    const one = statements[group] as Statement;
    if (group !== INTO && (!first || one.stamp[0] < first.stamp[0])) first = one;
  }
  const c = first && codeOf(first);
  const text = JSON.stringify(c);
  let others: Record<string, Code | 0> | undefined;
  for (const group of statementsOf(kind).keys()) {
    const one = statements[group];
    if (one === first && group !== INTO) continue;
    const code = one ? codeOf(one) : 0;
    if (group === INTO ? code === 0 : JSON.stringify(code) === text) continue;
    others ??= {};
    others[group] = code;
  }
  return { ...(c && { c }), ...(others && { s: others }) };
}

/** The inverse of `pack`. @param read makes a statement of its serialized form */
export function unpack(
  kind: KindName,
  { c, s }: Packed,
  read: (code: Code) => Statement,
): Record<string, Statement> {
  const statements: Record<string, Statement> = {};
  const common = c && read(c);
  for (const group of statementsOf(kind).keys()) {
    const code = s?.[group];
    if (code === undefined ? common && group !== INTO : code !== 0)
      statements[group] = code === undefined ? (common as Statement) : read(code as Code);
  }
  return statements;
}

/** Whether the first stamp wins over the second: the later clock does, in a tie the higher uid of the change. */
export const isLater = ([clock, uid]: Stamp, [otherClock, otherUid]: Stamp): boolean =>
  clock === otherClock ? uid > otherUid : clock > otherClock;

/** Whether two stamps are of the same statement. */
const isSame = (a: Stamp, b: Stamp): boolean => a[0] === b[0] && a[1] === b[1];

/** The latest clock in some states; 0 for none. */
export function latestClock(states: readonly State[]): number {
  let latest = 0;
  for (const { statements } of states)
    for (const group in statements) latest = Math.max(latest, statements[group]?.stamp[0] ?? 0);
  return latest;
}

/** Of each database the later of its clocks in both. */
function joinSeen(a: Statement['seen'], b: Statement['seen']): Statement['seen'] {
  const joined: Record<number, number> = { ...a };
  for (const [origin, clock] of Object.entries(b)) {
    const key = Number(origin);
    if (clock > (joined[key] ?? 0)) joined[key] = clock;
  }
  return joined;
}

const replaced = ({ stamp: [clock, , origin], seen }: Statement): Statement['seen'] =>
  joinSeen(seen, { [origin]: clock });

/** A statement that replaces another one, or none. */
export const replacing = (said: Statement | undefined, stamp: Stamp): Statement => ({
  stamp,
  seen: said ? replaced(said) : {},
});

/** A state in which one statement has new values. @param former the state with the statement that is replaced, if another */
export const withStatement = (
  state: State,
  group: string,
  fields: NonNullable<State['fields']>,
  stamp: Stamp,
  former = state,
): State => ({
  ...state,
  fields: { ...state.fields, ...fields },
  statements: { ...state.statements, [group]: replacing(former.statements[group], stamp) },
});

/**
 * What a view is told of a record that has left it: its name, and when its owner changed, but not who owns it now.
 * @param said the stamp of the statement of the owner
 * @param owners the users of the view
 */
export const departed = ({ kind, name, life }: State, said?: Stamp, owners: readonly Name[] = []): State => {
  const statements = said && { fields: {}, statements: { userId: { stamp: said, seen: {} } } };
  return { kind, name, life, owners, statements: {}, ...statements, outside: true };
};

/** A state without some statements. @param groups their names */
export const without = (state: State, groups: ReadonlyMap<string, unknown>): State => ({
  ...state,
  statements: Object.fromEntries(Object.entries(state.statements).filter(([group]) => !groups.has(group))),
});

/**
 * Joins two states of one record: the higher causal length, and of each statement the later one.
 * @param groups the fields of each statement of the kind
 */
export function merge(a: State, b: State, groups: ReadonlyMap<string, readonly string[]>): State {
  const life = Math.max(a.life, b.life);
  const owners = union(a.owners, b.owners);
  if (!a.fields || !b.fields) {
    const full = a.fields ? a : b;
    return { ...full, life, owners };
  }
  const fields: Record<string, Cell> = {};
  const statements: Record<string, Statement> = {};
  for (const [group, names] of groups) {
    const [one, other] = [a.statements[group], b.statements[group]];
    // Never stated on either side, as `into` of a user who was never merged.
    if (!one && !other) continue;
    const takesB = !one || (other !== undefined && isLater(other.stamp, one.stamp));
    const winner = (takesB ? other : one) as Statement;
    statements[group] =
      one && other && isSame(one.stamp, other.stamp)
        ? { stamp: winner.stamp, seen: joinSeen(one.seen, other.seen) }
        : winner;
    const source = takesB ? b.fields : a.fields;
    for (const name of names) fields[name] = source[name] ?? null;
  }
  return { kind: a.kind, name: a.name, life, owners, fields, statements };
}

const union = (a: readonly Name[], b: readonly Name[]): readonly Name[] =>
  b.every((name) => a.includes(name)) ? a : [...new Set([...a, ...b])].sort();

/** The names of the statements that both sides changed concurrently (neither had seen the other's), to different values. */
export function disputed(a: State, b: State, groups: ReadonlyMap<string, readonly string[]>): string[] {
  const [one, other] = [a.fields, b.fields];
  if (!one || !other) return [];
  return [...groups].flatMap(([group, names]) => {
    const [s, t] = [a.statements[group], b.statements[group]];
    if (!s || !t || isSame(s.stamp, t.stamp)) return [];
    if (names.every((name) => (one[name] ?? null) === (other[name] ?? null))) return [];
    const [winner, loser] = isLater(t.stamp, s.stamp) ? [t, s] : [s, t];
    const [clock, , origin] = loser.stamp;
    return winner.stamp[2] === origin || (winner.seen[origin] ?? 0) >= clock ? [] : [group];
  });
}

/** Whether a merge would find two states of one record the same. Equal stamps stand for equal values. */
export function isEqualState(a: State, b: State): boolean {
  if (a.life !== b.life || a.owners.length !== b.owners.length) return false;
  if ((a.fields === undefined) !== (b.fields === undefined)) return false;
  const groups = Object.keys(a.statements);
  return (
    groups.length === Object.keys(b.statements).length &&
    a.owners.every((name) => b.owners.includes(name)) &&
    groups.every((group) => {
      const [s, t] = [a.statements[group], b.statements[group]];
      return s !== undefined && t !== undefined && isSame(s.stamp, t.stamp) && isEqualSeen(s.seen, t.seen);
    })
  );
}

const isEqualSeen = (a: Statement['seen'], b: Statement['seen']): boolean => {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[Number(key)] === b[Number(key)]);
};
