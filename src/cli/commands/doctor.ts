import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { SciaticaError } from '../../domain/errors.ts';
import type { Check, Examination } from '../../store/maintenance/doctor.ts';
import type { Rescue } from '../../store/maintenance/rescue/rescue.ts';
import { usage } from '../terminal/errors.ts';
import { examples } from '../terminal/help.ts';
import { counted, displayable, escapeControls, print, say, sayAlways, sized } from '../terminal/io.ts';
import { countedHolding, partsOfHolding } from '../views/holding.ts';

interface DoctorOptions {
  json?: boolean;
  rescue?: string;
}

/** Longer lines are hard to read, however wide the terminal is. */
const MAX_WIDTH = 80;

/** `sciatica doctor` */
export function addDoctorCommand(program: Command, context: Context): void {
  program
    .command('doctor')
    .summary('Find out whether the database is well')
    .description(
      'Find out where the database is and whether it is well, and what to do where it is not. It changes nothing.',
    )
    .option('--json', 'as JSON')
    .option(
      '--rescue <file>',
      'write every record that can still be read to this new file (.json or .ndjson), for sciatica import',
    )
    .addHelpText(
      'after',
      examples('sciatica doctor', 'sciatica doctor --db old.db', 'sciatica doctor --rescue rescued.json'),
    )
    .action((options: DoctorOptions) =>
      options.rescue === undefined ? examineIt(context, options) : rescueIt(context, options.rescue, options),
    );
}

async function examineIt(context: Context, options: DoctorOptions): Promise<void> {
  const { examine } = await import('../../store/maintenance/doctor.ts');
  const examination = examine(context.databasePath);
  const wrong = examination.checks.filter(({ ok }) => !ok);
  if (options.json)
    print(context, displayable(context, JSON.stringify({ ok: wrong.length === 0, ...examination })));
  else await show(context, examination);
  if (wrong.length > 0)
    throw new SciaticaError('unusable', `${counted(wrong.length, 'thing')} to look after, marked with ✗.`);
}

async function show(context: Context, examination: Examination): Promise<void> {
  const { canvasOf, wrap } = await import('../terminal/layout.ts');
  const { width, palette } = await canvasOf(context);
  const fitted = (text: string, indent = 0) => wrap(text, { width: Math.min(width, MAX_WIDTH) }, indent);
  const checkLines = ({ name, detail, ok, advice }: Check) => {
    const [first = '', ...others] = fitted(`${name}: ${escapeControls(detail)}`, 2);
    const mark = ok ? palette.relief('✓') : palette.aggravation('✗');
    return [mark + first.slice(1), ...others, ...(advice ? fitted(escapeControls(advice), 4) : [])];
  };
  const lines = [
    escapeControls(examination.path),
    ...(examination.exists ? fitted(describeExamination(examination)) : []),
    '',
    ...examination.checks.flatMap(checkLines),
  ];
  print(context, lines.join('\n'));
}

function describeExamination({ bytes, version, journalMode, ...counts }: Examination): string {
  const { users, logs, routines, goals } = counts;
  const isCounted = users !== null && logs !== null && routines !== null && goals !== null;
  return [
    ...(isCounted ? partsOfHolding({ users, logs, routines, goals }) : []),
    sized(bytes),
    ...(version === null ? [] : [`version ${version}`]),
    ...(journalMode === null ? [] : [`${journalMode} journal`]),
  ].join(', ');
}

async function rescueIt(context: Context, output: string, { json }: DoctorOptions): Promise<void> {
  const { refuseExisting, writeOutputFile } = await import('../terminal/output-file.ts');
  const { rescue } = await import('../../store/maintenance/rescue/rescue.ts');
  const { documentOf, linesOf } = await import('../../exchange/write.ts');
  const { formatOfName } = await import('../../exchange/format.ts');
  const format = formatOfName(output) ?? 'json';
  if (format === 'csv')
    throw usage('--rescue: CSV holds one kind of record. Give a file that ends in .json or .ndjson.');
  refuseExisting(output, false);
  const rescued = rescue(context.databasePath);
  const { users, logs, routines, goals, lostUsers, lostLogs, broken } = rescued;
  if (users.length + logs.length + routines.length + goals.length === 0)
    throw new SciaticaError('damaged', 'Nothing could be read: no file was written. Is there a backup?');
  const lists = {
    users: [users],
    userExerciseLogs: [logs],
    ...(routines.length > 0 && { routines: [routines] }),
    ...(goals.length > 0 && { goals: [goals] }),
  };
  const pieces =
    format === 'ndjson'
      ? linesOf([users, logs, routines, goals].filter((list) => list.length > 0))
      : documentOf(lists);
  await writeOutputFile(output, { force: false }, pieces);
  if (json)
    print(
      context,
      JSON.stringify({
        users: users.length,
        userExerciseLogs: logs.length,
        routines: routines.length,
        goals: goals.length,
        lostUsers,
        lostLogs,
        brokenRows: broken,
      }),
    );
  const written = {
    users: users.length,
    logs: logs.length,
    routines: routines.length,
    goals: goals.length,
  };
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
  if (broken > 0) sayAlways(context, `${counted(broken, 'row')} were found that are not whole.`);
  if (lostUsers.length > 0) {
    sayAlways(
      context,
      `Lost: ${counted(lostUsers.length, 'user')} (${listed(lostUsers)}), whose logs are in the file.`,
    );
    sayAlways(
      context,
      'To import it, restore a backup that has them first, or add them to "users" in the file.',
    );
  }
  say(context, `To go on with a new database: sciatica import ${escapeControls(output)} --db NEW.db`);
}
