import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../../context.ts';
import { type ErrorCode, SciaticaError, unusable } from '../../domain/errors.ts';
import { type Invitation, pairingUri } from '../../domain/pairing.ts';
import type { Token } from '../../domain/token.ts';
import { localDay } from '../../domain/words/day.ts';
import { inUrl, isWildcard, machineAt, reachableAt } from '../../lib/machine.ts';
import { pinOf } from '../../lib/pin.ts';
import type { PairingService } from '../../store/records/pairing.ts';
import type { Command } from '../input/command.ts';
import { lifetimeOf, plainJsonOption } from '../input/options.ts';
import { resolveUserOrAsk } from '../input/resolve-user.ts';
import { usage } from '../terminal/errors.ts';
import { commandLine, escapeControls, print, quoted, say } from '../terminal/io.ts';
import { printJson } from '../terminal/output.ts';

interface PairOptions {
  user?: string;
  /** Lifetime of the phone's access, in milliseconds. */
  expires?: number;
  address?: string;
  wait: boolean;
  json?: true;
}

const DEFAULT_LIFETIME_MS = 365 * 24 * 60 * 60 * 1000;

/** Polling interval while waiting for a phone, in milliseconds. */
const LOOK_MS = 300;

/** Timeout of a connection to the service, in milliseconds. */
const REACH_MS = 3_000;

export function addPairCommand(program: Command, context: Context): void {
  program
    .command('pair')
    .summary('Let a phone in with a QR code')
    .description(
      'Let a phone on the same network in, as a patient. It shows a QR code that the companion app scans, good for one phone and ten minutes, and waits for the phone; Ctrl-C closes the code. It needs sciatica serve --pairing, running in another terminal.',
    )
    .option('--user <id>', 'whose records the phone reads and changes')
    .option(
      '--expires <time>',
      'how long the phone has access, such as 90d or 12h (otherwise 365d)',
      lifetimeOf,
    )
    .option('--address <address>', 'the address or name of this machine that the phone is to call')
    .option('--no-wait', 'do not wait for the phone: the code stays open for ten minutes')
    .addOption(plainJsonOption())
    .examples('sciatica pair', 'sciatica pair --user 3 --expires 90d')
    .action((options: PairOptions) => pair(context, options));
}

