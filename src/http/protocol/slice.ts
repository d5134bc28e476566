import { type Issue, invalid, issue } from '../../domain/errors.ts';
import type { RecordOf } from '../../domain/fields.ts';
import { unknownField } from '../../domain/schema.ts';
import type { Paging } from '../../domain/sort.ts';
import { numberParameter, textParameter } from './parameter.ts';

/** The parameters with which json-server 0.17 sorts and slices lists (https://github.com/typicode/json-server/tree/v0.17.4). */

const wholeNumber = (help: string, min: number, example: number) =>
  numberParameter(help, { min, max: Number.MAX_SAFE_INTEGER, example });

export const sliceParameters = {
  _sort: textParameter('As json-server: fields separated by commas', { max: 200, example: 'id' }),
  _order: textParameter('As json-server: asc or desc for each field of _sort', { max: 200, example: 'desc' }),
  _page: wholeNumber('As json-server: the page, counted from 1', 1, 1),
  _limit: wholeNumber('As json-server: records on a page (10 unless given), or from _start on', 0, 10),
  _start: wholeNumber('As json-server: place of the first record, counted from 0', 0, 0),
  _end: wholeNumber('As json-server: place behind the last record', 0, 10),
};

type Given = Partial<RecordOf<typeof sliceParameters>> & Pick<Paging, 'sort' | 'limit' | 'cursor'>;

/** A slice of a list; with `page`, one of numbered pages of `size` records. */
export interface SliceOf {
  page?: number;
  size: number;
}

const PAGE_SIZE = 10;

/**
 * The order and the slice that json-server's parameters ask for; undefined without them.
 * @param columns the fields by which the records can be sorted
 * @throws SciaticaError `invalid` with every fault, such as a combination with `sort`, `limit` or `cursor`
 */
export function sliceOf(
  given: Given,
  columns: readonly string[],
): { paging: Paging; slice?: SliceOf } | undefined {
  const first = Object.keys(sliceParameters).find((name) => given[name as keyof Given] !== undefined);
  if (first === undefined) return undefined;
  const { _sort, _order, _page, _limit, _start, _end } = given;
  const issues: Issue[] = [];
  const say = (field: string, message: string) => issues.push(issue(field, message, 'in-conflict'));
  for (const name of ['sort', 'limit', 'cursor'] as const)
    if (given[name] !== undefined) say(name, `does not go together with ${first}: give one or the other`);
  if (_order !== undefined && _sort === undefined) say('_order', 'needs _sort');
  if (_page !== undefined && _start !== undefined) say('_start', 'does not go together with _page');
  if (_page !== undefined && _end !== undefined) say('_end', 'does not go together with _page');
  if (_end !== undefined && _limit !== undefined) say('_limit', 'does not go together with _end');
  if (_page !== undefined && _limit === 0) say('_limit', 'must be 1 or more with _page');
  if (_start !== undefined && (_page ?? _end ?? _limit) === undefined) say('_start', 'needs _end or _limit');
  const sort = _sort === undefined ? undefined : orderOf(_sort, _order, columns, issues);
  if (issues.length > 0) throw invalid(issues);
  const order = sort === undefined ? {} : { sort };
  if (_page !== undefined) {
    const size = _limit ?? PAGE_SIZE;
    return {
      paging: { ...order, offset: firstOfPage(_page, size), limit: size },
      slice: { page: _page, size },
    };
  }
  const size = _end === undefined ? _limit : Math.max(0, _end - (_start ?? 0));
  if (size === undefined) return { paging: order };
  return { paging: { ...order, offset: _start ?? 0, limit: size }, slice: { size } };
}

/** The offset of the first record of a page, capped so that SQLite gets an integer: no list is that long. */
const firstOfPage = (page: number, size: number) => Math.min((page - 1) * size, Number.MAX_SAFE_INTEGER);

/** `_sort` and `_order` as a value of `sort`: `date,id` with `desc,asc` becomes `-date,id`. */
function orderOf(
  sort: string,
  order: string | undefined,
  columns: readonly string[],
  issues: Issue[],
): string {
  const names = sort.split(',');
  const directions = order === undefined ? [] : order.toLowerCase().split(',');
  const unknown = names.filter((name) => !columns.includes(name));
  for (const name of unknown) {
    const { message } = unknownField(name, [...columns], 'field');
    const hint = name.startsWith('-') ? '; _order=desc sorts downwards' : '';
    issues.push(issue('_sort', `${name.slice(0, 60).toWellFormed()} ${message}${hint}`, 'unknown'));
  }
  for (const name of names.filter((name, i) => columns.includes(name) && names.indexOf(name) < i))
    issues.push(issue('_sort', `names ${name} twice`, 'repeated'));
  if (
    directions.length > names.length ||
    directions.some((direction) => direction !== 'asc' && direction !== 'desc')
  )
    issues.push({
      field: '_order',
      message: 'must be asc or desc, for each field of _sort at most once',
      fault: { code: 'not-a-choice', values: ['asc', 'desc'] },
    });
  return names.map((name, i) => `${directions[i] === 'desc' ? '-' : ''}${name}`).join(',');
}

/**
 * The Link header of a page as json-server 0.17 gives it: first, prev, next, last. Undefined for a slice without a page number,
 * a page after the last one, and a list of a single page.
 * @param url the URL of the list, without its query
 * @param total how many records the list has
 */
export function pageLinks(
  url: string,
  search: string,
  { page, size }: SliceOf,
  total: number,
): string | undefined {
  const last = Math.ceil(total / size);
  if (page === undefined || page > last || last <= 1) return undefined;
  const to = (name: string, number: number) => {
    const parameters = new URLSearchParams(search);
    parameters.set('_page', String(number));
    return `<${url}?${parameters}>; rel="${name}"`;
  };
  return [
    to('first', 1),
    ...(page > 1 ? [to('prev', page - 1)] : []),
    ...(page < last ? [to('next', page + 1)] : []),
    to('last', last),
  ].join(', ');
}
