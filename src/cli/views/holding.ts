import { type KindName, kindNames, kindOf } from '../../domain/kinds.ts';
import { counted } from '../terminal/io.ts';

/** Whether a kind is listed even if there are no such records: users and logs. */
export const isAlwaysCounted = (kind: KindName): boolean => kind === 'user' || kind === 'log';

/** `1 pain entry`, `3 logs` */
export const countedKind = (count: number, kind: KindName): string =>
  counted(count, kindOf(kind).words.one, kindOf(kind).words.many);

/** `1 user`, `3 logs`, `1 routine`: users and logs always, other kinds only if there are any. */
export function partsOfHolding(counts: Readonly<Record<KindName, number>>): string[] {
  return kindNames
    .filter((kind) => isAlwaysCounted(kind) || counts[kind] > 0)
    .map((kind) => countedKind(counts[kind], kind));
}

/** `1 user, 3 logs and 1 routine` */
export function countedHolding(counts: Readonly<Record<KindName, number>>): string {
  const parts = partsOfHolding(counts);
  return `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}
