import { type Command, Option } from 'commander';
import type { Context } from '../../context.ts';
import { describeIssue, SciaticaError } from '../../domain/errors.ts';
import { grouped } from '../../domain/fields.ts';
import type { FileOrigin } from '../../domain/origin.ts';
import type { Noun } from '../../domain/records.ts';
import type { Item, Reading } from '../../exchange/records.ts';
import type { Import, ImportResult } from '../../store/maintenance/import/import.ts';
import type { OnConflict } from '../../store/maintenance/import/staging.ts';
import { usage } from '../errors.ts';
import { examples } from '../help.ts';
import { confirmDeletion } from '../input/edit.ts';
import { type InputFile, openInput } from '../input/input-file.ts';
import { idOf } from '../input/options.ts';
import { formatOption, rawOption } from '../output/formats.ts';
import { counted, escapeControls, print, say, sayAlways } from '../output/io.ts';
import { type Progress, progressOf } from '../output/progress.ts';
import { describeConflict, describeCounts, describeGone, totalOf } from '../views/import.ts';

/** Faults shown in a terminal; where stderr is a file, all are written. */
const SHOWN_FAULTS = 20;

interface ImportOptions {
  format?: 'json' | 'ndjson' | 'csv';
  onConflict?: keyof typeof policies;
  dryRun?: boolean;
  raw?: boolean;
  json?: boolean;
  mirror?: boolean;
  yes?: boolean;
  as?: string;
}

/** What the choices of --on-conflict are to the store. */
const policies = {
  theirs: 'overwrite',
  ours: 'skip',
  newest: 'newest',
  skip: 'skip',
  overwrite: 'overwrite',
  renumber: 'renumber',
} as const satisfies Record<string, OnConflict>;

/** `sciatica import` */
export function addImportCommand(program: Command, context: Context): void {
  program
    .command('import')
    .summary('Bring in records from a file')
    .description(
      `Bring in users, logs, routines and goals from a file: all of them, or none if one is wrong. JSON as the service's lists, { "users": […], "userExerciseLogs": […], "routines": […], "goals": […] }, NDJSON with a record per line, or CSV with a header.

A file that says which database it is from (JSON does; NDJSON with --origin) is known again the next time: what is new there comes in, what was changed there and not here is changed, the rest is left alone, and what was deleted there is named; --mirror deletes it here too. A record that was changed on both sides is a conflict: it is shown, and nothing is imported unless --on-conflict says whose state counts: theirs (the file's), ours, or newest, the one that was changed last. A record equal in every field to one that is here is that one. Ids are kept where they were never used.

Of other files, and those of this database itself, the ids count: a record that is there already, the same, is left alone; one without an id gets a new one. If its id is taken by a different record, nothing is imported unless --on-conflict says what to do: ours (or skip) keeps what is stored, and a skipped user's logs go to the stored user; theirs (or overwrite) replaces it; renumber stores the file's under a new id, and logs in the file follow their user. Of two routines of one name, and of two goals, a user keeps one: renumber does not help there.`,
    )
    .argument('<file>', 'the file, or - for stdin')
    .addOption(formatOption('as its name says, or what is in it'))
    .addOption(
      new Option(
        '--on-conflict <how>',
        'when a record was changed on both sides, or its id is taken',
      ).choices(Object.keys(policies)),
    )
    .option('--as <id>', 'put the records of a file with one user under this user')
    .option('--mirror', 'delete what was deleted there, after asking; of a complete JSON export')
    .option('--yes', 'do not ask')
    .option('--dry-run', 'find out what would happen, and write nothing')
    .addOption(rawOption("the CSV was written with --raw: take no ' off"))
    .option('--json', 'the counts as JSON')
    .addHelpText(
      'after',
      examples(
        'sciatica import db.json --dry-run',
        'sciatica import logs.csv',
        'sciatica import nora.json --as 3',
        'sciatica import nora.json --on-conflict newest --mirror',
        'sciatica export --db old.db --format ndjson | sciatica import - --on-conflict renumber',
      ),
    )
    .action((file: string, options: ImportOptions) => importFile(context, file, options));
}

