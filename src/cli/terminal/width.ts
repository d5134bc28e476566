import stringWidth from 'fast-string-width';

/** Latin letters, common punctuation and our signs: one column each. */
const NARROW = ' -~\\u00a1-\\u02ff\\u2010-\\u2027\\u2190-\\u2193\\u2713\\u2717';
/** The common CJK blocks: two columns each. */
const WIDE = '\\u3041-\\u3096\\u30a1-\\u30fa\\u4e00-\\u9fff\\uac00-\\ud7a3';

/** The widths of these need no Unicode tables, which take 10 ms to load. */
const SIMPLE = new RegExp(`^[${NARROW}${WIDE}]*$`);
const ALL_NARROW = new RegExp(`^[${NARROW}]*$`);

/** Whether the width of a text follows from these. */
export const isSimple = (text: string): boolean => SIMPLE.test(text);

/** The terminal columns of a text; of one that is wider than `limit`, some number above it. */
export function widthOf(text: string, limit = Number.POSITIVE_INFINITY): number {
  if (ALL_NARROW.test(text)) return text.length;
  let width = 0;
  for (const [, columns] of characters(text)) {
    width += columns;
    if (width > limit) break;
  }
  return width;
}

/** A text cut to `width` terminal columns, between two characters, with … where it was cut. */
export function clip(text: string, width: number): string {
  if (widthOf(text, width) <= width) return text;
  let end = 0;
  let left = width - 1;
  for (const [character, columns] of characters(text)) {
    left -= columns;
    if (left < 0) break;
    end += character.length;
  }
  return `${text.slice(0, end)}…`;
}

let segmenter: Intl.Segmenter | undefined;

type Character = [text: string, columns: number];

/** Characters as a person sees them: a letter with its marks, an emoji with its parts (UAX #29). */
function* characters(text: string): Generator<Character> {
  if (isSimple(text)) for (const character of text) yield [character, character > '\u3000' ? 2 : 1];
  else {
    segmenter ??= new Intl.Segmenter();
    for (const { segment } of segmenter.segment(text)) yield [segment, stringWidth(segment)];
  }
}

/** Most columns of a line of running text: longer ones are hard to read. */
const MEASURE = 100;

/** A command to go on with, which stays whole so that it can be copied. */
const COMMAND = /(?<=: )sciatica .*?(?=[.;]? \(|[.;] |$)/g;

/** Stands for a space where no line is broken: of private use, and as wide. */
const UNBROKEN = '\ue000';

/**
 * Wraps text at spaces, but not in a command or between a number and its %, each line `indent` columns in; a word longer
 * than a line, such as a path, stays whole.
 */
export function wrap(text: string, { width }: { width: number }, indent = 0): string[] {
  const room = Math.min(width, MEASURE) - indent;
  const lines: string[] = [];
  let line = '';
  const whole = text.replace(COMMAND, (command) => command.replaceAll(' ', UNBROKEN));
  for (const word of whole.split(/ (?!%)/)) {
    if (line !== '' && stringWidth(line) + 1 + stringWidth(word) > room) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].map((text) => ' '.repeat(indent) + text.replaceAll(UNBROKEN, ' '));
}
