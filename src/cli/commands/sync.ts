import { resolve } from 'node:path';
import type { Context } from '../../context.ts';
import { conflict, SciaticaError } from '../../domain/errors.ts';
import { pause } from '../../lib/sleep.ts';
import { commandToFinish } from '../../store/maintenance/erasing.ts';
import { idsOf } from '../../store/reconcile/received.ts';
import { folderAddress } from '../../store/sync/folder-address.ts';
import type { Remote } from '../../store/sync/remotes.ts';
import { checkAddress, isUrl } from '../../sync/address.ts';
import { type Progress, type SyncOptions, type SyncResult, total } from '../../sync/result.ts';
import type { ServiceContext } from '../../sync/sync.ts';
import type { Carrier } from '../../sync/watch.ts';
import type { Command } from '../input/command.ts';
import { folderOf } from '../input/folder-remote.ts';
import { idOf } from '../input/options.ts';
import { keptToken, readToken } from '../input/token-file.ts';
import { AlreadySaid, describeError, usage } from '../terminal/errors.ts';
import { commandLine, counted, escapeControls, print, printSentence, say } from '../terminal/io.ts';
import { progressOf } from '../terminal/progress.ts';
import { asJson, EITHER, leftLines, resultLines } from '../views/sync.ts';

interface Options {
  tokenFile?: string;
  pin?: string;
  as?: string;
  acceptDeletions?: true;
  acceptErase?: true;
  dryRun?: true;
  watch?: true;
  json?: true;
}

export function addSyncCommand(program: Command, context: Context): void {
  program
    .command('sync')
    .summary('sync with other machines')
    .description(
      `Make this database and others, in a folder or behind a service (sciatica remote add), hold the same: what was recorded there comes here, what was recorded here goes there, and what was deleted on one side is deleted on the other. If it is interrupted, the next sync resumes.

If both sides changed something, sync shows both values and keeps the later one on both; sciatica undo chooses the other. A sync that would delete a user, or more than 20 records and a tenth of all, holds the deletions back (exit 4). With a patient's token only that patient's records travel.`,
    )
    .argument(
      '[remote]',
      'name of a remote, its folder, or the URL of a service (otherwise the only remote there is)',
    )
    .option('--token-file <file>', 'with a URL: file that holds the token')
    .option('--pin <pin>', 'with a URL: pin of the key of its certificate (sha256-…)')
    .option('--as <id>', 'the user here who is the same person as the one of the token over there')
    .option('--accept-deletions', 'make the deletions here that would otherwise be held back')
    .option('--accept-erase', 'erase here, for good, the people and records that were erased over there')
    .option('--dry-run', 'say what would happen, and change nothing on either side')
    .option('--watch', 'keep running, and sync whenever something changes, until Ctrl-C')
    .option('--json', 'what happened, as JSON')
    .examples(
      'sciatica sync home --dry-run',
      'sciatica sync',
      'sciatica sync --watch',
      'sciatica sync http://localhost:3000 --as 1',
    )
    .action((name: string | undefined, options: Options) => syncCommand(context, name, options));
}

async function syncCommand(context: Context, name: string | undefined, options: Options): Promise<void> {
  if (options.watch && options.dryRun) throw usage('--watch and --dry-run cannot both be given.');
  // Remotes are stored in the database, so only a sync with a URL can fill a new one.
  if (options.dryRun || !isUrl(name)) context.mayCreate = false;
  const { remote, token } = await remoteOf(context, name, options);
  const progress = progressOf(context);
  const controller = new AbortController();
  const onProgress: Progress = (what, count) =>
    progress.show(() => `${escapeControls(remote.name)}: ${counted(count, 'record')} ${WORDS[what]}`);
  const folder = await folderOf(context, remote, onProgress);
  const { carrier, close } = folder
    ? { carrier: folder, close: () => {} }
    : await serviceOf(context, remote, token, { progress: onProgress, signal: controller.signal });
  const as = options.as === undefined ? (remote.ourUser ?? undefined) : idOf(options.as, '--as');
  const { acceptDeletions, acceptErase, dryRun } = options;
  const asked: SyncOptions = { as, acceptDeletions, acceptErase, dryRun };
  context.ifInterrupted = 'Both sides keep what was done so far. If you run it again, it resumes.';
  try {
    if (options.watch) {
      const { watch } = await import('../../sync/watch.ts');
      return await untilStopped(controller, () =>
        watch(carrier, asked, {
          store: context.store,
          signal: controller.signal,
          onResult: reporter(context, remote.name, options),
          onFailure: (error) => say(context, `sciatica: ${describeError(context, error)}`),
        }),
      );
    }
    await sayingOnce(context, remote.name, options, async (tell) => {
      const result = await carrier.sync(asked);
      progress.clear();
      show(context, remote.name, result, options, tell);
      await finishErased(context, result, tell);
      requireSettled(context, result, dryRun === true);
      if (!dryRun) await requireErased(context, tell);
    });
  } finally {
    progress.clear();
    close();
  }
}

