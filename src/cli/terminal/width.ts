import truncatedWidth from 'fast-string-truncated-width';

/** Latin letters, common punctuation and our signs, one column each: what is of nothing else is measured at once. */
const NARROW = /^[ -~\u00a1-\u02ff\u2010-\u2027\u2190-\u2193\u2713\u2717]*$/;

/** The terminal columns of a text; of one that is wider than `limit`, some number above it. */
export function widthOf(text: string, limit = Number.POSITIVE_INFINITY): number {
  if (NARROW.test(text)) return text.length;
  const { width, truncated } = truncatedWidth(text, { limit });
  return truncated ? limit + 1 : width;
}

let segmenter: Intl.Segmenter | undefined;

/** A text cut to `width` terminal columns, between two characters (UAX #29), with … where it was cut. */
export function clip(text: string, width: number): string {
  if (widthOf(text, width) <= width) return text;
  if (NARROW.test(text)) return `${text.slice(0, width - 1)}…`;
  // Made on first use: that takes more than 10 ms.
  segmenter ??= new Intl.Segmenter();
  let end = 0;
  let left = width - 1;
  for (const { segment } of segmenter.segment(text)) {
    left -= widthOf(segment);
    if (left < 0) break;
    end += segment.length;
  }
  return `${text.slice(0, end)}…`;
}

/** Most columns of a line of running text: longer ones are hard to read. */
const MEASURE = 100;

/** A command to go on with, which stays whole so that it can be copied. */
const COMMAND = /(?<=[:?] )sciatica .*?(?=[.;]? \(|[.;] |$)/g;

/** Stands for a space where no line is broken: of private use, and as wide. */
const UNBROKEN = '\ue000';

/**
 * Wraps text at spaces, but not in a command, between a number and its % or around an arrow, each line `indent` columns in;
 * a word longer than a line, such as a path, stays whole.
 */
export function wrap(text: string, { width }: { width: number }, indent = 0): string[] {
  const room = Math.min(width, MEASURE) - indent;
  const lines: string[] = [];
  let line = '';
  const whole = text.replace(COMMAND, (command) => command.replaceAll(' ', UNBROKEN));
  for (const word of whole.split(/(?<!→) (?![%→])/)) {
    if (line !== '' && widthOf(line) + 1 + widthOf(word) > room) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].map((text) => ' '.repeat(indent) + text.replaceAll(UNBROKEN, ' '));
}
