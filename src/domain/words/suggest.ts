import { distance } from 'fastest-levenshtein';

const folded = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s_-]+/g, '');

/**
 * The candidate that was probably meant: the closest by edit distance (Levenshtein; case, spaces and dashes do not count), if
 * at most a third of it differs. Otherwise the first that has a word that close to each word of the text, or a word that begins
 * with the text, except for one letter.
 */
export function closest(text: string, candidates: Iterable<string>): string | undefined {
  const all = [...candidates];
  return (
    nearest(text, all) ??
    all.find((candidate) => wordsOf(text).every((word) => nearest(word, wordsOf(candidate)) !== undefined)) ??
    all.find((candidate) => wordsOf(candidate).some((word) => isBeginning(folded(text), folded(word))))
  );
}

/** Fewest letters of a beginning in which one may be wrong: with fewer, one wrong letter makes another word. */
const FEWEST = 4;

const isBeginning = (text: string, word: string): boolean =>
  text.length >= FEWEST && word.length > text.length && distance(text, word.slice(0, text.length)) <= 1;

/** Edit distance; letters that changed places are one mistake. */
const mistakes = (text: string, candidate: string): number =>
  text !== candidate && sorted(text) === sorted(candidate) ? 1 : distance(text, candidate);

/** Whether a text is a word with one typing mistake after its first letter: for `night`, `nigth` but not `right`. */
export const isSlipOf = (text: string, word: string): boolean =>
  folded(text)[0] === word[0] && mistakes(folded(text), word) === 1;

const sorted = (text: string): string => [...text].sort().join('');

/** The words of a name; `painBefore` has two. */
const wordsOf = (text: string) => text.trim().split(/[\s_-]+|(?<=\p{Ll})(?=\p{Lu})/u);

function nearest(text: string, candidates: readonly string[]): string | undefined {
  const wanted = folded(text);
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const differs = mistakes(wanted, folded(candidate));
    if (differs < least && differs <= Math.max(wanted.length, candidate.length) / 3) {
      best = candidate;
      least = differs;
    }
  }
  return best;
}

/** As `closest`; undefined for a text of more than 100 characters, which is no name. */
export const meantBy = (text: string, candidates: Iterable<string>): string | undefined =>
  text.length > 100 ? undefined : closest(text, candidates);

/** ` (did you mean painLevel?)`, or nothing. */
export const suggestion = (meant: string | undefined): string =>
  meant === undefined ? '' : ` (did you mean ${meant}?)`;

export const didYouMean = (text: string, candidates: Iterable<string>): string =>
  suggestion(meantBy(text, candidates));
