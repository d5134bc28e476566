import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../../context.ts';
import { invalid, unusable } from '../../domain/errors.ts';
import type { DoorOptions } from '../../http/guard/origins.ts';
import type { Tls } from '../../http/wire/listener.ts';
import { allAddresses, inUrl, reachableAt } from '../../lib/machine.ts';
import { pinOf } from '../../lib/pin.ts';
import type { PairingService } from '../../store/records/pairing.ts';
import type { Store } from '../../store/store.ts';
import type { Command } from '../input/command.ts';
import { countOf } from '../input/options.ts';
import { escapeControls, sayAlways } from '../terminal/io.ts';

/** The options as commander parses them; `host` has a default. */
type ServeOptions = Omit<DoorOptions, 'host'> & { host?: string; port: string };

const MAX_PORT = 65_535;

export function addServeCommand(program: Command, context: Context): void {
  program
    .command('serve')
    .summary('serve the records to a companion app over HTTP')
    .description(
      'Serve the records to a companion app over HTTP, until Ctrl-C: to this machine without a password, or to others with --auth.',
    )
    .option('--port <number>', 'port to listen on, 0 for any free one', '3000')
    .option(
      '--host <address>',
      'address to listen on (otherwise 127.0.0.1, which is this machine only; with --pairing, all addresses)',
    )
    .repeatable('--allow-host <name>', 'also answer to this Host name (a proxy, an emulator)')
    .repeatable(
      '--allow-origin <origin>',
      'let apps and web pages of this origin call, such as capacitor://localhost',
    )
    .option('--auth', 'ask every caller for a token (sciatica token add), and limit how often they call')
    .option('--tls-cert <file>', 'certificate for https, as PEM')
    .option('--tls-key <file>', 'key of the certificate, as PEM')
    .option(
      '--pairing',
      'let phones on the same network pair (sciatica pair): turns on --auth, and https with a certificate that is made and kept for this machine, unless there is --tls-cert or --behind-proxy',
    )
    .option(
      '--authority',
      'with --pairing: sign that certificate with an authority for this machine only, which phones can install',
    )
    .option('--no-app', 'leave out the page for phones, at /app/')
    .option('--behind-proxy', 'a proxy in front does TLS and says in X-Forwarded-For who calls')
    .option(
      '--rate <number>',
      'with --auth: calls per second that a token may keep up (otherwise 50)',
      countOf,
    )
    .option('--burst <number>', 'with --auth: calls that it may make at once (otherwise 500)', countOf)
    .option('--quota <MiB>', 'with --auth: MiB that it may store in an hour (otherwise 64)', countOf)
    .examples(
      'sciatica serve',
      'sciatica serve --port 8080 --allow-origin http://localhost:5173',
      'sciatica serve --pairing',
      'sciatica serve --auth --host 0.0.0.0 --allow-host tracker.example \\\n      --tls-cert cert.pem --tls-key key.pem',
      'curl http://localhost:3000/userExerciseLogs?userId=1',
    )
    .action((options: ServeOptions) => serve(context, options));
}

