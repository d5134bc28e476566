import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import type { RecordOf } from '../../domain/fields.ts';
import { type LogFilter, logFields } from '../../domain/log.ts';
import { anonymous, summaryFields } from '../../domain/summary.ts';
import type { Summary } from '../../insights/index.ts';
import { addFieldOptions, type Options, plainJsonOption } from '../input/options.ts';
import { parseFlags } from '../input/parse-flags.ts';
import { resolveListUser } from '../input/resolve-user.ts';
import { usage } from '../terminal/errors.ts';
import { examples } from '../terminal/help.ts';
import { print } from '../terminal/io.ts';
import type { Canvas } from '../terminal/layout.ts';
import { printJson } from '../terminal/output.ts';
import { nameOf, shownAs } from '../views/records.ts';
import { sayNone } from './logs.ts';

type Asked = Partial<RecordOf<typeof summaryFields>>;

/** `sciatica summary` */
export function addSummaryCommand(program: Command, context: Context): void {
  const { userId } = logFields;
  const command = program
    .command('summary')
    .summary('What helps me: exercises, pain over time')
    .description(
      'After which exercises there was less pain, after which more, and how the pain goes. “Clear” holds for somebody who looks every day; with fewer than 3 sessions there is too little to say. Of several users together: which exercises help whom, by pain location.',
    )
    .option(`--${userId.flag} <id>`, `${userId.help}, or all`);
  addFieldOptions(command, summaryFields);
  command
    .option('--details', 'add the figures: intervals, response, week by week')
    .option(`--${anonymous.flag}`, anonymous.help)
    .addOption(plainJsonOption())
    .addHelpText(
      'after',
      examples(
        'sciatica summary',
        'sciatica summary --details',
        'sciatica summary --user 3 --since -90d --target 4',
        'sciatica summary --rule radicular --json',
        'sciatica summary --user all --type stretch',
      ),
    )
    .action((options: Options) => summarizeLogs(context, options));
}

async function summarizeLogs(context: Context, options: Options): Promise<void> {
  const asked = await parseFlags(context, options, summaryFields);
  const userId = resolveListUser(context, options);
  if (userId !== undefined) await summarizeUser(context, options, asked, userId);
  else if (asked.target === undefined) await summarizeEverybody(context, options, asked);
  else throw usage('--target is for one user: say which one with --user ID.');
}

async function summarizeUser(
  context: Context,
  options: Options,
  asked: Asked,
  userId: number,
): Promise<void> {
  const { responseRules, summarize } = await import('../../insights/index.ts');
  const { store } = context;
  const filter = filterOf(asked, userId);
  const target = asked.target ?? store.goals.list({ userId })[0]?.sessionsPerWeek;
  const summary = summarize(sessionsOf(store.logs.sessions(filter)), {
    ...asked,
    ...(target !== undefined && { target }),
    rule: responseRules[asked.rule ?? 'default'],
  });
  if (options['json']) return printJson(context, summary);
  if (summary.sessions === 0) return sayNone(context, filter);
  const { canvasOf } = await import('../terminal/layout.ts');
  const { summaryScreen } = await import('../views/summary.ts');
  const user = store.users.get(userId);
  const who = options['anonymous'] ? shownAs(user, true) : nameOf(user);
  const canvas = await canvasOf(context);
  const details = options['details'] ? await detailsOf(summary, canvas) : undefined;
  print(context, summaryScreen(who, summary, canvas, details).join('\n'));
}

/** Draws tables, which take a while to load. */
async function detailsOf(summary: Summary, canvas: Canvas): Promise<string[]> {
  const { summaryDetails } = await import('../views/summary-details.ts');
  return summaryDetails(summary, canvas);
}

async function summarizeEverybody(context: Context, options: Options, asked: Asked): Promise<void> {
  const { responseRules, summarizePlaces } = await import('../../insights/index.ts');
  const { store } = context;
  const filter = filterOf(asked);
  const rule = responseRules[asked.rule ?? 'default'];
  const snapshot = store.snapshot();
  try {
    const places = summarizePlaces(
      sessionsOf(snapshot.users.chunks()),
      sessionsOf(snapshot.logs.sessions(filter)),
      { rule },
    );
    const { since = null, until = null } = asked;
    if (options['json']) return printJson(context, { since, until, rule, places });
    if (places.length === 0) return sayNone(context, filter);
    const { canvasOf } = await import('../terminal/layout.ts');
    const { placesScreen } = await import('../views/by-location.ts');
    const period = `${since ? ` since ${since}` : ''}${until ? ` until ${until}` : ''}`;
    print(context, placesScreen(places, rule, period, await canvasOf(context)).join('\n'));
  } finally {
    snapshot.close();
  }
}

function filterOf({ since, until, exerciseType }: Asked, userId?: number): LogFilter {
  return {
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
    ...(exerciseType !== undefined && { exerciseType }),
    ...(userId !== undefined && { userId }),
  };
}

function* sessionsOf<T>(blocks: Iterable<T[]>): Generator<T> {
  for (const block of blocks) yield* block;
}
