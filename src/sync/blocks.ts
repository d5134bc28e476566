import type { AnyRecord } from '../domain/kinds.ts';
import { MOST_AT_ONCE } from '../domain/schema.ts';
import type { Pair } from '../store/sync/differences.ts';

/** Largest body of a request, in characters; the service takes 1 MiB. */
const MOST_CHARACTERS = 300_000;

/** All that a query gives block by block. */
export function all(query: (after: number) => number[]): number[] {
  const found: number[] = [];
  for (let block = query(0); block.length > 0; block = query(found.at(-1) ?? 0)) found.push(...block);
  return found;
}

export function allPairs(query: (after: number) => Pair[]): Pair[] {
  const found: Pair[] = [];
  for (let block = query(0); block.length > 0; block = query(found.at(-1)?.ourId ?? 0)) found.push(...block);
  return found;
}

/** Records in parts that one request can carry. */
export function* parts(records: readonly AnyRecord[]): Generator<AnyRecord[]> {
  let part: AnyRecord[] = [];
  let characters = 0;
  for (const record of records) {
    const length = JSON.stringify(record).length;
    if (part.length >= MOST_AT_ONCE || (part.length > 0 && characters + length > MOST_CHARACTERS)) {
      yield part;
      [part, characters] = [[], 0];
    }
    part.push(record);
    characters += length;
  }
  if (part.length > 0) yield part;
}
