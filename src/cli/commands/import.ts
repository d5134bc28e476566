import { basename } from 'node:path';
import { type Command, Option } from 'commander';
import type { Context } from '../../context.ts';
import { describeIssue, SciaticaError } from '../../domain/errors.ts';
import { grouped } from '../../domain/fields.ts';
import { type KindName, kindNames } from '../../domain/kinds.ts';
import type { FileOrigin } from '../../domain/origin.ts';
import { type DayOrder, dayOrders } from '../../exchange/days.ts';
import { type Item, listKeyOf, type Reading } from '../../exchange/records.ts';
import type { Import, ImportResult } from '../../store/maintenance/import/import.ts';
import type { OnConflict } from '../../store/maintenance/import/staging.ts';
import { confirmDeletion } from '../input/edit.ts';
import { formatOption, rawOption } from '../input/formats.ts';
import { type InputFile, openInput } from '../input/input-file.ts';
import { idOf } from '../input/options.ts';
import { usage } from '../terminal/errors.ts';
import { examples } from '../terminal/help.ts';
import { counted, escapeControls, print, say, sayAlways } from '../terminal/io.ts';
import { type Progress, progressOf } from '../terminal/progress.ts';
import { isAlwaysCounted } from '../views/holding.ts';
import {
  describeConflict,
  describeCounts,
  describeGone,
  describeMoved,
  describeRecipients,
  describeRefusal,
  namesOf,
  OLDER_FILE,
  totalOf,
} from '../views/import.ts';
import { saySameEmail, summaryOf } from '../views/records.ts';

/** Faults shown in a terminal; where stderr is a file, all are written. */
const SHOWN_FAULTS = 20;

interface ImportOptions {
  format?: 'json' | 'ndjson' | 'csv';
  onConflict?: keyof typeof policies;
  dryRun?: boolean;
  raw?: boolean;
  dates?: DayOrder;
  json?: boolean;
  mirror?: boolean;
  yes?: boolean;
  as?: string;
  sameIds?: boolean;
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
    .summary('Import records from a file')
    .description(
      `Bring in users, logs, routines and goals from a file: all of them, or none if one is wrong. JSON in the form of the service's lists, { "users": […], "userExerciseLogs": […], "routines": […], "goals": […] }, NDJSON with a record per line, or CSV with a header.

JSON says which database it is from, and so does NDJSON with --origin. The next file from there is then matched with this one: new records come in, records that were changed only there are changed here, and the rest is left alone. Records that were deleted there are named; --mirror deletes them here too. A record that was changed on both sides is a conflict. It is shown, and nothing is imported until --on-conflict says whose version counts: theirs (the file's), ours, or newest, the one that was changed last. Two records that are equal in every field count as one. Ids are kept if they were never used here. A user who was erased here is a conflict too. Two copies of one database give the same id to different records; an export with all records shows this, and it is a conflict: renumber keeps both logs.

Files without an origin, and those of this database itself, are matched by id. A record that is already here is left alone, and one without an id gets a new one. If a different record has its id, nothing is imported until --on-conflict says what to do: ours (or skip) keeps the stored record, and a skipped user's logs go to the stored user; theirs (or overwrite) replaces it; renumber stores the file's record under a new id, and logs in the file follow their user. A user has only one goal, and only one routine of each name: renumber does not help there.

The ids in a file without an origin may be those of another database. If this database has several users, records whose users are not in the file need --as ID, or --same-ids if the userId column means the users of this database. Such a file never moves a record from one user to another, and never takes one person for another.

CSV may come from a spreadsheet: days as 5.11.2026 or 5/11/2026, true and false in English, German or French.`,
    )
    .argument('<file>', 'the file, or - for stdin')
    .addOption(formatOption('by its name or its content'))
    .addOption(
      new Option(
        '--on-conflict <how>',
        'what to do if a record was changed on both sides, or its id is taken',
      ).choices(Object.keys(policies)),
    )
    .option('--as <id>', 'put the records of a file with one user under this user')
    .option('--same-ids', 'the user ids of the file are those of this database')
    .option('--mirror', 'delete what was deleted there, after asking; for a complete JSON export')
    .option('--yes', 'do not ask')
    .option('--dry-run', 'say what would happen, and write nothing')
    .addOption(rawOption("the CSV was written with --raw: remove no '"))
    .addOption(
      new Option(
        '--dates <order>',
        'what 5/11/2026 means in CSV: dmy (5 November) or mdy (May 11); otherwise a number above 12 in the file decides',
      ).choices(dayOrders),
    )
    .option('--json', 'the counts as JSON')
    .addHelpText(
      'after',
      examples(
        'sciatica import db.json --dry-run',
        'sciatica import logs.csv --as 3',
        'sciatica import all.csv --same-ids',
        'sciatica import nora.json --as 3',
        'sciatica import nora.json --on-conflict newest --mirror',
        'sciatica export --db old.db --format ndjson | sciatica import - --on-conflict renumber',
      ),
    )
    .action((file: string, options: ImportOptions) => importFile(context, file, options));
}

