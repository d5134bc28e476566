import { fromTexts } from '../../domain/codec.ts';
import { logFields } from '../../domain/log.ts';
import { usage } from '../errors.ts';

/** What bare words say about a session; the name is as it was typed. */
export interface Said {
  name?: string;
  /** By field: painBefore, painAfter, notes. */
  values: Record<string, unknown>;
}

const NUMBER = /^\d+([.,]\d+)?$/;

/** Both levels of pain in one word, as in `log routine --set`. */
const PAIR = /^(\d+),(\d+)$/;

/**
 * Reads `name before after note…`, or `name before,after note…`: the name ends where the first number stands.
 * @param given the values of flags
 * @throws SciaticaError `invalid` where a word and a flag say the same
 */
export function readWords(words: readonly string[], given: Readonly<Record<string, unknown>>): Said {
  if (words.length === 0) return { values: {} };
  const first = words.findIndex((word) => NUMBER.test(word));
  const end = first < 0 ? words.length : first;
  const name = words.slice(0, end).join(' ').trim();
  const said = words.slice(end, end + 2).filter((word, i) => i === 0 || NUMBER.test(word));
  const notes = words.slice(end + said.length).join(' ');
  const [painBefore, painAfter] = (said.length === 1 && PAIR.exec(said[0] ?? '')?.slice(1)) || said;
  const texts = {
    ...(painBefore !== undefined && { painBefore }),
    ...(painAfter !== undefined && { painAfter }),
    ...(notes !== '' && { notes }),
  };
  refuseTwice({ ...texts, ...(name !== '' && { exerciseName: name }) }, given);
  return { ...(name !== '' && { name }), values: fromTexts(logFields, texts) };
}

function refuseTwice(
  texts: Readonly<Record<string, string>>,
  given: Readonly<Record<string, unknown>>,
): void {
  for (const [field, text] of Object.entries(texts))
    if (given[field] !== undefined)
      throw usage(
        `"${text}" and --${logFields[field as keyof typeof logFields].flag} say the same: give one of them.`,
      );
}
