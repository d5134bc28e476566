import type { Command } from 'commander';
import { version } from '../../package.json';
import { BACKUP_JOB, type Context } from '../context.ts';
import { leftBehind } from '../lib/files.ts';
import type { BackupJob } from '../store/maintenance/automatic-backup.ts';
import { Command as OwnCommand } from './input/command.ts';
import { refuseRepeats } from './input/options.ts';
import { report, usage } from './terminal/errors.ts';
import { helpStyle } from './terminal/help.ts';
import { escapeControls, sayAlways } from './terminal/io.ts';

const FIRST_STEPS = `
First steps:
  $ sciatica user add     say who you are
  $ sciatica log add      record an exercise, and the pain before and after
  $ sciatica logs         see what you recorded
  $ sciatica demo         or look around with practice records first`;

/**
 * Runs one command line.
 * @param argv the arguments after `sciatica`
 * @returns the exit code
 */
export async function run(argv: readonly string[], context: Context): Promise<number> {
  if (argv[0] === BACKUP_JOB && argv[1]?.startsWith('{')) {
    const { runBackupJob } = await import('../store/maintenance/automatic-backup.ts');
    await runBackupJob(JSON.parse(argv[1]) as BackupJob);
    return 0;
  }
  // Printed if the command succeeds: one that fails reports its own error.
  const warnings: string[] = [];
  context.warn = (line) => warnings.push(line);
  let help = '';
  const [lead, rest] = parted(argv);
  const isHome = rest.length === 0 && lead.at(-1) !== '--db';
  const program = await createProgram(context, isHome ? [home] : commandsFor(rest), (text) => {
    help += text;
  });
  const words = readable(program, rest);
  const line = [...lead, ...words];
  try {
    if (words[0] === 'complete') {
      const { complete } = await import('./commands/completion.ts');
      await complete(context, program, words.slice(1));
    } else await program.parseAsync(line, { from: 'user' });
    if (context.obstacle) sayAlways(context, escapeControls(context.obstacle));
    for (const line of warnings) sayAlways(context, `sciatica: ${escapeControls(line)}`);
    return 0;
  } catch (error) {
    const [command] = commandNamed(program, words);
    const usage = command.createHelp().commandUsage(command);
    const flags = command.options.flatMap(({ long }) => long ?? []);
    return report(context, error, { command: nameOf(command), usage, flags, words: line });
  } finally {
    if (help !== '') await showHelp(context, help, program.opts<GlobalOptions>());
    await context.paging?.finish();
    context.close();
    for (const [path, why] of leftBehind)
      sayAlways(context, `sciatica: a temporary file could not be removed (${why}): ${escapeControls(path)}`);
    leftBehind.clear();
  }
}

async function showHelp(context: Context, help: string, { pager, input }: GlobalOptions): Promise<void> {
  context.mayAsk = input;
  if (pager && context.stdout.isTTY) {
    const { pageLongOutput } = await import('./terminal/pager.ts');
    pageLongOutput(context);
  }
  context.stdout.write(help);
}

/** Splits the arguments into leading global options, of which only --db takes a value, and the rest. */
function parted(argv: readonly string[]): [lead: string[], rest: string[]] {
  let at = 0;
  while (/^(-q|--(db|db=.*|no-input|no-color|no-pager|quiet))$/s.test(argv[at] ?? ''))
    at += argv[at] === '--db' ? 2 : 1;
  return [argv.slice(0, at), argv.slice(at)];
}

interface GlobalOptions {
  db?: string;
  input: boolean;
  color: boolean;
  pager: boolean;
  quiet?: boolean;
}

/** The full name of a command: `sciatica log add`. */
const nameOf = (command: Command): string =>
  command.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name();

type AddCommands = (program: OwnCommand, context: Context) => void;
type LoadCommands = () => Promise<AddCommands>;

/** The commands that create a missing database. */
const CREATING = ['log add', 'user add', 'import', 'sync', 'remote add', 'serve', 'token add'];

/** The files of commands in the order of the help, by the commands that each declares; imported if one of these is called. */
const commands: Readonly<Record<string, LoadCommands>> = {
  log: async () => (await import('./commands/log.ts')).addLogCommand,
  logs: async () => (await import('./commands/logs.ts')).addLogsCommand,
  'user users': async () => (await import('./commands/user.ts')).addUserCommands,
  'pain pains': async () => (await import('./commands/pain.ts')).addPainCommands,
  'trial trials trial-day trial-days': async () => (await import('./commands/trial.ts')).addTrialCommands,
  'routine routines': async () => (await import('./commands/routine.ts')).addRoutineCommands,
  'exercises exercise': async () => (await import('./commands/exercise.ts')).addExerciseCommands,
  goal: async () => (await import('./commands/goal.ts')).addGoalCommand,
  summary: async () => (await import('./commands/summary.ts')).addSummaryCommand,
  compare: async () => (await import('./commands/compare.ts')).addCompareCommand,
  report: async () => (await import('./commands/report.ts')).addReportCommand,
  fields: async () => (await import('./commands/fields.ts')).addFieldsCommand,
  history: async () => (await import('./commands/history.ts')).addHistoryCommand,
  'undo redo': async () => (await import('./commands/undo.ts')).addUndoCommands,
  import: async () => (await import('./commands/import.ts')).addImportCommand,
  export: async () => (await import('./commands/export.ts')).addExportCommand,
  sync: async () => (await import('./commands/sync.ts')).addSyncCommand,
  'remote remotes': async () => (await import('./commands/remote.ts')).addRemoteCommands,
  backup: async () => (await import('./commands/backup.ts')).addBackupCommand,
  restore: async () => (await import('./commands/restore.ts')).addRestoreCommand,
  doctor: async () => (await import('./commands/doctor.ts')).addDoctorCommand,
  identity: async () => (await import('./commands/identity.ts')).addIdentityCommand,
  serve: async () => (await import('./commands/serve.ts')).addServeCommand,
  pair: async () => (await import('./commands/pair.ts')).addPairCommand,
  token: async () => (await import('./commands/token.ts')).addTokenCommand,
  audit: async () => (await import('./commands/audit.ts')).addAuditCommand,
  demo: async () => (await import('./commands/demo.ts')).addDemoCommand,
  completion: async () => (await import('./commands/completion.ts')).addCompletionCommand,
};

