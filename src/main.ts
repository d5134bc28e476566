import { run } from './cli/program.ts';
import { Context } from './context.ts';

const { argv, env, stdout, stderr } = process;

/** Ends the process, once stdout has taken everything; if it has not, the error that follows ends it. */
function end(code: number): void {
  stdout.write('', (error) => {
    if (!error) process.exit(code);
  });
}

stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader has seen enough, as `head` does.
  if (error.code === 'EPIPE') process.exit(0);
  stderr.write(`sciatica: the output could not be written (${error.code ?? error.message}).\n`);
  process.exit(1);
});
stderr.on('error', () => {});

// Whoever else listens (a question, the server) decides what Ctrl-C does.
process.once('SIGINT', () => {
  if (process.listenerCount('SIGINT') === 0) process.exit(130);
});

const context = new Context({
  env,
  // Made when it is first looked at: most commands never do.
  get stdin() {
    return process.stdin;
  },
  stdout,
  stderr,
  now: () => new Date(),
});
run(argv.slice(2), context).then(end);
