import { goalOf, removeGoal, setGoal, targetOf } from '../../cases/goal.ts';
import type { Context } from '../../context.ts';
import { type Goal, goalFields, goalRecord } from '../../domain/goal.ts';
import { inPlainDigits } from '../../domain/words/spoken-day.ts';
import type { Command } from '../input/command.ts';
import { jsonOption, type Options } from '../input/options.ts';
import { resolveUserOrAsk } from '../input/resolve-user.ts';
import { usage } from '../terminal/errors.ts';
import { commandLine, counted, print, say } from '../terminal/io.ts';
import { checkJson, printDone, printJson, printRecord, sayChanged } from '../terminal/output.ts';
import { nameOf } from '../views/records.ts';

const { min, max } = goalFields.sessionsPerWeek;

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
    .action((sessions: string | undefined, options: Options) => goal(context, sessions, options));
}

async function goal(context: Context, sessions: string | undefined, options: Options): Promise<void> {
  checkJson(options, goalRecord);
  const { store } = context;
  const wanted = sessions === undefined ? undefined : sessionsOf(sessions);
  const user = store.users.get(await resolveUserOrAsk(context, options['user']));
  const name = nameOf(user);
  const isJson = options['json'] !== undefined;
  if (wanted === null) {
    const former = removeGoal(store, user.id);
    if (isJson) return printJson(context, {});
    const was = former && ` any more; it was ${aWeek(context, former)}`;
    return sayChanged(context, `${name} has no goal${was ?? ''}.`);
  }
  if (wanted !== undefined) {
    const { goal: record } = setGoal(store, user.id, wanted);
    const done = `The goal of ${name} is ${aWeek(context, record)} now.`;
    return printDone(context, options, { fields: goalRecord, record, done });
  }
  const record = goalOf(store, user.id);
  if (record && isJson) printRecord(context, options, { fields: goalRecord, columns: [], record });
  else if (record) print(context, `The goal of ${name}: ${aWeek(context, record)}.`);
  else if (isJson) print(context, 'null');
  else say(context, `${name} has no goal. To set one: ${commandLine(context, 'goal 4')}`);
}

/** Parses a number of sessions per week; null for `none`. @throws SciaticaError `invalid` */
function sessionsOf(text: string): number | null {
  if (text.toLowerCase() === 'none') return null;
  const plain = inPlainDigits(text);
  const count = /^\d{1,9}$/.test(plain) ? Number(plain) : Number.NaN;
  if (count >= min && count <= max) return count;
  throw usage(`A goal must be a whole number from ${min} to ${max}, the sessions a week, or none.`);
}

/** `4 sessions a week`, or `4 days a week` if the goal counts days (`targetOf`). */
function aWeek({ store }: Context, { userId, sessionsPerWeek }: Goal): string {
  const isInDays = targetOf(store, userId, sessionsPerWeek)?.counts === 'days';
  return `${counted(sessionsPerWeek, isInDays ? 'day' : 'session')} a week`;
}