/** `sciatica` without arguments. */
const home: LoadCommands = async () => {
  const { showHome } = await import('./commands/home.ts');
  return (program, context) => program.action(() => showHome(context));
};

/** The files that a command line needs: that of its command, else all, for help and suggestions. */
function commandsFor(argv: readonly string[]): readonly LoadCommands[] {
  const [first = ''] = argv;
  const named = Object.entries(commands).find(([names]) => names.split(' ').includes(first));
  return named ? [named[1]] : Object.values(commands);
}

/**
 * Builds the program, with its commands.
 * @param declared the files of the commands to declare
 * @param write receives the help texts
 */
export async function createProgram(
  context: Context,
  declared: readonly LoadCommands[] = Object.values(commands),
  write = (text: string): unknown => context.stdout.write(text),
): Promise<Command> {
  const program = new OwnCommand('sciatica');
  program
    .description('Record exercises and pain, and find out what helps.')
    .option('--db <file>', 'the database (otherwise SCIATICA_DB, or one in your home folder)')
    .option('--no-input', 'never ask, not even in a terminal')
    .option('--no-color', 'no colours')
    .option('--no-pager', 'no pager ($PAGER, else less) for long output in a terminal')
    .option('-q, --quiet', 'print only what was asked for, and errors')
    .version(version, '-V, --version', 'show the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: write,
      // `report` prints errors; only the help of a group without a verb comes here.
      writeErr: write,
      outputError: () => {},
      getOutHelpWidth: () => helpWidth(context),
      getErrHelpWidth: () => helpWidth(context),
    })
    .configureHelp(helpStyle)
    .addHelpText('after', FIRST_STEPS)
    .hook('preAction', async (_, command) => {
      refuseParents(command);
      const { db, input, color, pager, quiet } = program.opts<GlobalOptions>();
      context.db = db;
      context.mayAsk = input;
      context.mayColour = color;
      context.quiet = quiet ?? false;
      const { user } = command.opts<{ user?: string }>();
      context.user = Number(user) || undefined;
      const name = nameOf(command).slice(program.name().length + 1);
      context.mayCreate = CREATING.includes(name);
      if (!pager || !context.stdout.isTTY) return;
      const { pageLongOutput } = await import('./terminal/pager.ts');
      pageLongOutput(context, name);
    });
  const loaded = await Promise.all(declared.map((load) => load()));
  for (const add of loaded) add(program, context);
  finish(program);
  return program;
}

const helpWidth = ({ stdout }: Context) => (stdout.isTTY ? Math.min(stdout.columns || 80, 100) : 80);

function finish(command: Command): void {
  refuseRepeats(command);
  for (const child of command.commands) finish(child);
}

/** Commander accepts options of a group after its subcommands, such as `audit prune --user 3`. @throws SciaticaError `invalid` */
function refuseParents(command: Command): void {
  const { parent, options } = command;
  if (!parent?.parent) return;
  for (const { long } of parent.options.filter(
    (option) => parent.getOptionValueSource(option.attributeName()) === 'cli',
  ))
    if (!options.some((own) => own.long === long)) throw usage(`${nameOf(command)} takes no ${long}.`);
}

/** The longest command that the words begin with, such as `sciatica log add`, and the words after it. */
function commandNamed(program: Command, words: readonly string[]): [Command, behind: readonly string[]] {
  const [word, ...others] = words;
  const next = program.commands.find((child) => child.name() === word);
  return next ? commandNamed(next, others) : [program, words];
}

/** Rewrites arguments that commander would misread: `help log`, `--json 3`, `lgo --help`. */
function readable(program: Command, argv: readonly string[]): string[] {
  if (argv[0] === 'complete') return [...argv];
  const words = argv[0] === 'help' ? [...argv.slice(1), '--help'] : idsFirst(argv);
  return isMistyped(program, words) ? words.filter((word) => word !== '--help' && word !== '-h') : words;
}

/** Whether the words name an unknown command, as in `lgo --help`: then that is the error, not a request for help. */
function isMistyped(program: Command, words: readonly string[]): boolean {
  const [command, [next = '-']] = commandNamed(program, words);
  return !next.startsWith('-') && command.commands.length > 0 && command.registeredArguments.length === 0;
}

/** Moves an id in front of --json, which takes an optional value: `--json 3` becomes `3 --json`. */
function idsFirst(argv: readonly string[]): string[] {
  const words = [...argv];
  for (const [i, word] of words.entries()) {
    const next = words[i + 1];
    if (word === '--json' && next !== undefined && /^\d+$/.test(next)) words.splice(i, 2, next, word);
  }
  return words;
}
