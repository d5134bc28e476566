import { basename } from 'node:path';
import { countedLogs } from '../../cases/counted-logs.ts';
import type { Context } from '../../context.ts';
import { conflict, describeIssue, SciaticaError } from '../../domain/errors.ts';
import { grouped } from '../../domain/fields.ts';
import { kindNames } from '../../domain/kinds.ts';
import type { FileOrigin } from '../../domain/origin.ts';
import { type DayOrder, dayOrders } from '../../exchange/days.ts';
import { type Format, formatOfName, formats, listKeyOf, type Reading } from '../../exchange/records.ts';
import type { Import, ImportResult } from '../../store/maintenance/import/import.ts';
import type { OnConflict } from '../../store/maintenance/import/staging.ts';
import type { Command } from '../input/command.ts';
import { type InputFile, openInput } from '../input/input-file.ts';
import { idOf } from '../input/options.ts';
import { usage } from '../terminal/errors.ts';
import { commandLine, counted, escapeControls, say, sayAlways } from '../terminal/io.ts';
import { printJson } from '../terminal/output.ts';
import { type Progress, progressOf } from '../terminal/progress.ts';
import { countedKind, isAlwaysCounted } from '../views/holding.ts';
import {
  describeCounts,
  describeMoved,
  describeRecipients,
  describeRefusal,
  leftOutLine,
  namesOf,
  totalOf,
} from '../views/import.ts';
import { saySameEmail, staysWith } from '../views/records.ts';
import { disputeLines, EITHER, erasedLines, heldLines } from '../views/sync.ts';

/** Maximum number of faults shown in a terminal; to a file or pipe, all are written. */
const SHOWN_FAULTS = 20;

interface ImportOptions {
  format?: Format;
  onConflict?: keyof typeof policies;
  dryRun?: boolean;
  raw?: boolean;
  dates?: DayOrder;
  json?: boolean;
  as?: string;
  sameIds?: boolean;
}

/** The values of --on-conflict, and the policies of the store that they select. */
const policies = {
  theirs: 'overwrite',
  ours: 'skip',
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
      `Bring in the records of a file: all of them, or none if one is wrong. JSON in the form of the service's lists, { "users": […], "userExerciseLogs": […], "painEntries": […] and so on }, NDJSON with a record per line, or CSV with a header.

A JSON export, and NDJSON with --origin, says which database it is from, and carries what makes each of its records known everywhere: the import is a sync from that database. New records come in, what was changed there later is changed here, and what was deleted there is deleted here; a deletion of a user, or of more than 20 records and a tenth of all, is held back (exit 4). Whoever was erased there is named, and stays here until you erase here too (exit 4, the first time). What both sides changed is told, with both values, and the later one counts. The next file from there, and a sync with that machine, know the records again. Whoever was erased here is left out. Undo takes all of it back, and the next import brings it in again. If the file was changed by hand or cut off, it counts as one without an origin.

Files without an origin are matched by id. A record that is already here is left alone, and one without an id gets a new one, with a note if the same was here before; with --on-conflict that one is left out. If a different record has its id, nothing is imported until --on-conflict says what to do: ours (or skip) keeps the stored record, and a skipped user's logs go to the stored user; theirs (or overwrite) replaces it; renumber stores the file's record under a new id, and logs in the file follow their user. Of some records a user has only one, such as a goal or a routine of one name: renumber does not help there. A user who was erased here is a conflict too.

The ids in a file without an origin may be those of another database. If this database has several users, records whose users are not in the file need --as ID, or --same-ids if the userId column means the users of this database. Such a file never moves a record from one user to another, and never takes one person for another.

CSV may come from a spreadsheet: days as 5.11.2026 or 5/11/2026, true and false, or yes and no, in English, German or French.`,
    )
    .argument('<file>', 'the file, or - for stdin')
    .choice('--format <format>', 'format of the file (otherwise by its name or its content)', formats)
    .choice(
      '--on-conflict <how>',
      'of files without an origin: what to do if an id is taken by a different record',
      Object.keys(policies),
    )
    .option(
      '--as <id>',
      'put the records of a file with one user, or of CSV without the column userId, under this user, whose profile and goal stay',
    )
    .option('--same-ids', 'the user ids of the file are those of this database')
    .option('--dry-run', 'say what would happen, and write nothing')
    .option('--raw', "the CSV was written with --raw: remove no '")
    .choice(
      '--dates <order>',
      'what 5/11/2026 means in CSV: dmy (5 November) or mdy (May 11); otherwise a number above 12 in the file decides',
      dayOrders,
    )
    .option('--json', 'the counts as JSON')
    .examples(
      'sciatica import db.json --dry-run',
      'sciatica import logs.csv --as 3',
      'sciatica import all.csv --same-ids',
      'sciatica import nora.json --as 3',
      'sciatica export --db old.db --format ndjson | sciatica import - --on-conflict renumber',
    )
    .action((file: string, options: ImportOptions) => importFile(context, file, options));
}

