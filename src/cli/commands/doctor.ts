import type { Context } from '../../context.ts';
import { SciaticaError, unusable } from '../../domain/errors.ts';
import { byKind, kindNames, kindOf } from '../../domain/kinds.ts';
import { formatOfName, listKeyOf } from '../../exchange/records.ts';
import { sized } from '../../lib/size.ts';
import type { Check, Examination } from '../../store/maintenance/doctor.ts';
import type { Rescue } from '../../store/maintenance/rescue/rescue.ts';
import type { Command } from '../input/command.ts';
import { refuseStdout } from '../input/options.ts';
import { canvasOf } from '../terminal/canvas.ts';
import { usage } from '../terminal/errors.ts';
import { counted, escapeControls, print, say, sayAlways, wordedFor } from '../terminal/io.ts';
import { printJson } from '../terminal/output.ts';
import { wrap } from '../terminal/width.ts';
import { countedHolding, isAlwaysCounted, partsOfHolding } from '../views/holding.ts';

type DoctorOptions = { json?: boolean; rescue?: string };

/** Maximum width of the lines in columns: longer ones are hard to read. */
const MAX_WIDTH = 80;

export function addDoctorCommand(program: Command, context: Context): void {
  program
    .command('doctor')
    .summary('Check the database')
    .description(
      'Say where the database is, whether it is sound, and what to do if it is not. It changes nothing.',
    )
    .option('--json', 'as JSON')
    .option(
      '--rescue <file>',
      'write every record that can still be read to this new file (.json or .ndjson), for sciatica import',
    )
    .examples('sciatica doctor', 'sciatica doctor --db old.db', 'sciatica doctor --rescue rescued.json')
    .action((options: DoctorOptions) =>
      options.rescue === undefined ? examineIt(context, options) : rescueIt(context, options.rescue, options),
    );
}

async function examineIt(context: Context, options: DoctorOptions): Promise<void> {
  const { examine } = await import('../../store/maintenance/doctor.ts');
  const examination = examine(context.databasePath);
  // If a copy of a missing database exists, the failed check that names it is shown instead.
  if (!examination.exists && examination.checks[0]?.ok) context.requireNamed();
  const wrong = examination.checks.filter(({ ok }) => !ok);
  const { counts, ...about } = examination;
  const checks = examination.checks.map(({ advice, ...check }) =>
    advice === undefined ? check : { ...check, advice: wordedFor(context, advice) },
  );
  const members = Object.fromEntries(kindNames.map((kind) => [kindOf(kind).table, counts?.[kind] ?? null]));
  if (options.json) printJson(context, { ok: wrong.length === 0, ...about, ...members, checks });
  else await show(context, examination);
  if (wrong.length > 0) throw unusable(`${counted(wrong.length, 'thing')} to look after, marked with ✗.`);
}

async function show(context: Context, examination: Examination): Promise<void> {
  const { width, palette } = await canvasOf(context);
  const fitted = (text: string, indent = 0) => wrap(text, { width: Math.min(width, MAX_WIDTH) }, indent);
  const checkLines = ({ name, detail, ok, advice }: Check) => {
    const [first = '', ...others] = fitted(`${name}: ${escapeControls(detail)}`, 2);
    const mark = ok ? palette.relief('✓') : palette.aggravation('✗');
    return [
      mark + first.slice(1),
      ...others,
      ...(advice ? fitted(escapeControls(wordedFor(context, advice)), 4) : []),
    ];
  };
  const lines = [
    escapeControls(examination.path),
    ...(examination.exists ? fitted(describeExamination(examination)) : []),
    '',
    ...examination.checks.flatMap(checkLines),
  ];
  print(context, lines.join('\n'));
}

function describeExamination({ bytes, version, journalMode, counts }: Examination): string {
  return [
    ...(counts ? partsOfHolding(counts) : []),
    sized(bytes),
    ...(version === null ? [] : [`version ${version}`]),
    ...(journalMode === null ? [] : [`${journalMode} journal`]),
  ].join(', ');
}

async function rescueIt(context: Context, output: string, { json }: DoctorOptions): Promise<void> {
  refuseStdout(output);
  const { refuseExisting, writeOutputFile } = await import('../terminal/output-file.ts');
  const { rescue } = await import('../../store/maintenance/rescue/rescue.ts');
  const { documentOf, linesOf } = await import('../../exchange/write.ts');
  const format = formatOfName(output) ?? 'json';
  if (format === 'csv')
    throw usage('--rescue: CSV holds one kind of record. Give a file that ends in .json or .ndjson.');
  refuseExisting(output, false);
  context.requireNamed();
  const rescued = rescue(context.databasePath);
  const { records, lostUsers, lostLogs, broken } = rescued;
  const written = byKind((kind) => records[kind].length);
  if (Object.values(records).every((list) => list.length === 0))
    throw new SciaticaError('damaged', 'Nothing could be read: no file was written. Is there a backup?');
  const listed = kindNames.filter((kind) => isAlwaysCounted(kind) || records[kind].length > 0);
  const pieces =
    format === 'ndjson'
      ? linesOf(Object.values(records).filter((list) => list.length > 0))
      : documentOf(Object.fromEntries(listed.map((kind) => [listKeyOf(kind), [records[kind]]])));
  await writeOutputFile(output, { force: false }, pieces);
  const counts = Object.fromEntries(kindNames.map((kind) => [listKeyOf(kind), written[kind]]));
  if (json) printJson(context, { ...counts, lostUsers, lostLogs, brokenRows: broken });
  say(context, `Wrote ${countedHolding(written)} to ${escapeControls(output)}.`);
  sayLosses(context, rescued, output);
}

const SHOWN_IDS = 20;

function sayLosses(context: Context, { lostUsers, lostLogs, broken }: Rescue, output: string): void {
  const listed = (ids: number[]) =>
    ids.slice(0, SHOWN_IDS).join(', ') +
    (ids.length > SHOWN_IDS ? `, and ${ids.length - SHOWN_IDS} more` : '');
  if (lostLogs.length > 0)
    sayAlways(context, `Lost: ${counted(lostLogs.length, 'log')} (${listed(lostLogs)}).`);
  if (broken > 0) sayAlways(context, `Not whole, and left out: ${counted(broken, 'row')}.`);
  if (lostUsers.length > 0) {
    sayAlways(
      context,
      `Lost: ${counted(lostUsers.length, 'user')} (${listed(lostUsers)}), whose records are in the file.`,
    );
    sayAlways(
      context,
      'To import it, restore a backup that has them first, or add them to "users" in the file.',
    );
  }
  say(context, `To go on with a new database: sciatica import ${escapeControls(output)} --db NEW.db`);
}
