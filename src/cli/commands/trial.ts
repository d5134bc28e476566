import { randomInt } from 'node:crypto';
import {
  daysOf,
  latestTrial,
  recordTrialDay,
  shownStatus,
  type TrialStatus,
  trialStatus,
  trialStatusNow,
  trialToday,
} from '../../cases/trial.ts';
import type { Context } from '../../context.ts';
import { dayInNotes } from '../../domain/day-pain.ts';
import { absent, conflict } from '../../domain/errors.ts';
import type { Exercise } from '../../domain/exercise.ts';
import {
  comparators,
  lastDayOf,
  type TrialDay,
  trialDayFields,
  trialDayRecord,
  trialFields,
  trialRecord,
} from '../../domain/trial.ts';
import { addDays, isDay } from '../../domain/words/day.ts';
import { painIn } from '../../domain/words/pain-words.ts';
import { deviationOf } from '../../insights/trial.ts';
import type { Command } from '../input/command.ts';
import { dayAsWord } from '../input/days.ts';
import { confirmed } from '../input/edit.ts';
import { askSimilar, exerciseMeant, similarName } from '../input/exercises.ts';
import { dayFaults, jsonOption, type Options, saidTwice, valuesOf } from '../input/options.ts';
import { resolveUserOrAsk } from '../input/resolve-user.ts';
import { addRecordCommand } from '../records/commands.ts';
import { addListCommand } from '../records/list.ts';
import { namingFlags, usage } from '../terminal/errors.ts';
import { commandLine, escapeControls, print, quoted, say, sayAlways } from '../terminal/io.ts';
import { checkJson, printDone, printJson, sayChanged } from '../terminal/output.ts';
import { whose } from '../views/records.ts';
import { sayRedFlags, sayRedFlagsAfterPain } from '../views/red-flags.ts';
import { calendarOf, planLines, statusLines, todayInWords } from '../views/trial.ts';

/** The fields of a day of the running trial, whose seed need not be given. */
const { trialSeed: _, ...DAY_FIELDS } = trialDayFields;

export function addTrialCommands(program: Command, context: Context): void {
  const { userId } = trialFields;
  const trial = program
    .command('trial')
    .helpCommand(false)
    .summary('Find out by experiment whether an exercise helps you')
    .description(
      'Experiment on yourself: for some weeks you do an exercise on some days and leave it out on others, in a random order, because only that tells the effect of the exercise from bad days that pass. Each day it says what was drawn for that day. Give it the pain of the day, as in sciatica trial 6 3; without words it says how the trial stands.',
    )
    .argument('[words...]', 'pain before, pain after, note…')
    .examples('sciatica trial start piri --against rest', 'sciatica trial', 'sciatica trial 6 3');
  const { outcome, question, start, days, difference } = trialFields;
  trial
    .command('start')
    .description(
      'Start a trial. It first says what the trial can find, and asks. After that, the question and the order are fixed. Against rest, --question less finds more: it asks only whether there is less pain, and more pain counts as harm.',
    )
    .argument('<exercise>', 'the exercise, or a part of its name')
    .requiredOption(
      `--${trialFields.against.flag} <what>`,
      `${comparators.slice(1).join(' or ')} (the usual routine without it), or the name of another exercise`,
    )
    .fields({ userId, outcome, question, start, days, difference })
    .option('--anyway', 'accept an exercise that was clearly followed by more pain')
    .option('--yes', 'do not ask')
    .addOption(jsonOption())
    .examples(
      'sciatica trial start piri --against rest',
      "sciatica trial start piri --against 'bird dog' --days 40 --outcome morning",
      'sciatica trial start piri --against rest --question less --start tomorrow',
    )
    .action((name: string, options: Options) => startTrial(context, name, options));
  trial
    .command('add', { isDefault: true })
    .description(
      'Record a day of the trial: the pain at the time of the exercise, on days without it too, and the pain at the time of the outcome, together or separately. --no-done says that you did not do what was drawn. If the day is already recorded, this completes or corrects it.',
    )
    .argument('[words...]', 'pain before, pain after, note…')
    .fields(DAY_FIELDS)
    .addOption(jsonOption())
    .option('--ics', 'print a calendar file with a reminder for each day')
    .examples(
      'sciatica trial add 6 3',
      'sciatica trial add 6 --date yesterday --no-done was away',
      'sciatica trial --ics > trial.ics',
    )
    .action(async (words: string[], options: Options) => {
      const { user: _, json, ics, ...said } = options;
      if (ics && words.length > 0)
        throw usage('--ics prints the calendar: leave it out to record something.');
      if (ics) await writeCalendar(context, options);
      else if (words.length === 0 && Object.keys(said).length === 0) await showStatus(context, options);
      else await recordDay(context, words, options);
    });
  trial
    .command('show')
    .summary('Show how the trial stands')
    .description('Show how the trial stands, or what the last one has shown.')
    .fields({ userId })
    .addOption(jsonOption())
    .examples('sciatica trial show', 'sciatica trial show --json')
    .action((options: Options) => showStatus(context, options));
  trial
    .command('stop')
    .description(
      'Give up the trial. Its days are kept, but it gives no result. One that has ended keeps its result.',
    )
    .fields({ userId })
    .option('--yes', 'do not ask')
    .examples('sciatica trial stop')
    .action((options: Options) => stopTrial(context, options));
  addListCommand(program, context, 'trial', ['sciatica trials', 'sciatica trials --json id,start,state']);
  const ofDay = {
    description: 'A day of a trial as it was recorded, to correct it.',
    examples: {
      add: ['sciatica trial-day add --date yesterday --first 6 --second 3 --done'],
      show: ['sciatica trial-day show 2'],
      edit: ['sciatica trial-day edit 2 --second 4'],
      rm: ['sciatica trial-day rm 2'],
    },
  };
  addRecordCommand(program, context, 'trialDay', ofDay, ({ first, second }) =>
    sayRedFlagsAfterPain(context, first, second),
  );
  addListCommand(program, context, 'trialDay', ['sciatica trial-days', 'sciatica trial-days --csv']);
}

