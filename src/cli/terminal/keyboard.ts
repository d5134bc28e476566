import { PassThrough } from 'node:stream';
import type { Input } from '../../context.ts';

/** What stands for a line break in a pasted text while it is edited on one line. */
export const LINE_BREAK = '⏎';

/** How long a prompt may take to settle after Enter, in milliseconds, before it gets what was typed since. */
const SETTLED = 30;

/**
 * The keys of a terminal for one prompt after the other: what is typed ahead waits for the next prompt, and several
 * pasted lines are one answer where the prompt takes them. Ctrl-Z stops the process, and after fg the prompt goes on.
 */
export class Keyboard extends PassThrough {
  #typed = '';
  #isOpen = false;
  #takesLines = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly stdin: Input & { setRawMode?: (raw: boolean) => unknown }) {
    super();
    stdin.on('data', (chunk: Buffer | string) => {
      this.#typed += chunk.toString();
      if (!this.#timer) this.#pump();
    });
    stdin.once('end', () => this.end());
  }

  /** Readline sets it for each prompt. */
  setRawMode(raw: boolean): void {
    this.stdin.setRawMode?.(raw);
  }

  /** @param takesLines whether a pasted line break is part of the answer */
  open(takesLines: boolean): void {
    this.#isOpen = true;
    this.#takesLines = takesLines;
    this.stdin.resume();
    // After the prompt listens.
    this.#later(0);
  }

  close(): void {
    this.#isOpen = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #later(wait: number): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#pump();
    }, wait);
  }

  #pump(): void {
    if (!this.#isOpen || this.#typed === '') return;
    const lines = /^([^\r\n]+)(?:\r\n?|\n)(?=[^\r\n]*[^\r\n])/.test(this.#typed);
    if (this.#takesLines && lines) {
      const text = this.#typed.replace(/[\r\n]+$/, '').replace(/\r\n?|\n/g, LINE_BREAK);
      this.#typed = '';
      this.write(text);
      return;
    }
    const end = this.#typed.search(/[\r\n\u001a]/);
    const taken = end < 0 ? this.#typed : this.#typed.slice(0, end + 1);
    this.#typed = this.#typed.slice(taken.length);
    if (taken.endsWith('\u001a')) {
      if (taken.length > 1) this.write(taken.slice(0, -1));
      this.#stop();
    } else this.write(taken);
    if (this.#typed !== '') this.#later(SETTLED);
  }

  #stop(): void {
    this.setRawMode(false);
    process.once('SIGCONT', () => this.setRawMode(true));
    process.kill(process.pid, 'SIGTSTP');
  }
}
