import { goalOf, mergeUsers } from '../../cases/goal.ts';
import type { Context } from '../../context.ts';
import { conflict } from '../../domain/errors.ts';
import { isNumbered } from '../../domain/kind.ts';
import { kindOf, nounOf, type OwnedKindName, ownedKindNames } from '../../domain/kinds.ts';
import type { Store } from '../../store/store.ts';
import type { Command } from '../input/command.ts';
import { confirmed } from '../input/edit.ts';
import { idOf, type Options } from '../input/options.ts';
import { resolveUserOrAsk } from '../input/resolve-user.ts';
import { verb } from '../records/commands.ts';
import { addListCommand, listRecords } from '../records/list.ts';
import { addRecord, checkFlags, editRecord, showRecord } from '../records/verbs.ts';
import { usage } from '../terminal/errors.ts';
import { commandLine, counted, escapeControls, say, sayAlways, sayDone } from '../terminal/io.ts';
import { sayChanged, sayDoubtOfDay } from '../terminal/output.ts';
import { countedKind } from '../views/holding.ts';
import { saySameEmail, staysWith, summaryOfUser } from '../views/records.ts';
import { sayRedFlags } from '../views/red-flags.ts';
import { unsentLine } from '../views/sync.ts';

/** `sciatica user add|show|edit|rm|erase|merge|use` and `sciatica users` */
export function addUserCommands(program: Command, context: Context): void {
  const user = program
    .command('user')
    .helpCommand(false)
    .summary('Add, show, change or remove a user')
    .description('Who records exercises here, and where it hurts.');

  verb(user, 'user', 'add', [
    'sciatica user add',
    'sciatica user add --first-name Nora --last-name Lind --age 44 \\\n    --email nora@example.org --pain-location glute-left \\\n    --pain-level 6 --diagnosis-date 2026-01-15',
  ]).action((options: Options) => addUser(context, options));

  verb(user, 'user', 'show', ['sciatica user show', 'sciatica user show 3 --json id,painLevel'])
    .description('Show a user: the one with this id, or whoever uses sciatica here.')
    .argument('[id]', 'id of the user')
    .action(async (id: string | undefined, options: Options) =>
      showRecord(context, options, 'user', await idOrOwn(context, id)),
    );

  verb(user, 'user', 'edit', ['sciatica user edit', 'sciatica user edit 3 --pain-level 4'])
    .argument('[id]', 'id of the user')
    .action(async (id: string | undefined, options: Options) => {
      const find = async () => {
        if (id === undefined) await checkFlags(context, options, 'user');
        return idOrOwn(context, id);
      };
      const changed = await editRecord(context, options, 'user', find);
      if (changed && 'diagnosisDate' in changed.patch) sayDoubtOfDay(context, changed.record.diagnosisDate);
    });

  verb(user, 'user', 'rm', ['sciatica user rm 3'])
    .summary('Remove a user with all their logs')
    .description('Remove a user with all their logs. It asks first.')
    .argument('<id>', 'id of the user')
    .action((id: string, options: Options) => removeUser(context, id, options));

  user
    .command('erase')
    .description(
      'Forget a user for good: the profile, the logs and their history, in every byte of the database. It cannot be undone. It asks first.',
    )
    .argument('<id>', 'id of the user')
    .option('--yes', 'do not ask')
    .examples('sciatica user erase 3')
    .action((id: string, options: Options) => eraseUser(context, id, options));

  user
    .command('merge')
    .description(
      'Say that two users are one person. From then on, the records of the first appear under the second, including what other machines still record for the first. The profile of the second stays. It is one change, which undo takes back. It asks first.',
    )
    .argument('<id>', 'id of the user who is the same person as another')
    .requiredOption('--into <id>', 'id of the user who stays')
    .option('--yes', 'do not ask')
    .examples('sciatica user merge 7 --into 1')
    .action((id: string, options: Options) => mergeUser(context, id, options));

  user
    .command('use')
    .summary('Choose who uses sciatica here')
    .description('Choose the user for commands that name no other.')
    .argument('<id>', 'id of the user')
    .examples('sciatica user use 3')
    .action((id: string) => chooseUser(context, id));

  addListCommand(program, context, 'user', [
    'sciatica users',
    'sciatica users --summary',
    'sciatica users --summary --sort lastSession --limit 10',
    'sciatica users --json id,lastName',
    "sciatica users --where 'age>=60'",
  ])
    .option(
      '--summary',
      'how each user is doing: sessions, pain, and entries with a lot of pain in the last 14 days, the most urgent first',
    )
    .action(async (options: Options) => {
      if (!options['summary']) return listRecords(context, options, 'user');
      const { listOverviews } = await import('./overview.ts');
      await listOverviews(context, options);
    });
}

async function mergeUser(context: Context, text: string, options: Options): Promise<void> {
  const { store } = context;
  const [id, into] = [idOf(text, 'A user'), idOf(String(options['into']), '--into')];
  const user = store.users.get(id);
  if (id === into) throw usage('A user cannot be merged into itself: give two ids.');
  // `into` may be merged into `id` already: then this merge replaces that one.
  const isReverse = !store.users.find(into) && store.reachOfErasing(id).merged.includes(into);
  const target = isReverse
    ? `user ${into}, who shows under it until now`
    : summaryOfUser(store.users.get(into));
  const belongings = countedKinds((kind) => store.of(kind).count({ userId: id }));
  sayAlways(
    context,
    `${summaryOfUser(user)} is to show under ${target}: ${belongings.join(', ') || 'no records yet'}.`,
  );
  if (goalOf(store, id) && goalOf(store, into)) sayAlways(context, `${staysWith(['goal'], into)}.`);
  for (const line of ofBoth(store, id, into)) sayAlways(context, line);
  for (const { name, users, revokedAt } of store.tokens.list())
    if (users?.includes(id) && revokedAt === null)
      sayAlways(
        context,
        `Token ${escapeControls(name)} is for user ${id}, who is not there then: whoever has it needs another one, for user ${into}.`,
      );
  for (const name of store.remotes.onlyFor(id, into))
    sayAlways(context, unsentLine(context, name, { view: id, id: into }));
  await confirmed(context, options, `Merge user ${id} into user ${into}?`, 'Nothing was changed.');
  await mergeUsers(store, id, into, context.now().getTime());
  sayChanged(context, `Merged user ${id} into user ${into}.`);
}

