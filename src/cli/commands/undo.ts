import { basename } from 'node:path';
import type { Context } from '../../context.ts';
import { absent, conflict } from '../../domain/errors.ts';
import type { ChangePart } from '../../store/history/history.ts';
import type { Command } from '../input/command.ts';
import { confirmed } from '../input/edit.ts';
import { idOf, type Options } from '../input/options.ts';
import { commandLine, escapeControls, quoted, say, sayAlways, sayDone } from '../terminal/io.ts';
import { summaryOfUser } from '../views/records.ts';

/** Entries of a change that are listed. */
const TOLD = 5;
/** Users of a change that are named. */
const NAMED = 3;

export function addUndoCommands(program: Command, context: Context): void {
  program
    .command('undo')
    .summary('Take back the last change, or any other')
    .description(
      'Take back the last change made here, whoever made it, or the change with this number, or the last import of a file with this name. An import is one change. Run again, it takes back the change before that; sciatica redo goes forward again. It shows what it will do and asks first.',
    )
    .argument(
      '[change]',
      'number of the change, as sciatica history shows it, or the name of an imported file',
    )
    .option('--yes', 'do not ask')
    .option('--everywhere', 'even if other machines have the change: the next sync takes it back there too')
    .examples(
      'sciatica undo',
      'sciatica undo 12 --yes',
      'sciatica undo zoe.csv',
      'sciatica undo 12 --everywhere',
    )
    .action((change: string | undefined, options: Options) => undoChange(context, change, options));

  program
    .command('redo')
    .summary('Bring back what undo took back')
    .description(
      'Bring back what the last undo took back; run again, it brings back what the undo before that took back. After a new change there is nothing to redo, but sciatica undo with the number of an undo brings back what it took back. It shows what it will do and asks first.',
    )
    .option('--yes', 'do not ask')
    .option('--everywhere', 'even if other machines have the undo: the next sync takes it back there too')
    .examples('sciatica redo', 'sciatica redo --yes')
    .action((options: Options) => redoChange(context, options));
}

async function undoChange(context: Context, text: string | undefined, options: Options): Promise<void> {
  const { store } = context;
  const change = text === undefined ? store.history.nextUndo() : changeNamed(context, text);
  if (change === undefined) throw absent('There is nothing to undo.');
  await takeBack(context, options, change, 'undo', change);
  const { history, latestChange } = store;
  const back = history.nextRedo() === latestChange ? 'redo' : `undo ${latestChange}`;
  sayDone(context, `Undid change ${change}. To have it back: ${commandLine(context, back)}`);
}

/** A change by its number, or by the name of the file that it imported. @throws SciaticaError `not-found`, `invalid` */
function changeNamed({ store }: Context, text: string): number {
  if (/^\d+$/.test(text)) return idOf(text, 'A change');
  const change = store.history.importOf(basename(text));
  if (change !== undefined) return change;
  throw absent(
    (command) =>
      `No import of a file named ${quoted(basename(text))} is in effect. To see the changes: ${command('history')}`,
  );
}

async function redoChange(context: Context, options: Options): Promise<void> {
  const { history } = context.store;
  const undo = history.nextRedo();
  const change = undo === undefined ? undefined : history.lastOfChange(undo, 1)[0]?.undoes;
  if (undo === undefined || change === undefined)
    throw absent('There is nothing to redo: nothing was undone since the last change.');
  await takeBack(context, options, undo, 'redo', change);
  const again = history.nextUndo() === change ? 'undo' : `undo ${change}`;
  sayDone(context, `Redid change ${change}. To take it back again: ${commandLine(context, again)}`);
}

/** Says what will be done, asks, and does it. @param named the change that a person is told of */
async function takeBack(
  context: Context,
  options: Options,
  change: number,
  verb: 'undo' | 'redo',
  named: number,
): Promise<void> {
  const { history } = context.store;
  const latest = history.lastOfChange(change, TOLD);
  const [made = latest[0]] = history.lastOfChange(named, 1);
  if (made) {
    const { describeUndo, madeBy } = await import('../views/history.ts');
    const tell = options['yes'] ? say : sayAlways;
    const parts = history.partsOf(change);
    tell(context, `To ${verb} change ${named}, ${madeBy(made)}, of ${ownersOf(context, parts)}:`);
    for (const entry of latest) tell(context, `  ${describeUndo(entry)}`);
    const more = parts.reduce((sum, { count }) => sum + count, 0) - latest.length;
    if (more > 0) tell(context, `  and ${more} more`);
    const [question, reach] =
      verb === 'undo' ? ['Undo', 'The next sync takes it back'] : ['Redo', 'The next sync redoes it'];
    await confirmReach(context, options, change, [`${question} change ${named}`, reach]);
  }
  context.store.undo(change);
}

/** Asks; where other machines have the change by now, in so many words. */
async function confirmReach(
  context: Context,
  options: Options,
  change: number,
  [question, reach]: readonly [string, string],
): Promise<void> {
  const machinesOf = () => context.store.remotes.reachOf(change).map(escapeControls).join(', ');
  const nothing = 'Nothing was changed.';
  if (machinesOf() === '' || options['everywhere'])
    await confirmed(context, options, `${question}?`, nothing);
  // A sync may have brought it there while the question stood.
  const machines = machinesOf();
  if (machines === '' || options['everywhere']) return;
  // Nobody need say whether it may reach them where it cannot be undone at all.
  context.store.rehearseUndo(change);
  const there = `${reach} at ${machines} too.`;
  sayAlways(context, there);
  if (!context.interactive || options['yes'])
    throw conflict(`${nothing} ${there} If that is what you want: --everywhere`);
  await confirmed(context, {}, `${question} here and at ${machines}?`, nothing);
}

/** Whose records they are: by name, as far as they are still there. */
function ownersOf(context: Context, parts: readonly ChangePart[]): string {
  const ids = [...new Set(parts.flatMap(({ users }) => users))];
  const { users } = context.store;
  const names = ids.slice(0, NAMED).map((id) => {
    const user = users.find(id);
    return user ? summaryOfUser(user) : `user ${id}`;
  });
  const more = ids.length - names.length;
  return more > 0 ? `${names.join(', ')} and ${more} more` : names.join(' and ');
}
