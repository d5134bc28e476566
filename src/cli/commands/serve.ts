import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { invalid, SciaticaError } from '../../domain/errors.ts';

interface ServeOptions {
  port: string;
  host: string;
  allowHost: string[];
  allowOrigin: string[];
}

const LOOPBACK = ['127.0.0.1', 'localhost', '::1'];
const MAX_PORT = 65_535;

const collect = (value: string, before: string[]) => [...before, value];

/** `sciatica serve`: the service for a companion app, until it is told to stop. */
export function addServeCommand(program: Command, context: Context): void {
  program
    .command('serve')
    .summary('serve the records to a companion app over HTTP')
    .description('Serve the records to a companion app on this machine, over HTTP, until Ctrl-C.')
    .option('--port <number>', 'port to listen on, 0 for any free one', '3000')
    .option('--host <address>', 'address to listen on: this machine only', '127.0.0.1')
    .option(
      '--allow-host <name>',
      'also answer to this Host name (a proxy, an emulator); may be repeated',
      collect,
      [],
    )
    .option('--allow-origin <origin>', 'let web pages of this origin call; may be repeated', collect, [])
    .addHelpText(
      'after',
      `
Examples:
  $ sciatica serve
  $ sciatica serve --port 8080 --allow-origin http://localhost:5173
  $ curl http://localhost:3000/userExerciseLogs?userId=1`,
    )
    .action((options: ServeOptions) => serve(context, options));
}

async function serve(context: Context, options: ServeOptions): Promise<void> {
  const { port, host, access } = checkOptions(options);
  const { startServer } = await import('../../http/server.ts');
  // Whoever reads the request log may go away; the service stays.
  context.stderr.on('error', () => {});
  const log = (text: string) => void context.stderr.write(text);
  const server = await startServer(context.store, { host, port, access, log }).catch((error: unknown) => {
    throw listenError(error, host, port);
  });
  const told = toldToStop();
  const name = host === '::1' ? '[::1]' : host;
  context.stdout.write(`sciatica serves http://${name}:${server.port}\n`);
  await told;
  await server.stop();
}

/** Resolves at the first signal to stop; a second one ends the process at once. */
function toldToStop(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
}

function checkOptions({ port, host, allowHost, allowOrigin }: ServeOptions) {
  const issues = [];
  if (!/^\d{1,5}$/.test(port) || Number(port) > MAX_PORT)
    issues.push({ field: '--port', message: `must be a whole number from 0 to ${MAX_PORT}` });
  if (!LOOPBACK.includes(host))
    issues.push({
      field: '--host',
      message: `must be ${LOOPBACK.join(', ')}: without authentication only this machine may reach the records`,
    });
  for (const name of allowHost)
    if (!/^[\w.-]+(:\d{1,5})?$|^\[[\da-f:]+\](:\d{1,5})?$/i.test(name))
      issues.push({
        field: '--allow-host',
        message: 'must be a host name such as tracker.local or 10.0.2.2',
      });
  for (const origin of allowOrigin)
    if (!/^https?:\/\/[^/\s]+$/.test(origin))
      issues.push({ field: '--allow-origin', message: 'must be an origin such as http://localhost:5173' });
  if (issues.length > 0) throw invalid(issues);
  return {
    port: Number(port),
    host,
    access: { allowHosts: allowHost.map((name) => name.toLowerCase()), allowOrigins: allowOrigin },
  };
}

function listenError(error: unknown, host: string, port: number): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE')
    return new SciaticaError(
      'unusable',
      `Port ${port} is in use. Choose another with --port, or 0 for any free one.`,
    );
  if (code === 'EACCES')
    return new SciaticaError(
      'unusable',
      `Port ${port} needs special rights. Choose one above 1023 with --port.`,
    );
  if (code === 'EADDRNOTAVAIL') return new SciaticaError('unusable', `This machine has no address ${host}.`);
  return error;
}
