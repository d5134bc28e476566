import { isDay } from './day.ts';
import { inPlainDigits, NUMBERS, parseDay } from './spoken-day.ts';

/** Levels of pain as people type them, among the words of a session: `6 4`, `7/10 4/10`, `6->4`, `6 to 4`, `six four`. */

/** Fractions and exponents are levels too, which the schema refuses, so that they never become part of a name. */
const LEVEL = /^([-+]?\d+(?:[.,⁄]\d+)?(?:e\d+)?)(?:\/10)?[.,;]?$/i;
const PAIR = /^(\d{1,2})(?:\/10)?(?:,|-+>?|–|→|=>|\/)(\d{1,2})(?:\/10)?$/;
const BETWEEN = /^(?:-+>?|–|→|=>|\/|to|then|and)$/i;

/** What the words of a session say: those before the levels of pain, at most two levels, and those after. */
interface PainWords {
  readonly before: readonly string[];
  readonly levels: readonly string[];
  readonly after: readonly string[];
}

/**
 * Finds the levels of pain among words: the first that can be read as one, and the next if it follows. Two levels after the
 * longest known name come before that.
 * @param isName whether a text is a known name, which may have a number in it: `plank 30 s 5 4`
 */
export function painIn(words: readonly string[], isName: (text: string) => boolean = () => false): PainWords {
  const plain = words.map(inPlainDigits);
  const [first, ...others] = [...words.keys()].flatMap((at) => {
    const found = levelsAt(plain, at);
    return found ? [{ at, ...found }] : [];
  });
  if (!first) return { before: words, levels: [], after: [] };
  const named = others.findLast(
    ({ at, levels }) => areLevels(levels) && isName(words.slice(0, at).join(' ')),
  );
  const { at, levels, words: used } = named ?? first;
  return { before: words.slice(0, at), levels, after: words.slice(at + used) };
}

/** Most words in a day. */
const LONGEST_DAY = 4;

/** The day without which the words of a session would say two levels: `piri 15 jan 6 4`. Undefined if they do as they are. */
export function dayInTheWay(words: readonly string[]): string | undefined {
  if (areLevels(painIn(words).levels)) return undefined;
  return dayAmong(words, (_, at, count) => areLevels(painIn(words.toSpliced(at, count)).levels));
}

/** The day, in words, that stands in front of a level of pain: `15 jan 6`. */
export const dayInFront = (words: readonly string[]): string | undefined =>
  dayAmong(words, (_, at, count) => at === 0 && isLevel(levelMeant(words[count] ?? '')));

/**
 * The day, in words, that stands before or after the name of an exercise: `piri yesterday`. An abbreviated day, and a weekday
 * in front, may be part of the name: `sun salutation`, `Friday plank`.
 */
export const dayInName = (name: string): string | undefined =>
  dayAmong(name.trim().split(/\s+/), (day, at) =>
    at > 0 ? /\d|day$/i.test(day) : /\d|^(?:today|yesterday|last .*)$/i.test(day),
  );

/** The first words, `LONGEST_DAY` at most, that say a day for which `isMeant` holds. */
function dayAmong(
  words: readonly string[],
  isMeant: (day: string, at: number, count: number) => boolean,
): string | undefined {
  for (const at of words.keys())
    for (let count = LONGEST_DAY; count > 0; count--) {
      const day = words.slice(at, at + count).join(' ');
      if (isDay(parseDay(day, ANY_DAY)) && isMeant(day, at, count)) return day;
    }
  return undefined;
}

const isLevel = (text: string) => /^(?:[1-9]|10)$/.test(text);
const areLevels = (levels: readonly string[]) => levels.length === 2 && levels.every(isLevel);

/** The level of pain if a text says nothing else, such as `7/10` or `seven`; any other text as it is. */
export function levelMeant(text: string): string {
  const { before, levels, after } = painIn(['', ...text.trim().split(/\s+/)]);
  const [level = text, ...others] = levels;
  return before.length === 1 && others.length === 0 && after.length === 0 ? level : text;
}

