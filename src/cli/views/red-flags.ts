import type { AddHelpTextContext } from 'commander';
import type { Context } from '../../context.ts';
import { RED_FLAGS } from '../../domain/red-flags.ts';
import { say } from '../terminal/io.ts';

/** When to get help at once, as it stands at the end of a command's help. */
export function redFlagsHelp({ command }: AddHelpTextContext): string {
  const width = command.configureOutput().getOutHelpWidth?.() ?? 80;
  return `\n${command.createHelp().boxWrap(RED_FLAGS, width)}`;
}

/** Tells a person, in a terminal, when to get help at once. */
export async function sayRedFlags(context: Context): Promise<void> {
  if (!context.stderr.isTTY) return;
  const { canvasOf, wrap } = await import('../terminal/layout.ts');
  for (const line of wrap(RED_FLAGS, await canvasOf(context))) say(context, line);
}
