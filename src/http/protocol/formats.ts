import { csvHeader, csvLinesOf } from '../../exchange/csv.ts';
import type { Chunk } from '../wire/message.ts';
import { withTag } from './etag.ts';

/** The media types of lists. */
export const listTypes = ['application/json', 'application/x-ndjson', 'text/csv'] as const;
type ListType = (typeof listTypes)[number];

/** How a list leaves as one of its media types. */
export interface ListFormat {
  type: string;
  /** A whole list, given as a JSON array. */
  whole(json: string): string;
  /** A long list, in chunks. */
  chunks<B extends { rows: string[] }>(
    batches: Iterable<B>,
    disclosed: (batch: B) => Chunk['disclosed'],
  ): Generator<Chunk>;
}

/**
 * @param fields the names of the fields of each record, in order
 * @param etags whether each comes with its entity tag
 */
export function formatOf(type: ListType, fields: readonly string[], etags = false): ListFormat {
  if (etags) return withTags(formatOf(type, [...fields, 'etag']));
  switch (type) {
    case 'application/json':
      return { type, whole: (json) => json, chunks: arrayOf };
    case 'application/x-ndjson':
      return lines(type, (rows) => rows.map((row) => `${row}\n`).join(''), '');
    case 'text/csv': {
      const render = (rows: readonly string[]) => {
        const records = rows.map((row) => JSON.parse(row) as Record<string, unknown>);
        return [...csvLinesOf(fields, records)].join('');
      };
      return lines('text/csv; charset=utf-8', render, csvHeader(fields));
    }
  }
}

function withTags(format: ListFormat): ListFormat {
  const tagged = (rows: readonly string[]) => rows.map(withTag);
  return {
    type: format.type,
    whole: (json) => format.whole(`[${tagged(rowsOf(json))}]`),
    chunks: (batches, disclosed) => format.chunks(taggedBatches(batches, tagged), disclosed),
  };
}

/** The elements of a JSON array, each as JSON. */
const rowsOf = (json: string) => (JSON.parse(json) as object[]).map((record) => JSON.stringify(record));

function* taggedBatches<B extends { rows: string[] }>(
  batches: Iterable<B>,
  tagged: (rows: readonly string[]) => string[],
): Generator<B> {
  for (const batch of batches) yield { ...batch, rows: tagged(batch.rows) };
}

function lines(type: string, render: (rows: readonly string[]) => string, header: string): ListFormat {
  return {
    type,
    whole: (json) => header + render(rowsOf(json)),
    *chunks(batches, disclosed) {
      let before = header;
      for (const batch of batches) {
        yield { text: before + render(batch.rows), disclosed: disclosed(batch) };
        before = '';
      }
      if (before !== '') yield { text: before };
    },
  };
}

/**
 * One JSON array in chunks, one for each batch of elements.
 * @param batches elements as JSON texts
 * @param disclosed the records in a batch
 */
export function* arrayOf<B extends { rows: string[] }>(
  batches: Iterable<B>,
  disclosed: (batch: B) => Chunk['disclosed'],
): Generator<Chunk> {
  let before = '[';
  for (const batch of batches) {
    yield { text: before + batch.rows.join(','), disclosed: disclosed(batch) };
    before = ',';
  }
  yield { text: before === '[' ? '[]' : ']' };
}