/** The two levels whose digits were written together: `6 4` for 64. Undefined for anything else. */
export function levelsTogether(figure: unknown): string | undefined {
  const [, before, after] = /^(10|[1-9])(10|[1-9])$/.exec(String(figure)) ?? [];
  return before && `${before} ${after}`;
}

function levelsAt(words: readonly string[], at: number): { levels: string[]; words: number } | undefined {
  const word = words[at] ?? '';
  const [, ...pair] = PAIR.exec(word) ?? [];
  // `90/90` is the name of an exercise, `7/10` is one level, and `5,5` before another level is one that the
  // schema refuses.
  const isOne = LEVEL.test(word) && (!word.includes(',') || levelIn(words[at + 1]) !== undefined);
  if (pair.length === 2 && !isOne && pair.every((level) => Number(level) <= 10))
    return { levels: pair, words: 1 };
  const first = levelIn(word);
  if (first === undefined) return undefined;
  const used = 1 + outOfTen(words, at + 1);
  const gap = BETWEEN.test(words[at + used] ?? '') ? 1 : 0;
  const second = levelIn(words[at + used + gap]);
  if (second !== undefined) {
    const next = at + used + gap + 1;
    return { levels: [first, second], words: next - at + outOfTen(words, next) };
  }
  // A number in words that begins a name is no level: `one leg bridge`.
  const isSure = LEVEL.test(word) || (at > 0 && at + used === words.length);
  return isSure ? { levels: [first], words: used } : undefined;
}

function levelIn(word: string | undefined): string | undefined {
  if (word === undefined) return undefined;
  const number = NUMBERS.indexOf(word.toLowerCase());
  return number >= 0 ? String(number + 1) : LEVEL.exec(word)?.[1];
}

/** How many words say that the level before them is on a scale of ten: `out of 10`, `/ 10`. */
function outOfTen(words: readonly string[], at: number): number {
  const said = words
    .slice(at, at + 3)
    .join(' ')
    .toLowerCase();
  return [/^out of (?:10|ten)\b/, /^(?:of|\/) (?:10|ten)\b/].reduce(
    (used, pattern, i) => used || (pattern.test(said) ? 3 - i : 0),
    0,
  );
}

/** Words that cannot be the whole name of an exercise: they mean something else in a session, or are commands or literals. */
const OTHER_WORDS =
  /^(?:pain|before|after|from|today|yesterday|tomorrow|now|none|nothing|help|yes|no|ok|again|same|last|note|notes|stretch|strengthening|strength|exercise|exercises|log|add|to|then|and|out|of|nan|null|undefined|true|false|(?:mon|tues|wednes|thurs|fri|satur|sun)day)$/i;

/** Whether a text cannot be the name of an exercise: levels of pain, a day, or words with another meaning. */
export function isNoName(text: string): boolean {
  const words = inPlainDigits(text).trim().split(/\s+/);
  return (
    words.every((word) => isFigure(word) || OTHER_WORDS.test(word)) ||
    !/\p{L}/u.test(text) ||
    isDayInWords(text)
  );
}

/** Only days without a typing mistake, such as `15 jan` or `last friday`: with one allowed, `monkey` would be a day. */
const isDayInWords = (text: string) => parseDay(text, ANY_DAY) !== text.trim();

/** Any reference day will do to find out whether a text says a day. */
export const ANY_DAY = '2026-01-01';

/** Whether a word is a figure: a level of pain, sets, days or times, such as `3x10`, `5th`, `-3d`, `12:30`. */
const isFigure = (word: string) =>
  levelIn(word) !== undefined ||
  PAIR.test(word) ||
  BETWEEN.test(word) ||
  /^(?:[\d\p{P}\p{S}]+|-?\d+\p{L}{1,2}\d*)$/u.test(word);
