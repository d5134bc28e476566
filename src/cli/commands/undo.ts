import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { SciaticaError } from '../../domain/errors.ts';
import type { HistoryEntry } from '../../domain/history.ts';
import { examples } from '../help.ts';
import { confirmed } from '../input/edit.ts';
import { idOf, type Options } from '../input/options.ts';
import { print, say } from '../output/io.ts';

/** Entries of a change that are listed. */
const TOLD = 5;

/** `sciatica undo` */
export function addUndoCommand(program: Command, context: Context): void {
  program
    .command('undo')
    .summary('Take back the last change, or any other')
    .description(
      'Take back the last change made from the command line, or the change with this number. An import is one change. It shows what it will do and asks first. To take back an undo, undo once more.',
    )
    .argument('[change]', 'number of the change, as sciatica history shows it')
    .option('--yes', 'do not ask')
    .addHelpText('after', examples('sciatica undo', 'sciatica undo 12 --yes'))
    .action((change: string | undefined, options: Options) => undoChange(context, change, options));
}

async function undoChange(context: Context, text: string | undefined, options: Options): Promise<void> {
  const { store } = context;
  const change = text === undefined ? store.history.latestFromCommandLine() : idOf(text, 'A change');
  if (change === undefined) throw new SciaticaError('not-found', 'There is nothing to undo.');
  const entries = store.history.ofChange(change);
  if (entries.length > 0) {
    await sayPlan(context, change, entries);
    await confirmed(context, options, `Undo change ${change}?`, 'Nothing was undone.');
  }
  store.undo(change);
  print(context, `Undid change ${change}. To have it back: sciatica undo`);
}

async function sayPlan(context: Context, change: number, entries: readonly HistoryEntry[]): Promise<void> {
  const { describeUndo } = await import('../views/history.ts');
  say(context, `To undo change ${change}:`);
  for (const entry of entries.toReversed().slice(0, TOLD)) say(context, `  ${describeUndo(entry)}`);
  if (entries.length > TOLD) say(context, `  and ${entries.length - TOLD} more`);
}
