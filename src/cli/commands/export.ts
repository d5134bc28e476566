import { Argument } from 'commander';
import { narrowed } from '../../cases/counted-logs.ts';
import type { Context } from '../../context.ts';
import { searchedFields } from '../../domain/filter.ts';
import {
  commandsOf,
  isOwned,
  type KindName,
  kindNames,
  kindOf,
  type OwnedKindName,
  ownedKindNames,
} from '../../domain/kinds.ts';
import { type Log, type LogFilter, logRecord, POSITION } from '../../domain/log.ts';
import type { PainEntry } from '../../domain/pain-entry.ts';
import { anonymous, reportFields } from '../../domain/summary.ts';
import type { Trial, TrialDay } from '../../domain/trial.ts';
import { identifyingFields, type User } from '../../domain/user.ts';
import type { BundleOptions, BundleType } from '../../exchange/fhir.ts';
import { formatOfName, formats, inFhir, listKeyOf } from '../../exchange/records.ts';
import type { Blocks, Provenance } from '../../exchange/write.ts';
import type { Lines } from '../../store/records/lists/long-lists.ts';
import type { Records } from '../../store/records/records.ts';
import { storedJson } from '../../store/sqlite/errors.ts';
import type { Store } from '../../store/store.ts';
import type { Command } from '../input/command.ts';
import { countOf, type Options } from '../input/options.ts';
import { addListFilters, listFilterOf } from '../records/list.ts';
import { namingFlags, usage } from '../terminal/errors.ts';
import { counted, escapeControls, STDOUT, say, writeData } from '../terminal/io.ts';
import { parsedRecords } from '../terminal/output.ts';
import { progressOf } from '../terminal/progress.ts';
import { isAlwaysCounted } from '../views/holding.ts';

const BLOCK = 250;

const pluralOf = (kind: KindName): string => commandsOf(kind).many;

/** The formats of an import, and FHIR, which cannot be imported. */
const exportFormats = [...formats, 'fhir'] as const;
type ExportFormat = (typeof exportFormats)[number];

const bundleTypes: readonly BundleType[] = ['collection', 'transaction'];

export function addExportCommand(program: Command, context: Context): void {
  const command = program
    .command('export')
    .summary('Write records to a file')
    .description(
      'Write users and logs, and everything else that belongs to the users, as JSON, NDJSON or CSV, all from one moment; sciatica import reads these files. With filters, it writes only the users that the logs belong to. FHIR (an R4 Bundle) and --anonymous are for other programs: neither FHIR nor users without names can be imported again.',
    )
    .addArgument(
      new Argument('[what]', 'one kind of record (otherwise all)').choices(kindNames.map(pluralOf)),
    );
  addListFilters(command, 'log')
    .option('--limit <n>', 'at most N logs', countOf)
    .choice('--format <format>', 'format of the file (otherwise by its name, or JSON)', exportFormats)
    .option('--raw', "in CSV, no ' in front of text that a spreadsheet would run as a formula")
    .option(
      '--excel',
      'CSV for an Excel that expects semicolons, such as a German or French one, which a double click opens; sciatica import reads it too',
    )
    .option(`--${anonymous.flag}`, `${anonymous.help}; notes stay as they were written`)
    .choice(
      '--bundle <type>',
      'in FHIR, a collection (otherwise), or a transaction, with which a server creates what it does not have yet and leaves the rest as it is',
      bundleTypes,
    )
    .option(
      '--origin',
      'in NDJSON, what makes each record known everywhere, in lines of their own, as JSON has it',
    )
    .option('--with-report', 'in FHIR, the report on each user too, of all their sessions in the period')
    .option('-o, --output <file>', 'write to this file; its name can say the format; - is stdout')
    .option('--force', 'replace the file if it exists')
    .examples(
      'sciatica export -o backup.json',
      'sciatica export logs --user 3 --since -90d -o nora.csv',
      'sciatica export logs --user 3 --excel -o nora.csv',
      'sciatica export --format ndjson | gzip > records.ndjson.gz',
      'sciatica export --user 3 --format fhir --anonymous -o case.json',
      'sciatica export --user 3 --format fhir --bundle transaction --with-report -o clinic.json',
    )
    .action((what: string | undefined, options: Options) => exportRecords(context, what, options));
}