async function serviceOf(
  context: Context,
  remote: Remote,
  token: string | undefined,
  { progress, signal }: { progress: Progress; signal: AbortSignal },
): Promise<{ carrier: Carrier; close: () => void }> {
  const { connectionTo } = await import('../../sync/connection.ts');
  const { overService } = await import('../../sync/watch.ts');
  const connection = connectionTo(checkAddress(remote.url, remote.pin ?? undefined));
  const means: ServiceContext = {
    store: context.store,
    remote: remote.name,
    transport: connection.send,
    token,
    wait: (milliseconds) => pause(milliseconds, signal),
    now: () => context.now().getTime(),
    progress,
  };
  return { carrier: overService(means, connection), close: () => connection.close() };
}

/** Maximum number of undo commands shown. */
const MOST_UNDOS = 3;

const WORDS = { receive: 'received', send: 'sent' } as const;

/** The remote with a name, of a folder or at a URL, and its token. */
async function remoteOf(
  context: Context,
  name: string | undefined,
  { tokenFile, pin }: Options,
): Promise<{ remote: Remote; token: string | undefined }> {
  if (isUrl(name)) {
    const { url } = checkAddress(name, pin);
    return {
      remote: { name: url.host, url: url.href, pin: pin ?? null, ourUser: null, database: null, at: null },
      token: tokenFile === undefined ? undefined : readToken(context, tokenFile),
    };
  }
  if (tokenFile !== undefined || pin !== undefined)
    throw usage('--token-file and --pin go with a URL: a remote has its own (sciatica remote add).');
  const { remotes } = context.store;
  const all = remotes.list();
  const [only, second] = all;
  const named = (one: Remote) => one.name === name || folderAddress(one.url)?.path === resolve(name ?? '');
  if (name === undefined && (!only || second))
    throw usage(
      only
        ? `There are several remotes: say which one (${all.map((one) => one.name).join(', ')}).`
        : `There is no remote yet. Name one: ${commandLine(context, 'remote add')}, or give the URL of a service.`,
    );
  const remote = (name === undefined ? only : all.find(named)) ?? remotes.get(name ?? '');
  return { remote, token: keptToken(context, remote.name) };
}

/**
 * Runs a sync. Without a terminal, as under cron, which is to mail stderr only, lines of the previous sync go to stdout.
 * @param work runs it; prints lines with the function that it receives, or by itself without one
 * @throws what `work` threw; AlreadySaid for an error that the previous sync had too
 */
async function sayingOnce(
  context: Context,
  name: string,
  { json, dryRun }: Options,
  work: (tell?: (line: string) => void) => Promise<void>,
): Promise<void> {
  if (json || dryRun || context.quiet || context.stderr.isTTY) return work();
  const lines: string[] = [];
  const error = await work((line) => lines.push(line)).catch((thrown: unknown) => thrown);
  if (error !== undefined && !(error instanceof SciaticaError)) throw error;
  const failure = error && `sciatica: ${describeError(context, error)}`;
  const isSaid = context.store.remotes.noteSaid(name, lines, failure);
  for (const line of lines) (isSaid(line) ? printSentence : say)(context, line);
  if (failure && isSaid(failure)) {
    printSentence(context, failure);
    throw new AlreadySaid(error);
  }
  if (error) throw error;
}

