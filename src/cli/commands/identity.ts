import { existsSync } from 'node:fs';
import type { Context } from '../../context.ts';
import { absent } from '../../domain/errors.ts';
import type { Command } from '../input/command.ts';
import { confirmed } from '../input/edit.ts';
import { print, say, sayAlways } from '../terminal/io.ts';

type IdentityOptions = { json?: boolean; yes?: boolean };

export function addIdentityCommand(program: Command, context: Context): void {
  const command = program
    .command('identity')
    .summary('Show which database this is')
    .description(
      'Show the UUID that tells this database from every other. Exports carry it, so that an import recognises the records. Backups have it too, and a restored one keeps it.',
    )
    .option('--json', 'as JSON')
    .examples('sciatica identity', 'sciatica identity new --db copy.db')
    .action((options: IdentityOptions) => show(context, ownId(context), options));
  command
    .command('new')
    .summary('Give a copy an identity of its own')
    .description(
      'Give this database a new identity, because it is a copy of another and both are to be used. The records that both have stay the same ones everywhere, so nothing comes twice; what is recorded from now on is its own. It asks first.',
    )
    .option('--yes', 'do not ask')
    .option('--json', 'as JSON')
    .examples('sciatica identity new --db copy.db')
    .action((_: IdentityOptions, command: Command) => renew(context, command.optsWithGlobals()));
}

/** The UUID of the database. @throws SciaticaError `not-found` if there is no database yet */
function ownId(context: Context): string {
  const { id } = context.store;
  if (existsSync(context.databasePath)) return id;
  throw absent('There is no database yet, so it has no identity.');
}

function show(context: Context, id: string, { json = false }: IdentityOptions): void {
  print(context, json ? JSON.stringify({ id }) : id);
}

async function renew(context: Context, options: IdentityOptions): Promise<void> {
  const tell = options.yes ? say : sayAlways;
  tell(context, 'Databases that have imported from this one will take it for a different database.');
  tell(context, 'Its FHIR identifiers change: a server that has its records would get them a second time.');
  tell(context, 'Backups made before now keep the old identity: restoring one brings it back.');
  await confirmed(context, options, 'Give this database a new identity?', 'Nothing was changed.');
  show(context, (await context.store.replication()).renewIdentity(), options);
}
