import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { addDays } from '../../domain/day.ts';
import { date, type Fields, type RecordOf } from '../../domain/fields.ts';
import { type LogFilter, logFields } from '../../domain/log.ts';
import { anonymous, comparisonFields } from '../../domain/summary.ts';
import type { Period } from '../../insights/index.ts';
import { usage } from '../errors.ts';
import { examples } from '../help.ts';
import { addFieldOptions, type Options, plainJsonOption } from '../input/options.ts';
import { parseFlags } from '../input/parse-flags.ts';
import { resolveUserOrAsk } from '../input/resolve-user.ts';
import { print } from '../output/io.ts';
import { printJson } from '../output/output.ts';
import { shownAs } from '../views/records.ts';
import { sayNone } from './logs.ts';

const FOUR_WEEKS = 28;

const fields = {
  ...comparisonFields,
  before: date({
    label: 'Before',
    flag: 'before',
    help: 'What came before this day, against this day and what followed',
    example: '2026-03-15',
  }),
} satisfies Fields;

type Asked = Partial<RecordOf<typeof fields>>;

/** `sciatica compare` */
export function addCompareCommand(program: Command, context: Context): void {
  const { userId } = logFields;
  const command = program
    .command('compare')
    .summary('Lay two periods side by side')
    .description(
      'Lay two periods of one user side by side: the days from --since to --until, against as many days just before. Without --since, the 4 weeks up to --until; without --until, up to the latest session. Or, with --before, all that came before a day against all since.',
    )
    .option(`--${userId.flag} <id>`, userId.help);
  addFieldOptions(command, fields);
  command
    .option(`--${anonymous.flag}`, anonymous.help)
    .addOption(plainJsonOption())
    .addHelpText(
      'after',
      examples(
        'sciatica compare',
        'sciatica compare --user 3 --since 2026-03-01 --until 2026-03-31',
        'sciatica compare --before 2026-03-15 --json',
      ),
    )
    .action((options: Options) => compare(context, options));
}

async function compare(context: Context, options: Options): Promise<void> {
  const asked = await parseFlags(context, options, fields);
  if (asked.before !== undefined && (asked.since ?? asked.until) !== undefined)
    throw usage('--before takes all there is: leave out --since and --until.');
  const userId = await resolveUserOrAsk(context, options['user']);
  const user = context.store.users.get(userId);
  const { exerciseType } = asked;
  const filter: LogFilter = { userId, ...(exerciseType !== undefined && { exerciseType }) };
  const periods = periodsOf(context, filter, asked);
  const { comparePeriods, responseRules } = await import('../../insights/index.ts');
  const rule = responseRules[asked.rule ?? 'default'];
  const comparison = comparePeriods(sessionsOf(context, filter), ...periods, { rule });
  if (options['json']) return printJson(context, comparison);
  if (comparison.first.sessions + comparison.second.sessions === 0) return sayNone(context, filter);
  const { canvasOf } = await import('../views/layout.ts');
  const { comparisonScreen } = await import('../views/comparison.ts');
  const who = shownAs(user, options['anonymous'] === true);
  print(context, comparisonScreen(who, comparison, await canvasOf(context)).join('\n'));
}

/** The two periods, the earlier one first. They end with the latest session, so that no clock is in the answer. */
function periodsOf(context: Context, filter: LogFilter, asked: Asked): [Period, Period] {
  const end = (sort: string) => context.store.logs.list({ ...filter, sort, limit: 1 })[0]?.date;
  const { before } = asked;
  const until = asked.until ?? end('-date') ?? context.today;
  if (before !== undefined) {
    const day = addDays(before, -1);
    const [since = day] = [end('date') ?? day, day].toSorted();
    const [, last = before] = [before, until].toSorted();
    return [
      { since, until: day },
      { since: before, until: last },
    ];
  }
  const since = asked.since ?? addDays(until, 1 - FOUR_WEEKS);
  if (since > until) throw usage(`The period is empty: it would begin on ${since} and end on ${until}.`);
  const days = Math.round((Date.parse(until) - Date.parse(since)) / 86_400_000) + 1;
  return [
    { since: addDays(since, -days), until: addDays(since, -1) },
    { since, until },
  ];
}

function* sessionsOf({ store }: Context, filter: LogFilter) {
  for (const sessions of store.logs.sessions(filter)) yield* sessions;
}
