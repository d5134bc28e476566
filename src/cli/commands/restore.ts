import { basename, dirname, join, resolve } from 'node:path';
import type { Context } from '../../context.ts';
import { localStamp } from '../../domain/words/day.ts';
import { makeFolder, realPathOf, temporaryFolder } from '../../lib/files.ts';
import type { Restoration } from '../../store/maintenance/restore.ts';
import type { Holding } from '../../store/sqlite/verify.ts';
import type { Command } from '../input/command.ts';
import { confirmed } from '../input/edit.ts';
import { usage } from '../terminal/errors.ts';
import { commandLine, counted, escapeControls, say, sayAlways, sayDone } from '../terminal/io.ts';
import { countedHolding, partsOfHolding } from '../views/holding.ts';

type RestoreOptions = { yes?: boolean; identity?: string };

export function addRestoreCommand(program: Command, context: Context): void {
  program
    .command('restore')
    .summary('Restore a backup')
    .description(
      'Replace the database by a backup. It checks the backup, shows what it holds and asks first; the database that it replaces is kept beside it. An encrypted backup needs the identity that sciatica backup key made.',
    )
    .argument('<file>', 'the backup: a file')
    .option(
      '--identity <file>',
      'decrypt the backup with the identity in this file or named pipe; - for stdin',
    )
    .option('--yes', 'do not ask')
    .examples(
      'sciatica restore backups/sciatica-2026-03-02-120000.db',
      'sciatica restore /media/stick/sciatica.db --yes',
      'sciatica restore sciatica.db.age --identity sciatica-identity.txt',
    )
    .action((file: string, options: RestoreOptions) => restore(context, file, options));
}

async function restore(context: Context, file: string, options: RestoreOptions): Promise<void> {
  const { isEncrypted } = await import('../../store/maintenance/encryption.ts');
  const path = resolve(file);
  if (isEncrypted(path)) return restoreEncrypted(context, path, options);
  if (options.identity !== undefined) throw usage(`${file} is not encrypted: leave out --identity.`);
  return restorePlain(context, path, options);
}

/** Decrypts the backup into a temporary folder beside the database that only its owner can read, and restores it. */
async function restoreEncrypted(context: Context, file: string, options: RestoreOptions): Promise<void> {
  const identityFile = options.identity ?? (await askedIdentity(context));
  const { readSecret } = await import('../input/input-file.ts');
  const identity = await readSecret(context, identityFile);
  const { decryptFile } = await import('../../store/maintenance/encryption.ts');
  makeFolder(dirname(context.databasePath));
  const folder = temporaryFolder(dirname(context.databasePath));
  try {
    const decrypted = join(folder.path, basename(file, '.age'));
    await decryptFile(file, decrypted, identity, escapeControls(identityFile));
    await restorePlain(context, decrypted, options);
  } finally {
    folder.remove();
  }
}

async function askedIdentity(context: Context): Promise<string> {
  if (!context.interactive)
    throw usage('The backup is encrypted: say with --identity which file holds the identity.');
  const { askLine } = await import('../terminal/prompts.ts');
  const faultOf = (answer: string) => (answer === '' ? 'It must not be empty' : undefined);
  return askLine(context, 'The backup is encrypted. File with the identity', faultOf);
}

async function restorePlain(context: Context, file: string, options: RestoreOptions): Promise<void> {
  const { prepareRestore } = await import('../../store/maintenance/restore.ts');
  const restoration = prepareRestore(realPathOf(resolve(file)), context.databasePath);
  try {
    const tell = options.yes ? say : sayAlways;
    tell(context, `Backup:   ${describeHolding(restoration.copy)}`);
    tell(context, `Database: ${describeDatabase(restoration.present)}`);
    for (const warning of warnings(context, restoration)) sayAlways(context, warning);
    if (restoration.present !== 'absent')
      await confirmed(
        context,
        options,
        'Replace the database by the backup?',
        'Nothing was changed.',
        'replace the database by the backup',
      );
    const kept = restoration.apply(localStamp(context.now()));
    sayDone(context, `Restored ${countedHolding(restoration.copy.counts)}.`);
    say(
      context,
      `It keeps its identity, ${restoration.identity}. If it is to be used beside another copy: ${commandLine(context, 'identity new')}`,
    );
    if (kept) say(context, `The replaced database is kept: ${escapeControls(kept)}`);
  } finally {
    restoration.close();
  }
}

function warnings(context: Context, { present, erased, tokens }: Restoration): string[] {
  const back = erased.map(
    (id) =>
      `It brings back user ${id}, who was erased since. To forget: ${commandLine(context, `user erase ${id}`)}`,
  );
  // From a readable present database, the restore carries over which tokens were revoked since the backup.
  const isKnown = present !== 'absent' && present !== 'damaged';
  if (isKnown || tokens === 0) return back;
  return [
    ...back,
    `It holds ${counted(tokens, 'valid token')}. To see and take them back: ${commandLine(context, 'token ls')}`,
  ];
}

function describeDatabase(present: Restoration['present']): string {
  if (present === 'absent') return 'there is none yet';
  return present === 'damaged' ? 'damaged, cannot be read' : describeHolding(present);
}

function describeHolding({ counts, latest }: Holding): string {
  return [...partsOfHolding(counts), ...(latest === undefined ? [] : [`until ${latest}`])].join(', ');
}
