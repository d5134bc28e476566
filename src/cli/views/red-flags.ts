import type { AddHelpTextContext } from 'commander';
import type { Context } from '../../context.ts';
import type { Log } from '../../domain/log.ts';
import { callsForRedFlags, RED_FLAGS } from '../../domain/red-flags.ts';
import { mondayOf } from '../../domain/words/day.ts';
import { say } from '../terminal/io.ts';
import { wrap } from '../terminal/width.ts';

/** The red flags (when to get help at once), to end the help text to which the other screens refer. */
export function redFlagsHelp({ command }: AddHelpTextContext): string {
  const width = command.configureOutput().getOutHelpWidth?.() ?? 80;
  return `\n${command.createHelp().boxWrap(RED_FLAGS, width)}`;
}

/** Shows the red flags, in a terminal only. */
export function sayRedFlags(context: Context): void {
  if (context.stderr.isTTY) sayThem(context);
}

/** Shows the red flags if the pain calls for them; in a script too, whose output somebody may read. */
export function sayRedFlagsAfterPain(context: Context, before: number, after = before): void {
  if (callsForRedFlags({ painBefore: before, painAfter: after })) sayThem(context);
}

/**
 * Shows the red flags after sessions that call for them. In a terminal also once a week, after the first ones since
 * Monday: the records show whether that was done, so nothing is stored for it.
 * @param logs sessions of one user that were just recorded or changed, at least one
 * @param isNew whether they were recorded, not changed
 */
export function sayRedFlagsAfter(context: Context, logs: readonly Log[], isNew = true): void {
  if (logs.some(callsForRedFlags)) sayThem(context);
  else if (isNew && context.stderr.isTTY && beginAWeek(context, logs)) sayThem(context);
}

/** Whether there are older sessions, but no other one since Monday. A new user was shown the red flags when added. */
function beginAWeek({ store, today }: Context, logs: readonly Log[]): boolean {
  const [{ userId } = {}] = logs;
  if (userId === undefined) return false;
  const ofWeek = { userId, since: mondayOf(today), until: today };
  const added = logs.filter(({ date }) => date >= ofWeek.since && date <= today).length;
  return (
    added > 0 && store.logs.count(ofWeek) === added && store.logs.count({ userId, until: today }) > added
  );
}

/** Wraps by the width of stderr, which may be a terminal even if stdout is not. */
function sayThem(context: Context): void {
  for (const line of wrap(RED_FLAGS, { width: context.stderr.columns || 80 })) say(context, line);
}
