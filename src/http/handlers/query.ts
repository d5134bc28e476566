import { fromTexts } from '../../domain/codec.ts';
import { type Issue, invalid } from '../../domain/errors.ts';
import type { Fields, RecordOf } from '../../domain/fields.ts';
import { check, objectOf, unknownField } from '../../domain/schema.ts';

/**
 * A reader of query strings that have these parameters, each at most once.
 * @returns a function that gives the parameters in a query string, and throws as `parseQuery` does or `invalid` for
 *   a value that does not fit its field
 */
export function queryReader<Fs extends Fields>(fields: Fs): (search: string) => Partial<RecordOf<Fs>> {
  const schema = objectOf(fields).partial();
  // The keys of parameters that are not given are absent, not undefined.
  return (search) => check(schema, parseQuery(search, fields)) as Partial<RecordOf<Fs>>;
}

/**
 * Reads a query string (application/x-www-form-urlencoded) as values of the known parameters. Unknown
 * parameters that start with `_` are ignored: clients add them to bypass caches.
 * @throws SciaticaError `invalid`: a parameter is unknown, repeated or badly encoded
 */
export function parseQuery(search: string, known: Fields): Record<string, unknown> {
  if (search === '') return {};
  const texts: Record<string, string> = {};
  const issues: Issue[] = [];
  for (const pair of search.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? '' : decode(pair.slice(equals + 1));
    if (name === undefined || value === undefined)
      issues.push({ field: 'query', message: 'is not valid percent-encoded UTF-8' });
    else if (Object.hasOwn(texts, name))
      issues.push({ field: name, message: 'is given twice: give it once' });
    else if (Object.hasOwn(known, name)) texts[name] = value;
    else if (!name.startsWith('_')) issues.push(unknownField(name, Object.keys(known), 'parameter'));
  }
  if (issues.length > 0) throw invalid(issues);
  return fromTexts(known, texts);
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
