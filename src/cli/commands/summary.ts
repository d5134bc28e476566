import type { Context } from '../../context.ts';
import type { RecordOf } from '../../domain/fields.ts';
import { logFields } from '../../domain/log.ts';
import { anonymous, summaryFields } from '../../domain/summary.ts';
import type { Command } from '../input/command.ts';
import { type Options, parseFlags, plainJsonOption } from '../input/options.ts';
import { resolveListUser } from '../input/resolve-user.ts';
import { canvasOf } from '../terminal/canvas.ts';
import { usage } from '../terminal/errors.ts';
import { commandLine, print, say } from '../terminal/io.ts';
import { printJson } from '../terminal/output.ts';
import { nameOf, shownAs } from '../views/records.ts';
import { sayNone } from './logs.ts';

type Asked = Partial<RecordOf<typeof summaryFields>>;

export function addSummaryCommand(program: Command, context: Context): void {
  const { userId } = logFields;
  program
    .command('summary')
    .summary('What helps me: exercises, pain over time')
    .description(
      'Show after which exercises there was less pain or more, and how the pain is going. You can check every day; “clear” allows for that. With fewer than 3 sessions there is too little to say. For several users together: which exercises help whom, by pain location.',
    )
    .option(`--${userId.flag} <id>`, `${userId.help}, or all`)
    .fields(summaryFields)
    .option('--details', 'add the figures: intervals, response, week by week')
    .option(`--${anonymous.flag}`, anonymous.help)
    .addOption(plainJsonOption())
    .examples(
      'sciatica summary',
      'sciatica summary --details',
      'sciatica summary --user 3 --since -90d --target 4',
      'sciatica summary --rule radicular --json',
      'sciatica summary --user all --type stretch',
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
  const { lostMarks, summaryOf } = await import('../../cases/summary.ts');
  const { store } = context;
  const summary = await summaryOf(store, userId, asked, context.today);
  if (options['json']) return printJson(context, summary);
  if (summary.pain === null) return sayNone(context, { userId }, summary.leftOut);
  const { lostMarksLines, summaryScreen } = await import('../views/summary.ts');
  const user = store.users.get(userId);
  const who = options['anonymous'] ? shownAs(user, true) : nameOf(user);
  const canvas = await canvasOf(context);
  // Loaded on demand: it draws tables.
  const { summaryDetails } = options['details'] ? await import('../views/summary-details.ts') : {};
  const command = (words: string) => commandLine(context, words);
  const details = summaryDetails?.(summary, canvas);
  print(context, summaryScreen(who, summary, canvas, command, details).join('\n'));
  const { since, until, exerciseType } = asked;
  if (!context.stdout.isTTY || since || until || exerciseType) return;
  for (const line of lostMarksLines(lostMarks(store, userId, summary), canvas)) say(context, line);
}

async function summarizeEverybody(context: Context, options: Options, asked: Asked): Promise<void> {
  const { placesOf } = await import('../../cases/summary.ts');
  const summary = placesOf(context.store, asked, context.today);
  if (options['json']) return printJson(context, summary);
  if (summary.places.length === 0) return sayNone(context, {}, summary.leftOut);
  const { placesScreen } = await import('../views/summary-details.ts');
  print(context, placesScreen(summary, await canvasOf(context)).join('\n'));
}