async function importFile(context: Context, path: string, options: ImportOptions): Promise<void> {
  const as = options.as === undefined ? undefined : context.store.users.get(idOf(options.as, '--as')).id;
  const file = await openInput(context, path);
  const { readRecords } = await import('../../exchange/read.ts');
  const { formatOfName } = await import('../../exchange/format.ts');
  const format = options.format ?? formatOfName(path);
  const progress = progressOf(context);
  const raw = options.raw ?? false;
  let task: Import | undefined;
  let isMerge = false;
  // Everything before the one transaction at the end is staging.
  context.ifInterrupted = 'Nothing was imported.';
  try {
    const reading = await readRecords(file.bytes, { format, raw });
    task = await context.store.import(reading.where);
    await readAll(file, reading, task, progress);
    context.ifInterrupted = undefined;
    const origin = reading.origin?.();
    isMerge = origin !== undefined && origin.id !== context.store.id;
    await apply(context, task, { origin, options, as, progress });
  } catch (error) {
    progress.clear();
    throw reported(context, error, { file, task, options });
  }
  progress.clear();
  sayResult(context, task, options, isMerge);
}

/** Writes what was read; asks first where records are to be deleted. */
async function apply(
  context: Context,
  task: Import,
  given: {
    origin: FileOrigin | undefined;
    options: ImportOptions;
    as: number | undefined;
    progress: Progress;
  },
): Promise<void> {
  const { origin, as, progress } = given;
  const { onConflict, mirror = false, dryRun = false, yes = false } = given.options;
  const isForeign = origin !== undefined && origin.id !== context.store.id;
  if (mirror && !(isForeign && origin.complete))
    throw usage(
      '--mirror is for a JSON export of another database with all that it has: made by sciatica export, without filters.',
    );
  if (onConflict === 'newest' && !isForeign)
    throw usage('--on-conflict newest is for an export of another database that says so: JSON.');
  const wanted = {
    onConflict: onConflict === undefined ? 'refuse' : policies[onConflict],
    origin,
    mirror,
    as,
  } as const;
  if (!mirror || dryRun || yes) {
    task.apply({ ...wanted, dryRun });
    return;
  }
  const { gone } = task.apply({ ...wanted, dryRun: true });
  if (gone.length > 0) {
    progress.clear();
    for (const { record, id } of gone.slice(0, SHOWN_FAULTS)) say(context, `To be deleted: ${record} ${id}`);
    if (gone.length > SHOWN_FAULTS) say(context, `and ${grouped(gone.length - SHOWN_FAULTS)} more`);
    await confirmDeletion(context, {}, counted(gone.length, 'record'));
  }
  task.apply({ ...wanted, dryRun: false, agreedTo: gone });
}

async function readAll(file: InputFile, reading: Reading, task: Import, progress: Progress): Promise<void> {
  let count = 0;
  for await (const items of reading.batches) {
    task.add(items.filter(isRecord));
    task.addLastChanges(items.flatMap(({ lastChange }) => lastChange ?? []));
    for (const { at, noun, fault } of items.filter(isFault))
      task.fault({ ...fault, at: reading.where(at, noun) });
    count += items.length;
    progress.show(() => `${file.name}: ${counted(count, 'record')} read`);
  }
  progress.show(() => `${file.name}: ${counted(count, 'record')} read, writing …`);
}

