import type { SciaticaError } from '../../domain/errors.ts';
import { grouped } from '../../domain/fields.ts';
import { type KindName, nounOf } from '../../domain/kinds.ts';
import { OWNERSHIP_REMEDY } from '../../domain/ownership.ts';
import type { ImportResult } from '../../store/maintenance/import/import.ts';
import type { Moved, Named, Recipient } from '../../store/maintenance/import/owners.ts';
import type { Counts } from '../../store/maintenance/import/staging.ts';
import { counted, escapeControls } from '../terminal/io.ts';
import { countedKind } from './holding.ts';

const WORDS: Record<keyof Counts, string> = {
  new: 'new',
  equal: 'already there',
  updated: 'changed there',
  kept: 'changed here',
  absent: 'deleted or set aside here',
  repeated: 'repeated in the file',
  conflicting: 'in conflict',
  skipped: 'skipped',
  overwritten: 'overwritten',
  renumbered: 'new under another id',
  deleted: 'deleted there, and here too',
};

export const totalOf = (counts: Counts): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

/** `400 logs: 398 new, 2 already there; 1 deleted there, and here too` */
export function describeCounts(counts: Counts, kind: KindName): string {
  const { deleted, ...inFile } = counts;
  const described = Object.entries(inFile)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${grouped(count)} ${WORDS[name as keyof Counts]}`);
  const present = [countedKind(totalOf(counts) - deleted, kind), described.join(', ')]
    .filter(Boolean)
    .join(': ');
  return deleted > 0 ? `${present}; ${grouped(deleted)} ${WORDS.deleted}` : present;
}

/** Says how many users of a file were left out because they were erased here. */
export const leftOutLine = (users: number): string =>
  `${counted(users, 'user')} of the file ${users === 1 ? 'was' : 'were'} erased here, and left out.`;

/** `New: Nora Lind (user 7)` */
export function describeRecipients(recipients: readonly Recipient[]): string {
  return `${recipients[0]?.isNew ? 'New' : 'For'}: ${namesOf(recipients)}`;
}

/** `Nora Lind (user 7), Ben Roth (user 8)` */
export const namesOf = (users: readonly Named[]): string =>
  users.map(({ id, firstName, lastName }) => `${firstName} ${lastName} (user ${id})`).join(', ');

/** `Moved: log 5 from Nora Lind to Ben Roth` */
export const describeMoved = (moved: readonly Moved[]): string[] =>
  moved.map(({ record, id, from, to }) => `Moved: ${nounOf(record)} ${id} from ${from} to ${to}`);

/** Says why records of a file conflict with stored ones, and which options resolve it. */
export function describeRefusal(
  error: SciaticaError,
  {
    count,
    result,
    file,
    isOwn,
  }: {
    count: number;
    result: ImportResult | undefined;
    file: string;
    /** Whether the file says that it is from this database. */
    isOwn: boolean;
  },
): string {
  if (!result) return `${error.message} Nothing was imported.`;
  const { erased, ownership, replaced } = result;
  if (ownership) return `${file}: nothing was imported. ${OWNERSHIP_REMEDY[ownership]}`;
  const whose = replaced.length > 0 ? ` of ${escapeControls(namesOf(replaced))}` : '';
  if (erased > 0 && erased === count)
    return `${counted(erased, 'user')} of the file ${erased === 1 ? 'was' : 'were'} erased here: nothing was imported. To bring them back: --on-conflict theirs. To leave them out: --on-conflict ours.`;
  if (count === 0) return `${file}: ${error.message} Nothing was imported.`;
  if (error.issues.some(({ field }) => field !== 'id'))
    return `${counted(count, 'record')} cannot be beside what is stored: nothing was imported. See --on-conflict skip and overwrite.`;
  const ids = count === 1 ? 'The id of one record is' : `The ids of ${counted(count, 'record')} are`;
  const own = isOwn
    ? ' The file is from this database itself, or from a copy of it, which needs an identity of its own: sciatica identity new.'
    : '';
  return `${ids} taken by different ones${whose}: nothing was imported.${own} See --on-conflict skip, overwrite and renumber.`;
}
