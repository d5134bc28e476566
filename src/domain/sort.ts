import { type Issue, invalid, MOST_NAMED } from './errors.ts';
import type { Matching } from './filter.ts';
import { didYouMean } from './words/suggest.ts';

/** In what order a list comes, and which part of it. */
export interface Paging {
  /** Fields separated by commas, `-` in front for descending; ties are in id order. */
  sort?: string;
  limit?: number;
  /** Cursor: the `next` of the page before this one. */
  cursor?: string;
  /** Number of records to skip at the beginning of the list. */
  offset?: number;
  /** The fields to show of each record, all by default; JSON only. */
  fields?: readonly string[];
}

/** Which records of a list, in what order, how many. */
export interface ListFilter extends Matching, Paging {
  /** Records of this user only, for kinds that belong to users. */
  userId?: number;
}

export interface SortKey {
  field: string;
  descending: boolean;
}

/**
 * Reads `-date,id`: fields separated by commas, `-` in front for descending. The id is added as the last key when it is not
 * among them, so that every order is total.
 * @param known the fields of the record
 * @throws SciaticaError `invalid` for a field that does not exist or is named twice
 */
export function parseSort(text: string, known: readonly string[]): SortKey[] {
  const keys = text.split(',').map((part) => {
    const descending = part.startsWith('-');
    return { field: descending ? part.slice(1) : part, descending };
  });
  refuseUnknown(
    'sort',
    keys.map(({ field }) => field),
    known,
  );
  return keys.some(({ field }) => field === 'id') ? keys : [...keys, { field: 'id', descending: false }];
}

/**
 * Reads `id,date`: the fields that are shown of each record, in that order.
 * @param known the fields of the record
 * @throws SciaticaError `invalid` for a field that does not exist or is named twice
 */
export function parseFields(text: string, known: readonly string[]): string[] {
  const names = text.split(',');
  refuseUnknown('fields', names, known);
  return names;
}

function refuseUnknown(parameter: string, names: readonly string[], known: readonly string[]): void {
  const issues = names
    .filter((name, i) => !known.includes(name) || names.indexOf(name) < i)
    .slice(0, MOST_NAMED)
    .map((name): Issue => {
      const isKnown = known.includes(name);
      const others = `must name fields of the record${didYouMean(name, known)}: ${known.join(', ')}`;
      const message = isKnown ? `names ${name} twice` : others;
      return { field: parameter, message, fault: { code: isKnown ? 'repeated' : 'unknown' } };
    });
  if (issues.length > 0) throw invalid(issues);
}