async function exportRecords(context: Context, what: string | undefined, options: Options): Promise<void> {
  const output = options['output'] === STDOUT ? undefined : (options['output'] as string | undefined);
  const format = (options['format'] as ExportFormat | undefined) ?? formatOfName(output ?? '') ?? 'json';
  if (output !== undefined && options['format'] === undefined && isUnknown(output, formatOfName(output)))
    throw usage(
      `${escapeControls(output)}: that is none of the formats there are, ${exportFormats.join(', ')}. Say which with --format.`,
    );
  if (options['excel'] === true && (format !== 'csv' || options['raw'] === true))
    throw usage('--excel is for CSV, and without --raw.');
  if (format === 'csv' && what === undefined)
    throw usage('CSV holds one kind of record: say export users or export logs.');
  if (format === 'fhir' && what !== undefined)
    throw usage(`A FHIR export is of whole patients, not of one kind of record: leave out ${what}.`);
  if (format !== 'fhir' && (options['bundle'] !== undefined || options['withReport'] !== undefined))
    throw usage('--bundle and --with-report are for --format fhir.');
  if (
    options['origin'] === true &&
    (format !== 'ndjson' || what !== undefined || options['anonymous'] === true)
  )
    throw usage(
      '--origin is for --format ndjson, with all kinds of records, which sciatica import can read.',
    );
  const asked = kindNames.find((kind) => pluralOf(kind) === what);
  const isOfOthers = asked !== undefined && asked !== 'log';
  if (isOfOthers && (options['sort'] !== undefined || options['limit'] !== undefined))
    throw usage(`--sort and --limit are for logs, and only ${what} are exported.`);
  const force = options['force'] === true;
  const file = await import('../terminal/output-file.ts');
  if (output !== undefined) file.refuseExisting(output, force);
  // By default all users: unlike other commands, an export ignores `user use`.
  const filter = await listFilterOf(context, { user: 'all', ...options }, 'log');
  if (filter.limit !== undefined) filter.sort ??= '-date,-id';
  const progress = progressOf(context, output !== undefined || !context.stdout.isTTY);
  let count = 0;
  const note = (more: number) => {
    count += more;
    progress.show(() => `${counted(count, 'record')} written`);
  };
  const { separators } = await import('../../exchange/write.ts');
  const separator = format === 'json' || format === 'ndjson' ? separators[format] : undefined;
  const snapshot = context.store.snapshot();
  try {
    const lists = listsOf(snapshot, asked, { filter, separator, note });
    const pieces = await (format === 'fhir'
      ? bundled(lists, snapshot, context.today, filter, options)
      : format === 'csv' && asked === 'log' && options['excel'] !== true
        ? csvOfLogs(noted(snapshot.logs.csvLines(filter, options['raw'] === true), note))
        : rendered(snapshot, lists, format, { asked, filter, options }));
    if (output === undefined) await writeData(context, pieces);
    else await file.writeOutputFile(output, { force }, pieces);
  } finally {
    progress.clear();
    snapshot.close();
  }
  // Terminal only: cron would mail it.
  if (output !== undefined && context.stderr.isTTY)
    say(context, `Wrote ${counted(count, 'record')} to ${escapeControls(output)}.`);
}

/** Whether a file name has the extension of another format, such as .pdf; also .tsv, since CSV is written with commas. */
const isUnknown = (name: string, format: string | undefined): boolean =>
  /\.tsv$/i.test(name) || (format === undefined && /[^/\\.]\.[a-z]\w{0,5}$/i.test(name));

/** Called with the number of records that were written since the last call. */
type Note = (more: number) => void;

/** The records to export, as JSON texts by kind. */
type Lists = Partial<Record<KindName, Blocks>>;

