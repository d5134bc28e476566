import { mkdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { localStamp } from '../../domain/day.ts';
import { examples } from '../help.ts';
import { counted, escapeControls, print, say, sized } from '../output/io.ts';

/** `sciatica backup` */
export function addBackupCommand(program: Command, context: Context): void {
  program
    .command('backup')
    .summary('Copy the database to a file')
    .description(
      'Copy the database, as it is at this moment, to a file: checked, readable by you alone, also while sciatica serve is running. Bring it back with sciatica restore.',
    )
    .argument(
      '[file]',
      'the file, or a folder; without, a new file in the folder backups beside the database',
    )
    .option('--force', 'replace the file if there is one')
    .addHelpText(
      'after',
      examples(
        'sciatica backup',
        'sciatica backup /media/stick',
        'sciatica backup sciatica-today.db --force',
      ),
    )
    .action((file: string | undefined, options: { force?: boolean }) => makeBackup(context, file, options));
}

async function makeBackup(
  context: Context,
  file: string | undefined,
  { force = false }: { force?: boolean },
): Promise<void> {
  const { backup } = await import('../../store/maintenance/backup.ts');
  const source = context.databasePath;
  const folder = file === undefined ? join(dirname(source), 'backups') : folderOf(file);
  const target = folder ? join(folder, `sciatica-${localStamp(context.now())}.db`) : resolve(file ?? '');
  if (file === undefined && statSync(source, { throwIfNoEntry: false }))
    mkdirSync(dirname(target), { mode: 0o700, recursive: true });
  const made = backup(source, target, { force, rename: folder !== undefined && !force });
  print(context, escapeControls(made.path));
  say(
    context,
    `Backed up ${counted(made.users, 'user')} and ${counted(made.logs, 'log')} (${sized(made.bytes)}).`,
  );
}

function folderOf(file: string): string | undefined {
  return statSync(file, { throwIfNoEntry: false })?.isDirectory() ? resolve(file) : undefined;
}
