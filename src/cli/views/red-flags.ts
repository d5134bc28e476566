import type { AddHelpTextContext } from 'commander';
import type { Context } from '../../context.ts';
import type { Log } from '../../domain/log.ts';
import { callsForRedFlags, RED_FLAGS } from '../../domain/red-flags.ts';
import { say } from '../terminal/io.ts';

/** When to get help at once, as it stands at the end of a command's help. */
export function redFlagsHelp({ command }: AddHelpTextContext): string {
  const width = command.configureOutput().getOutHelpWidth?.() ?? 80;
  return `\n${command.createHelp().boxWrap(RED_FLAGS, width)}`;
}

/** Tells a person, in a terminal, when to get help at once. */
export async function sayRedFlags(context: Context): Promise<void> {
  if (context.stderr.isTTY) await sayThem(context);
}

/** The same after sessions with much pain, in a script too: somebody reads its mail. */
export async function sayRedFlagsAfter(context: Context, logs: readonly Log[]): Promise<void> {
  if (logs.some(callsForRedFlags)) await sayThem(context);
}

async function sayThem(context: Context): Promise<void> {
  const { canvasOf, wrap } = await import('../terminal/layout.ts');
  for (const line of wrap(RED_FLAGS, await canvasOf(context))) say(context, line);
}