/** @param asked the only kind to export; undefined for all */
function listsOf(
  store: Store,
  asked: KindName | undefined,
  { filter, separator, note }: { filter: LogFilter; separator: string | undefined; note: Note },
): Lists {
  const ofLogs = () =>
    separator === undefined ? store.logs.jsonRows(filter) : store.logs.jsonLines(filter, separator);
  const isFhir = asked === undefined && separator === undefined;
  const isThere = (kind: KindName) =>
    (!isFhir || inFhir[kind]) && (isAlwaysCounted(kind) || store.of(kind).count() > 0);
  const lists: Lists = {};
  for (const kind of asked ? [asked] : kindNames.filter(isThere)) {
    const ofKind =
      kind === 'log' ? ofLogs() : isOwned(kind) ? ofUsers(store, kind, filter) : usersOf(store, filter);
    lists[kind] = noted(ofKind, note);
  }
  return lists;
}

/** The records of a kind that belong to the exported users. */
function* ofUsers(store: Store, kind: OwnedKindName, filter: LogFilter): Generator<string[]> {
  const ids = userIds(store, filter);
  const records: Records<OwnedKindName> = store.of(kind);
  const named = Object.entries(filter).filter(([name]) => /^(since|until)$/.test(name));
  const period = Object.fromEntries(kindOf(kind).filters?.['since'] ? named : []);
  if (!ids) yield* records.jsonRows();
  else for (const userId of ids) yield* records.jsonRows({ userId, ...period });
}

/** All users; with filters, those of the matching logs and the one of --user. */
function* usersOf(store: Store, filter: LogFilter): Generator<string[]> {
  const { users } = store;
  const ids = userIds(store, filter);
  if (!ids) return yield* users.jsonRows();
  for (let start = 0; start < ids.length; start += BLOCK)
    yield ids.slice(start, start + BLOCK).map((id) => users.json(id));
}

/** The ids of the users that are exported, in order; undefined for all. */
function userIds({ logs }: Store, filter: LogFilter): number[] | undefined {
  const { sort: _, ...narrowing } = filter;
  if (Object.keys(narrowing).length === 0) return undefined;
  const named = filter.userId === undefined ? [] : [filter.userId];
  return [...new Set([...named, ...logs.userIds(filter)])].sort((a, b) => a - b);
}

async function bundled(
  lists: Lists,
  store: Store,
  today: string,
  filter: LogFilter,
  options: Options,
): Promise<Iterable<string>> {
  const { bundleOf } = await import('../../exchange/fhir.ts');
  const anonymous = options['anonymous'] === true;
  return bundleOf(parsed<User>(lists.user), parsed<Log>(lists.log), {
    database: store.id,
    type: options['bundle'] as BundleType | undefined,
    anonymous,
    painEntries: parsed<PainEntry>(lists.painEntry),
    trials: parsed<Trial>(lists.trial),
    trialDays: parsed<TrialDay>(lists.trialDay),
    report: options['withReport'] === true ? await reportsOf(store, filter, anonymous, today) : undefined,
  });
}

/** Returns a function that renders the report on a user, as `sciatica report` does for the same period. */
async function reportsOf(
  store: Store,
  { since, until }: LogFilter,
  anonymous: boolean,
  today: string,
): Promise<BundleOptions['report']> {
  const { reportHtml, reportOf } = await import('../../cases/report.ts');
  const period = narrowed({}, { since, until });
  return ({ id }) =>
    namingFlags(reportFields, () => reportHtml(reportOf(store, id, { ...period, anonymous }, today)));
}

/** The origin of the records, and their states, written after them. @param lists changed so that written ids are noted */
async function provenanceOf(store: Store, lists: Lists, filter: LogFilter): Promise<Provenance> {
  const users = userIds(store, filter);
  const origin = { id: store.id, seq: store.history.last(), complete: users === undefined };
  const isPart = Object.keys(filter).some((name) => name !== 'userId' && name !== 'sort');
  const only: Partial<Record<KindName, number[]>> = {};
  for (const kind of isPart ? ownedKindNames : []) {
    const ids: number[] = [];
    only[kind] = ids;
    if (lists[kind]) lists[kind] = idsNoted(lists[kind], ids);
  }
  const replication = await store.replication();
  const states = replication.statesFor({ users, only: isPart ? only : undefined });
  return { origin, lines: states.lines(), seal: () => states.seal() };
}

