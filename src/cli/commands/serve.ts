import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { type Issue, invalid, SciaticaError } from '../../domain/errors.ts';
import { type CertificateFiles, exposure, readCertificate, watchCertificate } from '../input/certificate.ts';
import { countOf } from '../input/options.ts';
import { escapeControls, say } from '../output/io.ts';

interface ServeOptions {
  port: string;
  host: string;
  allowHost: string[];
  allowOrigin: string[];
  auth?: true;
  tlsCert?: string;
  tlsKey?: string;
  behindProxy?: true;
  rate?: number;
  burst?: number;
  /** MiB a day. */
  quota?: number;
}

const LOOPBACK = ['127.0.0.1', 'localhost', '::1'];
const MAX_PORT = 65_535;

const collect = (value: string, before: string[]) => [...before, value];

/** `sciatica serve` */
export function addServeCommand(program: Command, context: Context): void {
  program
    .command('serve')
    .summary('serve the records to a companion app over HTTP')
    .description(
      'Serve the records to a companion app over HTTP, until Ctrl-C: to this machine without a password, or to others with --auth.',
    )
    .option('--port <number>', 'port to listen on, 0 for any free one', '3000')
    .option('--host <address>', 'address to listen on: this machine only, unless with --auth', '127.0.0.1')
    .option(
      '--allow-host <name>',
      'also answer to this Host name (a proxy, an emulator); may be repeated',
      collect,
      [],
    )
    .option(
      '--allow-origin <origin>',
      'let apps and web pages of this origin call, such as capacitor://localhost; may be repeated',
      collect,
      [],
    )
    .option(
      '--auth',
      'ask every caller for a token (sciatica token add), and keep an eye on how often they call',
    )
    .option('--tls-cert <file>', 'certificate, as PEM, to be reached by https')
    .option('--tls-key <file>', 'key of the certificate, as PEM')
    .option('--behind-proxy', 'a proxy in front does TLS and says in X-Forwarded-For who calls')
    .option(
      '--rate <number>',
      'with --auth: calls per second that a token may go on with (otherwise 50)',
      countOf,
    )
    .option('--burst <number>', 'with --auth: calls that it may make at once (otherwise 500)', countOf)
    .option('--quota <MiB>', 'with --auth: MiB that it may write in a day (otherwise 64)', countOf)
    .addHelpText(
      'after',
      `
Examples:
  $ sciatica serve
  $ sciatica serve --port 8080 --allow-origin http://localhost:5173
  $ sciatica serve --auth --host 0.0.0.0 --allow-host tracker.example \\
      --tls-cert cert.pem --tls-key key.pem
  $ curl http://localhost:3000/userExerciseLogs?userId=1`,
    )
    .action((options: ServeOptions) => serve(context, options));
}

async function serve(context: Context, options: ServeOptions): Promise<void> {
  const { port, host, origins } = checkOptions(options);
  const { startServer } = await import('../../http/server.ts');
  const { DEFAULT_RATE } = await import('../../http/guard/limits.ts');
  // A closed request log does not end the service.
  context.stderr.on('error', () => {});
  const log = (text: string) => void context.stderr.write(text);
  const { burst = DEFAULT_RATE.burst, rate = DEFAULT_RATE.perSecond, tlsCert, tlsKey } = options;
  const files = tlsCert && tlsKey ? { cert: tlsCert, key: tlsKey } : undefined;
  const server = await startServer(context.store, {
    host,
    port,
    origins,
    auth: options.auth && { burst, perSecond: rate },
    quota: options.quota === undefined ? undefined : options.quota * 1024 * 1024,
    tls: files && readCertificate(files),
    behindProxy: options.behindProxy === true,
    log,
    workerFile: join(__dirname, 'worker.js'),
  }).catch((error: unknown) => {
    throw listenError(error, host, port);
  });
  if (context.store.obstacle) log(`${escapeControls(context.store.obstacle)}\n`);
  context.warn = (line) => log(`sciatica: ${escapeControls(line)}\n`);
  context.backUpByTimer();
  for (const warning of warnings(options, files)) say(context, warning);
  const certificate = files && watchCertificate(files, server.renew, (line) => say(context, line));
  const told = toldToStop(certificate?.look);
  const name = host.includes(':') ? `[${host}]` : host;
  context.stdout.write(`sciatica serves http${tlsCert ? 's' : ''}://${name}:${server.port}\n`);
  await told;
  certificate?.stop();
  await server.stop();
}

