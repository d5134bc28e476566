import { countedLogs } from '../../cases/counted-logs.ts';
import type { Context } from '../../context.ts';
import { timeInFront, timesOfDay } from '../../domain/day-pain.ts';
import { exerciseFields } from '../../domain/exercise.ts';
import { type PainEntry, painEntryFields } from '../../domain/pain-entry.ts';
import { addDays } from '../../domain/words/day.ts';
import { dayInFront, levelMeant, painIn } from '../../domain/words/pain-words.ts';
import { isSlipOf } from '../../domain/words/suggest.ts';
import type { PainDay } from '../../insights/pain-days.ts';
import type { Command } from '../input/command.ts';
import { anywayOption, dayAsWord } from '../input/days.ts';
import { csvOption, jsonOption, type Options, saidTwice } from '../input/options.ts';
import { resolveUserOrAsk } from '../input/resolve-user.ts';
import { addStoredVerbs } from '../records/commands.ts';
import { addListCommand } from '../records/list.ts';
import { addRecord } from '../records/verbs.ts';
import { usage } from '../terminal/errors.ts';
import { commandLine, escapeControls, print, quoted, say } from '../terminal/io.ts';
import { checkJson, printList, sayDayInNotes, sayDoubtOfDay, sayKeptAsNote } from '../terminal/output.ts';
import { redFlagsHelp, sayRedFlagsAfterPain } from '../views/red-flags.ts';
import { sayLeftOut } from './logs.ts';

const NOON = 12;

/** Number of days in the chart. */
const DAYS = 90;

/** `sciatica pain add|show|edit|rm`, without a verb to record words or, without words, to show the last days; `sciatica pains` */
export function addPainCommands(program: Command, context: Context): void {
  const pain = program
    .command('pain')
    .helpCommand(false)
    .summary('Record how much it hurts, with or without exercise, or see how it went')
    .description(
      `Record how much it hurts, on a day with or without exercise, as often as you like. Without words, it shows the worst pain of each day for ${DAYS} days: as a chart in a terminal, as tab-separated lines in a pipe. For the flags, see sciatica pain add --help`,
    )
    .argument('[words...]', 'pain time note…')
    .examples(
      'sciatica pain 7',
      "sciatica pain 7 night --medication 'ibuprofen 400' could not sleep",
      'sciatica pain',
      'sciatica pain --csv',
    );
  const add = pain
    .command('add', { isDefault: true })
    .description(
      `Record how much it hurts: a number from 1 to 10, then, if you like, ${timesOfDay.join(', ')}, and a note. In a terminal, what is missing is asked for.`,
    )
    .argument('[words...]', 'pain time note…')
    .fields(painEntryFields)
    .addOption(anywayOption())
    .addOption(jsonOption())
    .addOption(csvOption())
    .examples('sciatica pain add', 'sciatica pain add 5 evening --date yesterday')
    .addHelpText('after', redFlagsHelp)
    .action((words: string[], options: Options) => {
      const isNamed = pain.args[0] === add.name();
      const { user: _, json: __, csv: ___, ...said } = options;
      return !isNamed && words.length === 0 && Object.keys(said).length === 0
        ? showDays(context, options)
        : record(context, words, options);
    });
  const lines = {
    show: ['sciatica pain show 2', 'sciatica pain show 2 --json date,pain'],
    edit: ['sciatica pain edit 2', 'sciatica pain edit 2 --pain 6', "sciatica pain edit 2 --medication ''"],
    rm: ['sciatica pain rm 2', 'sciatica pain rm 2 3 --yes'],
  };
  addStoredVerbs(pain, context, 'painEntry', lines, ({ pain }) => sayRedFlagsAfterPain(context, pain));
  addListCommand(program, context, 'painEntry', [
    'sciatica pains',
    'sciatica pains --since -30d --sort pain',
    "sciatica pains --where 'pain>=7' --json",
  ]);
}

/** Records a pain entry from words and flags. @throws SciaticaError `invalid` with every fault; then nothing was written */
async function record(context: Context, words: readonly string[], options: Options): Promise<void> {
  const { csv, ...flags } = options;
  if (csv) throw usage('--csv is for the days that sciatica pain shows: leave it out to record something.');
  const said = flagsIn(context, words);
  for (const [flag, word] of Object.entries(said)) if (flags[flag] !== undefined) throw saidTwice(word, flag);
  const entry = await addRecord(context, { date: 'today', ...flags, ...said }, 'painEntry');
  sayDoubtOfDay(context, entry.date);
  sayDayInNotes(context, entry, `pain edit ${entry.id}`, painEntryFields.timeOfDay.flag);
  sayTimeInNotes(context, entry);
  if (flags['date'] === undefined) sayTimeToCome(context, entry);
  sayRedFlagsAfterPain(context, entry.pain);
}

