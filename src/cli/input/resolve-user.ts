import type { Context } from '../../context.ts';
import { absent } from '../../domain/errors.ts';
import { usage } from '../terminal/errors.ts';
import { commandLine } from '../terminal/io.ts';
import { summaryOfUser } from '../views/records.ts';
import { idOf, type Options } from './options.ts';

/** Which user a command is about: `--user`, else `SCIATICA_USER`, else `user use`, else the only user there is. */

/**
 * The user of `--user` or `SCIATICA_USER`.
 * @throws SciaticaError `invalid`, `not-found`
 */
function namedUser(context: Context, given: unknown): number | undefined {
  const variable = context.env['SCIATICA_USER'];
  if (given === undefined && !variable) return undefined;
  const what = given === undefined ? 'SCIATICA_USER' : '--user';
  const id = idOf(String(given ?? variable), what, ` See: ${commandLine(context, 'users')}`);
  if (given !== undefined) return context.store.users.get(id).id;
  const present = context.store.users.shownAs(id);
  if (present !== undefined) {
    // Suggested commands must name the user: the variable may be set for this command only.
    context.user = present;
    return present;
  }
  throw absent((command) => `SCIATICA_USER is ${id}, but there is no user ${id}. See: ${command('users')}`);
}

/**
 * The user of `user use`, else the only one.
 * @throws SciaticaError `invalid` where the chosen one is gone: nothing is recorded for, or shown of, somebody else instead
 */
function usualUser(context: Context): number | undefined {
  const { users, settings } = context.store;
  const chosen = Number(settings.get('user') ?? 0);
  // After a merge (`user merge`), the user under whom the chosen one's records appear.
  const present = chosen && users.shownAs(chosen);
  if (present) return present;
  const [first, second] = users.list({ limit: 2 });
  if (chosen && first)
    throw usage(
      `User ${chosen}, chosen with sciatica user use, is gone. Choose another: ${commandLine(context, 'user use ID')}`,
    );
  return second ? undefined : first?.id;
}

/** The user of a command; undefined if several are possible. @throws SciaticaError `invalid`, `not-found` */
export function resolveUser(context: Context, given: unknown): number | undefined {
  return namedUser(context, given) ?? usualUser(context);
}

/** The user of a list; undefined for all users. @throws SciaticaError `invalid`, `not-found` */
export function resolveListUser(context: Context, options: Options): number | undefined {
  return options['user'] === 'all' ? undefined : resolveUser(context, options['user']);
}

/** The error of a command that needs a user, in a database without users. */
export const noUserYet = (context: Context) =>
  usage(`There is no user yet. Start with: ${commandLine(context, 'user add')}`);

/**
 * The user of a command that needs one; if several are possible, the user is asked in a terminal.
 * @param how ways to name a user, for the error message
 * @throws SciaticaError `invalid` without users, or with several and no terminal; `not-found`
 */
export async function resolveUserOrAsk(
  context: Context,
  given: unknown,
  how = `say which one with --user ID (or SCIATICA_USER), or choose for good: ${commandLine(context, 'user use ID')}`,
): Promise<number> {
  const id = resolveUser(context, given);
  if (id !== undefined) return id;
  if (context.store.users.count() === 0) throw noUserYet(context);
  if (!context.interactive) throw usage(`There are several users: ${how}`);
  const { askChoiceOf } = await import('../terminal/prompts.ts');
  const choices = context.store.users.list().map((user) => ({ value: user.id, name: summaryOfUser(user) }));
  context.user = await askChoiceOf(context, 'Which user?', choices);
  return context.user;
}