function* idsNoted(blocks: Blocks, ids: number[]): Generator<readonly string[]> {
  for (const block of blocks) {
    for (const text of block) for (const [, id] of text.matchAll(/^\{"id":(\d+)/gm)) ids.push(Number(id));
    yield block;
  }
}

async function rendered(
  store: Store,
  given: Lists,
  format: Exclude<ExportFormat, 'fhir'>,
  { asked, filter, options }: { asked: KindName | undefined; filter: LogFilter; options: Options },
): Promise<Iterable<string>> {
  const hidden: readonly string[] = options['anonymous'] ? identifyingFields : [];
  if (format === 'csv' && asked) return csvOfKind(store, asked, inTurn(given), hidden, options);
  const { documentOf, linesOf, listOf } = await import('../../exchange/write.ts');
  const { user } = given;
  const lists = user && hidden.length > 0 ? { ...given, user: without(hidden, user) } : given;
  const hasOrigin = format === 'ndjson' ? options['origin'] : !asked && !options['anonymous'];
  const provenance = hasOrigin ? await provenanceOf(store, lists, filter) : undefined;
  if (format === 'ndjson') return linesOf(inTurn(lists), provenance);
  if (asked) return listOf(inTurn(lists));
  const named = Object.entries(lists).map(([kind, blocks]) => [listKeyOf(kind as KindName), blocks]);
  return documentOf(Object.fromEntries(named), provenance);
}

async function csvOfKind(
  store: Store,
  kind: KindName,
  blocks: Blocks,
  hidden: readonly string[],
  { raw, excel }: Options,
): Promise<Iterable<string>> {
  const { csvOf } = await import('../../exchange/csv.ts');
  const { fields } = kindOf(kind);
  const names = Object.keys(fields).filter((name) => !hidden.includes(name));
  const [columns, records] =
    kind === 'log'
      ? [[...names, POSITION], withPositions(store.logs, parsed<Log>(blocks))]
      : [names, parsedRecords(blocks)];
  return csvOf(columns, records, {
    raw: raw === true,
    excel: excel === true ? searchedFields(fields) : undefined,
  });
}

/** Counts the records in blocks that are passed on, either texts or, for large lists, lines that SQLite has joined. */
function* noted(blocks: Iterable<readonly string[] | Lines>, note: Note): Generator<readonly string[]> {
  for (const block of blocks) {
    const isJoined = 'text' in block;
    note(isJoined ? block.count : block.length);
    yield isJoined ? [block.text] : block;
  }
}

async function csvOfLogs(blocks: Blocks): Promise<Iterable<string>> {
  const { csvHeader } = await import('../../exchange/csv.ts');
  return (function* () {
    yield csvHeader([...Object.keys(logRecord), POSITION]);
    for (const lines of blocks) yield* lines;
  })();
}

function* inTurn(lists: Lists): Generator<readonly string[]> {
  for (const blocks of Object.values(lists)) yield* blocks;
}

function* withPositions(logs: Store['logs'], blocks: Iterable<Log[]>): Generator<Record<string, unknown>> {
  for (const block of blocks) for (const log of block) yield { ...log, [POSITION]: logs.position(log) };
}

function* parsed<T>(blocks: Blocks = []): Generator<T[]> {
  for (const block of blocks) yield block.map((text) => storedJson<T>(text));
}

function* without(names: readonly string[], blocks: Blocks): Generator<string[]> {
  const drop = (name: string, value: unknown) => (names.includes(name) ? undefined : value);
  for (const block of blocks) yield block.map((text) => JSON.stringify(storedJson(text), drop));
}
