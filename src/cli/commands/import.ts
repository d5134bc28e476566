import { type Command, Option } from 'commander';
import type { Context } from '../../context.ts';
import { describeIssue, SciaticaError } from '../../domain/errors.ts';
import { grouped } from '../../domain/fields.ts';
import type { Item, Reading } from '../../exchange/records.ts';
import type { Import, ImportResult } from '../../store/maintenance/import.ts';
import type { Counts, OnConflict } from '../../store/maintenance/staging.ts';
import { examples } from '../help.ts';
import { type InputFile, openInput } from '../input/input-file.ts';
import { formatOption, rawOption } from '../output/formats.ts';
import { counted, escapeControls, print, say, sayAlways } from '../output/io.ts';
import { type Progress, progressOf } from '../output/progress.ts';

/** Faults shown in a terminal; where stderr is a file, all are written. */
const SHOWN_FAULTS = 20;

interface ImportOptions {
  format?: 'json' | 'ndjson' | 'csv';
  onConflict?: Exclude<OnConflict, 'refuse'>;
  dryRun?: boolean;
  raw?: boolean;
  json?: boolean;
}

/** `sciatica import` */
export function addImportCommand(program: Command, context: Context): void {
  program
    .command('import')
    .summary('Bring in records from a file')
    .description(
      `Bring in users, logs, routines and goals from a file: all of them, or none if one is wrong. JSON as the service's lists, { "users": […], "userExerciseLogs": […], "routines": […], "goals": […] }, NDJSON with a record per line, or CSV with a header.

Ids are kept; a record without one gets a new one. A record that is there already, the same, is counted and left alone. If its id is taken by a different record, nothing is imported unless --on-conflict says what to do: skip keeps what is stored, and a skipped user's logs go to the stored user; overwrite replaces it by what is in the file; renumber stores the file's under a new id, and logs in the file follow their user. Of two routines of one name, and of two goals, a user keeps one: renumber does not help there.`,
    )
    .argument('<file>', 'the file, or - for stdin')
    .addOption(formatOption('as its name says, or what is in it'))
    .addOption(
      new Option('--on-conflict <how>', 'when an id is taken by a different record').choices([
        'skip',
        'overwrite',
        'renumber',
      ]),
    )
    .option('--dry-run', 'find out what would happen, and write nothing')
    .addOption(rawOption("the CSV was written with --raw: take no ' off"))
    .option('--json', 'the counts as JSON')
    .addHelpText(
      'after',
      examples(
        'sciatica import db.json --dry-run',
        'sciatica import logs.csv',
        'sciatica export --db old.db --format ndjson | sciatica import - --on-conflict renumber',
      ),
    )
    .action((file: string, options: ImportOptions) => importFile(context, file, options));
}

async function importFile(context: Context, path: string, options: ImportOptions): Promise<void> {
  const file = await openInput(context, path);
  const { readRecords } = await import('../../exchange/read.ts');
  const { formatOfName } = await import('../../exchange/format.ts');
  const format = options.format ?? formatOfName(path);
  const progress = progressOf(context);
  const raw = options.raw ?? false;
  let task: Import | undefined;
  // Everything before the one transaction at the end is staging.
  context.ifInterrupted = 'Nothing was imported.';
  try {
    const reading = await readRecords(file.bytes, { format, raw });
    task = await context.store.import(reading.where);
    await readAll(file, reading, task, progress);
    context.ifInterrupted = undefined;
    task.apply({ onConflict: options.onConflict ?? 'refuse', dryRun: options.dryRun ?? false });
  } catch (error) {
    progress.clear();
    throw reported(context, error, { file, task, options });
  }
  progress.clear();
  sayResult(context, task, options);
}

async function readAll(file: InputFile, reading: Reading, task: Import, progress: Progress): Promise<void> {
  let count = 0;
  for await (const items of reading.batches) {
    task.add(items.filter(isRecord));
    for (const { at, noun, fault } of items.filter(isFault))
      task.fault({ ...fault, at: reading.where(at, noun) });
    count += items.length;
    progress.show(() => `${file.name}: ${counted(count, 'record')} read`);
  }
  progress.show(() => `${file.name}: ${counted(count, 'record')} read, writing …`);
}

