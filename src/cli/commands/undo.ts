import { basename } from 'node:path';
import type { Context } from '../../context.ts';
import { absent, conflict } from '../../domain/errors.ts';
import type { ChangePart } from '../../store/history/history.ts';
import { refuseUndone } from '../../store/history/undo.ts';
import type { Command } from '../input/command.ts';
import { confirmed } from '../input/edit.ts';
import { idOf, type Options } from '../input/options.ts';
import { commandLine, escapeControls, quoted, say, sayAlways, sayDone } from '../terminal/io.ts';
import { summaryOfUser } from '../views/records.ts';

/** Maximum number of entries of a change that are listed. */
const TOLD = 5;
/** Maximum number of users of a change that are named. */
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
  // By its number, because redo is about another change as soon as somebody undoes or changes something else.
  const undo = store.latestChange;
  const back = undo === undefined ? '' : ` To have it back: ${commandLine(context, `undo ${undo}`)}`;
  sayDone(context, `Undid change ${change}.${back}`);
}

/** The change with a number, or the last import of a file with this name. @throws SciaticaError `not-found`, `invalid` */
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
  sayDone(
    context,
    `Redid change ${change}. To take it back again: ${commandLine(context, `undo ${change}`)}`,
  );
}

/** Shows what an undo does, asks, and undoes `change`: for a redo, an undo. @param named the change that messages name */
async function takeBack(
  context: Context,
  options: Options,
  change: number,
  verb: 'undo' | 'redo',
  named: number,
): Promise<void> {
  const { history } = context.store;
  refuseUndone(history, change);
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

/** Asks for confirmation; if other machines have the change, also for theirs. @param reach says what a sync does there */
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
  // A sync may have sent it while the confirmation was open.
  const machines = machinesOf();
  if (machines === '' || options['everywhere']) return;
  // Throws if it cannot be undone at all, before the question whether it may reach them.
  context.store.rehearseUndo(change);
  const there = `${reach} at ${machines} too.`;
  sayAlways(context, there);
  if (!context.interactive || options['yes'])
    throw conflict(`${nothing} ${there} If that is what you want: --everywhere`);
  await confirmed(context, {}, `${question} here and at ${machines}?`, nothing);
}

/** The users whose records a change is about: names and ids, of deleted users only ids. */
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