async function importFile(context: Context, path: string, options: ImportOptions): Promise<void> {
  if (options.dryRun) context.mayCreate = false;
  const as = options.as === undefined ? undefined : context.store.users.get(idOf(options.as, '--as')).id;
  if (as !== undefined && options.sameIds) throw usage('--as and --same-ids cannot both be given.');
  const file = await openInput(context, path);
  const { readRecords } = await import('../../exchange/read.ts');
  const format = options.format ?? formatOfName(path);
  const progress = progressOf(context);
  const raw = options.raw ?? false;
  let task: Import | undefined;
  let origin: FileOrigin | undefined;
  // Until the single transaction at the end, records are only staged in temporary tables.
  context.ifInterrupted = 'Nothing was imported.';
  try {
    const reading = await readRecords(file.bytes, { format, raw, dates: options.dates, userId: as });
    task = await context.store.import(reading.where, path === '-' ? undefined : basename(path));
    await readAll(file, reading, task, progress);
    context.ifInterrupted = undefined;
    const sealed = reading.seal?.();
    if (sealed?.isEdited)
      say(
        context,
        `${file.name} was changed or cut off since it was exported, or is of an older version: it counts as a file that does not say where it is from.`,
      );
    else origin = reading.origin?.();
    const seal = sealed?.isEdited === false ? sealed.seal : undefined;
    apply(task, { origin, seal, options, as });
  } catch (error) {
    progress.clear();
    throw reported(context, error, file, task, { options, origin });
  } finally {
    file.close();
  }
  progress.clear();
  sayResult(context, task, options);
}

/** Points out records of those who got some that count in no figure, such as those of a year with a typing mistake. */
function sayStrangeDays(context: Context, recipients: ImportResult['recipients']): void {
  const all = recipients.map(({ id }) => ({ id, ...countedLogs(context.store, id, {}, context.today) }));
  const strange = all.filter(({ leftOut }) => leftOut > 0);
  if (strange.length === 0) return;
  const users = strange.map(({ id, leftOut }) => `${leftOut} of user ${id}`).join(', ');
  say(
    context,
    `Note: records after today, or before the birth that the age implies, count in no figure: ${users}.`,
  );
}

/** The origin and state metadata (`Seal`) of a file, and the options for its import. */
interface Given {
  origin: FileOrigin | undefined;
  seal: object | undefined;
  options: ImportOptions;
  as: number | undefined;
}

/** Applies the import. @throws SciaticaError `invalid` for options that are not for such a file, others as `Import.apply` */
function apply(task: Import, { origin, seal, options, as }: Given): void {
  const { onConflict, dryRun = false, sameIds } = options;
  const isByName = task.isByName({ origin, seal });
  if (sameIds && isByName)
    throw usage(
      '--same-ids is for files that do not say which database they are from. This one does: its records are known by that.',
    );
  if (onConflict !== undefined && isByName)
    throw usage(
      '--on-conflict is for files that do not say which database they are from. This one does: of what both sides changed the later counts. Leave it out.',
    );
  const policy = onConflict === undefined ? 'refuse' : policies[onConflict];
  task.apply({ onConflict: policy, origin, seal, as, sameIds, dryRun });
}

async function readAll(file: InputFile, reading: Reading, task: Import, progress: Progress): Promise<void> {
  let count = 0;
  for await (const items of reading.batches) {
    task.add(items);
    count += items.length;
    progress.show(() => `${file.name}: ${counted(count, 'record')} read`);
  }
  progress.show(() => `${file.name}: ${counted(count, 'record')} read, writing …`);
}

/** Prints each fault on a line. @returns the error that ends the command */
function reported(
  context: Context,
  error: unknown,
  file: InputFile,
  task: Import | undefined,
  { options, origin }: Pick<Given, 'options' | 'origin'>,
): unknown {
  if (!(error instanceof SciaticaError)) return error;
  if (error.code !== 'invalid' && error.code !== 'conflict') return error;
  const result = task?.result;
  const faults =
    task && task.faults.count > 0 ? task.faults : { count: error.issues.length, issues: error.issues };
  if (faults.count === 0 && !result) return new SciaticaError(error.code, `${file.name}: ${error.message}`);
  // Not a fault of the file.
  if (faults.count === 0 && error.code === 'invalid') return error;
  const limit = context.stderr.isTTY ? SHOWN_FAULTS : undefined;
  const shown = faults.issues.slice(0, limit);
  for (const issue of shown) sayAlways(context, escapeControls(describeIssue(issue)));
  if (faults.count > shown.length) sayAlways(context, `and ${grouped(faults.count - shown.length)} more`);
  // The error that stopped the reading, after the faults of single records.
  if (error.issues.length === 0 && error.code === 'invalid')
    sayAlways(context, `${file.name}: ${error.message}`);
  if (result) sayCounts(context, result, options);
  const strangers = faults.issues.filter(({ field }) => field === 'userId');
  const isOfStrangers =
    options.as === undefined &&
    (strangers.length === faults.issues.length || strangers.some(({ at }) => at === 'header'));
  const why =
    error.code === 'invalid'
      ? `${file.name} has ${counted(faults.count, 'fault')}: nothing was imported.${isOfStrangers ? ' To put a file of one user under a user here: --as ID' : ''}`
      : describeRefusal(error, {
          count: faults.count,
          result,
          file: file.name,
          isOwn: origin?.id === context.store.id,
        });
  return new SciaticaError(error.code, why);
}

