import { tryJson } from '../lib/strict-json.ts';
import type { Position } from '../store/reconcile/collect.ts';
import { isPosition } from '../store/reconcile/parcel.ts';
import type { Name } from '../store/reconcile/state.ts';

/** The list of what a machine has written into a folder. */

/** A file of a machine: its name has no meaning, its digest is checked. */
export interface Part {
  file: string;
  sha256: string;
  bytes: number;
  from: Position;
  to: Position;
}

export interface Manifest {
  parts: Part[];
  /** How many of the parts were there when all was last written; what came later follows. */
  base: number;
  /** The users whose records are told, by the names that the machine has for them; null for all. */
  view: readonly Name[] | null;
  /** How much was erased. */
  erased: number;
}

/** The names of parts. */
export const FILE = /^[0-9a-f]{32}\.sciatica$/;

/** The manifest in a line of JSON; undefined where it is none, or not whole. */
export function manifestIn(line: string): Manifest | undefined {
  const json = tryJson(line);
  const { parts, base, view, erased } = ('value' in json ? (json.value ?? {}) : {}) as Partial<Manifest>;
  const isWhole =
    Array.isArray(parts) &&
    parts.every(
      (part: Partial<Part> | null) =>
        FILE.test(String(part?.file)) && isPosition(part?.from) && isPosition(part?.to),
    ) &&
    (view === null || Array.isArray(view)) &&
    Number.isSafeInteger(base) &&
    Number.isSafeInteger(erased);
  return isWhole
    ? { parts, base: base as number, view: view as Manifest['view'], erased: erased as number }
    : undefined;
}
