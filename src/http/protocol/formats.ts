import { csvHeader, csvLinesOf } from '../../exchange/csv.ts';
import type { Chunk } from '../wire/message.ts';
import { withTag } from './etag.ts';

/** The media types of lists. */
export const listTypes = ['application/json', 'application/x-ndjson', 'text/csv'] as const;
type ListType = (typeof listTypes)[number];

/** How a list is rendered in one of its media types. */
export interface ListFormat {
  type: string;
  open: string;
  /** Renders rows, each a record as JSON. */
  textOf(rows: readonly string[]): string;
  /** Separator between two batches of rows. */
  between?: string;
  close?: string;
}

export const jsonArray: ListFormat = {
  type: 'application/json',
  open: '[',
  textOf: (rows) => rows.join(','),
  between: ',',
  close: ']',
};

const ndjson: ListFormat = {
  type: 'application/x-ndjson',
  open: '',
  textOf: (rows) => rows.map((row) => `${row}\n`).join(''),
};

function csvOf(fields: readonly string[]): ListFormat {
  const textOf = (rows: readonly string[]) => {
    const records = rows.map((row) => JSON.parse(row) as Record<string, unknown>);
    return [...csvLinesOf(fields, records)].join('');
  };
  return { type: 'text/csv; charset=utf-8', open: csvHeader(fields), textOf };
}

/**
 * @param fields the names of the fields of each record, in order
 * @param etags whether each record is rendered with its entity tag
 */
export function formatOf(type: ListType, fields: readonly string[], etags = false): ListFormat {
  if (etags) {
    const format = formatOf(type, [...fields, 'etag']);
    return { ...format, textOf: (rows) => format.textOf(rows.map(withTag)) };
  }
  if (type === 'text/csv') return csvOf(fields);
  return type === 'application/json' ? jsonArray : ndjson;
}

/** Renders a whole list, given as a JSON array. */
export function wholeOf(format: ListFormat, json: string): string {
  if (format === jsonArray) return json;
  const { open, textOf, close = '' } = format;
  return open + textOf((JSON.parse(json) as object[]).map((record) => JSON.stringify(record))) + close;
}

/**
 * Renders a long list in chunks, one for each batch of rows.
 * @param disclosed the disclosure of a batch, for the audit
 */
export function* chunksOf<B extends { rows: string[] }>(
  { open, textOf, between = '', close = '' }: ListFormat,
  batches: Iterable<B>,
  disclosed: (batch: B) => Chunk['disclosed'],
): Generator<Chunk> {
  let before = open;
  for (const batch of batches) {
    yield { text: before + textOf(batch.rows), disclosed: disclosed(batch) };
    before = between;
  }
  const rest = before === open ? open + close : close;
  if (rest !== '') yield { text: rest };
}