const LEAST_LOOKED_AT = 500;

async function startTrial(context: Context, typed: string, options: Options): Promise<void> {
  checkJson(options, trialRecord);
  const { store, today } = context;
  const userId = await resolveUserOrAsk(context, options['user']);
  const running = latestTrial(store, userId);
  const isOver =
    running?.state === 'running' && trialStatusNow(store, running, context.now()).result !== null;
  if (running?.state === 'running' && !isOver)
    throw conflict(
      `A trial is running, of ${escapeControls(running.exerciseName)} until ${lastDayOf(running)}. To give it up: ${commandLine(context, 'trial stop')}`,
    );
  const known = store.logs.exercises(userId);
  const exerciseName = await exerciseOrNew(context, typed, known);
  const [, ...plain] = comparators;
  const said = String(options['against']).toLowerCase();
  const against = plain.some((name) => name === said)
    ? said
    : await exerciseOrNew(context, String(options['against']), known, plain);
  const kind = plain.find((name) => name === against);
  const otherExercise = kind ? undefined : against;
  if (otherExercise?.toLowerCase() === exerciseName.toLowerCase())
    throw usage('--against must be something else than the exercise itself.');
  await refuseHarmful(context, options, userId, [exerciseName, otherExercise]);
  const { outcome, question, start, days, difference } = trialFields;
  // `tomorrow` is parsed here: a trial may begin in the future, but no record may be of a future day.
  const isTomorrow = String(options[start.flag]).trim().toLowerCase() === 'tomorrow';
  const asked = isTomorrow ? { ...options, [start.flag]: addDays(today, 1) } : options;
  const given = valuesOf({ outcome, question, start, days, difference }, asked, today);
  const isTaken = store.of('trialDay').count({ userId, since: today, until: today }) > 0;
  const { checksOf } = await import('../../domain/schema.ts');
  // The exercise has no flag, and --against names the other one.
  const { exerciseName: _, ...flags } = trialFields;
  const input = namingFlags(
    { ...flags, otherExercise: { ...flags.otherExercise, flag: flags.against.flag } },
    () =>
      checksOf('trial').input({
        outcome: 'hour',
        question: 'either',
        start: isTaken ? addDays(today, 1) : today,
        days: 28,
        difference: 1,
        ...given,
        userId,
        exerciseName,
        against: kind ?? 'exercise',
        otherExercise,
        seed: randomInt(2 ** 31 - 1),
        state: 'running',
      }),
    dayFaults({ start }, given, today),
  );
  if (input.start < today)
    throw usage(
      `--start must be today or later, and ${input.start} has passed: write the year, as in ${addDays(today, 7)}.`,
    );
  if (isTaken && input.start === today)
    throw usage(`${today} is recorded for the trial before: --start must be tomorrow or later.`);
  const spread = deviationOf(store.logs.list({ userId, sort: '-date,-id', limit: LEAST_LOOKED_AT }));
  const tell = options['yes'] ? say : sayAlways;
  const of = whose(context, [userId], 'for');
  for (const line of planLines(input, spread, context.width)) tell(context, line);
  await confirmed(context, options, `Start it${of}?`, 'Nothing was started.', `start a trial${of}`);
  const record = store.change(() => {
    // The ended trial may have been given up while the confirmation was open.
    const now = latestTrial(store, userId);
    if (isOver && now?.state === 'running' && now.id === running.id)
      store.of('trial').update(now.id, { state: 'finished' });
    return store.of('trial').create(input);
  });
  printDone(context, options, { fields: trialRecord, record, done: `Started trial ${record.id}${of}.` });
  const status = trialStatus(store, record, today);
  if (options['json'] === undefined && status.today) say(context, todayInWords(status, today));
}