/** Reports what was imported. @throws SciaticaError `conflict` if deletions or erasures wait for consent */
function sayResult(context: Context, task: Import, options: ImportOptions): void {
  const { result } = task;
  if (!result) return;
  sayCounts(context, result, options);
  const { counts, alike, recipients, replaced, moved, staying, erased, disputes, held, erasedThere } = result;
  const undo = commandLine(context, `undo ${context.store.latestChange}`);
  if (recipients.length > 0) say(context, escapeControls(describeRecipients(recipients)));
  if (!options.dryRun) sayStrangeDays(context, recipients);
  const newcomers = options.dryRun ? [] : recipients.flatMap(({ id, isNew }) => (isNew ? id : []));
  for (const id of newcomers) saySameEmail(context, context.store.users.get(id), newcomers);
  if (replaced.length > 0) say(context, `Changed records of: ${escapeControls(namesOf(replaced))}`);
  if (alike.length > 0) {
    const same = alike.map(({ record, count }) => countedKind(count, record)).join(', ');
    say(context, `Note: here before, with the same values: ${same}.`);
    if (!options.dryRun) say(context, `If the file was imported before: ${undo}`);
    say(context, 'To leave those out: --on-conflict ours');
  }
  if (result.alreadyUnder.length > 0) {
    const names = escapeControls(namesOf(result.alreadyUnder));
    say(context, `Note: most of them stand under ${names} already, with the same values.`);
    say(
      context,
      `If the file is not of user ${options.as}${options.dryRun ? ': another --as' : `: ${undo}`}`,
    );
  }
  for (const line of describeMoved(moved)) say(context, escapeControls(line));
  for (const line of disputeLines(context, disputes)) say(context, line);
  for (const id of new Set(staying.map((one) => one.id))) {
    const kinds = staying.flatMap((one) => (one.id === id ? one.record : []));
    say(context, `${staysWith(kinds, id)}, where the file differs.`);
  }
  if (erased > 0) say(context, leftOutLine(erased));
  else if (staying.length === 0 && counts.user.skipped > 0) {
    const owner = options.as === undefined ? 'the stored user with that id' : `user ${options.as}`;
    say(context, `Logs in the file of ${counted(counts.user.skipped, 'skipped user')} go to ${owner}.`);
  }
  for (const line of erasedLines(context, erasedThere)) say(context, line);
  if (options.dryRun) say(context, 'This was a dry run: nothing was written.');
  for (const line of heldLines(context, held)) say(context, line);
  const waiting = [
    ...(held.length > 0 ? [`${counted(held.length, 'deletion')} held back`] : []),
    ...(erasedThere.length > 0
      ? [`${counted(erasedThere.length, ...EITHER)} still here, erased elsewhere`]
      : []),
  ].join(', ');
  if (!waiting) return;
  throw conflict(
    options.dryRun ? `There would be ${waiting}.` : `${waiting}. See: ${commandLine(context, 'remotes')}`,
  );
}

function sayCounts(context: Context, result: ImportResult, options: ImportOptions): void {
  const { counts, alike, recipients, replaced, moved, staying, disputes, held, erasedThere } = result;
  if (options.json)
    printJson(context, {
      ...Object.fromEntries(kindNames.map((kind) => [listKeyOf(kind), counts[kind]])),
      alike,
      alreadyUnder: result.alreadyUnder.map(({ id }) => id),
      recipients: recipients.map(({ id }) => id),
      replaced: replaced.map(({ id }) => id),
      moved,
      staying: staying.map(({ record, id }) => ({ record, userId: id })),
      disputes,
      held,
      erasedThere,
      dryRun: options.dryRun ?? false,
    });
  for (const kind of kindNames.filter((name) => isAlwaysCounted(name) || totalOf(counts[name]) > 0))
    say(context, describeCounts(counts[kind], kind));
}
