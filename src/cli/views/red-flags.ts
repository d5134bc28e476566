import type { AddHelpTextContext } from 'commander';
import type { Context } from '../../context.ts';
import type { Log } from '../../domain/log.ts';
import { callsForRedFlags, RED_FLAGS } from '../../domain/red-flags.ts';
import { mondayOf } from '../../domain/words/day.ts';
import { say } from '../terminal/io.ts';
import { wrap } from '../terminal/width.ts';

/** When to get help at once, as it stands at the end of the help that the other screens point to. */
export function redFlagsHelp({ command }: AddHelpTextContext): string {
  const width = command.configureOutput().getOutHelpWidth?.() ?? 80;
  return `\n${command.createHelp().boxWrap(RED_FLAGS, width)}`;
}

/** Tells a person, in a terminal, when to get help at once. */
export function sayRedFlags(context: Context): void {
  if (context.stderr.isTTY) sayThem(context);
}

/** The same after much pain, in a script too: somebody reads its mail. */
export function sayRedFlagsAfterPain(context: Context, before: number, after = before): void {
  if (callsForRedFlags({ painBefore: before, painAfter: after })) sayThem(context);
}

/**
 * The same after sessions. In a terminal also once a week, after the first ones since Monday: the records themselves say
 * whether it was told, so nothing has to be remembered.
 * @param logs sessions of one user that were just recorded or changed, at least one
 * @param isNew whether they were recorded just now
 */
export function sayRedFlagsAfter(context: Context, logs: readonly Log[], isNew = true): void {
  if (logs.some(callsForRedFlags)) sayThem(context);
  else if (isNew && context.stderr.isTTY && beginAWeek(context, logs)) sayThem(context);
}

/** Whether there are older sessions, but no other one since Monday. Who has none was told as a new user. */
function beginAWeek({ store, today }: Context, logs: readonly Log[]): boolean {
  const [{ userId } = {}] = logs;
  if (userId === undefined) return false;
  const ofWeek = { userId, since: mondayOf(today), until: today };
  const added = logs.filter(({ date }) => date >= ofWeek.since && date <= today).length;
  return (
    added > 0 && store.logs.count(ofWeek) === added && store.logs.count({ userId, until: today }) > added
  );
}

/** Wrapped for where it goes, which may be a terminal while stdout is a pipe. */
function sayThem(context: Context): void {
  for (const line of wrap(RED_FLAGS, { width: context.stderr.columns || 80 })) say(context, line);
}
