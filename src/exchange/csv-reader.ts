import { type CsvError, Parser } from 'csv-parse';
import { fromTexts } from '../domain/codec.ts';
import { type Issue, invalid } from '../domain/errors.ts';
import type { Fields } from '../domain/fields.ts';
import { type KindName, kindNames, kindOf } from '../domain/kinds.ts';
import { didYouMean } from '../domain/words/suggest.ts';
import { unmarked } from '../lib/csv-cell.ts';
import { type Item, type Reading, unreadable } from './records.ts';
import { newlines, withFirstLine } from './text.ts';

/** Longer than any record can be: what an unclosed quote swallows before it is noticed. */
const MAX_RECORD = 1024 * 1024;

interface Header {
  kind: KindName;
  fields: Fields;
  columns: string[];
}

/**
 * Reads records of one kind as CSV: the header decides which. Comma, semicolon or tab separate, whatever the
 * header has; lines of nothing but empty cells do not count.
 * @param options.raw the file was written with `--raw`: no `'` is taken off a text
 */
export function readCsv(text: AsyncIterable<string>, options: { raw?: boolean } = {}): Reading {
  return { batches: batches(text, options.raw ?? false), where: (at) => `line ${at}` };
}

async function* batches(text: AsyncIterable<string>, raw: boolean): AsyncGenerator<Item[]> {
  const { line, pieces } = await withFirstLine(text);
  let items: Item[] = [];
  let header: Header | undefined;
  let read = 0;
  const parser = new Parser({
    // A header has no cell with a separator in it: the first one there is the file's.
    delimiter: /[,;\t]/.exec(line)?.[0] ?? ',',
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: MAX_RECORD,
    on_record: (cells: string[], { empty_lines }) => {
      const at = 1 + read + empty_lines;
      read += 1 + cells.reduce((sum, cell) => sum + newlines(cell), 0);
      if (!header) header = headerOf(cells);
      else if (cells.some((cell) => cell !== '')) items.push(itemOf(at, header, cells, raw));
      return null;
    },
  });
  // It emits an error after it has told it to the callback, when nobody listens any more.
  parser.on('error', () => {});
  parser.resume();
  for await (const piece of pieces) {
    await fed(parser, (done) => parser.write(piece, done));
    yield items;
    items = [];
  }
  await fed(parser, (done) => parser.end(done));
  yield items;
}

function fed(parser: Parser, feed: (done: (error?: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(explained(error));
    parser.once('error', fail);
    feed((error) => {
      parser.off('error', fail);
      if (error) fail(error);
      else resolve();
    });
  });
}

function explained(error: Error): Error {
  const { code, lines } = error as CsvError & { lines?: number };
  const at = `near line ${lines}`;
  if (code === 'CSV_QUOTE_NOT_CLOSED') return unreadable('A quote is opened and never closed.');
  if (code === 'CSV_MAX_RECORD_SIZE')
    return unreadable(`A record ${at} is too long: a quote that is opened and never closed?`);
  if (code === 'CSV_INVALID_CLOSING_QUOTE' || code === 'INVALID_OPENING_QUOTE')
    return unreadable(`A quote ${at} is in the wrong place: inside a quoted cell, write "" for ".`);
  return error;
}

/** @throws SciaticaError `invalid` for columns that are unknown, missing or there twice */
function headerOf(cells: string[]): Header {
  const columns = cells.map((cell) => cell.trim());
  const shared = (fields: Fields) => columns.filter((column) => Object.hasOwn(fields, column)).length;
  // Of kinds that share as many, the first.
  const [kind] = kindNames.toSorted((a, b) => shared(kindOf(b).fields) - shared(kindOf(a).fields)) as [
    KindName,
  ];
  const { fields } = kindOf(kind);
  const known = Object.keys(fields);
  if (shared(fields) === 0)
    throw unreadable(
      'It is neither JSON nor CSV of sciatica, the first line of which holds the names of the fields, such as userId,exerciseName,date.',
    );
  const faults: Issue[] = columns.flatMap((column, i) => {
    if (column === '') return { field: `column ${i + 1}`, message: 'has no name' };
    const field = column.slice(0, 60);
    if (!known.includes(column))
      return { field, message: `is not a field of a ${kind}${didYouMean(column, known)}` };
    return columns.indexOf(column) < i ? { field, message: 'is there twice' } : [];
  });
  const missing = known.filter((name) => name !== 'id' && !fields[name]?.optional && !columns.includes(name));
  faults.push(...missing.map((field) => ({ field, message: 'is missing' })));
  if (faults.length > 0) throw invalid(faults.map((fault) => ({ ...fault, at: 'header' })));
  return { kind, fields, columns };
}

function itemOf(at: number, { kind, fields, columns }: Header, cells: string[], raw: boolean): Item {
  if (cells.length !== columns.length) {
    const message = `has ${cells.length} cells, the header has ${columns.length}`;
    return { at, kind, fault: { field: '', message } };
  }
  const texts: Record<string, string> = {};
  for (const [i, column] of columns.entries()) {
    const cell = cells[i] ?? '';
    const { kind: type, optional } = fields[column] ?? {};
    // An empty cell is how a record goes without an id, or without an optional field.
    if (cell === '' && (column === 'id' || optional)) continue;
    // Excel writes TRUE and FALSE.
    if (type === 'boolean') texts[column] = cell.toLowerCase();
    else if (type === 'integer' || raw) texts[column] = cell;
    else texts[column] = unmarked(cell);
  }
  return { at, kind, value: fromTexts(fields, texts) };
}
