import { type AnyRecord, type KindName, kindNames, ownerOf } from '../../src/domain/kinds.ts';
import type { FileOrigin } from '../../src/domain/origin.ts';
import { Import, type ImportOptions, type ImportResult } from '../../src/store/maintenance/import/import.ts';
import type { Part } from '../../src/store/reconcile/file.ts';
import { Replication } from '../../src/store/reconcile/replication.ts';
import type { Store } from '../../src/store/store.ts';
import { dbOf } from './helpers.ts';

/** What a file has: the records of a database, where they are from, and their states. */
export interface File {
  origin: FileOrigin;
  records: Record<KindName, AnyRecord[]>;
  lines: string[];
  seal: object | undefined;
}

/** The records of a database as `sciatica export` gives them. @param part which of them */
export function exported(store: Store, part: Part = {}): File {
  const states = new Replication(dbOf(store), (work) => store.change(work)).statesFor(part);
  return {
    origin: { id: store.id, seq: store.history.last(), complete: true },
    records: everything(store, part.users) as File['records'],
    lines: [...states.lines()].flat(),
    seal: states.seal(),
  };
}

/** The same file as a version without states wrote it. */
export const unsealed = (file: File): File => ({ ...file, lines: [], seal: undefined });

/** Imports a file as `sciatica import` does. */
export function imported(store: Store, file: File, options: Partial<ImportOptions> = {}): ImportResult {
  const task = new Import(
    dbOf(store),
    store.as({ origin: { source: 'import' } }),
    (at, noun) => `${noun}[${at}]`,
  );
  for (const noun of kindNames) task.add(file.records[noun].map((value, at) => ({ at, kind: noun, value })));
  task.add(file.lines.map((line, at) => ({ at, line })));
  return task.apply({
    onConflict: 'refuse',
    dryRun: false,
    origin: file.origin,
    seal: file.seal,
    ...options,
  });
}

/** Only the outcomes that occur, by kind. */
export const outcomesOf = ({ counts }: ImportResult): object =>
  Object.fromEntries(
    kindNames.flatMap((kind) => {
      const some = Object.entries(counts[kind]).filter(([, count]) => count > 0);
      return some.length > 0 ? [[`${kind}s`, Object.fromEntries(some)]] : [];
    }),
  );

/** All records of a store. @param users the ids of the users whose are wanted; all without it */
export const everything = (store: Store, users?: readonly number[]): object =>
  Object.fromEntries(
    kindNames.map((noun) => [
      noun,
      store
        .of(noun)
        .list()
        .filter((one) => !users || users.includes(ownerOf(noun, one))),
    ]),
  );
