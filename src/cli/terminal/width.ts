import truncatedWidth from 'fast-string-truncated-width';

/** Texts of Latin letters, common punctuation and the signs used here, one column each: their length is their width. */
const NARROW = /^[ -~\u00a1-\u02ff\u2010-\u2027\u2190-\u2193\u2713\u2717]*$/;

/** The width of a text in terminal columns; for a text wider than `limit`, any number above `limit`. */
export function widthOf(text: string, limit = Number.POSITIVE_INFINITY): number {
  if (NARROW.test(text)) return text.length;
  const { width, truncated } = truncatedWidth(text, { limit });
  return truncated ? limit + 1 : width;
}

/** Columns at the start of a text that is cut that a word in brackets leaves free. */
const LEAST_START = 5;

let segmenter: Intl.Segmenter | undefined;

/**
 * Cuts a text to `width` terminal columns, between grapheme clusters (UAX #29), and ends it with … if it was cut; before a
 * word in brackets, such as the type that tells exercises of one name apart, of which it keeps what there is room for.
 */
export function clip(text: string, width: number): string {
  if (widthOf(text, width) <= width) return text;
  const [word = ''] = / \([a-z]+\)$/.exec(text) ?? [];
  const rest = `…${word.slice(Math.max(0, word.length + LEAST_START + 1 - width))}`;
  if (NARROW.test(text)) return text.slice(0, width - rest.length) + rest;
  // Created on first use, which takes more than 10 ms.
  segmenter ??= new Intl.Segmenter();
  let end = 0;
  let left = width - rest.length;
  for (const { segment } of segmenter.segment(text)) {
    left -= widthOf(segment);
    if (left < 0) break;
    end += segment.length;
  }
  return text.slice(0, end) + rest;
}

/** Maximum width of running text in columns: longer lines are hard to read. */
const MEASURE = 100;

/** A suggested command line within a message. It is never wrapped, so that it can be copied. */
const COMMAND = /(?<=[:?] )sciatica .*?(?=[.;]? \(|[.;] |$)/g;

/** Replaces a space at which no line may be broken: a private-use character, as wide as a space. */
const UNBROKEN = '\ue000';

/**
 * Wraps text at spaces to `width` columns, but at most `MEASURE`, each line indented by `indent` columns. Does not break
 * command lines, between a number and its %, around an arrow, or within a word longer than a line, such as a path.
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
