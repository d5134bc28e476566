import { existsSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Context } from '../../context.ts';
import { conflict } from '../../domain/errors.ts';
import { realPathOf } from '../../lib/files.ts';
import { ownAuthorityFile, ownCertificateFile } from '../../lib/pin.ts';
import type { Store } from '../../store/store.ts';
import type { Command } from '../input/command.ts';
import { usage } from '../terminal/errors.ts';
import { counted, escapeControls, quoted, say, sayDone } from '../terminal/io.ts';

export function addDemoCommand(program: Command, context: Context): void {
  program
    .command('demo')
    .summary('Look around with practice records')
    .description(
      'Make a database of practice records to look around in, beside your own and never in it. With --db it is made there, unless the file exists.',
    )
    .option('--remove', 'remove the practice database again')
    .examples('sciatica demo', 'sciatica demo --db practice.db', 'sciatica demo --remove')
    .action(({ remove }: { remove?: boolean }) => (remove ? removePractice(context) : practise(context)));
}

const ownPath = ({ dataFolder }: Context) => join(dataFolder, 'practice.db');

async function practise(context: Context): Promise<void> {
  const { db } = context;
  const path = db === undefined ? ownPath(context) : context.databasePath;
  if (db !== undefined) refuseDiary(context, path);
  if (existsSync(path)) {
    if (db !== undefined)
      throw conflict(
        `${escapeControls(path)} exists already. Name a new file for the practice records with --db.`,
      );
    sayDone(context, `The practice database is there: ${escapeControls(path)}`);
  } else {
    const { users, logs } = await fill(context, path);
    sayDone(
      context,
      `Made a practice database of ${counted(users, 'user')} and ${counted(logs, 'log')}: ${escapeControls(path)}`,
    );
  }
  const file = quoted(escapeControls(db ?? path));
  say(context, 'Now try:');
  for (const line of [
    'summary --user 3',
    'users',
    'logs --user 3 --type stretch',
    'log add piri 6 4 --user 3',
  ])
    say(context, `  sciatica ${line} --db ${file}`);
  if (db === undefined) say(context, 'To remove it again: sciatica demo --remove');
}

/** Refuses to write practice records to the user's own database, even before that exists. */
function refuseDiary(context: Context, path: string): void {
  const diaries = [context.env['SCIATICA_DB'], join(context.dataFolder, 'sciatica.db')];
  if (diaries.some((diary) => diary && realPathOf(resolve(diary)) === path))
    throw conflict(
      `${escapeControls(path)} is your own database. Name another file for the practice records with --db.`,
    );
}

async function fill(context: Context, path: string): Promise<{ users: number; logs: number }> {
  const { default: practice } = await import('../practice.json');
  const { checksOf } = await import('../../domain/schema.ts');
  const { openStore } = await import('../../store/store.ts');
  const store: Store = openStore(path, () => context.now().getTime());
  try {
    store.change(() => {
      // Another process may have created it meanwhile.
      if (store.users.count() > 0) throw conflict(`${escapeControls(path)} exists already.`);
      for (const user of practice.users) store.users.restore(checksOf('user').record(user));
      for (const log of practice.userExerciseLogs) store.logs.restore(checksOf('log').record(log));
    });
  } finally {
    store.close();
  }
  return { users: practice.users.length, logs: practice.userExerciseLogs.length };
}

function removePractice(context: Context): void {
  if (context.db !== undefined)
    throw usage(
      'demo --remove takes away the database that a plain demo made. Remove any other file yourself.',
    );
  const path = ownPath(context);
  if (!existsSync(path)) {
    sayDone(context, 'There is no practice database.');
    return;
  }
  for (const file of [path, `${path}-wal`, `${path}-shm`, ownCertificateFile(path), ownAuthorityFile(path)])
    rmSync(file, { force: true });
  sayDone(context, 'Removed the practice database.');
}
