import { constants, setPriority } from 'node:os';
import { parse } from 'node:path';
import { run } from './cli/program.ts';
import { sayAlways } from './cli/terminal/io.ts';
import { Context } from './context.ts';

const { argv, env, execPath, stdout, stderr } = process;

/** Ends the process once stdout is flushed; if that fails, the error handler below ends it. */
function end(code: number): void {
  stdout.write('', (error) => {
    if (!error) process.exit(code);
  });
}

stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader closed the pipe, as `head` does.
  if (error.code === 'EPIPE') process.exit(0);
  const saved =
    context.change === undefined ? '' : ` The change is saved all the same: change ${context.change}.`;
  sayAlways(context, `sciatica: the output could not be written (${error.code ?? error.message}).${saved}`);
  process.exit(1);
});
stderr.on('error', () => {});

// If there is another handler (prompt, pager, server, sync --watch), that one decides what happens.
process.once('SIGINT', () => {
  if (process.listenerCount('SIGINT') > 0) return;
  if (context.ifInterrupted) stderr.write(`\n${context.ifInterrupted}\n`);
  process.exit(130);
});

const context = new Context({
  env,
  // A getter: opening stdin costs time, and most commands never read it.
  get stdin() {
    return process.stdin;
  },
  stdout,
  stderr,
  now: () => new Date(),
  startAlone: (words) => {
    // Loaded on demand: most commands start nothing.
    const { spawn } = process.getBuiltinModule('node:child_process');
    const child = spawn(execPath, [argv[1] ?? '', ...words], {
      // No shared session or streams: a caller that waits for this command does not wait for the child.
      detached: true,
      stdio: 'ignore',
      // The current folder may be removed or unmounted meanwhile, and not every account has a home folder.
      cwd: parse(execPath).root,
      windowsHide: true,
    });
    child.on('error', () => {});
    child.unref();
    try {
      if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
    } catch {
      // The child has ended already, or the system does not support priorities.
    }
  },
});
run(argv.slice(2), context).then(end);
