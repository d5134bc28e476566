import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { SciaticaError } from '../../domain/errors.ts';
import { confirmed } from '../input/edit.ts';
import { examples } from '../terminal/help.ts';
import { print, say } from '../terminal/io.ts';

interface IdentityOptions {
  json?: boolean;
  yes?: boolean;
}

/** `sciatica identity` */
export function addIdentityCommand(program: Command, context: Context): void {
  const command = program
    .command('identity')
    .summary('Show which database this is')
    .description(
      'Show the UUID by which this database differs from every other. Exports carry it, so that an import knows the records again. Backups have it too, and a restored one keeps it.',
    )
    .option('--json', 'as JSON')
    .addHelpText('after', examples('sciatica identity', 'sciatica identity new --db copy.db'))
    .action((options: IdentityOptions) => show(context, ownId(context), options));
  command
    .command('new')
    .summary('Make a copy a database of its own')
    .description(
      'Give this database a new identity: for a copy of the file that is to be used beside the other. The records that both have stay the same ones everywhere, so that nothing comes twice; what is recorded from now on is its own. It asks first.',
    )
    .option('--yes', 'do not ask')
    .addHelpText('after', examples('sciatica identity new --db copy.db'))
    .action((_: IdentityOptions, command: Command) => renew(context, command.optsWithGlobals()));
}

/** @throws SciaticaError `not-found` where there is no database yet */
function ownId(context: Context): string {
  const { id } = context.store;
  if (existsSync(context.databasePath)) return id;
  throw new SciaticaError('not-found', 'There is no database yet, so it has no identity.');
}

function show(context: Context, id: string, { json = false }: IdentityOptions): void {
  print(context, json ? JSON.stringify({ id }) : id);
}

async function renew(context: Context, options: IdentityOptions): Promise<void> {
  say(context, 'Other databases that have imported from this one will take it for another.');
  say(context, 'Its FHIR identifiers change: a server that has its records would get them again.');
  say(context, 'Backups made before keep the identity that it had: restored, it is the former again.');
  await confirmed(
    context,
    { yes: options.yes },
    'Give this database a new identity?',
    'Nothing was changed.',
  );
  show(context, await context.store.renewIdentity(), options);
}