/** The exercise that a text means, or a new one. If a new name is close to a known one or one of `others`, asks or warns. */
async function exerciseOrNew(
  context: Context,
  text: string,
  known: readonly Exercise[],
  others: readonly string[] = [],
): Promise<string> {
  const name = await exerciseMeant(context, text, known, true);
  const names = [...known, ...others.map((exerciseName) => ({ exerciseName }))];
  if (context.interactive) return (await askSimilar(context, name, names)) ?? name;
  const similar = similarName(name, names);
  if (similar)
    say(context, `Note: ${quoted(escapeControls(name))} is new (did you mean ${escapeControls(similar)}?).`);
  return name;
}

/**
 * @throws SciaticaError `conflict` for an exercise that was clearly followed by more pain, in the diary or a trial, unless --anyway
 */
async function refuseHarmful(
  context: Context,
  options: Options,
  userId: number,
  names: readonly (string | undefined)[],
): Promise<void> {
  const { summaryOf } = await import('../../cases/summary.ts');
  const { exercises } = await summaryOf(context.store, userId, {}, context.today);
  const trials = context.store
    .of('trial')
    .list({ userId })
    .filter(({ exerciseName }) => names.includes(exerciseName));
  const harmful =
    exercises.find(
      ({ exerciseName, verdict, direction }) =>
        verdict === 'clear' && direction === 'more' && names.includes(exerciseName),
    ) ??
    trials.find((trial) => trialStatusNow(context.store, trial, context.now()).result?.verdict === 'more');
  if (!harmful) return;
  sayRedFlags(context);
  if (!options['anyway'])
    throw conflict(
      `${escapeControls(harmful.exerciseName)} was clearly followed by more pain: ask your physiotherapist before you try it. To try it all the same: --anyway`,
    );
}

/** The status of the user's latest trial. @throws SciaticaError `not-found` if there is none */
async function statusOf(context: Context, options: Options): Promise<TrialStatus> {
  const trial = latestTrial(context.store, await resolveUserOrAsk(context, options['user']));
  if (trial) return trialStatusNow(context.store, trial, context.now());
  throw absent(
    `There is no trial yet. To start one: ${commandLine(context, 'trial start EXERCISE --against rest')}`,
  );
}

async function writeCalendar(context: Context, options: Options): Promise<void> {
  const { trial, result } = await statusOf(context, options);
  if (trial.state !== 'running' || result)
    throw usage('The trial is over: there is nothing to be reminded of.');
  context.stdout.write(calendarOf(trial, context.store.id, context.now()));
}

async function showStatus(context: Context, options: Options): Promise<void> {
  if (typeof options['json'] === 'string')
    throw usage('How a trial stands has no fields to choose: --json alone gives all of it.');
  const status = await statusOf(context, options);
  if (options['json'] !== undefined) printJson(context, shownStatus(status));
  else for (const line of statusLines(status, context)) print(context, line);
}

async function stopTrial(context: Context, options: Options): Promise<void> {
  const { store } = context;
  const { trial, result } = await statusOf(context, options);
  const of = whose(context, [trial.userId]);
  const requireRunning = () => {
    if (store.of('trial').get(trial.id).state !== 'running') throw usage('No trial is running.');
  };
  requireRunning();
  // It has ended: given up, it would lose its result.
  if (result) {
    store.of('trial').update(trial.id, { state: 'finished' });
    sayChanged(context, `The trial${of} has ended by itself: its result is kept.`);
    return;
  }
  await confirmed(context, options, `Give up the trial${of}?`, 'It goes on.', `give up the trial${of}`);
  store.change(() => {
    // It may have ended while the confirmation was open.
    requireRunning();
    store.of('trial').update(trial.id, { state: 'given-up' });
  });
  sayChanged(context, `Gave up the trial${of}. Its days are kept.`);
}

