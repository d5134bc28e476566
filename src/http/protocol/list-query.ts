import { fromTexts } from '../../domain/codec.ts';
import { type Issue, invalid, issue, tried } from '../../domain/errors.ts';
import type { Fields, RecordOf } from '../../domain/fields.ts';
import { type Filter, fieldsOfFilters, operators } from '../../domain/filter.ts';
import type { Kind } from '../../domain/kind.ts';
import { check, partialOf } from '../../domain/schema.ts';
import { type ListFilter, parseFields, parseSort } from '../../domain/sort.ts';
import { Conditions } from '../../domain/where.ts';
import { etagsParameter } from './etag.ts';
import { numberParameter, textParameter } from './parameter.ts';
import { type Parameter, parametersOf, textsOf } from './query.ts';
import { type SliceOf, sliceOf, sliceParameters } from './slice.ts';

/** The parsed query string of a list. */
export interface ListQuery {
  filter: ListFilter;
  /** Whether each record comes with its entity tag. */
  etags?: boolean | undefined;
  /** A slice as of json-server, for the filter's `offset` and `limit`. Absent for the whole list, or a page with a cursor. */
  slice?: SliceOf | undefined;
}

/** The parameters of a list, apart from filters. Each may be given at most once. */
const listParameters = {
  q: textParameter('Text that a text field contains, upper and lower case alike', {
    max: 200,
    example: 'left',
  }),
  fields: textParameter('The fields that are sent of each record, separated by commas; otherwise all', {
    max: 500,
    example: 'id',
  }),
  sort: textParameter('Fields separated by commas, - in front for descending', { max: 200, example: '-id' }),
  limit: numberParameter('Most records on a page', { min: 1, max: 1000, example: 50 }),
  cursor: textParameter('Where the page begins, from the Link header of the page before', {
    max: 2000,
    example: 'WyJpZCIsMl0',
  }),
};

type ListValues = Partial<RecordOf<typeof listParameters & typeof etagsParameter & typeof sliceParameters>>;

/** How the query strings of the lists of a kind are described and parsed. */
export interface ListQueries {
  /**
   * The parameters that may be given at most once, without those of json-server: client generators drop the underscore, by which
   * alone their names differ.
   */
  readonly parameters: Fields;
  /** The filters on fields, by the names of their parameters. */
  readonly filters: Readonly<Record<string, Filter>>;
  /** Parses a query string. The result is cached, and must not be modified. @throws SciaticaError `invalid` with every fault */
  read(search: string): ListQuery;
}

export function listQueriesOf({ fields, filters = {}, examples }: Kind): ListQueries {
  // A filter with the name of a field is among the conditions.
  const named = Object.entries(fieldsOfFilters(filters)).filter(([name]) => !Object.hasOwn(fields, name));
  const { sort, fields: shown, ...others } = listParameters;
  const parameters: Fields = {
    ...Object.fromEntries(named),
    ...others,
    sort: { ...sort, example: examples?.sort ?? sort.example },
    fields: { ...shown, example: examples?.fields ?? shown.example },
    ...etagsParameter,
  };
  const conditions = new Conditions(fields);
  return {
    parameters,
    filters: conditions.filters,
    read: listReader(fields, { ...parameters, ...sliceParameters }, conditions),
  };
}

/** Makes a parser of query strings. @param single the parameters that may be given at most once */
function listReader(record: Fields, single: Fields, conditions: Conditions): ListQueries['read'] {
  const columns = Object.keys(record);
  // A field that is a list cannot be sorted by or compared.
  const sortable = columns.filter((name) => record[name]?.kind !== 'list');
  const names = Object.keys(single);
  const schema = partialOf(single);
  const hint = `; there are ${sortable.join(', ')}, with ${suffixes()} behind, and ${names.join(', ')}`;
  return (search) => {
    if (search === '') return { filter: {} };
    const issues: Issue[] = [];
    const given = parametersOf(search, issues);
    const isCondition = ({ name }: Parameter) => conditions.has(bareName(name));
    const others = given.filter((parameter) => !isCondition(parameter));
    const texts = textsOf(others, names, issues, { others: Object.keys(conditions.filters), hint });
    const values: ListValues = tried(issues, () => check(schema, fromTexts(single, texts))) ?? {};
    const where = conditions.read(
      given.filter(isCondition).map(({ name, text }) => ({ filter: bareName(name), name, text })),
      issues,
    );
    const { q, etags, fields: _, _sort, _order, _page, _limit, _start, _end, ...rest } = values;
    // Parsed from the texts, to report all faults together: `values` is empty if any value has one.
    const shown = texts['fields']?.trim()
      ? tried(issues, () => parseFields(texts['fields'] ?? '', columns))
      : undefined;
    if (texts['sort']?.trim()) tried(issues, () => parseSort(texts['sort'] ?? '', sortable));
    const sliced = tried(issues, () => sliceOf(values, sortable));
    if (etags && shown) issues.push(issue('etags', 'is of whole records: leave out fields', 'in-conflict'));
    if (issues.length > 0) throw invalid(issues);
    const filter = {
      ...rest,
      ...(where.length > 0 && { where }),
      ...(q !== undefined && { search: q }),
      ...(shown && { fields: shown }),
      ...sliced?.paging,
    };
    return { filter: filter as ListFilter, slice: sliced?.slice, etags };
  };
}

/** The name of a parameter without brackets: `id` of `id[]` or `id[0]`, as axios, qs and others write several values. */
export const bareName = (name: string): string => name.replace(/\[\d*\]$/, '');

const suffixes = () =>
  Object.values(operators)
    .flatMap(({ suffix }) => suffix || [])
    .join(', ');