/** Warns of a time of day with a typing mistake, which was stored as a note: `pain 5 evning`. */
function sayTimeInNotes(context: Context, { id, timeOfDay, notes = '' }: PainEntry): void {
  const [first = '', ...others] = notes.split(' ');
  const time = timesOfDay.find((name) => isSlipOf(first, name));
  if (timeOfDay !== undefined || !time) return;
  const { timeOfDay: timeField, notes: notesField } = painEntryFields;
  const rest = quoted(escapeControls(others.join(' ')));
  const edit = `pain edit ${id} --${timeField.flag} ${time} --${notesField.flag} ${rest}`;
  sayKeptAsNote(context, first);
  say(context, `If it is the time: ${commandLine(context, edit)}`);
}

/** Warns if `evening` or `night` is recorded before noon: that of the day before may be meant. */
function sayTimeToCome(context: Context, { id, date, timeOfDay }: PainEntry): void {
  if (!/evening|night/.test(timeOfDay ?? '') || context.now().getHours() >= NOON) return;
  const edit = commandLine(context, `pain edit ${id} --date yesterday`);
  say(context, `Note: the ${timeOfDay} of ${date} is still to come. If it was that of yesterday: ${edit}`);
}

/** Parses the words `pain time note…` into values of flags. */
function flagsIn(context: Context, words: readonly string[]): Record<string, string> {
  const [word, ...rest] = words;
  if (word === undefined) return {};
  const day = dayInFront(words);
  if (day !== undefined) throw dayAsWord(context, day, 'pain 6');
  if (levelMeant(word) === word && !/^-?\d/.test(word))
    throw usage(
      `${quoted(escapeControls(word))} is no pain from 1 to 10, which comes first, as in ${commandLine(context, 'pain 7')}, and none of the commands add, show, edit and rm.`,
    );
  const { before, levels, after } = painIn(words);
  const isOfSession = rest.length > 0 && levels.length === 2 && before.length + after.length === 0;
  if (isOfSession)
    throw usage(
      `${quoted(words.join(' '))} is pain before and after an exercise: ${commandLine(context, `log add NAME ${levels.join(' ')}`)}. The pain of a moment is one number.`,
    );
  const others = before.length === 0 && levels.length === 1 ? after : rest;
  const { time, used = 0 } = timeInFront(others) ?? {};
  const notes = others.slice(used).join(' ');
  return {
    [painEntryFields.pain.flag]: word,
    ...(time && { [painEntryFields.timeOfDay.flag]: time }),
    ...(notes && { [painEntryFields.notes.flag]: notes }),
  };
}

const { date, pain, medication } = painEntryFields;
/** The fields of a day in the output. */
const dayFields = { date, pain, sessions: exerciseFields.sessions, medication };

async function showDays(context: Context, options: Options): Promise<void> {
  checkJson(options, dayFields);
  const userId = await resolveUserOrAsk(context, options['user']);
  const period = { since: addDays(context.today, 1 - DAYS), until: context.today };
  const { painDaysOf } = await import('../../cases/summary.ts');
  const days = painDaysOf(context.store, userId, period);
  const rows = days.map(rowOf);
  const isPlain = options['json'] === undefined && !options['csv'];
  const { leftOut } = countedLogs(context.store, userId, { since: period.since }, context.today);
  if (isPlain && leftOut > 0) await sayLeftOut(context, leftOut);
  if (isPlain && days.length === 0)
    return say(
      context,
      `No pain is recorded in the last ${DAYS} days. How is it today? ${commandLine(context, 'pain add')}`,
    );
  if (!isPlain || !context.stdout.isTTY) {
    const list = { names: Object.keys(dayFields), columns: () => [], rows: () => [rows] };
    await printList(context, options, list);
    return;
  }
  const { painChart } = await import('../../insights/text-charts.ts');
  for (const line of painChart(days, period, context)) print(context, line);
}

/** A day as a row of the output. */
const rowOf = ({ date, pain, sessions, medication }: PainDay) => ({
  date,
  pain,
  sessions,
  ...(medication.length > 0 && { medication: medication.join(', ') }),
});
