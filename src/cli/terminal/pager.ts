import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import type { Context, Output, Paging } from '../../context.ts';
import { commandsOf, kindNames } from '../../domain/kinds.ts';
import { widthOf } from './width.ts';

/** Commands with output that can be long. None of them asks anything after its first line of output. */
const PAGED = [
  'audit',
  'compare',
  'exercises',
  'export',
  'fields',
  'history',
  'report',
  'summary',
  'token ls',
  ...kindNames.map(commandsOf).flatMap(({ one, many }) => [`${one} show`, many]),
];

/** Options of less as git sets them: quit if the text fits on one screen, keep colours, leave the text on the screen. */
const ENVIRONMENT = { LESS: 'FRX', LV: '-c', LESSCHARSET: 'utf-8' };

/**
 * Sends the output from now on to a pager (`$PAGER`, else less) as soon as it is longer than the screen. Without a
 * pager, or a terminal that it could use, nothing changes.
 * @param command its full name without `sciatica`, such as `token ls`; undefined for help
 */
export function pageLongOutput(context: Context, command?: string): void {
  const { stdout, env } = context;
  if (command !== undefined && !PAGED.includes(command)) return;
  if (!context.mayAsk || !stdout.isTTY || !stdout.rows || env['TERM'] === 'dumb') return;
  const pager = env['PAGER'] ?? 'less';
  if (pager !== '' && pager !== 'cat' && canStart(pager, env['PATH']))
    context.paging = new Pager(context, stdout, pager);
}

/** Whether the first word of a command line is an installed program. True for one that only a shell can parse. */
function canStart(line: string, path = ''): boolean {
  const [program = ''] = line.trim().split(/\s+/);
  if (/[^\w./:+-]/.test(program)) return true;
  if (program.includes('/')) return existsSync(program);
  const names = process.platform === 'win32' ? [`${program}.exe`, `${program}.com`] : [program];
  return path.split(delimiter).some((folder) => names.some((name) => existsSync(join(folder, name))));
}

/** Buffers the output until it is longer than the screen, then starts the pager and writes to it. */
class Pager extends Writable implements Paging {
  readonly isTTY = true;
  /** The buffered output and messages, in order. */
  #held: { to: Output; text: string }[] = [];
  #rows = 0;
  #process: ChildProcess | undefined;
  #ended: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly context: Context,
    private readonly terminal: Output,
    private readonly program: string,
  ) {
    super({ decodeStrings: false });
  }

  get columns(): number {
    return this.terminal.columns ?? 80;
  }
  get rows(): number {
    return this.terminal.rows ?? 24;
  }

  /** Writes a message to stderr: at once if there was no output yet, else in `finish`, after the output before it. */
  say(line: string): void {
    const to = this.context.stderr;
    if (this.#held.length === 0 && !this.#process) to.write(`${line}\n`);
    else this.#held.push({ to, text: `${line}\n` });
  }

  override _write(chunk: string | Buffer, _: string, done: () => void): void {
    const text = chunk.toString();
    if (this.#process) {
      this.#send(text, done);
      return;
    }
    this.#held.push({ to: this.terminal, text });
    for (const line of text.split('\n').slice(1)) this.#rows += this.#rowsOf(line);
    if (this.#rows < this.rows) {
      done();
      return;
    }
    this.#start();
    const output = this.#held.filter(({ to }) => to === this.terminal);
    this.#held = this.#held.filter(({ to }) => to !== this.terminal);
    this.#send(output.map((held) => held.text).join(''), done);
  }

  #rowsOf(line: string): number {
    if (line.length <= this.columns) return 1;
    return Math.max(1, Math.ceil(widthOf(stripVTControlCharacters(line)) / this.columns));
  }

  #start(): void {
    const environment = { ...ENVIRONMENT, ...this.context.env };
    // Loaded on demand: most output is short.
    const { spawn } = process.getBuiltinModule('node:child_process');
    const child = spawn(this.program, {
      shell: true,
      stdio: ['pipe', 'inherit', 'inherit'],
      env: environment,
    });
    this.#process = child;
    // Ctrl-C is left to the pager, in which it may only stop a search.
    const ignore = () => {};
    process.on('SIGINT', ignore);
    this.#ended = new Promise<void>((resolve) => {
      child.once('error', () => resolve());
      child.once('close', () => resolve());
    }).finally(() => process.off('SIGINT', ignore));
    // The user has quit the pager before the end of the output.
    child.stdin?.on('error', () => this.destroy());
  }

  #send(text: string, done: () => void): void {
    this.#process?.stdin?.write(text, () => done());
  }

  /** Ends the output. Resolves when the user has quit the pager. */
  async finish(): Promise<void> {
    // A destroyed stream has closed already: this would wait for ever.
    if (!this.destroyed) await new Promise((resolve) => this.once('close', resolve).end());
    this.#process?.stdin?.end();
    await this.#ended;
    for (const { to, text } of this.#held) to.write(text);
  }
}
