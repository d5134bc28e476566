import type { Context } from '../../context.ts';

const EVERY_MS = 100;

export interface Progress {
  /** Says how far it has come; cheap to call often. */
  show(text: () => string): void;
  /** Takes the line away. */
  clear(): void;
}

/**
 * A line on stderr that says how far a long run has come: in a terminal only, and not before a tenth of a second.
 * @param wanted false where the line would stand in the middle of the data
 */
export function progressOf(context: Context, wanted = true): Progress {
  const { stderr } = context;
  if (!wanted || !stderr.isTTY) return { show() {}, clear() {} };
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
