import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { SciaticaError } from '../../domain/errors.ts';
import { examples } from '../help.ts';
import { counted, print, quoted, say } from '../output/io.ts';

/** `sciatica demo` */
export function addDemoCommand(program: Command, context: Context): void {
  program
    .command('demo')
    .summary('Fill a new database with practice records')
    .description(
      'Fill a new database with practice records, to look around. It refuses one that holds records.',
    )
    .addHelpText('after', examples('sciatica demo --db practice.db', 'sciatica logs --db practice.db'))
    .action(() => fill(context));
}

async function fill(context: Context): Promise<void> {
  const { default: practice } = await import('../practice.json');
  const { checkLog, checkUser } = await import('../../domain/schema.ts');
  const { store } = context;
  store.change(() => {
    if (store.users.count() > 0 || store.logs.count() > 0)
      throw new SciaticaError(
        'conflict',
        `${store.path} holds records already. For the practice records take a new file: sciatica demo --db practice.db`,
      );
    for (const user of practice.users) store.users.restore(checkUser(user));
    for (const log of practice.userExerciseLogs) store.logs.restore(checkLog(log));
  });
  const users = counted(practice.users.length, 'user');
  print(context, `Added ${users} and ${counted(practice.userExerciseLogs.length, 'log')}.`);
  const db = context.db === undefined ? '' : ` --db ${quoted(context.db)}`;
  say(context, 'Now try:');
  for (const line of ['summary --user 3', 'users', 'logs --user 3 --type stretch', 'user use 3', 'log add'])
    say(context, `  sciatica ${line}${db}`);
}
