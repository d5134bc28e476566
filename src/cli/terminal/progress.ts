import type { Context } from '../../context.ts';

const EVERY_MS = 100;

export interface Progress {
  /** Shows the progress, at most every `EVERY_MS`; cheap to call often. */
  show(text: () => string): void;
  /** Clears the line. */
  clear(): void;
}

/**
 * A line of progress on stderr: in a terminal only, and not in the first tenth of a second.
 * @param wanted false if the line would mix with data on the same terminal
 */
export function progressOf(context: Context, wanted = true): Progress {
  const { stderr } = context;
  if (!wanted || context.quiet || !stderr.isTTY) return { show() {}, clear() {} };
  let last = performance.now();
  let shown = false;
  return {
    show(text) {
      const now = performance.now();
      if (now - last < EVERY_MS) return;
      last = now;
      shown = true;
      stderr.write(`\r${text()}\u001b[K`);
    },
    clear() {
      if (shown) stderr.write('\r\u001b[K');
      shown = false;
    },
  };
}
