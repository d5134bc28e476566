import { goalOf, removeGoal, setGoal, targetOf } from '../../cases/goal.ts';
import type { Context } from '../../context.ts';
import { type Goal, goalFields, goalRecord } from '../../domain/goal.ts';
import type { Command } from '../input/command.ts';
import { jsonOption, type Options } from '../input/options.ts';
import { resolveUserOrAsk } from '../input/resolve-user.ts';
import { usage } from '../terminal/errors.ts';
import { commandLine, counted, print, say } from '../terminal/io.ts';
import { checkJson, printDone, printJson, printRecord, sayChanged } from '../terminal/output.ts';
import { nameOf } from '../views/records.ts';

const { min, max } = goalFields.sessionsPerWeek;

/** `sciatica goal` */
export function addGoalCommand(program: Command, context: Context): void {
  program
    .command('goal')
    .summary('Set how often you mean to exercise')
    .description(
      'Set how many sessions a week you mean to do, or none; without a number, show the goal. If you have routines, a goal of up to 7 counts days. Summary and report compare your sessions with it.',
    )
    .argument('[sessions]', `sessions a week, ${min} to ${max}, or none`)
    .fields({ userId: goalFields.userId })
    .addOption(jsonOption())
    .examples('sciatica goal', 'sciatica goal 4', 'sciatica goal none')
    .action(async (sessions: string | undefined, options: Options) => {
      checkJson(options, goalRecord);
      const wanted = sessions === undefined ? undefined : sessionsOf(sessions);
      const user = context.store.users.get(await resolveUserOrAsk(context, options['user']));
      if (wanted === undefined) show(context, options, user.id, nameOf(user));
      else if (wanted === null) remove(context, options, user.id, nameOf(user));
      else set(context, options, user.id, nameOf(user), wanted);
    });
}

/** The sessions a week that were typed; null for none. @throws SciaticaError `invalid` */
function sessionsOf(text: string): number | null {
  if (text.toLowerCase() === 'none') return null;
  const count = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (count >= min && count <= max) return count;
  throw usage(`A goal must be a whole number from ${min} to ${max}, the sessions a week, or none.`);
}

/** `4 sessions a week`; `4 days a week` for somebody who has routines. */
function aWeek({ store }: Context, { userId, sessionsPerWeek }: Goal): string {
  const isInDays = targetOf(store, userId, sessionsPerWeek)?.counts === 'days';
  return `${counted(sessionsPerWeek, isInDays ? 'day' : 'session')} a week`;
}

function show(context: Context, options: Options, userId: number, name: string): void {
  const goal = goalOf(context.store, userId);
  if (goal && options['json'] !== undefined)
    printRecord(context, options, { fields: goalRecord, columns: [], record: goal });
  else if (goal) print(context, `The goal of ${name}: ${aWeek(context, goal)}.`);
  else if (options['json'] !== undefined) print(context, 'null');
  else say(context, `${name} has no goal. To set one: ${commandLine(context, 'goal 4')}`);
}

function remove(context: Context, options: Options, userId: number, name: string): void {
  const goal = removeGoal(context.store, userId);
  if (options['json'] !== undefined) printJson(context, {});
  else
    sayChanged(
      context,
      goal ? `${name} has no goal any more; it was ${aWeek(context, goal)}.` : `${name} has no goal.`,
    );
}

function set(
  context: Context,
  options: Options,
  userId: number,
  name: string,
  sessionsPerWeek: number,
): void {
  const { goal } = setGoal(context.store, userId, sessionsPerWeek);
  const done = `The goal of ${name} is ${aWeek(context, goal)} now.`;
  printDone(context, options, { fields: goalRecord, record: goal, done });
}