const isRecord = (item: Item): item is Exclude<Item, { fault: object }> => item.fault === undefined;
const isFault = (item: Item): item is Extract<Item, { fault: object }> => item.fault !== undefined;

/** Prints each fault on a line. @returns the error that ends the command */
function reported(
  context: Context,
  error: unknown,
  { file, task, options }: { file: InputFile; task: Import | undefined; options: ImportOptions },
): unknown {
  if (!(error instanceof SciaticaError)) return error;
  if (error.code !== 'invalid' && error.code !== 'conflict') return error;
  const faults =
    task && task.faults.count > 0 ? task.faults : { count: error.issues.length, issues: error.issues };
  if (faults.count === 0) return new SciaticaError(error.code, `${file.name}: ${error.message}`);
  const shown = faults.issues.slice(0, context.stderr.isTTY ? SHOWN_FAULTS : undefined);
  for (const issue of shown) sayAlways(context, escapeControls(describeIssue(issue)));
  if (faults.count > shown.length) sayAlways(context, `and ${grouped(faults.count - shown.length)} more`);
  // What ended the reading, after faults of single records.
  if (error.issues.length === 0) sayAlways(context, `${file.name}: ${error.message}`);
  if (task?.result) sayCounts(context, task.result, options);
  if (error.code === 'invalid')
    return new SciaticaError(
      'invalid',
      `${file.name} has ${counted(faults.count, 'fault')}: nothing was imported.`,
    );
  if (faults.issues.some(({ field }) => field !== 'id'))
    return new SciaticaError(
      'conflict',
      `${counted(faults.count, 'record')} cannot be beside what is stored: nothing was imported. See --on-conflict skip and overwrite.`,
    );
  const conflicts =
    faults.count === 1 ? 'The id of one record is' : `The ids of ${counted(faults.count, 'record')} are`;
  return new SciaticaError(
    'conflict',
    `${conflicts} taken by different ones: nothing was imported. See --on-conflict skip, overwrite and renumber.`,
  );
}

function sayResult(context: Context, task: Import, options: ImportOptions): void {
  const { result } = task;
  if (!result) return;
  sayCounts(context, result, options);
  const { users } = result;
  if (users.skipped > 0)
    say(
      context,
      `Logs in the file of ${counted(users.skipped, 'skipped user')} go to the stored user with that id.`,
    );
  if (options.dryRun) say(context, 'This was a dry run: nothing was written.');
}

const WORDS: Record<keyof Counts, string> = {
  new: 'new',
  equal: 'already there',
  repeated: 'repeated in the file',
  conflicting: 'in conflict',
  skipped: 'skipped',
  overwritten: 'overwritten',
  renumbered: 'renumbered',
};

function sayCounts(
  context: Context,
  { users, logs, routines, goals }: ImportResult,
  options: ImportOptions,
): void {
  if (options.json)
    print(
      context,
      JSON.stringify({ users, userExerciseLogs: logs, routines, goals, dryRun: options.dryRun ?? false }),
    );
  say(context, describeCounts(users, 'user'));
  say(context, describeCounts(logs, 'log'));
  if (totalOf(routines) > 0) say(context, describeCounts(routines, 'routine'));
  if (totalOf(goals) > 0) say(context, describeCounts(goals, 'goal'));
}

const totalOf = (counts: Counts) => Object.values(counts).reduce((sum, count) => sum + count, 0);

/** `400 logs: 398 new, 2 already there` */
function describeCounts(counts: Counts, noun: string): string {
  const names = Object.keys(WORDS) as (keyof Counts)[];
  const parts = names
    .filter((name) => counts[name] > 0)
    .map((name) => `${grouped(counts[name])} ${WORDS[name]}`);
  return `${counted(totalOf(counts), noun)}${parts.length > 0 ? `: ${parts.join(', ')}` : ''}`;
}
