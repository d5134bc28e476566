import type { Context } from '../../context.ts';
import { unusable } from '../../domain/errors.ts';
import type { CopiesAfterErasing, CopyLeft } from '../../store/maintenance/erase-backups.ts';
import { inBrackets, subjectOf } from '../../store/maintenance/erasing.ts';
import { counted, escapeControls, say, sayAlways } from '../terminal/io.ts';
import { rewriteFolders } from './folder-remote.ts';

interface Finish {
  /** How to retry, for the error message. */
  again?: string;
  tell?: ((line: string) => void) | undefined;
  /** Nothing was erased now, but an earlier erasure may have left copies. */
  isRetry?: boolean;
}

/**
 * Rewrites this machine's files in folders after an erasure, and reports the outcome for all copies.
 * @throws SciaticaError `unusable` if a copy is left
 */
export async function finishCopies(
  context: Context,
  ids: readonly number[],
  { rewritten, deleted, left: leftHere }: CopiesAfterErasing,
  { again = 'run this again', tell = (line) => sayAlways(context, line), isRetry = false }: Finish = {},
): Promise<void> {
  const folders = await rewriteFolders(context);
  const left = [...leftHere, ...folders.left];
  if (rewritten.length > 0) say(context, `Erased from ${counted(rewritten.length, 'automatic backup')} too.`);
  if (deleted.length > 0)
    tell(`Deleted ${counted(deleted.length, 'encrypted backup')}: nobody can look into them here.`);
  for (const path of isRetry ? [] : folders.done)
    tell(
      `Erased from the files of this machine in ${escapeControls(path)}. Files of other machines there hold them until these sync and erase too, or, where a machine is not used any more, until you delete them; and what carries the folder may keep former versions.`,
    );
  if (!isRetry)
    say(context, 'Backups in other places, exports and reports are not known here: delete them yourself.');
  requireNoneLeft(context, ids, left, again, tell);
}

/** Lists the copies that may still hold erased people. @throws SciaticaError `unusable` if there are any */
export function requireNoneLeft(
  context: Context,
  ids: readonly number[],
  left: readonly CopyLeft[],
  again: string,
  tell = (line: string) => sayAlways(context, line),
): void {
  for (const { path, why } of left)
    tell(`This copy may still hold them: ${escapeControls(path)}${inBrackets(why)}`);
  if (left.length > 0)
    throw unusable(
      `${subjectOf(ids)} is erased, but not everywhere: remove what hinders it or the copies above, and ${again}.`,
    );
}
