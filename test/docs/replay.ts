import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { practiceDb, run } from '../helpers.ts';
import { root } from './pages.ts';

/** Leaves out lines of progress, which come on slow machines only, are written over, and go away again. */
export const withoutProgress = (said: string): string => said.replace(/(?:\r[^\r\n]*)*\r(?!\n)/g, '');

/** When the sessions take place: Monday, 2 November 2026, a week after the last practice record. */
export const PAGES_NOW = new Date(2026, 10, 2, 12);

/** The time of every change as the pages show it, wherever the test runs. */
const AT = '2026-11-02T12:00:00.000Z';

/** A file that a command reads or writes; it stands in the session's folder, whatever the test's own is. */
const FILE = /^[\w-]+\.(csv|db|html|json|md|ndjson)$/;

/**
 * Runs the terminal sessions of a page. A session is a `console` block: `$ command`, its further lines after a
 * backslash, then what it prints. Commands run as in a terminal of 80 columns, on a fixed day; in a pipe or into a
 * file, as there. It knows no other syntax of the shell, and throws when a page uses one.
 */
export class Terminal {
  readonly db: string;
  /** Exit code of the last command, for `echo $?`. */
  #code = 0;
  #server: { child: ChildProcess; port: number } | undefined;

  /** @param folder where files are read and written */
  constructor(private readonly folder: string) {
    this.db = join(folder, '.sciatica.db');
  }

  /** What a command prints. */
  async run(command: string): Promise<string> {
    const [line = '', file] = command.split(/ > (?=\S+$)/);
    const [first = '', filter] = line.split(' | ');
    const piped = filter !== undefined || file !== undefined;
    const output = await this.#one(words(first), piped);
    if (file !== undefined) writeFileSync(join(this.folder, file), output);
    return file === undefined ? filtered(output, filter) : '';
  }

  async #one([name = '', ...argv]: string[], piped: boolean): Promise<string> {
    switch (name) {
      case 'sciatica':
        return argv[0] === 'serve' ? this.#serve(argv) : this.#sciatica(argv, piped);
      case 'curl':
        return curl(argv, await this.port());
      case 'cat':
        return readFileSync(join(this.folder, argv[0] ?? ''), 'utf8');
      case 'echo':
        return `${argv.join(' ').replace('$?', String(this.#code))}\n`;
      default:
        throw new Error(`The page runs ${name}, which its test cannot`);
    }
  }

  async #sciatica(argv: string[], piped: boolean): Promise<string> {
    const world = { db: this.db, now: PAGES_NOW, env: { NO_COLOR: '1', HOME: this.folder } };
    const { code, stdout, stderr } = await run(
      argv.map((word) => (FILE.test(word) ? join(this.folder, word) : word)),
      piped ? world : { ...world, columns: 80 },
    );
    this.#code = code;
    const said = piped ? '' : withoutProgress(stderr);
    return `${stdout}${said}`
      .replaceAll(this.db, '~/.local/share/sciatica/sciatica.db')
      .replaceAll(`${this.folder}/`, '');
  }

  /** The port of the service, which is started if the session has not done so. */
  async port(options: string[] = []): Promise<number> {
    if (!this.#server) await this.#serve(['serve', ...options]);
    return this.#server?.port ?? 0;
  }

  /** The real program, on a free port in place of 3000. */
  async #serve(argv: string[]): Promise<string> {
    const child = spawn(process.execPath, [join(root, 'bin/sciatica.js'), ...argv, '--port', '0'], {
      env: { PATH: process.env['PATH'], SCIATICA_DB: this.db },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    onTestFinished(async () => {
      child.kill();
      await once(child, 'exit');
    });
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const port = Number(/:(\d+)\s*$/.exec(String(line))?.[1]);
    this.#server = { child, port };
    return String(line).replace(String(port), '3000');
  }
}

/** `head -N` and `tail -N` are the filters it knows. */
function filtered(output: string, filter: string | undefined): string {
  if (filter === undefined) return output;
  const count = Number(/^(?:head|tail) -(\d+)$/.exec(filter)?.[1]);
  if (!count) throw new Error(`The page pipes into ${filter}, which its test cannot`);
  const lines = output.trimEnd().split('\n');
  return `${(filter.startsWith('head') ? lines.slice(0, count) : lines.slice(-count)).join('\n')}\n`;
}

/** Words as a shell splits them; quotes are all it knows. */
export function words(line: string): string[] {
  return [...line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) =>
    word.replace(/'([^']*)'|"([^"]*)"/g, (_, single?: string, double?: string) => single ?? double ?? ''),
  );
}

