import { type AnyRecord, type KindName, kinds } from '../domain/kinds.ts';

/** What is to be done with one record of two databases that have both gone on since they last agreed. */

/** A record with the ids of here; null where there is none. */
export type State = AnyRecord | null;

export interface Sides {
  record: KindName;
  /** As both had it last; null for a record that only one of them, or each for itself, has made since. */
  base: State;
  ours: State;
  theirs: State;
  /** False where nothing says that theirs came after the base: after a restored backup, or a gap in the history. */
  isLater: boolean;
}

export type Decision =
  /** Both have it as they last agreed. */
  | 'nothing'
  /** Both made the same of it. */
  | 'agree'
  | 'pull'
  | 'push'
  | 'delete here'
  | 'delete there'
  | 'conflict';

/** Compares the three states of a record: who alone has changed it since both agreed decides; if both have, it is a conflict. */
export function decide({ record, base, ours, theirs, isLater }: Sides): Decision {
  if (same(record, ours, theirs)) return same(record, ours, base) ? 'nothing' : 'agree';
  if (same(record, theirs, base)) return ours ? 'push' : 'delete there';
  if ((isLater || base === null) && same(record, ours, base)) return theirs ? 'pull' : 'delete here';
  return 'conflict';
}

/** Whether two states hold the same, ids of the records apart. */
export function same(record: KindName, one: State, other: State): boolean {
  if (one === null || other === null) return one === other;
  return differences(record, one, other).length === 0;
}

/** The fields in which two states differ, in the order of the record. */
export function differences(record: KindName, one: AnyRecord, other: AnyRecord): string[] {
  const [a, b] = [one, other] as unknown as Record<string, unknown>[];
  const text = (value: unknown) => JSON.stringify(value ?? null);
  return Object.keys(kinds[record].fields).filter(
    (name) => name !== 'id' && text(a?.[name]) !== text(b?.[name]),
  );
}

/**
 * The side whose change is newer, by the clocks of both machines; of two at the same moment the other side's.
 * @param ourTime when it was last changed here, in milliseconds since 1970; undefined if nothing says so
 * @param theirTime the same over there: what nobody knows the time of gives way, so that nothing here is lost to it
 */
export function newer(ourTime: number | undefined, theirTime: number | undefined): 'ours' | 'theirs' {
  if (theirTime === undefined) return 'ours';
  return (ourTime ?? 0) > theirTime ? 'ours' : 'theirs';
}