async function serve(context: Context, options: ServeOptions): Promise<void> {
  const { port, host, origins } = await checkOptions(options);
  const { proxyWarnings } = await import('../../http/guard/origins.ts');
  const { startServer } = await import('../../http/server.ts');
  const { exposure, readCertificate, untimely, watchCertificate } = await import(
    '../../http/wire/certificate-files.ts'
  );
  const { companionFiles } = await import('../../http/companion.ts');
  const { DEFAULT_RATE } = await import('../../http/guard/limits.ts');
  // A write error of the request log must not end the service.
  context.stderr.on('error', () => {});
  const log = (text: string) => void context.stderr.write(text);
  const { burst = DEFAULT_RATE.burst, rate = DEFAULT_RATE.perSecond, tlsCert, tlsKey } = options;
  const files = tlsCert && tlsKey ? { cert: tlsCert, key: tlsKey } : undefined;
  const isOwn = options.pairing && !files && !options.behindProxy;
  const own = isOwn ? await ownCertificate(context, host, options.authority === true) : undefined;
  const tls = own ? own.first.tls : files && readCertificate(files);
  // Reported below: with a mistyped path, the service would create an empty database.
  const isNew = !existsSync(context.databasePath);
  const server = await startServer(context.store, {
    host,
    port,
    origins,
    auth: options.auth || options.pairing ? { burst, perSecond: rate } : undefined,
    quota: options.quota === undefined ? undefined : options.quota * 1024 * 1024,
    tls,
    behindProxy: options.behindProxy === true,
    isPairing: options.pairing === true,
    ownNames: own?.names ?? [],
    log,
    workerFile: join(__dirname, 'worker.js'),
    companion: options.app
      ? companionFiles(join(__dirname, 'app'), own?.authority?.certificate.toString())
      : undefined,
  }).catch((error: unknown) => {
    throw listenError(error, host, port);
  });
  if (context.store.obstacle) log(`${escapeControls(context.store.obstacle)}\n`);
  context.warn = (line) => log(`sciatica: ${escapeControls(line)}\n`);
  context.careForCopiesByTimer();
  const tell = (line: string) => sayAlways(context, line);
  const kept = own?.files ?? files;
  const exposed = kept && exposure(kept);
  if (exposed) tell(exposed);
  const late = files && tls && untimely(tls, context.now().getTime());
  if (late) tell(late);
  if (options.behindProxy) for (const warning of proxyWarnings(host)) tell(warning);
  const renew = (renewed: Tls) => {
    server.renew(renewed);
    return `The renewed certificate is in use. ${untimely(renewed, context.now().getTime()) ?? ''}`.trimEnd();
  };
  const certificate = own
    ? own.watch(server, tell)
    : files && tls && watchCertificate(() => readCertificate(files), tls, renew, tell);
  const told = toldToStop(certificate?.look);
  const withdraw =
    options.pairing &&
    (await announce(context.store, {
      host,
      port: server.port,
      ...(own
        ? { pin: pinOf(own.first.tls.cert) }
        : { urls: options.allowHost.map((name) => urlOf(name, options.behindProxy ? 443 : server.port)) }),
    }));
  const scheme = own || tlsCert ? 'https' : 'http';
  context.stdout.write(
    `sciatica serves ${scheme}://${inUrl(own ? (reachableAt(host) ?? host) : host)}:${server.port}\n`,
  );
  if (isNew) tell(`The database is new, with nobody in it yet: ${escapeControls(context.databasePath)}`);
  if (own?.authority) {
    const at = inUrl(reachableAt(host) ?? host);
    tell(
      `To install the authority of this machine on a phone: https://${at}:${server.port}/app/authority.crt, SHA-256 fingerprint ${own.authority.certificate.fingerprint256}. Compare it on the phone first (docs/phone.md).`,
    );
  }
  await told;
  certificate?.stop();
  if (withdraw) await withdraw();
  await server.stop();
}

/** The URL at which a phone reaches a service with this host name. */
const urlOf = (name: string, port: number): string =>
  `https://${name}${port === 443 || /:\d+$/.test(name) ? '' : `:${port}`}`;

async function ownCertificate(context: Context, host: string, isSigned: boolean) {
  const { ownTls } = await import('../../http/wire/own-certificate.ts');
  // Opens the store first, which creates the folder.
  const { path } = context.store;
  return ownTls(path, host, isSigned, () => context.now().getTime());
}

/** Stores in the database where phones can be paired, for `sciatica pair`. @returns a function that removes that */
async function announce(store: Store, service: PairingService): Promise<() => Promise<void>> {
  const { pairing } = store.tokens;
  await store.submitUpkeep(() => pairing.announce(service));
  // If the entry cannot be removed, it stays, and `pair` finds nothing listening there.
  return () => store.submitUpkeep(() => pairing.withdraw(service)).catch(() => {});
}

/**
 * Resolves at the first SIGINT, SIGTERM or SIGHUP; a second one ends the process at once.
 * @param renew called at SIGHUP instead, to load a renewed certificate, unless the terminal was closed
 */
function toldToStop(renew?: () => void): Promise<void> {
  const isInTerminal = hasTerminal();
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
    if (renew === undefined) process.once('SIGHUP', () => resolve());
    else process.on('SIGHUP', () => (isInTerminal && !hasTerminal() ? resolve() : renew()));
  });
}

/** Whether the process has a controlling terminal, even if all its streams are redirected. */
function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}

async function checkOptions(options: ServeOptions) {
  const { doorFaults } = await import('../../http/guard/origins.ts');
  const { port, allowHost, allowOrigin } = options;
  const host = options.host ?? (options.pairing && !options.behindProxy ? allAddresses() : '127.0.0.1');
  const issues = doorFaults({ ...options, host });
  if (!/^\d{1,5}$/.test(port) || Number(port) > MAX_PORT)
    issues.push({ field: '--port', message: `must be a whole number from 0 to ${MAX_PORT}` });
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

function listenError(error: unknown, host: string, port: number): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE')
    return unusable(`Port ${port} is in use. Choose another with --port, or 0 for any free one.`);
  if (code === 'EACCES')
    return unusable(`Port ${port} needs special rights. Choose one above 1023 with --port.`);
  if (code === 'EADDRNOTAVAIL') return unusable(`This machine has no address ${host}.`);
  if (code?.startsWith('ERR_OSSL'))
    return unusable('--tls-cert and --tls-key are no certificate with its key, as PEM.');
  return error;
}
