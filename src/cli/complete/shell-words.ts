/** The words of a command line that is being typed, as the shell will read them. Nothing is expanded or run. */

export interface TypedWord {
  /** The word without its quotes. */
  text: string;
  /** As it was typed. */
  raw: string;
  /** The quote that is still open at its end. */
  quote: "'" | '"' | '';
}

/**
 * Splits a line, up to the cursor, into words.
 * @returns at least one: the last is the word at the cursor, which may be empty
 */
export function wordsOf(line: string): TypedWord[] {
  const words: TypedWord[] = [];
  let word: TypedWord = { text: '', raw: '', quote: '' };
  for (let i = 0; i < line.length; i++) {
    const character = line.charAt(i);
    if (word.quote === '' && /\s/.test(character)) {
      if (word.raw !== '') words.push(word);
      word = { text: '', raw: '', quote: '' };
      continue;
    }
    word.raw += character;
    if (character === '\\' && word.quote !== "'") {
      i++;
      word.raw += line.charAt(i);
      // In double quotes a backslash stands for itself but before these (POSIX 2.2.3).
      const isEscape = word.quote === '' || /["\\$`]/.test(line.charAt(i));
      word.text += isEscape ? line.charAt(i) : `\\${line.charAt(i)}`;
    } else if (character === word.quote) word.quote = '';
    else if (word.quote === '' && (character === "'" || character === '"')) word.quote = character;
    else word.text += character;
  }
  return [...words, word];
}

/**
 * What bash puts in place of the part of the word at the cursor that it takes for the word: after an open quote, or after
 * the last character of COMP_WORDBREAKS.
 * @param breaks COMP_WORDBREAKS
 * @returns the rest of the value, quoted to fit; undefined if the value does not begin as the word does
 */
export function forBash(value: string, word: TypedWord, breaks: string): string | undefined {
  if (word.quote !== '') {
    const start = word.raw.lastIndexOf(word.quote) + 1;
    const before = wordsOf(word.raw.slice(0, start - 1))[0]?.text ?? '';
    return startsAlike(value, before) ? quotedIn(value.slice(before.length), word.quote) : undefined;
  }
  const before = wordsOf(word.raw.slice(0, breakIn(word.raw, breaks)))[0]?.text ?? '';
  return startsAlike(value, before) ? escaped(value.slice(before.length)) : undefined;
}

export const startsAlike = (value: string, start: string): boolean =>
  value.toLowerCase().startsWith(start.toLowerCase());

/** Where the part begins that bash takes for the word: after the last break that is not quoted. */
function breakIn(raw: string, breaks: string): number {
  let start = 0;
  let quote = '';
  for (let i = 0; i < raw.length; i++) {
    const character = raw.charAt(i);
    if (character === '\\' && quote !== "'") i++;
    else if (character === quote) quote = '';
    else if (quote === '' && /['"]/.test(character)) quote = character;
    else if (quote === '' && breaks.includes(character)) start = i + 1;
  }
  return start;
}

function quotedIn(value: string, quote: string): string {
  return quote === "'" ? value.replaceAll("'", "'\\''") : value.replace(/["\\$`]/g, '\\$&');
}

/** A backslash before each character that could mean something to the shell. */
const escaped = (value: string): string => value.replace(/[^\p{L}\p{N}\p{M}_./,+@%-]/gu, '\\$&');
