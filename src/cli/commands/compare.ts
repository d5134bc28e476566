import type { Context } from '../../context.ts';
import { logFields } from '../../domain/log.ts';
import { anonymous, comparisonFields } from '../../domain/summary.ts';
import type { Command } from '../input/command.ts';
import { type Options, parseFlags, plainJsonOption } from '../input/options.ts';
import { resolveUserOrAsk } from '../input/resolve-user.ts';
import { canvasOf } from '../terminal/canvas.ts';
import { inFlags, usage } from '../terminal/errors.ts';
import { print } from '../terminal/io.ts';
import { printJson } from '../terminal/output.ts';
import { shownAs } from '../views/records.ts';
import { sayNone } from './logs.ts';

export function addCompareCommand(program: Command, context: Context): void {
  program
    .command('compare')
    .summary('Compare two periods')
    .description(
      'Compare two periods of one user: the days from --since to --until, and as many days just before. Without --since, the 4 weeks up to --until; without --until, up to the latest session or pain entry. With --before, everything before a day and everything since.',
    )
    .fields({ userId: logFields.userId, ...comparisonFields })
    .option(`--${anonymous.flag}`, anonymous.help)
    .addOption(plainJsonOption())
    .examples(
      'sciatica compare',
      'sciatica compare --user 3 --since 2026-03-01 --until 2026-03-31',
      'sciatica compare --before 2026-03-15 --json',
    )
    .action((options: Options) => compare(context, options));
}

async function compare(context: Context, options: Options): Promise<void> {
  const asked = await parseFlags(context, options, comparisonFields);
  if (asked.before !== undefined && (asked.since ?? asked.until) !== undefined)
    throw usage('--before takes all there is: leave out --since and --until.');
  const userId = await resolveUserOrAsk(context, options['user']);
  const user = context.store.users.get(userId);
  const { comparisonOf } = await import('../../cases/summary.ts');
  const comparison = await comparisonOf(context.store, userId, asked, context.today).catch((error) => {
    throw inFlags(error, comparisonFields);
  });
  if (options['json']) return printJson(context, comparison);
  if (comparison.first.sessions + comparison.second.sessions === 0)
    return sayNone(context, { userId }, comparison.leftOut);
  const { comparisonScreen } = await import('../views/comparison.ts');
  const who = shownAs(user, options['anonymous'] === true);
  print(context, comparisonScreen(who, comparison, await canvasOf(context)).join('\n'));
}