const isRecord = (item: Item): item is Extract<Item, { value: unknown; noun: Noun }> =>
  item.fault === undefined && item.lastChange === undefined;
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
  if (faults.count === 0 && !task?.result)
    return new SciaticaError(error.code, `${file.name}: ${error.message}`);
  const limit = context.stderr.isTTY ? SHOWN_FAULTS : undefined;
  const shown = faults.issues.slice(0, limit);
  for (const issue of shown) sayAlways(context, escapeControls(describeIssue(issue)));
  const conflicts = task?.result?.conflicts ?? [];
  for (const conflict of conflicts.slice(0, limit))
    for (const line of describeConflict(conflict)) sayAlways(context, line);
  const told = shown.length + conflicts.slice(0, limit).length;
  if (faults.count > told) sayAlways(context, `and ${grouped(faults.count - told)} more`);
  // What ended the reading, after faults of single records.
  if (error.issues.length === 0 && conflicts.length === 0)
    sayAlways(context, `${file.name}: ${error.message}`);
  if (task?.result) sayCounts(context, task.result, options);
  if (error.code === 'invalid')
    return new SciaticaError(
      'invalid',
      `${file.name} has ${counted(faults.count, 'fault')}: nothing was imported.`,
    );
  if (faults.count === 0)
    return new SciaticaError(
      error.code,
      `${file.name}: ${error.message} Nothing was imported. See --on-conflict.`,
    );
  if (conflicts.length > 0)
    return new SciaticaError('conflict', inConflict(faults.count, options, task?.result?.isOlder ?? false));
  if (faults.issues.some(({ field }) => field !== 'id'))
    return new SciaticaError(
      'conflict',
      `${counted(faults.count, 'record')} cannot be beside what is stored: nothing was imported. See --on-conflict skip and overwrite.`,
    );
  const ids =
    faults.count === 1 ? 'The id of one record is' : `The ids of ${counted(faults.count, 'record')} are`;
  return new SciaticaError(
    'conflict',
    `${ids} taken by different ones: nothing was imported. See --on-conflict skip, overwrite and renumber.`,
  );
}

function inConflict(count: number, { onConflict }: ImportOptions, isOlder: boolean): string {
  const older = isOlder ? ' The file is older than one from there that was imported before.' : '';
  const records = `${counted(count, 'record')} ${count === 1 ? 'is' : 'are'} in conflict: nothing was imported.${older}`;
  if (onConflict === undefined || onConflict === 'renumber')
    return `${records} See --on-conflict theirs, ours and newest.`;
  return onConflict === 'newest'
    ? `${records} The file does not say when they were changed there. See --on-conflict theirs and ours.`
    : `${records} See --on-conflict ours.`;
}

function sayResult(context: Context, task: Import, options: ImportOptions, isMerge: boolean): void {
  const { result } = task;
  if (!result) return;
  sayCounts(context, result, options);
  const { users, gone } = result;
  const missing = gone.length > 0 && !options.mirror;
  if (missing)
    say(
      context,
      `Deleted there, and still here: ${describeGone(gone, goneCount(result), SHOWN_FAULTS)}. To delete them here too: --mirror`,
    );
  if (users.skipped > 0 && !isMerge)
    say(
      context,
      `Logs in the file of ${counted(users.skipped, 'skipped user')} go to the stored user with that id.`,
    );
  if (options.dryRun) say(context, 'This was a dry run: nothing was written.');
}

function sayCounts(
  context: Context,
  { users, logs, routines, goals, conflicts, gone }: ImportResult,
  options: ImportOptions,
): void {
  if (options.json)
    print(
      context,
      JSON.stringify({
        users,
        userExerciseLogs: logs,
        routines,
        goals,
        conflicts,
        deletedThere: gone,
        dryRun: options.dryRun ?? false,
      }),
    );
  say(context, describeCounts(users, 'user'));
  say(context, describeCounts(logs, 'log'));
  if (totalOf(routines) > 0) say(context, describeCounts(routines, 'routine'));
  if (totalOf(goals) > 0) say(context, describeCounts(goals, 'goal'));
}

/** How many records were deleted there. */
const goneCount = ({ users, logs, routines, goals }: ImportResult): number =>
  [users, logs, routines, goals].reduce((sum, { missing, deleted }) => sum + missing + deleted, 0);
