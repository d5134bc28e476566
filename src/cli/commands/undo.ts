import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { SciaticaError } from '../../domain/errors.ts';
import { type HistoryEntry, usersOf } from '../../domain/history.ts';
import { confirmed } from '../input/edit.ts';
import { idOf, type Options } from '../input/options.ts';
import { examples } from '../terminal/help.ts';
import { commandLine, escapeControls, say, sayAlways, sayDone } from '../terminal/io.ts';
import { summaryOfUser } from '../views/records.ts';

/** Entries of a change that are listed. */
const TOLD = 5;
/** Users of a change that are named. */
const NAMED = 3;

/** `sciatica undo` and `sciatica redo` */
export function addUndoCommand(program: Command, context: Context): void {
  program
    .command('undo')
    .summary('Take back the last change, or any other')
    .description(
      'Take back the last change, whoever made it, or the change with this number. An import is one change. Once more takes back the change before it; sciatica redo comes forward again. It shows what it will do and asks first.',
    )
    .argument('[change]', 'number of the change, as sciatica history shows it')
    .option('--yes', 'do not ask')
    .option('--everywhere', 'also if other machines have the change: the next sync takes it back there too')
    .addHelpText(
      'after',
      examples('sciatica undo', 'sciatica undo 12 --yes', 'sciatica undo 12 --everywhere'),
    )
    .action((change: string | undefined, options: Options) => undoChange(context, change, options));
}

/** `sciatica redo` */
export function addRedoCommand(program: Command, context: Context): void {
  program
    .command('redo')
    .summary('Bring back what undo took back')
    .description(
      'Bring back what the last undo took back; once more, what the undo before it took back. A new change ends it: then sciatica undo with the number of an undo brings back what that took back. It shows what it will do and asks first.',
    )
    .option('--yes', 'do not ask')
    .option('--everywhere', 'also if other machines have the undo: the next sync takes it back there too')
    .addHelpText('after', examples('sciatica redo', 'sciatica redo --yes'))
    .action((options: Options) => redoChange(context, options));
}

async function undoChange(context: Context, text: string | undefined, options: Options): Promise<void> {
  const { store } = context;
  const change = text === undefined ? store.history.nextUndo() : idOf(text, 'A change');
  if (change === undefined) throw new SciaticaError('not-found', 'There is nothing to undo.');
  await takeBack(context, options, change, `To undo change ${change}`, `Undo change ${change}?`);
  sayDone(context, `Undid change ${change}. To have it back: ${commandLine(context, 'redo')}`);
}

async function redoChange(context: Context, options: Options): Promise<void> {
  const { history } = context.store;
  const undo = history.nextRedo();
  const change = undo === undefined ? undefined : history.ofChange(undo)[0]?.undoes;
  if (undo === undefined || change === undefined)
    throw new SciaticaError(
      'not-found',
      'There is nothing to redo: nothing was undone since the last change.',
    );
  await takeBack(context, options, undo, `To redo change ${change}`, `Redo change ${change}?`);
  sayDone(context, `Redid change ${change}. To take it back again: ${commandLine(context, 'undo')}`);
}

/** Says what will be done, asks, and does it. */
async function takeBack(
  context: Context,
  options: Options,
  change: number,
  plan: string,
  question: string,
): Promise<void> {
  const { store } = context;
  const entries = store.history.ofChange(change);
  // Of a redo, what it brings back is named, not the undo.
  const [made] = store.history.ofChange(entries[0]?.undoes ?? change);
  if (entries[0]) {
    await sayPlan(context, options, entries, made ?? entries[0], plan);
    await confirmReach(context, options, change, question);
  }
  store.undo(change);
}

/** Asks; where other machines have the change by now, in so many words. */
async function confirmReach(
  context: Context,
  options: Options,
  change: number,
  question: string,
): Promise<void> {
  const machines = context.store.reachOf(change).map(escapeControls);
  const nothing = 'Nothing was changed.';
  if (machines.length === 0 || options['everywhere']) return confirmed(context, options, question, nothing);
  const reach = `The next sync takes it back at ${machines.join(', ')} too.`;
  sayAlways(context, reach);
  if (!context.interactive || options['yes'])
    throw new SciaticaError('conflict', `${nothing} ${reach} If that is what you want: --everywhere`);
  await confirmed(context, {}, `${question.slice(0, -1)} here and at ${machines.join(', ')}?`, nothing);
}

async function sayPlan(
  context: Context,
  options: Options,
  entries: readonly HistoryEntry[],
  made: HistoryEntry,
  plan: string,
): Promise<void> {
  const { describeUndo, madeBy } = await import('../views/history.ts');
  const tell = options['yes'] ? say : sayAlways;
  tell(context, `${plan}, ${madeBy(made)}, of ${ownersOf(context, entries)}:`);
  for (const entry of entries.toReversed().slice(0, TOLD)) tell(context, `  ${describeUndo(entry)}`);
  if (entries.length > TOLD) tell(context, `  and ${entries.length - TOLD} more`);
}

/** Whose records they are: by name, as far as they are still there. */
function ownersOf(context: Context, entries: readonly HistoryEntry[]): string {
  const ids = [...new Set(entries.flatMap(usersOf))];
  const { users } = context.store;
  const names = ids.slice(0, NAMED).map((id) => {
    const user = users.find(id);
    return user ? summaryOfUser(user) : `user ${id}`;
  });
  const more = ids.length - names.length;
  return more > 0 ? `${names.join(', ')} and ${more} more` : names.join(' and ');
}
