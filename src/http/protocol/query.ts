import { fromTexts } from '../../domain/codec.ts';
import { type Issue, invalid, issue, MOST_NAMED } from '../../domain/errors.ts';
import type { Fields, RecordOf } from '../../domain/fields.ts';
import { check, partialOf, unknownField } from '../../domain/schema.ts';
import { sliceParameters } from './slice.ts';

/** One parameter of a query string. */
export interface Parameter {
  readonly name: string;
  readonly text: string;
}

/** The messages for parameters of json-server that this service refuses, each with the alternative. */
const refusals: Readonly<Record<string, string>> = {
  _embed: 'is not served: ask for the logs of users with /userExerciseLogs?userId=1&userId=2',
  _expand: 'is not served: ask for the users of logs with /users?id=1&id=2',
  _per_page: 'is not served: give _page with _limit, or limit with cursor',
  _where: 'is not served: give filters, such as painAfter_gte=7',
  _dependent: 'is not needed: a user is deleted with all logs',
  ...Object.fromEntries(
    Object.keys(sliceParameters).map((name) => [name, 'is for lists: this path takes none of it']),
  ),
};

/**
 * Makes a parser of query strings with these parameters, each given at most once.
 * @returns a function from a query string to its parameters, which throws as `parseQuery`, or `invalid` for a value that does
 *   not fit its field
 */
export function queryReader<Fs extends Fields>(fields: Fs): (search: string) => Partial<RecordOf<Fs>> {
  // Built on first use, so that it does not delay the start of the service.
  let schema: ReturnType<typeof partialOf<Fs>> | undefined;
  return (search) => {
    schema ??= partialOf(fields);
    // The keys of parameters that are not given are absent, not undefined.
    return check(schema, parseQuery(search, fields)) as Partial<RecordOf<Fs>>;
  };
}

/**
 * Parses a query string (application/x-www-form-urlencoded) as values of the known parameters. Unknown
 * parameters that start with `_` are ignored: clients add them to bypass caches.
 * @throws SciaticaError `invalid`: a parameter is unknown, repeated or badly encoded
 */
export function parseQuery(search: string, known: Fields): Record<string, unknown> {
  if (search === '') return {};
  const issues: Issue[] = [];
  const texts = textsOf(parametersOf(search, issues), Object.keys(known), issues);
  if (issues.length > 0) throw invalid(issues);
  return fromTexts(known, texts);
}

/**
 * The parameters of a query string.
 * @param issues receives the faults of badly encoded parameters
 */
export function parametersOf(search: string, issues: Issue[]): Parameter[] {
  const parameters: Parameter[] = [];
  for (const pair of search.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    const text = equals < 0 ? '' : decode(pair.slice(equals + 1));
    if (name !== undefined && text !== undefined) parameters.push({ name, text });
    else if (issues.length < MOST_NAMED)
      issues.push({ field: 'query', message: 'is not valid percent-encoded UTF-8' });
  }
  return parameters;
}

/**
 * The texts of the known parameters, by name. Each may be given at most once.
 * @param issues receives the faults of unknown and repeated parameters
 * @param further other names to suggest for a misspelt one, and a hint that is added to the message about an unknown one
 */
export function textsOf(
  parameters: readonly Parameter[],
  known: readonly string[],
  issues: Issue[],
  further: { others?: readonly string[]; hint?: string } = {},
): Record<string, string> {
  const texts: Record<string, string> = {};
  const isMistyped = (name: string) => known.includes(name) || further.others?.includes(name);
  for (const { name, text } of parameters) {
    const isRepeated = Object.hasOwn(texts, name);
    if (known.includes(name) && !isRepeated) texts[name] = text;
    else if (issues.length >= MOST_NAMED) continue;
    else if (isRepeated) issues.push(issue(name, 'is given twice: give it once', 'repeated'));
    else if (Object.hasOwn(refusals, name)) issues.push(issue(name, refusals[name] ?? '', 'unknown'));
    else if (!name.startsWith('_') || isMistyped(name.slice(1))) {
      const unknown = unknownField(name, [...known, ...(further.others ?? [])], 'parameter');
      issues.push({ ...unknown, message: unknown.message + (further.hint ?? '') });
    }
  }
  return texts;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