/** Makes the printer for `--watch`: it prints a result if records changed, or what is left to decide did. */
function reporter(context: Context, name: string, options: Options): (result: SyncResult) => Promise<void> {
  let told = '';
  return async (result) => {
    const left = leftLines(context, name, result).join('\n');
    const isNew = left !== told || total(result.pulled) + total(result.pushed) + result.erased.length > 0;
    told = left;
    if (isNew || options.json) show(context, name, result, options);
    // A copy that is left must not end the watch.
    await finishErased(context, result).catch((error) =>
      say(context, `sciatica: ${describeError(context, error)}`),
    );
  };
}

function show(
  context: Context,
  name: string,
  result: SyncResult,
  options: Options,
  tell = (line: string) => say(context, line),
): void {
  if (options.json) print(context, JSON.stringify(asJson(result)));
  else for (const line of resultLines(name, result, options.dryRun)) printSentence(context, line);
  for (const line of leftLines(context, name, result)) tell(line);
  if (options.dryRun) tell('This was a dry run: nothing was changed.');
  else if (result.changes.length > 0 && !options.json)
    tell(
      `${result.changes.length > 1 ? 'Changes' : 'Change'} ${result.changes.join(', ')}. ${takenBack(context, result)}`,
    );
}

/** Completes an erasure of a sync in the folders of all remotes. @throws SciaticaError `unusable` if a copy is left */
async function finishErased(
  context: Context,
  { erased, copies }: SyncResult,
  tell?: (line: string) => void,
): Promise<void> {
  if (!copies) return;
  const { finishCopies } = await import('../input/erased-copies.ts');
  const users = idsOf(erased, 'user');
  await finishCopies(context, users, copies, { again: eraseAgain(context, users), tell });
}

/** @throws SciaticaError `unusable` while copies exist that an earlier erasure left */
async function requireErased(context: Context, tell?: (line: string) => void): Promise<void> {
  const { users, paths } = context.store.copiesLeft();
  if (paths.length === 0) return;
  const { requireNoneLeft } = await import('../input/erased-copies.ts');
  const left = paths.map((path) => ({ path }));
  requireNoneLeft(context, users, left, eraseAgain(context, users), tell);
}

const eraseAgain = (context: Context, users: readonly number[]): string =>
  `run ${commandLine(context, commandToFinish(users))}`;

/** The commands that undo the changes of a sync here, the last change first. */
function takenBack(context: Context, { changes }: SyncResult): string {
  const undos = changes.toReversed().map((change) => commandLine(context, `undo ${change}`));
  return `Wrong? ${undos.slice(0, MOST_UNDOS).join(', then ')}${undos.length > MOST_UNDOS ? ' and so on' : ''}`;
}

/** @throws SciaticaError `conflict` if something is left for the user to decide */
function requireSettled(
  context: Context,
  { held, refused, stillThere, unsent, erasedThere, waitingThere }: SyncResult,
  isDry: boolean,
): void {
  const parts = [
    held.length > 0 &&
      `${counted(held.length, 'deletion')} held back (see ${commandLine(context, 'remotes')}).`,
    refused > 0 && `${counted(refused, 'record')} not taken by the service.`,
    waitingThere.held > 0 && `${counted(waitingThere.held, 'deletion')} held back there.`,
    waitingThere.erased > 0 && `${counted(waitingThere.erased, ...EITHER)} still there, erased elsewhere.`,
    stillThere.length > 0 && `${counted(stillThere.length, 'user')} still there, deleted here.`,
    unsent.length > 0 && `${counted(unsent.length, 'user')} not sent.`,
    erasedThere.length > 0 &&
      `${counted(erasedThere.length, ...EITHER)} erased over there: --accept-erase erases here too, for good.`,
  ].filter((part) => part !== false);
  if (parts.length > 0)
    throw conflict(`${isDry ? 'There would be left' : 'Left as they are'}: ${parts.join(' ')}`);
}

/** Runs `work`. SIGINT or SIGTERM aborts it through `controller`; a second one ends the process at once. */
async function untilStopped(controller: AbortController, work: () => Promise<void>): Promise<void> {
  const stop = () => controller.abort();
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  try {
    await work();
  } finally {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
  }
}