async function pair(context: Context, options: PairOptions): Promise<void> {
  const { pairing } = context.store.tokens;
  const user = await resolveUserOrAsk(context, options.user);
  const service = await runningService(context);
  const url = urlOf(service, options.address);
  const { code, expiresAt } = pairing.open(user, options.expires ?? DEFAULT_LIFETIME_MS);
  const invitation = { url, pin: service.pin, code };
  // From here on a signal closes the code.
  const stop = new AbortController();
  const stopped = () => stop.abort();
  if (options.wait) for (const signal of SIGNALS) process.on(signal, stopped);
  try {
    await show(context, options, { ...invitation, user, expiresAt });
    // Closes a code that could not be written. Here, since the stream error ends the process before `catch`.
    await new Promise<void>((resolve) => {
      context.stdout.write('', (error) => {
        if (error) pairing.close(code);
        resolve();
      });
    });
    if (options.wait) await phoneCame(context, code, stop.signal);
  } catch (error) {
    pairing.close(code);
    throw error;
  } finally {
    for (const signal of SIGNALS) process.off(signal, stopped);
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The service with which phones can be paired. @throws SciaticaError `unusable` if none can be reached */
async function runningService(context: Context): Promise<PairingService> {
  const { service } = context.store.tokens.pairing;
  if (service && (await isReachable(service))) return service;
  throw unusable(
    `No service that phones can be paired with runs on this database. Start it in another terminal, and leave it running: ${commandLine(context, 'serve --pairing')}`,
  );
}

/** Whether a service listens at the announced address, with the pinned key; without a pin, a proxy has the certificate. */
async function isReachable({ host, port, pin }: PairingService): Promise<boolean> {
  const at = { host: isWildcard(host) ? '127.0.0.1' : host, port, timeout: REACH_MS };
  const [net, tls] = [await import('node:net'), await import('node:tls')];
  const socket = pin === undefined ? net.connect(at) : tls.connect({ ...at, rejectUnauthorized: false });
  return new Promise<boolean>((resolve) => {
    socket.on(pin === undefined ? 'connect' : 'secureConnect', () => {
      const certificate = socket instanceof tls.TLSSocket ? socket.getPeerX509Certificate() : undefined;
      resolve(pin === (certificate && pinOf(certificate.raw)));
    });
    for (const event of ['timeout', 'error']) socket.on(event, () => resolve(false));
  }).finally(() => socket.destroy());
}

/** The URL for the phone. @throws SciaticaError `invalid` for an address of another machine, `unusable` without a network */
function urlOf({ host, port, urls }: PairingService, address: string | undefined): string {
  if (urls) {
    const url = urls.find((one) => address === undefined || new URL(one).hostname === address.toLowerCase());
    if (url === undefined) throw usage(`--address must be one of the service: ${urls.join(', ')}.`);
    return url;
  }
  const { names, addresses } = machineAt(host);
  const own = [...addresses, ...names];
  const wanted = address?.toLowerCase();
  if (wanted !== undefined && !own.includes(wanted))
    throw usage(`--address must be one of this machine: ${own.join(', ')}.`);
  const at = wanted ?? reachableAt(host);
  if (at === undefined) throw unusable('This machine is on no network that a phone could be on.');
  return `https://${inUrl(at)}:${port}`;
}

/** Prints the invitation: as JSON, as a URI or, in a terminal that is wide enough, as a QR code and a URI. */
async function show(
  context: Context,
  { json, wait }: PairOptions,
  { expiresAt, user, ...invitation }: Invitation & { user: number; expiresAt: number },
): Promise<void> {
  const uri = pairingUri(invitation);
  if (json)
    return printJson(context, { uri, ...invitation, user, expiresAt: new Date(expiresAt).toISOString() });
  if (!context.stdout.isTTY) return print(context, uri);
  const lines = await qrLines(uri, context.width, context.colour);
  say(context, 'Scan this with the camera of the phone, or with the app, on the same network.');
  say(context, `It is good for ten minutes.${wait ? ' Ctrl-C closes it.' : ''}`);
  if (!lines) say(context, 'The terminal is too narrow for the QR code.');
  print(context, uri);
  // Last, so that a terminal of 24 lines shows all of it.
  if (lines) print(context, lines.join('\n'));
}

const CLOSED: Readonly<Record<'expired' | 'tries' | 'gone', [ErrorCode, string]>> = {
  expired: ['unusable', 'No phone came within ten minutes. The code is closed: run sciatica pair again.'],
  tries: [
    'unusable',
    'Five wrong codes came, and the code is closed: run sciatica pair again. If it was not you, somebody else on the network tried.',
  ],
  gone: ['conflict', 'The code was closed by another sciatica pair, or its user is gone.'],
};

/** Waits until a phone is paired, and names its token. @throws SciaticaError if none is, AbortError at the signal */
async function phoneCame(context: Context, code: string, signal: AbortSignal): Promise<void> {
  const { pairing } = context.store.tokens;
  let hasStopped = false;
  let outcome = pairing.outcome(code);
  while (outcome === 'open') {
    const interrupt = await sleep(LOOK_MS, undefined, { signal }).catch((error: unknown) => error);
    if (interrupt !== undefined && pairing.close(code)) {
      say(context, 'The code is closed.');
      throw interrupt;
    }
    outcome = pairing.outcome(code);
    if (outcome === 'open' && pairing.service === undefined && !hasStopped) {
      hasStopped = true;
      say(context, 'sciatica serve --pairing has stopped: start it again, on the same port.');
    }
  }
  if (typeof outcome === 'string') throw new SciaticaError(...CLOSED[outcome]);
  say(context, paired(context, outcome));
}

function paired(context: Context, { id, name, users, expiresAt }: Token): string {
  const until = expiresAt === null ? '' : ` until ${localDay(new Date(expiresAt))}`;
  return `Paired: token ${id}, ${escapeControls(name)}, reads and changes the records of user ${users?.[0]}${until}. To take it back: ${commandLine(context, `token rm ${quoted(name)}`)}`;
}

/** Width of the quiet zone around a code, in modules: 2 are enough for cameras, and let it fit into 24 lines. */
const MARGIN = 2;

/** Black and white by number, which no theme of a terminal changes (https://en.wikipedia.org/wiki/ANSI_escape_code#8-bit). */
const [BLACK_ON_WHITE, RESET] = ['\u001b[38;5;16;48;5;231m', '\u001b[0m'];

/** Indexed by 2 if the upper half is dark, plus 1 if the lower half is. */
const HALVES = { coloured: [' ', '▄', '▀', '█'], plain: ['█', '▀', '▄', ' '] } as const;

/**
 * A text as a QR code, in lines of half blocks, two rows of modules each; undefined if it is wider than `width` columns.
 * @param colour whether colours can be set; otherwise the background is assumed to be dark
 */
export async function qrLines(text: string, width: number, colour: boolean): Promise<string[] | undefined> {
  const { correction, generate } = await import('lean-qr');
  const code = generate(text, { minCorrectionLevel: correction.L });
  const end = code.size + MARGIN;
  if (code.size + 2 * MARGIN > width) return undefined;
  const halves = HALVES[colour ? 'coloured' : 'plain'];
  const lines: string[] = [];
  for (let y = -MARGIN; y < end; y += 2) {
    let line = '';
    for (let x = -MARGIN; x < end; x++)
      line += halves[(code.get(x, y) ? 2 : 0) + (code.get(x, y + 1) ? 1 : 0)];
    lines.push(colour ? `${BLACK_ON_WHITE}${line}${RESET}` : line);
  }
  return lines;
}