async function importFile(context: Context, path: string, options: ImportOptions): Promise<void> {
  if (options.dryRun) context.mayCreate = false;
  const as = options.as === undefined ? undefined : context.store.users.get(idOf(options.as, '--as')).id;
  if (as !== undefined && options.sameIds) throw usage('--as and --same-ids cannot both be given.');
  const file = await openInput(context, path);
  const { readRecords } = await import('../../exchange/read.ts');
  const { formatOfName } = await import('../../exchange/format.ts');
  const format = options.format ?? formatOfName(path);
  const progress = progressOf(context);
  const raw = options.raw ?? false;
  let task: Import | undefined;
  let origin: FileOrigin | undefined;
  // Everything before the one transaction at the end is staging.
  context.ifInterrupted = 'Nothing was imported.';
  try {
    const reading = await readRecords(file.bytes, { format, raw, dates: options.dates });
    task = await context.store.import(reading.where, path === '-' ? undefined : basename(path));
    await readAll(file, reading, task, progress);
    context.ifInterrupted = undefined;
    origin = reading.origin?.();
    await apply(context, task, { origin, options, as, progress });
  } catch (error) {
    progress.clear();
    throw reported(context, error, { file, task, options, origin });
  }
  progress.clear();
  sayResult(context, task, options, isForeign(context, origin));
}

/** Whether a file says that it is from another database. */
const isForeign = ({ store }: Context, origin: FileOrigin | undefined): origin is FileOrigin =>
  origin !== undefined && origin.id !== store.id;

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
  const { onConflict, mirror = false, dryRun = false, yes = false, sameIds } = given.options;
  if (mirror && !(isForeign(context, origin) && origin.complete))
    throw usage(
      '--mirror is for a JSON export of another database with all that it has: made by sciatica export, without filters.',
    );
  if (sameIds && isForeign(context, origin))
    throw usage(
      '--same-ids is for files that do not say which database they are from. This one does: its ids are matched by that.',
    );
  if (onConflict === 'newest' && !isForeign(context, origin))
    throw usage('--on-conflict newest is for an export of another database that says so: JSON.');
  const wanted = {
    onConflict: onConflict === undefined ? 'refuse' : policies[onConflict],
    origin,
    mirror,
    as,
    sameIds,
  } as const;
  if (!mirror || dryRun || yes) {
    task.apply({ ...wanted, dryRun });
    return;
  }
  const { gone } = task.apply({ ...wanted, dryRun: true });
  if (gone.length > 0) {
    progress.clear();
    for (const { record, id } of gone.slice(0, SHOWN_FAULTS))
      say(context, `To be deleted: ${summaryOf(record, context.store.of(record).get(id))}`);
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
    for (const { at, kind, fault } of items.filter(isFault))
      task.fault({ ...fault, at: reading.where(at, kind) });
    count += items.length;
    progress.show(() => `${file.name}: ${counted(count, 'record')} read`);
  }
  progress.show(() => `${file.name}: ${counted(count, 'record')} read, writing …`);
}

const isRecord = (item: Item): item is Extract<Item, { value: unknown; kind: KindName }> =>
  item.fault === undefined && item.lastChange === undefined;
const isFault = (item: Item): item is Extract<Item, { fault: object }> => item.fault !== undefined;