async function recordDay(context: Context, words: readonly string[], options: Options): Promise<void> {
  checkJson(options, trialDayRecord);
  const { store, today } = context;
  const status = await statusOf(context, options);
  const { trial } = status;
  if (trial.state !== 'running')
    throw usage(`The trial is over. To see what it has shown: ${commandLine(context, 'trial')}`);
  const { userId: _, ...fields } = DAY_FIELDS;
  const given = valuesOf(fields, options, today);
  const said = wordsOf(context, words, status, given['date']);
  for (const [name, word] of Object.entries(said))
    if (name !== 'date' && given[name] !== undefined) throw saidTwice(word, name);
  const values = { ...said, ...given };
  const date = String(values['date'] ?? status.due?.date ?? today);
  if (date > today && isDay(date)) throw usage(`${date} is still to come.`);
  if (isDay(date) && (date < trial.start || date > lastDayOf(trial)))
    throw usage(`${date} is no day of the trial, which goes from ${trial.start} to ${lastDayOf(trial)}.`);
  if (trial.outcome === 'morning' && date === today && values['second'] !== undefined)
    throw usage(
      `The second pain of today is that of tomorrow morning: say only the first now, as in ${commandLine(context, `trial ${values['first'] ?? 'PAIN'}`)}.`,
    );
  const known = daysOf(store, trial).get(date);
  // In the morning, two levels may be the second one of yesterday and the first one of today.
  const isDoubtful =
    said['second'] === undefined ||
    (trial.outcome === 'morning' && given['date'] === undefined && said['first'] !== known?.first);
  if (known && said['first'] !== undefined && isDoubtful)
    throw usage(
      `${date} is recorded already: ${painsOf(known)}. To correct it, say which pain ${said['first']} is, with --first or --second.`,
    );
  const { checksOf } = await import('../../domain/schema.ts');
  const { date: __, ...others } = values;
  const day = namingFlags(trialDayFields, () =>
    recordTrialDay(
      store,
      trial,
      date,
      others,
      checksOf('trialDay').input,
      trialToday(store, trial, context.now()),
    ),
  );
  const done = `Recorded ${date} of the trial${whose(context, [trial.userId])}: ${painsOf(day)}${day.done ? '' : ', not as drawn'}.`;
  printDone(context, options, { fields: trialDayRecord, record: day, done });
  sayRedFlagsAfterPain(context, day.first, day.second);
  if (options['json'] !== undefined || context.quiet) return;
  const after = trialStatusNow(store, store.of('trial').get(trial.id), context.now());
  if (after.result) for (const line of statusLines(after, context)) print(context, line);
  // What is drawn is shown only now: known before, it might bias the first pain.
  else if (date === today && day.second === undefined) say(context, todayInWords(after, today));
  if (after.due?.pain === 'second')
    say(context, `The second pain is still to come: ${commandLine(context, 'trial PAIN')}`);
}

const painsOf = ({ first, second }: TrialDay) => (second === undefined ? `${first}` : `${first} → ${second}`);

/** Parses bare words: one level is the pain that is due, two are the first and the second; the rest is a note. */
function wordsOf(
  context: Context,
  words: readonly string[],
  { due }: TrialStatus,
  date: unknown,
): Record<string, string | number> {
  if (words.length === 0) return {};
  const { before, levels, after } = painIn(words);
  const [one, two] = levels;
  if (before.length > 0 || one === undefined)
    throw usage(
      `${quoted(escapeControls(String(words[0])))} is no pain from 1 to 10, which comes first, as in ${commandLine(context, 'trial 6 3')}, and none of the commands start, add, show and stop.`,
    );
  const notes = after.join(' ');
  const said = date === undefined ? dayInNotes(notes, context.today) : undefined;
  const pain = `trial ${levels.join(' ')}`;
  const asNote = commandLine(context, `${pain} --notes ${quoted(escapeControls(notes))}`);
  // Recorded for another day, it would count for what is drawn for that day.
  if (said) throw dayAsWord(context, said.day, pain, `. To keep it as a note: ${asNote}`);
  const pains =
    two !== undefined
      ? {
          first: Number(one),
          second: Number(two),
          ...(date === undefined && due?.pain === 'second' && { date: due.date }),
        }
      : due?.pain === 'second' && (date === undefined || date === due.date)
        ? { second: Number(one), date: due.date }
        : { first: Number(one) };
  return { ...pains, ...(notes && { notes }) };
}
