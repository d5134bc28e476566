import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Context } from '../../context.ts';
import { unusable } from '../../domain/errors.ts';
import { localStamp } from '../../domain/words/day.ts';
import { makeFolder } from '../../lib/files.ts';
import { sized } from '../../lib/size.ts';
import type { Command } from '../input/command.ts';
import { refuseStdout } from '../input/options.ts';
import { usage } from '../terminal/errors.ts';
import { commandLine, escapeControls, print, say, sayDone } from '../terminal/io.ts';
import { countedHolding } from '../views/holding.ts';

type BackupOptions = { force?: boolean; encrypt?: string; auto?: string };

export function addBackupCommand(program: Command, context: Context): void {
  const backup = program
    .command('backup')
    .summary('Copy the database to a file')
    .description(
      `Copy the database, as it is at this moment, to a file that is checked and readable by you alone. sciatica serve may be running. sciatica restore brings the copy back.

sciatica also makes a backup by itself before the first change of each day; 7 daily, 4 weekly and 12 monthly ones are kept in the folder backups beside the database. --auto moves them to another folder, or turns them off and on again.`,
    )
    .argument(
      '[file]',
      'the file, or a folder (otherwise a new file in the folder backups beside the database)',
    )
    .option('--force', 'replace the file if it exists')
    .option('--encrypt <recipient>', 'encrypt it with age for this recipient, from sciatica backup key')
    .option('--auto <folder>', 'keep the daily backups in this folder; off for none; on for the usual one')
    .examples(
      'sciatica backup',
      'sciatica backup /media/stick',
      'sciatica backup sciatica-today.db --force',
      'sciatica backup --auto /media/stick',
      'sciatica backup /media/stick --encrypt age1…',
    )
    .action((file: string | undefined, options: BackupOptions) =>
      options.auto === undefined
        ? makeBackup(context, file, options)
        : setAutomatic(context, file, options.auto, options),
    );

  backup
    .command('key')
    .summary('Make a key for encrypted backups')
    .description(
      'Make a pair of keys for encrypted backups. The identity goes to a new file, readable by you alone: whoever has it can read the backups, and nobody can without it. The recipient is printed, for --encrypt.',
    )
    .argument('<file>', 'where the identity goes; not beside the backups')
    .examples('sciatica backup key sciatica-identity.txt')
    .action((file: string) => makeKey(context, file));
}

async function makeBackup(
  context: Context,
  file: string | undefined,
  { force = false, encrypt }: BackupOptions,
): Promise<void> {
  context.requireNamed();
  refuseStdout(file);
  const source = context.databasePath;
  const folder = file === undefined ? join(dirname(source), 'backups') : folderOf(file);
  const name = `sciatica-${localStamp(context.now())}.db${encrypt === undefined ? '' : '.age'}`;
  const target = folder ? join(folder, name) : resolve(file ?? '');
  if (encrypt !== undefined) (await import('../../store/maintenance/encryption.ts')).checkRecipient(encrypt);
  if (file === undefined && statSync(source, { throwIfNoEntry: false })) makeFolder(dirname(target));
  const options = { force, rename: folder !== undefined && !force };
  const { backup } = await import('../../store/maintenance/backup.ts');
  const { encryptedBackup } = await import('../../store/maintenance/encrypted-backup.ts');
  const made =
    encrypt === undefined
      ? backup(source, target, options)
      : await encryptedBackup(source, target, encrypt, options);
  print(context, escapeControls(made.path));
  const what = encrypt === undefined ? 'Backed up' : 'Backed up, encrypted,';
  say(context, `${what} ${countedHolding(made.counts)} (${sized(made.bytes)}).`);
}

/** The folder at a path; undefined if it is none. @throws SciaticaError `unusable` for a missing path that ends in / */
function folderOf(file: string): string | undefined {
  if (file.endsWith('/') && !existsSync(file)) throw unusable(`There is no folder ${escapeControls(file)}`);
  return statSync(file, { throwIfNoEntry: false })?.isDirectory() ? resolve(file) : undefined;
}

async function setAutomatic(
  context: Context,
  file: string | undefined,
  where: string,
  { force, encrypt: recipient }: BackupOptions,
): Promise<void> {
  if (file !== undefined || force)
    throw usage('--auto says where the daily backups go: leave out the file and --force.');
  const { settings } = context.store;
  if (where === 'off') {
    if (recipient !== undefined) throw usage('--encrypt says nothing where there are no daily backups.');
    settings.backups = { folder: where };
    return sayDone(
      context,
      `No backup is made by itself any more. To turn them on again: ${commandLine(context, 'backup --auto on')}`,
    );
  }
  if (recipient !== undefined)
    (await import('../../store/maintenance/encryption.ts')).checkRecipient(recipient);
  const folder = where === 'on' ? undefined : resolve(where);
  if (folder !== undefined && !folderOf(folder))
    throw unusable(`There is no folder ${folder}. Nothing was changed.`);
  settings.backups = { folder, recipient };
  const place = folder ?? join(dirname(context.databasePath), 'backups');
  const how = recipient === undefined ? '' : ' and encrypted';
  sayDone(
    context,
    `Before the first change of each day, a backup is made in ${escapeControls(place)}${how}.`,
  );
  say(
    context,
    `Backups that are elsewhere stay where they are. To stop: ${commandLine(context, 'backup --auto off')}`,
  );
}

async function makeKey(context: Context, file: string): Promise<void> {
  refuseStdout(file);
  const { createKeyPair } = await import('../../store/maintenance/encryption.ts');
  const { writeOutputFile } = await import('../terminal/output-file.ts');
  const { identity, recipient } = await createKeyPair();
  const lines = [`# created: ${context.now().toISOString()}`, `# public key: ${recipient}`, identity, ''];
  await writeOutputFile(file, { force: false }, [lines.join('\n')]);
  print(context, recipient);
  const name = escapeControls(file);
  say(context, `The identity is in ${name}. Whoever loses it loses the backups that are encrypted with it:`);
  say(context, 'keep a copy of that file away from this computer and from the backups.');
}