/** What is worth knowing at the start, and cannot be found out from here. */
function warnings({ host, behindProxy }: ServeOptions, files: CertificateFiles | undefined): string[] {
  const lines = [files && exposure(files)];
  if (behindProxy)
    lines.push(
      'Callers are told apart by the last address in X-Forwarded-For. Whether the proxy replaces this header cannot be seen from here: it has to, or callers choose their address (docs/companion-app.md).',
    );
  if (behindProxy && !LOOPBACK.includes(host))
    lines.push(
      `Who reaches ${host} past the proxy can send any X-Forwarded-For: let only the proxy in, or listen on 127.0.0.1.`,
    );
  return lines.filter((line) => line !== undefined);
}

/**
 * Resolves at the first SIGINT, SIGTERM or SIGHUP; a second one ends the process at once.
 * @param renew takes a renewed certificate at SIGHUP instead, unless it comes because the terminal is gone
 */
function toldToStop(renew?: () => void): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
    if (renew === undefined) process.once('SIGHUP', () => resolve());
    else process.on('SIGHUP', () => (hasLostTerminal() ? resolve() : renew()));
  });
}

/** Whether this was started in a terminal that has been closed. */
function hasLostTerminal(): boolean {
  if (!process.stdout.isTTY && !process.stdin.isTTY) return false;
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return false;
  } catch {
    return true;
  }
}

/** Only this machine without tokens; no tokens over a network without TLS. */
function doorFaults({ host, auth, tlsCert, tlsKey, behindProxy, rate, burst, quota }: ServeOptions): Issue[] {
  const issues: Issue[] = [];
  const isHere = LOOPBACK.includes(host);
  if (!isHere && !auth)
    issues.push({
      field: '--host',
      message: `must be ${LOOPBACK.join(', ')}: without authentication (--auth) only this machine may reach the records`,
    });
  if (!isHere && auth && !tlsCert && !behindProxy)
    issues.push({
      field: '--host',
      message: 'needs --tls-cert and --tls-key, or --behind-proxy: others on the network could read along',
    });
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    issues.push({ field: '--tls-cert', message: 'and --tls-key need each other' });
  for (const [field, value] of Object.entries({
    '--behind-proxy': behindProxy,
    '--rate': rate,
    '--burst': burst,
    '--quota': quota,
  }))
    if (value !== undefined && !auth) issues.push({ field, message: 'needs --auth' });
  return issues;
}

function checkOptions(options: ServeOptions) {
  const { port, host, allowHost, allowOrigin } = options;
  const issues: Issue[] = doorFaults(options);
  if (!/^\d{1,5}$/.test(port) || Number(port) > MAX_PORT)
    issues.push({ field: '--port', message: `must be a whole number from 0 to ${MAX_PORT}` });
  for (const name of allowHost)
    if (!/^[\w.-]+(:\d{1,5})?$|^\[[\da-f:]+\](:\d{1,5})?$/i.test(name))
      issues.push({
        field: '--allow-host',
        message: 'must be a host name such as tracker.local or 10.0.2.2',
      });
  for (const origin of allowOrigin) {
    const message = originFault(origin.toLowerCase());
    if (message !== undefined) issues.push({ field: '--allow-origin', message });
  }
  if (issues.length > 0) throw invalid(issues);
  return {
    port: Number(port),
    host,
    origins: {
      allowHosts: allowHost.map((name) => name.toLowerCase()),
      allowOrigins: allowOrigin.map((origin) => origin.toLowerCase()),
    },
  };
}

/** Why no app or web page can have this origin, in lower case (https://www.rfc-editor.org/rfc/rfc6454#section-6.2). */
function originFault(origin: string): string | undefined {
  const wanted = 'must be an origin such as http://localhost:5173 or capacitor://localhost';
  if (origin.includes('*')) return `${wanted}: it is compared as a whole, and * stands for nothing`;
  const [, scheme = '', host = ''] =
    /^([a-z][a-z\d+.-]*):\/\/((?:[a-z\d._-]+|\[[\da-f:]+\])(?::\d{1,5})?)$/.exec(origin) ?? [];
  if (host === '') return wanted;
  if (scheme === 'file') return `${wanted}: pages of files have none`;
  if (scheme !== 'http' && scheme !== 'https') return undefined;
  const sent = URL.canParse(origin) ? new URL(origin).origin : undefined;
  return sent === origin ? undefined : `${wanted}${sent ? `: browsers send ${sent}` : ''}`;
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
  if (code?.startsWith('ERR_OSSL'))
    return new SciaticaError('unusable', '--tls-cert and --tls-key are no certificate with its key, as PEM.');
  return error;
}
