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

/** Options of less as git sets them: end where one screen shows all, keep colours, leave the text on the screen. */
const ENVIRONMENT = { LESS: 'FRX', LV: '-c', LESSCHARSET: 'utf-8' };

/**
 * Sends the output from now on to a pager (`$PAGER`, else less) as soon as it is longer than the screen. Without a
 * pager, or a terminal that it could use, nothing changes.
 * @param command as it is typed, without the program's name; help without it
 */
export function pageLongOutput(context: Context, command?: string): void {
  const { stdout, env } = context;
  if (command !== undefined && !PAGED.includes(command)) return;
  if (!context.mayAsk || !stdout.isTTY || !stdout.rows || env['TERM'] === 'dumb') return;
  const pager = env['PAGER'] ?? 'less';
  if (pager !== '' && pager !== 'cat' && canStart(pager, env['PATH']))
    context.paging = new Pager(context, stdout, pager);
}

/** Whether the first word is a program. A line that only a shell can read is left to it. */
function canStart(line: string, path = ''): boolean {
  const [program = ''] = line.trim().split(/\s+/);
  if (/[^\w./:+-]/.test(program)) return true;
  if (program.includes('/')) return existsSync(program);
  const names = process.platform === 'win32' ? [`${program}.exe`, `${program}.com`] : [program];
  return path.split(delimiter).some((folder) => names.some((name) => existsSync(join(folder, name))));
}

/** Holds the output back until it is longer than the screen, then gives it to the pager. */
class Pager extends Writable implements Paging {
  readonly isTTY = true;
  /** What is held back, in order. */
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

  /** Writes a message to stderr: at once, or after the output before it. */
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
    // Ctrl-C is the pager's: it may only mean to stop a search.
    const ignore = () => {};
    process.on('SIGINT', ignore);
    this.#ended = new Promise<void>((resolve) => {
      child.once('error', () => resolve());
      child.once('close', () => resolve());
    }).finally(() => process.off('SIGINT', ignore));
    // The person left the pager before the end of the output.
    child.stdin?.on('error', () => this.destroy());
  }

  #send(text: string, done: () => void): void {
    this.#process?.stdin?.write(text, () => done());
  }

  /** Ends the output. @returns when the person has left the pager */
  async finish(): Promise<void> {
    // A stream that was destroyed has no end any more.
    if (!this.destroyed) await new Promise((resolve) => this.once('close', resolve).end());
    this.#process?.stdin?.end();
    await this.#ended;
    for (const { to, text } of this.#held) to.write(text);
  }
}