/** As much of curl as the pages use: what it prints, byte for byte but for the time of day. */
async function curl(argv: string[], port: number): Promise<string> {
  const given = { method: '', headers: [] as string[], body: undefined as string | undefined, url: '' };
  let shows = { headers: false, body: true };
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i] ?? '';
    const value = () => argv[++i] ?? '';
    if (word === '-i') shows = { headers: true, body: true };
    else if (word === '-I') [shows, given.method] = [{ headers: true, body: false }, 'HEAD'];
    else if (word === '-X') given.method = value();
    else if (word === '-H') given.headers.push(value());
    else if (word === '--json') {
      given.body = value();
      given.headers.push('Content-Type: application/json', 'Accept: application/json');
    } else if (word.startsWith('-') && word !== '-s') throw new Error(`The page uses curl ${word}`);
    else if (word !== '-s') given.url = word;
  }
  const url = new URL(given.url.includes('://') ? given.url : `http://${given.url}`);
  const { response, text } = await send(url, port, given);
  const body = text.replace(/"at":"[^"]+"/g, `"at":"${AT}"`);
  return `${shows.headers ? headersOf(response) : ''}${shows.body ? body : ''}`;
}

async function send(
  url: URL,
  port: number,
  given: { method: string; headers: string[]; body: string | undefined },
): Promise<{ response: IncomingMessage; text: string }> {
  const headers = Object.fromEntries(
    given.headers.map((header) => header.split(/: /, 2) as [string, string]),
  );
  const host = url.host === 'localhost:3000' ? `localhost:${port}` : url.host;
  const outgoing = request({
    host: '127.0.0.1',
    port,
    path: `${url.pathname}${url.search}`,
    method: given.method || (given.body === undefined ? 'GET' : 'POST'),
    headers: {
      ...headers,
      host,
      ...(given.body !== undefined && { 'content-length': Buffer.byteLength(given.body) }),
    },
    agent: false,
  });
  outgoing.end(given.body);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  const pieces: Buffer[] = [];
  for await (const piece of response) pieces.push(piece as Buffer);
  return { response, text: Buffer.concat(pieces).toString() };
}

function headersOf({ httpVersion, statusCode, statusMessage, rawHeaders }: IncomingMessage): string {
  const lines = [`HTTP/${httpVersion} ${statusCode} ${statusMessage}`];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const [name = '', value = ''] = rawHeaders.slice(i, i + 2);
    // What the connection is like says nothing about the service, and the time is never the same.
    if (!/^(connection|keep-alive|date)$/i.test(name)) lines.push(`${name}: ${value}`);
  }
  return `${lines.join('\n')}\n\n`;
}

const BLOCK = /```console\n([\s\S]*?)```/g;
/**
 * From such a line on, a page's sessions have an empty database and an empty folder, as at its beginning. It can name a
 * command to be run first, without being shown; sciatica demo then fills the database itself.
 */
const PRACTICE = 'sciatica demo';
const FRESH = /(?=^<!-- new database(?:: .+)? -->$)/m;

/** A page with its sessions run again. */
export async function replayed(page: string, terminal: () => Terminal): Promise<string> {
  const parts: string[] = [];
  for (const part of page.split(FRESH)) {
    const screen = terminal();
    const first = /^<!-- new database: (.+) -->$/m.exec(part)?.[1];
    if (first === PRACTICE) await practiceDb(screen.db);
    else if (first) await screen.run(first);
    let done = '';
    let at = 0;
    for (const block of part.matchAll(BLOCK)) {
      done += `${part.slice(at, block.index)}\`\`\`console\n${await session(block[1] ?? '', screen)}\`\`\``;
      at = block.index + block[0].length;
    }
    parts.push(done + part.slice(at));
  }
  return parts.join('');
}

async function session(text: string, screen: Terminal): Promise<string> {
  const lines = text.split('\n');
  let done = '';
  for (let i = 0; i < lines.length; i++) {
    if (!lines[i]?.startsWith('$ ')) continue;
    const typed = [lines[i] ?? ''];
    while (typed.at(-1)?.endsWith('\\')) typed.push(lines[++i] ?? '');
    const command = typed.map((line) => line.replace(/^[$>] /, '').replace(/\\$/, ' ')).join('');
    const output = await screen.run(command);
    // Not to be written into a page by npm run docs.
    if (output.includes('something unforeseen')) throw new Error(`${command}\n${output}`);
    done += `${done === '' ? '' : '\n'}${typed.join('\n')}\n${output}${output === '' || output.endsWith('\n') ? '' : '\n'}`;
  }
  return done.replaceAll('\r\n', '\n');
}