async function addUser(context: Context, options: Options): Promise<void> {
  const user = await addRecord(context, options, 'user');
  const { users, settings } = context.store;
  sayDoubtOfDay(context, user.diagnosisDate);
  saySameEmail(context, user);
  if (users.count() === 1) say(context, `Next, record an exercise: ${commandLine(context, 'log add')}`);
  else if (!settings.get('user'))
    say(context, `To record as this user from now on: ${commandLine(context, `user use ${user.id}`)}`);
  sayRedFlags(context);
}

async function idOrOwn(context: Context, id: string | undefined): Promise<number> {
  return id === undefined
    ? resolveUserOrAsk(context, undefined, `give the id of one. See: ${commandLine(context, 'users')}`)
    : idOf(id);
}

/** Notices on kinds whose key must be unique for a user, if both users have a record with the same key. */
function ofBoth(store: Store, id: number, into: number): string[] {
  return ownedKindNames.flatMap((kind) => {
    const { key, place } = kindOf(kind);
    if (!key?.rule || place === 'one-per-user' || isNumbered(kindOf(kind))) return [];
    const keysOf = (userId: number) => store.of(kind).list({ userId }).map(key.of);
    const theirs = new Set(keysOf(into));
    const both = keysOf(id).filter((one) => theirs.has(one));
    if (both.length === 0) return [];
    return key.second
      ? [`${key.rule} Both have one: the second becomes ${key.second.value}.`]
      : [`${key.rule} Both have ${both.map(escapeControls).join(', ')}: only one of the two shows.`];
  });
}

/** `1 log`, `2 pain entries`: of each kind of which there are any. */
const countedKinds = (countOf: (kind: OwnedKindName) => number): string[] =>
  ownedKindNames.flatMap((kind) => {
    const count = countOf(kind);
    return count === 0 ? [] : [countedKind(count, kind)];
  });

async function removeUser(context: Context, text: string, options: Options): Promise<void> {
  const { users } = context.store;
  const id = idOf(text);
  users.get(id);
  await users.readyToReveal();
  const describe = () => {
    const going = users.countGoing(id);
    const all = [summaryOfUser(users.get(id)), ...countedKinds((kind) => going[kind])];
    return [all.slice(0, -1).join(', '), ...all.slice(-1)].filter(Boolean).join(' and ');
  };
  const what = describe();
  await confirmed(context, options, `Delete ${what}?`, 'Nothing was deleted.', `delete ${what}`);
  const now = describe();
  if (now !== what) throw conflict(`It would be ${now} by now: nothing was deleted.`);
  const others = new Set(users.list().map((user) => user.id));
  users.deleteAndReveal(id);
  sayChanged(context, `Deleted ${what}.`);
  for (const user of users.list())
    if (!others.has(user.id))
      sayAlways(context, `${summaryOfUser(user)}, who was merged into that one, shows again.`);
}

/** Maximum number listed of records that are erased with a user although they now belong to another one. */
const MOST_LISTED = 20;

async function eraseUser(context: Context, text: string, options: Options): Promise<void> {
  const { store } = context;
  const id = idOf(text);
  const tell = (line: string) => sayAlways(context, line);
  const reach = store.reachOfErasing(id);
  const { merged, moved } = reach;
  const user = store.users.find(id);
  const what = user ? summaryOfUser(user) : `user ${id}`;
  if (merged.length > 0)
    tell(
      `With it goes what was recorded as ${merged.map((other) => `user ${other}`).join(' and ')}: merged into it.`,
    );
  for (const { record, id: which, userId } of moved.slice(0, MOST_LISTED))
    tell(
      `With it goes ${nounOf(record)} ${which}, now of ${summaryOfUser(store.users.get(userId))}: it once belonged to ${what}.`,
    );
  if (moved.length > MOST_LISTED) tell(`and ${counted(moved.length - MOST_LISTED, 'more record')}`);
  const question = `Erase ${what}, with all logs and their history, for good?`;
  await confirmed(context, options, question, 'Nothing was erased.');
  // An erasure is final, so it must be exactly what the user has confirmed.
  if (JSON.stringify(store.reachOfErasing(id)) !== JSON.stringify(reach))
    throw conflict('Nothing was erased: what goes with it has changed. Run this again.');
  const copies = store.erase(id);
  sayDone(context, `Erased user ${id}.`);
  const { finishCopies } = await import('../input/erased-copies.ts');
  await finishCopies(context, [id], copies);
}

function chooseUser(context: Context, text: string): void {
  const { users, settings } = context.store;
  const user = users.get(idOf(text));
  settings.set('user', String(user.id));
  sayDone(context, `From now on this is about ${summaryOfUser(user)}.`);
  const variable = context.env['SCIATICA_USER'];
  if (variable && variable !== String(user.id))
    say(context, `Note: SCIATICA_USER is ${escapeControls(variable)} here, and comes first.`);
}