/** Prints each fault on a line. @returns the error that ends the command */
function reported(
  context: Context,
  error: unknown,
  {
    file,
    task,
    options,
    origin,
  }: {
    file: InputFile;
    task: Import | undefined;
    options: ImportOptions;
    origin: FileOrigin | undefined;
  },
): unknown {
  if (!(error instanceof SciaticaError)) return error;
  if (error.code !== 'invalid' && error.code !== 'conflict') return error;
  const result = task?.result;
  const faults =
    task && task.faults.count > 0 ? task.faults : { count: error.issues.length, issues: error.issues };
  if (faults.count === 0 && !result) return new SciaticaError(error.code, `${file.name}: ${error.message}`);
  // Not of the file: a question that could not be asked.
  if (faults.count === 0 && error.code === 'invalid') return error;
  const limit = context.stderr.isTTY ? SHOWN_FAULTS : undefined;
  const shown = faults.issues.slice(0, limit);
  for (const issue of shown) sayAlways(context, escapeControls(describeIssue(issue)));
  const conflicts = result?.conflicts.slice(0, limit) ?? [];
  for (const conflict of conflicts)
    for (const line of describeConflict(conflict, result?.isOlder ?? false)) sayAlways(context, line);
  const told = shown.length + conflicts.length;
  if (faults.count > told) sayAlways(context, `and ${grouped(faults.count - told)} more`);
  // What ended the reading, after faults of single records.
  if (error.issues.length === 0 && error.code === 'invalid')
    sayAlways(context, `${file.name}: ${error.message}`);
  if (result) sayCounts(context, result, options);
  const why =
    error.code === 'invalid'
      ? `${file.name} has ${counted(faults.count, 'fault')}: nothing was imported.`
      : describeRefusal(error, {
          count: faults.count,
          result,
          file: file.name,
          onConflict: options.onConflict,
          isOwn: origin !== undefined && !isForeign(context, origin),
        });
  return new SciaticaError(error.code, why);
}

function sayResult(context: Context, task: Import, options: ImportOptions, isMerge: boolean): void {
  const { result } = task;
  if (!result) return;
  sayCounts(context, result, options);
  const { counts, gone, isOlder, recipients, replaced, moved } = result;
  if (recipients.length > 0) say(context, escapeControls(describeRecipients(recipients)));
  if (!options.dryRun)
    for (const { id, isNew } of recipients) if (isNew) saySameEmail(context, context.store.users.get(id));
  if (replaced.length > 0) say(context, `Changed records of: ${escapeControls(namesOf(replaced))}`);
  for (const line of describeMoved(moved)) say(context, escapeControls(line));
  if (isOlder) say(context, OLDER_FILE);
  const missing = gone.length > 0 && !options.mirror;
  if (missing)
    say(
      context,
      `Deleted there, and still here: ${describeGone(gone, goneCount(result), SHOWN_FAULTS)}. To delete them here too: --mirror`,
    );
  if (counts.user.skipped > 0 && !isMerge)
    say(
      context,
      `Logs in the file of ${counted(counts.user.skipped, 'skipped user')} go to the stored user with that id.`,
    );
  if (options.dryRun) say(context, 'This was a dry run: nothing was written.');
}

function sayCounts(
  context: Context,
  { counts, conflicts, gone, isOlder, recipients, replaced, moved }: ImportResult,
  options: ImportOptions,
): void {
  if (options.json)
    print(
      context,
      JSON.stringify({
        ...Object.fromEntries(kindNames.map((kind) => [listKeyOf(kind), counts[kind]])),
        conflicts,
        deletedThere: gone,
        recipients: recipients.map(({ id }) => id),
        replaced: replaced.map(({ id }) => id),
        moved,
        older: isOlder,
        dryRun: options.dryRun ?? false,
      }),
    );
  for (const kind of kindNames.filter((name) => isAlwaysCounted(name) || totalOf(counts[name]) > 0))
    say(context, describeCounts(counts[kind], kind));
}

/** How many records were deleted there. */
const goneCount = ({ counts }: ImportResult): number =>
  Object.values(counts).reduce((sum, { missing, deleted }) => sum + missing + deleted, 0);
